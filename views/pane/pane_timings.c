/* SPDX-License-Identifier: MIT */
/*
 * Pane 3: timings of regions by category and label, of all processes or the selected one; the user
 * can also group by an attribute of the processes. Below: the distribution of the selected row's
 * durations.
 *
 * The model has sums over all processes. Sums over chosen processes or per group are collected in
 * slices; their durations are read from the journal.
 */
#include "config.h"

#include "views/ui/collecting.h"
#include "views/ui/group_rows.h"
#include "views/ui/spread.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/group_regions.h"
#include "monitor/base/grow.h"

struct timings_pane {
	/* timings of all processes, by `ref` of the row */
	struct timing *timings;
	uint32_t nr, cap;
	struct group_regions sums[2]; /* sums of timings, of chosen processes or per group */
	struct collecting of;         /* state of collecting `sums` */
	struct spans spans;           /* durations for `sums` */
	struct commands_by by;        /* grouping of the processes; nr 0: none */
	uint64_t hist[HIST_BUCKETS];  /* durations of the row of the last fill_hist() */
	double self_sum;              /* sum of the self times of all rows, before filtering */
};

/* True if the rows are in `sums`, because the model has no sums for them. */
static bool is_summed(const struct view_ctx *ctx)
{
	const struct timings_pane *pane = ctx->view->private;

	return ctx->process_scope || ctx->what.filter || pane->by.nr;
}

static const struct group_regions *shown_sums(const struct view_ctx *ctx)
{
	const struct timings_pane *pane = ctx->view->private;

	return &pane->sums[pane->of.shown];
}

/* Return the sums of a row; NULL if the model has them. */
static const struct group_region *sums_of(const struct view_ctx *ctx, const struct row *row)
{
	return is_summed(ctx) ? &shown_sums(ctx)->items[row->ref] : NULL;
}

static void gather_all(struct view_ctx *ctx, struct table *table, struct timings_pane *pane)
{
	pane->nr = 0;
	for (uint32_t i = 0; i < model_nr_timing_rows(ctx->model); i++) {
		struct timing *timing;

		GROW(pane->timings, pane->nr, pane->cap, 64);
		timing = &pane->timings[pane->nr];
		if (!model_timing(ctx->model, i, &ctx->what.limits, timing)) {
			table->nr_hidden += model_timing(ctx->model, i,
							 &(struct timing_limits){ -1, -1 }, timing);
			continue;
		}
		struct row *row =
			table_add(table, region_id(0, timing->category, timing->label, 0));

		row->ref = pane->nr++;
		row->ref2 = i;
		row->key = -timing->self;
		pane->self_sum += (double)timing->self;
	}
}

static bool timings_is_chosen(void *data, const struct model *model, uint32_t slot)
{
	return filter_process(data, model, slot);
}

static void read_durations(struct view_ctx *ctx, struct timings_pane *pane)
{
	const struct process *p = ctx->process_scope ? ctx->process : NULL;
	const char *sid = p ? model_text(ctx->model, p->sid) : NULL;
	size_t len = p ? p->sid.len : 0;

	if (!spans_is_of(&pane->spans, sid, len)) {
		spans_reset(&pane->spans, sid, len);
		pane->spans.alone = p != NULL;
	}
	ctx->view->working = spans_read(&pane->spans, ctx->in->journal) < 100;
	while (ctx->said && spans_read(&pane->spans, ctx->in->journal) < 100)
		;
}

/* Return a number that changes if the sums may have changed. A filter may depend on the time. */
static uint64_t sums_version(const struct view_ctx *ctx, const struct timings_pane *pane)
{
	uint64_t version =
		tr2_hash_pair(model_version(ctx->model), pane->spans.nr + pane->spans.nr_old);

	version = tr2_hash_pair(version, (uint64_t)(ctx->in->past ? ctx->in->past_ns : NS_NONE));
	return tr2_hash_pair(version, (uint64_t)(ctx->what.filter ? ctx->in->monotonic_ns : 0));
}

static void collect_sums(struct view_ctx *ctx, struct timings_pane *pane)
{
	struct group_regions *next = &pane->sums[!pane->of.shown];
	struct group_regions_of of = {
		.processes = { .model = ctx->model,
			       .depth = ctx->what.limits.depth,
			       .keep = ctx->what.filter ? timings_is_chosen : NULL,
			       .keep_data = ctx->what.filter },
		.process = ctx->process_scope ? ctx->view->subject.process : HANDLE_NONE,
		.by = pane->by,
		.nesting = ctx->what.limits.nesting,
		.spans = &pane->spans,
		.until = ctx->in->past ? ctx->in->past_ns : NS_NONE,
		.max_rows = GROUP_REGIONS_MAX_ROWS,
	};
	uint64_t key = tr2_hash_pair(view_choice_key(ctx), of.process.sid_hash);

	if (collecting_begins(&pane->of, key, sums_version(ctx, pane), ctx->in->monotonic_ns))
		group_regions_begin(next);
	if (!pane->of.works)
		return;
	collecting_continued(
		&pane->of, group_regions_continue(
				   next, &of, ctx->said ? UINT32_MAX : GROUP_REGIONS_FRAME_UNITS));
	ctx->view->working |= pane->of.works;
}

