/* SPDX-License-Identifier: MIT */
/*
 * An array that grows by doubling. Any thread that owns the array.
 */
#ifndef MONITOR_GROW_H
#define MONITOR_GROW_H

#include "monitor/base/die.h"

/*
 * Make room for one more item in `items`, a malloc()ed array of `nr` that has room for `cap`, both
 * unsigned: twice the room where it is full, `first` items at the beginning. Items may move. Dies
 * where memory is short. `items` and `cap` are set, and each argument is evaluated more than once.
 */
#define GROW(items, nr, cap, first)                                                                \
	do {                                                                                       \
		if ((nr) == (cap)) {                                                               \
			(cap) = (cap) ? (cap)*2 : (first);                                         \
			(items) = xreallocarray((items), (cap), sizeof(*(items)));                 \
		}                                                                                  \
	} while (0)

#endif
