/* SPDX-License-Identifier: MIT */
/*
 * The part of a time axis that is in sight: zoomed, panned, and with a cursor. Times are of any
 * clock, in ns; it draws nothing and knows nothing of what happened in them. Plain memory, to be
 * zeroed and then reset; one thread.
 *
 * There is a whole, [first, edge], which window_fit() tells anew each frame; the edge goes on where
 * something is live. Unless it is zoomed the window is the whole. Zoomed it keeps its width and,
 * while it follows, its right end at the edge. Once there is a whole, [from, from + width] lies
 * in it, but for a whole that is narrower than the least width.
 */
#ifndef VIEWS_TIME_WINDOW_H
#define VIEWS_TIME_WINDOW_H

#include <stdbool.h>

#include "engine/base/clock.h"

struct time_window {
	ns_t first, edge;  /* ro: the whole */
	ns_t from, width;  /* ro: what is in sight; width is positive */
	ns_t cursor;       /* rw; NS_NONE: at the edge */
	bool zoomed;       /* ro: else the whole is in sight */
	bool follow;       /* rw: the right end stays at the edge */
	bool has_whole;    /* ro: window_fit() was called since window_reset() */
	double zoom_asked; /* private: by keys that came before that; 0: none */
};

/* All is in sight, and followed; there is no whole yet. */
void window_reset(struct time_window *window);

/* The whole is [first, edge] now; one that ends before it begins is [0, 0]. */
void window_fit(struct time_window *window, ns_t first, ns_t edge);

/* The cursor's place, else the middle, stays where it is and the width is multiplied by `factor`;
 * before there is a whole, as soon as there is one. */
void window_zoom(struct time_window *window, double factor);

/* `by` later, within the whole; it follows no longer. */
void window_pan(struct time_window *window, ns_t by);

/* The cursor goes that many of `cols` cells to the right, and the window with it. */
void window_move_cursor(struct time_window *window, int cells, int cols);

/* The cursor goes to the edge, and both follow it. */
void window_follow(struct time_window *window);

/* The cursor's time. */
ns_t window_cursor(const struct time_window *window);

/* The cell of an instant in `cols` cells: -1 left of them, `cols` right of them. */
int window_cell(const struct time_window *window, ns_t time, int cols);
/* The cursor's, which is always one of them. */
int window_cursor_cell(const struct time_window *window, int cols);

#endif
