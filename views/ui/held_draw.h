/* SPDX-License-Identifier: MIT */
/* Marks what was waited for on a line of bars over time. */
#ifndef VIEWS_HELD_DRAW_H
#define VIEWS_HELD_DRAW_H

#include "monitor/analysis/held.h"
#include "views/ui/view.h"
#include "views/widget/time_window.h"

/*
 * Over what was drawn in cells `from` to `to` of `slot`, which shows `window`: what was held in the
 * process in slot `process` is bold in a bar, and a heavy line where none is. O(pieces in sight).
 */
void held_draw(const struct held *held, uint32_t process, const struct time_window *window,
	       const struct slot *slot, int from, int to);

/* The cell of the slot's line; NULL beyond the surface. */
const struct cell *held_cell(const struct slot *slot, int cell);

#endif
