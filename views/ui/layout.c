/* SPDX-License-Identifier: MIT */
/* The arithmetic of the screen. */
#include "config.h"

#include "views/ui/layout.h"

#include <string.h>

static int nr_of_side(enum view_side side)
{
	int nr = 0;

	for (int i = 0; i < NR_PANES; i++)
		nr += view_rows[i].side == side;
	return nr;
}

/* The panes of a side below one another; the upper ones have a row more where it is not even. */
static void fill_side(struct layout *layout, enum view_side side, int x, int cols)
{
	int y = layout->body.y, left = layout->body.rows, nr = nr_of_side(side);

	for (int i = 0; i < NR_PANES; i++) {
		int rows = nr ? (left + nr - 1) / nr : 0;

		if (view_rows[i].side != side)
			continue;
		layout->panes[i] = (struct rect){ x, y, cols, rows };
		y += rows;
		left -= rows;
		nr--;
	}
}

static void all_panes(struct layout *layout)
{
	int cols = layout->body.cols, left = (cols * 53 + 50) / 100;

	fill_side(layout, SIDE_LEFT, 0, left);
	fill_side(layout, SIDE_RIGHT, left, cols - left);
}

void layout_make(struct layout *layout, int cols, int rows, int focus, bool zoomed)
{
	bool wide = cols >= LAYOUT_WIDE_COLS && rows >= LAYOUT_WIDE_ROWS;

	memset(layout, 0, sizeof(*layout));
	layout->header_rows = rows >= 8 ? 2 : 1;
	layout->keys_y = rows - 1;
	layout->body = (struct rect){ 0, layout->header_rows, cols,
				      rows - 1 - layout->header_rows };
	layout->all = wide && !zoomed && focus >= 0 && view_rows[focus].side != SIDE_NONE;
	if (layout->all) {
		all_panes(layout);
		return;
	}
	if (focus >= 0 && !wide) {
		layout->tabs = (struct rect){ 0, layout->body.y, cols, 1 };
		layout->body.y++;
		layout->body.rows--;
	}
	if (focus >= 0)
		layout->panes[focus] = layout->body;
}
