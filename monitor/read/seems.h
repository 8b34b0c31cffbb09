/* SPDX-License-Identifier: MIT */
/* What bytes seem to be that no reader takes: for people, who can then do something about it. */
#ifndef MONITOR_SEEMS_H
#define MONITOR_SEEMS_H

#include <stddef.h>

/* Both static texts. */
struct seems {
	const char *what; /* "a tar archive" */
	const char *mend; /* "unpack it, and name the directory" */
};

/* Of the first bytes of a stream; len > 0. Any thread. */
struct seems seems_of(const char *bytes, size_t len);

#endif
