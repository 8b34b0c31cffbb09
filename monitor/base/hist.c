/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/hist.h"

#include <string.h>

#define SUB_BITS    6
#define SUB_BUCKETS (1u << SUB_BITS)

/* One bucket per nanosecond below 64 ns. From there on, each octave has 64 buckets, selected by
 * the six bits after the highest bit. */
unsigned hist_bucket(ns_t ns)
{
	unsigned high;

	if (ns < (ns_t)SUB_BUCKETS)
		return ns < 0 ? 0 : (unsigned)ns;
	high = 63 - (unsigned)__builtin_clzll((uint64_t)ns);
	return (high - SUB_BITS + 1) * SUB_BUCKETS +
	       ((unsigned)(ns >> (high - SUB_BITS)) & (SUB_BUCKETS - 1));
}

ns_t hist_bucket_ns(unsigned bucket)
{
	unsigned octave = bucket / SUB_BUCKETS, sub = bucket % SUB_BUCKETS;
	ns_t low, width;

	if (!octave)
		return bucket;
	width = (ns_t)1 << (octave - 1);
	low = (ns_t)(SUB_BUCKETS + sub) << (octave - 1);
	return low + width / 2;
}

static void hist_cover(struct heap *heap, struct hist *hist, unsigned bucket)
{
	unsigned first = bucket, end = bucket + 1, cap;
	uint32_t ref;

	if (hist->cap) {
		first = bucket < hist->first ? bucket : hist->first;
		end = bucket >= (unsigned)hist->first + hist->cap
			      ? bucket + 1
			      : (unsigned)hist->first + hist->cap;
	}
	cap = (end - first + 31) & ~31u;
	ref = heap_allocate(heap, cap * sizeof(uint32_t));
	memset(heap_get(heap, ref), 0, cap * sizeof(uint32_t));
	if (hist->cap)
		memcpy((uint32_t *)heap_get(heap, ref) + (hist->first - first),
		       heap_get(heap, hist->ref), hist->cap * sizeof(uint32_t));
	heap_free(heap, hist->ref, hist->cap * sizeof(uint32_t));
	*hist = (struct hist){ .ref = ref, .first = (uint16_t)first, .cap = (uint16_t)cap };
}

void hist_add(struct heap *heap, struct hist *hist, ns_t ns)
{
	unsigned bucket = hist_bucket(ns);
	uint32_t *count;

	if (bucket < hist->first || bucket >= (unsigned)hist->first + hist->cap)
		hist_cover(heap, hist, bucket);
	count = (uint32_t *)heap_get(heap, hist->ref) + (bucket - hist->first);
	if (*count != UINT32_MAX)
		++*count;
}

void hist_sum(const struct heap *heap, const struct hist *hist, uint64_t *sums)
{
	const uint32_t *counts = heap_get(heap, hist->ref);

	for (unsigned i = 0; i < hist->cap && hist->first + i < HIST_BUCKETS; i++)
		sums[hist->first + i] += counts[i];
}

void hist_clear(uint64_t *sums, ns_t min, ns_t max)
{
	unsigned first = hist_bucket(min), last = hist_bucket(max);

	if (first <= last)
		memset(sums + first, 0, (last - first + 1) * sizeof(*sums));
}

uint64_t hist_rank(uint64_t nr, double q)
{
	/* Calculate with integers: ceil(0.9 * 10) is 10 on the x87 unit. */
	uint64_t permille = (uint64_t)(q * 1000 + 0.5);
	uint64_t rank = nr / 1000 * permille + (nr % 1000 * permille + 999) / 1000;

	return rank ? rank : 1;
}

ns_t hist_quantile(const uint64_t *sums, double q, ns_t min, ns_t max)
{
	unsigned first = hist_bucket(min), last = hist_bucket(max);
	uint64_t total = 0, rank, below = 0;
	ns_t ns;

	for (unsigned i = first; i <= last; i++)
		total += sums[i];
	if (!total)
		return NS_NONE;
	rank = hist_rank(total, q);
	for (unsigned i = first; i <= last; i++) {
		below += sums[i];
		if (below < rank)
			continue;
		ns = hist_bucket_ns(i);
		return ns < min ? min : ns > max ? max : ns;
	}
	return max;
}
