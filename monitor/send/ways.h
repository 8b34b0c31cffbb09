/* SPDX-License-Identifier: MIT */
/*
 * Ways: the state of a tee per input. An input is a connection, by its stream number, or the SID of
 * a process that sends datagrams. One thread.
 */
#ifndef MONITOR_WAYS_H
#define MONITOR_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/send/outlet.h"

/* State of one input. `held` is an incomplete line. `outlet` is used unless all inputs share
 * one. */
struct way {
	uint32_t stream;
	char *sid; /* SID of the process; NULL for a connection */
	struct tr2_buf held;
	bool skips; /* skip bytes of an oversized line up to its LF */
	bool ends;  /* the input has ended: remove it when everything is written */
	bool has_outlet;
	struct outlet outlet;
	char name[128];
	ns_t last_ns; /* for a SID: when its last line arrived, monotonic */
};

/* A set of ways. Initialise with zeros. */
struct ways {
	struct way **all; /* ro: `nr` pointers in any order; the ways do not move */
	uint32_t nr;      /* ro: number of ways */
	uint32_t cap;
	struct tr2_hash_index by_key;
};

/* Return the way of an input, or NULL. `sid` is NULL for a connection. */
struct way *ways_find(const struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Return the way of an input, added if new. */
struct way *ways_get(struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Remove the way at index `at`. Its outlet must be closed. The last way moves to its place. */
void ways_remove(struct ways *ways, uint32_t at);
/* Free the memory of the set. All ways must have been removed. */
void ways_release(struct ways *ways);

#endif
