/* SPDX-License-Identifier: MIT */
/*
 * Page of differences. With the base runs of --compare: one row per command (failed runs apart),
 * and below it the compared parts of its wall time. With two single runs: one row, and below it all
 * parts.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/wrap.h"
#include "views/ui/rule_rows.h"
#include "views/ui/two_runs_rows.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "monitor/base/humanize.h"

enum difference_kind { ROW_GROUP, ROW_PART, ROW_OTHER, ROW_ONLY, ROW_TWO, ROW_TWO_PART };

struct difference {
	struct two_runs_page runs;
	bool is_of_two; /* two single runs are compared; false: sets of runs */
	struct tr2_buf why;
};

static const struct two_runs *two_of(const struct view_ctx *ctx)
{
	return &((const struct difference *)ctx->view->private)->runs.two;
}

static const struct two_runs_part *two_part_of(const struct view_ctx *ctx, const struct row *row)
{
	return &two_of(ctx)->parts[row->ref];
}

static const struct comparison *difference_comparison_of(const struct view_ctx *ctx)
{
	return &ctx->in->verdicts->comparison;
}

static const struct compare_group *group_of(const struct view_ctx *ctx, const struct row *row)
{
	return &difference_comparison_of(ctx)->groups[row->ref];
}

static const struct compare_part *difference_part_of(const struct view_ctx *ctx,
						     const struct row *row)
{
	return &difference_comparison_of(ctx)->parts[row->ref2];
}

static const struct compare_only *only_of(const struct view_ctx *ctx, const struct row *row)
{
	return &difference_comparison_of(ctx)->only[row->ref];
}

static void format_new_command(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct difference *page = ctx->view->private;
	const struct process *process =
		model_process(ctx->model, model_handle_here(ctx->model, page->runs.new_run));
	size_t name_len;

	if (process)
		format_command(ctx->model, process, out, &name_len);
}

static void format_name(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	const struct comparison *c = ctx->in->verdicts ? difference_comparison_of(ctx) : NULL;
	size_t len;
	const char *text;

	switch ((enum difference_kind)row->kind) {
	case ROW_GROUP:
		compare_format_name(c, group_of(ctx, row)->name, group_of(ctx, row)->failed, out);
		return;
	case ROW_PART:
		text = compare_text(c, difference_part_of(ctx, row)->label, &len);
		part_format_label(text, len, out);
		return;
	case ROW_OTHER:
		tr2_buf_addstr(out, "other parts");
		return;
	case ROW_ONLY:
		compare_format_name(c, only_of(ctx, row)->name, only_of(ctx, row)->failed, out);
		return;
	case ROW_TWO:
		format_new_command(ctx, out);
		return;
	case ROW_TWO_PART:
		text = two_runs_label(two_of(ctx), two_part_of(ctx, row), &len);
		part_format_label(text, len, out);
		return;
	}
}

static struct row *difference_add(struct table *table, uint64_t id, enum difference_kind kind,
				  uint32_t ref, uint32_t ref2, uint32_t parent)
{
	int64_t key = table->nr_rows;
	struct row *row = table_add(table, id);

	row->key = key;
	row->kind = (uint8_t)kind;
	row->ref = ref;
	row->ref2 = ref2;
	row->parent = parent;
	return row;
}

static void add_group(struct table *table, const struct comparison *c, uint32_t number)
{
	const struct compare_group *g = &c->groups[number];
	uint64_t id = compare_group_id(c, g);
	uint32_t parent = table->nr_rows;

	difference_add(table, id, ROW_GROUP, number, 0, ROW_NO_PARENT);
	for (uint32_t i = 0; i < g->nr_parts; i++)
		difference_add(table,
			       tr2_hash_pair(id, compare_part_id(c, &c->parts[g->first_part + i])),
			       ROW_PART, number, g->first_part + i, parent);
	if (g->verdict != COMPARE_APART)
		difference_add(table, tr2_hash_pair(id, 0), ROW_OTHER, number, 0, parent);
}

