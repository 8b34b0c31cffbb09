/* SPDX-License-Identifier: MIT */
/*
 * Wilcoxon's signed ranks: do the differences of pairs lie around 0, by how much do they lie
 * beside it, and how well is that known. Pure, any thread.
 */
#ifndef MONITOR_SIGNED_RANKS_H
#define MONITOR_SIGNED_RANKS_H

#include <stdint.h>

struct signed_ranks {
	/* Two-sided: how often differences that lie around 0 would lie so far beside it. Exact
	 * where at most 25 are not 0 and no two of them are of equal size; else by the normal
	 * distribution, corrected for ties and for continuity. 1 where all are 0. */
	double p;
	/* Hodges-Lehmann: the median of the means of all pairs of differences, each with itself,
	 * too (Walsh averages). 0 of no differences. */
	double shift;
	/* The 99 % interval of `shift`, by the same averages in order; with less than 8 differences
	 * the smallest and the largest. */
	double low, high;
};

/* Of `nr` finite differences, in any order: O(nr log nr). */
void signed_ranks(struct signed_ranks *out, const double *differences, uint32_t nr);

/*
 * Holm's adjustment: of `nr` values of p, each becomes the level at which its hypothesis is
 * rejected while the chance of any false rejection among all of them stays below that level.
 */
void holm_adjust(double *p, uint32_t nr);

#endif
