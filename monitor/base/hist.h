/* SPDX-License-Identifier: MIT */
/*
 * hist: a histogram of durations with logarithmic buckets, in a heap.
 *
 * Each octave (range from one power of two to the next) from 64 ns on has 64 buckets, so a
 * quantile is at most 0.8 % off.
 */
#ifndef MONITOR_HIST_H
#define MONITOR_HIST_H

#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/base/heap.h"

struct hist {
	/* private: heap reference of the 32-bit counts of the stored buckets */
	uint32_t ref;
	uint16_t first; /* private: lowest stored bucket */
	uint16_t cap;   /* private: number of stored buckets */
};

#define HIST_BUCKETS 3712

/* Return the bucket of a duration; negative durations count as 0. */
unsigned hist_bucket(ns_t ns);
/* Return the middle of a bucket in ns. */
ns_t hist_bucket_ns(unsigned bucket);

void hist_add(struct heap *heap, struct hist *hist, ns_t ns);

/* Add a histogram's counts to `sums`, an array of HIST_BUCKETS. */
void hist_sum(const struct heap *heap, const struct hist *hist, uint64_t *sums);

/* Return the nearest rank, from 1, of quantile `q` (0 to 1, in steps of 0.001) of `nr` values. */
uint64_t hist_rank(uint64_t nr, double q);

/* Return the nearest-rank quantile `q` (0 < q <= 1) of the bucket counts `sums`, limited to `min`
 * .. `max`, the shortest and longest duration added; NS_NONE if those buckets are empty. */
ns_t hist_quantile(const uint64_t *sums, double q, ns_t min, ns_t max);

/* Set the counts of the buckets of durations from `min` to `max` to zero. */
void hist_clear(uint64_t *sums, ns_t min, ns_t max);

#endif
