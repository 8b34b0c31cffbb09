/* SPDX-License-Identifier: MIT */
/* Load shared libraries at run time, because loading them at every start would be slow. One thread
 * at a time. */
#ifndef MONITOR_LIBRARY_H
#define MONITOR_LIBRARY_H

#include <stddef.h>

struct library_function {
	const char *name;
	void **at;
};

/* Load the library `soname` permanently and look up its functions. Returns NULL, or an error valid
 * until the next call of dlerror(). */
const char *library_load(const char *soname, const struct library_function *functions, size_t nr);

#endif