static void gather_sums(struct view_ctx *ctx, struct table *table, struct timings_pane *pane)
{
	const struct group_regions *sums;

	read_durations(ctx, pane);
	collect_sums(ctx, pane);
	if (!pane->of.has_rows)
		return;
	sums = shown_sums(ctx);
	table->nr_hidden += (uint32_t)sums->nr_hidden;
	for (uint32_t i = 0; i < sums->nr; i++) {
		const struct group_region *item = &sums->items[i];
		struct row *row = table_add(table, region_id(sums->groups[item->group].id,
							     item->timing.category,
							     item->timing.label, item->is_other));

		row->ref = i;
		row->key = -item->timing.self;
		pane->self_sum += (double)item->timing.self;
	}
}

static void timings_gather(struct view_ctx *ctx, struct table *table)
{
	struct timings_pane *pane = ctx->view->private;

	pane->self_sum = 0;
	table->of_several = pane->by.nr > 0;
	if (!is_summed(ctx))
		gather_all(ctx, table, pane);
	else if (!ctx->process_scope || ctx->process)
		gather_sums(ctx, table, pane);
}

static struct commands_by timings_grouping(const struct view_ctx *ctx)
{
	return ((const struct timings_pane *)ctx->view->private)->by;
}

static void timings_set_grouping(struct view_ctx *ctx, const struct commands_by *by)
{
	struct timings_pane *pane = ctx->view->private;

	pane->by = *by;
	pane->of.has_rows = pane->of.works = false;
}

static struct row_group timings_group(const struct view_ctx *ctx, const struct row *row)
{
	const struct group_regions *sums = shown_sums(ctx);
	const struct group_region *item = sums_of(ctx, row);
	const struct region_group *group;

	if (!item || item->is_other)
		return (struct row_group){ .by = { .nr = 0 } };
	group = &sums->groups[item->group];
	return (struct row_group){ timings_grouping(ctx),
				   group->has_text ? sums->texts.data + group->text : NULL,
				   group->len, model_process(ctx->model, group->process) };
}

static const char *timings_group_text(const struct view_ctx *ctx, const struct row *row,
				      size_t *len)
{
	struct row_group group = timings_group(ctx, row);

	*len = group.len;
	return group.text;
}

static void timings_draw_group(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct row_group group = timings_group(ctx, row);

	if (group.by.nr)
		row_group_draw(&group, STYLE_TEXT, slot);
}

static bool timings_visit_group(const struct view_ctx *ctx, const struct row *row,
				enum filter_field field, value_visit *visit, void *data)
{
	struct row_group group = timings_group(ctx, row);

	return row_group_visit(ctx->model, &group, field, visit, data);
}

static const struct timing *timing(const struct view_ctx *ctx, const struct row *row)
{
	const struct timings_pane *pane = ctx->view->private;
	const struct group_region *sums = sums_of(ctx, row);

	return sums ? &sums->timing : &pane->timings[row->ref];
}

static const char *category(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return known_sym(ctx->model, timing(ctx, row)->category, len);
}

static const char *label(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	return known_sym(ctx->model, timing(ctx, row)->label, len);
}

static void draw_sym(const struct view_ctx *ctx, sym_t sym, enum style style,
		     const struct slot *slot)
{
	size_t len = 1;
	const char *text = sym == SYM_NONE ? "?" : model_sym(ctx->model, sym, &len);

	slot_text(slot, style, text, len);
}

static void timings_draw_region(struct view_ctx *ctx, const struct row *row,
				const struct slot *slot)
{
	const struct group_region *sums = sums_of(ctx, row);
	struct tr2_buf *line = format_line();

	if (sums && sums->is_other)
		tr2_buf_addstr(line, "(other)");
	else
		format_region(ctx->model, timing(ctx, row)->category, timing(ctx, row)->label,
			      line);
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void draw_category(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_sym(ctx, timing(ctx, row)->category, STYLE_CATEGORY, slot);
}

static void draw_label(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_sym(ctx, timing(ctx, row)->label, STYLE_TEXT, slot);
}

static int64_t timings_count(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)timing(ctx, row)->count;
}

static int64_t timings_total(const struct view_ctx *ctx, const struct row *row)
{
	return timing(ctx, row)->total;
}

static int64_t self(const struct view_ctx *ctx, const struct row *row)
{
	return timing(ctx, row)->self;
}

