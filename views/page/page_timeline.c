/* SPDX-License-Identifier: MIT */
/*
 * Page of the timeline, threads over time: one row per thread, its regions as bars, inner ones over
 * outer ones. A line leads from a parent's row to a process that it started. The parts of the wall
 * time (parts.h) are highlighted. The cursor is an instant; the foot shows exactly what is there.
 *
 * If there are more processes than rows, there is one lane per command instead (density.h), which
 * Enter opens into its runs; for a tree only if there are at most half as many lanes. A command with a single run is drawn as a process.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include "monitor/base/humanize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/commands.h"
#include "monitor/analysis/lane_groups.h"
#include "monitor/analysis/lanes.h"
#include "views/ui/density.h"
#include "views/ui/path_draw.h"
#include "views/ui/time_axis.h"

#define LABEL_CELLS     5 /* bars narrower than this show no name */
#define FOOT_ROWS       3
#define RUN_INDENT      3 /* runs of an open lane */
#define MAX_LISTED_RUNS 16

/* Kinds of rows. `ref` is an index of a lane; of ROW_GROUP one of a group. */
enum timeline_kind { ROW_LANE, ROW_GROUP, ROW_AT_ONCE, ROW_FAILED };

enum timeline_grouping { GROUPED_IF_MANY, GROUPED, NOT_GROUPED };

struct timeline_page {
	struct lanes lanes;
	struct lane_groups groups;
	struct path_pieces held;
	struct time_window window;
	struct marks opened; /* ids of the open groups */
	bool begun, all;
	uint8_t grouping; /* enum timeline_grouping */
	bool grouped;     /* one lane per command */
	uint32_t nr_processes;
	int x, cols; /* horizontal position and width of the bars, as last drawn */
	int drag_x;
};

/* ---- gathering rows ---- */

/* Initialise the page, before the first frame or the first key. */
static void timeline_begin(const struct view_ctx *ctx, struct timeline_page *page)
{
	if (page->begun)
		return;
	page->begun = true;
	page->all = ctx->view->subject.process.slot == SLOT_NONE;
	window_reset(&page->window);
}

static struct density density_of(const struct view_ctx *ctx)
{
	const struct timeline_page *page = ctx->view->private;

	return (struct density){ .model = ctx->model,
				 .lanes = &page->lanes,
				 .groups = &page->groups,
				 .window = &page->window,
				 .has_evicted = page->all && !ctx->what.filter &&
						ctx->what.limits.depth < 0 };
}

/*
 * True if there are more processes than rows, or the user wants lanes per command. A tree keeps its
 * order and its links unless lanes are at most half as many.
 */
static bool wants_groups(const struct view_ctx *ctx, struct timeline_page *page)
{
	int64_t rows = ctx->height - 1 - FOOT_ROWS;

	if (page->grouping != GROUPED_IF_MANY)
		return page->grouping == GROUPED;
	if (page->nr_processes <= (rows > 1 ? rows : 1))
		return false;
	lane_groups_make(&page->groups, ctx->model, &page->lanes);
	return page->all || page->groups.nr <= page->nr_processes / 2;
}

static uint64_t lane_row_id(const struct view_ctx *ctx, const struct lane *lane)
{
	return tr2_hash_pair(model_handle(ctx->model, lane->slot).sid_hash, lane->thread);
}

static void timeline_add(struct table *table, uint64_t id, enum timeline_kind kind, uint32_t ref)
{
	int64_t key = table->nr_rows;
	struct row *row = table_add(table, id);

	row->key = key;
	row->ref = ref;
	row->kind = (uint8_t)kind;
	row->fixed = kind == ROW_AT_ONCE || kind == ROW_FAILED;
}

static void timeline_gather_groups(const struct view_ctx *ctx, struct timeline_page *page,
				   struct table *table)
{
	if (page->grouping == GROUPED)
		lane_groups_make(&page->groups, ctx->model, &page->lanes);
	table->heading = "COMMAND";
	if (!ctx->said) {
		timeline_add(table, 1, ROW_AT_ONCE, 0);
		timeline_add(table, 2, ROW_FAILED, 0);
	}
	for (uint32_t i = 0; i < page->groups.nr; i++) {
		const struct lane_group *group = &page->groups.items[i];
		const uint32_t *runs = page->groups.runs + group->first;

		if (group->nr > 1)
			timeline_add(table, group->id, ROW_GROUP, i);
		if (group->nr > 1 && !marks_has(&page->opened, 0, group->id))
			continue;
		for (uint32_t run = 0; run < group->nr; run++)
			timeline_add(table, lane_row_id(ctx, &page->lanes.items[runs[run]]),
				     ROW_LANE, runs[run]);
	}
}

static void timeline_gather(struct view_ctx *ctx, struct table *table)
{
	struct timeline_page *page = ctx->view->private;
	uint32_t root = SLOT_NONE;

	timeline_begin(ctx, page);
	if (!page->all && ctx->process)
		root = lanes_root(ctx->model, ctx->view->subject.process.slot);
	if (page->all || root != SLOT_NONE)
		table->nr_hidden = lanes_gather(&page->lanes, &ctx->what, root);
	else
		lanes_clear(&page->lanes);
	path_pieces_make(&page->held, &ctx->what, root, ctx->in->own_command);
	window_fit(&page->window, page->lanes.first, page->lanes.edge);
	table->sort = SORT_NATURAL;
	table->reverse = table->flat = false;
	page->nr_processes = lane_groups_processes(&page->lanes);
	page->grouped = page->lanes.nr && wants_groups(ctx, page);
	if (page->grouped) {
		timeline_gather_groups(ctx, page, table);
		return;
	}
	for (uint32_t i = 0; i < page->lanes.nr; i++)
		timeline_add(table, lane_row_id(ctx, &page->lanes.items[i]), ROW_LANE, i);
}

