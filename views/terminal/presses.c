/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/presses.h"

#define DOUBLE_PRESS_NS (400 * NS_PER_MS)

bool presses_second(struct presses *presses, int x, int y)
{
	ns_t now = tr2_clock_monotonic();
	bool second = presses->last_ns && now - presses->last_ns <= DOUBLE_PRESS_NS &&
		      presses->x == x && presses->y == y;

	*presses = (struct presses){ second ? 0 : now, x, y };
	return second;
}
