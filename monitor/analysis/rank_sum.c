/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/rank_sum.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "monitor/base/die.h"

struct ranked {
	double value;
	bool first;
};

static int ranked_compare(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* Return the sum of the ranks of the first sample. Sets `*ties` to the sum of t^3 - t over all
 * groups of t equal values. */
static double ranks_of_first(const struct ranked *all, uint32_t nr, double *ties)
{
	double sum = 0;

	*ties = 0;
	for (uint32_t i = 0, end; i < nr; i = end) {
		uint32_t firsts = 0;
		double t;

		for (end = i; end < nr && all[end].value == all[i].value; end++)
			firsts += all[end].first;
		t = end - i;
		*ties += t * t * t - t;
		sum += firsts * ((double)i + (t + 1) / 2);
	}
	return sum;
}

void rank_sum(struct rank_sum *out, const double *a, uint32_t nr_a, const double *b, uint32_t nr_b)
{
	uint32_t nr = nr_a + nr_b;
	double n = nr, pairs = (double)nr_a * nr_b, ties, above, variance, z;
	struct ranked *all;

	*out = (struct rank_sum){ .p = 1, .higher = 0.5 };
	if (!nr_a || !nr_b)
		return;
	all = xreallocarray(NULL, nr, sizeof(*all));
	for (uint32_t i = 0; i < nr; i++)
		all[i] = (struct ranked){ i < nr_a ? a[i] : b[i - nr_a], i < nr_a };
	qsort(all, nr, sizeof(*all), ranked_compare);
	above = ranks_of_first(all, nr, &ties) - (double)nr_a * ((double)nr_a + 1) / 2;
	free(all);
	out->higher = above / pairs;
	variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	if (variance <= 0)
		return;
	z = (fabs(above - pairs / 2) - 0.5) / sqrt(variance);
	if (z > 0)
		out->p = erfc(z / sqrt(2));
}
