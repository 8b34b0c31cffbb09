/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define SEARCHED_NODES 16u /* maximum length of a list of nodes without an index */

static uint64_t cell_hash(sym_t category, sym_t label, uint16_t nesting, uint16_t depth)
{
	return tr2_hash_pair((uint64_t)category << 32 | label, (uint64_t)nesting << 16 | depth);
}

static uint32_t cell_hash_of(const void *model, uint32_t cell)
{
	const struct timing_cell *c = &((const struct model *)model)->cells[cell];

	return (uint32_t)cell_hash(c->category, c->label, c->nesting, c->depth);
}

static uint64_t row_hash(sym_t category, sym_t label)
{
	return tr2_hash_pair((uint64_t)category << 32 | label, UINT64_MAX);
}

static uint32_t row_hash_of(const void *model, uint32_t number)
{
	const struct timing_row *row = &((const struct model *)model)->rows[number];

	return (uint32_t)row_hash(row->category, row->label);
}

static uint32_t row_find(const struct model *m, sym_t category, sym_t label)
{
	TR2_HASH_INDEX_EACH(&m->by_row, row_hash(category, label), at)
	{
		const struct timing_row *row = &m->rows[m->by_row.at[at] - 1];

		if (row->category == category && row->label == label)
			return m->by_row.at[at] - 1;
	}
	return SLOT_NONE;
}

static uint32_t row_get(struct model *m, sym_t category, sym_t label)
{
	uint32_t row = row_find(m, category, label);

	if (row != SLOT_NONE)
		return row;
	GROW(m->rows, m->nr_rows, m->cap_rows, 64);
	m->rows[m->nr_rows] = (struct timing_row){ category, label, SLOT_NONE };
	hash_index_put(&m->by_row, (uint32_t)row_hash(category, label), m->nr_rows, row_hash_of, m);
	return m->nr_rows++;
}

static uint32_t cell_find(const struct model *m, sym_t category, sym_t label, uint16_t nesting,
			  uint16_t depth)
{
	TR2_HASH_INDEX_EACH(&m->by_cell, cell_hash(category, label, nesting, depth), at)
	{
		const struct timing_cell *c = &m->cells[m->by_cell.at[at] - 1];

		if (c->category == category && c->label == label && c->nesting == nesting &&
		    c->depth == depth)
			return m->by_cell.at[at] - 1;
	}
	return SLOT_NONE;
}

static uint32_t cell_new(struct model *m, sym_t category, sym_t label, int64_t nesting,
			 uint32_t depth);

static inline uint16_t cell_nesting(int64_t nesting)
{
	return (uint16_t)(nesting < 0                  ? 0
			  : nesting > MAX_CELL_NESTING ? MAX_CELL_NESTING
						       : nesting);
}

static inline uint16_t cell_depth(uint32_t depth)
{
	return (uint16_t)(depth > MAX_CELL_DEPTH ? MAX_CELL_DEPTH : depth);
}

static uint32_t cell_get(struct model *m, sym_t category, sym_t label, int64_t nesting,
			 uint32_t depth)
{
	uint32_t cell = cell_find(m, category, label, cell_nesting(nesting), cell_depth(depth));

	return cell != SLOT_NONE ? cell : cell_new(m, category, label, nesting, depth);
}