/* Return the lane of a row; NULL if the row is not one of a process or thread. */
static const struct lane *lane_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct timeline_page *page = ctx->view->private;

	return row && row->kind == ROW_LANE && row->ref < page->lanes.nr
		       ? &page->lanes.items[row->ref]
		       : NULL;
}

/* Return the group of a row; NULL if the row is not one of a command. */
static const struct lane_group *lane_group_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct timeline_page *page = ctx->view->private;

	return row && row->kind == ROW_GROUP && row->ref < page->groups.nr
		       ? &page->groups.items[row->ref]
		       : NULL;
}

/* True if the lane is a run of an open group. */
static bool is_run_of_group(const struct view_ctx *ctx, const struct row *row)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *lane = lane_of(ctx, row);

	return page->grouped && lane &&
	       marks_has(&page->opened, 0,
			 commands_group(ctx->model, model_slot(ctx->model, lane->slot),
					COMMANDS_BY_NAME));
}

/* ---- drawing rows ---- */

static enum glyph shade(int64_t nesting)
{
	return nesting <= 1   ? GLYPH_SHADE_1
	       : nesting == 2 ? GLYPH_SHADE_2
	       : nesting == 3 ? GLYPH_SHADE_3
			      : GLYPH_BAR_8;
}

/* Return the style of a bar with a row in leaves.def; `otherwise` for all other bars. */
static enum style leaf_style(const struct view_ctx *ctx, const char *format, sym_t category,
			     enum style otherwise)
{
	static const struct leaf {
		const char *format, *category;
		enum style style;
	} leaves[] = {
#define LEAF(format, category, style) { format, category, STYLE_##style },
#include "views/page/leaves.def"
	};
	const char *timeline_text;
	size_t len;

	if (!format || category == SYM_NONE)
		return otherwise;
	timeline_text = model_sym(ctx->model, category, &len);
	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		if (!strcmp(leaves[i].format, format) && strlen(leaves[i].category) == len &&
		    !memcmp(leaves[i].category, timeline_text, len))
			return leaves[i].style;
	return otherwise;
}

struct bar {
	ns_t start, end;
	sym_t category, label;
	int64_t nesting;
	enum style style;
};

static void timeline_draw_bar(const struct view_ctx *ctx, const struct slot *slot,
			      const struct bar *bar)
{
	const struct timeline_page *page = ctx->view->private;
	int from = window_cell(&page->window, bar->start, slot->cols);
	int to = window_cell(&page->window, bar->end, slot->cols), x, cells;

	if (is_beyond_nesting(ctx, bar->nesting) || from >= slot->cols || to < 0)
		return;
	x = from < 0 ? 0 : from;
	cells = (to <= x ? x + 1 : to) - x;
	surface_glyphs(slot->surface, slot->x + x, slot->y, cells, bar->style, shade(bar->nesting));
	if (from >= 0 && cells > 1)
		surface_glyph(slot->surface, slot->x + x, slot->y, bar->style, GLYPH_VLINE);
	if (cells < LABEL_CELLS)
		return;
	struct tr2_buf *line = format_line();

	/* Append the usual label of a region, or if that is too long, the part that differs from
	 * its neighbours. */
	format_region(ctx->model, bar->category, bar->label, line);
	if (surface_text_cells(tr2_buf_cstr(line), line->len, false) >= cells) {
		line = format_line();
		format_symbol(ctx->model, bar->label == SYM_NONE ? bar->category : bar->label,
			      line);
	}
	surface_text(slot->surface, slot->x + x + 1, slot->y, cells - 1, bar->style,
		     tr2_buf_cstr(line), line->len);
}

/* Return the last time to draw: while looking back, later events have not happened yet. */
static ns_t latest(const struct view_ctx *ctx)
{
	return ctx->in->past ? ctx->what.now : INT64_MAX;
}

static void draw_regions(const struct view_ctx *ctx, const struct lane *lane,
			 const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct process *process = model_slot(ctx->model, lane->slot);
	ns_t till = latest(ctx), right = page->window.from + page->window.width;
	const struct track *track = lanes_track(&page->lanes, ctx->model, lane);

	if (lane->thread == SLOT_NONE)
		return;
	const struct thread *thread = process_thread(ctx->model, process, lane->thread);
	const char *format =
		process->format == SYM_NONE ? NULL : format_of(ctx->model, process)->word;

	for (uint32_t i = 0; i < thread->open.nr; i++) {
		const struct open_region *open = thread_open(ctx->model, thread, i);
		ns_t start = open->time == NS_NONE ? open->arrival : open->time;

		if (start != NS_NONE)
			timeline_draw_bar(
				ctx, slot,
				&(struct bar){ start, lane->end, open->category, open->label,
					       open->nesting,
					       leaf_style(ctx, format, open->category,
							  lane->live ? STYLE_LIVE : STYLE_STALE) });
	}
	for (uint32_t i = track ? track->nr : 0; i-- > 0;) {
		const struct span *span = &track->items[i];
		enum style style = duration_style(span->end - span->start) == STYLE_SLOW
					   ? STYLE_SLOW
					   : STYLE_BAR;

		if (span->end <= till && span->end >= page->window.from && span->start <= right)
			timeline_draw_bar(
				ctx, slot,
				&(struct bar){ span->start, span->end, span->category, span->label,
					       span->nesting,
					       leaf_style(ctx, format, span->category, style) });
	}
}

