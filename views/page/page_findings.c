/* SPDX-License-Identifier: MIT */
/*
 * Page of findings: the results of rules, then one row per kind of finding; below, details of the
 * selected kind.
 */
#include "config.h"

#include "views/ui/finding_text.h"
#include "views/ui/rule_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <string.h>

/* ROW_EVIDENCE and ROW_ADVICE are for --lines only, which has no details below the table. */
enum findings_kind { ROW_RULE, ROW_KIND, ROW_EVIDENCE, ROW_ADVICE, ROW_GAP, ROW_HEADING };

#define DETAIL_MIN_ROWS 6 /* with fewer rows than this, details that do not fit are not shown */
#define DETAIL_MAX_RUNS 8 /* maximum number of runs in the details */

enum { COL_COST, COL_SHARE, COL_RUNS, COL_WHAT, COL_WORST, COL_LAST };

static const struct column columns[] = {
	[COL_COST] = { .title = "COST", .min_cells = 8, .right = true, .no_sort = true },
	[COL_SHARE] = { .title = "SHARE",
			.min_cells = PERCENT_CELLS,
			.rank = 2,
			.right = true,
			.no_sort = true },
	[COL_RUNS] = { .title = "RUNS", .min_cells = 5, .rank = 1, .right = true, .no_sort = true },
	[COL_WHAT] = { .title = "WHAT", .min_cells = 24, .grow = 3, .no_sort = true },
	[COL_WORST] = { .title = "WORST", .min_cells = 16, .grow = 2, .rank = 4, .no_sort = true },
	[COL_LAST] = { .title = "LAST", .min_cells = 8, .rank = 3, .no_sort = true },
};

static const struct finding_kind *row_finding_kind(const struct view_ctx *ctx,
						   const struct row *row)
{
	return row && row->kind == ROW_KIND ? &ctx->found->kinds.items[row->ref] : NULL;
}

static void page_findings_add(struct table *table, enum findings_kind kind, uint64_t id,
			      uint32_t ref)
{
	int64_t key = table->nr_rows;
	struct row *row = table_add(table, tr2_hash_pair(id, (uint64_t)kind));

	row->key = key;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->fixed = kind > ROW_KIND;
	row->wide = kind != ROW_KIND;
}

static void findings_gather(struct view_ctx *ctx, struct table *table)
{
	const struct finding_kinds *kinds = &ctx->found->kinds;
	const struct rule_results *verdicts = view_verdicts(ctx);
	const struct rule *rule;
	bool has_heading = false;

	ctx->view->working = ctx->found->begun;
	for (uint32_t i = 0; (rule = view_rule(verdicts, i)); i++)
		page_findings_add(table, ROW_RULE, tr2_hash(rule->text, strlen(rule->text)), i);
	if (table->nr_rows && kinds->nr)
		page_findings_add(table, ROW_GAP, 1, 0);
	for (uint32_t i = 0; i < kinds->nr; i++) {
		uint8_t id = kinds->items[i].id;

		if (finding_rows[id].level == LEVEL_PROGRAM && !has_heading)
			page_findings_add(table, ROW_HEADING, 2, 0);
		has_heading |= finding_rows[id].level == LEVEL_PROGRAM;
		page_findings_add(table, ROW_KIND, id, i);
		if (ctx->said) {
			page_findings_add(table, ROW_EVIDENCE, id, i);
			page_findings_add(table, ROW_ADVICE, id, i);
		}
	}
	table->sort = SORT_NATURAL;
	table->reverse = false;
}

static void draw_finding_kind(const struct view_ctx *ctx, const struct finding_kind *kind,
			      int column, const struct slot *slot)
{
	const struct finding_row *row = &finding_rows[kind->id];
	const struct finding_run *worst = &ctx->found->kinds.runs[kind->first];
	struct tr2_buf *line;

	switch (column) {
	case COL_COST:
		if (kind->cost)
			slot_duration(slot, STYLE_TEXT, kind->cost);
		return;
	case COL_SHARE:
		finding_draw_share(slot, kind->cost, kind->wall);
		return;
	case COL_RUNS:
		slot_count(slot, STYLE_TEXT, kind->nr);
		return;
	case COL_WHAT:
		slot_text(slot, row->level <= LEVEL_TROUBLE ? STYLE_ALERT : STYLE_TITLE, row->title,
			  SIZE_MAX);
		return;
	case COL_WORST:
		finding_draw_command(ctx, worst, slot);
		return;
	default:
		line = format_line();
		if (kind->last != NS_NONE)
			format_time(kind->last, false, line);
		slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
	}
}

static void draw_said(const struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct finding_kinds *kinds = &ctx->found->kinds;
	const struct finding_run *worst = &kinds->runs[kinds->items[row->ref].first];
	struct tr2_buf *line = format_line();

	if (row->kind == ROW_EVIDENCE)
		finding_format_evidence(ctx, worst, line);
	else
		tr2_buf_addstr(line, finding_advice(&ctx->found->shown,
						    &ctx->found->shown.items[worst->finding]));
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static void findings_draw(struct view_ctx *ctx, const struct row *row, int column,
			  const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	const struct rule *rule;

	switch ((enum findings_kind)row->kind) {
	case ROW_RULE:
		if (column != COL_WHAT)
			return;
		rule = view_rule(ctx->in->verdicts, row->ref);
		view_rule_format(rule, line);
		slot_text(slot, view_rule_style(rule), tr2_buf_cstr(line), line->len);
		return;
	case ROW_KIND:
		draw_finding_kind(ctx, row_finding_kind(ctx, row), column, slot);
		return;
	case ROW_EVIDENCE:
	case ROW_ADVICE:
		if (column == COL_WHAT)
			draw_said(ctx, row, slot);
		return;
	case ROW_HEADING:
		if (column == COL_WHAT)
			slot_text(slot, STYLE_TITLE, "For developers of the program", SIZE_MAX);
		return;
	case ROW_GAP:
		return;
	}
}

static void findings_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct finding_kind *kind = row_finding_kind(ctx, row);

	if (row->kind == ROW_RULE)
		view_rule_format(view_rule(ctx->in->verdicts, row->ref), out);
	if (!kind)
		return;
	tr2_buf_addf(out, "%s: ", finding_rows[kind->id].title);
	finding_format_evidence(ctx, &ctx->found->kinds.runs[kind->first], out);
}

