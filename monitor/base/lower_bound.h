/* SPDX-License-Identifier: MIT */
/*
 * Binary search. A macro, because searches of the hot path compare their own member and must not
 * call a function. Any thread.
 */
#ifndef MONITOR_LOWER_BOUND_H
#define MONITOR_LOWER_BOUND_H

/*
 * Set `at`, an integer variable, to the first index from 0 to `nr` - 1 for which the expression
 * `is_before` of `at` is false, or to `nr`. `is_before` must be monotonic. O(log nr).
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
