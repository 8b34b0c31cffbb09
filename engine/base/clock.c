/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/clock.h"

ns_t (*tr2_clock_replaced_monotonic)(void);
ns_t (*tr2_clock_replaced_wall)(void);

void tr2_clock_replace(ns_t (*monotonic)(void), ns_t (*wall)(void))
{
	tr2_clock_replaced_monotonic = monotonic;
	tr2_clock_replaced_wall = wall;
}
