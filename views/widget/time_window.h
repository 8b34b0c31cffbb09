/* SPDX-License-Identifier: MIT */
/*
 * The visible part of a time axis, with zoom, panning and a cursor. Times are in ns of any clock.
 * It draws nothing. Plain memory, zero it and call window_reset(); one thread.
 *
 * window_fit() sets the extent [first, edge] in each frame; the edge moves if something is live.
 * Without zoom the window is the extent. Zoomed, it keeps its width and, while it follows, its
 * right end at the edge. Invariant: once there is an extent, [from, from + width] is within it,
 * unless the extent is narrower than the minimum width.
 */
#ifndef VIEWS_TIME_WINDOW_H
#define VIEWS_TIME_WINDOW_H

#include <stdbool.h>

#include "engine/base/clock.h"

struct time_window {
	ns_t first, edge;  /* ro: the extent */
	ns_t from, width;  /* ro: the visible part; width is positive */
	ns_t cursor;       /* rw; NS_NONE: at the edge */
	bool zoomed;       /* ro: else the whole extent is visible */
	bool follow;       /* rw: the right end stays at the edge */
	bool has_whole;    /* ro: window_fit() was called since window_reset() */
	double zoom_asked; /* private: zoom by keys before that; 0: none */
};

/* Reset: no extent, not zoomed, following. */
void window_reset(struct time_window *window);

/* Set the extent to [first, edge]; an inverted one becomes [0, 0]. */
void window_fit(struct time_window *window, ns_t first, ns_t edge);

/* Multiply the width by `factor` around the cursor, else around the middle. Without an extent,
 * this is applied by the next window_fit(). */
void window_zoom(struct time_window *window, double factor);

/* Move the window by `by` within the extent, and stop following. */
void window_pan(struct time_window *window, ns_t by);

/* Move the cursor by `cells` of `cols` cells to the right, and the window with it. */
void window_move_cursor(struct time_window *window, int cells, int cols);

/* Move the cursor to the edge and follow it. */
void window_follow(struct time_window *window);

/* Return the cursor's time. */
ns_t window_cursor(const struct time_window *window);

/* Return the cell of a time in `cols` cells: -1 left of them, `cols` right of them. */
int window_cell(const struct time_window *window, ns_t time, int cols);
/* Return the cursor's cell, always one of them. */
int window_cursor_cell(const struct time_window *window, int cols);

#endif