/* Fill pane->hist with a row's durations. Returns how many of its regions are in it. */
static uint64_t fill_hist(const struct view_ctx *ctx, const struct row *row)
{
	struct timings_pane *pane = ctx->view->private;
	const struct group_region *sums = sums_of(ctx, row);

	memset(pane->hist, 0, sizeof(pane->hist));
	if (!sums) {
		model_timing_hist(ctx->model, row->ref2, &ctx->what.limits, pane->hist);
		return timing(ctx, row)->count;
	}
	group_regions_sums(shown_sums(ctx), row->ref, pane->hist);
	return sums->nr_durations;
}

static ns_t hist_of_row(const struct view_ctx *ctx, const struct row *row, double q)
{
	const struct timing *t = timing(ctx, row);

	fill_hist(ctx, row);
	return hist_quantile(((struct timings_pane *)ctx->view->private)->hist, q, t->min, t->max);
}

static int64_t timings_p50(const struct view_ctx *ctx, const struct row *row)
{
	const struct group_region *sums = sums_of(ctx, row);

	return sums ? sums->p50 : hist_of_row(ctx, row, 0.50);
}

static int64_t timings_p99(const struct view_ctx *ctx, const struct row *row)
{
	const struct group_region *sums = sums_of(ctx, row);

	return sums ? sums->p99 : hist_of_row(ctx, row, 0.99);
}

/* Draw a quantile, dimmed if durations of regions are unknown. */
static void draw_quantile(struct view_ctx *ctx, const struct row *row, ns_t value,
			  const struct slot *slot)
{
	const struct group_region *sums = sums_of(ctx, row);
	bool is_whole = !sums || sums->nr_durations == sums->timing.count;

	slot_duration(slot, is_whole ? STYLE_TEXT : STYLE_DIM, value);
}

static void timings_draw_p50(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_quantile(ctx, row, timings_p50(ctx, row), slot);
}

static void timings_draw_p99(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_quantile(ctx, row, timings_p99(ctx, row), slot);
}

static int64_t timings_longest(const struct view_ctx *ctx, const struct row *row)
{
	return timing(ctx, row)->max;
}

static void timings_draw_share(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct timings_pane *pane = ctx->view->private;
	double share = pane->self_sum > 0 ? (double)self(ctx, row) / pane->self_sum : 0;

	surface_bar(slot->surface, slot->x, slot->y, slot->cols, STYLE_BAR,
		    self(ctx, row) > 0 ? 1 + (int64_t)(share * (slot->cols * 8 - 1)) : 0);
}

static int64_t timings_failed(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)timing(ctx, row)->failed;
}

static void timings_draw_failed(struct view_ctx *ctx, const struct row *row,
				const struct slot *slot)
{
	uint64_t nr = timing(ctx, row)->failed;

	if (nr)
		slot_count(slot, nr ? STYLE_FAILED : STYLE_DIM, nr);
}

static const struct column columns[] = {
	{ .title = "GROUP",
	  .min_cells = 12,
	  .grow = 2,
	  .of_several = true,
	  .text = timings_group_text,
	  .draw = timings_draw_group },
	{ .title = "CATEGORY/LABEL",
	  .min_cells = 16,
	  .ample = 32,
	  .grow = 3,
	  .text = category,
	  .draw = timings_draw_region },
	{ .title = "CATEGORY",
	  .field = FILTER_CATEGORY,
	  .min_cells = 9,
	  .rank = 9,
	  .hidden = true,
	  .text = category,
	  .draw = draw_category },
	{ .title = "LABEL",
	  .field = FILTER_LABEL,
	  .min_cells = 12,
	  .rank = 9,
	  .hidden = true,
	  .text = label,
	  .draw = draw_label },
	{ .title = "COUNT",
	  .field = FILTER_COUNT,
	  .min_cells = 5,
	  .rank = 2,
	  .right = true,
	  .descending = true,
	  .number = timings_count },
	{ .title = "SELF",
	  .field = FILTER_SELF,
	  .min_cells = 7,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = self },
	{ .title = "",
	  .min_cells = 6,
	  .fills = 10,
	  .yields = true,
	  .rank = 7,
	  .no_sort = true,
	  .draw = timings_draw_share },
	{ .title = "TOTAL",
	  .field = FILTER_TOTAL,
	  .min_cells = 7,
	  .rank = 5,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = timings_total },
	{ .title = "P50",
	  .min_cells = 7,
	  .rank = 4,
	  .right = true,
	  .descending = true,
	  .number = timings_p50,
	  .draw = timings_draw_p50 },
	{ .title = "P99",
	  .min_cells = 7,
	  .rank = 3,
	  .right = true,
	  .descending = true,
	  .number = timings_p99,
	  .draw = timings_draw_p99 },
	{ .title = "MAX",
	  .field = FILTER_MAX,
	  .min_cells = 7,
	  .rank = 8,
	  .right = true,
	  .descending = true,
	  .is_duration = true,
	  .number = timings_longest },
	{ .title = "FAIL",
	  .field = FILTER_FAILED,
	  .min_cells = 4,
	  .rank = 6,
	  .right = true,
	  .descending = true,
	  .number = timings_failed,
	  .draw = timings_draw_failed },
};

