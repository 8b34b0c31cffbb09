/* SPDX-License-Identifier: MIT */
/* Threads, their open regions and trees of completed ones, and the timings. */
#include "config.h"
#include "monitor/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/die.h"

/* A list shorter than this is searched; a longer one gets an index. */
#define SEARCHED_THREADS 16u

/* ---- threads ---- */

static struct thread *thread_at(const struct model *m, const struct process *p, uint32_t index)
{
	return vec_at(&m->slab, &p->threads, index, sizeof(struct thread));
}

static uint32_t thread_find(const struct model *m, const struct process *p, sym_t name)
{
	if (p->threads.nr > SEARCHED_THREADS)
		return index_get(&m->slab, &p->thread_index, name);
	for (uint32_t i = 0; i < p->threads.nr; i++)
		if (thread_at(m, p, i)->name == name)
			return i;
	return INDEX_NONE;
}

static uint32_t thread_new(struct model *m, struct process *p, sym_t name)
{
	uint32_t index = p->threads.nr, max = bounded(m, MAX_LIST_ITEMS);
	struct thread *t;

	if (max && index >= max) {
		/* What further threads do is still counted, with the last one that was kept. */
		m->dropped.list_items++;
		return index - 1;
	}
	t = vec_push(&m->slab, &p->threads, sizeof(*t), 0, NULL);
	*t = (struct thread){ .name = name,
			      .elapsed = NS_NONE,
			      .first_time = NS_NONE,
			      .last_time = NS_NONE,
			      .first_arrival = m->last_arrival };
	m->totals.threads++;
	if (p->threads.nr == SEARCHED_THREADS + 1)
		for (uint32_t i = 0; i < index; i++)
			index_put(&m->slab, &p->thread_index, thread_at(m, p, i)->name, i);
	if (p->threads.nr > SEARCHED_THREADS)
		index_put(&m->slab, &p->thread_index, name, index);
	return index;
}

uint32_t thread_of_event(struct model *m, uint32_t slot, sym_t name)
{
	struct process *p = &m->processes[slot];
	uint32_t index = p->last_thread;

	if (index < p->threads.nr && thread_at(m, p, index)->name == name)
		return index;
	index = thread_find(m, p, name);
	if (index == INDEX_NONE)
		index = thread_new(m, p, name);
	p->last_thread = index;
	return index;
}

static void nodes_release(struct model *m, uint32_t ref)
{
	/* Without recursion, since a hostile tree is deep: children are put before siblings. */
	while (ref) {
		struct region_node *node = slab_at(&m->slab, ref);
		uint32_t next = node->sibling;

		if (node->child) {
			uint32_t last = node->child;

			for (;;) {
				struct region_node *end = slab_at(&m->slab, last);

				if (!end->sibling) {
					end->sibling = next;
					break;
				}
				last = end->sibling;
			}
			next = node->child;
		}
		slab_free(&m->slab, ref, sizeof(*node));
		ref = next;
	}
}

void threads_release(struct model *m, struct process *p)
{
	for (uint32_t i = 0; i < p->threads.nr; i++) {
		struct thread *t = thread_at(m, p, i);

		for (uint32_t r = 0; r < t->open.nr; r++) {
			struct open_region *open =
				vec_at(&m->slab, &t->open, r, sizeof(struct open_region));
			text_release(&m->slab, &open->msg);
		}
		vec_release(&m->slab, &t->open, sizeof(struct open_region));
		nodes_release(m, t->nodes);
	}
	vec_release(&m->slab, &p->threads, sizeof(struct thread));
	index_release(&m->slab, &p->thread_index);
}

/* ---- timings ---- */

static uint64_t cell_hash(const struct timing_cell *c)
{
	return tr2_hash_pair((uint64_t)c->category << 32 | c->label,
			     (uint64_t)c->nesting << 16 | c->depth);
}

static uint64_t row_hash(sym_t category, sym_t label)
{
	return tr2_hash_pair((uint64_t)category << 32 | label, UINT64_MAX);
}