static uint32_t cell_new(struct model *m, sym_t category, sym_t label, int64_t nesting,
			 uint32_t depth)
{
	struct timing_cell key = { .category = category,
				   .label = label,
				   .nesting = cell_nesting(nesting),
				   .depth = cell_depth(depth) };
	uint32_t row;

	if (m->config.max_processes &&
	    (m->nr_rows >= MAX_TIMING_ROWS || m->nr_cells >= MAX_TIMING_CELLS) &&
	    (category != m->syms->sym_other || label != m->syms->sym_other)) {
		row = row_find(m, category, label);
		if (row == SLOT_NONE || m->nr_cells >= MAX_TIMING_CELLS)
			return cell_get(m, m->syms->sym_other, m->syms->sym_other,
					m->nr_cells >= MAX_TIMING_CELLS ? 0 : nesting,
					m->nr_cells >= MAX_TIMING_CELLS ? 0 : depth);
	}
	row = row_get(m, category, label);
	GROW(m->cells, m->nr_cells, m->cap_cells, 64);
	key.row = row;
	key.next = m->rows[row].first_cell;
	key.min = INT64_MAX;
	key.max = INT64_MIN;
	m->rows[row].first_cell = m->nr_cells;
	m->cells[m->nr_cells] = key;
	hash_index_put(&m->by_cell, (uint32_t)cell_hash(category, label, key.nesting, key.depth),
		       m->nr_cells, cell_hash_of, m);
	return m->nr_cells++;
}

static uint64_t node_key(uint32_t parent, uint32_t cell)
{
	return (uint64_t)parent << 32 | cell;
}

static struct region_node *node_at(const struct model *m, uint32_t ref)
{
	return heap_get(&m->heap, ref);
}

static uint32_t nodes_first(const struct model *m, const struct thread *t, uint32_t parent)
{
	return parent ? node_at(m, parent)->child : t->nodes;
}

static void nodes_set_first(struct model *m, struct thread *t, uint32_t parent, uint32_t ref)
{
	if (parent)
		node_at(m, parent)->child = ref;
	else
		t->nodes = ref;
}

/*
 * Return the reference of the node for timing cell `cell` directly inside node `parent`; 0: none.
 * Searches the first SEARCHED_NODES nodes of the list, and moves the one found to the front; then
 * the index, which has the nodes of longer lists.
 */
static uint32_t node_find(struct model *m, struct thread *t, uint32_t parent, uint32_t cell)
{
	uint32_t first = nodes_first(m, t, parent), before = 0, ref = first, steps = 0;

	for (; ref && steps < SEARCHED_NODES;
	     before = ref, ref = node_at(m, ref)->sibling, steps++) {
		if (node_at(m, ref)->cell != cell)
			continue;
		if (before) {
			node_at(m, before)->sibling = node_at(m, ref)->sibling;
			node_at(m, ref)->sibling = first;
			nodes_set_first(m, t, parent, ref);
		}
		return ref;
	}
	if (steps < SEARCHED_NODES || !t->node_index)
		return 0;
	ref = index_get(&m->heap, heap_get(&m->heap, t->node_index), node_key(parent, cell));
	return ref == INDEX_NONE ? 0 : ref;
}

/* Call after a node was added at the front of a list: if the list is long, its nodes are in the
 * index afterwards. */
static void node_index(struct model *m, struct applying *a, uint32_t parent, uint32_t new_ref)
{
	struct thread *t = thread_at(m, &m->processes[a->slot], a->thread);
	struct index index = { 0 };
	uint32_t refs[SEARCHED_NODES + 1], nr = 0, ref = new_ref;

	for (; ref && nr <= SEARCHED_NODES; ref = node_at(m, ref)->sibling)
		refs[nr++] = ref;
	if (nr <= SEARCHED_NODES)
		return;
	if (!t->node_index) {
		uint32_t made = heap_allocate(&m->heap, sizeof(index));

		thread_at(m, &m->processes[a->slot], a->thread)->node_index = made;
	} else {
		index = *(struct index *)heap_get(&m->heap, t->node_index);
	}
	/* If the list has just become long, add all its nodes; else only the new one. */
	for (uint32_t i = 0; i < (ref ? 1 : nr); i++)
		index_put(&m->heap, &index, node_key(parent, node_at(m, refs[i])->cell), refs[i]);
	t = thread_at(m, &m->processes[a->slot], a->thread);
	*(struct index *)heap_get(&m->heap, t->node_index) = index;
}

