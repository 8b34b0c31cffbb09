/* SPDX-License-Identifier: MIT */
/* The arithmetic of the screen. */
#include "config.h"

#include "views/ui/layout.h"

#include <string.h>

static void four_panes(struct layout *layout)
{
	struct rect body = layout->body;
	int left = (body.cols * 53 + 50) / 100, upper = (body.rows + 1) / 2;

	layout->panes[VIEW_PROCESSES] = (struct rect){ 0, body.y, left, upper };
	layout->panes[VIEW_THREADS] =
		(struct rect){ 0, body.y + upper, left, body.rows - upper };
	layout->panes[VIEW_TIMINGS] = (struct rect){ left, body.y, body.cols - left, upper };
	layout->panes[VIEW_CHILDREN] =
		(struct rect){ left, body.y + upper, body.cols - left, body.rows - upper };
}

void layout_make(struct layout *layout, int cols, int rows, int focus, bool zoomed)
{
	bool wide = cols >= LAYOUT_WIDE_COLS && rows >= LAYOUT_WIDE_ROWS;

	memset(layout, 0, sizeof(*layout));
	layout->header_rows = rows >= 8 ? 2 : 1;
	layout->keys_y = rows - 1;
	layout->body = (struct rect){ 0, layout->header_rows, cols,
				      rows - 1 - layout->header_rows };
	layout->four = wide && !zoomed && focus >= 0;
	if (layout->four) {
		four_panes(layout);
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
