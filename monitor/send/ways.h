/* SPDX-License-Identifier: MIT */
/*
 * The ways through a tee, found by what came in: a connection, by its stream's number, or a SID of
 * datagrams. One thread.
 */
#ifndef MONITOR_WAYS_H
#define MONITOR_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/slots.h"
#include "monitor/send/outlet.h"

/* `held` is the line that was begun; `outlet` is its own, where they are not shared. */
struct way {
	uint32_t stream;
	char *sid; /* NULL: it is a stream's */
	struct tr2_buf held;
	bool skips; /* up to the next LF: a line that is too long */
	bool ends;  /* once all has left */
	bool has_outlet;
	struct outlet outlet;
	char name[128];
	ns_t last_ns; /* of a SID: monotonic */
};

/* All zeros at first. */
struct ways {
	struct way **all; /* ro: `nr` of them, in no order; each stays where it is until removed */
	uint32_t nr;      /* ro */
	uint32_t cap;
	struct tr2_slots by_key;
};

/* `sid`, of `len` bytes, is NULL for a stream's. NULL: there is none. */
struct way *ways_find(const struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* The one that there is, or a new one. */
struct way *ways_get(struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Free the one at `at`, whose outlet has been closed; the last one takes its place. */
void ways_remove(struct ways *ways, uint32_t at);
/* Once all are removed. */
void ways_release(struct ways *ways);

#endif
