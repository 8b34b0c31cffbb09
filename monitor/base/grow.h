/* SPDX-License-Identifier: MIT */
/* Growable arrays in malloc()ed memory. */
#ifndef MONITOR_GROW_H
#define MONITOR_GROW_H

#include "monitor/base/die.h"

/*
 * Ensure space for one more item in `items`, a malloc()ed array of `nr` items with capacity `cap`.
 * A full array doubles; an empty one gets capacity `first`. Items may move. Exits if out of memory.
 * Evaluates arguments more than once.
 */
#define GROW(items, nr, cap, first)                                                                \
	do {                                                                                       \
		if ((nr) == (cap)) {                                                               \
			(cap) = (cap) ? (cap)*2 : (first);                                         \
			(items) = xreallocarray((items), (cap), sizeof(*(items)));                 \
		}                                                                                  \
	} while (0)

#endif
