/* SPDX-License-Identifier: MIT */
/*
 * The visible part of a time axis, with zoom, panning and a cursor. Times are in ns of any clock.
 * Plain memory, zero it and call window_reset(); one thread.
 *
 * window_fit() sets the extent [first, edge] in each frame. Without zoom the window is the extent.
 * Zoomed, it keeps its width and, while it follows, its right end at the edge. Invariant after
 * window_fit(): [from, from + width] is within the extent, unless the extent is narrower than the
 * minimum width.
 */
#ifndef VIEWS_TIME_WINDOW_H
#define VIEWS_TIME_WINDOW_H

#include <stdbool.h>

#include "engine/base/clock.h"

struct time_window {
	ns_t first, edge; /* ro: the extent: first and last time of the axis */
	ns_t from, width; /* ro: the visible part; width > 0 after window_fit() */
	ns_t cursor;      /* rw: time of the cursor; NS_NONE: at the right end of the extent */
	/* ro: only a part of the extent is visible */
	bool zoomed;
	/* rw: the right end of the visible part stays at the right end of the extent */
	bool follow;
	bool has_whole; /* ro: window_fit() was called since window_reset() */
	/* private: product of the factors of window_zoom() before the first window_fit(); 0:
	 * none */
	double zoom_asked;
};

/* Forget the extent, zoom and cursor, and follow the end. */
void window_reset(struct time_window *window);

/* Set the extent of the time axis to [first, edge]; if edge is before first, to [0, 0]. */
void window_fit(struct time_window *window, ns_t first, ns_t edge);

/* Multiply the width of the visible part by `factor`, around the cursor if it is visible, else
 * around the middle. If there is no extent yet, the next window_fit() does this. Then the window
 * follows if, and only if, no cursor is set. */
void window_zoom(struct time_window *window, double factor);

/* Move the visible part by `by` ns within the extent, and stop following its end. */
void window_pan(struct time_window *window, ns_t by);

/* Move the cursor by `cells` of `cols` cells to the right, within the extent, and the visible part
 * with the cursor if needed; stop following. */
void window_move_cursor(struct time_window *window, int cells, int cols);

/* Move the cursor to the end of the extent, and follow that end. */
void window_follow(struct time_window *window);

ns_t window_cursor(const struct time_window *window);

/* Return the cell of a time if the visible part has `cols` cells: -1 for times left of it, `cols`
 * for its right end and times right of it. */
int window_cell(const struct time_window *window, ns_t time, int cols);
/* Return the cell of the cursor, or the nearest cell if the cursor is outside the visible part. */
int window_cursor_cell(const struct time_window *window, int cols);

#endif
