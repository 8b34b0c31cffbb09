/* SPDX-License-Identifier: MIT */
/* Guess the kind of a file that no reader accepts, to suggest a remedy to the user. */
#ifndef MONITOR_SEEMS_H
#define MONITOR_SEEMS_H

#include <stddef.h>

/* Both static texts. */
struct seems {
	const char *what; /* "a tar archive" */
	const char *mend; /* "unpack it, and name the directory" */
};

/* Classify the first bytes of a stream; len > 0. Any thread. */
struct seems seems_of(const char *bytes, size_t len);

#endif
