/* SPDX-License-Identifier: MIT */
/* One event of a ring: from the bytes of its record to an event of a batch. Pure; one thread. */
#ifndef MONITOR_RING_EVENT_H
#define MONITOR_RING_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/read/reader_ring.h"

/* What is known of an event before its fields are looked at; they are borrowed. */
struct ring_event {
	uint8_t kind;
	uint32_t line;
	int64_t time;
	uint64_t mask;
	const char *fields;
	size_t len;
	/* By its block and its file. */
	sym_t thread;
	ns_t ahead;
	int64_t start;
};

struct ring_syms {
	struct tr2_intern *syms;
	struct ring_memo *memo;
};

/*
 * All of it but its SID into `ev`, texts into `batch`. NULL; or what is wrong with it (static), and
 * the texts that were put until then are to be taken back.
 */
const char *ring_event_put(const struct ring_syms *syms, const struct ring_event *event,
			   struct batch *batch, struct event *ev);

#endif
