/* SPDX-License-Identifier: MIT */
/*
 * Surfaces by curses: looks become colour pairs and attributes, cells become characters. Only the
 * terminal thread, between newterm() and endwin(). It may hang where the terminal takes no bytes.
 */
#ifndef VIEWS_PAINT_H
#define VIEWS_PAINT_H

#include <stdbool.h>

#include "views/draw/surface.h"

struct paint {
	int theme;                           /* enum theme */
	bool colour;                         /* else attributes alone */
	int pairs;                           /* how many were made */
	short pair_of[NR_STYLES][NR_STYLES]; /* by style and the one over it; 0: not made yet */
};

/* The look from here on: a theme, and enum colour, within what the terminal has. */
void paint_start(struct paint *paint, int theme, int colour);

/* Draw a surface; of those cells alone that differ from `old`, which is there now (NULL: all). */
void paint_surface(struct paint *paint, const struct surface *surface, const struct surface *old);

#endif
