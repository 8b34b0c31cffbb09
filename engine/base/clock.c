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

static ns_t system_monotonic(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

static ns_t system_wall(void)
{
	return clock_read(CLOCK_REALTIME);
}

static ns_t (*clock_monotonic)(void) = system_monotonic;
static ns_t (*clock_wall)(void) = system_wall;

ns_t tr2_clock_monotonic(void)
{
	return clock_monotonic();
}

ns_t tr2_clock_wall(void)
{
	return clock_wall();
}

void tr2_clock_replace(ns_t (*monotonic)(void), ns_t (*wall)(void))
{
	clock_monotonic = monotonic ? monotonic : system_monotonic;
	clock_wall = wall ? wall : system_wall;
}
