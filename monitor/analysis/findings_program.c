/* SPDX-License-Identifier: MIT */
/* findings for authors of instrumented programs */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"

#define MAX_TEXT 60

static void report_finding_in_process(struct looking *l, uint32_t slot, ns_t held)
{
	struct tr2_buf name;

	tr2_buf_init(&name, 4096);
	format_process_hierarchy(l->m, model_slot(l->m, slot), &name);
	report_finding(l, slot, held, "%.*s", (int)(name.len < 200 ? name.len : 200), name.data);
	tr2_buf_release(&name);
}

void check_unbalanced_region(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (looking_process(l, i)->nr_unbalanced)
			report_finding_in_process(l, l->slots[i], 0);
}

static bool is_detach(const struct model *m, sym_t category, sym_t label)
{
	return symbol_equals(m, category, "maintenance") && symbol_equals(m, label, "detach");
}

/* True if the process detached itself to run maintenance in the background. */
static bool has_detached(const struct model *m, const struct process *p)
{
	for (uint32_t i = 0; i < p->threads.nr; i++) {
		const struct thread *thread = process_thread(m, p, i);
		uint32_t level = 0, ref = thread->nodes;

		for (uint32_t k = 0; k < thread->open.nr; k++) {
			const struct open_region *open = thread_open(m, thread, k);

			if (is_detach(m, open->category, open->label))
				return true;
		}
		for (; ref; ref = model_node_next(m, ref, &level)) {
			const struct timing_cell *cell = model_cell(m, model_node(m, ref)->cell);

			if (is_detach(m, cell->category, cell->label))
				return true;
		}
	}
	return false;
}

void check_region_left_open(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		if (ended_well(p) && p->nr_open && !has_detached(l->m, p))
			report_finding_in_process(l, l->slots[i], 0);
	}
}

void check_no_atexit(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		/* a process that runs, or became another program by exec, has no atexit event,
		 * either */
		if (p->end_by == END_EXIT && !p->axis.nr_atexit && p->state != STATE_RUNNING &&
		    p->format == SYM_NONE)
			report_finding_in_process(l, l->slots[i], 0);
	}
}

void check_ends_without_a_word(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		if (p->lost_by_parent && p->end_by == END_NONE)
			report_finding_in_process(l, l->slots[i], 0);
	}
}

void check_child_without_exit(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		uint32_t nr = 0;

		for (uint32_t k = 0; ended_well(p) && k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			struct tr2_buf name;

			if (child->state != CHILD_RUNNING || child_is_beside(l->m, child))
				continue;
			if (!nr++ && has_detached(l->m, p))
				break;
			tr2_buf_init(&name, 4096);
			format_child_name(l->m, child, &name);
			report_finding(l, l->slots[i], 0, "%.*s", (int)name.len, name.data);
			tr2_buf_release(&name);
		}
	}
}

void check_clock_step(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (looking_process(l, i)->axis.stepped)
			report_finding_in_process(l, l->slots[i], 0);
}

/* True for helpers such as git-remote-https, which mostly wait for the server. */
static bool is_remote_helper(const struct model *m, const struct process *p)
{
	static const char begin[] = "remote-";
	size_t len;
	const char *name = p->name == SYM_NONE ? NULL : model_sym(m, p->name, &len);

	return name && len > strlen(begin) && !memcmp(name, begin, strlen(begin));
}

/* True if the process has a transport: it may wait for that outside any region. */
static bool has_pipe(const struct looking *l, const struct process *p)
{
	for (uint32_t k = 0; k < p->children.nr; k++)
		if (child_is_pipe(l->m, process_child(l->m, p, k)))
			return true;
	return false;
}

static bool is_it_or_below(const struct model *m, uint32_t slot, uint32_t ancestor)
{
	while (slot != SLOT_NONE && slot != ancestor)
		slot = model_slot(m, slot)->parent;
	return slot == ancestor;
}

/*
 * True if a finding of level cost or trouble, about the process or an ancestor, accounts for so
 * much time that `held` and that time together exceed the wall time.
 */
static bool is_explained(const struct looking *l, uint32_t slot, ns_t held)
{
	const struct findings *f = l->out;

	for (uint32_t i = f->nr; i-- && f->items[i].root.slot == l->root;)
		if (finding_rows[f->items[i].id].level < LEVEL_NOTE &&
		    f->items[i].process.slot != SLOT_NONE &&
		    is_it_or_below(l->m, slot, f->items[i].process.slot) &&
		    ns_add(f->items[i].held, held) > l->parts->wall)
			return true;
	return false;
}

void check_uninstrumented(struct looking *l)
{
	ns_t *held = held_by_process(l, part_is_none);
	uint32_t index;

	for (uint32_t i = 0; i < l->nr; i++)
		if (span_index(l, l->slots[i], &index) && can_hold(l, held[index]) &&
		    !is_remote_helper(l->m, looking_process(l, i)) &&
		    !has_pipe(l, looking_process(l, i)) &&
		    !is_explained(l, l->slots[i], held[index]))
			report_finding_in_process(l, l->slots[i], held[index]);
	free(held);
}

static const char *const index_labels[] = { "do_read_index", "refresh", "preload" };
#define NR_INDEX_LABELS (sizeof(index_labels) / sizeof(*index_labels))
#define AGAIN_LEAST     3

