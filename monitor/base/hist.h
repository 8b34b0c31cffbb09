/* SPDX-License-Identifier: MIT */
/*
 * A histogram of durations with logarithmic buckets: 64 to an octave, so that a quantile is at
 * most 0.8 % off. It keeps only the range of buckets that are in use, in a slab. Adding costs a
 * few ns; merging is order-free.
 */
#ifndef MONITOR_HIST_H
#define MONITOR_HIST_H

#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/base/slab.h"

struct hist {
	uint32_t ref;   /* private: 32-bit counts of buckets first .. first + cap - 1 */
	uint16_t first; /* private */
	uint16_t cap;   /* private */
};

/* Buckets there are at all. */
#define HIST_BUCKETS 3712

/* The bucket of a duration; less than 0 counts as 0. */
unsigned hist_bucket(ns_t ns);
/* The middle of a bucket, in nanoseconds. */
ns_t hist_bucket_ns(unsigned bucket);

void hist_add(struct slab *slab, struct hist *hist, ns_t ns);

/* Add a histogram's counts to `sums`, an array of HIST_BUCKETS. */
void hist_sum(const struct slab *slab, const struct hist *hist, uint64_t *sums);

/* Nearest rank, from 1, of quantile `q` (0 to 1, in steps of 0.001) among `nr` values. */
uint64_t hist_rank(uint64_t nr, double q);

/*
 * The nearest-rank quantile of `sums` (0 < q <= 1) of durations that are all from `min` to `max`,
 * and so is it; NS_NONE where nothing was added. It looks at the buckets between them alone: most
 * histograms use few of all that there are.
 */
ns_t hist_quantile(const uint64_t *sums, double q, ns_t min, ns_t max);

/* Set to 0 what durations from `min` to `max` have added to. */
void hist_clear(uint64_t *sums, ns_t min, ns_t max);

#endif
