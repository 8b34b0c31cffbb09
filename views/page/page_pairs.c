/* SPDX-License-Identifier: MIT */
/*
 * Page of the pairs of one command in a comparison, initially in order of time: the durations of
 * both runs, or of one part of them, as numbers and as dots on one scale.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/rule_rows.h"
#include "views/ui/view_text.h"

#include <stdlib.h>

#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/base/order.h"

struct pairs_page {
	/* index of the group in the comparison; SLOT_NONE: none */
	uint32_t group;
	/* index in the parts of the comparison; SLOT_NONE: the wall time is compared */
	uint32_t part;
	ns_t least, most;
	ns_t medians[2]; /* medians of the base runs (A) and the new runs (B) */
};

struct values {
	ns_t a, b;
};

static const struct comparison *pairs_comparison_of(const struct view_ctx *ctx)
{
	return &ctx->in->verdicts->comparison;
}

static const struct compare_pair *pair_of(const struct view_ctx *ctx, const struct row *row)
{
	return &pairs_comparison_of(ctx)->pairs[row->ref];
}

static const struct run *run_a(const struct view_ctx *ctx, const struct row *row)
{
	return &pairs_comparison_of(ctx)->a->items[pair_of(ctx, row)->a];
}

static const struct run *run_b(const struct view_ctx *ctx, const struct row *row)
{
	return &pairs_comparison_of(ctx)->b->items[pair_of(ctx, row)->b];
}

static struct values values_of(const struct view_ctx *ctx, const struct compare_pair *pair)
{
	const struct comparison *c = pairs_comparison_of(ctx);
	const struct pairs_page *page = ctx->view->private;

	if (page->part == SLOT_NONE)
		return (struct values){ c->a->items[pair->a].wall, c->b->items[pair->b].wall };
	return (struct values){ compare_part_time(c, c->a, pair->a, &c->parts[page->part]),
				compare_part_time(c, c->b, pair->b, &c->parts[page->part]) };
}

static void page_find(struct view_ctx *ctx, const struct comparison *c)
{
	struct pairs_page *page = ctx->view->private;
	const struct subject *subject = &ctx->view->subject;

	*page = (struct pairs_page){ .group = SLOT_NONE, .part = SLOT_NONE, .least = INT64_MAX };
	for (uint32_t i = 0; i < c->nr_groups; i++) {
		const struct compare_group *g = &c->groups[i];

		if (compare_group_id(c, g) != subject->group)
			continue;
		page->group = i;
		for (uint32_t k = 0; subject->record && k < g->nr_parts; k++)
			if (compare_part_id(c, &c->parts[g->first_part + k]) == subject->record)
				page->part = g->first_part + k;
	}
	/* A part that is no longer compared has no pairs. */
	if (subject->record && page->part == SLOT_NONE)
		page->group = SLOT_NONE;
}

static ns_t median_of(ns_t *times, uint32_t nr)
{
	if (!nr)
		return 0;
	qsort(times, nr, sizeof(*times), order_numbers);
	return times[(nr - 1) / 2] / 2 + times[nr / 2] / 2;
}

static void pairs_gather(struct view_ctx *ctx, struct table *table)
{
	const struct rule_results *v = view_verdicts(ctx);
	struct pairs_page *page = ctx->view->private;
	const struct compare_group *g;
	ns_t *times[2];

	if (!v || !v->compares)
		return;
	page_find(ctx, &v->comparison);
	if (page->group == SLOT_NONE)
		return;
	g = &v->comparison.groups[page->group];
	for (int i = 0; i < 2; i++)
		times[i] = xreallocarray(NULL, (size_t)g->nr_pairs + 1, sizeof(ns_t));
	for (uint32_t i = 0; i < g->nr_pairs; i++) {
		const struct compare_pair *pair = &v->comparison.pairs[g->first_pair + i];
		struct values values = values_of(ctx, pair);
		struct row *row = table_add(table, tr2_hash_pair(pair->a, pair->b) | 1);

		row->ref = g->first_pair + i;
		row->key = i;
		times[0][i] = values.a;
		times[1][i] = values.b;
		for (int k = 0; k < 2; k++) {
			ns_t time = times[k][i];

			page->least = time < page->least ? time : page->least;
			page->most = time > page->most ? time : page->most;
		}
	}
	for (int i = 0; i < 2; i++) {
		page->medians[i] = median_of(times[i], g->nr_pairs);
		free(times[i]);
	}
}

static int64_t pairs_number(const struct view_ctx *ctx, const struct row *row)
{
	const struct pairs_page *page = ctx->view->private;

	return row->ref - pairs_comparison_of(ctx)->groups[page->group].first_pair + 1;
}

static int64_t a_time(const struct view_ctx *ctx, const struct row *row)
{
	return values_of(ctx, pair_of(ctx, row)).a;
}

static int64_t b_time(const struct view_ctx *ctx, const struct row *row)
{
	return values_of(ctx, pair_of(ctx, row)).b;
}

