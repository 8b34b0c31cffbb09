/* SPDX-License-Identifier: MIT */
/*
 * A way is the state of a tee for one input: a connection, identified by its stream number, or a
 * process that sends datagrams, identified by its SID. Datagrams without a SID are one input. Used
 * by one thread at a time.
 */
#ifndef MONITOR_WAYS_H
#define MONITOR_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/send/outlet.h"

/* `held` is an incomplete line. `outlet` is used unless all inputs share one outlet. */
struct way {
	uint32_t stream;
	char *sid; /* SID of the process that sends datagrams, or ""; NULL: a connection */
	struct tr2_buf held;
	bool skips; /* an oversized line is skipped up to its LF */
	/* the input has ended: remove the way when everything is written */
	bool ends;
	bool has_outlet;
	struct outlet outlet;
	char name[128];
	ns_t last_ns; /* for a SID: monotonic time of its last datagram */
};

/* The ways of a tee. Initialise with zeros. */
struct ways {
	/* ro: `nr` ways, in any order, which do not move */
	struct way **all;
	uint32_t nr;
	uint32_t cap;
	struct tr2_hash_index by_key;
};

/* Return the way of an input; NULL: none. `sid` is NULL for a connection. */
struct way *ways_find(const struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Return the way of an input, created if new. */
struct way *ways_get(struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Remove and free the way at index `at`, and close its outlet, which must not have buffered lines.
 * The last way gets the index `at`. */
void ways_remove(struct ways *ways, uint32_t at);
/* Free the set. All ways must have been removed. */
void ways_release(struct ways *ways);

#endif
