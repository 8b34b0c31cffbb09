/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_difference.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/rule_results.h"
#include "monitor/analysis/set_difference_sets.h"
#include "monitor/base/json_write.h"
#include "monitor/report/text_cells.h"

#define NAME_CELLS  40
#define SHARE_CELLS 24

static bool difference_in(void *data, const struct model *m, uint32_t slot)
{
	const struct report_input *input = data;

	return filter_process(input->difference, m, slot);
}

static bool report_is_against_base(const struct report_input *input)
{
	return input->verdicts && input->verdicts->attributes_of_base;
}

/* Compute the differences; the caller releases `d`. */
static void report_difference_make(struct set_difference *d, const struct report_input *input)
{
	struct set_difference_choice choice = {
		.model = input->model,
		.depth = input->depth,
		.keep = input->keep,
		.keep_data = input->keep_data,
		.which = report_is_against_base(input) ? SETS_BASE : SETS_CHOSEN,
		.in = difference_in,
		.data = (void *)input,
		.by_success = set_difference_is_by_success(input->difference),
	};

	if (report_is_against_base(input)) {
		choice.bases = input->verdicts->base_models;
		choice.nr_bases = input->verdicts->nr_base_models;
	}
	set_difference_choose(d, &choice);
	while (!set_difference_continue(d, input->model, UINT32_MAX))
		;
}

/* ---- text ---- */

static void put_share(struct out *o, const struct set_difference_row *row, int set)
{
	if (row->value.of == SET_DIFFERENCE_RANKS)
		put(o, "median %.15g", row->medians[set]);
	else
		put(o, "%3.0f %% (%" PRIu32 " of %" PRIu32 ")",
		    100.0 * row->with[set] / row->runs[set], row->with[set], row->runs[set]);
}

static void format_row_name(const struct set_difference *d,
			    const struct set_difference_value *value, struct tr2_buf *out)
{
	struct attribute_ref ref = set_difference_ref(d, value->column);

	attribute_format(&ref, out);
	if (value->of != SET_DIFFERENCE_RANKS)
		tr2_buf_addstr(out, " = ");
	set_difference_format(d, value, out);
}

static void report_difference_row(struct out *o, const struct set_difference *d,
				  const struct set_difference_row *row)
{
	size_t start = o->buf.len;

	put_string(o, "  ");
	tr2_buf_clear(&o->line);
	format_row_name(d, &row->value, &o->line);
	put_visible(o, tr2_buf_cstr(&o->line), o->line.len);
	pad(o, start, NAME_CELLS);
	put_share(o, row, 1);
	pad(o, start, NAME_CELLS + SHARE_CELLS);
	put_share(o, row, 0);
	pad(o, start, NAME_CELLS + 2 * SHARE_CELLS);
	put(o, "%s  p %.2g", row->significant ? "yes" : "no ", row->adjusted);
	if (row->nr_same)
		put(o, "  and %" PRIu32 " that go with it", row->nr_same);
	put_string(o, "\n");
}

static uint32_t nr_significant(const struct set_difference *d)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < d->nr_rows; i++)
		nr += d->rows[i].significant;
	return nr;
}

void report_difference_text(struct out *o, const struct report_input *input)
{
	struct set_difference d = { 0 };

	if (!input->difference)
		return;
	report_difference_make(&d, input);
	put_string(o, "\nWhat is different\n  ");
	put_visible(o, filter_text(input->difference), strlen(filter_text(input->difference)));
	put(o, ": %" PRIu32 " runs, %s %" PRIu32 "\n", d.runs[1],
	    report_is_against_base(input) ? "base" : "others", d.runs[0]);
	if (set_difference_is_small(&d)) {
		put(o, "  needs %u runs in each set\n", SET_DIFFERENCE_RUNS);
	} else {
		size_t start = o->buf.len;

		put_string(o, "  ATTRIBUTE");
		pad(o, start, NAME_CELLS);
		put_string(o, report_is_against_base(input) ? "NEW" : "THESE");
		pad(o, start, NAME_CELLS + SHARE_CELLS);
		put_string(o, report_is_against_base(input) ? "BASE" : "OTHERS");
		pad(o, start, NAME_CELLS + 2 * SHARE_CELLS);
		put_string(o, "SIGNIFICANT\n");
		for (uint32_t i = 0; i < text_rows(o, d.nr_rows); i++) {
			report_difference_row(o, &d, &d.rows[i]);
			text_drain(o, DRAIN_BYTES);
		}
		more(o, "  ", d.nr_rows);
		put(o,
		    "  %" PRIu32 " of %" PRIu32 " tests differ (p < 0.01 after Holm's correction). "
		    "What occurs together may have one cause;\n"
		    "  time of day and order of runs count too\n",
		    nr_significant(&d), d.nr_rows);
		if (d.nr_other)
			put(o, "  %" PRIu64 " values are counted as (other)\n", d.nr_other);
	}
	set_difference_release(&d);
}

/* ---- JSON ---- */