/* Twice as many slots, filled anew from the hashes of the values 0 .. nr - 1. */
static void table_grow(struct model *m, struct slots *slots, uint32_t nr, bool is_cells)
{
	free(slots->at);
	slots->mask = slots->mask * 2 + 1;
	slots->at = xcalloc((size_t)slots->mask + 1, sizeof(*slots->at));
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t hash = is_cells ? cell_hash(&m->cells[i]) :
					   row_hash(m->rows[i].category, m->rows[i].label);
		uint32_t at = (uint32_t)hash & slots->mask;

		while (slots->at[at])
			at = (at + 1) & slots->mask;
		slots->at[at] = i + 1;
	}
}

static uint32_t row_slot(const struct model *m, sym_t category, sym_t label)
{
	uint32_t at = (uint32_t)row_hash(category, label) & m->by_row.mask;

	for (; m->by_row.at[at]; at = (at + 1) & m->by_row.mask) {
		const struct timing_row *row = &m->rows[m->by_row.at[at] - 1];

		if (row->category == category && row->label == label)
			break;
	}
	return at;
}

static uint32_t row_get(struct model *m, sym_t category, sym_t label)
{
	uint32_t at = row_slot(m, category, label);

	if (m->by_row.at[at])
		return m->by_row.at[at] - 1;
	if ((m->nr_rows + 1) * 2 > m->by_row.mask) {
		table_grow(m, &m->by_row, m->nr_rows, false);
		at = row_slot(m, category, label);
	}
	if (m->nr_rows == m->cap_rows) {
		m->cap_rows = m->cap_rows ? m->cap_rows * 2 : 64;
		m->rows = xreallocarray(m->rows, m->cap_rows, sizeof(*m->rows));
	}
	m->rows[m->nr_rows] = (struct timing_row){ category, label, SLOT_NONE };
	m->by_row.at[at] = ++m->nr_rows;
	return m->nr_rows - 1;
}

static uint32_t cell_slot(const struct model *m, const struct timing_cell *key)
{
	uint32_t at = (uint32_t)cell_hash(key) & m->by_cell.mask;

	for (; m->by_cell.at[at]; at = (at + 1) & m->by_cell.mask) {
		const struct timing_cell *c = &m->cells[m->by_cell.at[at] - 1];

		if (c->category == key->category && c->label == key->label &&
		    c->nesting == key->nesting && c->depth == key->depth)
			break;
	}
	return at;
}

static uint32_t cell_get(struct model *m, sym_t category, sym_t label, int64_t nesting,
			 uint32_t depth)
{
	struct timing_cell key = { .category = category, .label = label };
	uint32_t at, row;

	key.nesting = (uint16_t)(nesting < 0		       ? 0 :
				 nesting > MAX_CELL_NESTING ? MAX_CELL_NESTING :
							      nesting);
	key.depth = (uint16_t)(depth > MAX_CELL_DEPTH ? MAX_CELL_DEPTH : depth);
	at = cell_slot(m, &key);
	if (m->by_cell.at[at])
		return m->by_cell.at[at] - 1;
	if (m->config.max_processes &&
	    (m->nr_rows >= MAX_TIMING_ROWS || m->nr_cells >= MAX_TIMING_CELLS) &&
	    (category != m->syms->sym_other || label != m->syms->sym_other)) {
		uint32_t row_at = row_slot(m, category, label);

		if (!m->by_row.at[row_at] || m->nr_cells >= MAX_TIMING_CELLS) {
			m->dropped.timing_other++;
			return cell_get(m, m->syms->sym_other, m->syms->sym_other,
					m->nr_cells >= MAX_TIMING_CELLS ? 0 : nesting,
					m->nr_cells >= MAX_TIMING_CELLS ? 0 : depth);
		}
	}
	row = row_get(m, category, label);
	if ((m->nr_cells + 1) * 2 > m->by_cell.mask) {
		table_grow(m, &m->by_cell, m->nr_cells, true);
		at = cell_slot(m, &key);
	}
	if (m->nr_cells == m->cap_cells) {
		m->cap_cells = m->cap_cells ? m->cap_cells * 2 : 64;
		m->cells = xreallocarray(m->cells, m->cap_cells, sizeof(*m->cells));
	}
	key.row = row;
	key.next = m->rows[row].first_cell;
	key.min = INT64_MAX;
	key.max = INT64_MIN;
	m->rows[row].first_cell = m->nr_cells;
	m->cells[m->nr_cells] = key;
	m->by_cell.at[at] = ++m->nr_cells;
	return m->nr_cells - 1;
}

