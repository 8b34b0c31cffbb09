/* SPDX-License-Identifier: MIT */
/*
 * Pane 3: timings of regions by category and label, of all processes or the selected one, within
 * the limits of nesting and depth. Below: the distribution of the selected row's durations.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/spread.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/analysis/formats.h"
#include "monitor/analysis/spans.h"

/* Figures of the rows, by number of the row when it was added; gather() computes them for
 * draw(). */
struct timings_figures {
	struct timing *timings;
	uint32_t nr, cap;
	uint32_t *timing_of; /* by row of the model's timings: index in `timings` + 1; 0: none */
	uint32_t cap_map;
	uint64_t sums[HIST_BUCKETS];
	/* For one process or filtered processes the model has no histograms, so the durations of
	 * their regions are read from the journal, into the following members. */
	uint32_t *chosen; /* slots in the model of the chosen processes */
	uint32_t nr_chosen, cap_chosen;
	struct spans spans;
	ns_t *durations; /* durations of regions, grouped by row of the table */
	/* by row: index of its first duration in `durations`; one more entry at the end */
	uint32_t *firsts;
	uint32_t nr_durations, cap_durations, cap_firsts;
	double self_sum; /* sum of the self times of all rows, before filtering */
};

static struct timing *add_timing(struct timings_figures *figures)
{
	if (figures->nr == figures->cap) {
		figures->cap = figures->cap ? figures->cap * 2 : 64;
		figures->timings =
			xreallocarray(figures->timings, figures->cap, sizeof(*figures->timings));
	}
	return &figures->timings[figures->nr++];
}

/* Return the figures of a row, and add the row if it is new, for one process or for the filtered
 * processes. */
static struct timing *timing_of(struct table *table, struct timings_figures *figures,
				const struct timing_cell *cell)
{
	if (figures->timing_of[cell->row])
		return &figures->timings[figures->timing_of[cell->row] - 1];
	struct row *row = table_add(table, region_id(0, cell->category, cell->label, 0));
	struct timing *timing = add_timing(figures);

	figures->timing_of[cell->row] = figures->nr;
	row->ref2 = cell->row;
	row->ref = figures->nr - 1;
	*timing = (struct timing){ cell->category, cell->label, 0, 0, 0, 0, INT64_MAX, 0 };
	return timing;
}

static void sum_node(struct view_ctx *ctx, struct table *table, struct timings_figures *figures,
		     const struct region_node *node, bool timings_failed)
{
	const struct timing_cell *cell = model_cell(ctx->model, node->cell);
	struct timing *timing;

	if (!node->count)
		return;
	if (ctx->what.limits.nesting >= 0 && cell->nesting > ctx->what.limits.nesting) {
		table->nr_hidden++;
		return;
	}
	timing = timing_of(table, figures, cell);
	timing->count += node->count;
	timing->failed += timings_failed ? node->count : 0;
	timing->total = ns_add(timing->total, node->total);
	/* Regions deeper than the nesting limit are hidden, so all time of a region at the limit is
	 * self time. */
	timing->self = ns_add(timing->self,
			      cell->nesting == ctx->what.limits.nesting ? node->total : node->self);
	timing->min = node->min < timing->min ? node->min : timing->min;
	timing->max = node->max > timing->max ? node->max : timing->max;
}

static void gather_process(struct view_ctx *ctx, struct table *table,
			   struct timings_figures *figures, const struct process *process)
{
	bool timings_failed = process_failed(process);

	for (uint32_t i = 0; i < process->threads.nr; i++) {
		uint32_t at = process_thread(ctx->model, process, i)->nodes, level = 0;

		for (; at; at = model_node_next(ctx->model, at, &level))
			sum_node(ctx, table, figures, model_node(ctx->model, at), timings_failed);
	}
}

static void timings_choose(struct timings_figures *figures, uint32_t slot)
{
	if (figures->nr_chosen == figures->cap_chosen) {
		figures->cap_chosen = figures->cap_chosen ? figures->cap_chosen * 2 : 16;
		figures->chosen = xreallocarray(figures->chosen, figures->cap_chosen,
						sizeof(*figures->chosen));
	}
	figures->chosen[figures->nr_chosen++] = slot;
}