static uint32_t node_get(struct model *m, struct applying *a, uint32_t parent, uint32_t cell)
{
	struct process *p = &m->processes[a->slot];
	struct thread *t = thread_at(m, p, a->thread);
	uint32_t max = bounded(m, MAX_THREAD_NODES), ref = node_find(m, t, parent, cell);

	if (ref)
		return ref;
	if (max && t->nr_nodes >= max) {
		/* The tree is full: the region gets no node. */
		m->dropped.list_items++;
		return 0;
	}
	ref = heap_allocate(&m->heap, sizeof(struct region_node));
	t = thread_at(m, p, a->thread);
	*node_at(m, ref) = (struct region_node){ .cell = cell,
						 .parent = parent,
						 .sibling = nodes_first(m, t, parent),
						 .min = INT64_MAX,
						 .max = INT64_MIN };
	nodes_set_first(m, t, parent, ref);
	t->nr_nodes++;
	node_index(m, a, parent, ref);
	return ref;
}

static void node_add(struct region_node *node, ns_t duration, ns_t self)
{
	node->count++;
	node->total = ns_add(node->total, duration);
	node->self = ns_add(node->self, self);
	if (duration < node->min)
		node->min = duration;
	if (duration > node->max)
		node->max = duration;
}

static void cell_add(struct model *m, uint32_t index, ns_t duration, ns_t self, bool failed)
{
	struct timing_cell *c = &m->cells[index];

	c->count++;
	c->failed += failed;
	c->total = ns_add(c->total, duration);
	c->self = ns_add(c->self, self);
	if (duration < c->min)
		c->min = duration;
	if (duration > c->max)
		c->max = duration;
	hist_add(&m->heap, &c->hist, duration);
}

uint32_t model_node_after(const struct model *m, uint32_t ref, uint32_t *level)
{
	const struct region_node *node = heap_get(&m->heap, ref);

	for (; !node->sibling && node->parent; --*level)
		node = heap_get(&m->heap, node->parent);
	return node->sibling;
}

uint32_t model_node_next(const struct model *m, uint32_t ref, uint32_t *level)
{
	const struct region_node *node = heap_get(&m->heap, ref);

	if (!node->child)
		return model_node_after(m, ref, level);
	++*level;
	return node->child;
}

static void nodes_failed_shift(struct model *m, uint32_t ref, int sign)
{
	for (uint32_t level = 0; ref; ref = model_node_next(m, ref, &level)) {
		const struct region_node *node = model_node(m, ref);

		m->cells[node->cell].failed += sign > 0 ? node->count : -node->count;
	}
}

static bool is_process_admitted(const struct model *m, const struct process *p)
{
	return !m->config.admit ||
	       m->config.admit(m->config.admit_data, text_bytes(&m->heap, p->sid), p->sid.len);
}

void regions_failed_shift(struct model *m, const struct process *p, int sign)
{
	if (!is_process_admitted(m, p))
		return;
	for (uint32_t i = 0; i < p->threads.nr; i++)
		nodes_failed_shift(m, thread_at(m, p, i)->nodes, sign);
}

static void update_nesting(struct model *m, struct thread *t, int64_t nesting)
{
	if (nesting > m->deepest)
		m->deepest = nesting;
	if (nesting > t->max_nesting)
		t->max_nesting = nesting;
}

static uint32_t innermost_node(const struct model *m, const struct thread *t)
{
	return t->open.nr ? ((struct open_region *)vec_at(&m->heap, &t->open, t->open.nr - 1,
							  sizeof(struct open_region)))
				    ->node
			  : 0;
}

