/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/tables.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/attribute/attribute.h"
#include "monitor/base/user.h"
#include "monitor/report/report_values.h"

const struct word table_words[NR_TABLES] = {
#define TABLE(ID, word, doc) { word, doc },
#include "monitor/report/tables.def"
};

const struct report_table report_tables[NR_TABLES] = {
	[TABLE_REGIONS] = { "regions",
			    {
#define REGIONS_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			    } },
	[TABLE_PROCESSES] = { "processes",
			      {
#define PROCESSES_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			      } },
	[TABLE_THREADS] = { "threads",
			    {
#define THREADS_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			    } },
	[TABLE_CHILDREN] = { "children",
			     {
#define CHILDREN_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			     } },
	[TABLE_TIMINGS] = { "timings",
			    {
#define TIMINGS_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			    } },
	[TABLE_DATA] = { "data",
			 {
#define DATA_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			 } },
	[TABLE_ERRORS] = { "errors",
			   {
#define ERRORS_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			   } },
	/* The table is not named "values", because that is a keyword of SQL. */
	[TABLE_VALUES] = { "key_values",
			   {
#define VALUES_COLUMN(name, type, doc, value) { #name, doc, COLUMN_##type },
#include "monitor/report/tables.def"
			   } },
};

#define CELL_NONE ((struct table_cell){ 0 })

static const char *const child_state_names[] = { [CHILD_RUNNING] = "running",
						 [CHILD_READY] = "ready",
						 [CHILD_EXITED] = "exited",
						 [CHILD_LOST] = "lost" };

/* Return a cell with a text; NULL: absent. */
static struct table_cell cell_text(const char *text, size_t len)
{
	return (struct table_cell){ .known = text != NULL, .text = text, .len = len };
}

static struct table_cell cell_word(const char *word)
{
	return cell_text(word, strlen(word));
}

/* Return a cell with a number; NUM_NONE or NS_NONE, which are equal: absent. */
static struct table_cell cell_number(int64_t number)
{
	return (struct table_cell){ .known = number != NUM_NONE, .number = number };
}

static struct table_cell cell_count(int64_t count)
{
	return cell_number(count);
}

static struct table_cell cell_sym(const struct tables *t, sym_t sym)
{
	size_t len;
	const char *text = model_sym(t->input->model, sym, &len);

	return cell_text(sym == SYM_NONE ? NULL : text, len);
}

static struct table_cell cell_of(const struct tables *t, struct text text, bool has)
{
	return has ? cell_text(model_text(t->input->model, text), text.len) : CELL_NONE;
}

static struct table_cell cell_attribute(const struct tables *t, const struct process *p,
					enum attribute attribute)
{
	struct table_cell cell = { 0 };
	struct value value;

	if (attribute_get(t->input->model, p, attribute, &value))
		cell = (struct table_cell){
			.known = true, .number = value.number, .text = value.text, .len = value.len
		};
	return cell;
}

static struct table_cell cell_user(struct tables *t, const struct process *p)
{
	if (p->uid == NUM_NONE)
		return CELL_NONE;
	return cell_word(user_name(p->uid, t->user));
}

static struct table_cell cell_command(const struct tables *t, const struct process *p)
{
	return cell_sym(t, p->hierarchy != SYM_NONE ? p->hierarchy : p->name);
}

static struct tr2_jw array_begin(struct tables *t, int nr)
{
	struct tr2_jw jw;

	tr2_buf_clear(&t->json[nr]);
	tr2_jw_init(&jw, &t->json[nr], 0);
	jw.tight = true;
	tr2_jw_array(&jw);
	return jw;
}

static struct table_cell array_end(struct tables *t, struct tr2_jw *jw, int nr)
{
	tr2_jw_end_array(jw);
	return cell_text(t->json[nr].data, t->json[nr].len);
}

/* Return a cell with a list as JSON. `nr`: index of the buffer; cells of one row have different
 * buffers. */
static struct table_cell cell_strings(struct tables *t, int nr, const struct strings *strings)
{
	struct strings_cursor cursor = strings_begin(t->input->model, strings);
	struct tr2_jw jw;
	const char *item;
	size_t len;

	if (!strings->known)
		return CELL_NONE;
	jw = array_begin(t, nr);
	while ((item = strings_next(&cursor, &len)))
		tr2_jw_string(&jw, item, len);
	return array_end(t, &jw, nr);
}

static struct table_cell cell_modes(struct tables *t, int nr, const struct process *p)
{
	const struct heap *heap = model_heap(t->input->model);
	struct tr2_jw jw = array_begin(t, nr);

	for (uint32_t i = 0; i < p->modes.nr; i++) {
		const sym_t *mode = vec_at(heap, &p->modes, i, sizeof(*mode));
		size_t len;
		const char *text = model_sym(t->input->model, *mode, &len);

		tr2_jw_string(&jw, text, len);
	}
	return array_end(t, &jw, nr);
}

static struct table_cell cell_worktree(const struct tables *t, const struct process *p)
{
	if (!p->worktrees.nr)
		return CELL_NONE;
	return cell_sym(
		t, PROCESS_ITEM(t->input->model, &p->worktrees, worktree_item, p->worktrees.nr - 1)
			   ->worktree);
}

static struct table_cell cell_child_id(const struct tables *t, const struct process *p)
{
	if (p->parent == SLOT_NONE || p->link == SLOT_NONE)
		return CELL_NONE;
	return cell_count(
		process_child(t->input->model, model_slot(t->input->model, p->parent), p->link)
			->child_id);
}

static struct table_cell cell_child_sid(const struct tables *t, const struct child *c)
{
	if (c->process == SLOT_NONE)
		return CELL_NONE;
	return cell_of(t, model_slot(t->input->model, c->process)->sid, true);
}

/* Return a cell with a number of a row of the values. `nr`: index of the buffer; cells of one
 * row have different buffers. */
static struct table_cell cell_value(struct tables *t, const struct value_row *row, int64_t number,
				    int nr)
{
	struct tr2_buf *text = &t->numbers[nr];
	struct tr2_jw jw;

	if (number == NUM_NONE)
		return CELL_NONE;
	tr2_buf_clear(text);
	tr2_jw_init(&jw, text, 0);
	if (row->list == VALUES_TIMER)
		tr2_jw_seconds(&jw, number);
	else
		tr2_jw_int(&jw, number);
	return cell_text(text->data, text->len);
}

static struct table_cell cell_top(struct tables *t, int nr, const struct value_rows *values,
				  const struct value_row *row)
{
	struct tr2_jw jw;

	if (row->unit != VALUE_UNIT_TEXT)
		return CELL_NONE;
	tr2_buf_clear(&t->json[nr]);
	tr2_jw_init(&jw, &t->json[nr], 0);
	jw.tight = true;
	report_value_top_json(&jw, values, row);
	return cell_text(t->json[nr].data, t->json[nr].len);
}

static void tables_region(void *data, const struct span_region *r)
{
	struct tables *t = data;
	const struct model *m = t->input->model;
	const struct span_process *tables_process = span_stream_process(&t->spans, r->process);
	uint32_t slot = model_find_sid(m, tables_process->sid, tables_process->sid_len);
	const struct process *p = slot == SLOT_NONE ? NULL : model_slot(m, slot);

	t->sid = tables_process->sid;
	t->sid_len = tables_process->sid_len;
	{
		const struct table_cell cells[] = {
#define REGIONS_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
		};

		t->row(t->data, TABLE_REGIONS, cells);
	}
}

static void tables_process_row(struct tables *t, const struct process *p)
{
	const struct table_cell cells[] = {
#define PROCESSES_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
	};

	t->row(t->data, TABLE_PROCESSES, cells);
}

static void thread_row(struct tables *t, const struct process *p, const struct thread *thread)
{
	const struct table_cell cells[] = {
#define THREADS_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
	};

	t->row(t->data, TABLE_THREADS, cells);
}

static void tables_child_row(struct tables *t, const struct process *p, const struct child *c)
{
	const struct table_cell cells[] = {
#define CHILDREN_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
	};

	t->row(t->data, TABLE_CHILDREN, cells);
}

static void data_row(struct tables *t, const struct process *p, const struct data_item *d)
{
	const struct table_cell cells[] = {
#define DATA_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
	};

	t->row(t->data, TABLE_DATA, cells);
}

static void error_row(struct tables *t, const struct process *p, const struct error_item *e)
{
	const struct table_cell cells[] = {
#define ERRORS_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
	};

	t->row(t->data, TABLE_ERRORS, cells);
}

static void tables_timing_row(struct tables *t, const struct report_timing *timing)
{
	const struct table_cell cells[] = {
#define TIMINGS_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
	};

	t->row(t->data, TABLE_TIMINGS, cells);
}

static void tables_values(struct tables *t)
{
	struct value_rows made, *values = &made;

	report_values_make(values, t->input);
	for (uint32_t i = 0; i < values->nr; i++) {
		const struct value_row *v = &values->rows[i];
		const struct table_cell cells[] = {
#define VALUES_COLUMN(name, type, doc, value) value,
#include "monitor/report/tables.def"
		};

		t->row(t->data, TABLE_VALUES, cells);
	}
	value_rows_release(values);
}

static void tables_process(struct tables *t, const struct process *p)
{
	const struct model *m = t->input->model;

	if (t->wanted[TABLE_PROCESSES])
		tables_process_row(t, p);
	for (uint32_t i = 0; t->wanted[TABLE_THREADS] && i < p->threads.nr; i++)
		thread_row(t, p, process_thread(m, p, i));
	for (uint32_t i = 0; t->wanted[TABLE_CHILDREN] && i < p->children.nr; i++)
		tables_child_row(t, p, process_child(m, p, i));
	for (uint32_t i = 0; t->wanted[TABLE_DATA] && i < p->data.nr; i++)
		data_row(t, p, PROCESS_ITEM(m, &p->data, data_item, i));
	for (uint32_t i = 0; t->wanted[TABLE_ERRORS] && i < p->errors.nr; i++)
		error_row(t, p, PROCESS_ITEM(m, &p->errors, error_item, i));
}

void tables_begin(struct tables *t, const struct report_input *input, const bool *wanted,
		  void (*row)(void *data, enum table_row table, const struct table_cell *cells),
		  void *data)
{
	*t = (struct tables){ .row = row, .data = data, .input = input };
	memcpy(t->wanted, wanted, sizeof(t->wanted));
	report_walk_begin(&t->walk, input);
	span_stream_init(&t->spans, &(struct span_stream_config){
					    .region = tables_region, .data = t, .messages = true });
	for (int i = 0; i < TABLE_JSONS; i++)
		tr2_buf_init(&t->json[i], SIZE_MAX / 2);
	for (int i = 0; i < TABLE_NUMBERS; i++)
		tr2_buf_init(&t->numbers[i], 64);
}

void tables_batch(struct tables *t, const struct batch *batch, uint32_t records)
{
	struct event ev;

	if (!t->wanted[TABLE_REGIONS])
		return;
	report_walk_batch(&t->walk, batch, records);
	span_stream_batch(&t->spans, batch);
	while (report_walk_next(&t->walk, &ev))
		span_stream_event(&t->spans, batch, &ev);
}

void tables_end(struct tables *t)
{
	const struct report_input *input = t->input;
	struct report_timing *timings;
	uint32_t *slots, nr;

	span_stream_end(&t->spans);
	slots = report_processes(input, &nr);
	for (uint32_t i = 0; i < nr && work_goes_on(input->work, i, nr); i++)
		tables_process(t, model_slot(input->model, slots[i]));
	free(slots);
	if (t->wanted[TABLE_TIMINGS]) {
		timings = report_timings(input, &nr);
		for (uint32_t i = 0; i < nr; i++)
			tables_timing_row(t, &timings[i]);
		free(timings);
	}
	if (t->wanted[TABLE_VALUES])
		tables_values(t);
	span_stream_release(&t->spans);
	report_walk_end(&t->walk);
	for (int i = 0; i < TABLE_JSONS; i++)
		tr2_buf_release(&t->json[i]);
	for (int i = 0; i < TABLE_NUMBERS; i++)
		tr2_buf_release(&t->numbers[i]);
}
