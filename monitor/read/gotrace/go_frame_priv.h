/* SPDX-License-Identifier: MIT */
/* What go_frame.c (the stream) and go_generation.c (what a generation holds) share. */
#ifndef MONITOR_GO_FRAME_PRIV_H
#define MONITOR_GO_FRAME_PRIV_H

#include "monitor/read/gotrace/go_frame.h"

/* What a batch's first byte says that it holds; and what stands in those. */
enum {
	KIND_STACKS = 2,
	KIND_STACK = 3,
	KIND_STRINGS = 4,
	KIND_STRING = 5,
	KIND_SAMPLES = 6,
	KIND_SAMPLE = 7,
	KIND_FREQUENCY = 8,
	KIND_SYNC = 50,
	KIND_SNAPSHOT = 51,
	KIND_EXPERIMENTAL = 49,
	KIND_EVENTS = 255,
};
/* A batch's head. */
struct head {
	uint64_t generation, thread, time, size;
	uint8_t mark;
};

void go_generation_release(struct go_generation *gen);
/* Forget what it holds, keep the room for the next one. */
void go_generation_clear(struct go_generation *gen);
size_t go_generation_held(const struct go_generation *gen);

/* Keep a batch's bytes; NULL where they are beyond the bounds. */
const uint8_t *go_keep(struct go_generation *gen, const uint8_t *bytes, size_t len);

/* Of kept bytes; false: they are damaged, what stood before the damage counts. */
bool go_read_strings(struct go_generation *gen, const uint8_t *at, const uint8_t *end);
bool go_read_stacks(struct go_generation *gen, const uint8_t *at, const uint8_t *end);
bool go_read_samples(struct go_generation *gen, const uint8_t *at, const uint8_t *end);
bool go_read_clock(struct go_generation *gen, const uint8_t *at, const uint8_t *end,
		   uint64_t batch_time);
/* Count what its tables take; false: they are beyond the bounds. */
bool go_tables_fit(struct go_generation *gen);
/* False: there are too many threads. */
bool go_add_events(struct go_generation *gen, const struct head *head, const uint8_t *at,
		   const uint8_t *end);

/* Every function and file of every stack has its string. */
bool go_stacks_have_strings(struct go_generation *gen);
/* Does any event name a stack? */
bool go_names_stacks(const struct go_generation *gen);

#endif
