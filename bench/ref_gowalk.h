/* SPDX-License-Identifier: MIT */
/*
 * The minimum work of any reader of Go traces: find the batches, decode every varint of the events
 * of threads, count these by type. A real reader also sorts, resolves names and fills the model.
 */
#ifndef BENCH_REF_GOWALK_H
#define BENCH_REF_GOWALK_H

#include <stddef.h>
#include <stdint.h>

/* Events of threads: by type, and all. `sum` prevents the compiler from removing the decoding. */
struct ref_gowalk {
	uint64_t nr[256], nr_events, sum;
};

/* Add the events of a complete trace. */
void ref_gowalk(const uint8_t *bytes, size_t len, struct ref_gowalk *walk);

#endif
