/* SPDX-License-Identifier: MIT */
/*
 * Page of one key of the values: its occurrences, newest first, and a graph of its numbers over
 * time.
 */
#include "config.h"

#include "views/ui/view.h"
#include "views/ui/view_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "monitor/analysis/values.h"

/* Maximum number of rows; older occurrences are hidden. */
#define MAX_OCCURRENCE_ROWS 10000u
#define SPARK_LEVELS        8

struct value_page {
	struct value_occurrences found;
	uint32_t nr_numbers;
	int64_t least, most;
};

static enum value_list list_of(const struct view_ctx *ctx)
{
	return (enum value_list)ctx->view->subject.group;
}

static enum value_unit value_unit(const struct view_ctx *ctx)
{
	return value_unit_of(ctx->model, list_of(ctx), ctx->view->subject.label);
}

static const struct value_occurrence *occurrence_of_row(const struct view_ctx *ctx,
							const struct row *row)
{
	return &((const struct value_page *)ctx->view->private)->found.items[row->ref];
}

static void value_gather(struct view_ctx *ctx, struct table *table)
{
	struct value_page *page = ctx->view->private;
	const struct subject *subject = &ctx->view->subject;

	value_occurrences_make(&page->found, &ctx->what, list_of(ctx), subject->category,
			       subject->label);
	page->nr_numbers = 0;
	page->least = INT64_MAX;
	page->most = INT64_MIN;
	for (uint32_t i = 0; i < page->found.nr; i++) {
		const struct value_occurrence *item = &page->found.items[i];

		if (item->number == NUM_NONE)
			continue;
		page->nr_numbers++;
		page->least = item->number < page->least ? item->number : page->least;
		page->most = item->number > page->most ? item->number : page->most;
	}
	for (uint32_t i = 0; i < page->found.nr && i < MAX_OCCURRENCE_ROWS; i++) {
		const struct value_occurrence *item = &page->found.items[i];
		struct row *row =
			table_add(table, tr2_hash_pair(model_slot(ctx->model, item->slot)->sid_hash,
						       item->index));

		row->ref = i;
		row->key = i;
	}
	table->nr_hidden = page->found.nr - table->nr_rows;
	table->newest = table->nr_rows ? table->rows[0].id : 0;
}

static int64_t value_row_time(const struct view_ctx *ctx, const struct row *row)
{
	return occurrence_of_row(ctx, row)->time;
}

