/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/ui/process_attributes.h"

#include <string.h>

#include "views/ui/view_row.h"
#include "views/ui/view_text.h"

#define MAX_LISTED  8
#define MAX_VISITED 64

struct cell_values {
	enum attribute attribute;
	struct tr2_buf *out;
	struct {
		size_t at, len; /* offset and length of a value in `out` */
	} listed[MAX_LISTED];
	int nr, nr_visited;
};

static bool is_listed(const struct cell_values *cell, size_t at)
{
	size_t len = cell->out->len - at;

	for (int i = 0; i < cell->nr; i++)
		if (cell->listed[i].len == len &&
		    (!len ||
		     !memcmp(cell->out->data + cell->listed[i].at, cell->out->data + at, len)))
			return true;
	return false;
}

static bool list_value(void *data, const struct value *value)
{
	struct cell_values *cell = data;
	size_t before = cell->out->len, at;
	bool cut = cell->nr_visited++ == MAX_VISITED;

	if (cell->nr)
		tr2_buf_addstr(cell->out, ", ");
	at = cell->out->len;
	attribute_format_value(cell->attribute, value, cell->out);
	if (!cut && is_listed(cell, at)) {
		cell->out->len = before;
		return false;
	}
	if (cut || cell->nr == MAX_LISTED) {
		cell->out->len = at;
		tr2_buf_addstr(cell->out, "...");
		return true;
	}
	cell->listed[cell->nr].at = at;
	cell->listed[cell->nr++].len = cell->out->len - at;
	return false;
}

static void format_values(const struct model *model, const struct process *process,
			  enum attribute attribute, struct tr2_buf *out)
{
	struct cell_values cell = { .attribute = attribute, .out = out };

	attribute_visit_group(model, process, attribute, list_value, &cell);
}

static bool has_text(enum attribute attribute)
{
	return attributes[attribute].type == ATTRIBUTE_TYPE_TEXT ||
	       attributes[attribute].type == ATTRIBUTE_TYPE_STATE;
}

static int64_t number_of(const struct view_ctx *ctx, const struct row *row,
			 enum attribute attribute)
{
	struct value value;

	return attribute_get(ctx->model, row_process(ctx, row), attribute, &value) ? value.number
										   : INT64_MIN;
}

static void draw_number(enum attribute attribute, int64_t number, const struct slot *slot)
{
	struct tr2_buf *line = format_line();

	switch (attributes[attribute].type) {
	case ATTRIBUTE_TYPE_DURATION:
		slot_duration(slot, duration_style(number), number);
		return;
	case ATTRIBUTE_TYPE_TIME:
		format_time(number, false, line);
		break;
	case ATTRIBUTE_TYPE_FLAG:
		tr2_buf_addstr(line, number ? "yes" : "");
		break;
	default:
		attribute_format_value(attribute, &(struct value){ .number = number }, line);
	}
	slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
}

void process_attribute_draw(struct view_ctx *ctx, const struct row *row, enum attribute attribute,
			    const struct slot *slot)
{
	struct tr2_buf *line;
	int64_t number;

	if (has_text(attribute)) {
		line = format_line();
		format_values(ctx->model, row_process(ctx, row), attribute, line);
		slot_text(slot, STYLE_TEXT, tr2_buf_cstr(line), line->len);
		return;
	}
	number = number_of(ctx, row, attribute);
	if (number != INT64_MIN)
		draw_number(attribute, number, slot);
}

static void sort_by_text(const struct view_ctx *ctx, struct table *table, enum attribute attribute,
			 struct tr2_buf *texts)
{
	size_t at = 0;

	tr2_buf_clear(texts);
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		size_t from = texts->len;

		format_values(ctx->model, row_process(ctx, &table->rows[i]), attribute, texts);
		table->rows[i].key = 0;
		table->rows[i].text_len = (uint32_t)(texts->len - from);
	}
	/* From here on `texts` does not grow, so pointers into it stay valid. */
	for (uint32_t i = 0; i < table->nr_rows; i++) {
		table->rows[i].text = tr2_buf_cstr(texts) + at;
		at += table->rows[i].text_len;
	}
}

void process_attribute_sort(const struct view_ctx *ctx, struct table *table,
			    enum attribute attribute, bool descending, struct tr2_buf *texts)
{
	if (has_text(attribute)) {
		sort_by_text(ctx, table, attribute, texts);
		return;
	}
	for (uint32_t i = 0; i < table->nr_rows; i++)
		table->rows[i].key =
			view_number_key(number_of(ctx, &table->rows[i], attribute), descending);
}
