/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_values.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/base/json_write.h"
#include "monitor/report/text_cells.h"

#define OTHER_KEY "(other)"

void report_values_make(struct value_rows *values, const struct report_input *input)
{
	struct analysis what = { .model = input->model,
				 .limits = { input->nesting, input->depth },
				 .now = NS_NONE,
				 .process = HANDLE_NONE,
				 .category = SYM_NONE,
				 .label = SYM_NONE };

	*values = (struct value_rows){ .keep = input->keep, .keep_data = input->keep_data };
	value_rows_make(values, &what);
}

const char *report_value_unit(const struct value_row *row)
{
	return row->list == VALUES_TIMER ? "s" : value_unit_names[row->unit];
}

/* ---- text ---- */

static void value_text_row(struct out *o, const struct value_rows *values,
			   const struct value_row *row)
{
	const int64_t numbers[] = { row->sum, row->min, row->p50, row->p90, row->max };
	size_t start = o->buf.len;

	put_string(o, "  ");
	put_sym(o, row->category, "-");
	pad(o, start, 16);
	if (row->is_other)
		put_string(o, OTHER_KEY);
	else
		put_sym(o, row->key, "-");
	pad(o, start, 46);
	put_string(o, row->is_other ? "-" : value_list_names[row->list]);
	pad(o, start, 54);
	put_right(o, human_count(row->count).text, 8);
	if (row->unit == VALUE_UNIT_TEXT) {
		put_string(o, "  ");
		tr2_buf_clear(&o->line);
		value_row_format_top(values, row, &o->line);
		put_visible(o, tr2_buf_cstr(&o->line), o->line.len);
	}
	for (size_t i = 0; row->unit != VALUE_UNIT_TEXT && i < sizeof(numbers) / sizeof(*numbers);
	     i++) {
		tr2_buf_clear(&o->line);
		value_format((enum value_unit)row->unit, numbers[i], &o->line);
		put_string(o, " ");
		put_right(o, tr2_buf_cstr(&o->line), 9);
	}
	put_string(o, "\n");
	text_drain(o, DRAIN_BYTES);
}

void report_values_text(struct out *o, const struct report_input *input)
{
	struct value_rows values;

	if (!input->values)
		return;
	report_values_make(&values, input);
	put(o, "\nValues\n  %-13s %-29s %-8s%7s %9s %9s %9s %9s %9s\n", "CATEGORY", "KEY", "KIND",
	    "COUNT", "SUM", "MIN", "P50", "P90", "MAX");
	for (uint32_t i = 0; i < text_rows(o, values.nr); i++)
		value_text_row(o, &values, &values.rows[i]);
	if (!values.nr)
		put_string(o, "  none\n");
	more(o, "  ", values.nr);
	value_rows_release(&values);
}

/* ---- JSON ---- */

static void value_key_number(struct tr2_jw *jw, const char *key, const struct value_row *row,
			     int64_t number)
{
	if (row->list == VALUES_TIMER)
		json_write_seconds(jw, key, number);
	else
		json_write_number(jw, key, number);
}

void report_value_top_json(struct tr2_jw *jw, const struct value_rows *values,
			   const struct value_row *row)
{
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < row->nr_top; i++) {
		size_t len;
		const char *text = value_text_of(values, row->top[i].text, &len);

		tr2_jw_object(jw);
		json_write_text(jw, "value", text, len);
		json_write_count(jw, "count", row->top[i].count);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
}

static void value_json_row(struct tr2_jw *jw, const struct model *m,
			   const struct value_rows *values, const struct value_row *row)
{
	tr2_jw_object(jw);
	json_write_sym(jw, "category", model_syms(m), row->category);
	if (row->is_other) {
		json_write_cstring(jw, "key", OTHER_KEY);
	} else {
		json_write_sym(jw, "key", model_syms(m), row->key);
	}
	json_write_cstring(jw, "kind", row->is_other ? NULL : value_list_names[row->list]);
	json_write_cstring(jw, "unit", report_value_unit(row));
	json_write_count(jw, "count", row->count);
	json_write_count(jw, "unknown", row->unknown);
	value_key_number(jw, "sum", row, row->sum);
	value_key_number(jw, "min", row, row->min);
	value_key_number(jw, "p50", row, row->p50);
	value_key_number(jw, "p90", row, row->p90);
	value_key_number(jw, "max", row, row->max);
	json_write_count(jw, "texts", row->nr_texts);
	tr2_jw_key(jw, "top");
	report_value_top_json(jw, values, row);
	tr2_jw_end_object(jw);
}

void report_values_json(struct tr2_jw *jw, const struct report_input *input)
{
	struct value_rows values;

	if (!input->values)
		return;
	report_values_make(&values, input);
	tr2_jw_key(jw, "values");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < values.nr; i++)
		value_json_row(jw, input->model, &values, &values.rows[i]);
	tr2_jw_end_array(jw);
	value_rows_release(&values);
}
