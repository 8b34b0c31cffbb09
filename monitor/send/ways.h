/* SPDX-License-Identifier: MIT */
/*
 * The routes of a tee, by input: a connection, by its stream number, or a SID of datagrams. One
 * thread.
 */
#ifndef MONITOR_WAYS_H
#define MONITOR_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/send/outlet.h"

/* `held` is a partial line. `outlet` is used unless outlets are shared. */
struct way {
	uint32_t stream;
	char *sid; /* NULL for a stream */
	struct tr2_buf held;
	bool skips; /* skipping an oversized line up to the next LF */
	bool ends;  /* to be removed after its last byte was written */
	bool has_outlet;
	struct outlet outlet;
	char name[128];
	ns_t last_ns; /* for a SID: time of its last line, monotonic */
};

/* Initialize with zeros. */
struct ways {
	struct way **all; /* ro: `nr` elements, unordered; the pointers are stable */
	uint32_t nr;      /* ro */
	uint32_t cap;
	struct tr2_hash_index by_key;
};

/* Find a route. `sid` is NULL for a stream. Returns NULL if not found. */
struct way *ways_find(const struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Find a route or add a new one. */
struct way *ways_get(struct ways *ways, uint32_t stream, const char *sid, size_t len);
/* Remove the route at `at`. Its outlet must be closed. The last one moves to its place. */
void ways_remove(struct ways *ways, uint32_t at);
/* Release the memory. All routes must be removed before. */
void ways_release(struct ways *ways);

#endif
