/* SPDX-License-Identifier: MIT */
/* Computes the layout of the screen. */
#include "config.h"

#include "views/ui/layout.h"
#include "views/ui/views.h"

#include <string.h>

static int nr_of_side(enum view_side side)
{
	int nr = 0;

	for (int i = 0; i < NR_PANES; i++)
		nr += view_rows[i].side == side;
	return nr;
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

/* Return the minimum number of rows of a pane, whatever its content is. */
static int least_rows(int room, int nr)
{
	int share = nr ? room / nr : 0, least = max(room / 4, LAYOUT_LEAST_ROWS);

	return least < share ? least : share;
}

/*
 * Distribute the rows of a side over its panes. A pane whose content needs fewer rows than its
 * share leaves the rest to the others, which then share it equally; remaining rows go to the upper
 * panes. If the content of all panes fits, all get the same number.
 */
static void share_rows(const struct layout_wants *wants, enum view_side side, int room,
		       int rows[NR_PANES])
{
	int nr = nr_of_side(side), least = least_rows(room, nr), left = room;
	bool is_calm[NR_PANES] = { false }, busy = false, changed = true;

	for (int i = 0; i < NR_PANES && nr; i++)
		busy |= view_rows[i].side == side && wants->rows[i] > room / nr;
	while (busy && changed) {
		changed = false;
		for (int i = 0; i < NR_PANES; i++) {
			int wanted = max(wants->rows[i], least);

			if (view_rows[i].side != side || is_calm[i] || nr < 2 || wanted > left / nr)
				continue;
			is_calm[i] = changed = true;
			rows[i] = wanted;
			left -= wanted;
			nr--;
		}
	}
	for (int i = 0; i < NR_PANES; i++) {
		if (view_rows[i].side != side || is_calm[i])
			continue;
		rows[i] = (left + nr - 1) / nr;
		left -= rows[i];
		nr--;
	}
}

/* Place the panes of a side below each other. */
static void fill_side(struct layout *layout, const struct layout_wants *wants, enum view_side side,
		      int x, int cols)
{
	int y = layout->body.y, rows[NR_PANES] = { 0 };

	share_rows(wants, side, layout->body.rows, rows);
	for (int i = 0; i < NR_PANES; i++) {
		if (view_rows[i].side != side)
			continue;
		layout->panes[i] = (struct rect){ x, y, cols, rows[i] };
		y += rows[i];
	}
}

/* Return the number of columns of the left side. */
static int share_cols(const struct layout_wants *wants, int cols)
{
	int least[2] = { 0 }, full[2] = { 0 }, more, left;

	for (int i = 0; i < NR_PANES; i++) {
		int side = view_rows[i].side == SIDE_RIGHT;

		if (view_rows[i].side == SIDE_NONE)
			continue;
		least[side] = max(least[side], wants->least_cols[i]);
		full[side] = max(full[side], wants->full_cols[i]);
	}
	if (!full[0] || !full[1])
		return (cols * 53 + 50) / 100;
	more = full[0] + full[1] - least[0] - least[1];
	if (cols >= full[0] + full[1])
		left = full[0] + (cols - full[0] - full[1]) * 2 / 3;
	else if (cols >= least[0] + least[1])
		left = least[0] +
		       (cols - least[0] - least[1]) * (full[0] - least[0]) / max(more, 1);
	else
		left = cols * least[0] / (least[0] + least[1]);
	/* Whatever columns the user chose, each side keeps at least a third of the width. */
	return left < cols / 3 ? cols / 3 : left > cols * 2 / 3 ? cols * 2 / 3 : left;
}

static void all_panes(struct layout *layout, const struct layout_wants *wants)
{
	int cols = layout->body.cols, left = share_cols(wants, cols);

	fill_side(layout, wants, SIDE_LEFT, 0, left);
	fill_side(layout, wants, SIDE_RIGHT, left, cols - left);
}

void layout_make(struct layout *layout, int cols, int rows, int focus, bool zoomed,
		 const struct layout_wants *wants)
{
	bool wide = cols >= LAYOUT_WIDE_COLS && rows >= LAYOUT_WIDE_ROWS;

	memset(layout, 0, sizeof(*layout));
	layout->header_rows = rows >= 8 ? 2 : 1;
	layout->keys_y = rows - 1;
	layout->body =
		(struct rect){ 0, layout->header_rows, cols, rows - 1 - layout->header_rows };
	layout->all = wide && !zoomed && focus >= 0 && view_rows[focus].side != SIDE_NONE;
	if (layout->all) {
		all_panes(layout, wants);
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