static bool timeline_is_blank(const struct slot *slot, int cell)
{
	const struct cell *is = held_cell(slot, cell);

	return is && is->ch[0] == ' ';
}

/* Draw lines from parents down to children, on free cells; a corner at each child. */
static void draw_links(const struct view_ctx *ctx, uint32_t nr, const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *lane = &page->lanes.items[nr];

	for (uint32_t i = nr + 1; i < page->lanes.nr; i++) {
		const struct lane *below = &page->lanes.items[i];
		int cell = below->parent < nr ? window_cell(&page->window, below->link, slot->cols)
					      : -1;

		if (cell >= 0 && cell < slot->cols && timeline_is_blank(slot, cell))
			surface_glyph(slot->surface, slot->x + cell, slot->y, STYLE_TREE,
				      GLYPH_BRANCH_PASS);
		if (!below->level)
			break; /* the next lane belongs to another tree */
	}
	if (lane->parent == LANE_NONE || lane->link == NS_NONE)
		return;
	int from = window_cell(&page->window, lane->link, slot->cols);
	int to = window_cell(&page->window, lane->start, slot->cols);

	if (from < 0 || from >= slot->cols || from > to)
		return;
	if (from < to || timeline_is_blank(slot, from))
		surface_glyph(slot->surface, slot->x + from, slot->y, STYLE_TREE,
			      GLYPH_BRANCH_LAST);
	for (int x = from + 1; x < to && x < slot->cols; x++)
		surface_glyph(slot->surface, slot->x + x, slot->y, STYLE_TREE,
			      x == to - 1 ? GLYPH_DRILL : GLYPH_BRANCH_LINE);
}

/* Mark the starts of children, also of those that are not traced. */
static void draw_starts(const struct view_ctx *ctx, const struct lane *lane,
			const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct process *process = model_slot(ctx->model, lane->slot);

	for (uint32_t i = 0; lane->first && i < process->children.nr; i++) {
		const struct child *child = process_child(ctx->model, process, i);
		int cell = -1;

		if (child->start != NS_NONE)
			cell = window_cell(&page->window, child->start, slot->cols);

		if (cell >= 0 && cell < slot->cols)
			surface_glyph(slot->surface, slot->x + cell, slot->y, STYLE_TITLE,
				      GLYPH_DOWN);
	}
}

/* Draw the sign at the end of a lane: live, failed, unknown, or just ended. */
static void draw_end(const struct lane *lane, const struct slot *slot, int cell)
{
	if (lane->live)
		surface_glyph(slot->surface, slot->x + cell, slot->y, STYLE_LIVE, GLYPH_LIVE);
	else if (lane->failed && lane->first)
		surface_glyph(slot->surface, slot->x + cell, slot->y, STYLE_FAILED, GLYPH_FAILED);
	else if (lane->stale)
		surface_glyph(slot->surface, slot->x + cell, slot->y, STYLE_STALE, GLYPH_STALE);
}

static void draw_lane(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct timeline_page *page = ctx->view->private;
	const struct lane *lane = lane_of(ctx, row);
	int from, to = -1;

	if (lane->start != NS_NONE) {
		from = window_cell(&page->window, lane->start, slot->cols);
		to = window_cell(&page->window, lane->end, slot->cols);
		from = from < 0 ? 0 : from;
		to = to >= slot->cols ? slot->cols - 1 : to;
		if (to >= from)
			surface_glyphs(slot->surface, slot->x + from, slot->y, to - from + 1,
				       lane->live ? STYLE_LIVE : STYLE_DIM, GLYPH_HLINE);
		draw_regions(ctx, lane, slot);
		if (lane->first)
			held_draw(&page->held, lane->slot, &page->window, slot, from, to);
	}
	draw_starts(ctx, lane, slot);
	if (lane->start != NS_NONE && to >= 0 &&
	    lane->end <= page->window.from + page->window.width)
		draw_end(lane, slot, to);
	if (!page->grouped)
		draw_links(ctx, row->ref, slot);
	ctx->view->ticks |= lane->live;
}

static void timeline_draw_bars(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct timeline_page *page = ctx->view->private;
	struct density density = density_of(ctx);
	int cursor;

	page->x = slot->x;
	page->cols = slot->cols;
	switch ((enum timeline_kind)row->kind) {
	case ROW_LANE:
		draw_lane(ctx, row, slot);
		break;
	case ROW_GROUP:
		density_draw_group(&density, lane_group_of(ctx, row), slot);
		break;
	case ROW_AT_ONCE:
		density_draw_at_once(&density, slot);
		break;
	case ROW_FAILED:
		density_draw_failed(&density, slot);
		break;
	}
	cursor = slot->x + window_cursor_cell(&page->window, slot->cols);
	surface_overlay(slot->surface, (struct rect){ cursor, slot->y, 1, 1 }, STYLE_CHOSEN);
	ctx->view->ticks |= page->lanes.live || page->lanes.read < 100;
}

