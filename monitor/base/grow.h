/* SPDX-License-Identifier: MIT */
/* Growable arrays. Only the thread that owns an array may use it. */
#ifndef MONITOR_GROW_H
#define MONITOR_GROW_H

#include "monitor/base/die.h"

/*
 * Ensure capacity for one more item in `items`, a malloc()ed array of `nr` items with capacity
 * `cap` (both unsigned). If full, doubles the capacity; starts with `first`. Items may move. Exits
 * if out of memory. A macro: it sets `items` and `cap`, and evaluates its arguments more than once.
 */
#define GROW(items, nr, cap, first)                                                                \
	do {                                                                                       \
		if ((nr) == (cap)) {                                                               \
			(cap) = (cap) ? (cap)*2 : (first);                                         \
			(items) = xreallocarray((items), (cap), sizeof(*(items)));                 \
		}                                                                                  \
	} while (0)

#endif
