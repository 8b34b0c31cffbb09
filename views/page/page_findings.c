/* SPDX-License-Identifier: MIT */
/*
 * Page of findings. Rules come first, if there are any, then findings with three rows each: cost
 * and title, evidence, advice. Findings are searched all the time (findings_watch.h), with more
 * time per frame while the page is open.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/wrap.h"
#include "views/ui/rule_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/findings_watch.h"
#include "monitor/base/humanize.h"

enum findings_kind {
	ROW_RULE,
	ROW_TITLE,
	ROW_EVIDENCE,
	ROW_ADVICE,
	ROW_GAP,
	ROW_HEADING,
	ROW_MORE
};

#define WORTH_CELLS 17  /* width of " 123.4ms 100.0% " */
#define MAX_SHOWN   500 /* maximum number of findings: the most costly ones; a report has all */

static const struct column columns[] = { { .min_cells = 24, .grow = 1, .no_sort = true } };

/* ---- gathering rows ---- */

static int advice_cells(const struct view_ctx *ctx)
{
	int cells = ctx->width - 1 - WORTH_CELLS;

	return cells > 20 ? cells : 20;
}

static struct row *page_findings_add(struct table *table, enum findings_kind kind, uint64_t of,
				     uint32_t ref, uint32_t line)
{
	int64_t key = table->nr_rows;
	struct row *row = table_add(table, tr2_hash_pair(of, (uint64_t)kind << 32 | line));

	row->key = key;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->ref2 = line;
	row->fixed = kind == ROW_GAP || kind == ROW_HEADING || kind == ROW_MORE || line > 0;
	return row;
}

static void add_finding(struct view_ctx *ctx, struct table *table, uint32_t at)
{
	const struct finding *finding = &ctx->found->shown.items[at];
	const char *advice = finding_advice(&ctx->found->shown, finding);
	size_t len;
	const char *evidence = finding_evidence(&ctx->found->shown, finding, &len);
	uint64_t id =
		tr2_hash_pair(finding->process.sid_hash, tr2_hash(evidence, len) + finding->id);
	uint32_t lines = wrapped_lines(advice, strlen(advice), advice_cells(ctx));

	page_findings_add(table, ROW_TITLE, id, at, 0);
	page_findings_add(table, ROW_EVIDENCE, id, at, 1);
	for (uint32_t i = 0; i < lines; i++)
		page_findings_add(table, ROW_ADVICE, id, at, i + 1);
}

static bool is_for_programs(const struct finding *finding)
{
	return finding_rows[finding->id].level == LEVEL_PROGRAM;
}

static void findings_gather(struct view_ctx *ctx, struct table *table)
{
	const struct findings *found = &ctx->found->shown;
	uint32_t shown = found->nr < MAX_SHOWN ? found->nr : MAX_SHOWN;
	const struct rule_results *verdicts = view_verdicts(ctx);
	const struct rule *rule;

	ctx->view->ticks = true;
	ctx->view->working = ctx->found->begun;
	for (uint32_t i = 0; (rule = view_rule(verdicts, i)); i++)
		page_findings_add(table, ROW_RULE, tr2_hash(rule->text, strlen(rule->text)), i, 0);
	if (table->nr_rows && found->nr)
		page_findings_add(table, ROW_GAP, 1, 0, 0);
	/* Findings for authors of instrumented programs come last, after notes. */
	for (uint32_t i = 0; i < shown; i++)
		if (!is_for_programs(&found->items[i]))
			add_finding(ctx, table, i);
	for (uint32_t i = 0, nr = 0; i < shown; i++) {
		if (!is_for_programs(&found->items[i]))
			continue;
		if (!nr++)
			page_findings_add(table, ROW_HEADING, 2, 0, 0);
		add_finding(ctx, table, i);
	}
	if (found->nr > shown)
		page_findings_add(table, ROW_MORE, 3, found->nr - shown, 0);
	table->sort = SORT_NATURAL;
	table->reverse = false;
}

/* ---- drawing rows ---- */

static void format_evidence(const struct view_ctx *ctx, uint32_t at, struct tr2_buf *out)
{
	const struct finding *finding = &ctx->found->shown.items[at];
	const struct process *process = model_process(ctx->model, finding->process);
	const char *evidence;
	size_t len;

	if (process) {
		finding_format_process(ctx->model, process, out);
		tr2_buf_addstr(out, ": ");
	}
	evidence = finding_evidence(&ctx->found->shown, finding, &len);
	tr2_buf_add(out, evidence, len);
}

