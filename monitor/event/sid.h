/* SPDX-License-Identifier: MIT */
/*
 * What the text of a session id says, taken apart in one place: components joined by '/', its
 * own one last, those before it its parent's. Git makes a component of the time, host and pid:
 *
 *   20260102T122842.123456Z-H0123abcd-P00001234     or -Localhost- for the host
 *
 * A component may be anything else: then it says no more than who is the parent. Texts need no
 * terminator and may hold any byte. No state, no errors.
 */
#ifndef MONITOR_SID_H
#define MONITOR_SID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define SID_NO_PARENT  SIZE_MAX
#define SID_HOST_BYTES 12 /* "H" and 8 digits, or "Localhost", NUL */

struct sid_parts {
	size_t parent_len;         /* bytes before the last '/'; SID_NO_PARENT */
	uint32_t depth;            /* number of '/' */
	int64_t pid;               /* NUM_NONE */
	char host[SID_HOST_BYTES]; /* "": it has none */
};

void sid_take_apart(const char *sid, size_t len, struct sid_parts *out);

/* Its own component; `*own_len` its bytes. */
const char *sid_own(const char *sid, size_t len, size_t *own_len);

uint32_t sid_depth(const char *sid, size_t len);

/* Wall time at which its process began; NS_NONE. */
ns_t sid_time(const char *sid, size_t len);

/* Is it `root` or below it? */
bool sid_is_within(const char *sid, size_t len, const char *root, size_t root_len);

#endif