/* Append the label of a lane: a process with its pid, or a thread of it. */
static void format_lane(const struct view_ctx *ctx, const struct lane *lane, struct tr2_buf *out)
{
	const struct process *process = model_slot(ctx->model, lane->slot);
	sym_t thread =
		lane->first ? SYM_NONE : process_thread(ctx->model, process, lane->thread)->name;

	if (!lane->first && thread == SYM_NONE) {
		tr2_buf_addstr(out, "(no name)");
	} else if (!lane->first) {
		format_symbol(ctx->model, thread, out);
	} else {
		format_command_name(ctx->model, process, out);
		if (process->pid != NUM_NONE)
			tr2_buf_addf(out, " %" PRId64, process->pid);
	}
}

/* Append the name of a group's command. */
static void format_group(const struct view_ctx *ctx, const struct lane_group *group,
			 struct tr2_buf *out)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *run = &page->lanes.items[page->groups.runs[group->first]];

	commands_format_group(ctx->model, model_slot(ctx->model, run->slot), COMMANDS_BY_NAME, out);
}

static void timeline_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	if (lane_of(ctx, row))
		format_lane(ctx, lane_of(ctx, row), out);
	else if (lane_group_of(ctx, row))
		format_group(ctx, lane_group_of(ctx, row), out);
}

/* Draw the name of a row that is not a process or thread. */
static void draw_group_name(const struct view_ctx *ctx, const struct row *row,
			    const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	if (row->kind != ROW_GROUP) {
		slot_text(slot, STYLE_DIM, row->kind == ROW_AT_ONCE ? "running at once" : "failed",
			  SIZE_MAX);
		return;
	}
	format_group(ctx, lane_group_of(ctx, row), line);
	slot_text(slot, STYLE_NAME, tr2_buf_cstr(line), line->len);
}

static void timeline_draw_name(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *lane = lane_of(ctx, row);
	struct tr2_buf *line;
	struct slot rest;
	int indent;

	if (!lane) {
		draw_group_name(ctx, row, slot);
		return;
	}
	indent = page->grouped     ? is_run_of_group(ctx, row) * RUN_INDENT
		 : lane->level < 8 ? lane->level * 2
				   : 16;
	rest = slot_rest(slot, indent + 2 * !lane->first);
	if (!page->grouped && lane->level && lane->first)
		surface_glyph(slot->surface, slot->x + indent - 2, slot->y, STYLE_TREE,
			      GLYPH_BRANCH_LAST);
	line = format_line();
	format_lane(ctx, lane, line);
	slot_text(&rest,
		  lane->live    ? STYLE_LIVE
		  : lane->first ? STYLE_NAME
				: STYLE_TEXT,
		  tr2_buf_cstr(line), line->len);
}

static void timeline_draw_runs(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane_group *group = lane_group_of(ctx, row);
	struct density density = density_of(ctx);

	if (group)
		slot_count(slot, STYLE_TEXT, group->nr);
	else if (row->kind == ROW_AT_ONCE)
		slot_count(slot, STYLE_DIM, density_at_once(&density, page->cols));
	else if (row->kind == ROW_FAILED)
		slot_count(slot, STYLE_DIM, density_failed(&density));
}

static void timeline_draw_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct lane *lane = lane_of(ctx, row);

	if (lane && lane->start != NS_NONE)
		slot_duration(slot, lane->live ? STYLE_LIVE : STYLE_TEXT, lane->end - lane->start);
}

static const struct column columns[] = {
	{ .title = "PROCESS / THREAD",
	  .min_cells = 12,
	  .grow = 2,
	  .no_sort = true,
	  .draw = timeline_draw_name },
	{ .title = "RUNS",
	  .min_cells = 4,
	  .rank = 2,
	  .right = true,
	  .no_sort = true,
	  .draw = timeline_draw_runs },
	{ .title = "TIME",
	  .min_cells = 7,
	  .rank = 1,
	  .right = true,
	  .no_sort = true,
	  .draw = timeline_draw_time },
	{ .title = "OVER TIME",
	  .min_cells = 14,
	  .grow = 5,
	  .fills = FILLS_ALL,
	  .no_sort = true,
	  .draw = timeline_draw_bars },
};

