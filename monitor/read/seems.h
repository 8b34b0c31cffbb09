/* SPDX-License-Identifier: MIT */
/* Guess the kind of a file that no reader accepts, to give the user advice. */
#ifndef MONITOR_SEEMS_H
#define MONITOR_SEEMS_H

#include <stddef.h>

/* A kind of file, such as "a tar archive", and advice for the user. Both texts are static. */
struct seems {
	const char *what;
	const char *mend;
};

/* Guess the kind of a file from its first bytes; `len` > 0. Any thread. */
struct seems seems_of(const char *bytes, size_t len);

#endif
