/* SPDX-License-Identifier: MIT */
/* Page of one kind of finding: its runs, the most costly first; below, details of the kind. */
#include "config.h"

#include "views/ui/finding_text.h"
#include "views/ui/process_columns.h"
#include "views/ui/view_text.h"

#include <string.h>

static uint8_t finding_of_page(const struct view_ctx *ctx)
{
	return (uint8_t)ctx->view->subject.group;
}

static const struct finding_run *row_finding_run(const struct view_ctx *ctx, const struct row *row)
{
	return &ctx->found->kinds.runs[row->ref2];
}

static void finding_gather(struct view_ctx *ctx, struct table *table)
{
	const struct finding_kinds *kinds = &ctx->found->kinds;
	const struct finding_kind *kind = finding_kinds_find(kinds, finding_of_page(ctx));
	ns_t newest = NS_NONE;

	ctx->view->working = ctx->found->begun;
	for (uint32_t i = 0; kind && i < kind->nr; i++) {
		const struct finding_run *run = &kinds->runs[kind->first + i];
		struct row *row;

		if (!model_process(ctx->model, run->root)) {
			table->nr_hidden++;
			continue;
		}
		row = table_add(table, run->root.sid_hash);
		row->ref = run->root.slot;
		row->ref2 = kind->first + i;
		row->key = longest_first(run->cost);
		if (run->start > newest) {
			newest = run->start;
			table->newest = row->id;
		}
	}
}

static int64_t finding_cost_number(const struct view_ctx *ctx, const struct row *row)
{
	return row_finding_run(ctx, row)->cost;
}

static void finding_draw_cost(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (row_finding_run(ctx, row)->cost)
		slot_duration(slot, STYLE_TEXT, row_finding_run(ctx, row)->cost);
}

static void finding_draw_run_share(struct view_ctx *ctx, const struct row *row,
				   const struct slot *slot)
{
	const struct finding_run *run = row_finding_run(ctx, row);

	finding_draw_share(slot, run->cost, run->wall);
}

static void finding_draw_run_start(struct view_ctx *ctx, const struct row *row,
				   const struct slot *slot)
{
	finding_draw_start(row_finding_run(ctx, row), slot);
}

static void finding_draw_run_command(struct view_ctx *ctx, const struct row *row,
				     const struct slot *slot)
{
	finding_draw_command(ctx, row_finding_run(ctx, row), slot);
}

static void finding_draw_evidence(struct view_ctx *ctx, const struct row *row,
				  const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	finding_format_evidence(ctx, row_finding_run(ctx, row), line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static const struct column columns[] = {
	{ .title = "COST",
	  .min_cells = 8,
	  .right = true,
	  .descending = true,
	  .number = finding_cost_number,
	  .draw = finding_draw_cost },
	{ .title = "SHARE",
	  .min_cells = PERCENT_CELLS,
	  .rank = 1,
	  .right = true,
	  .no_sort = true,
	  .draw = finding_draw_run_share },
	{ .title = "START",
	  .min_cells = 8,
	  .rank = 2,
	  .number = column_start,
	  .draw = finding_draw_run_start },
	{ .title = "COMMAND",
	  .min_cells = 24,
	  .grow = 2,
	  .text = column_command,
	  .draw = finding_draw_run_command },
	{ .title = "WORKTREE",
	  .min_cells = 16,
	  .grow = 1,
	  .rank = 4,
	  .text = column_worktree,
	  .draw = column_draw_worktree },
	{ .title = "EVIDENCE",
	  .min_cells = 20,
	  .grow = 2,
	  .rank = 3,
	  .no_sort = true,
	  .draw = finding_draw_evidence },
};

static void finding_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	tr2_buf_addf(out, " · %s", finding_rows[finding_of_page(ctx)].title);
}

static int finding_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct finding_kind *kind =
		finding_kinds_find(&ctx->found->kinds, finding_of_page(ctx));
	int wanted = kind ? finding_detail_rows(ctx, kind, ctx->width) + 1 : 0;

	return wanted <= rows / 2 ? wanted : 0;
}

static void finding_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct finding_kind *kind =
		finding_kinds_find(&ctx->found->kinds, finding_of_page(ctx));

	area.y++;
	area.rows--;
	if (kind)
		finding_draw_detail(ctx, kind, surface, area);
}

static const char *finding_empty(const struct view_ctx *ctx)
{
	return ctx->view->table.nr_hidden ? "its runs were evicted for newer ones"
					  : "there are no such findings now";
}

static enum view_id finding_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	subject->process = finding_run_process(ctx, row_finding_run(ctx, row));
	return VIEW_SUMMARY;
}

static int finding_finding(const struct view_ctx *ctx, const struct row *row)
{
	(void)row;
	return finding_of_page(ctx);
}

const struct view_ops page_finding = {
	.name = "Finding",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.title = finding_title,
	.private_bytes = sizeof(struct finding_detail),
	.gather = finding_gather,
	.foot_rows = finding_foot_rows,
	.foot = finding_foot,
	.empty = finding_empty,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = finding_drill,
	.finding = finding_finding,
	.release = finding_detail_release,
};
