/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monitor/base/die.h"
#include "monitor/model/model_strip.h"

#define EXPORTER(ID, word, suffix, help, ops) extern const struct exporter_ops ops;
#include "monitor/report/exporters.def"

const struct exporter exporters[NR_EXPORTERS] = {
#define EXPORTER(ID, word, suffix, help, ops) { suffix, &ops },
#include "monitor/report/exporters.def"
};

const struct word exporter_words[NR_EXPORTERS] = {
#define EXPORTER(ID, word, suffix, help, ops) { word, help },
#include "monitor/report/exporters.def"
};

const struct synonym exporter_synonyms[] = {
#define SYNONYM(word, ID) { word, EXPORTER_##ID },
#include "monitor/report/exporters.def"
	{ 0 },
};

FILE *report_file_new(enum exporter_row exporter, ns_t wall, char *name, size_t name_bytes)
{
	time_t seconds = (time_t)(wall / NS_PER_SEC);
	const char *suffix = exporters[exporter].suffix;
	char stem[40];
	struct tm tm;
	FILE *to;

	localtime_r(&seconds, &tm);
	strftime(stem, sizeof(stem), "trace2top-%Y%m%d-%H%M%S", &tm);
	snprintf(name, name_bytes, "%s%s", stem, suffix);
	to = fopen(name, "wxe");
	for (int i = 2; !to && errno == EEXIST && i < 1000; i++) {
		snprintf(name, name_bytes, "%s-%d%s", stem, i, suffix);
		to = fopen(name, "wxe");
	}
	return to;
}

static uint32_t records_before(const struct batch *batch, uint64_t end)
{
	struct batch_cursor cursor = batch_begin(batch);
	uint64_t position = batch->first_event;
	uint32_t records = 0;
	struct event ev;

	if (position + batch->nr_events <= end)
		return batch->nr_records;
	while (position < end && batch_next(&cursor, &ev)) {
		records++;
		position += event_is_trace2(&ev);
	}
	return records;
}

void report_batches(const struct report_input *input,
		    void (*visit)(void *data, const struct batch *batch, uint32_t records),
		    void *data)
{
	uint64_t first = input->journal ? journal_first_seq(input->journal) : 0;
	uint64_t end = input->journal ? journal_end_seq(input->journal) : 0;

	for (uint64_t seq = first; seq < end && work_goes_on(input->work, seq - first, end - first);
	     seq++) {
		const struct batch *batch = journal_at(input->journal, seq);

		visit(data, batch, records_before(batch, input->end));
	}
}

void report_begin(struct report_run *run, const struct exporter_ops *exporter, FILE *to,
		  const struct report_input *input)
{
	*run = (struct report_run){
		.exporter = exporter, .to = to, .input = input, .given = *input
	};
	run->given.failed = &run->failed;
	errno = 0;
	if (exporter->begin)
		run->report = exporter->begin(to, &run->given);
}

void report_batch(struct report_run *run, const struct batch *batch)
{
	if (run->exporter->batch)
		run->exporter->batch(run->report, batch, batch->nr_records);
}

bool report_end(struct report_run *run)
{
	model_settle(run->input->model);
	/* Parts of the input were unknown when the report began. */
	run->given = *run->input;
	run->given.failed = &run->failed;
	run->exporter->end(run->report, run->to, &run->given);
	if (run->input->work && run->input->work->broken_off) {
		errno = ECANCELED;
		return false;
	}
	if (run->failed) {
		errno = run->failed;
		return false;
	}
	return !fflush(run->to) && !ferror(run->to);
}

bool report_write(const struct exporter_ops *exporter, FILE *to, const struct report_input *input)
{
	struct report_run run;

	model_settle(input->model);
	report_begin(&run, exporter, to, input);
	if (exporter->batch)
		report_batches(input, exporter->batch, run.report);
	return report_end(&run);
}

static bool report_has(const struct report_input *input, const char *sid, size_t len)
{
	uint32_t slot;

	if (!input->keep && input->depth < 0)
		return true;
	slot = model_find_sid(input->model, sid, len);
	if (slot == SLOT_NONE)
		return false;
	if (input->depth >= 0 && model_slot(input->model, slot)->depth > input->depth)
		return false;
	return !input->keep || input->keep(input->keep_data, input->model, slot);
}

void report_walk_begin(struct report_walk *walk, const struct report_input *input)
{
	*walk = (struct report_walk){ .input = input };
}

void report_walk_end(struct report_walk *walk)
{
	free(walk->chosen);
}

void report_walk_batch(struct report_walk *walk, const struct batch *batch, uint32_t records)
{
	walk->cursor = batch_begin(batch);
	walk->left = records;
	if (walk->cap < batch->nr_sids) {
		walk->cap = batch->nr_sids * 2;
		walk->chosen = xreallocarray(walk->chosen, walk->cap, 1);
	}
	if (batch->nr_sids)
		memset(walk->chosen, 0, batch->nr_sids);
}

