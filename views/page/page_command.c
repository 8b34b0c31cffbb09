/* SPDX-License-Identifier: MIT */
/*
 * Page of one row of the command statistics, or of all commands: the kept processes, slowest first,
 * and the distribution of their durations.
 */
#include "config.h"

#include "views/ui/heat_draw.h"
#include "views/ui/process_columns.h"
#include "views/ui/view_text.h"
#include "views/ui/spread.h"

#include <string.h>

#include "monitor/analysis/commands.h"
#include "monitor/base/hist.h"

struct command_page {
	/* histogram of the durations of the ended processes in the rows */
	uint64_t sums[HIST_BUCKETS];
	uint64_t nr_timed;
	/* earliest and latest start of the processes in the rows, or NS_NONE */
	ns_t first, last;
};

static bool is_in_group(const struct view_ctx *ctx, uint32_t slot)
{
	const struct subject *subject = &ctx->view->subject;
	struct heat_point point;

	if (subject->has_box &&
	    (!heat_point_of(ctx->model, slot, &point) || !heat_bounds_have(&subject->box, &point)))
		return false;
	return !subject->has_group || commands_group(ctx->model, model_slot(ctx->model, slot),
						     subject->group_by) == subject->group;
}

static void count_duration(struct command_page *page, const struct process *process)
{
	ns_t elapsed = process_elapsed(process);

	if (process->state == STATE_RUNNING || elapsed == NS_NONE)
		return;
	page->sums[hist_bucket(elapsed)]++;
	page->nr_timed++;
}

static void command_gather(struct view_ctx *ctx, struct table *table)
{
	struct command_page *page = ctx->view->private;

	memset(page, 0, sizeof(*page));
	page->first = page->last = NS_NONE;
	for (uint32_t slot = model_first_slot(ctx->model); slot != SLOT_NONE;
	     slot = model_next_slot(ctx->model, slot)) {
		const struct process *process = model_slot(ctx->model, slot);
		struct row *row;

		if (!is_in_group(ctx, slot))
			continue;
		if ((ctx->what.limits.depth >= 0 && process->depth > ctx->what.limits.depth) ||
		    !filter_process(ctx->what.filter, ctx->model, slot)) {
			table->nr_hidden++;
			continue;
		}
		row = table_add(table, process->sid_hash);
		row->ref = slot;
		row->key = longest_first(process_time(process, ctx->what.now));
		if (process->start > page->last) {
			page->last = process->start;
			table->newest = row->id;
		}
		if (process->start != NS_NONE &&
		    (page->first == NS_NONE || process->start < page->first))
			page->first = process->start;
		count_duration(page, process);
	}
}

static void command_draw_start(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	if (column_start(ctx, row) == NS_NONE)
		return;
	format_time(column_start(ctx, row), true, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static void command_draw_command(struct view_ctx *ctx, const struct row *row,
				 const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	size_t name_len;

	format_command(ctx->model, row_process(ctx, row), line, &name_len);
	slot_command(slot, process_is_live(row_process(ctx, row)) ? STYLE_NAME : STYLE_TEXT,
		     tr2_buf_cstr(line), line->len, name_len);
}

static const struct column columns[] = {
	{ .title = "START",
	  .min_cells = 12,
	  .rank = 2,
	  .number = column_start,
	  .draw = command_draw_start },
	{ .title = "PID",
	  .min_cells = 7,
	  .rank = 1,
	  .right = true,
	  .number = column_pid,
	  .draw = column_draw_pid },
	{ .title = "AGENT",
	  .min_cells = 13,
	  .of_several = true,
	  .text = column_agent,
	  .draw = column_draw_agent },
	{ .title = "STATE", .min_cells = 8, .number = column_state, .draw = column_draw_state },
	{ .title = "TIME",
	  .former = "elapsed",
	  .min_cells = 8,
	  .right = true,
	  .descending = true,
	  .number = column_elapsed,
	  .draw = column_draw_elapsed },
	{ .title = "COMMAND",
	  .min_cells = 24,
	  .grow = 2,
	  .text = column_command,
	  .draw = command_draw_command },
	{ .title = "WORKTREE",
	  .min_cells = 16,
	  .grow = 1,
	  .rank = 3,
	  .text = column_worktree,
	  .draw = column_draw_worktree },
};

static void command_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct subject *subject = &ctx->view->subject;
	const struct table *table = &ctx->view->table;
	const struct command_page *page = ctx->view->private;

	if (table->nr_rows || !subject->has_group)
		tr2_buf_addstr(out, " · ");
	if (!subject->has_group)
		tr2_buf_addstr(out, "all commands");
	else if (table->nr_rows)
		commands_format_group(ctx->model, row_process(ctx, &table->rows[0]),
				      subject->group_by, out);
	if (page->first != NS_NONE)
		format_title_dates(page->first, page->last, ctx, out);
	if (subject->has_box) {
		tr2_buf_addstr(out, " · ");
		heat_format_bounds(&subject->box, out);
	}
}

static int command_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct command_page *page = ctx->view->private;

	return rows >= 6 && page->nr_timed ? 1 : 0;
}

static void command_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	draw_spread(surface, area, ((struct command_page *)ctx->view->private)->sums);
}

static const char *command_empty(const struct view_ctx *ctx)
{
	return ctx->view->table.nr_hidden ? "all its processes are outside the limits"
					  : "its processes were evicted for newer ones";
}

static enum view_id command_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	subject->process = model_handle(ctx->model, row->ref);
	return VIEW_PROCESS;
}

const struct view_ops page_command = {
	.name = "Command",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct command_page),
	.title = command_title,
	.gather = command_gather,
	.foot_rows = command_foot_rows,
	.foot = command_foot,
	.empty = command_empty,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = command_drill,
};