static void value_draw_time(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	format_time(value_row_time(ctx, row), true, line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static int64_t value_row_number(const struct view_ctx *ctx, const struct row *row)
{
	return occurrence_of_row(ctx, row)->number;
}

static void value_draw_value(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct value_occurrence *item = occurrence_of_row(ctx, row);
	struct tr2_buf *line = format_line();

	if (item->number != NUM_NONE) {
		value_format(value_unit(ctx), item->number, line);
	} else if (list_of(ctx) == VALUES_DATA) {
		const struct data_item *data = value_data_item(ctx->model, item);

		if (data->has_value)
			format_cut(model_text(ctx->model, data->value), data->value.len,
				   SAY_MAX_BYTES / 4, line);
	}
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

static void value_draw_thread(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	if (list_of(ctx) == VALUES_DATA)
		format_symbol(ctx->model,
			      value_data_item(ctx->model, occurrence_of_row(ctx, row))->thread,
			      line);
	slot_text(slot, STYLE_DIM, tr2_buf_cstr(line), line->len);
}

static void value_draw_command(struct view_ctx *ctx, const struct row *row, const struct slot *slot)
{
	const struct process *p = model_slot(ctx->model, occurrence_of_row(ctx, row)->slot);
	struct tr2_buf *line = format_line();
	size_t name_len;

	format_command(ctx->model, p, line, &name_len);
	slot_command(slot, process_is_live(p) ? STYLE_NAME : STYLE_TEXT, tr2_buf_cstr(line),
		     line->len, name_len);
}

static const struct column columns[] = {
	{ .title = "TIME",
	  .min_cells = 12,
	  .rank = 1,
	  .descending = true,
	  .number = value_row_time,
	  .draw = value_draw_time },
	{ .title = "VALUE",
	  .min_cells = 10,
	  .grow = 1,
	  .descending = true,
	  .number = value_row_number,
	  .draw = value_draw_value },
	{ .title = "THREAD",
	  .min_cells = 8,
	  .rank = 2,
	  .from_cols = 100,
	  .no_sort = true,
	  .draw = value_draw_thread },
	{ .title = "COMMAND",
	  .min_cells = 20,
	  .grow = 2,
	  .no_sort = true,
	  .draw = value_draw_command },
};

static void value_title(const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct value_page *page = ctx->view->private;
	const struct value_occurrences *found = &page->found;

	tr2_buf_addf(out, " · %s ", value_list_names[list_of(ctx)]);
	format_region(ctx->model, ctx->view->subject.category, ctx->view->subject.label, out);
	tr2_buf_addf(out, " · %" PRIu32 " occurrence%s", found->nr, found->nr == 1 ? "" : "s");
	if (found->nr && found->items[0].time != NS_NONE) {
		uint32_t last = found->nr - 1;

		while (found->items[last].time == NS_NONE)
			last--;
		format_title_dates(found->items[last].time, found->items[0].time, ctx, out);
	}
}

static int value_foot_rows(const struct view_ctx *ctx, int rows)
{
	const struct value_page *page = ctx->view->private;

	return rows >= 8 && page->nr_numbers > 1 ? 2 : 0;
}

/* Return the largest number in slice `at` of the occurrences, divided into `nr` slices, oldest
 * first; NUM_NONE if the slice has none. */
static int64_t largest_in_slice(const struct value_occurrences *found, uint32_t at, uint32_t nr)
{
	uint32_t from = (uint32_t)((uint64_t)found->nr * at / nr);
	uint32_t to = (uint32_t)((uint64_t)found->nr * (at + 1) / nr);
	int64_t most = NUM_NONE;

	for (uint32_t i = from; i < to; i++) {
		int64_t number = found->items[found->nr - 1 - i].number;

		most = number > most ? number : most;
	}
	return most;
}

static void draw_graph(const struct value_page *page, struct surface *surface, struct rect area)
{
	uint32_t nr = page->found.nr < (uint32_t)area.cols ? page->found.nr : (uint32_t)area.cols;
	double range = (double)page->most - (double)page->least;

	for (uint32_t i = 0; i < nr; i++) {
		int64_t most = largest_in_slice(&page->found, i, nr);
		double share = range > 0 ? ((double)most - (double)page->least) / range : 0;
		int level = (int)(share * (SPARK_LEVELS - 1) + 0.5);

		if (most != NUM_NONE)
			surface_glyph(surface, area.x + (int)i, area.y, STYLE_SPARK,
				      (enum glyph)(GLYPH_SPARK_1 + level));
	}
}

static void value_foot(struct view_ctx *ctx, struct surface *surface, struct rect area)
{
	const struct value_page *page = ctx->view->private;
	struct tr2_buf *line = format_line();

	tr2_buf_addstr(line, "largest values over time, oldest first: ");
	value_format(value_unit(ctx), page->least, line);
	tr2_buf_addstr(line, " to ");
	value_format(value_unit(ctx), page->most, line);
	surface_text(surface, area.x + 1, area.y, area.cols - 2, STYLE_DIM, tr2_buf_cstr(line),
		     line->len);
	draw_graph(page, surface, (struct rect){ area.x + 1, area.y + 1, area.cols - 2, 1 });
}

static const char *value_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no process in memory that matches has this value";
}

static enum view_id value_drill(const struct view_ctx *ctx, const struct row *row,
				struct subject *subject)
{
	subject->process = model_handle(ctx->model, occurrence_of_row(ctx, row)->slot);
	return VIEW_PROCESS;
}

static bool value_events(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
			 struct tr2_buf *filter)
{
	subject->process =
		row ? model_handle(ctx->model, occurrence_of_row(ctx, row)->slot) : HANDLE_NONE;
	tr2_buf_addf(filter, "event ~ \"^%s\"", value_list_names[list_of(ctx)]);
	format_term(ctx->model, "category", ctx->view->subject.category, filter);
	if (list_of(ctx) == VALUES_DATA)
		format_term(ctx->model, "key", ctx->view->subject.label, filter);
	return true;
}

static void page_value_release(void *private)
{
	value_occurrences_release(&((struct value_page *)private)->found);
}

const struct view_ops page_value = {
	.name = "Value",
	.columns = columns,
	.nr_columns = sizeof(columns) / sizeof(*columns),
	.private_bytes = sizeof(struct value_page),
	.title = value_title,
	.gather = value_gather,
	.foot_rows = value_foot_rows,
	.foot = value_foot,
	.empty = value_empty,
	.filter_rows = FILTER_ROWS_PROCESS,
	.drill = value_drill,
	.events = value_events,
	.release = page_value_release,
};
