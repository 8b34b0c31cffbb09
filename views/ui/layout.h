/* SPDX-License-Identifier: MIT */
/*
 * Where things stand: two lines of header, the body, the line of keys. Wide and high screens
 * show all panes in two columns; others one pane under a line of tabs. Pure.
 *
 * Panes of a side have the same height as long as what they have to show goes in; where one has
 * more, it gets what the others of its side do not need, but for a quarter of the side and 8 rows,
 * which each keeps. The sides share the width by the columns of their panes: first what never goes,
 * then as much of the rest on both; what is left over is for texts, two parts of three on the left.
 */
#ifndef VIEWS_LAYOUT_H
#define VIEWS_LAYOUT_H

#include <stdbool.h>

#include "views/draw/surface.h"
#include "views/ui/view.h"

#define LAYOUT_WIDE_COLS  100
#define LAYOUT_WIDE_ROWS  20
#define LAYOUT_LEAST_ROWS 8 /* of a pane, where its side has them */

/* What each pane has to show, with its frame. All 0: nothing is known. */
struct layout_wants {
	int rows[NR_PANES];
	int least_cols[NR_PANES]; /* for the columns that never go */
	int full_cols[NR_PANES];  /* for all of them */
};

struct layout {
	bool all;                    /* all panes at once */
	int header_rows;             /* 1 or 2 */
	struct rect body;            /* all between header and keys */
	struct rect tabs;            /* rows 0: none */
	struct rect panes[NR_PANES]; /* with their frames; cols 0: not shown */
	int keys_y;
};

/* `single`: show pane `focus` alone (zoomed, or there is no room), or a page (-1). */
void layout_make(struct layout *layout, int cols, int rows, int focus, bool zoomed,
		 const struct layout_wants *wants);

#endif