void region_enter(struct applying *a)
{
	struct model *m = a->model;
	const struct event *ev = a->ev;
	struct process *p = &m->processes[a->slot];
	struct open_region open = {
		.category = event_sym(ev, TR2_F_CATEGORY),
		.label = event_sym(ev, TR2_F_LABEL),
		.nesting = event_get(ev, TR2_F_NESTING, 0),
		.time = event_get(ev, TR2_F_TIME, NS_NONE),
		.arrival = m->last_arrival,
	};
	uint32_t cell = cell_get(m, open.category, open.label, open.nesting, p->depth);
	uint32_t max = bounded(m, MAX_LIST_ITEMS);
	struct open_region *to;
	struct thread *t;
	struct vec vec;

	if (a->on_axis)
		ledger_enter(a, &p->axis, cell);
	t = thread_at(m, p, a->thread);
	update_nesting(m, t, open.nesting);
	if (t->is_crowd)
		return;
	if (max && t->open.nr >= max) {
		/* Too many regions are open: only count this region. */
		t->nr_beyond += t->nr_beyond < (1u << 29) - 1;
		m->dropped.list_items++;
		return;
	}
	open.node = node_get(m, a, innermost_node(m, t), cell);
	open.msg = text_of_event(a, TR2_F_MSG, &open.has_msg);
	/* Get the list again, because node_get() may have moved the thread. */
	vec = thread_at(m, p, a->thread)->open;
	to = vec_push(&m->heap, &vec, sizeof(open), 0, NULL);
	*to = open;
	thread_at(m, p, a->thread)->open = vec;
	p->nr_open++;
}

/* Remove the innermost open region of a thread and copy it to `out`. Returns false if there is
 * none, or if it was only counted. */
static bool open_take(struct model *m, uint32_t slot, struct thread *t, struct open_region *out)
{
	if (t->nr_beyond) {
		t->nr_beyond--;
		return false;
	}
	if (!t->open.nr)
		return false;
	*out = *(struct open_region *)vec_at(&m->heap, &t->open, t->open.nr - 1, sizeof(*out));
	text_release(&m->heap, &out->msg);
	vec_pop(&t->open);
	m->processes[slot].nr_open--;
	return true;
}

/* Return the timing cell of the region that a region_leave event ends, mostly that of the innermost
 * open region. If the cell is "(other)", counts the region in `dropped`. */
static uint32_t cell_of_leave(const struct applying *a, int64_t nesting)
{
	struct model *m = a->model;
	const struct process *p = &m->processes[a->slot];
	const struct thread *t = thread_at(m, p, a->thread);
	sym_t category = event_sym(a->ev, TR2_F_CATEGORY);
	sym_t label = event_sym(a->ev, TR2_F_LABEL);
	uint32_t found;

	if (t->open.nr && !t->nr_beyond) {
		const struct open_region *open =
			vec_at(&m->heap, &t->open, t->open.nr - 1, sizeof(*open));

		if (open->node && open->nesting == nesting) {
			uint32_t index = node_at(m, open->node)->cell;
			const struct timing_cell *cell = &m->cells[index];

			if (cell->category == category && cell->label == label &&
			    cell->nesting == nesting && cell->depth == p->depth)
				return index;
		}
	}
	found = cell_get(m, category, label, nesting, p->depth);
	m->dropped.timing_other +=
		m->cells[found].category != category || m->cells[found].label != label;
	return found;
}

static bool region_is_left(const struct open_region *open, const struct event *leave,
			   int64_t nesting)
{
	return open->category == event_sym(leave, TR2_F_CATEGORY) &&
	       open->label == event_sym(leave, TR2_F_LABEL) && open->nesting == nesting;
}