static int64_t difference(const struct view_ctx *ctx, const struct row *row)
{
	return b_time(ctx, row) - a_time(ctx, row);
}

static void pairs_draw_start(const struct run *run, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	format_time(run->start, true, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static void draw_a_start(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	pairs_draw_start(run_a(ctx, row), slot);
}

static void draw_b_start(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	pairs_draw_start(run_b(ctx, row), slot);
}

static void pairs_draw_a(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_duration(slot, STYLE_TEXT, a_time(ctx, row));
}

static void pairs_draw_b(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	slot_duration(slot, STYLE_TEXT, b_time(ctx, row));
}

static void pairs_draw_difference(struct view_ctx *ctx, const struct row *row,
				  const struct slot *slot)
{
	int64_t ns = difference(ctx, row);

	slot_printf(slot, STYLE_TEXT, "%s%s", ns > 0 ? "+" : "", human_duration(ns).text);
}

static int pairs_place(const struct pairs_page *page, const struct slot *slot, ns_t time)
{
	double range = (double)page->most - (double)page->least;

	return range > 0 ? (int)(((double)time - (double)page->least) / range * (slot->cols - 1))
			 : slot->cols / 2;
}

static void draw_dot(struct view_ctx *ctx, const struct slot *slot, int set, ns_t time)
{
	const struct pairs_page *page = ctx->view->private;

	if (slot->cols < 2)
		return;
	surface_glyph(slot->surface, slot->x + pairs_place(page, slot, page->medians[set]), slot->y,
		      STYLE_DIM, GLYPH_VLINE);
	surface_glyph(slot->surface, slot->x + pairs_place(page, slot, time), slot->y,
		      set ? STYLE_LIVE : STYLE_NAME, GLYPH_LIVE);
}

static void draw_a_dot(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_dot(ctx, slot, 0, a_time(ctx, row));
}

static void draw_b_dot(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_dot(ctx, slot, 1, b_time(ctx, row));
}

static const struct column columns[] = {
	{ .title = "PAIR", .min_cells = 4, .right = true, .number = pairs_number },
	{ .title = "BASE START",
	  .min_cells = 12,
	  .rank = 3,
	  .no_sort = true,
	  .draw = draw_a_start },
	{ .title = "BASE",
	  .min_cells = 8,
	  .right = true,
	  .descending = true,
	  .number = a_time,
	  .draw = pairs_draw_a },
	{ .title = "", .min_cells = 20, .grow = 1, .no_sort = true, .draw = draw_a_dot },
	{ .title = "NEW START", .min_cells = 12, .rank = 4, .no_sort = true, .draw = draw_b_start },
	{ .title = "NEW",
	  .min_cells = 8,
	  .right = true,
	  .descending = true,
	  .number = b_time,
	  .draw = pairs_draw_b },
	{ .title = "", .min_cells = 20, .grow = 1, .no_sort = true, .draw = draw_b_dot },
	{ .title = "CHANGE",
	  .min_cells = 9,
	  .right = true,
	  .descending = true,
	  .number = difference,
	  .draw = pairs_draw_difference },
};

static void pairs_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct pairs_page *page = ctx->view->private;
	const struct comparison *c;
	const struct compare_group *g;

	if (!ctx->view->table.nr_rows)
		return;
	c = pairs_comparison_of(ctx);
	g = &c->groups[page->group];
	tr2_buf_addstr(out, " · ");
	compare_format_name(c, g->name, g->failed, out);
	if (page->part != SLOT_NONE) {
		size_t len;
		const char *label = compare_text(c, c->parts[page->part].label, &len);

		tr2_buf_addstr(out, " · ");
		part_format_label(label, len, out);
	}
}

static int pairs_foot_rows(const struct view_ctx *ctx, int rows)
{
	return rows >= 6 && ctx->view->table.nr_rows ? 1 : 0;
}

static void pairs_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct pairs_page *page = ctx->view->private;

	surface_printf(surface, area.x + 1, area.y, area.cols - 2, STYLE_DIM,
		       "dots from %s to %s; the lines are the medians, %s and %s",
		       human_duration(page->least).text, human_duration(page->most).text,
		       human_duration(page->medians[0]).text,
		       human_duration(page->medians[1]).text);
}

static const char *pairs_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "its pairs no longer exist";
}

static enum view_id pairs_drill(const struct view_ctx *ctx, const struct row *row,
				struct subject *subject)
{
	const struct rule_results *v = ctx->in->verdicts;

	subject->process = v->roots.items[pair_of(ctx, row)->b];
	return model_process(ctx->model, subject->process) ? VIEW_PROCESS : NR_VIEWS;
}

const struct view_ops page_pairs = {
	.name = "Pairs",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct pairs_page),
	.title = pairs_title,
	.gather = pairs_gather,
	.foot_rows = pairs_foot_rows,
	.foot = pairs_foot,
	.empty = pairs_empty,
	.drill = pairs_drill,
};