static void json_column(struct tr2_jw *jw, const struct set_difference *d,
			const struct set_difference_value *value)
{
	struct attribute_ref ref = set_difference_ref(d, value->column);
	struct tr2_buf text;

	tr2_buf_init(&text, SIZE_MAX / 2);
	attribute_format(&ref, &text);
	json_write_text(jw, "attribute", tr2_buf_cstr(&text), text.len);
	tr2_buf_clear(&text);
	set_difference_format(d, value, &text);
	json_write_text(jw, "value", value->of == SET_DIFFERENCE_RANKS ? NULL : tr2_buf_cstr(&text),
			text.len);
	tr2_buf_release(&text);
}

static void json_set(struct tr2_jw *jw, const struct set_difference_row *row, int set)
{
	const char *key = set ? "slow" : "others";

	if (row->value.of == SET_DIFFERENCE_RANKS)
		json_write_real(jw, key, row->medians[set]);
	else
		json_write_count(jw, key, row->with[set]);
}

static void report_difference_json_row(struct tr2_jw *jw, const struct set_difference *d,
				       const struct set_difference_row *row)
{
	tr2_jw_object(jw);
	json_column(jw, d, &row->value);
	json_set(jw, row, 1);
	json_set(jw, row, 0);
	tr2_jw_key(jw, "of");
	tr2_jw_array(jw);
	tr2_jw_uint(jw, row->runs[1]);
	tr2_jw_uint(jw, row->runs[0]);
	tr2_jw_end_array(jw);
	json_write_real(jw, "p", row->p);
	json_write_real(jw, "adjusted", row->adjusted);
	json_write_bool(jw, "significant", row->significant);
	if (row->value.of == SET_DIFFERENCE_RANKS)
		json_write_real(jw, "higher", row->higher);
	tr2_jw_key(jw, "same");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < row->nr_same; i++) {
		tr2_jw_object(jw);
		json_column(jw, d, &d->same[row->first_same + i]);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
	tr2_jw_end_object(jw);
}

void report_difference_json(struct tr2_jw *jw, const struct report_input *input)
{
	struct set_difference d = { 0 };

	if (!input->difference)
		return;
	report_difference_make(&d, input);
	tr2_jw_key(jw, "difference");
	tr2_jw_object(jw);
	json_write_cstring(jw, "filter", filter_text(input->difference));
	json_write_bool(jw, "base", report_is_against_base(input));
	json_write_count(jw, "slow", d.runs[1]);
	json_write_count(jw, "others", d.runs[0]);
	json_write_number(jw, "tests",
			  set_difference_is_small(&d) ? INT64_MIN : (int64_t)d.nr_rows);
	json_write_count(jw, "other_values", d.nr_other);
	tr2_jw_key(jw, "rows");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < d.nr_rows; i++)
		report_difference_json_row(jw, &d, &d.rows[i]);
	tr2_jw_end_array(jw);
	tr2_jw_end_object(jw);
	set_difference_release(&d);
}

/* ---- CSV ---- */

static void csv_number(struct tr2_buf *out, double number)
{
	struct tr2_jw jw;

	tr2_buf_addch(out, ',');
	tr2_jw_init(&jw, out, 0);
	json_real(&jw, number);
}

static void report_difference_csv_row(struct tr2_buf *out, const struct set_difference *d,
				      const struct set_difference_row *row,
				      void (*add_text)(struct tr2_buf *out, const char *text,
						       size_t len))
{
	struct attribute_ref ref = set_difference_ref(d, row->value.column);
	bool ranks = row->value.of == SET_DIFFERENCE_RANKS;
	struct tr2_buf text;

	tr2_buf_init(&text, SIZE_MAX / 2);
	attribute_format(&ref, &text);
	add_text(out, tr2_buf_cstr(&text), text.len);
	tr2_buf_clear(&text);
	set_difference_format(d, &row->value, &text);
	tr2_buf_addch(out, ',');
	add_text(out, tr2_buf_cstr(&text), text.len);
	csv_number(out, ranks ? row->medians[1] : row->with[1]);
	csv_number(out, ranks ? row->medians[0] : row->with[0]);
	csv_number(out, row->runs[1]);
	csv_number(out, row->runs[0]);
	csv_number(out, row->p);
	csv_number(out, row->adjusted);
	tr2_buf_addf(out, ",%d,", row->significant);
	tr2_buf_addf(out, "%" PRIu32 "\r\n", row->nr_same);
	tr2_buf_release(&text);
}

void report_difference_csv(struct tr2_buf *out, const struct report_input *input,
			   void (*add_text)(struct tr2_buf *out, const char *text, size_t len))
{
	struct set_difference d = { 0 };

	report_difference_make(&d, input);
	tr2_buf_addstr(out, "attribute,value,slow,others,slow_runs,others_runs,p,adjusted,"
			    "significant,same\r\n");
	for (uint32_t i = 0; i < d.nr_rows; i++)
		report_difference_csv_row(out, &d, &d.rows[i], add_text);
	set_difference_release(&d);
}