static void timeline_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct timeline_page *page = ctx->view->private;

	if (page->all && page->grouped) {
		tr2_buf_addf(out, " · all %" PRIu32 " processes", page->nr_processes);
	} else if (page->all) {
		tr2_buf_addstr(out, " · all processes");
	} else if (page->lanes.nr) {
		const struct process *root = model_slot(ctx->model, page->lanes.items[0].slot);

		tr2_buf_addstr(out, " · tree of ");
		format_process(ctx->model, root, out);
		if (root->pid != NUM_NONE)
			tr2_buf_addf(out, " %" PRId64, root->pid);
	}
	if (page->grouped && !page->all)
		tr2_buf_addf(out, " · %" PRIu32 " processes", page->nr_processes);
	if (page->lanes.nr) {
		format_title_date(page->window.first, ctx, out);
		tr2_buf_addstr(out, " · ");
		format_duration(page->window.width, out);
		tr2_buf_addstr(out, page->window.zoomed ? " of " : "");
		if (page->window.zoomed)
			format_duration(page->window.edge - page->window.first, out);
		if (page->grouped && page->cols > 0)
			tr2_buf_addf(out, " · %s per column",
				     human_duration(page->window.width / page->cols).text);
	}
	if (page->lanes.read < 100)
		tr2_buf_addf(out, " · reading %d%%", page->lanes.read);
	if (page->lanes.spans.nr_old)
		tr2_buf_addf(out, " · only the newest %" PRIu32 " regions", page->lanes.spans.nr);
	if (page->lanes.spans.nr_timeless)
		tr2_buf_addf(out, " · %" PRIu64 " regions without times",
			     page->lanes.spans.nr_timeless);
}

/* ---- drawing the foot: axis, cursor, and the region at the cursor ---- */

static int timeline_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct timeline_page *page = ctx->view->private;

	int free = rows - 1 - (int)ctx->view->table.nr_rows;
	int least = !page->lanes.nr || rows < 4 ? 0 : rows < 10 ? 2 : FOOT_ROWS;

	/* Use all free rows, so that the axis follows the lanes. */
	return page->grouped && free > least ? free : least;
}

/* Append a time of day with microseconds. */
static void format_exactly(ns_t time, struct tr2_buf *out)
{
	format_time(time, false, out);
	if (time >= 0)
		tr2_buf_addf(out, ".%06d", (int)(time % NS_PER_SEC / NS_PER_US));
}

/* Draw a mark on the axis, with its label if there is space. */
static void draw_mark(const struct timeline_page *page, struct surface *surface, int x, int y,
		      int room, const char *timeline_text)
{
	int cells = surface_text_cells(timeline_text, SIZE_MAX, surface->ascii);

	surface_glyph(surface, page->x + x, y, STYLE_DIM, GLYPH_VLINE);
	if (cells < room)
		surface_text(surface, page->x + x + 1, y, room - 1, STYLE_DIM, timeline_text,
			     SIZE_MAX);
}

/*
 * Draw the axis with round times since the beginning. If the window is so narrow that these would
 * look the same, draw the time of day of its left end, and round times since then.
 */
static void draw_axis(const struct view_ctx *ctx, struct surface *surface, int y)
{
	const struct timeline_page *page = ctx->view->private;
	const struct time_window *w = &page->window;
	int least = page->cols >= 60 ? 12 : 10;
	ns_t begun = w->from - w->first, step, zero;
	bool narrow = w->width / page->cols < begun / 10000 && page->cols >= 3 * least;
	char mark[HUMAN_BYTES + 1];

	step = human_step((ns_t)((double)w->width / page->cols * least));
	zero = narrow ? w->from : w->first;
	if (narrow) {
		struct tr2_buf *line = format_line();

		format_exactly(w->from, line);
		draw_mark(page, surface, 0, y, 2 * least, tr2_buf_cstr(line));
	}
	/* This ends: human_step() limits the number of marks. */
	for (ns_t at = narrow ? 0 : (begun + step - 1) / step * step;; at += step) {
		int x = window_cell(w, zero + at, page->cols), room = page->cols - x;

		if (x < 0 || x >= page->cols)
			break;
		if (narrow && x < 2 * least)
			continue;
		snprintf(mark, sizeof(mark), "+%s", human_mark(at).text);
		draw_mark(page, surface, x, y, room < least ? room : least, mark);
	}
	surface_glyph(surface, page->x + window_cursor_cell(w, page->cols), y, STYLE_FOCUS,
		      GLYPH_UP);
}

/* True if the bar `bar` is inside the bar `best`. */
static bool is_inner(const struct bar *bar, const struct bar *best)
{
	return best->start == NS_NONE || bar->nesting > best->nesting ||
	       (bar->nesting == best->nesting && bar->end - bar->start > best->end - best->start);
}

/* Find the innermost region of a lane at the cursor's cell. Returns false if there is none. */
static bool region_at_cursor(const struct view_ctx *ctx, const struct lane *lane, struct bar *best)
{
	const struct timeline_page *page = ctx->view->private;
	int cols = page->cols > 0 ? page->cols : 1, cell = window_cursor_cell(&page->window, cols);
	const struct track *track = lanes_track(&page->lanes, ctx->model, lane);
	ns_t till = latest(ctx);

	best->start = NS_NONE;
	if (lane->thread == SLOT_NONE)
		return false;
	const struct thread *thread =
		process_thread(ctx->model, model_slot(ctx->model, lane->slot), lane->thread);

	for (uint32_t i = 0; i < thread->open.nr; i++) {
		const struct open_region *open = thread_open(ctx->model, thread, i);
		struct bar bar = { open->time,  lane->end,     open->category,
				   open->label, open->nesting, STYLE_LIVE };

		if (open->time != NS_NONE && !is_beyond_nesting(ctx, bar.nesting) &&
		    window_cell(&page->window, bar.start, cols) <= cell && is_inner(&bar, best))
			*best = bar;
	}
	for (uint32_t i = 0; track && i < track->nr; i++) {
		const struct span *span = &track->items[i];
		struct bar bar = { span->start, span->end,     span->category,
				   span->label, span->nesting, STYLE_TEXT };

		if (span->end <= till && !is_beyond_nesting(ctx, bar.nesting) &&
		    window_cell(&page->window, bar.start, cols) <= cell &&
		    window_cell(&page->window, bar.end, cols) >= cell && is_inner(&bar, best))
			*best = bar;
	}
	return best->start != NS_NONE;
}

