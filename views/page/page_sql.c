/* SPDX-License-Identifier: MIT */
/*
 * Page of the result of the last SQL query, as a table. The columns come from the result, so each
 * view has its own copy of the view_ops.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/query_result.h"

#define MAX_TITLE_CELLS 30

extern const struct view_ops page_sql;

#define MAX_SQL_COLUMNS 32

struct sql_page {
	struct view_ops ops;
	struct column columns[MAX_SQL_COLUMNS];
	char titles[MAX_SQL_COLUMNS][MAX_TITLE_CELLS + 1];
	/* the result from which the columns were made; only compared, never dereferenced */
	const struct query_result *shown;
};

static const struct query_cell *cell_of(const struct view_ctx *ctx, const struct row *row,
					int column)
{
	return query_cell_at(ctx->in->query, row->ref, column);
}

/* Return a sort key for a number: keys have the order of the numbers as doubles, after NULL. */
static int64_t sql_number(const struct view_ctx *ctx, const struct row *row, int column)
{
	const struct query_cell *cell = cell_of(ctx, row, column);
	double real = cell->type == QUERY_INTEGER ? (double)cell->integer : cell->real;
	int64_t bits;

	if (cell->type == QUERY_NULL)
		return INT64_MIN;
	/* The bits of positive doubles, read as integers, have the order of the numbers; those of
	 * negative ones have the opposite order. */
	memcpy(&bits, &real, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static const char *sql_text(const struct view_ctx *ctx, const struct row *row, int column,
			    size_t *len)
{
	const struct query_cell *cell = cell_of(ctx, row, column);

	*len = cell->len;
	return cell->text;
}

static void sql_draw(const struct view_ctx *ctx, const struct row *row, const struct slot *slot,
		     int column)
{
	const struct query_cell *cell = cell_of(ctx, row, column);
	struct tr2_buf *line = format_line();

	if (cell->type == QUERY_NULL)
		return;
	format_cut(cell->text, cell->len, QUERY_MAX_CELL_BYTES, line);
	slot_text(slot, cell->type == QUERY_TEXT ? STYLE_TEXT : STYLE_NAME, tr2_buf_cstr(line),
		  line->len);
}

/* Functions for column n, because the table's callbacks get no column number. */
#define SQL_COLUMN(n)                                                                              \
	static int64_t sql_number_##n(const struct view_ctx *ctx, const struct row *row)           \
	{                                                                                          \
		return sql_number(ctx, row, n);                                                    \
	}                                                                                          \
	static const char *sql_text_##n(const struct view_ctx *ctx, const struct row *row,         \
					size_t *len)                                               \
	{                                                                                          \
		return sql_text(ctx, row, n, len);                                                 \
	}                                                                                          \
	static void sql_draw_##n(struct view_ctx *ctx, const struct row *row,                      \
				 const struct slot *slot)                                          \
	{                                                                                          \
		sql_draw(ctx, row, slot, n);                                                       \
	}

#define SQL_COLUMNS(X)                                                                             \
	X(0)                                                                                       \
	X(1)                                                                                       \
	X(2)                                                                                       \
	X(3)                                                                                       \
	X(4)                                                                                       \
	X(5)                                                                                       \
	X(6)                                                                                       \
	X(7)                                                                                       \
	X(8)                                                                                       \
	X(9)                                                                                       \
	X(10)                                                                                      \
	X(11)                                                                                      \
	X(12)                                                                                      \
	X(13)                                                                                      \
	X(14)                                                                                      \
	X(15)                                                                                      \
	X(16)                                                                                      \
	X(17)                                                                                      \
	X(18)                                                                                      \
	X(19)                                                                                      \
	X(20)                                                                                      \
	X(21)                                                                                      \
	X(22)                                                                                      \
	X(23)                                                                                      \
	X(24)                                                                                      \
	X(25)                                                                                      \
	X(26)                                                                                      \
	X(27)                                                                                      \
	X(28)                                                                                      \
	X(29)                                                                                      \
	X(30)                                                                                      \
	X(31)

SQL_COLUMNS(SQL_COLUMN)

static const struct {
	int64_t (*number)(const struct view_ctx *ctx, const struct row *row);
	const char *(*text)(const struct view_ctx *ctx, const struct row *row, size_t *len);
	void (*draw)(struct view_ctx *ctx, const struct row *row, const struct slot *slot);
} sql_functions[] = {
#define SQL_FUNCTIONS(n) { sql_number_##n, sql_text_##n, sql_draw_##n },
	SQL_COLUMNS(SQL_FUNCTIONS)
};

_Static_assert(sizeof(sql_functions) / sizeof(*sql_functions) == MAX_SQL_COLUMNS, "one per column");

static int shown_columns(const struct query_result *result)
{
	return result->nr_columns < MAX_SQL_COLUMNS ? result->nr_columns : MAX_SQL_COLUMNS;
}

static void column_of_result(struct sql_page *page, const struct query_result *result, int i)
{
	bool is_number = result->is_number[i];

	snprintf(page->titles[i], sizeof(page->titles[i]), "%s",
		 *result->names[i] ? result->names[i] : "?");
	page->columns[i] = (struct column){
		.title = page->titles[i],
		.min_cells = is_number ? 4 : 8,
		.grow = 1,
		.rank = (uint8_t)i,
		.right = is_number,
		.descending = is_number,
		.number = is_number ? sql_functions[i].number : NULL,
		.text = is_number ? NULL : sql_functions[i].text,
		.draw = sql_functions[i].draw,
	};
}