static void add_two(const struct view_ctx *ctx, struct table *table)
{
	const struct two_runs *two = two_of(ctx);

	difference_add(table, 1, ROW_TWO, 0, 0, ROW_NO_PARENT);
	for (uint32_t i = 0; i < two->nr; i++) {
		size_t len;
		const char *text = two_runs_label(two, &two->parts[i], &len);

		difference_add(table, tr2_hash_pair(tr2_hash(text, len), two->parts[i].kind + 2),
			       ROW_TWO_PART, i, 0, 0);
	}
}

static void difference_gather(struct view_ctx *ctx, struct table *table)
{
	struct difference *page = ctx->view->private;
	const struct rule_results *v = view_verdicts(ctx);
	bool compares = v && v->compares;

	/* In the line mode, the number of a process requests the comparison of two runs. */
	if (ctx->said && ctx->view->subject.process.slot != SLOT_NONE)
		compares = false;
	page->is_of_two = two_runs_gather(ctx, &page->runs, compares);
	if (page->is_of_two) {
		add_two(ctx, table);
		return;
	}
	if (!compares)
		return;
	for (uint32_t i = 0; i < v->comparison.nr_groups; i++)
		add_group(table, &v->comparison, i);
	for (uint32_t i = 0; i < v->comparison.nr_only; i++) {
		const struct compare_only *only = &v->comparison.only[i];

		difference_add(table,
			       tr2_hash_pair(only->name, 2ull + only->failed * 2 + only->in_b),
			       ROW_ONLY, i, 0, ROW_NO_PARENT);
	}
}

static enum style verdict_style(const struct view_ctx *ctx, const struct row *row)
{
	bool differs = false;

	if (row->kind == ROW_GROUP)
		differs = group_of(ctx, row)->verdict <= COMPARE_FASTER;
	else if (row->kind == ROW_PART)
		differs = difference_part_of(ctx, row)->differs;
	if (!differs)
		return row->kind == ROW_GROUP ? STYLE_TEXT : STYLE_DIM;
	return (row->kind == ROW_GROUP ? group_of(ctx, row)->shift
				       : difference_part_of(ctx, row)->shift) > 0
		       ? STYLE_SLOW
		       : STYLE_LIVE;
}

static void difference_draw_name(struct view_ctx *ctx, const struct row *row,
				 const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	struct slot rest = slot_tree(slot, row);

	if (row->kind == ROW_TWO)
		ctx->view->ticks |= two_of(ctx)->live;
	format_name(ctx, row, line);
	slot_text(&rest, row->kind == ROW_GROUP || row->kind == ROW_TWO ? STYLE_NAME : STYLE_TEXT,
		  tr2_buf_cstr(line), line->len);
}

static void draw_side(const struct row *row, const struct slot *slot,
		      const struct compare_side *side)
{
	if (row->kind == ROW_GROUP)
		slot_duration(slot, STYLE_TEXT, (ns_t)llround(side->p50));
}

static void difference_draw_a(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (row->kind == ROW_TWO)
		slot_duration(slot, STYLE_TEXT, two_of(ctx)->base_wall);
	else if (row->kind == ROW_TWO_PART && two_part_of(ctx, row)->base)
		slot_duration(slot, STYLE_TEXT, two_part_of(ctx, row)->base);
	else if (row->kind == ROW_GROUP)
		draw_side(row, slot, &group_of(ctx, row)->a);
}

static void difference_draw_b(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct two_runs_part *part = row->kind == ROW_TWO_PART ? two_part_of(ctx, row) : NULL;

	if (row->kind == ROW_TWO)
		slot_duration(slot, STYLE_TEXT, two_of(ctx)->new_wall);
	else if (part && part->base + part->change)
		slot_duration(slot, STYLE_TEXT, part->base + part->change);
	else if (row->kind == ROW_GROUP)
		draw_side(row, slot, &group_of(ctx, row)->b);
}

static void difference_draw_difference(const struct slot *slot, enum style style, double ns)
{
	slot_printf(slot, style, "%s%s", ns > 0 ? "+" : "", human_duration((ns_t)llround(ns)).text);
}