static void findings_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct finding_kinds *kinds = &ctx->found->kinds;

	if (kinds->nr)
		tr2_buf_addf(out, " · %" PRIu32 " %s in %" PRIu32 " %s", kinds->nr,
			     kinds->nr == 1 ? "kind" : "kinds", kinds->nr_finding_roots,
			     kinds->nr_finding_roots == 1 ? "run" : "runs");
	if (kinds->could_save) {
		tr2_buf_addstr(out, " · could save ");
		format_duration(kinds->could_save, out);
	}
	if (ctx->found->begun)
		tr2_buf_addf(out, " · %" PRIu32 " of %" PRIu32 " checked", ctx->found->at,
			     ctx->found->nr_roots);
}

static const char *findings_empty(const struct view_ctx *ctx)
{
	return ctx->found->nr_rounds ? "no findings" : "being checked";
}

static int detail_runs(const struct finding_kind *kind)
{
	return kind->nr < 2 ? 0 : kind->nr < DETAIL_MAX_RUNS ? (int)kind->nr : DETAIL_MAX_RUNS;
}

static int findings_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct table *table = &ctx->view->table;
	const struct finding_kind *kind = row_finding_kind(ctx, table_selected(table));
	int free = rows - 1 - (int)table->nr_rows, most = free > rows / 2 ? free : rows / 2, wanted;

	if (!kind)
		return 0;
	wanted = finding_detail_rows(ctx, kind, ctx->width) + 1;
	if (detail_runs(kind))
		wanted += 2 + detail_runs(kind);
	if (most < wanted && most < DETAIL_MIN_ROWS)
		return 0;
	/* Use all free rows, so that the details directly follow the table. */
	return wanted < free ? free : wanted < most ? wanted : most;
}

static void draw_detail_runs(const struct view_ctx *ctx, const struct finding_kind *kind,
			     struct surface *surface, struct rect area)
{
	int nr = detail_runs(kind);

	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_TITLE,
		     nr < (int)kind->nr ? "The most costly runs; Enter lists all" : "Its runs",
		     SIZE_MAX);
	for (int i = 0; i < nr && i + 1 < area.rows; i++) {
		const struct finding_run *run = &ctx->found->kinds.runs[kind->first + (uint32_t)i];
		struct slot slot = { .surface = surface,
				     .x = area.x + 1,
				     .y = area.y + 1 + i,
				     .cols = 8,
				     .right = true };

		if (run->cost)
			slot_duration(&slot, STYLE_TEXT, run->cost);
		slot.x += 9;
		slot.cols = PERCENT_CELLS;
		finding_draw_share(&slot, run->cost, run->wall);
		slot.x += PERCENT_CELLS + 1;
		slot.cols = 8;
		slot.right = false;
		finding_draw_start(run, &slot);
		slot.x += 10;
		slot.cols = area.x + area.cols - 1 - slot.x;
		finding_draw_command(ctx, run, &slot);
	}
}

static void findings_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct row *row = table_selected(&ctx->view->table);
	const struct finding_kind *kind = row_finding_kind(ctx, row);
	int rows;

	if (!kind)
		return;
	area.y++;
	area.rows--;
	rows = finding_draw_detail(ctx, kind, surface, area);
	area.y += rows + 1;
	area.rows -= rows + 1;
	if (detail_runs(kind) && area.rows > 1)
		draw_detail_runs(ctx, kind, surface, area);
}

static enum view_id findings_drill(const struct view_ctx *ctx, const struct row *row,
				   struct subject *subject)
{
	const struct finding_kind *kind = row_finding_kind(ctx, row);

	if (kind && kind->nr > 1) {
		subject->group = kind->id;
		return VIEW_FINDING;
	}
	subject->process = kind ? finding_run_process(ctx, &ctx->found->kinds.runs[kind->first])
				: view_rule(ctx->in->verdicts, row->ref)->worst;
	return model_process(ctx->model, subject->process) ? VIEW_SUMMARY : NR_VIEWS;
}

static int findings_finding(const struct view_ctx *ctx, const struct row *row)
{
	const struct finding_kind *kind = row_finding_kind(ctx, row);

	return kind ? kind->id : -1;
}

const struct view_ops page_findings = {
	.name = "Findings",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.title = findings_title,
	.private_bytes = sizeof(struct finding_detail),
	.gather = findings_gather,
	.draw = findings_draw,
	.foot_rows = findings_foot_rows,
	.foot = findings_foot,
	.text = findings_text,
	.empty = findings_empty,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = findings_drill,
	.finding = findings_finding,
	.release = finding_detail_release,
};