static void clear_map(struct view_ctx *ctx, struct timings_figures *figures)
{
	uint32_t nr = model_nr_timing_rows(ctx->model) + 1;

	if (nr > figures->cap_map) {
		figures->cap_map = nr * 2;
		figures->timing_of = xreallocarray(figures->timing_of, figures->cap_map,
						   sizeof(*figures->timing_of));
	}
	memset(figures->timing_of, 0, nr * sizeof(*figures->timing_of));
}

/* Gather the processes that match the filter, within the depth limit. */
static void gather_chosen(struct view_ctx *ctx, struct table *table,
			  struct timings_figures *figures)
{
	for (uint32_t slot = model_first_slot(ctx->model); slot != SLOT_NONE;
	     slot = model_next_slot(ctx->model, slot)) {
		const struct process *process = model_slot(ctx->model, slot);

		if ((ctx->what.limits.depth < 0 || process->depth <= ctx->what.limits.depth) &&
		    filter_process(ctx->what.filter, ctx->model, slot)) {
			gather_process(ctx, table, figures, process);
			timings_choose(figures, slot);
		}
	}
}

/* True if the figures are those of one process or of filtered processes, for which the model has no
 * histograms. */
static bool is_summed(const struct view_ctx *ctx)
{
	return ctx->process_scope || ctx->what.filter;
}

static void gather_all(struct view_ctx *ctx, struct table *table, struct timings_figures *figures)
{
	for (uint32_t i = 0; i < model_nr_timing_rows(ctx->model); i++) {
		struct timing *timing = add_timing(figures);

		if (!model_timing(ctx->model, i, &ctx->what.limits, timing)) {
			figures->nr--;
			table->nr_hidden += model_timing(ctx->model, i,
							 &(struct timing_limits){ -1, -1 }, timing);
			continue;
		}
		struct row *row =
			table_add(table, region_id(0, timing->category, timing->label, 0));

		row->ref = figures->nr - 1;
		row->ref2 = i;
	}
}

/* Call `each` with the row and the duration of the regions of a process that were read from the
 * journal, within the nesting limit and the displayed time. */
static void each_span_of(const struct view_ctx *ctx, struct timings_figures *figures,
			 const struct process *p,
			 void (*each)(struct timings_figures *, uint32_t, ns_t))
{
	for (uint32_t t = 0; t < p->threads.nr; t++) {
		sym_t name = process_thread(ctx->model, p, t)->name;
		const struct track *track =
			spans_track(&figures->spans, spans_key(p->sid_hash, name));

		for (uint32_t i = 0; track && i < track->nr; i++) {
			const struct span *span = &track->items[i];
			uint32_t row = model_timing_row(ctx->model, span->category, span->label);

			if (row == SLOT_NONE || !figures->timing_of[row] ||
			    (ctx->what.limits.nesting >= 0 &&
			     span->nesting > ctx->what.limits.nesting) ||
			    (ctx->in->past && ctx->in->past_ns != NS_NONE &&
			     span->end > ctx->in->past_ns))
				continue;
			each(figures, figures->timing_of[row] - 1, span->end - span->start);
		}
	}
}

static void each_span(const struct view_ctx *ctx, struct timings_figures *figures,
		      void (*each)(struct timings_figures *, uint32_t, ns_t))
{
	for (uint32_t i = 0; i < figures->nr_chosen; i++)
		each_span_of(ctx, figures, model_slot(ctx->model, figures->chosen[i]), each);
}

static void count_span(struct timings_figures *figures, uint32_t row, ns_t duration)
{
	(void)duration;
	figures->firsts[row]++;
	figures->nr_durations++;
}

static void put_span(struct timings_figures *figures, uint32_t row, ns_t duration)
{
	figures->durations[--figures->firsts[row]] = duration;
}

/* Continue reading the journal, and group the durations of regions in the chosen processes by
 * row. */
