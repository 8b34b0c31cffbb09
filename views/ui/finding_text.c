/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/finding_text.h"

#include <string.h>

#include "views/ui/view_text.h"
#include "views/ui/wrap.h"

#define WORD_CELLS  10 /* width in cells of the words on the left of the details */
#define TEXT_MIN    20 /* least width of the texts beside the words, in cells */
#define NAMES_SHOWN 4  /* maximum number of commands that the line "seen in" names */

void finding_draw_share(const struct slot *slot, ns_t cost, ns_t wall)
{
	if (cost && wall)
		slot_printf(slot, STYLE_TEXT, "%.1f%%", (double)cost * 100 / (double)wall);
}

void finding_draw_command(const struct view_ctx *ctx, const struct finding_run *run,
			  const struct slot *slot)
{
	const struct process *root = model_process(ctx->model, run->root);
	struct tr2_buf *line;
	size_t name_len;

	if (!root)
		return;
	line = format_line();
	format_command(ctx->model, root, line, &name_len);
	slot_command(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len, name_len);
}

void finding_draw_start(const struct finding_run *run, const struct slot *slot)
{
	struct tr2_buf *line;

	if (run->start == NS_NONE)
		return;
	line = format_line();
	format_time(run->start, false, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

void finding_format_evidence(const struct view_ctx *ctx, const struct finding_run *run,
			     struct tr2_buf *out)
{
	const struct finding *finding = &ctx->found->shown.items[run->finding];
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

struct handle finding_run_process(const struct view_ctx *ctx, const struct finding_run *run)
{
	const struct finding *finding = &ctx->found->shown.items[run->finding];

	return model_process(ctx->model, finding->process) ? finding->process : finding->root;
}

/* ---- details ---- */

/* Return the length of the first clause of an advice, up to "; " outside of parentheses, and move
 * `at` past it. */
static size_t advice_clause(const char **at)
{
	const char *text = *at, *end = text;

	for (int depth = 0; *end && (depth || strncmp(end, "; ", 2) != 0); end++)
		depth += (*end == '(') - (*end == ')');
	*at = *end ? end + 2 : end;
	return (size_t)(end - text);
}

struct detail_place {
	struct surface *surface; /* NULL: count only */
	struct rect area;
	int row;
};

/* Draw a text with a word at its left, in at most `max` lines. */
static void detail_text(struct detail_place *detail, const char *word, enum style style,
			const char *text, size_t len, uint32_t max)
{
	int cells = detail->area.cols - WORD_CELLS - 2;
	uint32_t lines;

	cells = cells < TEXT_MIN ? TEXT_MIN : cells;
	lines = wrapped_lines(text, len, cells);
	for (uint32_t i = 0; i < lines && i < max; i++, detail->row++) {
		size_t shown;
		const char *part = wrapped_line(text, len, cells, i, &shown);
		int y = detail->area.y + detail->row, x = detail->area.x + 1;

		if (!detail->surface || detail->row >= detail->area.rows)
			continue;
		if (!i)
			surface_text(detail->surface, x, y, WORD_CELLS - 1, STYLE_DIM, word,
				     SIZE_MAX);
		surface_text(detail->surface, x + WORD_CELLS, y, cells, style, part, shown);
	}
}

static const struct tr2_buf *detail_where(const struct view_ctx *ctx,
					  const struct finding_kind *kind)
{
	struct finding_detail *held = ctx->view->private;

	if (held->round != ctx->found->nr_rounds || held->id != kind->id) {
		held->round = ctx->found->nr_rounds;
		held->id = kind->id;
		held->where.max = SIZE_MAX / 2;
		tr2_buf_clear(&held->where);
		finding_kind_format_where(&ctx->found->kinds, kind, ctx->model, NAMES_SHOWN,
					  &held->where);
	}
	return &held->where;
}

void finding_detail_release(void *detail)
{
	tr2_buf_release(&((struct finding_detail *)detail)->where);
}

static void walk_detail(const struct view_ctx *ctx, const struct finding_kind *kind,
			struct detail_place *detail)
{
	const struct tr2_buf *where = detail_where(ctx, kind);
	const struct finding_run *worst = &ctx->found->kinds.runs[kind->first];
	const char *advice =
		finding_advice(&ctx->found->shown, &ctx->found->shown.items[worst->finding]);
	const char *word = "try";
	struct tr2_buf *line;

	detail_text(detail, "finding", STYLE_TITLE, finding_rows[kind->id].title,
		    strlen(finding_rows[kind->id].title), 1);
	if (where->len)
		detail_text(detail, "seen in", STYLE_TEXT, where->data, where->len, 2);
	line = format_line();
	finding_format_evidence(ctx, worst, line);
	detail_text(detail, "evidence", STYLE_TEXT, tr2_buf_cstr(line), line->len, 3);
	while (*advice) {
		const char *clause = advice;
		size_t len = advice_clause(&advice);

		detail_text(detail, word, STYLE_HINT, clause, len, 3);
		word = "";
	}
	line = format_line();
	tr2_buf_addf(line, "Del, or --no-finding=%s", finding_rows[kind->id].word);
	detail_text(detail, "ignore", STYLE_TEXT, tr2_buf_cstr(line), line->len, 1);
}

int finding_detail_rows(const struct view_ctx *ctx, const struct finding_kind *kind, int cols)
{
	struct detail_place detail = { .area = { .cols = cols } };

	walk_detail(ctx, kind, &detail);
	return detail.row;
}

int finding_draw_detail(const struct view_ctx *ctx, const struct finding_kind *kind,
			struct surface *surface, struct rect area)
{
	struct detail_place detail = { .surface = surface, .area = area };

	walk_detail(ctx, kind, &detail);
	return detail.row;
}
