/* SPDX-License-Identifier: MIT */
/* Wilcoxon's rank-sum test (Mann-Whitney) for two independent samples. Any thread. */
#ifndef MONITOR_RANK_SUM_H
#define MONITOR_RANK_SUM_H

#include <stdint.h>

struct rank_sum {
	/*
	 * Two-sided p from the normal distribution, with mean ranks, corrected for ties and
	 * continuity; 1 if all values are equal or a sample is empty.
	 */
	double p;
	/* Share of the pairs in which the value of the first sample is larger; ties count half. */
	double higher;
};

/* Compare samples of finite values, in any order. */
void rank_sum(struct rank_sum *out, const double *a, uint32_t nr_a, const double *b, uint32_t nr_b);

#endif
