/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/signed_ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/order.h"

#define MAX_EXACT     25u
#define MAX_EXACT_SUM (MAX_EXACT * (MAX_EXACT + 1) / 2)
/* 0.995 quantile of the normal distribution */
#define Z_99 2.5758293035489004

static int size_compare(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

/*
 * Return in how many of the 2^nr ways to give the ranks 1 to nr signs the positive ones add up to
 * at most `sum`.
 */
static double ways_up_to(unsigned nr, unsigned sum)
{
	uint32_t ways[MAX_EXACT_SUM + 1] = { 1 };
	double below = 0;

	for (unsigned rank = 1; rank <= nr; rank++)
		for (unsigned s = MAX_EXACT_SUM; s >= rank; s--)
			ways[s] += ways[s - rank];
	for (unsigned s = 0; s <= sum; s++)
		below += ways[s];
	return below;
}

static double p_exact(unsigned nr, double positive)
{
	unsigned all = nr * (nr + 1) / 2, sum = (unsigned)positive;
	unsigned smaller = sum < all - sum ? sum : all - sum;
	double p = 2 * ways_up_to(nr, smaller) / (double)(1u << nr);

	return p < 1 ? p : 1;
}

static double p_normal(double nr, double positive, double ties)
{
	double variance = nr * (nr + 1) * (2 * nr + 1) / 24 - ties / 48;
	double off = fabs(positive - nr * (nr + 1) / 4) - 0.5;

	if (off <= 0 || variance <= 0)
		return 1;
	return erfc(off / sqrt(variance) / sqrt(2));
}

/* Return p for `nr` nonzero differences, sorted by absolute value, smallest first. */
static double signed_rank_p(const double *sized, uint32_t nr)
{
	double positive = 0, ties = 0;
	uint32_t end;

	for (uint32_t from = 0; from < nr; from = end) {
		double rank, equal;

		for (end = from + 1; end < nr && fabs(sized[end]) == fabs(sized[from]);)
			end++;
		/* equal absolute differences get the mean of their ranks */
		rank = ((double)from + 1 + end) / 2;
		equal = end - from;
		ties += equal * equal * equal - equal;
		for (uint32_t i = from; i < end; i++)
			positive += sized[i] > 0 ? rank : 0;
	}
	if (!nr)
		return 1;
	return nr <= MAX_EXACT && ties == 0 ? p_exact(nr, positive) : p_normal(nr, positive, ties);
}

/* Return the number of pairs of the sorted values, also of each with itself, whose sum is at most
 * `most`. */
static uint64_t sums_up_to(const double *sorted, uint32_t nr, double most)
{
	uint64_t below = 0;
	uint32_t end = nr;

	for (uint32_t i = 0; i < nr; i++) {
		while (end > i && sorted[i] + sorted[end - 1] > most)
			end--;
		if (end <= i)
			break;
		below += end - i;
	}
	return below;
}

/* Convert a double to an integer that has the same order. */
static uint64_t order_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static double of_order(uint64_t order)
{
	uint64_t bits = order >> 63 ? order & ~(1ull << 63) : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Return the Walsh average (mean of a pair of values) with a rank, from 1, among all sorted
 * averages. There are nr * (nr + 1) / 2: instead of computing all, bisect a bound and count the
 * averages up to it.
 */
static double walsh(const double *sorted, uint32_t nr, uint64_t rank)
{
	uint64_t low = order_of(2 * sorted[0]), high = order_of(2 * sorted[nr - 1]);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (sums_up_to(sorted, nr, of_order(middle)) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return of_order(low) / 2 + 0.0; /* adding 0.0 turns -0 into 0 */
}

static void shift_of(struct signed_ranks *out, const double *sorted, uint32_t nr)
{
	uint64_t averages = (uint64_t)nr * (nr + 1) / 2, cut;
	double n = nr;
	double below = floor(n * (n + 1) / 4 - Z_99 * sqrt(n * (n + 1) * (2 * n + 1) / 24));

	cut = below > 0 ? (uint64_t)below : 0;
	out->shift =
		(walsh(sorted, nr, (averages + 1) / 2) + walsh(sorted, nr, averages / 2 + 1)) / 2;
	out->low = walsh(sorted, nr, cut + 1);
	out->high = walsh(sorted, nr, averages - cut);
}

void signed_ranks(struct signed_ranks *out, const double *differences, uint32_t nr)
{
	double *sorted = xreallocarray(NULL, (size_t)nr + 1, sizeof(*sorted));
	uint32_t differing = 0;

	*out = (struct signed_ranks){ .p = 1 };
	for (uint32_t i = 0; i < nr; i++)
		if (differences[i] != 0)
			sorted[differing++] = differences[i];
	qsort(sorted, differing, sizeof(*sorted), size_compare);
	out->p = signed_rank_p(sorted, differing);
	if (nr) {
		memcpy(sorted, differences, nr * sizeof(*sorted));
		qsort(sorted, nr, sizeof(*sorted), order_doubles);
		shift_of(out, sorted, nr);
	}
	free(sorted);
}

struct hypothesis {
	double p;
	uint32_t number;
};

static int hypothesis_compare(const void *a, const void *b)
{
	const struct hypothesis *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void holm_adjust(double *p, uint32_t nr)
{
	struct hypothesis *sorted = xreallocarray(NULL, (size_t)nr + 1, sizeof(*sorted));
	double least = 0;

	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = (struct hypothesis){ p[i], i };
	qsort(sorted, nr, sizeof(*sorted), hypothesis_compare);
	for (uint32_t i = 0; i < nr; i++) {
		double adjusted = sorted[i].p * (nr - i);

		if (adjusted > least)
			least = adjusted < 1 ? adjusted : 1;
		p[sorted[i].number] = least;
	}
	free(sorted);
}
