/* SPDX-License-Identifier: MIT */
/*
 * sid: parse session ids. A SID consists of components joined by '/': those of the parent's SID,
 * then the process's own component. Git builds a component from the time, host and pid:
 *
 *   20260102T122842.123456Z-H0123abcd-P00001234     or -Localhost- for the host
 *
 * A component may have any other form. SIDs may contain any byte.
 */
#ifndef MONITOR_SID_H
#define MONITOR_SID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define SID_NO_PARENT SIZE_MAX
/* buffer size for the host part of a SID, with NUL: "H" and 8 digits, or "Localhost" */
#define SID_HOST_BYTES 12

struct sid_parts {
	/* length of the parent's SID, with which the SID begins; SID_NO_PARENT: none */
	size_t parent_len;
	uint32_t depth;            /* number of '/' in the SID */
	int64_t pid;               /* NUM_NONE: unknown */
	char host[SID_HOST_BYTES]; /* "": unknown */
};

void sid_take_apart(const char *sid, size_t len, struct sid_parts *out);

/* Return the last component of a SID and its length. */
const char *sid_own(const char *sid, size_t len, size_t *own_len);

uint32_t sid_depth(const char *sid, size_t len);

/* Return the start of the process from its SID (wall time); NS_NONE if unknown. */
ns_t sid_time(const char *sid, size_t len);

/* True if `sid` is `root` or a descendant's SID. */
bool sid_is_within(const char *sid, size_t len, const char *root, size_t root_len);

#endif
