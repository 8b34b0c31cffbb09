/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/command_trends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/rank_sum.h"
#include "monitor/analysis/signed_ranks.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hist.h"
#include "monitor/base/order.h"

struct trend_run {
	uint32_t row;
	uint32_t sid_len;
	ns_t end, elapsed;
	const char *sid;
};

static int trend_run_compare(const void *a, const void *b)
{
	const struct trend_run *x = a, *y = b;
	int diff;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	diff = memcmp(x->sid, y->sid, x->sid_len < y->sid_len ? x->sid_len : y->sid_len);
	return diff ? diff : (x->sid_len > y->sid_len) - (x->sid_len < y->sid_len);
}

/* Sorts `times`. */
static ns_t trend_quantile(double *times, uint32_t nr, double q)
{
	qsort(times, nr, sizeof(*times), order_doubles);
	return (ns_t)times[hist_rank(nr, q) - 1];
}

static void slices_make(struct command_trends *t, struct command_trend *row,
			const struct trend_run *runs, double *times)
{
	uint32_t nr = row->nr / TREND_SLICE_RUNS;

	row->first_slice = t->nr_slices;
	row->nr_slices = nr < TREND_SLICES ? nr : TREND_SLICES;
	for (uint32_t i = 0, run = 0; i < row->nr_slices; i++) {
		/* Run k of n is in slice floor(k * slices / n). */
		uint64_t end = ((uint64_t)(i + 1) * row->nr + row->nr_slices - 1) / row->nr_slices;
		struct trend_slice slice = { .first = runs[run].end,
					     .last = runs[end - 1].end,
					     .nr = (uint32_t)end - run };

		for (uint32_t k = 0; k < slice.nr; k++)
			times[k] = (double)runs[run + k].elapsed;
		slice.p90 = trend_quantile(times, slice.nr, 0.9);
		run = (uint32_t)end;
		GROW(t->slices, t->nr_slices, t->cap_slices, 64);
		t->slices[t->nr_slices++] = slice;
	}
}

static void trend_test(struct command_trend *row, const struct trend_run *runs, double *times)
{
	uint32_t newest = row->nr / 10 + (row->nr % 10 > 0);
	struct rank_sum test;

	newest = newest > TREND_RUNS ? newest : TREND_RUNS;
	if (row->nr < newest + TREND_RUNS)
		return;
	row->tested = true;
	row->newest = newest;
	row->others = row->nr - newest;
	for (uint32_t i = 0; i < row->nr; i++)
		times[i] = (double)runs[i].elapsed;
	rank_sum(&test, times + row->others, newest, times, row->others);
	row->p = test.p;
	row->others_median = trend_quantile(times, row->others, 0.5);
	row->newest_median = trend_quantile(times + row->others, newest, 0.5);
	row->ratio = row->others_median > 0
			     ? (double)row->newest_median / (double)row->others_median
			     : NAN;
}

static void trends_judge(struct command_trends *t, double *p)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t->nr; i++)
		if (t->rows[i].tested)
			p[nr++] = t->rows[i].p;
	holm_adjust(p, nr);
	nr = 0;
	for (uint32_t i = 0; i < t->nr; i++) {
		struct command_trend *row = &t->rows[i];

		if (!row->tested)
			continue;
		row->adjusted = p[nr++];
		if (row->adjusted >= TREND_P)
			continue;
		row->sign = row->ratio >= TREND_RATIO ? 1 : row->ratio <= 1 / TREND_RATIO ? -1 : 0;
	}
}

/* longer durations in ns count as this power of two, which double and int64_t both represent */
#define MOST_ELAPSED (INT64_MAX / 2 + 1)

static ns_t bounded_elapsed(ns_t elapsed)
{
	return elapsed > MOST_ELAPSED ? MOST_ELAPSED : elapsed;
}

/* The runs are sorted by row, end and SID; the caller frees them. */
static struct trend_run *runs_collect(const struct commands *c, const struct model *m, uint32_t *nr)
{
	struct trend_run *runs = xreallocarray(NULL, (size_t)c->nr_groups + 1, sizeof(*runs));
	uint32_t i = 0;

	*nr = 0;
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s), i++) {
		const struct process *p = model_slot(m, s);
		uint32_t row = commands_row_of_timed(c, i);

		if (row == SLOT_NONE || p->end == NS_NONE)
			continue;
		runs[(*nr)++] = (struct trend_run){ .row = row,
						    .sid_len = p->sid.len,
						    .end = p->end,
						    .elapsed = bounded_elapsed(process_elapsed(p)),
						    .sid = model_text(m, p->sid) };
	}
	qsort(runs, *nr, sizeof(*runs), trend_run_compare);
	return runs;
}

void command_trends_make(struct command_trends *t, const struct commands *c, const struct model *m)
{
	uint32_t nr;
	struct trend_run *runs = runs_collect(c, m, &nr);
	double *times = xreallocarray(NULL, (size_t)nr + c->nr + 1, sizeof(*times));

	free(t->rows);
	t->rows = xcalloc((size_t)c->nr + 1, sizeof(*t->rows));
	t->nr = c->nr;
	t->nr_slices = 0;
	for (uint32_t from = 0, to; from < nr; from = to) {
		struct command_trend *row = &t->rows[runs[from].row];

		for (to = from; to < nr && runs[to].row == runs[from].row; to++)
			;
		row->nr = to - from;
		slices_make(t, row, runs + from, times);
		trend_test(row, runs + from, times);
	}
	trends_judge(t, times);
	free(times);
	free(runs);
}

void command_trends_release(struct command_trends *t)
{
	free(t->rows);
	free(t->slices);
	*t = (struct command_trends){ 0 };
}
