/* SPDX-License-Identifier: MIT */
/*
 * A place in a sorted array. In line, for the searches of the hot path compare a member of their
 * own and call nothing. Any thread.
 */
#ifndef MONITOR_LOWER_BOUND_H
#define MONITOR_LOWER_BOUND_H

/*
 * Set `at`, a variable of a whole number, to the first of the places 0 to `nr` - 1 of which
 * `is_before`, an expression of `at`, is false; to `nr` where it is true of all. It is true of no
 * place behind one of which it is false. O(log nr).
 */
#define LOWER_BOUND(at, nr, is_before)                                                             \
	do {                                                                                       \
		__typeof__(at) low_ = 0, high_ = (nr);                                             \
                                                                                                   \
		while (low_ < high_) {                                                             \
			(at) = low_ + (high_ - low_) / 2;                                          \
			if (is_before)                                                             \
				low_ = (at) + 1;                                                   \
			else                                                                       \
				high_ = (at);                                                      \
		}                                                                                  \
		(at) = low_;                                                                       \
	} while (0)

#endif