static void columns_take(struct view_ctx *ctx, const struct query_result *result)
{
	struct sql_page *page = ctx->view->private;
	struct table *table = &ctx->view->table;

	if (page->shown == result && ctx->view->ops == &page->ops)
		return;
	page->shown = result;
	page->ops = page_sql;
	if (result && !result->failed && result->nr_columns) {
		page->ops.columns = page->columns;
		page->ops.nr_columns = shown_columns(result);
		for (int i = 0; i < page->ops.nr_columns; i++)
			column_of_result(page, result, i);
	}
	ctx->view->ops = &page->ops;
	table->sort = SORT_NATURAL;
	table->reverse = false;
	table->resettle = true;
	table_let_go(table);
}

static void sql_gather(struct view_ctx *ctx, struct table *table)
{
	const struct query_result *result = ctx->in->query;

	columns_take(ctx, result);
	if (!result || result->failed)
		return;
	for (uint32_t i = 0; i < result->nr_rows; i++) {
		struct row *row = table_add(table, i + 1);

		row->ref = i;
		row->key = i;
	}
}

static void sql_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct query_result *result = ctx->in->query;

	if (ctx->in->query_runs)
		tr2_buf_addstr(out, ctx->in->query_cancelled ? " · cancelled"
							     : " · running, Esc cancels");
	else if (result && !result->failed)
		tr2_buf_addf(out, " · %" PRIu32 " row%s%s", result->nr_rows,
			     result->nr_rows == 1 ? "" : "s",
			     result->is_complete ? "" : ", not all");
	if (result && result->nr_columns > MAX_SQL_COLUMNS)
		tr2_buf_addf(out, " · the first %d of %d columns", MAX_SQL_COLUMNS,
			     result->nr_columns);
}

static int sql_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct query_result *result = ctx->in->query;

	if (!result || result->failed || rows < 6)
		return 0;
	return *result->note ? 2 : 1;
}

static void sql_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct query_result *result = ctx->in->query;
	struct tr2_buf *line = format_line();

	if (result->made != NS_NONE) {
		format_date(result->made, ctx->in->wall_ns, line);
		format_time(result->made, false, line);
		tr2_buf_addstr(line, "  ");
	}
	tr2_buf_addstr(line, result->sql);
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_DIM, tr2_buf_cstr(line),
		     line->len);
	if (area.rows > 1)
		surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_NOTICE,
			     result->note, SIZE_MAX);
}

static const char *sql_empty(const struct view_ctx *ctx)
{
	const struct query_result *result = ctx->in->query;

	if (ctx->in->query_runs)
		return ctx->in->query_cancelled ? "cancelled; SQLite still completes a step; press "
						  ": for another query"
						: "the query is running; Esc cancels it";
	if (!result)
		return "press : and enter a SELECT, or the name of a stored query\n"
		       "Tab completes names, tables and columns\n"
		       "tables: processes, threads, children, timings, data, errors, key_values\n"
		       "example: SELECT name, count(*), max(elapsed) FROM processes GROUP BY name";
	return result->failed ? result->note : "no row";
}

static bool sql_act(struct view_ctx *ctx, enum action action, uint32_t key)
{
	(void)key;
	if (action == ACTION_BACK && ctx->in->query_runs && !ctx->in->query_cancelled)
		ctx->asked |= UI_QUERY_CANCEL;
	else if (action == ACTION_REPORT)
		ctx->asked |= UI_QUERY_WRITE;
	else
		return false;
	return true;
}

static bool process_of_cell(const struct view_ctx *ctx, const struct row *row, int column,
			    struct handle *process)
{
	const struct query_cell *cell = cell_of(ctx, row, column);
	uint32_t slot;

	if (cell->type != QUERY_TEXT)
		return false;
	slot = model_find_sid(ctx->model, cell->text, cell->len);
	if (slot == SLOT_NONE)
		return false;
	*process = model_handle(ctx->model, slot);
	return true;
}

/* Open the process of the row: by the column "sid", or else the first column with a session id. */
static enum view_id sql_drill(const struct view_ctx *ctx, const struct row *row,
			      struct subject *subject)
{
	const struct query_result *result = ctx->in->query;

	for (int i = 0; i < result->nr_columns; i++)
		if (!strcmp(result->names[i], "sid") &&
		    process_of_cell(ctx, row, i, &subject->process))
			return VIEW_PROCESS;
	for (int i = 0; i < result->nr_columns; i++)
		if (process_of_cell(ctx, row, i, &subject->process))
			return VIEW_PROCESS;
	return NR_VIEWS;
}

static const char *sql_refuses(const struct ui_config *config)
{
	return config->query_words ? NULL
				   : "Queries need libsqlite3 (Debian: libsqlite3-dev); install it "
				     "and rebuild trace2top";
}

static const struct column no_columns[] = { { .min_cells = 24, .grow = 1, .no_sort = true } };

static void draw_nothing(struct view_ctx *ctx, const struct row *row, int column,
			 const struct slot *slot)
{
	(void)ctx;
	(void)row;
	(void)column;
	(void)slot;
}

const struct view_ops page_sql = {
	.name = "SQL",
	.columns = no_columns,
	.nr_columns = 1,
	.private_bytes = sizeof(struct sql_page),
	.title = sql_title,
	.gather = sql_gather,
	.draw = draw_nothing,
	.foot_rows = sql_foot_rows,
	.foot = sql_foot,
	.empty = sql_empty,
	.act = sql_act,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = sql_drill,
	.refuses = sql_refuses,
};
