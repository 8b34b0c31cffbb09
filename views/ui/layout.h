/* SPDX-License-Identifier: MIT */
/*
 * Where things stand: two lines of header, the body, the line of keys. Wide and high screens
 * show all panes in two columns; others one pane under a line of tabs. Pure.
 */
#ifndef VIEWS_LAYOUT_H
#define VIEWS_LAYOUT_H

#include <stdbool.h>

#include "views/draw/surface.h"
#include "views/ui/view.h"

#define LAYOUT_WIDE_COLS 100
#define LAYOUT_WIDE_ROWS 20

struct layout {
	bool all;	   /* all panes at once */
	int header_rows;   /* 1 or 2 */
	struct rect body;  /* all between header and keys */
	struct rect tabs;  /* rows 0: none */
	struct rect panes[NR_PANES]; /* with their frames; cols 0: not shown */
	int keys_y;
};

/* `single`: show pane `focus` alone (zoomed, or there is no room), or a page (-1). */
void layout_make(struct layout *layout, int cols, int rows, int focus, bool zoomed);

#endif
