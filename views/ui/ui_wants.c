/* SPDX-License-Identifier: MIT */
/*
 * The sizes that panes need. Moving text is hard to read, so sizes grow at once, but shrink only
 * after a key or a resize, or every 5 s.
 */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/views.h"

#define SETTLED_NS (5 * NS_PER_SEC)
#define TITLE_COLS 56 /* least full_cols of a pane, in cells, so that its title has space */

static int ui_wants_rows_of(struct ui *ui, struct view *view)
{
	struct view_ctx ctx = ui_context(ui, view);
	uint32_t nr =
		view->table.nr_rows < SURFACE_MAX_ROWS ? view->table.nr_rows : SURFACE_MAX_ROWS;
	int rows = (int)nr + (view->ops->columns[0].title != NULL) + 2;

	/* If the process has no children, the title line of the pane is enough. */
	if (!nr && view_rows[view->id].place == PLACE_MIDDLE && !*ui_filter_of(ui, view))
		return 1;
	if (view->ops->foot_rows)
		rows += view->ops->foot_rows(&ctx, ui->layout.body.rows);
	return rows + !nr;
}

static void want_rows(struct ui *ui, int pane, bool may_shrink)
{
	int rows = ui_wants_rows_of(ui, &ui->panes[pane]), *wanted = &ui->wants.rows[pane];

	if (rows >= *wanted || may_shrink)
		*wanted = rows;
}

static void want_cols(struct ui *ui, int pane)
{
	struct view *view = &ui->panes[pane];
	struct view_ctx ctx = ui_context(ui, view);
	struct column shown[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	int nr = table_columns(&view->table, view->ops->columns, view->ops->nr_columns, shown,
			       index);
	int least = 3;

	for (int i = 0; i < nr; i++)
		least += shown[i].rank ? 0 : shown[i].min_cells + 1;
	table_measure(&view->table, ui->cols, ui->layout.body.rows / 2, false, view->ops->columns,
		      view->ops->nr_columns, ui_draw_cell, &ctx);
	ui->wants.full_cols[pane] = ui->wants.rows[pane] == 1 ? 0 : view->table.wanted_cols + 2;
	if (ui->wants.full_cols[pane] < TITLE_COLS)
		ui->wants.full_cols[pane] = TITLE_COLS;
	ui->wants.least_cols[pane] =
		least < ui->wants.full_cols[pane] ? least : ui->wants.full_cols[pane];
}

void ui_wants(struct ui *ui)
{
	ns_t now = ui->in.monotonic_ns;
	bool may_shrink = ui->resettle || now - ui->settled_ns > SETTLED_NS;

	for (int i = 0; i < NR_PANES && ui->layout.all; i++) {
		/* a pane that is not shown has the rows of an earlier frame */
		if (!ui->layout.panes[i].cols)
			continue;
		want_rows(ui, i, may_shrink);
		want_cols(ui, i);
		ui->panes[i].table.resettle |= ui->resettle;
	}
	if (may_shrink)
		ui->settled_ns = now;
	ui->resettle = false;
}
