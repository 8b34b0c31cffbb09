/* SPDX-License-Identifier: MIT */
/* Detects double clicks, because curses would delay single clicks for this. Terminal thread. */
#ifndef VIEWS_PRESSES_H
#define VIEWS_PRESSES_H

#include <stdbool.h>

#include "engine/base/clock.h"

struct presses {
	ns_t last_ns; /* monotonic time of a click that a second click may follow; 0: none */
	int x, y;
};

/* Handle a click at the cell (x, y). Returns true for the second click of a double click; a third
 * click counts as a first one. */
bool presses_second(struct presses *presses, int x, int y);

#endif
