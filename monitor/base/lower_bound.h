/* SPDX-License-Identifier: MIT */
/* Binary search as a macro, without a call per comparison. Any thread. */
#ifndef MONITOR_LOWER_BOUND_H
#define MONITOR_LOWER_BOUND_H

/* Set the variable `at` to the first index below `nr` for which the expression `is_before` of `at`
 * is false, or to `nr`. After such an index, `is_before` must stay false. */
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
