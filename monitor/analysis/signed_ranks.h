/* SPDX-License-Identifier: MIT */
/*
 * Wilcoxon's signed-rank test for paired differences: p, and the shift with its interval. Any
 * thread.
 */
#ifndef MONITOR_SIGNED_RANKS_H
#define MONITOR_SIGNED_RANKS_H

#include <stdint.h>

struct signed_ranks {
	/*
	 * Two-sided p: the probability of ranks at least this extreme if the differences are
	 * symmetric around 0. Exact for at most 25 nonzero differences without ties; otherwise by
	 * the normal distribution, corrected for ties and continuity. 1 if all differences are 0.
	 */
	double p;
	/*
	 * Hodges-Lehmann shift: the median of the means of all pairs of differences, also of each
	 * with itself (Walsh averages). 0 if there are no differences.
	 */
	double shift;
	/*
	 * 99 % confidence interval of `shift`, from the sorted Walsh averages; with fewer than 10
	 * differences, from the smallest to the largest average.
	 */
	double low, high;
};

/* The `nr` differences are finite, in any order. */
void signed_ranks(struct signed_ranks *out, const double *differences, uint32_t nr);

/* Adjust `nr` values of p by Holm's method. */
void holm_adjust(double *p, uint32_t nr);

#endif
