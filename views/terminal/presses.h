/* SPDX-License-Identifier: MIT */
/*
 * Detects double clicks. Curses detects them only if both arrive at once, or by waiting after each
 * click, which would delay every single one.
 *
 * Terminal thread. One clock reading per click.
 */
#ifndef VIEWS_PRESSES_H
#define VIEWS_PRESSES_H

#include <stdbool.h>

#include "engine/base/clock.h"

struct presses {
	ns_t last_ns; /* monotonic time of a click that a second one may follow; 0: none */
	int x, y;
};

/* Handle a click at the cell (x, y). Returns true if it is the second of a double click; the
 * third is a first one again. */
bool presses_second(struct presses *presses, int x, int y);

#endif
