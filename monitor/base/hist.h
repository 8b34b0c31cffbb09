/* SPDX-License-Identifier: MIT */
/*
 * hist: a histogram of durations with logarithmic buckets.
 *
 * Each octave (range from one power of two to the next) has 64 buckets, so a quantile is at most
 * 0.8 % off. A histogram stores one range of buckets, in a heap.
 */
#ifndef MONITOR_HIST_H
#define MONITOR_HIST_H

#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/base/heap.h"

struct hist {
	/* private: array of 32-bit counts of the buckets first to first + cap - 1 */
	uint32_t ref;
	uint16_t first; /* private: lowest bucket that is stored */
	uint16_t cap;   /* private: number of buckets that are stored */
};

#define HIST_BUCKETS 3712

/* Return the bucket of a duration; negative durations count as 0. */
unsigned hist_bucket(ns_t ns);
/* Return the middle of a bucket, in nanoseconds. */
ns_t hist_bucket_ns(unsigned bucket);

void hist_add(struct heap *heap, struct hist *hist, ns_t ns);

/* Add a histogram's counts to `sums`, an array of HIST_BUCKETS. */
void hist_sum(const struct heap *heap, const struct hist *hist, uint64_t *sums);

/* Return the nearest rank, from 1, of quantile `q` (0 to 1, in steps of 0.001) among `nr`
 * values. */
uint64_t hist_rank(uint64_t nr, double q);

/*
 * Return the nearest-rank quantile `q` (0 < q <= 1) of the bucket counts `sums`, limited to `min`
 * .. `max`, the shortest and longest duration added; NS_NONE if the buckets of that range are
 * empty.
 */
ns_t hist_quantile(const uint64_t *sums, double q, ns_t min, ns_t max);

/* Set the counts of the buckets from duration `min` to duration `max` to zero. */
void hist_clear(uint64_t *sums, ns_t min, ns_t max);

#endif
