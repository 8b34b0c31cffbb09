/* SPDX-License-Identifier: MIT */
/* Convert one record of a ring to an event of a batch. Only one thread at a time may do so. */
#ifndef MONITOR_RING_EVENT_H
#define MONITOR_RING_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/read/reader_ring.h"

/* A record whose fields are still to be parsed; `fields` is borrowed. */
struct ring_event {
	uint8_t kind;
	uint32_t line;
	int64_t time;
	uint64_t mask;
	const char *fields;
	size_t len;
	/* `thread` and `ahead` are from the head of the block, `start` is from the head of the
	 * file. */
	sym_t thread;
	ns_t ahead;
	int64_t start;
};

struct ring_syms {
	struct tr2_intern *syms;
	struct ring_memo *memo;
};

/*
 * Fill in `ev` except its SID; add its texts to `batch`. Returns NULL, or a static error text;
 * after an error the caller must remove the added texts.
 */
const char *ring_event_put(const struct ring_syms *syms, const struct ring_event *event,
			   struct batch *batch, struct event *ev);

#endif
