/* SPDX-License-Identifier: MIT */
/* Computes the widths of a table's columns from its visible rows. Private to the table. */
#ifndef VIEWS_TABLE_FIT_H
#define VIEWS_TABLE_FIT_H

#include "views/widget/table.h"

/* The columns that may be drawn, in the user's order. */
struct drawn {
	struct column columns[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS]; /* index in the view's columns */
	int widths[MAX_COLUMNS];    /* width in cells; 0: not drawn */
	int nr;
};

/*
 * Fill in `drawn`, and the table's `heads`, `widths` and `wanted_cols`, for drawing `rows` rows
 * from table->top on into `area`.
 *
 * Columns are dropped by rank (see also `ample` of columns) until the others fit at their least
 * widths. The cells that are left go to values first, then to bars. The longest values are
 * remembered until table->resettle is set or 5 s have passed, so that columns do not move with
 * every event.
 */
void table_fit(struct table *table, const struct surface *surface, struct rect area, int rows,
	       const struct column *columns, int nr_columns, table_draw_cell *draw, void *ctx,
	       struct drawn *drawn);

/* True if the text of a row in the drawn column `i` may use the cells of the next drawn column. */
bool table_spills(const struct drawn *drawn, int i, const struct row *row, void *ctx);

#endif
