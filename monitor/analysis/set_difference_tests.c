/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/set_difference_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/rank_sum.h"
#include "monitor/analysis/signed_ranks.h"
#include "monitor/base/grow.h"
#include "monitor/base/order.h"
#include "monitor/base/platform.h"

/* a significant difference of two shares: at least so many percentage points, or this ratio */
#define MANY_PERCENT  10
#define MANY_FOLD     2
#define MANY_PAIRS    0.60 /* minimum share of pairs that differ in one direction */
#define PAIR_UNITS    20u
#define COLUMN_UNITS  20u
#define RANKS_UNITS   2u /* per number */
#define SAME_PER_UNIT 1e9

static double log_choose(double n, double k)
{
	return platform_log_gamma(n + 1) - platform_log_gamma(k + 1) -
	       platform_log_gamma(n - k + 1);
}

/*
 * Return the sum of the probabilities from `x` on in one direction, relative to that of `x`: of
 * `all` runs, `with` have the value, and `x` of the `slow` runs have it. Negligible terms are left
 * out.
 */
static double tail_from(double x, double slow, double with, double all, int direction)
{
	double term = 1, sum = 1;

	for (;;) {
		if (direction < 0) {
			term *= x * (all - slow - with + x) / ((slow - x + 1) * (with - x + 1));
			x--;
		} else {
			term *= (slow - x) * (with - x) / ((x + 1) * (all - slow - with + x + 1));
			x++;
		}
		if (!(term > sum * 1e-17))
			return sum;
		sum += term;
	}
}

double fisher_exact(uint32_t slow_with, uint32_t slow, uint32_t others_with, uint32_t others)
{
	double with = (double)slow_with + others_with, all = (double)slow + others;
	double at = exp(log_choose(with, slow_with) + log_choose(all - with, slow - slow_with) -
			log_choose(all, slow));
	double low = at * tail_from(slow_with, slow, with, all, -1);
	double high = at * tail_from(slow_with, slow, with, all, 1);
	double p = 2 * (low < high ? low : high);

	return p < 1 ? p : 1;
}

static struct set_difference_candidate *candidate_new(struct set_difference_work *w,
						      struct set_difference_value value)
{
	GROW(w->candidates, w->nr_candidates, w->cap_candidates, 64);
	w->candidates[w->nr_candidates] = (struct set_difference_candidate){ .row.value = value };
	return &w->candidates[w->nr_candidates++];
}

static bool shares_differ(const struct set_difference_row *row)
{
	double slow = (double)row->with[1] / row->runs[1];
	double others = (double)row->with[0] / row->runs[0];

	return 100 * fabs(slow - others) >= MANY_PERCENT || slow >= MANY_FOLD * others ||
	       others >= MANY_FOLD * slow;
}

/* Compare the shares of the runs that have a value, if at least SET_DIFFERENCE_SPLIT runs have the
 * value and as many have not. `split`: sum of the hashes of the runs with the value; `among`: that
 * of all compared runs. */
static void test_shares(struct set_difference *d, struct set_difference_value value,
			const uint32_t with[2], const uint32_t runs[2], uint64_t split,
			uint64_t among)
{
	uint32_t have = with[0] + with[1], all = runs[0] + runs[1];
	struct set_difference_candidate *c;

	if (have < SET_DIFFERENCE_SPLIT || all - have < SET_DIFFERENCE_SPLIT)
		return;
	c = candidate_new(d->work, value);
	memcpy(c->row.with, with, sizeof(c->row.with));
	memcpy(c->row.runs, runs, sizeof(c->row.runs));
	c->row.p = fisher_exact(with[1], runs[1], with[0], runs[0]);
	c->row.significant = shares_differ(&c->row);
	c->among = among;
	c->split = split < among - split ? split : among - split;
}

uint32_t set_difference_test_pair(struct set_difference *d, uint32_t number)
{
	const struct set_difference_pair *pair = &d->work->pairs[number];

	test_shares(d, pair->value, pair->with, d->runs, pair->split, d->work->all);
	return PAIR_UNITS;
}

/* Copy the numbers of a column: those of `others`, then those of `slow`. */
static double *copy_numbers(struct set_difference_work *w, const struct set_difference_column *c)
{
	uint32_t at[2] = { 0, c->with[0] };

	if (w->cap_numbers < c->nr) {
		w->cap_numbers = c->nr;
		w->numbers = xreallocarray(w->numbers, c->nr, sizeof(*w->numbers));
	}
	for (uint32_t i = 0; i < c->nr; i++)
		w->numbers[at[w->runs[c->numbers[i].run].slow]++] = c->numbers[i].value;
	return w->numbers;
}

/*
 * Get the value of half or more of the numbers of a column; of two such values, the smaller.
 * Returns false if there is none. Such a value is one of the two that remain after different
 * numbers were cancelled.
 */
