/* SPDX-License-Identifier: MIT */
/* Page of the values: data, counters and timers of the kept processes, by category and key. */
#include "config.h"

#include "views/ui/collecting.h"
#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/values.h"

struct values_page {
	struct value_rows rows[2];
	struct collecting of;
};

static const struct value_row *value_row(const struct view_ctx *ctx, const struct row *row)
{
	const struct values_page *page = ctx->view->private;

	return &page->rows[page->of.shown].rows[row->ref];
}

static void values_collect(struct view_ctx *ctx, struct values_page *page)
{
	struct value_rows *next = &page->rows[!page->of.shown];

	if (collecting_begins(&page->of, view_choice_key(ctx), model_version(ctx->model),
			      ctx->in->monotonic_ns))
		value_rows_begin(next);
	if (!page->of.works)
		return;
	collecting_continued(
		&page->of, value_rows_continue(next, &ctx->what,
					       ctx->said ? UINT32_MAX : VALUES_FRAME_OCCURRENCES));
	ctx->view->working |= page->of.works;
}

static void values_gather(struct view_ctx *ctx, struct table *table)
{
	struct values_page *page = ctx->view->private;
	const struct value_rows *rows;

	values_collect(ctx, page);
	if (!page->of.has_rows)
		return;
	rows = &page->rows[page->of.shown];
	for (uint32_t i = 0; i < rows->nr; i++) {
		const struct value_row *value = &rows->rows[i];
		struct row *row = table_add(table, region_id(value->is_other, value->category,
							     value->key, value->list));

		row->ref = i;
		row->key = i;
	}
}

static void values_draw_key(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	value_row_format_key(ctx->model, value_row(ctx, row), line);
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static const char *values_kind(const struct view_ctx *ctx, const struct row *row, size_t *len)
{
	const struct value_row *value = value_row(ctx, row);
	const char *word = value->is_other ? NULL : value_list_names[value->list];

	*len = word ? strlen(word) : 0;
	return word;
}

static void values_draw_kind(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	size_t len;
	const char *word = values_kind(ctx, row, &len);

	slot_text(slot, STYLE_DIM, word ? word : "", len);
}

static int64_t values_count(const struct view_ctx *ctx, const struct row *row)
{
	return (int64_t)value_row(ctx, row)->count;
}

static int64_t values_sum(const struct view_ctx *ctx, const struct row *row)
{
	return value_row(ctx, row)->sum;
}

static int64_t values_min(const struct view_ctx *ctx, const struct row *row)
{
	return value_row(ctx, row)->min;
}

static int64_t values_p50(const struct view_ctx *ctx, const struct row *row)
{
	return value_row(ctx, row)->p50;
}

static int64_t values_p90(const struct view_ctx *ctx, const struct row *row)
{
	return value_row(ctx, row)->p90;
}

static int64_t values_max(const struct view_ctx *ctx, const struct row *row)
{
	return value_row(ctx, row)->max;
}

static void draw_value(const struct view_ctx *ctx, const struct row *row, const struct slot *slot,
		       int64_t number)
{
	struct tr2_buf *line = format_line();

	if (number == NUM_NONE)
		return;
	value_format((enum value_unit)value_row(ctx, row)->unit, number, line);
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void values_draw_sum(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_value(ctx, row, slot, values_sum(ctx, row));
}

static void values_draw_min(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_value(ctx, row, slot, values_min(ctx, row));
}

static void values_draw_p50(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_value(ctx, row, slot, values_p50(ctx, row));
}

static void values_draw_p90(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_value(ctx, row, slot, values_p90(ctx, row));
}

static void values_draw_max(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	draw_value(ctx, row, slot, values_max(ctx, row));
}

static void values_draw_unit(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	enum value_unit unit = (enum value_unit)value_row(ctx, row)->unit;
	bool is_time = unit >= VALUE_UNIT_NS && unit <= VALUE_UNIT_SECONDS;

	slot_text(slot, STYLE_DIM, is_time ? "time" : value_unit_names[unit], SIZE_MAX);
}

static void values_draw_texts(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct values_page *page = ctx->view->private;
	struct tr2_buf *line = format_line();

	value_row_format_top(&page->rows[page->of.shown], value_row(ctx, row), line);
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

#define VALUE_COLUMN(name, r, value)                                                               \
	{                                                                                          \
		.title = name, .min_cells = 7, .rank = r, .right = true, .descending = true,       \
		.number = values_##value, .draw = values_draw_##value                              \
	}

static const struct column columns[] = {
	{ .title = "KEY", .min_cells = 20, .grow = 2, .draw = values_draw_key },
	{ .title = "KIND",
	  .min_cells = 7,
	  .rank = 5,
	  .text = values_kind,
	  .draw = values_draw_kind },
	{ .title = "COUNT",
	  .min_cells = 6,
	  .right = true,
	  .descending = true,
	  .number = values_count },
	VALUE_COLUMN("SUM", 3, sum),
	{ .title = "MIN",
	  .min_cells = 7,
	  .rank = 6,
	  .right = true,
	  .hidden = true,
	  .number = values_min,
	  .draw = values_draw_min },
	VALUE_COLUMN("P50", 0, p50),
	VALUE_COLUMN("P90", 2, p90),
	VALUE_COLUMN("MAX", 1, max),
	{ .title = "UNIT", .min_cells = 5, .rank = 6, .no_sort = true, .draw = values_draw_unit },
	{ .title = "FREQUENT TEXTS",
	  .min_cells = 20,
	  .grow = 1,
	  .rank = 7,
	  .no_sort = true,
	  .draw = values_draw_texts },
};

static void values_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct values_page *page = ctx->view->private;

	if (page->of.has_rows)
		tr2_buf_addf(out, " · %" PRIu32 " key%s", page->rows[page->of.shown].nr,
			     page->rows[page->of.shown].nr == 1 ? "" : "s");
	if (page->of.works && !page->of.has_rows)
		tr2_buf_addf(out, " · reading %d%%", page->rows[!page->of.shown].percent);
	if (model_dropped(ctx->model)->finished)
		tr2_buf_addstr(out, " · of processes in memory");
}

static int values_foot_rows(const struct view_ctx *ctx, int rows)
{
	return rows >= 8 && ctx->view->table.nr_rows ? 2 : 0;
}

static void values_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct values_page *page = ctx->view->private;
	const struct row *row = table_selected(&ctx->view->table);
	const struct value_row *value;
	struct tr2_buf *line;

	if (!row)
		return;
	value = value_row(ctx, row);
	line = format_line();
	value_row_format_key(ctx->model, value, line);
	if (value->unknown)
		tr2_buf_addf(line, ", %" PRIu64 " without a value", value->unknown);
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_DIM, tr2_buf_cstr(line),
		     line->len);
	line = format_line();
	if (value->nr_top) {
		value_row_format_top(&page->rows[page->of.shown], value, line);
	} else if (value->min != NUM_NONE) {
		value_format((enum value_unit)value->unit, value->min, line);
		tr2_buf_addstr(line, " to ");
		value_format((enum value_unit)value->unit, value->max, line);
		tr2_buf_addstr(line, ", sum ");
		value_format((enum value_unit)value->unit, value->sum, line);
	} else if (value->is_other) {
		tr2_buf_addf(line, "keys after the first %u", VALUES_MAX_ROWS);
	}
	surface_text(surface, area.x + 1, area.y + 1, area.cols - 2, STYLE_TEXT, tr2_buf_cstr(line),
		     line->len);
}

