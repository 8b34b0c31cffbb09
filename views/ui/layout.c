/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/layout.h"
#include "views/ui/views.h"

#include <string.h>

#define LEAST_PANE_ROWS 4
#define MAX_LOWER       3

struct lower {
	int panes[MAX_LOWER], nr;
};

static int layout_max(int a, int b)
{
	return a > b ? a : b;
}

static int layout_min(int a, int b)
{
	return a < b ? a : b;
}

static int pane_at(enum view_place place)
{
	int at = 0;

	while (view_rows[at].place != place)
		at++;
	return at;
}

static struct lower lower_panes(int cols, int rows, int focus)
{
	int left = pane_at(PLACE_LEFT), middle = pane_at(PLACE_MIDDLE),
	    right = pane_at(PLACE_RIGHT);

	if (cols >= LAYOUT_MIDDLE_COLS && rows >= LAYOUT_MIDDLE_ROWS)
		return (struct lower){ { left, middle, right }, 3 };
	return (struct lower){ { left, focus == middle ? middle : right }, 2 };
}

/* Return the least width of a lower pane: 1 / (lower->nr + 1) of the screen's columns, but no more
 * than the pane needs. */
static int floor_cols(const struct layout_wants *wants, const struct lower *lower, int i, int cols)
{
	int full = wants->full_cols[lower->panes[i]], floor = cols / (lower->nr + 1);

	return full ? layout_min(full, floor) : floor;
}

static void share_cols(const struct layout_wants *wants, const struct lower *lower, int cols,
		       int widths[MAX_LOWER])
{
	int least = 0, full = 0, left = cols, floors = 0;

	for (int i = 0; i < lower->nr; i++) {
		least += wants->least_cols[lower->panes[i]];
		full += wants->full_cols[lower->panes[i]];
		floors += floor_cols(wants, lower, i, cols);
	}
	for (int i = 0; i < lower->nr; i++) {
		int own_least = wants->least_cols[lower->panes[i]];
		int own_full = wants->full_cols[lower->panes[i]];
		int floor = floor_cols(wants, lower, i, cols), others = lower->nr - 1 - i;

		floors -= floor;
		if (!others)
			widths[i] = left;
		else if (!full)
			widths[i] = cols / lower->nr;
		else if (cols >= full)
			widths[i] = own_full + (cols - full) / lower->nr;
		else if (cols >= least)
			widths[i] = own_least + (cols - least) * (own_full - own_least) /
							layout_max(full - least, 1);
		else
			widths[i] = cols * own_least / layout_max(least, 1);
		if (others)
			widths[i] = layout_min(layout_max(widths[i], floor), left - floors);
		left -= widths[i];
	}
}

static void place_all(struct layout *layout, const struct layout_wants *wants, int rows, int focus)
{
	struct lower lower = lower_panes(layout->body.cols, rows, focus);
	int top = pane_at(PLACE_TOP), room = layout->body.rows, below = 0, x = 0;
	int top_rows = layout_max(wants->rows[top], LEAST_PANE_ROWS), widths[MAX_LOWER] = { 0 };

	for (int i = 0; i < lower.nr; i++)
		below = layout_max(below, wants->rows[lower.panes[i]]);
	if (!wants->rows[top]) { /* the sizes that the panes need are not known yet */
		top_rows = room;
		below = room;
	}
	below = layout_min(below, layout_max(room * 2 / 5, room - top_rows));
	top_rows = layout_min(top_rows, room - below);
	layout->panes[top] = (struct rect){ 0, layout->body.y, layout->body.cols, top_rows };
	share_cols(wants, &lower, layout->body.cols, widths);
	for (int i = 0; i < lower.nr; i++) {
		int pane = lower.panes[i];
		int wanted = wants->rows[pane] ? wants->rows[pane] : below;

		layout->panes[pane] = (struct rect){ x, layout->body.y + top_rows, widths[i],
						     layout_min(wanted, below) };
		x += widths[i];
	}
}

void layout_make(struct layout *layout, int cols, int rows, int graphs, int focus, bool zoomed,
		 const struct layout_wants *wants)
{
	bool wide = cols >= LAYOUT_WIDE_COLS && rows >= LAYOUT_WIDE_ROWS;

	memset(layout, 0, sizeof(*layout));
	layout->header_rows = rows < 8 ? 1 : graphs > 1 ? 1 + graphs : 2;
	layout->keys_y = rows - 1;
	layout->body =
		(struct rect){ 0, layout->header_rows, cols, rows - 1 - layout->header_rows };
	layout->all = wide && !zoomed && focus >= 0 && view_rows[focus].place != PLACE_NONE;
	if (layout->all && !(wants->alone && view_rows[focus].place == PLACE_TOP)) {
		place_all(layout, wants, rows, focus);
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
