/* SPDX-License-Identifier: MIT */
/* Growable arrays whose capacity doubles when they are full. For the thread that owns the array. */
#ifndef MONITOR_GROW_H
#define MONITOR_GROW_H

#include "monitor/base/die.h"

/*
 * Ensure capacity for one more item in `items`, a malloc()ed array of `nr` items with capacity
 * `cap` (both unsigned). If full, doubles the capacity; starts with `first`. Items may move. Exits
 * if out of memory. Sets `items` and `cap`; evaluates arguments more than once.
 */
#define GROW(items, nr, cap, first)                                                                \
	do {                                                                                       \
		if ((nr) == (cap)) {                                                               \
			(cap) = (cap) ? (cap)*2 : (first);                                         \
			(items) = xreallocarray((items), (cap), sizeof(*(items)));                 \
		}                                                                                  \
	} while (0)

#endif