void region_leave(struct applying *a)
{
	struct model *m = a->model;
	const struct event *ev = a->ev;
	struct process *p = &m->processes[a->slot];
	int64_t nesting = event_get(ev, TR2_F_NESTING, 0);
	uint32_t cell = cell_of_leave(a, nesting);
	struct open_region open = { 0 };
	struct thread *t;
	bool was_open, beyond;
	ns_t duration, self;

	if (a->on_axis)
		ledger_leave(a, &p->axis, cell);
	t = thread_at(m, p, a->thread);
	update_nesting(m, t, nesting);
	beyond = t->nr_beyond > 0;
	was_open = open_take(m, a->slot, t, &open);
	p->nr_unbalanced +=
		!t->is_crowd && !beyond && !(was_open && region_is_left(&open, ev, nesting));
	if (!open.node || node_at(m, open.node)->cell != cell)
		open.node = node_get(m, a, innermost_node(m, t), cell);
	t = thread_at(m, p, a->thread);
	duration = event_region_time(ev, was_open ? open.time : NS_NONE);
	duration = duration == NS_NONE ? 0 : duration;
	self = open.inner_ns < duration ? duration - open.inner_ns : 0;
	if (t->open.nr && !t->nr_beyond) {
		struct open_region *outer =
			vec_at(&m->heap, &t->open, t->open.nr - 1, sizeof(open));

		outer->inner_ns = ns_add(outer->inner_ns, duration);
	}
	if (!m->config.no_why)
		usual_region(a, p, &m->cells[cell], duration);
	t->nr_regions++;
	p->nr_regions++;
	m->totals.regions++;
	if (open.node)
		node_add(node_at(m, open.node), duration, self);
	if (m->config.samples)
		sample_add(a, duration, self);
	if (is_process_admitted(m, p))
		cell_add(m, cell, duration, self, p->counted_failed);
}

bool process_threads_gone(const struct model *m, const struct process *p)
{
	const struct long_lists *lists = p->long_lists ? long_lists_of(m, p) : NULL;

	return lists && (lists->has_replaced || lists->crowd != INDEX_NONE);
}

bool process_first_thread_gone(const struct model *m, const struct process *p)
{
	const struct long_lists *lists = p->long_lists ? long_lists_of(m, p) : NULL;

	return lists && lists->first_replaced;
}

uint32_t model_nr_timing_rows(const struct model *m)
{
	return m->nr_rows;
}

const struct timing_cell *model_cell(const struct model *m, uint32_t cell)
{
	return &m->cells[cell];
}

unsigned model_max_nesting(const struct model *m)
{
	unsigned deepest = 0;

	for (uint32_t i = 0; i < m->nr_cells; i++)
		if (m->cells[i].nesting > deepest)
			deepest = m->cells[i].nesting;
	return deepest;
}

uint32_t model_timing_row(const struct model *m, sym_t category, sym_t label)
{
	return row_find(m, category, label);
}

/* Drop the limit on nesting if the model ignores deeper regions anyway. */
static struct timing_limits limits_left(const struct model *m, const struct timing_limits *limits)
{
	struct timing_limits left = *limits;

	if (m->config.nesting >= 0 && m->config.nesting <= left.nesting)
		left.nesting = -1;
	return left;
}

static bool cell_within(const struct timing_cell *c, const struct timing_limits *limits)
{
	return c->count && (limits->nesting < 0 || c->nesting <= limits->nesting) &&
	       (limits->depth < 0 || c->depth <= limits->depth);
}

bool model_timing(const struct model *m, uint32_t row, const struct timing_limits *asked,
		  struct timing *out)
{
	struct timing_limits left = limits_left(m, asked), *limits = &left;

	*out = (struct timing){ .category = m->rows[row].category,
				.label = m->rows[row].label,
				.min = INT64_MAX,
				.max = INT64_MIN };
	for (uint32_t i = m->rows[row].first_cell; i != SLOT_NONE; i = m->cells[i].next) {
		const struct timing_cell *c = &m->cells[i];

		if (!cell_within(c, limits))
			continue;
		out->count += c->count;
		out->failed += c->failed;
		out->total = ns_add(out->total, c->total);
		/* Deeper regions are left out, so all time of regions at the limit is self time. */
		out->self = ns_add(out->self, c->nesting == limits->nesting ? c->total : c->self);
		out->min = c->min < out->min ? c->min : out->min;
		out->max = c->max > out->max ? c->max : out->max;
	}
	return out->count > 0;
}

void model_timing_hist(const struct model *m, uint32_t row, const struct timing_limits *limits,
		       uint64_t *sums)
{
	for (uint32_t i = m->rows[row].first_cell; i != SLOT_NONE; i = m->cells[i].next)
		if (cell_within(&m->cells[i], limits))
			hist_sum(&m->heap, &m->cells[i].hist, sums);
}
