/* SPDX-License-Identifier: MIT */
/* Highlights on a line of bars when a process is on the critical path of the wall time. */
#ifndef VIEWS_PATH_DRAW_H
#define VIEWS_PATH_DRAW_H

#include "monitor/analysis/path_pieces.h"
#include "views/ui/view.h"
#include "views/widget/time_window.h"

/*
 * Highlight the cells `from` to `to` of `slot`, which shows the time of `window`: while the process
 * in the model's slot `process` is on the critical path, bars (STYLE_BAR) get STYLE_HELD, and cells
 * in STYLE_DIM get GLYPH_HELD.
 */
void held_draw(const struct path_pieces *held, uint32_t process, const struct time_window *window,
	       const struct slot *slot, int from, int to);

/* Return a cell of the slot's line; NULL if it is outside the surface. */
const struct cell *held_cell(const struct slot *slot, int cell);

#endif