static void findings_draw_title(const struct finding *finding, const struct slot *slot)
{
	const struct finding_row *row = &finding_rows[finding->id];
	enum style style = row->level <= LEVEL_TROUBLE ? STYLE_ALERT : STYLE_TITLE;
	struct slot rest = slot_rest(slot, WORTH_CELLS);
	struct tr2_buf *line = format_line();

	if (finding->held) {
		tr2_buf_addf(line, "%8s", human_duration(finding->held).text);
		if (finding->wall)
			tr2_buf_addf(line, " %5.1f%%",
				     (double)finding->held * 100 / (double)finding->wall);
		slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
	}
	line = format_line();
	tr2_buf_addstr(line, row->title);
	if (finding->count > 1) {
		tr2_buf_addstr(line, ", ");
		format_times(finding->count, line);
	}
	slot_text(&rest, style, tr2_buf_cstr(line), line->len);
}

static void findings_draw(struct view_ctx *ctx, const struct row *row, int column,
			  const struct slot *slot)
{
	struct slot rest = slot_rest(slot, WORTH_CELLS);
	const struct finding *finding =
		row->kind == ROW_MORE ? NULL : &ctx->found->shown.items[row->ref];
	struct tr2_buf *line = format_line();
	const char *findings_text;
	size_t shown;

	(void)column;
	switch ((enum findings_kind)row->kind) {
	case ROW_RULE: {
		const struct rule *rule = view_rule(ctx->in->verdicts, row->ref);

		view_rule_format(rule, line);
		slot_text(slot, view_rule_style(rule), tr2_buf_cstr(line), line->len);
		return;
	}
	case ROW_TITLE:
		findings_draw_title(finding, slot);
		return;
	case ROW_EVIDENCE:
		format_evidence(ctx, row->ref, line);
		slot_text(&rest, STYLE_TEXT, tr2_buf_cstr(line), line->len);
		return;
	case ROW_ADVICE:
		findings_text = finding_advice(&ctx->found->shown, finding);
		findings_text = wrapped_line(findings_text, strlen(findings_text),
					     advice_cells(ctx), row->ref2 - 1, &shown);
		slot_text(&rest, STYLE_DIM, findings_text, shown);
		return;
	case ROW_HEADING:
		slot_text(slot, STYLE_TITLE, "For developers of the program", SIZE_MAX);
		return;
	case ROW_MORE:
		tr2_buf_addf(line, "and %" PRIu32 " more: --findings shows all", row->ref);
		slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
		return;
	case ROW_GAP:
		return;
	}
}

static void findings_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{

	if (row->kind == ROW_RULE)
		view_rule_format(view_rule(ctx->in->verdicts, row->ref), out);
	if (row->kind != ROW_TITLE)
		return;
	tr2_buf_addf(out, "%s ", finding_rows[ctx->found->shown.items[row->ref].id].title);
	format_evidence(ctx, row->ref, out);
}

static void findings_title(const struct view_ctx *ctx, struct tr2_buf *out)
{

	tr2_buf_addf(out, " · %" PRIu32, ctx->found->shown.nr);
	if (ctx->found->begun)
		tr2_buf_addf(out, " · %" PRIu32 " of %" PRIu32 " checked", ctx->found->at,
			     ctx->found->nr_roots);
}

static const char *findings_empty(const struct view_ctx *ctx)
{

	return ctx->found->nr_rounds ? "no findings" : "being checked";
}

static enum view_id findings_drill(const struct view_ctx *ctx, const struct row *row,
				   struct subject *subject)
{
	const struct rule *rule;

	if (row->kind == ROW_RULE) {
		rule = view_rule(ctx->in->verdicts, row->ref);
		subject->process = rule->worst;
	} else {
		const struct finding *finding = &ctx->found->shown.items[row->ref];

		/* Some findings are about the whole command. */
		subject->process = model_process(ctx->model, finding->process) ? finding->process
									       : finding->root;
	}
	return model_process(ctx->model, subject->process) ? VIEW_SUMMARY : NR_VIEWS;
}

const struct view_ops page_findings = {
	.name = "Findings",
	.columns = columns,
	.nr_columns = 1,
	.title = findings_title,
	.gather = findings_gather,
	.draw = findings_draw,
	.text = findings_text,
	.empty = findings_empty,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = findings_drill,
};
