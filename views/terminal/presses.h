/* SPDX-License-Identifier: MIT */
/*
 * Which press of the mouse is the second of two. Curses can tell, but only where both came at
 * once, or by waiting after each press, which would delay every single one.
 *
 * Owned by the terminal thread. A clock reading a press.
 */
#ifndef VIEWS_PRESSES_H
#define VIEWS_PRESSES_H

#include <stdbool.h>

#include "engine/base/clock.h"

struct presses {
	ns_t last_ns; /* monotonic; 0: there is none that could be the first of two */
	int x, y;
};

/* A press at the cell (x, y), now. The third of three is a first one again. */
bool presses_second(struct presses *presses, int x, int y);

#endif
