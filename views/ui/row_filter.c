/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/view_row.h"

#include "monitor/filter/filter_process.h"

/* Get the functions that return a filter field of a row. Returns false if the view has none. */
static bool row_field_find(const struct view_ops *ops, enum filter_field field,
			   struct row_field *out)
{
	for (int i = 0; i < ops->nr_columns; i++)
		if (ops->columns[i].field == field) {
			*out = (struct row_field){ .field = (uint8_t)field,
						   .number = ops->columns[i].number,
						   .text = ops->columns[i].text };
			return true;
		}
	for (int i = 0; i < ops->nr_fields; i++)
		if (ops->fields[i].field == field) {
			*out = ops->fields[i];
			return true;
		}
	if (!ops->visit_group || !filter_field_is_attribute(field) ||
	    !(attributes[filter_attribute(field)].uses & ATTRIBUTE_USE_GROUP_BY))
		return false;
	*out = (struct row_field){ .field = (uint8_t)field, .visit = ops->visit_group };
	return true;
}

bool view_has_field(const struct view_ops *ops, enum filter_field field)
{
	bool is_text = filter_fields[field].type == ATTRIBUTE_TYPE_TEXT;
	struct row_field found;

	if (row_field_find(ops, field, &found))
		return found.visit || (is_text ? found.text != NULL : found.number != NULL);
	return ops->process && filter_field_is_attribute(field);
}

bool view_row_value(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		    value_visit *visit, void *data)
{
	const struct view_ops *ops = ctx->view->ops;
	const struct process *process;
	struct row_field found;
	const char *text;
	int64_t number;
	size_t len = 0;

	if (!row_field_find(ops, field, &found)) {
		process = ops->process ? ops->process(ctx, row) : NULL;
		return process && filter_process_value(ctx->model, process, field, visit, data);
	}
	if (found.visit)
		return found.visit(ctx, row, field, visit, data);
	if (filter_fields[field].type == ATTRIBUTE_TYPE_TEXT) {
		text = found.text(ctx, row, &len);
		return text && value_give_text(visit, data, text, len);
	}
	number = found.number(ctx, row);
	if (filter_fields[field].type == ATTRIBUTE_TYPE_FLAG)
		number = number > 0;
	return value_give_number(visit, data, number);
}

struct filtered {
	const struct view_ctx *ctx;
	const struct row *row;
	struct tr2_buf *line;
};

static bool row_values(const void *data, enum filter_field field, value_visit *visit,
		       void *visit_data)
{
	const struct filtered *s = data;

	if (field == FILTER_WORD) {
		tr2_buf_clear(s->line);
		view_row_text(s->ctx, s->row, s->line);
		return value_give_text(visit, visit_data, tr2_buf_cstr(s->line), s->line->len);
	}
	return view_row_value(s->ctx, s->row, field, visit, visit_data);
}

static bool keep_row(void *data, const struct row *row)
{
	struct filtered *subject = data;

	subject->row = row;
	return filter_match(subject->ctx->view->filter, subject, row_values);
}

void view_filter_rows(struct view_ctx *ctx)
{
	struct tr2_buf line = { .max = 1 << 16 };
	struct filtered subject = { .ctx = ctx, .line = &line };

	if (ctx->view->filter && !ctx->view->ops->every_value)
		table_keep(&ctx->view->table, keep_row, &subject);
	tr2_buf_release(&line);
}

#define MAX_ROWS_OFFERED 2000u

static bool every_process(const struct view_ctx *ctx, enum filter_field field, value_visit *visit,
			  void *data)
{
	const struct model *model = ctx->model;
	uint32_t left = MAX_ROWS_OFFERED;

	for (uint32_t slot = model_first_slot(model); slot != SLOT_NONE && left--;
	     slot = model_next_slot(model, slot))
		if (filter_process_value(model, model_slot(model, slot), field, visit, data))
			return true;
	return false;
}

bool view_every_value(const void *data, enum filter_field field, value_visit *visit,
		      void *visit_data)
{
	const struct view_ctx *ctx = data;
	const struct view_ops *ops = ctx->view->ops;
	const struct table *table = &ctx->view->table;

	if (ops->filter_rows == FILTER_ROWS_PROCESS)
		return every_process(ctx, field, visit, visit_data);
	if (ops->every_value)
		return ops->every_value(ctx, field, visit, visit_data);
	for (uint32_t i = 0; i < table->nr_rows && i < MAX_ROWS_OFFERED; i++)
		if (view_row_value(ctx, &table->rows[i], field, visit, visit_data))
			return true;
	return false;
}