static void draw_region_line(const struct view_ctx *ctx, const struct lane *lane,
			     struct surface *surface, struct rect area)
{
	const struct timeline_page *page = ctx->view->private;
	struct tr2_buf *line = format_line();
	struct bar bar;

	if (!region_at_cursor(ctx, lane, &bar)) {
		tr2_buf_addstr(line, page->lanes.spans.nr_timeless
					     ? "no regions with times: brief traces have none; the "
					       "flame (F) shows them"
					     : "outside any region");
	} else {
		format_region(ctx->model, bar.category, bar.label, line);
		tr2_buf_addstr(line, " · ");
		format_duration(bar.end - bar.start, line);
		tr2_buf_addstr(line, bar.style == STYLE_LIVE ? " and open · " : " · ");
		format_exactly(bar.start, line);
		tr2_buf_addstr(line, " to ");
		format_exactly(bar.end, line);
	}
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_TITLE, tr2_buf_cstr(line),
		     line->len);
}

/* Return the region that took at least half of the run, the innermost one; NULL if there is none. */
static const struct span *main_region(const struct view_ctx *ctx, const struct lane *lane)
{
	const struct timeline_page *page = ctx->view->private;
	const struct track *track = lanes_track(&page->lanes, ctx->model, lane);
	const struct span *best = NULL;

	for (uint32_t i = 0; track && i < track->nr; i++) {
		const struct span *span = &track->items[i];

		if (span->end <= latest(ctx) &&
		    span->end - span->start >= (lane->end - lane->start) / 2 &&
		    !is_beyond_nesting(ctx, span->nesting) &&
		    (!best || span->nesting > best->nesting))
			best = span;
	}
	return best;
}

/* Append what is known of a run: its start, command, duration, state and main region. */
static void format_lane_run(const struct view_ctx *ctx, const struct lane *lane,
			    struct tr2_buf *out)
{
	const struct process *process = model_slot(ctx->model, lane->slot);
	const struct span *region = main_region(ctx, lane);
	char state[64];

	format_time(lane->start, true, out);
	tr2_buf_addstr(out, " · ");
	format_lane(ctx, lane, out);
	tr2_buf_addstr(out, " · ");
	format_duration(lane->end - lane->start, out);
	process_state_text(process, state, sizeof(state));
	tr2_buf_addf(out, " · %s", state);
	if (!region)
		return;
	tr2_buf_addstr(out, " · ");
	format_region(ctx->model, region->category, region->label, out);
	tr2_buf_addch(out, ' ');
	format_duration(region->end - region->start, out);
}

/* Return the cursor's time; if that is out of sight, the edge at which the cursor is drawn. */
static ns_t cursor_in_sight(const struct time_window *window)
{
	ns_t cursor = window_cursor(window), end = window->from + window->width;

	return cursor < window->from ? window->from : cursor > end ? end : cursor;
}

/* Draw the run under the cursor in the selected lane. */
static void draw_run_line(const struct view_ctx *ctx, struct surface *surface, struct rect line)
{
	const struct timeline_page *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);
	const struct lane_group *group = lane_group_of(ctx, row);
	struct density density = density_of(ctx);
	struct tr2_buf *text = format_line();
	uint32_t run = LANE_NONE;

	if (lane_of(ctx, row))
		run = row->ref;
	else if (group && page->cols > 0)
		run = density_run_at(&density, group, window_cursor_cell(&page->window, page->cols),
				     page->cols);
	if (group && run == LANE_NONE && page->window.cursor == NS_NONE)
		run = page->groups.runs[group->first]; /* the newest one */
	if (run != LANE_NONE && page->lanes.items[run].start != NS_NONE) {
		format_lane_run(ctx, &page->lanes.items[run], text);
	} else {
		format_time(cursor_in_sight(&page->window), true, text);
		tr2_buf_addstr(text, " · no run of ");
		if (group)
			format_group(ctx, group, text);
		tr2_buf_addstr(text, " here: Left and Right move the cursor");
	}
	surface_text(surface, line.x + 1, line.y, line.cols - 2, STYLE_TITLE, tr2_buf_cstr(text),
		     text->len);
}

/* Collect the longest runs of a group in sight, the longest first. Returns their number. */
static uint32_t longest_runs(const struct view_ctx *ctx, const struct lane_group *group,
			     uint32_t runs[MAX_LISTED_RUNS])
{
	const struct timeline_page *page = ctx->view->private;
	struct density density = density_of(ctx);
	uint32_t nr = 0;

	for (uint32_t i = 0; i < group->nr; i++) {
		uint32_t run = page->groups.runs[group->first + i], at = nr;
		const struct lane *lane = &page->lanes.items[run];

		if (!density_in_sight(&density, lane))
			continue;
		while (at &&
		       page->lanes.items[runs[at - 1]].end - page->lanes.items[runs[at - 1]].start <
			       lane->end - lane->start)
			at--;
		if (at == MAX_LISTED_RUNS)
			continue;
		nr += nr < MAX_LISTED_RUNS;
		memmove(runs + at + 1, runs + at, (nr - 1 - at) * sizeof(*runs));
		runs[at] = run;
	}
	return nr;
}

