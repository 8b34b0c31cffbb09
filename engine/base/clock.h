/* SPDX-License-Identifier: MIT */
/* Clocks. An `ns_t` is signed nanoseconds since the Unix epoch (wall), since an arbitrary fixed
 * instant (monotonic), or between two instants. Any thread. */
#ifndef TR2_BASE_CLOCK_H
#define TR2_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef int64_t ns_t;

#define NS_PER_US  1000LL
#define NS_PER_MS  1000000LL
#define NS_PER_SEC 1000000000LL
/* An unknown or absent time. No clock reading has this value. */
#define NS_NONE INT64_MIN

/* Add and subtract untrusted times. An overflow saturates, never to NS_NONE. */
static inline ns_t ns_add(ns_t a, ns_t b)
{
	ns_t sum;

	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN + 1 : INT64_MAX) : sum;
}

static inline ns_t ns_sub(ns_t a, ns_t b)
{
	ns_t diff;

	return __builtin_sub_overflow(a, b, &diff) ? (b > 0 ? INT64_MIN + 1 : INT64_MAX) : diff;
}

static inline ns_t tr2_clock_read(clockid_t id)
{
	struct timespec ts;

	if (__builtin_expect(clock_gettime(id, &ts) != 0, 0))
		return 0;
	return (ns_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

static inline ns_t tr2_clock_monotonic(void)
{
	return tr2_clock_read(CLOCK_MONOTONIC);
}

static inline ns_t tr2_clock_wall(void)
{
	return tr2_clock_read(CLOCK_REALTIME);
}

#endif