static bool frequent_number(const struct set_difference_column *c, double *out)
{
	double kept[2] = { 0, 0 };
	uint32_t left[2] = { 0, 0 }, nr[2] = { 0, 0 };
	bool found = false;

	for (uint32_t i = 0; i < c->nr; i++) {
		double value = c->numbers[i].value;

		if (left[0] && kept[0] == value) {
			left[0]++;
		} else if (left[1] && kept[1] == value) {
			left[1]++;
		} else if (!left[0] || !left[1]) {
			kept[left[0] ? 1 : 0] = value;
			left[left[0] ? 1 : 0] = 1;
		} else {
			left[0]--;
			left[1]--;
		}
	}
	for (uint32_t i = 0; i < c->nr; i++)
		for (int k = 0; k < 2; k++)
			nr[k] += left[k] && c->numbers[i].value == kept[k];
	for (int k = 0; k < 2; k++)
		if (left[k] && nr[k] >= c->nr - nr[k] && (!found || kept[k] < *out)) {
			*out = kept[k];
			found = true;
		}
	return found;
}

static void test_not(struct set_difference *d, uint32_t column, double frequent)
{
	struct set_difference_work *w = d->work;
	const struct set_difference_column *c = &w->columns[column];
	struct set_difference_value value = { .column = column, .of = SET_DIFFERENCE_NOT };
	uint32_t with[2] = { 0, 0 };
	uint64_t split = 0;
	char text[32];

	for (uint32_t i = 0; i < c->nr; i++)
		if (c->numbers[i].value != frequent) {
			with[w->runs[c->numbers[i].run].slow]++;
			split += set_difference_mark(c->numbers[i].run);
		}
	value.len = (uint32_t)snprintf(text, sizeof(text), "%.15g", frequent);
	value.text = (uint32_t)w->texts.len;
	tr2_buf_add(&w->texts, text, value.len);
	test_shares(d, value, with, c->with, split, c->split);
}

static void test_ranks(struct set_difference *d, uint32_t column)
{
	struct set_difference_work *w = d->work;
	const struct set_difference_column *c = &w->columns[column];
	double *numbers = copy_numbers(w, c), *slow = numbers + c->with[0];
	struct set_difference_candidate *candidate;
	struct rank_sum test;

	rank_sum(&test, slow, c->with[1], numbers, c->with[0]);
	qsort(numbers, c->with[0], sizeof(*numbers), order_doubles);
	qsort(slow, c->with[1], sizeof(*slow), order_doubles);
	candidate = candidate_new(
		w, (struct set_difference_value){ .column = column, .of = SET_DIFFERENCE_RANKS });
	memcpy(candidate->row.with, c->with, sizeof(c->with));
	memcpy(candidate->row.runs, c->with, sizeof(c->with));
	candidate->row.p = test.p;
	candidate->row.higher = test.higher;
	candidate->row.medians[0] = numbers[(c->with[0] - 1) / 2];
	candidate->row.medians[1] = slow[(c->with[1] - 1) / 2];
	candidate->row.significant = test.higher >= MANY_PAIRS || test.higher <= 1 - MANY_PAIRS;
	/* a test of ranks is never merged with another test */
	candidate->among = UINT64_MAX;
	candidate->split = column;
}

uint32_t set_difference_test_column(struct set_difference *d, uint32_t number)
{
	struct set_difference_work *w = d->work;
	const struct set_difference_column *c = &w->columns[number];
	uint32_t without[2] = { d->runs[0] - c->with[0], d->runs[1] - c->with[1] };
	double frequent = 0;

	test_shares(d, (struct set_difference_value){ .column = number, .of = SET_DIFFERENCE_NONE },
		    without, d->runs, w->all - c->split, w->all);
	if (c->is_text || c->with[0] < SET_DIFFERENCE_RUNS || c->with[1] < SET_DIFFERENCE_RUNS)
		return COLUMN_UNITS;
	if (frequent_number(c, &frequent))
		test_not(d, number, frequent);
	else
		test_ranks(d, number);
	return COLUMN_UNITS + RANKS_UNITS * c->nr;
}

/* for the compare function, because qsort() passes no context */
static const struct set_difference_work *sorted;