static const char *values_empty(const struct view_ctx *ctx)
{
	const struct values_page *page = ctx->view->private;

	if (!page->of.has_rows)
		return "reading the values";
	return ctx->what.filter || ctx->what.limits.depth >= 0 || ctx->what.limits.nesting >= 0
		       ? "no value in the processes that the filter and the limits show"
		       : "no data, counters or timers reported\n"
			 "programs report them with trace2_data_intmax(), trace2_counter_add() and "
			 "trace2_timer_start()";
}

static enum view_id values_drill(const struct view_ctx *ctx, const struct row *row,
				 struct subject *subject)
{
	const struct value_row *value = value_row(ctx, row);

	if (value->is_other)
		return NR_VIEWS;
	subject->process = HANDLE_NONE;
	subject->category = value->category;
	subject->label = value->key;
	subject->group = value->list;
	return VIEW_VALUE;
}

static bool values_events(const struct view_ctx *ctx, const struct row *row,
			  struct subject *subject, struct tr2_buf *filter)
{
	const struct value_row *value = row ? value_row(ctx, row) : NULL;

	subject->process = HANDLE_NONE;
	if (!value || value->is_other) {
		tr2_buf_addstr(filter, "event ~ \"^(data|counter|timer)\"");
		return true;
	}
	tr2_buf_addf(filter, "event ~ \"^%s\"", value_list_names[value->list]);
	format_term(ctx->model, "category", value->category, filter);
	if (value->list == VALUES_DATA)
		format_term(ctx->model, "key", value->key, filter);
	return true;
}

static void page_values_release(void *private)
{
	struct values_page *page = private;

	value_rows_release(&page->rows[0]);
	value_rows_release(&page->rows[1]);
}

const struct view_ops page_values = {
	.name = "Values",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.arranged = true,
	.private_bytes = sizeof(struct values_page),
	.title = values_title,
	.gather = values_gather,
	.foot_rows = values_foot_rows,
	.foot = values_foot,
	.empty = values_empty,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = values_drill,
	.events = values_events,
	.release = page_values_release,
};
