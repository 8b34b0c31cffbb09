/* SPDX-License-Identifier: MIT */
/*
 * The least that anybody can do who reads a Go trace: find the batches, decode every varint of
 * every event, count the events. What comes on top is order, names and what the model keeps.
 */
#ifndef BENCH_REF_GOWALK_H
#define BENCH_REF_GOWALK_H

#include <stddef.h>
#include <stdint.h>

/* How many events of threads there are; `*sum` keeps what was decoded from being left out. */
uint64_t ref_gowalk(const uint8_t *bytes, size_t len, uint64_t *sum);

#endif
