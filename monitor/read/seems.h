/* SPDX-License-Identifier: MIT */
/* Guess the kind of a file that no reader accepts, to suggest a remedy to the user. */
#ifndef MONITOR_SEEMS_H
#define MONITOR_SEEMS_H

#include <stddef.h>

/* A kind of file, and advice. Both texts are static. */
struct seems {
	const char *what; /* such as "a tar archive" */
	const char *mend; /* such as "unpack it, and name the directory" */
};

/* Guess the kind of a file from its first bytes; len > 0. Any thread. */
struct seems seems_of(const char *bytes, size_t len);

#endif