static void draw_listed_run(const struct view_ctx *ctx, const struct lane *lane,
			    struct surface *surface, struct rect line)
{
	const struct process *process = model_slot(ctx->model, lane->slot);
	struct slot slot = {
		.surface = surface, .x = line.x + 1, .y = line.y, .cols = 8, .right = true
	};
	struct tr2_buf *text = format_line();
	size_t name_len = 0;
	enum style style;
	char state[64];

	slot_duration(&slot, lane->live ? STYLE_LIVE : duration_style(lane->end - lane->start),
		      lane->end - lane->start);
	slot.x += 9;
	slot.right = false;
	format_time(lane->start, false, text);
	slot_text(&slot, STYLE_DIM, tr2_buf_cstr(text), text->len);
	slot.x += 10;
	slot.cols = 10;
	style = process_state_text(process, state, sizeof(state));
	slot_text(&slot, style, state, SIZE_MAX);
	slot.x += 11;
	slot.cols = line.x + line.cols - 1 - slot.x;
	text = format_line();
	format_command(ctx->model, process, text, &name_len);
	slot_command(&slot, STYLE_TEXT, tr2_buf_cstr(text), text->len, name_len);
}

/* List the longest runs of the selected lane. */
static void draw_longest_runs(const struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane_group *group = lane_group_of(ctx, table_selected(&ctx->view->table));
	struct tr2_buf *line = format_line();
	uint32_t runs[MAX_LISTED_RUNS], nr;

	if (!group || area.rows < 2)
		return;
	nr = longest_runs(ctx, group, runs);
	tr2_buf_addstr(line, "Longest runs of ");
	format_group(ctx, group, line);
	tr2_buf_addstr(line, "; Enter shows each on its own row");
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_TITLE, tr2_buf_cstr(line),
		     line->len);
	for (int i = 0; i < (int)nr && i + 1 < area.rows; i++)
		draw_listed_run(ctx, &page->lanes.items[runs[i]], surface,
				(struct rect){ area.x, area.y + 1 + i, area.cols, 1 });
}

static void draw_groups_foot(const struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct timeline_page *page = ctx->view->private;

	if (page->cols > 0) {
		time_axis_draw(surface, page->x, area.y, page->cols, page->cols, page->window.from,
			       page->window.from + page->window.width);
		surface_glyph(surface, page->x + window_cursor_cell(&page->window, page->cols),
			      area.y, STYLE_FOCUS, GLYPH_UP);
	}
	if (area.rows > 2)
		density_draw_legend(surface,
				    (struct rect){ area.x + 1, area.y + 1, area.cols - 2, 1 });
	draw_run_line(ctx, surface,
		      (struct rect){ area.x, area.y + (area.rows > 2 ? 2 : 1), area.cols, 1 });
	draw_longest_runs(ctx, surface,
			  (struct rect){ area.x, area.y + 4, area.cols, area.rows - 4 });
}

static void timeline_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct timeline_page *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);

	if (page->grouped) {
		draw_groups_foot(ctx, surface, area);
		return;
	}
	if (page->cols > 0)
		draw_axis(ctx, surface, area.y);
	struct tr2_buf *line = format_line();

	format_exactly(window_cursor(&page->window), line);
	tr2_buf_addstr(line, " · +");
	format_duration(window_cursor(&page->window) - page->window.first, line);
	if (page->window.cursor == NS_NONE)
		tr2_buf_addstr(line, page->lanes.live ? " · live" : " · the end");
	tr2_buf_addf(line, " · in sight +%s",
		     human_duration(page->window.from - page->window.first).text);
	tr2_buf_addf(
		line, " to +%s",
		human_duration(page->window.from - page->window.first + page->window.width).text);
	surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_TITLE,
		     tr2_buf_cstr(line), line->len);
	if (area.rows < 3)
		return;
	if (lane_of(ctx, row))
		draw_region_line(ctx, lane_of(ctx, row), surface,
				 (struct rect){ area.x, area.y + 2, area.cols, 1 });
}

static const char *timeline_empty(const struct view_ctx *ctx)
{
	const struct timeline_page *page = ctx->view->private;

	if (!page->all && !ctx->process)
		return "the process was evicted\npress a to show all processes";
	if (model_nr_processes(ctx->model))
		return "all processes are outside the depth limit\npress d to change it";
	return "nothing has been traced yet\npress o to show the state of the sources";
}

/* ---- handling keys and the mouse ---- */

static void change_scope(const struct view_ctx *ctx, struct timeline_page *page)
{
	struct subject *subject = &ctx->view->subject;

	if (subject->process.slot == SLOT_NONE)
		subject->process = ctx->selected;
	page->all = !page->all || subject->process.slot == SLOT_NONE;
	window_reset(&page->window);
}

/* Open or close the selected lane of a command; a run under the cursor is then selected. Returns
 * false if another row is selected. */
