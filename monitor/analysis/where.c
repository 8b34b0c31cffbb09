/* SPDX-License-Identifier: MIT */
/* The parts of a wall time: no drawing. */
#include "config.h"

#include "monitor/analysis/where.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/live.h"
#include "monitor/base/grow.h"

/* Where something begins or ends; sweeping over them in order measures unions. */
enum edge_kind { EDGE_WHOLE, EDGE_REGION, EDGE_CHILD, NR_EDGE_KINDS };

struct where_edge {
	ns_t at;
	int8_t step; /* 1 begins, -1 ends */
	uint8_t kind;
};

static void edge_add(struct where *w, ns_t at, int step, enum edge_kind kind)
{
	GROW(w->edges, w->nr_edges, w->cap_edges, 64);
	w->edges[w->nr_edges++] = (struct where_edge){ at, (int8_t)step, (uint8_t)kind };
}

static void interval_add(struct where *w, ns_t from, ns_t to, enum edge_kind kind)
{
	if (from == NS_NONE || to == NS_NONE || to <= from)
		return;
	edge_add(w, from, 1, kind);
	edge_add(w, to, -1, kind);
}

static int edge_compare(const void *a, const void *b)
{
	const struct where_edge *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* How long some `has` was there without any `has_not`, while EDGE_WHOLE lasts, if that is asked
 * for; forgets the edges. */
static ns_t edges_measure(struct where *w, enum edge_kind has, enum edge_kind has_not)
{
	uint32_t nr = w->nr_edges - w->first_edge;
	int deep[NR_EDGE_KINDS] = { 0 };
	struct where_edge *edges;
	ns_t sum = 0;

	if (!nr)
		return 0;
	edges = w->edges + w->first_edge;
	qsort(edges, nr, sizeof(*edges), edge_compare);
	for (uint32_t i = 0; i < nr; i++) {
		if (i && deep[EDGE_WHOLE] && deep[has] && !deep[has_not])
			sum = ns_add(sum, ns_sub(edges[i].at, edges[i - 1].at));
		deep[edges[i].kind] += edges[i].step;
	}
	w->nr_edges = w->first_edge;
	return sum;
}

/* ---- parts ---- */

static struct where_part *part_of(struct where *w, enum where_kind kind, sym_t category,
				  sym_t label)
{
	for (uint32_t i = 0; i < w->nr; i++)
		if (w->parts[i].kind == kind && w->parts[i].category == category &&
		    w->parts[i].label == label)
			return &w->parts[i];
	GROW(w->parts, w->nr, w->cap, 32);
	w->parts[w->nr] =
		(struct where_part){ .kind = (uint8_t)kind, .category = category, .label = label };
	return &w->parts[w->nr++];
}

static void part_add(struct where *w, enum where_kind kind, uint64_t count, ns_t time)
{
	struct where_part *part;

	if (!time)
		return;
	part = part_of(w, kind, SYM_NONE, SYM_NONE);
	part->count += count;
	part->time = ns_add(part->time, time);
}

static ns_t region_add(struct where *w, const struct analysis *what, int64_t nesting,
		       sym_t category, sym_t label, uint64_t count, uint32_t nr_open, ns_t self)
{
	bool hidden = what->limits.nesting >= 0 && nesting > what->limits.nesting;
	struct where_part *part = hidden ? part_of(w, WHERE_HIDDEN, SYM_NONE, SYM_NONE)
					 : part_of(w, WHERE_REGION, category, label);

	part->count += count;
	part->nr_open += nr_open;
	part->time = ns_add(part->time, self);
	return self;
}

/* The self times of what a thread has completed, together. */
static ns_t add_nodes(struct where *w, const struct analysis *what, const struct thread *thread)
{
	uint32_t level = 0;
	ns_t sum = 0;

	for (uint32_t ref = thread->nodes; ref; ref = model_node_next(what->model, ref, &level)) {
		const struct region_node *node = model_node(what->model, ref);
		const struct timing_cell *cell = model_cell(what->model, node->cell);

		if (node->count)
			sum = ns_add(sum, region_add(w, what, cell->nesting, cell->category,
						     cell->label, node->count, 0, node->self));
	}
	return sum;
}

/* The same of what is open, each less what is inside it. */
static ns_t add_open(struct where *w, const struct analysis *what, const struct process *process,
		     const struct thread *thread)
{
	ns_t sum = 0, inner = 0;

	for (uint32_t i = thread->open.nr; i-- > 0;) {
		const struct open_region *open = thread_open(what->model, thread, i);
		ns_t time = region_time(process, open, what->now);
		ns_t self =
			(time > 0 ? time : 0) - inner - (open->inner_ns > 0 ? open->inner_ns : 0);

		sum = ns_add(sum, region_add(w, what, open->nesting, open->category, open->label, 0,
					     1, self > 0 ? self : 0));
		inner = time > 0 ? time : 0;
	}
	return sum;
}

/* ---- processes ---- */

static ns_t begin_of(const struct analysis *what, const struct process *p, ns_t end)
{
	ns_t time = process_time(p, what->now);

	return end == NS_NONE || time == NS_NONE ? NS_NONE : ns_sub(end, time);
}

static ns_t end_of(const struct analysis *what, const struct process *p)
{
	return process_is_live(p) ? what->now : p->end;
}

/* How long children of `p` ran while its first thread was in no region; how many in all. */
static ns_t children_outside(struct where *w, const struct analysis *what,
			     const struct where_of *of, const struct process *p,
			     const struct thread *thread)
{
	const struct track *track =
		thread ? spans_track(of->spans, spans_key(p->sid_hash, thread->name)) : NULL;
	ns_t end = end_of(what, p);

	w->first_edge = w->nr_edges;
	interval_add(w, begin_of(what, p, end), end, EDGE_WHOLE);
	for (uint32_t i = 0; track && i < track->nr; i++)
		interval_add(w, track->items[i].start, track->items[i].end, EDGE_REGION);
	for (uint32_t i = 0; thread && i < thread->open.nr; i++)
		interval_add(w, thread_open(what->model, thread, i)->time, end, EDGE_REGION);
	for (uint32_t i = 0; i < p->children.nr; i++) {
		const struct child *child = process_child(what->model, p, i);

		interval_add(w, child->start, child->end == NS_NONE ? end : child->end, EDGE_CHILD);
	}
	return edges_measure(w, EDGE_CHILD, EDGE_REGION);
}

static void add_process(struct where *w, const struct analysis *what, const struct where_of *of,
			const struct process *p)
{
	const struct thread *first = NULL;
	uint32_t main = process_main_thread(what->model, p);
	ns_t time = process_time(p, what->now), inside = 0, children = 0;

	w->nr_processes++;
	w->live |= process_is_live(p);
	time = time == NS_NONE ? 0 : time;
	if (main != UINT32_MAX)
		first = process_thread(what->model, p, main);
	if (first)
		inside = ns_add(add_nodes(w, what, first), add_open(w, what, p, first));
	/* Of deviant traces regions say more than the process does. */
	part_add(w, WHERE_TWICE, 0, inside > time ? time - inside : 0);
	time = inside > time ? 0 : time - inside;
	if (of->spans && p->children.nr)
		children = children_outside(w, what, of, p, first);
	children = children < time ? children : time;
	part_add(w, WHERE_CHILDREN, p->children.nr, children);
	part_add(w, WHERE_OUTSIDE, 0, time - children);
}

static ns_t later(ns_t a, ns_t b)
{
	return a == NS_NONE || (b != NS_NONE && b > a) ? b : a;
}

/* All that have no parent, within the time of the command. */
static void add_roots(struct where *w, const struct analysis *what, const struct where_of *of)
{
	const struct model *m = what->model;
	ns_t begun = of->begun, last = NS_NONE, first = NS_NONE, sum = 0, covered;

	for (uint32_t s = model_first_root(m); s != SLOT_NONE; s = model_slot(m, s)->next_sibling) {
		const struct process *p = model_slot(m, s);
		ns_t time = process_time(p, what->now), end = end_of(what, p),
		     begin = begin_of(what, p, end);

		add_process(w, what, of, p);
		sum = ns_add(sum, time == NS_NONE ? 0 : time);
		interval_add(w, begin, end, EDGE_CHILD);
		last = later(last, end);
		first = first == NS_NONE || (begin != NS_NONE && begin < first) ? begin : first;
	}
	begun = begun == NS_NONE ? first : begun;
	w->wall = of->wall != NS_NONE                   ? of->wall
		  : last == NS_NONE || begun == NS_NONE ? 0
							: ns_sub(last, begun);
	interval_add(w, begun, begun == NS_NONE ? NS_NONE : ns_add(begun, w->wall), EDGE_WHOLE);
	w->first_edge = 0;
	covered = edges_measure(w, EDGE_CHILD, EDGE_REGION);
	part_add(w, WHERE_UNTRACED, 0, ns_sub(w->wall, covered));
	part_add(w, WHERE_TWICE, 0, ns_sub(covered, sum));
}

/* ---- the whole ---- */

static int largest_first(const void *a, const void *b)
{
	const struct where_part *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->category != y->category)
		return x->category < y->category ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* Small regions become one part. */
static void merge_small(struct where *w)
{
	uint32_t nr_regions = 0, to = 0, nr = w->nr;
	struct where_part others = { .kind = WHERE_OTHERS,
				     .category = SYM_NONE,
				     .label = SYM_NONE };

	for (uint32_t i = 0; i < nr; i++) {
		struct where_part part = w->parts[i];

		if (part.kind == WHERE_REGION && nr_regions++ >= WHERE_MAX_REGIONS) {
			others.count++;
			others.nr_open += part.nr_open;
			others.time = ns_add(others.time, part.time);
		} else {
			w->parts[to++] = part;
		}
	}
	w->nr = to;
	if (!others.count)
		return;
	/* At least one row became free. */
	w->parts[w->nr++] = others;
	qsort(w->parts, w->nr, sizeof(*w->parts), largest_first);
}

void where_make(struct where *w, const struct analysis *what, const struct where_of *of)
{
	ns_t time;

	w->nr = w->nr_edges = w->first_edge = w->nr_processes = 0;
	w->wall = 0;
	w->live = false;
	if (of->slot == SLOT_NONE) {
		add_roots(w, what, of);
	} else {
		time = process_time(model_slot(what->model, of->slot), what->now);
		w->wall = time == NS_NONE ? 0 : time;
		add_process(w, what, of, model_slot(what->model, of->slot));
	}
	if (w->nr)
		qsort(w->parts, w->nr, sizeof(*w->parts), largest_first);
	merge_small(w);
}

void where_release(struct where *w)
{
	free(w->parts);
	free(w->edges);
	memset(w, 0, sizeof(*w));
}
