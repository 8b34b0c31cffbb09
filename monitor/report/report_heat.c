/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_heat.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "monitor/analysis/heat.h"
#include "monitor/base/json_write.h"
#include "monitor/report/report_rules.h"
#include "monitor/report/text_cells.h"

#define TEXT_COLUMNS 80
#define JSON_COLUMNS 200

static bool heat_sym_is(const struct model *m, sym_t sym, const char *text, size_t len)
{
	const char *name;
	size_t name_len;

	if (sym == SYM_NONE)
		return false;
	name = model_sym(m, sym, &name_len);
	return name_len == len && !memcmp(name, text, len);
}

/* True for the report's processes with the name of --heat; if that is "", for all. */
static bool heat_keep(void *data, const struct model *m, uint32_t slot)
{
	const struct report_input *input = data;
	const struct process *p = model_slot(m, slot);

	if (input->keep && !input->keep(input->keep_data, m, slot))
		return false;
	return !*input->heat || heat_sym_is(m, p->name, input->heat, strlen(input->heat));
}

/* Add the completed regions CATEGORY/LABEL (`input->heat`) of the report's processes. */
static void heat_add_regions(struct heat *heat, const struct report_input *input)
{
	const struct model *m = input->model;
	size_t len = strcspn(input->heat, "/");
	const char *label = input->heat + len + 1;

	for (uint32_t i = 0; i < model_nr_samples(m); i++) {
		const struct region_sample *sample = model_sample(m, i);
		struct handle handle = model_handle_here(m, sample->process);
		const struct process *p = model_process(m, sample->process);

		if (!heat_sym_is(m, sample->category, input->heat, len) ||
		    !heat_sym_is(m, sample->label, label, strlen(label)))
			continue;
		if (p ? (input->depth >= 0 && p->depth > input->depth) ||
				    (input->keep && !input->keep(input->keep_data, m, handle.slot))
		      : input->depth >= 0 || input->keep)
			continue;
		heat_add(heat, &(struct heat_point){ .time = sample->time,
						     .duration = sample->duration,
						     .slot = p ? handle.slot : SLOT_NONE,
						     .failed = p && process_failed(p) });
	}
}

static void heat_make(struct heat *heat, const struct report_input *input, uint32_t max_columns)
{
	struct heat_of of = { .processes = { .model = input->model,
					     .depth = input->depth,
					     .keep = heat_keep,
					     .keep_data = (void *)input },
			      .all = true };

	if (strchr(input->heat, '/'))
		heat_add_regions(heat, input);
	else
		heat_add_commands(heat, &of);
	heat_fit(heat, max_columns, HEAT_OCTAVES);
}

/* ---- text ---- */

/* The character shows the number of points in powers of 4. A cell with a failure has a character
 * of its own. */
static char shade_of(const struct heat_cell *cell)
{
	if (!cell->nr)
		return ' ';
	if (cell->failed)
		return 'x';
	return cell->nr < 4 ? '.' : cell->nr < 16 ? ':' : cell->nr < 64 ? '+' : '#';
}

static void heat_text_row(struct out *o, const struct heat *heat, uint32_t row)
{
	put_string(o, "  ");
	put_right(o, human_mark(heat_row_bound(heat, row)).text, 8);
	put_string(o, " |");
	for (uint32_t i = 0; i < heat->nr_columns; i++)
		tr2_buf_addch(&o->buf, shade_of(heat_at(heat, row, i)));
	put(o, "| %8" PRIu32 "\n", heat_row_sum(heat, row).nr);
}

void heat_text(struct out *o, const struct report_input *input)
{
	struct heat heat = { 0 };

	if (!input->heat)
		return;
	heat_make(&heat, input, TEXT_COLUMNS);
	put(o, "\nHeat map\n  ");
	if (*input->heat)
		put_visible(o, input->heat, strlen(input->heat));
	else
		put_string(o, "all commands");
	put(o, ", %" PRIu32 " runs", heat.nr);
	if (heat.untimed)
		put(o, ", %" PRIu64 " without a time", heat.untimed);
	if (heat.nr) {
		put(o, ", %s per column; . 1 : 4 + 16 # 64 runs, x a failed run\n",
		    human_mark(heat_column_width(&heat)).text);
		for (uint32_t row = heat.nr_rows; row-- > 0;)
			heat_text_row(o, &heat, row);
		put_string(o, "  from ");
		tr2_buf_add_wall_time(&o->buf, heat_column_begin(&heat, 0));
		put_string(o, " to ");
		tr2_buf_add_wall_time(&o->buf, heat_column_begin(&heat, heat.nr_columns));
	}
	put_string(o, "\n");
	heat_release(&heat);
}

/* ---- JSON ---- */

static void json_matrix(struct tr2_jw *jw, const char *key, const struct heat *heat, bool failed)
{
	tr2_jw_key(jw, key);
	tr2_jw_array(jw);
	for (uint32_t row = 0; row < heat->nr_rows; row++) {
		tr2_jw_array(jw);
		for (uint32_t column = 0; column < heat->nr_columns; column++) {
			const struct heat_cell *cell = heat_at(heat, row, column);

			tr2_jw_uint(jw, failed ? cell->failed : cell->nr);
		}
		tr2_jw_end_array(jw);
	}
	tr2_jw_end_array(jw);
}

void heat_json(struct tr2_jw *jw, const struct report_input *input)
{
	struct heat heat = { 0 };

	if (!input->heat)
		return;
	heat_make(&heat, input, JSON_COLUMNS);
	tr2_jw_key(jw, "heat");
	tr2_jw_object(jw);
	json_write_cstring(jw, "name", *input->heat ? input->heat : NULL);
	json_write_count(jw, "count", heat.nr + heat.untimed);
	json_write_count(jw, "untimed", heat.untimed);
	tr2_jw_key(jw, "columns");
	tr2_jw_object(jw);
	json_write_time(jw, "start", heat.nr ? heat_column_begin(&heat, 0) : NS_NONE);
	json_write_real(jw, "seconds", heat.nr ? ldexp(1, heat.shift) : NAN);
	json_write_count(jw, "count", heat.nr_columns);
	tr2_jw_end_object(jw);
	tr2_jw_key(jw, "rows");
	tr2_jw_array(jw);
	for (uint32_t row = 0; row < heat.nr_rows; row++)
		json_real(jw, ldexp(0.001, (int)(heat.first_row + row) - 10));
	tr2_jw_end_array(jw);
	json_matrix(jw, "counts", &heat, false);
	json_matrix(jw, "failures", &heat, true);
	tr2_jw_end_object(jw);
	heat_release(&heat);
}