static bool open_group(const struct view_ctx *ctx, struct timeline_page *page)
{
	const struct lane_group *group = lane_group_of(ctx, table_selected(&ctx->view->table));
	struct density density = density_of(ctx);
	uint32_t run = LANE_NONE;

	if (!group)
		return false;
	marks_toggle(&page->opened, 0, group->id);
	if (page->window.cursor != NS_NONE && marks_has(&page->opened, 0, group->id))
		run = density_run_at(&density, group, window_cursor_cell(&page->window, page->cols),
				     page->cols);
	if (run != LANE_NONE)
		table_select(&ctx->view->table, lane_row_id(ctx, &page->lanes.items[run]));
	return true;
}

/* True if the action moves the cursor in time. */
static bool is_movement(enum action action)
{
	return action == ACTION_LEFT || action == ACTION_RIGHT || action == ACTION_SORT_LEFT ||
	       action == ACTION_SORT_RIGHT;
}

static bool timeline_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	struct timeline_page *page = ctx->view->private;
	bool is_empty = !page->window.has_whole || !page->lanes.nr;

	timeline_begin(ctx, page);
	if (key == '+' || key == '-')
		window_zoom(&page->window, key == '+' ? 0.5 : 2);
	else if (action == ACTION_SCOPE)
		change_scope(ctx, page);
	else if (action == ACTION_GROUP)
		page->grouping = page->grouped ? NOT_GROUPED : GROUPED;
	else if (action == ACTION_DRILL)
		return open_group(ctx, page);
	else if (is_movement(action) && is_empty)
		return true;
	else if (action == ACTION_LEFT || action == ACTION_RIGHT)
		window_move_cursor(&page->window, action == ACTION_LEFT ? -1 : 1, page->cols);
	else if (is_movement(action))
		window_pan(&page->window,
			   page->window.width / (action == ACTION_SORT_LEFT ? -2 : 2));
	else if (action == ACTION_FOLLOW)
		window_follow(&page->window);
	else
		return false;
	return true;
}

/* Handle the mouse: a click sets the cursor and selects the row; dragging moves the window in
 * time. */
static bool timeline_mouse(struct view_ctx *ctx, const struct key_event *event)
{
	struct timeline_page *page = ctx->view->private;
	int cell = event->x - page->x;

	if (!page->window.has_whole || !page->lanes.nr || page->cols <= 0)
		return false;
	if (event->button == MOUSE_DRAG) {
		window_pan(&page->window, (ns_t)((double)page->window.width / page->cols *
						 (page->drag_x - event->x)));
		page->drag_x = event->x;
		return true;
	}
	page->drag_x = event->x;
	if (event->button == MOUSE_PRESS && cell >= 0 && cell < page->cols) {
		page->window.cursor = page->window.from + (ns_t)((double)page->window.width /
								 page->cols * (cell + 0.5));
		page->window.follow = false;
	}
	return false;
}

static enum view_id timeline_drill(const struct view_ctx *ctx, const struct row *row,
				   struct subject *subject)
{
	const struct lane_group *group = lane_group_of(ctx, row);
	const struct lane *lane = lane_of(ctx, row);
	struct bar bar;

	if (group) {
		subject->process = HANDLE_NONE;
		subject->group = group->id;
		subject->group_by = COMMANDS_BY_NAME;
		subject->has_group = true;
		return VIEW_COMMAND;
	}
	if (!lane)
		return NR_VIEWS;
	subject->process = model_handle(ctx->model, lane->slot);
	if (!region_at_cursor(ctx, lane, &bar))
		return VIEW_PROCESS;
	subject->category = bar.category;
	subject->label = bar.label;
	return VIEW_REGION;
}

static void timeline_release(void *private)
{
	struct timeline_page *page = private;

	lanes_release(&page->lanes);
	lane_groups_release(&page->groups);
	path_pieces_release(&page->held);
}

static bool timeline_events(const struct view_ctx *ctx, const struct row *row,
			    struct subject *subject, struct tr2_buf *filter)
{
	const struct lane_group *group = lane_group_of(ctx, row);
	const struct lane *lane = lane_of(ctx, row);
	struct tr2_buf name = { .max = SAY_MAX_BYTES };

	if (group) {
		subject->process = HANDLE_NONE;
		format_group(ctx, group, &name);
		format_term_text("name", tr2_buf_cstr(&name), name.len, filter);
		tr2_buf_release(&name);
		return true;
	}
	if (!lane)
		return false;
	subject->process = model_handle(ctx->model, lane->slot);
	if (!lane->first)
		format_term(
			ctx->model, "thread",
			process_thread(ctx->model, model_slot(ctx->model, lane->slot), lane->thread)
				->name,
			filter);
	return true;
}

const struct view_ops page_timeline = {
	.name = "Timeline",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct timeline_page),
	.title = timeline_title,
	.gather = timeline_gather,
	.foot_rows = timeline_foot_rows,
	.foot = timeline_foot,
	.empty = timeline_empty,
	.drill = timeline_drill,
	.events = timeline_events,
	.act = timeline_act,
	.mouse = timeline_mouse,
	.filter_rows = FILTER_ROWS_PROCESS,
	.text = timeline_text,
	.release = timeline_release,
};
