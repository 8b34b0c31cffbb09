/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are loaded when they are needed: with all that stands behind them they would
 * make every start slower. One thread.
 */
#ifndef MONITOR_LIBRARY_H
#define MONITOR_LIBRARY_H

#include <stddef.h>

struct library_function {
	const char *name;
	void **at; /* becomes its address */
};

/* Load the library called `soname`, for good, and find its functions. NULL, or why that cannot be
 * (valid until the next call of dlerror()). */
const char *library_load(const char *soname, const struct library_function *functions, size_t nr);

#endif
