/* SPDX-License-Identifier: MIT */
/* Private interface of go_frame.c and go_generation.c. */
#ifndef MONITOR_GO_FRAME_PRIV_H
#define MONITOR_GO_FRAME_PRIV_H

#include "monitor/read/gotrace/go_frame.h"

/* Kinds of batches and of the entries in them. The values, except those of KIND_EXPERIMENTAL and
 * KIND_EVENTS, are the first bytes of their data. */
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
struct go_batch_head {
	uint64_t generation, thread, time, size;
	uint8_t mark;
};

void go_generation_release(struct go_generation *gen);
/* Empty the generation, but keep memory of its tables. */
void go_generation_clear(struct go_generation *gen);
size_t go_generation_held(const struct go_generation *gen);

/* Copy the bytes of a batch into the generation. Returns the copy; NULL if it exceeds a limit. */
const uint8_t *go_keep(struct go_generation *gen, const uint8_t *bytes, size_t len);

/* Parse batches whose bytes were kept with go_keep(). Return false if one is damaged; entries
 * before the damage are used. */
bool go_read_strings(struct go_generation *gen, const uint8_t *at, const uint8_t *end);
bool go_read_stacks(struct go_generation *gen, const uint8_t *at, const uint8_t *end);
bool go_read_samples(struct go_generation *gen, const uint8_t *at, const uint8_t *end);
bool go_read_clock(struct go_generation *gen, const uint8_t *at, const uint8_t *end,
		   uint64_t batch_time);
/* Compute the memory of the tables. Returns false if it exceeds a limit. */
bool go_tables_fit(struct go_generation *gen);
/* Add a batch of events to its thread. Returns false if there are too many threads. */
bool go_add_events(struct go_generation *gen, const struct go_batch_head *head, const uint8_t *at,
		   const uint8_t *end);

/* True if the strings of the stacks' functions and files are known. */
bool go_stacks_have_strings(struct go_generation *gen);
/* True if an event of the generation refers to a stack. */
bool go_names_stacks(const struct go_generation *gen);

#endif
