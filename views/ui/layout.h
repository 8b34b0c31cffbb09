/* SPDX-License-Identifier: MIT */
/*
 * The layout: the header, the body, the bottom line. Pure functions.
 *
 *   from 100 columns and 20 rows       from 160 columns and 45 rows     smaller
 *   +-----------------------------+    +-----------------------------+  +----------+
 *   | TOP                         |    | TOP                         |  |  tabs    |
 *   +--------------+--------------+    +---------+---------+---------+  | one pane |
 *   | LEFT         | RIGHT        |    | LEFT    | MIDDLE  | RIGHT   |  |          |
 *   +--------------+--------------+    +---------+---------+---------+  +----------+
 *
 * With two panes in the lower row, MIDDLE takes the place of RIGHT while it has the focus.
 *
 * If several panes are shown, none is higher than its content, if that is known, except that TOP
 * has at least 4 rows. If the content of all does not fit, the lower row gets at most two fifths of
 * the body, or more if TOP does not need its part.
 */
#ifndef VIEWS_LAYOUT_H
#define VIEWS_LAYOUT_H

#include <stdbool.h>

#include "views/draw/surface.h"
#include "views/ui/view.h"

#define LAYOUT_WIDE_COLS   100
#define LAYOUT_WIDE_ROWS   20
#define LAYOUT_MIDDLE_COLS 160
#define LAYOUT_MIDDLE_ROWS 45

/* The size that each pane needs, including its frame. All zeros: unknown. */
struct layout_wants {
	int rows[NR_PANES];
	int least_cols[NR_PANES]; /* width for the table columns that are never dropped */
	int full_cols[NR_PANES];  /* width for the title, and all table columns if no cell is cut */
	bool alone;               /* only the pane at the top has content */
};

struct layout {
	/* several panes are shown, unless only the top one has content; false: one pane or a page
	 * fills the body */
	bool all;
	int header_rows;  /* 1 to 4 */
	struct rect body; /* the area between the header, or the tabs, and the bottom line */
	struct rect tabs; /* area of the tabs; rows is 0 if there are none */
	/* each pane with its frame; cols is 0 if the pane is not shown */
	struct rect panes[NR_PANES];
	int keys_y;
};

/* Compute the layout. `graphs`: number of rows of the header with a graph. Pane `focus` is shown
 * alone if it is zoomed, if its place is NONE, if the screen is too small for several panes, or if
 * it is the only one with content; -1: a page is in front. */
void layout_make(struct layout *layout, int cols, int rows, int graphs, int focus, bool zoomed,
		 const struct layout_wants *wants);

#endif