static bool is_of_chosen(struct report_walk *walk, uint32_t index)
{
	uint8_t *chosen = &walk->chosen[index];
	const char *sid;
	size_t len;

	if (!*chosen) {
		sid = batch_sid_text(walk->cursor.batch, index, &len);
		*chosen = report_has(walk->input, sid, len) ? 2 : 1;
	}
	return *chosen == 2;
}

static bool is_beyond_nesting(int64_t nesting, const struct event *ev)
{
	switch (ev->kind) {
	case TR2_E_REGION_ENTER:
	case TR2_E_REGION_LEAVE:
	case TR2_E_DATA:
	case TR2_E_DATA_JSON:
		return nesting >= 0 && event_get(ev, TR2_F_NESTING, 0) > nesting;
	default:
		return false;
	}
}

bool report_walk_next(struct report_walk *walk, struct event *ev)
{
	const struct report_input *input = walk->input;

	for (; walk->left && batch_next(&walk->cursor, ev); walk->left--) {
		if (event_has(ev, TR2_F_SID) && !is_of_chosen(walk, (uint32_t)ev->v[TR2_F_SID]))
			continue;
		if (event_is_trace2(ev) &&
		    (is_beyond_nesting(input->nesting, ev) ||
		     (input->since > 0 && event_get(ev, TR2_F_TIME, INT64_MAX) < input->since)))
			continue;
		walk->left--;
		return true;
	}
	return false;
}

/* for compare functions, because qsort() passes no context; thread-local, because several
 * threads make reports */
static _Thread_local const struct model *sort_model;

static int bytes_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int diff = memcmp(a, b, a_len < b_len ? a_len : b_len);

	if (diff)
		return diff;
	return a_len < b_len ? -1 : a_len > b_len;
}

static int process_compare(const void *a, const void *b)
{
	const struct process *x = model_slot(sort_model, *(const uint32_t *)a);
	const struct process *y = model_slot(sort_model, *(const uint32_t *)b);

	if (x->start != y->start) {
		if (x->start == NS_NONE || y->start == NS_NONE)
			return x->start == NS_NONE ? 1 : -1;
		return x->start < y->start ? -1 : 1;
	}
	return bytes_compare(model_text(sort_model, x->sid), x->sid.len,
			     model_text(sort_model, y->sid), y->sid.len);
}

uint32_t *report_processes(const struct report_input *input, uint32_t *nr)
{
	const struct model *m = input->model;
	uint32_t *slots = xreallocarray(NULL, (size_t)model_nr_processes(m) + 1, sizeof(*slots));

	*nr = 0;
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		if (input->depth >= 0 && model_slot(m, s)->depth > input->depth)
			continue;
		if (!input->keep || input->keep(input->keep_data, m, s))
			slots[(*nr)++] = s;
	}
	sort_model = m;
	qsort(slots, *nr, sizeof(*slots), process_compare);
	return slots;
}

static int sym_compare(sym_t a, sym_t b)
{
	size_t a_len, b_len;
	const char *x, *y;

	if (a == b)
		return 0;
	if (a == SYM_NONE || b == SYM_NONE)
		return a == SYM_NONE ? -1 : 1;
	x = model_sym(sort_model, a, &a_len);
	y = model_sym(sort_model, b, &b_len);
	return bytes_compare(x, a_len, y, b_len);
}

static int timing_compare(const void *a, const void *b)
{
	const struct timing *x = &((const struct report_timing *)a)->timing;
	const struct timing *y = &((const struct report_timing *)b)->timing;
	int diff;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	diff = sym_compare(x->category, y->category);
	return diff ? diff : sym_compare(x->label, y->label);
}

/* Add the regions of a node to their row. `row_of`: by row of the model's timings, the index + 1
 * of the report's row. */
static void timing_add_node(const struct report_input *input, const struct region_node *node,
			    bool failed, uint32_t *row_of, struct report_timing *out, uint32_t *nr)
{
	const struct timing_cell *cell = model_cell(input->model, node->cell);
	struct timing *t;

	if (!node->count || (input->nesting >= 0 && cell->nesting > input->nesting))
		return;
	if (!row_of[cell->row]) {
		out[*nr] = (struct report_timing){ { cell->category, cell->label, 0, 0, 0, 0,
						     INT64_MAX, INT64_MIN },
						   NS_NONE,
						   NS_NONE,
						   NS_NONE };
		row_of[cell->row] = ++*nr;
	}
	t = &out[row_of[cell->row] - 1].timing;
	t->count += node->count;
	t->failed += failed ? node->count : 0;
	t->total = ns_add(t->total, node->total);
	t->self = ns_add(t->self, cell->nesting == input->nesting ? node->total : node->self);
	t->min = node->min < t->min ? node->min : t->min;
	t->max = node->max > t->max ? node->max : t->max;
}

