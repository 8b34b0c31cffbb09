/* SPDX-License-Identifier: MIT */
/*
 * sid: parse session ids: components joined by '/', its own one last, preceded by its parent's.
 * Git builds a component from the time, host and pid:
 *
 *   20260102T122842.123456Z-H0123abcd-P00001234     or -Localhost- for the host
 *
 * A component may be anything else; then only the parent is known. Texts need no terminator and
 * may contain any byte. No state, no errors.
 */
#ifndef MONITOR_SID_H
#define MONITOR_SID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define SID_NO_PARENT  SIZE_MAX
#define SID_HOST_BYTES 12 /* size of the host: "H" and 8 digits, or "Localhost", and NUL */

struct sid_parts {
	size_t parent_len;         /* length of the parent's SID; SID_NO_PARENT: none */
	uint32_t depth;            /* number of '/': of ancestors */
	int64_t pid;               /* NUM_NONE: unknown */
	char host[SID_HOST_BYTES]; /* "": unknown */
};

void sid_take_apart(const char *sid, size_t len, struct sid_parts *out);

/* Return the last component of a SID; sets `*own_len` to its length. */
const char *sid_own(const char *sid, size_t len, size_t *own_len);

uint32_t sid_depth(const char *sid, size_t len);

/* Return the start of the process in wall time, from its SID; NS_NONE if unknown. */
ns_t sid_time(const char *sid, size_t len);

/* True if `sid` is `root` or the SID of one of its descendants. */
bool sid_is_within(const char *sid, size_t len, const char *root, size_t root_len);

#endif
