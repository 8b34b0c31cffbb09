/* SPDX-License-Identifier: MIT */
/* What a row says, for search and filters: its own text, else what is drawn of it. */
#include "config.h"

#include "views/ui/view.h"

#define LINE_COLS 480

/* Where nothing is cut: growing columns share what the others leave. */
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
	static struct surface *line;
	const struct view_ops *ops = ctx->view->ops;
	struct view_ctx copy = *ctx;
	bool ticks = ctx->view->ticks;
	struct column columns[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	int nr = table_columns(&ctx->view->table, ops->columns, ops->nr_columns, columns, index);
	int x = 0, more = growth(columns, nr);

	if (!line)
		line = surface_new(LINE_COLS, 1, false);
	surface_clear(line);
	for (int i = 0; i < nr; i++) {
		int cols = columns[i].min_cells + (columns[i].grow ? more : 0);
		struct slot slot = { line, x, 0, cols, columns[i].right, 0, NULL };

		view_draw_cell(&copy, row, index[i], &slot);
		x += cols + 1;
	}
	surface_row_text(line, 0, out);
	ctx->view->ticks = ticks;
}

void view_row_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out)
{
	if (ctx->view->ops->text)
		ctx->view->ops->text(ctx, row, out);
	else
		view_drawn_text(ctx, row, out);
}
