/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/clock.h"

#include <stddef.h>
#include <time.h>

static ns_t clock_read(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (ns_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* NULL: the system's. A test of a pointer is cheaper than a call through it. */
static ns_t (*replaced_monotonic)(void);
static ns_t (*replaced_wall)(void);

ns_t tr2_clock_monotonic(void)
{
	if (__builtin_expect(replaced_monotonic != NULL, 0))
		return replaced_monotonic();
	return clock_read(CLOCK_MONOTONIC);
}

ns_t tr2_clock_wall(void)
{
	if (__builtin_expect(replaced_wall != NULL, 0))
		return replaced_wall();
	return clock_read(CLOCK_REALTIME);
}

void tr2_clock_replace(ns_t (*monotonic)(void), ns_t (*wall)(void))
{
	replaced_monotonic = monotonic;
	replaced_wall = wall;
}
