/* SPDX-License-Identifier: MIT */
/* Highlights the parts of the wall time (the critical path) on a line of bars. */
#ifndef VIEWS_PATH_DRAW_H
#define VIEWS_PATH_DRAW_H

#include "monitor/analysis/path_pieces.h"
#include "views/ui/view.h"
#include "views/widget/time_window.h"

/*
 * Highlight cells `from` to `to` of `slot`, which shows the time of `window`: times at which the
 * process in slot `process` is on the critical path are bold inside a bar, and a heavy line
 * outside. O(visible pieces).
 */
void held_draw(const struct path_pieces *held, uint32_t process, const struct time_window *window,
	       const struct slot *slot, int from, int to);

/* Return a cell of the slot's line; NULL outside the surface. */
const struct cell *held_cell(const struct slot *slot, int cell);

#endif
