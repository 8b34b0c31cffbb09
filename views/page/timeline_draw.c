/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/page/timeline_draw.h"

#include <stdio.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/base/humanize.h"
#include "views/ui/view_text.h"

#define LABEL_CELLS     5 /* bars with fewer cells show no name */
#define MAX_LISTED_RUNS 16

static enum glyph shade(int64_t nesting)
{
	return nesting <= 1   ? GLYPH_SHADE_1
	       : nesting == 2 ? GLYPH_SHADE_2
	       : nesting == 3 ? GLYPH_SHADE_3
			      : GLYPH_BAR_8;
}

/* Return the style that leaves.def has for a bar; `otherwise` if it has none. */
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
	const char *name;
	size_t len;

	if (!format || category == SYM_NONE)
		return otherwise;
	name = model_sym(ctx->model, category, &len);
	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		if (!strcmp(leaves[i].format, format) && strlen(leaves[i].category) == len &&
		    !memcmp(leaves[i].category, name, len))
			return leaves[i].style;
	return otherwise;
}

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

	/* If category and label of a region do not fit, draw only the label. */
	format_region(ctx->model, bar->category, bar->label, line);
	if (surface_text_cells(tr2_buf_cstr(line), line->len, false) >= cells) {
		line = format_line();
		format_symbol(ctx->model, bar->label == SYM_NONE ? bar->category : bar->label,
			      line);
	}
	surface_text(slot->surface, slot->x + x + 1, slot->y, cells - 1, bar->style,
		     tr2_buf_cstr(line), line->len);
}

/* Return the latest end of completed regions to show: while looking back, the shown time; else no
 * limit. */
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

/* Draw the links in the row of lane `nr`: vertical lines from parents in earlier rows to children
 * in later rows, and a line to the lane's own start. */
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
			break; /* the lane below is the root of another tree of processes */
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
	const struct lane *lane = timeline_lane_of(ctx, row);
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

void timeline_draw_bars(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct timeline_page *page = ctx->view->private;
	struct density density = timeline_density_of(ctx);
	int cursor;

	page->x = slot->x;
	page->cols = slot->cols;
	switch ((enum timeline_kind)row->kind) {
	case ROW_LANE:
		draw_lane(ctx, row, slot);
		break;
	case ROW_GROUP:
		density_draw_group(&density, timeline_lane_group_of(ctx, row), slot);
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

int timeline_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct timeline_page *page = ctx->view->private;

	int free = rows - 1 - (int)ctx->view->table.nr_rows;
	int least = !page->lanes.nr || rows < 4 ? 0 : rows < 10 ? 2 : FOOT_ROWS;

	/* Use all free rows, so that the axis directly follows the lanes. */
	return least && free > least ? free : least;
}

static void format_exactly(ns_t time, struct tr2_buf *out)
{
	format_time(time, false, out);
	if (time >= 0)
		tr2_buf_addf(out, ".%06d", (int)(time % NS_PER_SEC / NS_PER_US));
}

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
 * Draw the axis with round times since the first lane began; if the visible part is too narrow for
 * that, the time of day of its left end, and round times since that end.
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
	/* The loop ends, because human_step() limits the number of marks. */
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

static bool is_inner(const struct bar *bar, const struct bar *best)
{
	return best->start == NS_NONE || bar->nesting > best->nesting ||
	       (bar->nesting == best->nesting && bar->end - bar->start > best->end - best->start);
}

bool timeline_region_at_cursor(const struct view_ctx *ctx, const struct lane *lane,
			       struct bar *best)
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

	if (!timeline_region_at_cursor(ctx, lane, &bar)) {
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

/* Return the innermost completed region, within the limit on nesting, that took at least half of
 * the run's time, or NULL. */
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

static void format_lane_run(const struct view_ctx *ctx, const struct lane *lane,
			    struct tr2_buf *out)
{
	const struct process *process = model_slot(ctx->model, lane->slot);
	const struct span *region = main_region(ctx, lane);
	char state[64];

	format_time(lane->start, true, out);
	tr2_buf_addstr(out, " · ");
	timeline_format_lane(ctx, lane, out);
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

static ns_t cursor_in_sight(const struct time_window *window)
{
	ns_t cursor = window_cursor(window), end = window->from + window->width;

	return cursor < window->from ? window->from : cursor > end ? end : cursor;
}

/* Draw a line about the run of the selected row; in the lane of a command, about the run at the
 * cursor. If no cursor is set, that is at the right end, and without a run there the line is about
 * the newest one. */
static void draw_run_line(const struct view_ctx *ctx, struct surface *surface, struct rect line)
{
	const struct timeline_page *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);
	const struct lane_group *group = timeline_lane_group_of(ctx, row);
	struct density density = timeline_density_of(ctx);
	struct tr2_buf *text = format_line();
	uint32_t run = LANE_NONE;

	if (timeline_lane_of(ctx, row))
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
			timeline_format_group(ctx, group, text);
		tr2_buf_addstr(text, " here: Left and Right move the cursor");
	}
	surface_text(surface, line.x + 1, line.y, line.cols - 2, STYLE_TITLE, tr2_buf_cstr(text),
		     text->len);
}

static uint32_t longest_runs(const struct view_ctx *ctx, const struct lane_group *group,
			     uint32_t runs[MAX_LISTED_RUNS])
{
	const struct timeline_page *page = ctx->view->private;
	struct density density = timeline_density_of(ctx);
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

static void draw_longest_runs(const struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane_group *group =
		timeline_lane_group_of(ctx, table_selected(&ctx->view->table));
	struct tr2_buf *line = format_line();
	uint32_t runs[MAX_LISTED_RUNS], nr;

	if (!group || area.rows < 2)
		return;
	nr = longest_runs(ctx, group, runs);
	tr2_buf_addstr(line, "Longest runs of ");
	timeline_format_group(ctx, group, line);
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

void timeline_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
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
	if (timeline_lane_of(ctx, row))
		draw_region_line(ctx, timeline_lane_of(ctx, row), surface,
				 (struct rect){ area.x, area.y + 2, area.cols, 1 });
}

const char *timeline_empty(const struct view_ctx *ctx)
{
	const struct timeline_page *page = ctx->view->private;

	if (!page->all && !ctx->process)
		return "the process was evicted\npress a to show all processes";
	if (model_nr_processes(ctx->model))
		return "all processes are outside the depth limit\npress d to change it";
	return "nothing has been traced yet\npress o to show the state of the sources";
}