static void gather_durations(struct view_ctx *ctx, struct timings_figures *figures)
{
	const struct process *p = ctx->process_scope ? ctx->process : NULL;
	const char *sid = p ? model_text(ctx->model, p->sid) : NULL;
	size_t len = p ? p->sid.len : 0;

	if (!spans_is_of(&figures->spans, sid, len)) {
		spans_reset(&figures->spans, sid, len);
		figures->spans.alone = p != NULL;
	}
	if (spans_read(&figures->spans, ctx->in->journal) < 100)
		ctx->view->working = true;
	if (figures->nr + 1 > figures->cap_firsts) {
		figures->cap_firsts = figures->cap * 2 + 1;
		figures->firsts = xreallocarray(figures->firsts, figures->cap_firsts,
						sizeof(*figures->firsts));
	}
	memset(figures->firsts, 0, (figures->nr + 1) * sizeof(*figures->firsts));
	figures->nr_durations = 0;
	each_span(ctx, figures, count_span);
	if (figures->nr_durations > figures->cap_durations) {
		figures->cap_durations = figures->nr_durations * 2;
		figures->durations = xreallocarray(figures->durations, figures->cap_durations,
						   sizeof(*figures->durations));
	}
	/* Set `firsts` of each row to the end of its durations; put_span() decrements it to the
	 * begin. */
	for (uint32_t i = 1; i <= figures->nr; i++)
		figures->firsts[i] += figures->firsts[i - 1];
	each_span(ctx, figures, put_span);
}

/* Set figures->sums to the histogram of a row's durations; return the number of durations. */
static uint64_t fill_sums(const struct view_ctx *ctx, const struct row *row)
{
	struct timings_figures *figures = ctx->view->private;
	uint32_t end;

	memset(figures->sums, 0, sizeof(figures->sums));
	if (!is_summed(ctx)) {
		model_timing_hist(ctx->model, row->ref2, &ctx->what.limits, figures->sums);
		return figures->timings[row->ref].count;
	}
	if (!figures->nr_durations)
		return 0;
	end = row->ref + 1 < figures->nr ? figures->firsts[row->ref + 1] : figures->nr_durations;
	for (uint32_t i = figures->firsts[row->ref]; i < end; i++)
		figures->sums[hist_bucket(figures->durations[i])]++;
	return end - figures->firsts[row->ref];
}

static void timings_gather(struct view_ctx *ctx, struct table *table)
{
	struct timings_figures *figures = ctx->view->private;

	figures->nr = figures->nr_durations = figures->nr_chosen = 0;
	clear_map(ctx, figures);
	if (ctx->process_scope && ctx->process) {
		gather_process(ctx, table, figures, ctx->process);
		timings_choose(figures, ctx->view->subject.process.slot);
		gather_durations(ctx, figures);
	} else if (is_summed(ctx) && !ctx->process_scope) {
		gather_chosen(ctx, table, figures);
		gather_durations(ctx, figures);
	} else if (!ctx->process_scope)
		gather_all(ctx, table, figures);
	for (uint32_t i = 0; i < table->nr_rows; i++)
		table->rows[i].key = -figures->timings[table->rows[i].ref].self;
	figures->self_sum = 0;
	for (uint32_t i = 0; i < table->nr_rows; i++)
		figures->self_sum += (double)figures->timings[table->rows[i].ref].self;
}

