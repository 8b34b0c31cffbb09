/* SPDX-License-Identifier: MIT */
/* The minimum work of a reader of Go traces: find the batches, decode each varint of the events of
 * threads, count these events by type. */
#ifndef BENCH_REF_GOWALK_H
#define BENCH_REF_GOWALK_H

#include <stddef.h>
#include <stdint.h>

/* Number of events of threads: by type, and all. `sum` keeps the compiler from removing the
 * decoding. */
struct ref_gowalk {
	uint64_t nr[256], nr_events, sum;
};

void ref_gowalk(const uint8_t *bytes, size_t len, struct ref_gowalk *walk);

#endif