static void draw_shift(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	enum style style = verdict_style(ctx, row);
	struct tr2_buf *line = format_line();

	if (row->kind == ROW_TWO)
		difference_draw_difference(
			slot, STYLE_TITLE,
			(double)(two_of(ctx)->new_wall - two_of(ctx)->base_wall));
	if (row->kind == ROW_TWO_PART)
		difference_draw_difference(slot, STYLE_TEXT, (double)two_part_of(ctx, row)->change);
	if (row->kind == ROW_PART)
		difference_draw_difference(slot, style, difference_part_of(ctx, row)->mean);
	if (row->kind == ROW_OTHER)
		difference_draw_difference(slot, STYLE_DIM, group_of(ctx, row)->other);
	if (row->kind != ROW_GROUP || group_of(ctx, row)->verdict == COMPARE_APART)
		return;
	compare_format_percent(line, group_of(ctx, row)->shift);
	tr2_buf_addstr(line, " %");
	slot_text(slot, style, tr2_buf_cstr(line), line->len);
}

static void draw_interval(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();
	const struct compare_group *g;

	if (row->kind != ROW_GROUP || group_of(ctx, row)->verdict == COMPARE_APART)
		return;
	g = group_of(ctx, row);
	compare_format_percent(line, g->low);
	tr2_buf_addstr(line, " .. ");
	compare_format_percent(line, g->high);
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void draw_verdict(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	enum style style = verdict_style(ctx, row);

	switch ((enum difference_kind)row->kind) {
	case ROW_GROUP:
		slot_text(slot, style, compare_verdict_words[group_of(ctx, row)->verdict],
			  SIZE_MAX);
		return;
	case ROW_PART:
		slot_text(slot, style,
			  difference_part_of(ctx, row)->differs ? "significant" : "not significant",
			  SIZE_MAX);
		return;
	case ROW_ONLY:
		slot_printf(slot, STYLE_DIM, "only in %s",
			    only_of(ctx, row)->in_b ? "new" : "base");
		return;
	case ROW_OTHER:
	case ROW_TWO:
		return;
	case ROW_TWO_PART:
		if (!two_part_of(ctx, row)->base)
			slot_text(slot, STYLE_DIM, "only in new", SIZE_MAX);
		else if (two_part_of(ctx, row)->base == -two_part_of(ctx, row)->change)
			slot_text(slot, STYLE_DIM, "only in base", SIZE_MAX);
		return;
	}
}

/* Draw a bar for the change of a part, in proportion to the largest change of a part of the same
 * command. */
static void draw_change_bar(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	double change, largest;
	enum style style;

	/* The parts are sorted by the size of their change, the largest first. */
	if (row->kind == ROW_TWO_PART) {
		change = (double)two_part_of(ctx, row)->change;
		largest = (double)two_of(ctx)->parts[0].change;
	} else if (row->kind == ROW_PART) {
		change = difference_part_of(ctx, row)->mean;
		largest = difference_comparison_of(ctx)->parts[group_of(ctx, row)->first_part].mean;
	} else {
		return;
	}
	if (!change)
		return;
	style = row->kind == ROW_PART && !difference_part_of(ctx, row)->differs ? STYLE_DIM
		: change > 0                                                    ? STYLE_SLOW
										: STYLE_LIVE;
	surface_bar(slot->surface, slot->x, slot->y, slot->cols, style,
		    1 + (int64_t)(fabs(change / largest) * (slot->cols * 8 - 1)));
}

static void draw_pairs(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	if (row->kind == ROW_GROUP)
		slot_count(slot, STYLE_TEXT, group_of(ctx, row)->nr_pairs);
	if (row->kind == ROW_ONLY)
		slot_count(slot, STYLE_DIM, only_of(ctx, row)->runs);
}

static const struct column columns[] = {
	{ .title = "NAME",
	  .min_cells = 20,
	  .grow = 1,
	  .no_sort = true,
	  .draw = difference_draw_name },
	{ .title = "BASE",
	  .min_cells = 8,
	  .rank = 2,
	  .right = true,
	  .no_sort = true,
	  .draw = difference_draw_a },
	{ .title = "NEW",
	  .min_cells = 8,
	  .rank = 1,
	  .right = true,
	  .no_sort = true,
	  .draw = difference_draw_b },
	{ .title = "CHANGE", .min_cells = 9, .right = true, .no_sort = true, .draw = draw_shift },
	{ .title = "",
	  .min_cells = 8,
	  .fills = 24,
	  .yields = true,
	  .rank = 5,
	  .no_sort = true,
	  .draw = draw_change_bar },
	{ .title = "99 % CI",
	  .min_cells = 15,
	  .rank = 3,
	  .right = true,
	  .no_sort = true,
	  .draw = draw_interval },
	{ .title = "RESULT", .min_cells = 15, .no_sort = true, .draw = draw_verdict },
	{ .title = "PAIRS",
	  .min_cells = 5,
	  .rank = 4,
	  .right = true,
	  .no_sort = true,
	  .draw = draw_pairs },
};

static void difference_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct difference *page = ctx->view->private;
	const struct rule_results *v = ctx->in->verdicts;

	if (page->is_of_two)
		two_runs_title(ctx, &page->runs, out);
	else if (v && v->made)
		tr2_buf_addf(out, " · base %" PRIu32 " run%s, here %" PRIu32, v->base.nr,
			     v->base.nr == 1 ? "" : "s", v->runs.nr);
}

