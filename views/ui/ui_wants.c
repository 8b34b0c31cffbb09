/* SPDX-License-Identifier: MIT */
/*
 * The sizes that panes need, for the layout. Rows change with every event, but text that moves is
 * hard to read. So heights change in steps: they grow at once, and shrink after a while.
 */
#include "config.h"

#include "views/ui/ui_priv.h"

#define STEP_ROWS  4
#define CALM_NS    (5 * NS_PER_SEC)
#define TEXT_CELLS 12 /* useful width of a growing column beyond its minimum, in cells */

static int ui_wants_rows_of(struct ui *ui, struct view *view)
{
	struct view_ctx ctx = ui_context(ui, view);
	uint32_t nr =
		view->table.nr_rows < SURFACE_MAX_ROWS ? view->table.nr_rows : SURFACE_MAX_ROWS;
	int rows = (int)nr + (view->ops->columns[0].title != NULL) + 2;

	if (view->ops->foot_rows)
		rows += view->ops->foot_rows(&ctx, ui->layout.body.rows);
	return (rows + STEP_ROWS - 1) / STEP_ROWS * STEP_ROWS;
}

static void want_rows(struct ui *ui, int pane)
{
	int rows = ui_wants_rows_of(ui, &ui->panes[pane]), *wanted = &ui->wants.rows[pane];
	ns_t now = ui->in.monotonic_ns;

	if (rows >= *wanted || now - ui->wanted_ns[pane] > CALM_NS) {
		*wanted = rows;
		ui->wanted_ns[pane] = now;
	}
}

static void want_cols(struct ui *ui, int pane)
{
	struct view *view = &ui->panes[pane];
	struct column shown[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	int nr = table_columns(&view->table, view->ops->columns, view->ops->nr_columns, shown,
			       index);
	int least = 2, full = 2;

	for (int i = 0; i < nr; i++) {
		least += shown[i].rank ? 0 : shown[i].min_cells + 1;
		full += shown[i].min_cells + 1 + (shown[i].grow ? TEXT_CELLS : 0);
	}
	ui->wants.least_cols[pane] = least;
	ui->wants.full_cols[pane] = full;
}

void ui_wants(struct ui *ui)
{
	for (int i = 0; i < NR_PANES && ui->layout.all; i++) {
		want_rows(ui, i);
		want_cols(ui, i);
	}
}
