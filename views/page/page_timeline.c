/* SPDX-License-Identifier: MIT */
/*
 * Page of the timeline: one row per thread, its regions as bars, inner ones over outer ones. Lines
 * lead from parents to the processes that they started. The cursor is an instant.
 *
 * By default, if there are more processes than rows, there is one lane per command instead
 * (density.h); for a tree, only if there are at most half as many lanes as processes. A command
 * with a single run is drawn as a process.
 */
#include "config.h"

#include "views/page/timeline_draw.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include "monitor/base/humanize.h"

#include <inttypes.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/commands.h"
#include "monitor/analysis/lane_groups.h"
#include "monitor/analysis/lanes.h"
#include "views/ui/density.h"

#define RUN_INDENT 3 /* indentation of the runs of an open lane, in cells */

static void timeline_begin(const struct view_ctx *ctx, struct timeline_page *page)
{
	if (page->begun)
		return;
	page->begun = true;
	page->all = ctx->view->subject.process.slot == SLOT_NONE;
	window_reset(&page->window);
}

struct density timeline_density_of(const struct view_ctx *ctx)
{
	const struct timeline_page *page = ctx->view->private;

	return (struct density){ .model = ctx->model,
				 .lanes = &page->lanes,
				 .groups = &page->groups,
				 .window = &page->window,
				 .has_evicted = page->all && !ctx->what.filter &&
						ctx->what.limits.depth < 0 };
}

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
	table->headings[0] = "COMMAND";
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

const struct lane *timeline_lane_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct timeline_page *page = ctx->view->private;

	return row && row->kind == ROW_LANE && row->ref < page->lanes.nr
		       ? &page->lanes.items[row->ref]
		       : NULL;
}

const struct lane_group *timeline_lane_group_of(const struct view_ctx *ctx, const struct row *row)
{
	const struct timeline_page *page = ctx->view->private;

	return row && row->kind == ROW_GROUP && row->ref < page->groups.nr
		       ? &page->groups.items[row->ref]
		       : NULL;
}

static bool is_run_of_group(const struct view_ctx *ctx, const struct row *row)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *lane = timeline_lane_of(ctx, row);

	return page->grouped && lane &&
	       marks_has(&page->opened, 0,
			 commands_group(ctx->model, model_slot(ctx->model, lane->slot),
					COMMANDS_BY_NAME));
}

void timeline_format_lane(const struct view_ctx *ctx, const struct lane *lane, struct tr2_buf *out)
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

void timeline_format_group(const struct view_ctx *ctx, const struct lane_group *group,
			   struct tr2_buf *out)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *run = &page->lanes.items[page->groups.runs[group->first]];

	commands_format_group(ctx->model, model_slot(ctx->model, run->slot), COMMANDS_BY_NAME, out);
}

static void timeline_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	if (timeline_lane_of(ctx, row))
		timeline_format_lane(ctx, timeline_lane_of(ctx, row), out);
	else if (timeline_lane_group_of(ctx, row))
		timeline_format_group(ctx, timeline_lane_group_of(ctx, row), out);
}

static void draw_group_name(const struct view_ctx *ctx, const struct row *row,
			    const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	if (row->kind != ROW_GROUP) {
		slot_text(slot, STYLE_DIM, row->kind == ROW_AT_ONCE ? "running at once" : "failed",
			  SIZE_MAX);
		return;
	}
	timeline_format_group(ctx, timeline_lane_group_of(ctx, row), line);
	slot_text(slot, STYLE_NAME, tr2_buf_cstr(line), line->len);
}

static void timeline_draw_name(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane *lane = timeline_lane_of(ctx, row);
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
	timeline_format_lane(ctx, lane, line);
	slot_text(&rest,
		  lane->live    ? STYLE_LIVE
		  : lane->first ? STYLE_NAME
				: STYLE_TEXT,
		  tr2_buf_cstr(line), line->len);
}

static void timeline_draw_runs(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct timeline_page *page = ctx->view->private;
	const struct lane_group *group = timeline_lane_group_of(ctx, row);
	struct density density = timeline_density_of(ctx);

	if (group)
		slot_count(slot, STYLE_TEXT, group->nr);
	else if (row->kind == ROW_AT_ONCE)
		slot_count(slot, STYLE_DIM, density_at_once(&density, page->cols));
	else if (row->kind == ROW_FAILED)
		slot_count(slot, STYLE_DIM, density_failed(&density));
}

static void timeline_draw_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct lane *lane = timeline_lane_of(ctx, row);

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

static void change_scope(const struct view_ctx *ctx, struct timeline_page *page)
{
	struct subject *subject = &ctx->view->subject;

	if (subject->process.slot == SLOT_NONE)
		subject->process = ctx->selected;
	page->all = !page->all || subject->process.slot == SLOT_NONE;
	window_reset(&page->window);
}

static bool open_group(const struct view_ctx *ctx, struct timeline_page *page)
{
	const struct lane_group *group =
		timeline_lane_group_of(ctx, table_selected(&ctx->view->table));
	struct density density = timeline_density_of(ctx);
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
	const struct lane_group *group = timeline_lane_group_of(ctx, row);
	const struct lane *lane = timeline_lane_of(ctx, row);
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
	if (!timeline_region_at_cursor(ctx, lane, &bar))
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
	const struct lane_group *group = timeline_lane_group_of(ctx, row);
	const struct lane *lane = timeline_lane_of(ctx, row);
	struct tr2_buf name = { .max = SAY_MAX_BYTES };

	if (group) {
		subject->process = HANDLE_NONE;
		timeline_format_group(ctx, group, &name);
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