/* ---- a thread's tree ---- */

static uint32_t node_get(struct model *m, struct applying *a, uint32_t parent, uint32_t cell)
{
	struct process *p = &m->processes[a->slot];
	struct thread *t = thread_at(m, p, a->thread);
	uint32_t first = parent ? ((struct region_node *)slab_at(&m->slab, parent))->child : t->nodes;
	struct region_node *node;
	uint32_t max = bounded(m, MAX_THREAD_NODES), ref, before = 0;

	for (ref = first; ref; before = ref, ref = node->sibling) {
		node = slab_at(&m->slab, ref);
		if (node->cell == cell || (max && t->nr_nodes >= max && !node->sibling))
			break;
	}
	if (!ref && max && t->nr_nodes >= max)
		return 0; /* no node here: its regions are in the timings all the same */
	if (ref && before) {
		/* To the front: what is entered often is found at once. */
		((struct region_node *)slab_at(&m->slab, before))->sibling = node->sibling;
		node->sibling = first;
	} else if (!ref) {
		ref = slab_alloc(&m->slab, sizeof(*node));
		node = slab_at(&m->slab, ref);
		*node = (struct region_node){ .cell = cell,
					      .parent = parent,
					      .sibling = first,
					      .min = INT64_MAX,
					      .max = INT64_MIN };
		t = thread_at(m, &m->processes[a->slot], a->thread);
		t->nr_nodes++;
	} else {
		return ref;
	}
	if (parent)
		((struct region_node *)slab_at(&m->slab, parent))->child = ref;
	else
		t->nodes = ref;
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
	hist_add(&m->slab, &c->hist, duration);
}

static void nodes_failed_shift(struct model *m, uint32_t ref, int sign)
{
	uint32_t up = 0;

	/* Depth first, by the parents' references: no recursion on a hostile depth. */
	while (ref) {
		const struct region_node *node = slab_at(&m->slab, ref);

		m->cells[node->cell].failed += sign > 0 ? node->count : -node->count;
		if (node->child) {
			ref = node->child;
			continue;
		}
		while (ref && !((const struct region_node *)slab_at(&m->slab, ref))->sibling) {
			up = ((const struct region_node *)slab_at(&m->slab, ref))->parent;
			ref = up;
		}
		if (ref)
			ref = ((const struct region_node *)slab_at(&m->slab, ref))->sibling;
	}
}

static bool is_admitted(const struct model *m, const struct process *p)
{
	return !m->config.admit ||
	       m->config.admit(m->config.admit_data, text_bytes(&m->slab, p->sid), p->sid.len);
}

void regions_failed_shift(struct model *m, const struct process *p, int sign)
{
	if (!is_admitted(m, p))
		return;
	for (uint32_t i = 0; i < p->threads.nr; i++)
		nodes_failed_shift(m, thread_at(m, p, i)->nodes, sign);
}

/* ---- enter and leave ---- */

static void nesting_note(struct thread *t, int64_t nesting)
{
	if (nesting > t->max_nesting)
		t->max_nesting = nesting;
}

