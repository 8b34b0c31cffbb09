/* SPDX-License-Identifier: MIT */
/*
 * Draws surfaces with curses: looks (styles.h) become colour pairs and attributes. Only the
 * terminal thread, after newterm(). Blocks if the terminal accepts no bytes.
 */
#ifndef VIEWS_PAINT_H
#define VIEWS_PAINT_H

#include <stdbool.h>

#include "views/draw/surface.h"

struct paint {
	int theme;   /* enum theme */
	bool colour; /* false: use only attributes such as bold */
	int pairs;
	/* number of the colour pair by style and overlay; 0: not created yet */
	short pair_of[NR_STYLES][NR_STYLES];
};

/* Set the theme, and use colours if `colour` (enum colour), the theme and the terminal allow it
 * and, unless `colour` is COLOUR_ALWAYS, the environment. */
void paint_start(struct paint *paint, int theme, int colour);

/* Draw the cells that differ from `old`, the surface drawn last; all cells if `old` is NULL or has
 * another size. Place the cursor. */
void paint_surface(struct paint *paint, const struct surface *surface, const struct surface *old);

#endif
