/* SPDX-License-Identifier: MIT */
/* The end of a Chrome trace: processes, threads, children and the flows between processes. */
#include "config.h"
#include "monitor/report/chrome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/json_write.h"

#define CHILD_BYTES 60

struct chrome_tree_row {
	/* slot of the process in the model; its number in the span stream, UINT32_MAX: none */
	uint32_t slot, nr;
	int64_t pid;
	/* start and end (wall clock) of the process's slice; NS_NONE: unknown */
	ns_t first, last;
};

static void meta_begin(struct chrome *c, const char *name, int64_t pid, int64_t tid)
{
	chrome_event_begin(c, "M");
	json_write_cstring(&c->jw, "name", name);
	json_write_number(&c->jw, "pid", pid);
	json_write_number(&c->jw, "tid", tid);
	chrome_args_begin(c);
}

static void meta_end(struct chrome *c)
{
	chrome_args_end(c);
	chrome_event_end(c);
}

static void argv_join(struct chrome *c, const struct model *m, const struct strings *argv)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *word;
	size_t len;

	tr2_buf_clear(&c->text);
	while ((word = strings_next(&cursor, &len))) {
		if (c->text.len)
			tr2_buf_addch(&c->text, ' ');
		tr2_buf_add(&c->text, word, len);
	}
}

static void key_argv(struct chrome *c, const struct model *m, const struct strings *argv)
{
	struct strings_cursor cursor = strings_begin(m, argv);
	const char *word;
	size_t len;

	if (!argv->known)
		return;
	tr2_jw_key(&c->jw, "argv");
	tr2_jw_array(&c->jw);
	while ((word = strings_next(&cursor, &len)))
		tr2_jw_string(&c->jw, word, len);
	tr2_jw_end_array(&c->jw);
}

static void key_process_name(struct chrome *c, const struct model *m, const struct process *p)
{
	struct strings_cursor cursor = strings_begin(m, &p->argv);
	size_t len;
	const char *word = strings_next(&cursor, &len);

	if (p->hierarchy != SYM_NONE || p->name != SYM_NONE)
		chrome_key_sym(c, "name", p->hierarchy != SYM_NONE ? p->hierarchy : p->name);
	else if (word && len)
		json_write_text(&c->jw, "name", word, len);
	else
		json_write_cstring(&c->jw, "name", "(none)");
}

static void process_args(struct chrome *c, const struct model *m, const struct process *p)
{
	chrome_args_begin(c);
	json_write_text(&c->jw, "sid", model_text(m, p->sid), p->sid.len);
	key_argv(c, m, &p->argv);
	chrome_key_known(c, "exe", p->exe);
	json_write_cstring(&c->jw, "state", process_state_names[p->state]);
	if (p->code != NUM_NONE)
		json_write_number(&c->jw, "code", p->code);
	if (p->signo != NUM_NONE)
		json_write_number(&c->jw, "signo", p->signo);
	if (p->worktrees.nr)
		chrome_key_known(c, "worktree",
				 PROCESS_ITEM(m, &p->worktrees, worktree_item, p->worktrees.nr - 1)
					 ->worktree);
	if (p->modes.nr) {
		tr2_jw_key(&c->jw, "modes");
		tr2_jw_array(&c->jw);
		for (uint32_t i = 0; i < p->modes.nr; i++) {
			size_t len;
			const char *text = model_sym(
				m,
				*(const sym_t *)vec_at(model_heap(m), &p->modes, i, sizeof(sym_t)),
				&len);

			tr2_jw_string(&c->jw, text, len);
		}
		tr2_jw_end_array(&c->jw);
	}
	chrome_args_end(c);
}

static void chrome_tree_process(struct chrome *c, const struct model *m,
				const struct chrome_tree_row *row, uint32_t index)
{
	const struct process *p = model_slot(m, row->slot);

	meta_begin(c, "process_name", row->pid, row->pid);
	key_process_name(c, m, p);
	meta_end(c);
	argv_join(c, m, &p->argv);
	if (c->text.len) {
		meta_begin(c, "process_labels", row->pid, row->pid);
		json_write_text(&c->jw, "labels", c->text.data, c->text.len);
		meta_end(c);
	}
	meta_begin(c, "process_sort_index", row->pid, row->pid);
	json_write_number(&c->jw, "sort_index", index);
	meta_end(c);
	if (row->first == NS_NONE)
		return;
	chrome_event_begin(c, p->state == STATE_RUNNING ? "B" : "X");
	key_process_name(c, m, p);
	json_write_cstring(&c->jw, "cat", "process");
	if (p->state == STATE_RUNNING)
		chrome_key_place(c, row->pid, row->pid, row->first);
	else
		chrome_key_span(c, row->pid, row->pid, row->first, row->last);
	process_args(c, m, p);
	chrome_event_end(c);
}