static uint64_t count_all(const struct group_regions *sums)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < sums->nr; i++)
		count += sums->items[i].timing.count;
	return count;
}

static void format_timings_of(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct timings_pane *pane = ctx->view->private;

	if (ctx->process_scope && ctx->process) {
		tr2_buf_addstr(out, " · ");
		format_process(ctx->model, ctx->process, out);
		/* If durations of regions are unknown, quantiles are dimmed, which not every theme
		 * shows, so the title for one process reports this, too. */
		if (pane->of.has_rows && shown_sums(ctx)->nr_durations < count_all(shown_sums(ctx)))
			tr2_buf_addstr(out, " · percentiles of kept durations");
	} else if (!ctx->process_scope) {
		if (ctx->what.filter)
			tr2_buf_addf(out, " · processes with %s", filter_text(ctx->what.filter));
		else
			tr2_buf_addstr(out, " · all processes");
		if (is_summed(ctx) && model_dropped(ctx->model)->finished)
			tr2_buf_addstr(out, " · of processes in memory");
	}
}

static void timings_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	struct commands_by by = timings_grouping(ctx);

	if (by.nr) {
		tr2_buf_addstr(out, " · by ");
		commands_by_format(&by, out);
	}
	if (ctx->what.limits.nesting >= 0)
		tr2_buf_addf(out, " · nesting ≤ %" PRId64, ctx->what.limits.nesting);
	if (ctx->what.limits.depth >= 0 && !ctx->process_scope)
		tr2_buf_addf(out, " · depth ≤ %" PRId64, ctx->what.limits.depth);
	format_timings_of(ctx, out);
}

static int timings_foot_rows(const struct view_ctx *ctx, int rows)
{
	return rows >= 6 && ctx->view->table.nr_rows ? 1 : 0;
}

static void timings_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct timings_pane *pane = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);

	if (row && fill_hist(ctx, row))
		draw_spread(surface, area, pane->hist);
}

static const char *timings_empty(const struct view_ctx *ctx)
{
	const struct timings_pane *pane = ctx->view->private;
	const struct format *format = format_of(ctx->model, ctx->process);

	if (is_summed(ctx) && pane->of.works && !pane->of.has_rows)
		return "adding up the regions";
	if (ctx->view->table.nr_hidden)
		return ctx->what.limits.nesting < 0
			       ? "all regions are outside the depth limit: press d"
			       : "all regions are outside the nesting limit: press F8";
	return format->lane ? "no region has been completed yet" : format->regionless;
}

static enum view_id timings_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	const struct group_region *sums = sums_of(ctx, row);
	struct commands_by by = timings_grouping(ctx);

	if (sums && sums->is_other)
		return NR_VIEWS;
	subject->has_group = by.nr > 0;
	if (by.nr) {
		subject->group = shown_sums(ctx)->groups[sums->group].id;
		subject->group_by = by;
	}
	subject->category = timing(ctx, row)->category;
	subject->label = timing(ctx, row)->label;
	if (!ctx->process_scope)
		subject->process = HANDLE_NONE;
	return VIEW_REGION;
}

static bool timings_events(const struct view_ctx *ctx, const struct row *row,
			   struct subject *subject, struct tr2_buf *filter)
{
	struct row_group group;

	if (!ctx->process_scope)
		subject->process = HANDLE_NONE;
	if (!row || timings_drill(ctx, row, subject) == NR_VIEWS)
		return false;
	format_term(ctx->model, "category", timing(ctx, row)->category, filter);
	format_term(ctx->model, "label", timing(ctx, row)->label, filter);
	group = timings_group(ctx, row);
	return !group.by.nr || row_group_format_events(ctx->model, &group, filter);
}

static void timings_release(void *private)
{
	struct timings_pane *pane = private;

	free(pane->timings);
	group_regions_release(&pane->sums[0]);
	group_regions_release(&pane->sums[1]);
	spans_release(&pane->spans);
}

const struct view_ops pane_timings = {
	.name = "Timings",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.scoped = true,
	.private_bytes = sizeof(struct timings_pane),
	.title = timings_title,
	.gather = timings_gather,
	.foot_rows = timings_foot_rows,
	.foot = timings_foot,
	.empty = timings_empty,
	.grouping = timings_grouping,
	.set_grouping = timings_set_grouping,
	.ungroups = true,
	.visit_group = timings_visit_group,
	.filter_rows = FILTER_ROWS_TIMING,
	.drill = timings_drill,
	.events = timings_events,
	.release = timings_release,
};