static uint32_t timings_of_processes(const struct report_input *input, struct report_timing *out)
{
	const struct model *m = input->model;
	uint32_t *row_of = xcalloc((size_t)model_nr_timing_rows(m) + 1, sizeof(*row_of)), nr = 0;
	uint32_t nr_slots, *slots = report_processes(input, &nr_slots);

	for (uint32_t i = 0; i < nr_slots; i++) {
		const struct process *p = model_slot(m, slots[i]);

		for (uint32_t k = 0; k < p->threads.nr; k++) {
			uint32_t at = process_thread(m, p, k)->nodes, level = 0;

			for (; at; at = model_node_next(m, at, &level))
				timing_add_node(input, model_node(m, at), process_failed(p), row_of,
						out, &nr);
		}
	}
	free(slots);
	free(row_of);
	return nr;
}

struct report_timing *report_timings(const struct report_input *input, uint32_t *nr)
{
	const struct model *m = input->timings ? input->timings : input->model;
	struct timing_limits limits = { .nesting = input->nesting, .depth = input->depth };
	uint32_t rows = model_nr_timing_rows(m);
	struct report_timing *out = xreallocarray(NULL, (size_t)rows + 1, sizeof(*out));
	uint64_t *sums = xcalloc(HIST_BUCKETS, sizeof(*sums));

	*nr = input->timings_by_process ? timings_of_processes(input, out) : 0;
	for (uint32_t row = 0; row < rows && !input->timings_by_process; row++) {
		struct report_timing *t = &out[*nr];

		if (!model_timing(m, row, &limits, &t->timing))
			continue;
		model_timing_hist(m, row, &limits, sums);
		t->p50 = hist_quantile(sums, 0.50, t->timing.min, t->timing.max);
		t->p90 = hist_quantile(sums, 0.90, t->timing.min, t->timing.max);
		t->p99 = hist_quantile(sums, 0.99, t->timing.min, t->timing.max);
		hist_clear(sums, t->timing.min, t->timing.max);
		++*nr;
	}
	free(sums);
	sort_model = m;
	qsort(out, *nr, sizeof(*out), timing_compare);
	return out;
}

static int command_compare(const void *a, const void *b)
{
	const struct command *x = &((const struct report_command *)a)->command;
	const struct command *y = &((const struct report_command *)b)->command;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (!x->text || !y->text)
		return x->text ? 1 : -1;
	return bytes_compare(x->text, x->len, y->text, y->len);
}

void report_commands(const struct report_input *input, const struct commands_by *by,
		     struct report_commands *out)
{
	const struct commands_of of = { .model = input->model,
					.depth = input->depth,
					.keep = input->keep,
					.keep_data = input->keep_data };

	*out = (struct report_commands){ 0 };
	commands_make(&out->commands, &of, *by);
	out->nr = out->commands.nr;
	out->rows = xreallocarray(NULL, (size_t)out->nr + 1, sizeof(*out->rows));
	for (uint32_t i = 0; i < out->nr; i++)
		out->rows[i] = (struct report_command){
			.command = out->commands.items[i],
			.row = i,
			.p50 = commands_quantile(&out->commands, input->model, i, 0.50),
			.p90 = commands_quantile(&out->commands, input->model, i, 0.90),
			.p99 = commands_quantile(&out->commands, input->model, i, 0.99),
		};
	qsort(out->rows, out->nr, sizeof(*out->rows), command_compare);
}

void report_commands_release(struct report_commands *commands)
{
	free(commands->rows);
	commands_release(&commands->commands);
}

static uint64_t report_open_regions(const struct model *m)
{
	uint64_t nr = 0;

	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);

		for (uint32_t i = 0; p->state == STATE_RUNNING && i < p->threads.nr; i++)
			nr += process_thread(m, p, i)->open.nr;
	}
	return nr;
}

static uint64_t report_untimed(const struct model *m)
{
	uint64_t nr = model_strip_evicted(m)->untimed;

	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s))
		nr += model_slot(m, s)->start == NS_NONE;
	return nr;
}

void report_totals(const struct report_input *input, struct report_totals *out)
{
	const struct model_totals *t = model_totals(input->model);

	*out = (struct report_totals){
		.events = t->events,
		.processes = t->processes,
		.running = t->by_state[STATE_RUNNING],
		.exited = t->by_state[STATE_EXITED],
		.failed = t->failed,
		.signaled = t->by_state[STATE_SIGNALED],
		.replaced = t->by_state[STATE_REPLACED],
		.lost = t->by_state[STATE_LOST],
		.untraced = t->by_state[STATE_UNTRACED],
		.threads = t->threads,
		.regions = t->regions,
		.open_regions = report_open_regions(input->model),
		.children = t->children,
		.errors = t->errors,
		.untimed = report_untimed(input->model),
	};
	for (int i = 0; i < input->nr_sources; i++) {
		out->malformed += input->sources[i].malformed;
		out->oversized += input->sources[i].oversized;
	}
}

ns_t report_open_elapsed(const struct process *p, const struct open_region *open)
{
	ns_t elapsed;

	if (p->end == NS_NONE || open->time == NS_NONE ||
	    __builtin_sub_overflow(p->end, open->time, &elapsed))
		return NS_NONE;
	return elapsed;
}