void chrome_threads(struct chrome *c)
{
	for (uint32_t nr = 0; nr < c->spans.nr_threads; nr++) {
		const struct span_thread *thread = span_stream_thread(&c->spans, nr);
		int64_t pid = chrome_pid_of(c, thread->process), tid = chrome_tid_of(c, nr);
		bool is = chrome_is_main(c, nr);

		meta_begin(c, "thread_name", pid, tid);
		chrome_key_sym(c, "name", thread->name);
		meta_end(c);
		meta_begin(c, "thread_sort_index", pid, tid);
		json_write_number(&c->jw, "sort_index", is ? 0 : (int64_t)nr + 1);
		meta_end(c);
		if (is || thread->first == NS_NONE)
			continue;
		chrome_event_begin(c, chrome_shown_thread(c, nr)->endless ? "B" : "X");
		chrome_key_sym(c, "name", thread->name);
		json_write_cstring(&c->jw, "cat", "thread");
		if (chrome_shown_thread(c, nr)->endless)
			chrome_key_place(c, pid, tid, thread->first);
		else
			chrome_key_span(c, pid, tid, thread->first,
					thread->told > thread->last ? thread->told : thread->last);
		chrome_event_end(c);
	}
}

/* Return how many bytes of a text, at most `max`, make whole characters. */
static size_t cut(const char *text, size_t len, size_t max)
{
	size_t at = 0;
	uint32_t ch;

	while (at < len) {
		size_t step = tr2_utf8_decode(text + at, len - at, &ch);

		if (at + step > max)
			break;
		at += step;
	}
	return at;
}

static void child_keys(struct chrome *c, const struct chrome_tree_row *row,
		       const struct child *child, uint32_t index, ns_t time)
{
	char id[48], number[24] = "-";

	if (child->child_id != NUM_NONE)
		snprintf(number, sizeof(number), "%" PRId64, child->child_id);
	snprintf(id, sizeof(id), "0x%" PRIx64 ".%" PRIx32, row->pid, index);
	tr2_jw_key(&c->jw, "name");
	{
		struct tr2_buf name;

		tr2_buf_init(&name, 4096);
		tr2_buf_addf(&name, "child %s ", number);
		tr2_buf_add(&name, c->text.data, cut(c->text.data, c->text.len, CHILD_BYTES));
		tr2_jw_string(&c->jw, name.data, name.len);
		tr2_buf_release(&name);
	}
	json_write_cstring(&c->jw, "cat", "child");
	json_write_cstring(&c->jw, "id", id);
	chrome_key_place(c, row->pid, row->pid, time);
}

/* Children may overlap in time, so they are async events. */
static void child(struct chrome *c, const struct model *m, const struct chrome_tree_row *row,
		  uint32_t index)
{
	const struct child *child = process_child(m, model_slot(m, row->slot), index);
	ns_t end = child->end;

	if (child->start == NS_NONE)
		return;
	argv_join(c, m, &child->argv);
	chrome_event_begin(c, "b");
	child_keys(c, row, child, index, child->start);
	chrome_args_begin(c);
	chrome_key_known(c, "class", child->child_class);
	chrome_key_known(c, "hook", child->hook);
	key_argv(c, m, &child->argv);
	if (child->pid != NUM_NONE)
		json_write_number(&c->jw, "pid", child->pid);
	if (child->code != NUM_NONE)
		json_write_number(&c->jw, "code", child->code);
	chrome_args_end(c);
	chrome_event_end(c);
	if (end == NS_NONE && child->elapsed != NS_NONE)
		end = ns_add(child->start, child->elapsed > 0 ? child->elapsed : 0);
	if (end == NS_NONE)
		return;
	chrome_event_begin(c, "e");
	child_keys(c, row, child, index, end > child->start ? end : child->start);
	chrome_event_end(c);
}

static void flow(struct chrome *c, const char *phase, int64_t pid, ns_t time)
{
	chrome_event_begin(c, phase);
	json_write_cstring(&c->jw, "name", "child");
	json_write_cstring(&c->jw, "cat", "child");
	json_write_number(&c->jw, "id", (int64_t)c->nr_flows);
	chrome_key_place(c, pid, pid, time);
	if (*phase == 'f')
		json_write_cstring(&c->jw, "bp", "e");
	chrome_event_end(c);
}

static bool chrome_tree_is_within(const struct chrome_tree_row *row, ns_t time)
{
	return row->first != NS_NONE && row->first <= time && time <= row->last;
}

/* Write a flow (arrow) from the parent's slice, at the start of the child, to the start of the
 * child's process. */
static void link(struct chrome *c, const struct model *m, const struct chrome_tree_row *parent,
		 const struct chrome_tree_row *row)
{
	const struct process *p = model_slot(m, row->slot);
	ns_t start;

	if (p->link == SLOT_NONE)
		return;
	start = process_child(m, model_slot(m, p->parent), p->link)->start;
	if (start == NS_NONE || row->first == NS_NONE || start > row->first ||
	    !chrome_tree_is_within(parent, start))
		return;
	c->nr_flows++;
	flow(c, "s", parent->pid, start);
	flow(c, "f", row->pid, row->first);
}

struct rows {
	struct chrome_tree_row *items;
	uint32_t nr;
	uint32_t *by_slot; /* index + 1 of the row of each process, by its slot; 0: none */
	uint32_t nr_slots;
};