static uint32_t innermost_node(const struct model *m, const struct thread *t)
{
	return t->open.nr ? ((struct open_region *)vec_at(&m->slab, &t->open, t->open.nr - 1,
							  sizeof(struct open_region)))
				    ->node :
			    0;
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
	struct open_region *to;
	uint32_t max = bounded(m, MAX_LIST_ITEMS), cell;
	struct thread *t = thread_at(m, p, a->thread);
	uint64_t dropped = 0;

	nesting_note(t, open.nesting);
	cell = cell_get(m, open.category, open.label, open.nesting, p->depth);
	open.node = node_get(m, a, innermost_node(m, t), cell);
	open.msg = text_of_event(a, TR2_F_MSG, &open.has_msg);
	t = thread_at(m, p, a->thread);
	if (max && t->open.nr >= max) {
		/* Deeper than anybody can look: it is counted when it is left, and not kept. */
		text_release(&m->slab, &open.msg);
		m->dropped.list_items++;
		return;
	}
	/* vec_push() may move the thread itself. */
	{
		struct vec vec = t->open;

		to = vec_push(&m->slab, &vec, sizeof(open), 0, &dropped);
		*to = open;
		thread_at(m, p, a->thread)->open = vec;
	}
}

/* The duration of the region that is left: its t_rel, else by the clock, else 0. */
static ns_t leave_duration(const struct event *ev, const struct open_region *open)
{
	ns_t duration = event_get(ev, TR2_F_T_REL, NS_NONE);

	if (duration == NS_NONE && open && open->time != NS_NONE && event_has(ev, TR2_F_TIME))
		duration = ns_sub(ev->v[TR2_F_TIME], open->time);
	return duration < 0 ? 0 : duration; /* NS_NONE is negative, too */
}

void region_leave(struct applying *a)
{
	struct model *m = a->model;
	const struct event *ev = a->ev;
	struct process *p = &m->processes[a->slot];
	struct thread *t = thread_at(m, p, a->thread);
	int64_t nesting = event_get(ev, TR2_F_NESTING, 0);
	uint32_t cell = cell_get(m, event_sym(ev, TR2_F_CATEGORY), event_sym(ev, TR2_F_LABEL),
				 nesting, p->depth);
	struct open_region open, *innermost = NULL;
	uint32_t node = 0, parent = 0;
	ns_t duration, self;

	nesting_note(t, nesting);
	if (t->open.nr) {
		innermost = vec_at(&m->slab, &t->open, t->open.nr - 1, sizeof(open));
		open = *innermost;
		innermost = &open;
		text_release(&m->slab, &open.msg);
		vec_pop(&t->open);
		node = open.node;
	}
	parent = innermost_node(m, t);
	if (!node || model_node(m, node)->cell != cell)
		node = node_get(m, a, parent, cell);
	t = thread_at(m, p, a->thread);
	duration = leave_duration(ev, innermost);
	self = innermost && innermost->inner_ns < duration ? duration - innermost->inner_ns :
	       innermost				    ? 0 :
							      duration;
	if (t->open.nr) {
		struct open_region *outer =
			vec_at(&m->slab, &t->open, t->open.nr - 1, sizeof(open));
		outer->inner_ns = ns_add(outer->inner_ns, duration);
	}
	t->nr_regions++;
	p->nr_regions++;
	m->totals.regions++;
	if (node)
		node_add(slab_at(&m->slab, node), duration, self);
	if (is_admitted(m, p))
		cell_add(m, cell, duration, self, process_failed(p));
}

/* ---- reading ---- */

uint32_t model_nr_timing_rows(const struct model *m)
{
	return m->nr_rows;
}

const struct timing_cell *model_cell(const struct model *m, uint32_t cell)
{
	return &m->cells[cell];
}

const struct timing_row *model_row(const struct model *m, uint32_t row)
{
	return &m->rows[row];
}

uint32_t model_timing_row(const struct model *m, sym_t category, sym_t label)
{
	uint32_t at = row_slot(m, category, label);

	return m->by_row.at[at] ? m->by_row.at[at] - 1 : SLOT_NONE;
}

static bool cell_within(const struct timing_cell *c, const struct timing_limits *limits)
{
	return c->count && (limits->nesting < 0 || c->nesting <= limits->nesting) &&
	       (limits->depth < 0 || c->depth <= limits->depth);
}

bool model_timing(const struct model *m, uint32_t row, const struct timing_limits *limits,
		  struct timing *out)
{
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
		/* Nothing deeper is seen at the limit, so all its time is its own. */
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
			hist_sum(&m->slab, &m->cells[i].hist, sums);
}
