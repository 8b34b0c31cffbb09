/* SPDX-License-Identifier: MIT */
/*
 * The least that anybody can do who reads a Go trace: find the batches, decode every varint of
 * every event, count the events by type. What comes on top is order, names and what the model
 * keeps.
 */
#ifndef BENCH_REF_GOWALK_H
#define BENCH_REF_GOWALK_H

#include <stddef.h>
#include <stdint.h>

/* Events of threads: by type, and all; `sum` keeps what was decoded from being left out. */
struct ref_gowalk {
	uint64_t nr[256], nr_events, sum;
};

/* Adds those of a trace that is whole. */
void ref_gowalk(const uint8_t *bytes, size_t len, struct ref_gowalk *walk);

#endif
