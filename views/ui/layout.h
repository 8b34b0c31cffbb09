/* SPDX-License-Identifier: MIT */
/*
 * The layout of the screen: two lines of header, the body, the bottom line. Wide and high screens
 * show all panes in two columns; other screens show one pane below a line of tabs. Pure functions.
 *
 * Panes of a side have equal heights while their content fits. A pane with more content gets the
 * rows that the others of its side do not need, but each keeps a quarter of the side or 8 rows. The
 * two sides share the width by the needs of their panes: first the columns of the tables that are
 * never hidden, then an equal part of the others; two thirds of the rest goes to the left.
 */
#ifndef VIEWS_LAYOUT_H
#define VIEWS_LAYOUT_H

#include <stdbool.h>

#include "views/draw/surface.h"
#include "views/ui/view.h"

#define LAYOUT_WIDE_COLS  100
#define LAYOUT_WIDE_ROWS  20
#define LAYOUT_LEAST_ROWS 8 /* minimum number of rows per pane, if its side has enough */

/* The size that each pane needs, with its frame. All 0: unknown. */
struct layout_wants {
	int rows[NR_PANES];
	int least_cols[NR_PANES]; /* width for the columns that are never hidden */
	int full_cols[NR_PANES];  /* width for all columns */
};

struct layout {
	bool all;                    /* all panes are shown */
	int header_rows;             /* number of rows of the header: 1 or 2 */
	struct rect body;            /* area between header and bottom line */
	struct rect tabs;            /* line of tabs; rows is 0: there is none */
	struct rect panes[NR_PANES]; /* area of each pane with its frame; cols is 0: not shown */
	int keys_y;
};

/* Compute the layout. Pane `focus` is shown alone if it is zoomed or there is no space for all;
 * -1: a page is in front. */
void layout_make(struct layout *layout, int cols, int rows, int focus, bool zoomed,
		 const struct layout_wants *wants);

#endif