static int compare_texts(const char *a, uint32_t a_len, const char *b, uint32_t b_len)
{
	uint32_t len = a_len < b_len ? a_len : b_len;
	int order = len ? memcmp(a, b, len) : 0;

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_columns(const struct set_difference_column *a,
			   const struct set_difference_column *b)
{
	const char *texts = sorted->texts.data;
	int order = (a->attribute > b->attribute) - (a->attribute < b->attribute);

	if (!order)
		order = compare_texts(texts + a->category, a->category_len, texts + b->category,
				      b->category_len);
	return order ? order
		     : compare_texts(texts + a->key, a->key_len, texts + b->key, b->key_len);
}

static uint32_t sort_text(const struct set_difference_value *value, char *out, uint32_t size)
{
	const char *prefix = value->of == SET_DIFFERENCE_NOT ? "not " : "";
	uint32_t len = (uint32_t)strlen(prefix), own = value->len;

	own = own < size - len ? own : size - len;
	memcpy(out, prefix, len);
	if (own)
		memcpy(out + len, sorted->texts.data + value->text, own);
	return len + own;
}

/* Order within a column: numbers, then texts, then values without a text. */
static int set_difference_place(enum set_difference_of of)
{
	return of == SET_DIFFERENCE_RANKS   ? 0
	       : of == SET_DIFFERENCE_OTHER ? 2
	       : of == SET_DIFFERENCE_NONE  ? 3
					    : 1;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct set_difference_value *x =
		&((const struct set_difference_candidate *)a)->row.value;
	const struct set_difference_value *y =
		&((const struct set_difference_candidate *)b)->row.value;
	int order = x->column == y->column ? 0
					   : compare_columns(&sorted->columns[x->column],
							     &sorted->columns[y->column]);
	char x_text[256], y_text[256];

	if (order)
		return order;
	order = set_difference_place(x->of) - set_difference_place(y->of);
	return order ? order
		     : compare_texts(x_text, sort_text(x, x_text, sizeof(x_text)), y_text,
				     sort_text(y, y_text, sizeof(y_text)));
}

static int compare_splits(const void *a, const void *b)
{
	const struct set_difference_candidate *x = a, *y = b;

	if (x->among != y->among)
		return x->among < y->among ? -1 : 1;
	if (x->split != y->split)
		return x->split < y->split ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Rows with equal p are in the order of the table of attributes. Computed values of p differ
 * slightly, so round them. */
static int compare_rows(const void *a, const void *b)
{
	const struct set_difference_candidate *x = a, *y = b;
	double x_log = x->row.p > 0 ? rint(log(x->row.p) * SAME_PER_UNIT) : -INFINITY;
	double y_log = y->row.p > 0 ? rint(log(y->row.p) * SAME_PER_UNIT) : -INFINITY;

	if (x_log != y_log)
		return x_log < y_log ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/*
 * Merge candidates that divide the runs in the same way, which are adjacent. The first candidate
 * becomes the row, the others are listed in `same`. Returns the number of rows.
 */
static uint32_t merge_splits(struct set_difference_work *w)
{
	uint32_t nr = 0, nr_same = 0;

	w->same = xreallocarray(NULL, (size_t)w->nr_candidates + 1, sizeof(*w->same));
	for (uint32_t i = 0, next; i < w->nr_candidates; i = next) {
		struct set_difference_candidate first = w->candidates[i];

		first.row.first_same = nr_same;
		for (next = i + 1;
		     next < w->nr_candidates && w->candidates[next].among == first.among &&
		     w->candidates[next].split == first.split;
		     next++)
			w->same[nr_same++] = w->candidates[next].row.value;
		first.row.nr_same = nr_same - first.row.first_same;
		w->candidates[nr++] = first;
	}
	return nr;
}

static void judge_rows(struct set_difference_row *rows, uint32_t nr)
{
	double *p = xreallocarray(NULL, (size_t)nr + 1, sizeof(*p));

	for (uint32_t i = 0; i < nr; i++)
		p[i] = rows[i].p;
	holm_adjust(p, nr);
	for (uint32_t i = 0; i < nr; i++) {
		rows[i].adjusted = p[i];
		rows[i].significant = rows[i].significant && p[i] < SET_DIFFERENCE_P;
	}
	free(p);
}

void set_difference_finish(struct set_difference *d)
{
	struct set_difference_work *w = d->work;
	uint32_t nr;

	tr2_buf_cstr(&w->texts);
	sorted = w;
	if (w->nr_candidates)
		qsort(w->candidates, w->nr_candidates, sizeof(*w->candidates), compare_candidates);
	for (uint32_t i = 0; i < w->nr_candidates; i++)
		w->candidates[i].order = i;
	if (w->nr_candidates)
		qsort(w->candidates, w->nr_candidates, sizeof(*w->candidates), compare_splits);
	nr = merge_splits(w);
	if (nr)
		qsort(w->candidates, nr, sizeof(*w->candidates), compare_rows);
	w->rows = xreallocarray(NULL, (size_t)nr + 1, sizeof(*w->rows));
	for (uint32_t i = 0; i < nr; i++)
		w->rows[i] = w->candidates[i].row;
	judge_rows(w->rows, nr);
	d->rows = w->rows;
	d->nr_rows = nr;
	d->same = w->same;
	d->columns = w->columns;
	d->nr_columns = w->nr_columns;
	d->texts = tr2_buf_cstr(&w->texts);
}
