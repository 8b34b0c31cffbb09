/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_VIEW_ROW_H
#define VIEWS_VIEW_ROW_H

#include "views/ui/view.h"

/* Draw a cell with its column's draw(), else its value by the column's number() or text(), else
 * with the view's draw(). */
void view_draw_cell(struct view_ctx *ctx, const struct row *row, int column,
		    const struct slot *slot);

/* Set the sort keys of the rows by their values in the sort column. */
void view_sort_keys(const struct view_ctx *ctx, struct table *table);

/* Return the sort key of a number: for descending order it is negated, and rows without a number
 * (INT64_MIN) are last. */
int64_t view_number_key(int64_t number, bool descending);

/* Append the text of a row for search, filters and copying. */
void view_row_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/*
 * Append a row as a sentence, without control characters: its main column, then "heading value" of
 * the other columns (only the value if there are no headings) and the depth in the tree, separated
 * by commas. Leaves out cells that are empty, 0 or "-". Each cell is cut at SAID_CELLS.
 */
#define SAID_CELLS 480
void view_format_row(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/* Append the text of a row's cells as they are drawn; for use in a view's text(). */
void view_drawn_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/* Visit the values of a filter field of a row, except FILTER_WORD: see filter_values (filter.h). */
bool view_row_value(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		    value_visit *visit, void *data);

/* True if rows of the view can have a value for the field. */
bool view_has_field(const struct view_ops *ops, enum filter_field field);

/* Remove the rows that the view's own filter does not match; no effect if the view has
 * every_value(). */
void view_filter_rows(struct view_ctx *ctx);

/* Visit the values of a filter field: those of view_ops.every_value(), else those in a limited
 * number of processes or of the view's rows. `ctx` is a struct view_ctx. */
bool view_every_value(const void *ctx, enum filter_field field, value_visit *visit,
		      void *visit_data);

/* Visit the event and the record with which the view was opened: see ui_places(). */
void view_place_subject(const struct view_ctx *ctx, struct places *places, bool moved);

#endif