static uint32_t chrome_tree_row_of(const struct rows *rows, uint32_t slot)
{
	return slot < rows->nr_slots && rows->by_slot[slot] ? rows->by_slot[slot] - 1 : UINT32_MAX;
}

static struct chrome_tree_row row_make(struct chrome *c, const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot);
	struct chrome_tree_row row = { .slot = slot, .first = p->start, .last = p->end };

	row.nr = span_stream_find(&c->spans, model_text(m, p->sid), p->sid.len);
	if (row.nr == UINT32_MAX) {
		row.pid = chrome_number_for(c, p->pid);
	} else {
		const struct span_process *chrome_tree_process =
			span_stream_process(&c->spans, row.nr);

		chrome_shown(c, row.nr)->is_told = true;
		row.pid = chrome_pid_of(c, row.nr);
		row.first = chrome_tree_process->first;
		row.last = chrome_tree_process->reach > chrome_tree_process->last
				   ? chrome_tree_process->reach
				   : chrome_tree_process->last;
	}
	if (row.last < row.first)
		row.last = row.first;
	return row;
}

static void rows_make(struct chrome *c, const struct report_input *input, struct rows *rows)
{
	uint32_t *slots = report_processes(input, &rows->nr);

	rows->items = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*rows->items));
	for (uint32_t i = 0; i < rows->nr; i++)
		if (slots[i] >= rows->nr_slots)
			rows->nr_slots = slots[i] + 1;
	rows->by_slot = xcalloc((size_t)rows->nr_slots + 1, sizeof(*rows->by_slot));
	for (uint32_t i = 0; i < rows->nr; i++) {
		rows->items[i] = row_make(c, input->model, slots[i]);
		rows->by_slot[slots[i]] = i + 1;
	}
	free(slots);
}

/* Return the position, from 1, of each row in pre-order. The rows are sorted by start. Not
 * recursive, because trees may be deep. */
static uint32_t *pre_order(const struct model *m, const struct rows *rows)
{
	uint32_t *order = xcalloc((size_t)rows->nr + 1, sizeof(*order));
	uint32_t *first = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*first));
	uint32_t *next = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*next));
	uint32_t *stack = xreallocarray(NULL, (size_t)rows->nr + 1, sizeof(*stack));
	uint32_t nr = 0, number = 0;

	memset(first, 0xff, ((size_t)rows->nr + 1) * sizeof(*first));
	/* Going backwards, each list starts with its earliest row. List [nr] has the roots. */
	for (uint32_t i = rows->nr; i-- > 0;) {
		uint32_t parent =
			chrome_tree_row_of(rows, model_slot(m, rows->items[i].slot)->parent);

		if (parent == UINT32_MAX)
			parent = rows->nr;
		next[i] = first[parent];
		first[parent] = i;
	}
	for (uint32_t at = first[rows->nr]; at != UINT32_MAX || nr;) {
		if (at == UINT32_MAX) {
			at = next[stack[--nr]];
			continue;
		}
		order[at] = ++number;
		stack[nr++] = at;
		at = first[at];
	}
	free(first);
	free(next);
	free(stack);
	return order;
}

static void given_up(struct chrome *c)
{
	for (uint32_t nr = 0; nr < c->spans.nr_processes; nr++) {
		const struct span_process *p = span_stream_process(&c->spans, nr);
		const struct chrome_process *shown = chrome_shown(c, nr);
		int64_t pid = chrome_pid_of(c, nr);

		if (shown->is_told)
			continue;
		meta_begin(c, "process_name", pid, pid);
		chrome_key_sym(c, "name", shown->name);
		meta_end(c);
		if (p->first == NS_NONE)
			continue;
		chrome_event_begin(c, "X");
		chrome_key_sym(c, "name", shown->name);
		json_write_cstring(&c->jw, "cat", "process");
		chrome_key_span(c, pid, pid, p->first, p->reach > p->last ? p->reach : p->last);
		chrome_args_begin(c);
		json_write_text(&c->jw, "sid", p->sid, p->sid_len);
		chrome_args_end(c);
		chrome_event_end(c);
	}
}

void chrome_tree(struct chrome *c, const struct report_input *input)
{
	const struct model *m = input->model;
	struct rows rows = { 0 };
	uint32_t *order;

	rows_make(c, input, &rows);
	order = pre_order(m, &rows);
	for (uint32_t i = 0; i < rows.nr && work_goes_on(input->work, i, rows.nr); i++) {
		const struct process *p = model_slot(m, rows.items[i].slot);
		uint32_t parent = chrome_tree_row_of(&rows, p->parent);

		chrome_tree_process(c, m, &rows.items[i], order[i]);
		for (uint32_t n = 0; n < p->children.nr; n++)
			child(c, m, &rows.items[i], n);
		if (parent != UINT32_MAX)
			link(c, m, &rows.items[parent], &rows.items[i]);
	}
	free(order);
	free(rows.items);
	free(rows.by_slot);
	given_up(c);
}