static void format_why(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct row *row = table_selected(&ctx->view->table);

	if (!row || row->kind == ROW_ONLY)
		return;
	if (row->kind == ROW_TWO || row->kind == ROW_TWO_PART) {
		tr2_buf_addstr(out, "1 run each: differences may be chance");
		return;
	}
	compare_format_why(group_of(ctx, row), out);
	if (!out->len)
		tr2_buf_addf(out, "below each command, the parts of its wall time: means over "
				  "the pairs");
}

static int difference_foot_rows(const struct view_ctx *ctx, int rows)
{
	struct tr2_buf *line = format_line();
	int wanted;

	format_why(ctx, line);
	wanted = line->len ? (int)wrapped_lines(line->data, line->len, ctx->width - 2) : 0;
	return wanted < rows / 2 ? wanted : 0;
}

static void difference_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct tr2_buf *line = format_line();

	format_why(ctx, line);
	for (int i = 0; i < area.rows; i++) {
		size_t len;
		const char *text =
			wrapped_line(line->data, line->len, area.cols - 2, (uint32_t)i, &len);

		surface_text(surface, area.x + 1, area.y + i, area.cols - 2, STYLE_DIM, text, len);
	}
}

static const char *difference_empty(const struct view_ctx *ctx)
{
	struct difference *page = ctx->view->private;

	if (ctx->in->verdicts && ctx->in->verdicts->compares)
		return ctx->in->verdicts->made ? "no run has ended yet" : "";
	tr2_buf_release(&page->why);
	tr2_buf_init(&page->why, 1 << 12);
	two_runs_why(ctx, &page->runs, &page->why);
	return tr2_buf_cstr(&page->why);
}

static struct handle slower_run(const struct view_ctx *ctx, const struct row *row)
{
	const struct difference *page = ctx->view->private;
	ns_t change = row->kind == ROW_TWO ? two_of(ctx)->new_wall - two_of(ctx)->base_wall
					   : two_part_of(ctx, row)->change;

	return change < 0 ? page->runs.base_run : page->runs.new_run;
}

static enum view_id difference_drill(const struct view_ctx *ctx, const struct row *row,
				     struct subject *subject)
{
	const struct comparison *c;

	if (row->kind == ROW_TWO || row->kind == ROW_TWO_PART) {
		subject->process = slower_run(ctx, row);
		return VIEW_SUMMARY;
	}
	if (row->kind != ROW_GROUP && row->kind != ROW_PART)
		return NR_VIEWS;
	c = difference_comparison_of(ctx);
	subject->group = compare_group_id(c, group_of(ctx, row));
	subject->record =
		row->kind == ROW_PART ? compare_part_id(c, difference_part_of(ctx, row)) : 0;
	return group_of(ctx, row)->nr_pairs ? VIEW_PAIRS : NR_VIEWS;
}

static void difference_release(void *private)
{
	two_runs_release(&((struct difference *)private)->runs.two);
	tr2_buf_release(&((struct difference *)private)->why);
}

const struct view_ops page_difference = {
	.name = "Difference",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.title = difference_title,
	.gather = difference_gather,
	.foot_rows = difference_foot_rows,
	.foot = difference_foot,
	.empty = difference_empty,
	.drill = difference_drill,
	.private_bytes = sizeof(struct difference),
	.release = difference_release,
};
