/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/setup.h"
#include "views/ui/view_row.h"

#include <ctype.h>
#include <stdio.h>

#define LINE_COLS SAID_CELLS

/* Return how many cells a growing column gets in addition to its least width, if the line has
 * LINE_COLS cells. */
static int growth(const struct column *columns, int nr_columns)
{
	int left = LINE_COLS, nr = 0;

	for (int i = 0; i < nr_columns; i++) {
		left -= columns[i].min_cells + 1;
		nr += columns[i].grow != 0;
	}
	return nr && left > 0 ? left / nr : 0;
}

void view_drawn_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	struct surface *line = surface_new(LINE_COLS, 1, false);
	const struct view_ops *ops = ctx->view->ops;
	struct view_ctx copy = *ctx;
	bool ticks = ctx->view->ticks;
	struct column columns[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	int nr = table_columns(&ctx->view->table, ops->columns, ops->nr_columns, columns, index);
	int x = 0, more = growth(columns, nr);

	for (int i = 0; i < nr; i++) {
		int cols = columns[i].min_cells + (columns[i].grow ? more : 0);
		struct slot slot = { line, x, 0, cols, columns[i].right, 0, NULL };

		view_draw_cell(&copy, row, index[i], &slot);
		x += cols + 1;
	}
	surface_row_text(line, 0, out);
	surface_free(line);
	ctx->view->ticks = ticks;
}

void view_row_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	if (ctx->view->ops->text)
		ctx->view->ops->text(ctx, row, out);
	else
		view_drawn_text(ctx, row, out);
}

/* Append a cell as it is drawn, with single blanks. */
static void format_cell(struct view_ctx *ctx, const struct row *row, int column,
			struct tr2_buf *out)
{
	struct surface *cell = surface_new(LINE_COLS, 1, ctx->setup && ctx->setup->options.ascii);
	struct tr2_buf drawn = { .max = 8 * LINE_COLS };
	struct slot slot = { cell, 0, 0, LINE_COLS, false, 0, NULL };
	bool blank = true;

	cell->said = true;
	view_draw_cell(ctx, row, column, &slot);
	surface_row_text(cell, 0, &drawn);
	for (size_t i = 0; i < drawn.len; i++) {
		if (drawn.data[i] != ' ' || !blank)
			tr2_buf_addch(out, drawn.data[i]);
		blank = drawn.data[i] == ' ';
	}
	tr2_buf_release(&drawn);
	surface_free(cell);
}

/* Return the index of the main column of a row: the first column that has a heading and grows; -1
 * if none exists, or if the table has no headings. */
static int leading_column(const struct column *columns, int nr)
{
	for (int i = 0; i < nr && columns[0].title; i++)
		if (*columns[i].title && columns[i].grow)
			return i;
	return -1;
}

static void format_heading(const struct column *column, struct tr2_buf *out)
{
	const char *title = column->said ? column->said : column->title;

	for (const char *c = title; c && *c; c++)
		tr2_buf_addch(out, (char)tolower((unsigned char)*c));
	if (title && *title)
		tr2_buf_addch(out, ' ');
}

static bool is_nothing(const char *text, size_t len)
{
	return !len || (len == 1 && (*text == '0' || *text == '-'));
}

static void row_text_add_cell(struct view_ctx *ctx, const struct row *row,
			      const struct column *column, int number, bool leads,
			      struct tr2_buf *out)
{
	size_t before = out->len, at;

	if (before)
		tr2_buf_addstr(out, ", ");
	if (!leads)
		format_heading(column, out);
	at = out->len;
	format_cell(ctx, row, number, out);
	if (is_nothing(out->data + at, out->len - at))
		out->len = before;
}

void view_format_row(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	struct tr2_buf line = { .max = 1 << 16 };
	const struct view_ops *ops = ctx->view->ops;
	struct view_ctx copy = *ctx;
	struct column columns[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	int nr = table_columns(&ctx->view->table, ops->columns, ops->nr_columns, columns, index);
	int leads = leading_column(columns, nr);
	bool has_depth = false;

	if (leads >= 0)
		row_text_add_cell(&copy, row, &columns[leads], index[leads], true, &line);
	for (int i = 0; i < nr; i++) {
		has_depth |= columns[i].said && !strcmp(columns[i].said, "depth");
		if (i != leads)
			row_text_add_cell(&copy, row, &columns[i], index[i], !columns[0].title,
					  &line);
		if (row->wide && columns[i].grow)
			break;
	}
	if (row->level && !has_depth)
		tr2_buf_addf(&line, ", depth %d", row->level);
	tr2_buf_add(out, line.data, line.len);
	tr2_buf_release(&line);
}