static size_t index_label(const struct looking *l, sym_t category, sym_t label)
{
	size_t i = 0;

	while (i < NR_INDEX_LABELS && !symbol_equals(l->m, label, index_labels[i]))
		i++;
	return symbol_equals(l->m, category, "index") ? i : NR_INDEX_LABELS;
}

/* Return how often the process read, refreshed or preloaded the index; the most frequent counts. */
static uint64_t index_times(const struct looking *l, const struct process *p)
{
	uint64_t counts[NR_INDEX_LABELS + 1] = { 0 }, most = 0;

	for (uint32_t i = 0; i < p->threads.nr; i++) {
		uint32_t level = 0, ref = process_thread(l->m, p, i)->nodes;

		for (; ref; ref = model_node_next(l->m, ref, &level)) {
			const struct region_node *node = model_node(l->m, ref);
			const struct timing_cell *cell = model_cell(l->m, node->cell);

			counts[index_label(l, cell->category, cell->label)] += node->count;
		}
	}
	for (size_t i = 0; i < NR_INDEX_LABELS; i++)
		most = counts[i] > most ? counts[i] : most;
	return most;
}

void check_index_read_again(struct looking *l)
{
	ns_t *held = xcalloc(l->span, sizeof(*held)), all = 0;
	uint32_t index;

	for (uint32_t i = 0; i < l->parts->nr_pieces; i++) {
		const struct piece *piece = &l->parts->pieces[i];
		const struct part *part = &l->parts->items[piece->part];

		if (part->kind != PART_REGION || !span_index(l, piece->slot, &index) ||
		    index_label(l, part->category, part->label) == NR_INDEX_LABELS)
			continue;
		held[index] += piece->time;
		all += piece->time;
	}
	for (uint32_t i = 0; all && i < l->nr; i++) {
		uint64_t times;

		if (!span_index(l, l->slots[i], &index) || !can_hold(l, held[index]))
			continue;
		times = index_times(l, looking_process(l, i));
		if (times >= AGAIN_LEAST)
			report_finding(l, l->slots[i], held[index], "%" PRIu64 " times", times);
	}
	free(held);
}

static ns_t shortest_region(const struct looking *l, const struct process *p, ns_t otherwise)
{
	for (uint32_t i = 0; i < p->threads.nr; i++) {
		uint32_t level = 0, ref = process_thread(l->m, p, i)->nodes;

		for (; ref; ref = model_node_next(l->m, ref, &level)) {
			const struct region_node *node = model_node(l->m, ref);

			if (node->count && node->min != NS_NONE && node->min < otherwise)
				otherwise = node->min;
		}
	}
	return otherwise;
}

#define TRACED_LEAST 2000
/* maximum measured time in ns in which Git formats and writes one event */
#define TRACED_NS 7500

/*
 * A region includes the time for writing its region_enter, so the shortest region is an upper bound
 * of the cost of an event.
 */
void check_tracing_costs(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		ns_t elapsed = process_elapsed(p), each;

		if (p->nr_events < TRACED_LEAST || elapsed == NS_NONE)
			continue;
		each = shortest_region(l, p, TRACED_NS);
		if (each > 0)
			report_finding(l, l->slots[i],
				       p->nr_events < (uint64_t)(elapsed / each)
					       ? (ns_t)p->nr_events * each
					       : elapsed,
				       "%" PRIu64 " events", p->nr_events);
	}
}

void check_error_yet_success(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		struct tr2_buf text = { .max = 4 * MAX_TEXT };
		const struct error_item *error;

		if (!ended_well(p) || !p->errors.nr)
			continue;
		error = PROCESS_ITEM(l->m, &p->errors, error_item, 0);
		if (error->has_msg)
			format_cut(model_text(l->m, error->msg), error->msg.len, MAX_TEXT, &text);
		report_finding(l, l->slots[i], 0, "%s", tr2_buf_cstr(&text));
		tr2_buf_release(&text);
	}
}

struct label_row {
	sym_t category;
	uint64_t count;
};

static int by_category(const void *a, const void *b)
{
	const struct label_row *x = a, *y = b;

	return x->category < y->category ? -1 : x->category > y->category;
}

#define LABELS_LEAST 100

void check_label_cardinality(struct looking *l)
{
	static const struct timing_limits none = { -1, -1 };
	uint32_t nr = model_nr_timing_rows(l->m), cap = 0, to = 0, end;
	struct label_row *rows = NULL;

	for (uint32_t i = 0; i < nr; i++) {
		struct timing timing;

		if (!model_timing(l->m, i, &none, &timing) || timing.category == SYM_NONE)
			continue;
		GROW(rows, to, cap, 64);
		rows[to++] = (struct label_row){ timing.category, timing.count };
	}
	if (to)
		qsort(rows, to, sizeof(*rows), by_category);
	for (uint32_t i = 0; i < to; i = end) {
		uint32_t once = 0;

		for (end = i; end < to && rows[end].category == rows[i].category; end++)
			once += rows[end].count == 1;
		if (end - i >= LABELS_LEAST && once * 2 >= end - i) {
			size_t len;
			const char *name = model_sym(l->m, rows[i].category, &len);

			report_finding(l, SLOT_NONE, 0, "%" PRIu32 " labels in %.*s", end - i,
				       (int)(len < 100 ? len : 100), name);
		}
	}
	free(rows);
}