static const struct timing *timing(const struct view_ctx *ctx, const struct row *row)
{
	return &((const struct timings_figures *)ctx->view->private)->timings[row->ref];
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
	struct tr2_buf *line = format_line();

	format_region(ctx->model, timing(ctx, row)->category, timing(ctx, row)->label, line);
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

/* Return a quantile of a row's durations. `nr`: number of regions in the histogram. */
static ns_t timings_quantile(const struct view_ctx *ctx, const struct row *row, double q,
			     uint64_t *nr)
{
	const struct timing *t = timing(ctx, row);

	*nr = fill_sums(ctx, row);
	return *nr ? hist_quantile(((struct timings_figures *)ctx->view->private)->sums, q, t->min,
				   t->max)
		   : NS_NONE;
}

static int64_t timings_p50(const struct view_ctx *ctx, const struct row *row)
{
	uint64_t nr;

	return timings_quantile(ctx, row, 0.50, &nr);
}

static int64_t timings_p99(const struct view_ctx *ctx, const struct row *row)
{
	uint64_t nr;

	return timings_quantile(ctx, row, 0.99, &nr);
}

/* Draw a quantile, dimmed if not all of the regions were read from the journal. */
static void draw_quantile(struct view_ctx *ctx, const struct row *row, double q,
			  const struct slot *slot)
{
	uint64_t nr;
	ns_t timings_value = timings_quantile(ctx, row, q, &nr);

	slot_duration(slot, nr == timing(ctx, row)->count ? STYLE_TEXT : STYLE_DIM, timings_value);
}

static void timings_draw_p50(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_quantile(ctx, row, 0.50, slot);
}

static void timings_draw_p99(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_quantile(ctx, row, 0.99, slot);
}

static int64_t timings_longest(const struct view_ctx *ctx, const struct row *row)
{
	return timing(ctx, row)->max;
}

/* Draw the row's share in the sum of the self times of all rows, before filtering. */
static void timings_draw_share(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct timings_figures *figures = ctx->view->private;
	double share = figures->self_sum > 0 ? (double)self(ctx, row) / figures->self_sum : 0;

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

static uint64_t count_all(const struct timings_figures *figures)
{
	uint64_t timings_count = 0;

	for (uint32_t i = 0; i < figures->nr; i++)
		timings_count += figures->timings[i].count;
	return timings_count;
}

static void timings_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct timings_figures *figures = ctx->view->private;

	if (ctx->what.limits.nesting >= 0)
		tr2_buf_addf(out, " · nesting ≤ %" PRId64, ctx->what.limits.nesting);
	if (ctx->what.limits.depth >= 0 && !ctx->process_scope)
		tr2_buf_addf(out, " · depth ≤ %" PRId64, ctx->what.limits.depth);
	if (ctx->process_scope && ctx->process) {
		tr2_buf_addstr(out, " · ");
		format_process(ctx->model, ctx->process, out);
		/* If the journal no longer contains all regions, quantiles are dimmed; not every
		 * theme makes this visible, so the title reports it, too. */
		if (figures->nr_durations < count_all(figures))
			tr2_buf_addstr(out, " · percentiles of kept durations");
	} else if (!ctx->process_scope) {
		if (ctx->what.filter)
			tr2_buf_addf(out, " · processes with %s", filter_text(ctx->what.filter));
		else
			tr2_buf_addstr(out, " · all processes");
	}
}

static int timings_foot_rows(const struct view_ctx *ctx, int rows)
{
	return rows >= 6 && ctx->view->table.nr_rows ? 1 : 0;
}

static void timings_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	struct timings_figures *figures = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);

	if (row && fill_sums(ctx, row))
		draw_spread(surface, area, figures->sums);
}

static const char *timings_empty(const struct view_ctx *ctx)
{
	const struct format *format = format_of(ctx->model, ctx->process);

	if (ctx->view->table.nr_hidden)
		return ctx->what.limits.nesting < 0
			       ? "all regions are outside the depth limit: press d"
			       : "all regions are outside the nesting limit: press F8";
	return format->lane ? "no region has been completed yet" : format->regionless;
}

static enum view_id timings_drill(const struct view_ctx *ctx, const struct row *row,
				  struct subject *subject)
{
	const struct timings_figures *figures = ctx->view->private;

	subject->category = figures->timings[row->ref].category;
	subject->label = figures->timings[row->ref].label;
	if (!ctx->process_scope)
		subject->process = HANDLE_NONE;
	return VIEW_REGION;
}

static bool timings_events(const struct view_ctx *ctx, const struct row *row,
			   struct subject *subject, struct tr2_buf *filter)
{
	const struct timings_figures *figures = ctx->view->private;

	if (!ctx->process_scope)
		subject->process = HANDLE_NONE;
	if (!row)
		return false;
	format_term(ctx->model, "category", figures->timings[row->ref].category, filter);
	format_term(ctx->model, "label", figures->timings[row->ref].label, filter);
	return true;
}

static void timings_release(void *private)
{
	struct timings_figures *figures = private;

	free(figures->timings);
	free(figures->timing_of);
	free(figures->durations);
	free(figures->firsts);
	free(figures->chosen);
	spans_release(&figures->spans);
}

const struct view_ops pane_timings = {
	.name = "Timings",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.scoped = true,
	.private_bytes = sizeof(struct timings_figures),
	.title = timings_title,
	.gather = timings_gather,
	.foot_rows = timings_foot_rows,
	.foot = timings_foot,
	.empty = timings_empty,
	.filter_rows = FILTER_ROWS_TIMING,
	.drill = timings_drill,
	.events = timings_events,
	.release = timings_release,
};
