/* SPDX-License-Identifier: MIT */
/*
 * Which process a child became, for one parent and all processes directly below it, by the
 * contract: the child with the same pid; else the only child whose time from child_start to
 * child_exit holds the process's start; else none. Sorting makes that n log n for any family.
 */
#include "config.h"
#include "monitor/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/die.h"

struct by_pid {
	int64_t pid;
	uint32_t index;
};

/* A child begins or ends, or a process starts, at some time. At one time beginnings come first
 * and ends last, since both ends of a child's time belong to it. */
enum edge_kind { EDGE_BEGIN, EDGE_PROCESS, EDGE_END };

struct edge {
	ns_t time;
	uint32_t index; /* of the child, or the process's slot */
	uint8_t kind;
};

static int by_pid_compare(const void *a, const void *b)
{
	const struct by_pid *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int edge_compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static struct child *child_at(const struct model *m, const struct process *parent,
			      uint32_t index)
{
	return vec_at(&m->slab, &parent->children, index, sizeof(struct child));
}

/* The child of that pid; where a pid came again, the one whose time holds the start, else the
 * last. SLOT_NONE without one. */
static uint32_t pid_find(const struct model *m, const struct process *parent,
			 const struct by_pid *pids, uint32_t nr, const struct process *p)
{
	uint32_t low = 0, high = nr, found = SLOT_NONE;

	if (p->pid == NUM_NONE)
		return SLOT_NONE;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (pids[mid].pid < p->pid)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < nr && pids[low].pid == p->pid; low++) {
		const struct child *c = child_at(m, parent, pids[low].index);

		found = pids[low].index;
		if (p->start != NS_NONE && c->start != NS_NONE && c->start <= p->start &&
		    (c->end == NS_NONE || p->start <= c->end))
			break;
	}
	return found;
}

/* Sweep over time: how many children are there when a process starts, and which one. */
static void link_by_time(struct model *m, const struct edge *edges, uint32_t nr)
{
	uint32_t active = 0, which = 0;

	for (uint32_t i = 0; i < nr; i++) {
		if (edges[i].kind == EDGE_PROCESS) {
			if (active == 1)
				m->processes[edges[i].index].link = which;
			continue;
		}
		/* With one child left, what remains of the exclusive-or is its index. */
		which ^= edges[i].index;
		active += edges[i].kind == EDGE_BEGIN ? 1 : (uint32_t)-1;
	}
}

static void links_count(struct model *m, uint32_t parent)
{
	struct process *pp = &m->processes[parent];

	for (uint32_t i = 0; i < pp->children.nr; i++) {
		struct child *c = child_at(m, pp, i);

		c->process = c->any_process = SLOT_NONE;
		c->nr_processes = 0;
	}
	for (uint32_t slot = pp->first_child; slot != SLOT_NONE;
	     slot = m->processes[slot].next_sibling) {
		const struct process *p = &m->processes[slot];
		struct child *c;

		if (p->link == SLOT_NONE)
			continue;
		c = child_at(m, pp, p->link);
		c->nr_processes++;
		c->any_process = slot;
		if (c->pid != NUM_NONE && c->pid == p->pid)
			c->process = slot;
	}
}

void family_link(struct model *m, uint32_t parent)
{
	struct process *pp = &m->processes[parent];
	uint32_t nr_children = pp->children.nr, nr_processes = 0, nr_pids = 0, nr_edges = 0;
	struct by_pid *pids;
	struct edge *edges;

	for (uint32_t s = pp->first_child; s != SLOT_NONE; s = m->processes[s].next_sibling)
		nr_processes++;
	pids = xreallocarray(NULL, nr_children + 1, sizeof(*pids));
	edges = xreallocarray(NULL, 2 * (size_t)nr_children + nr_processes + 1, sizeof(*edges));
	for (uint32_t i = 0; i < nr_children; i++) {
		const struct child *c = child_at(m, pp, i);

		if (c->pid != NUM_NONE)
			pids[nr_pids++] = (struct by_pid){ c->pid, i };
		if (c->start == NS_NONE || (c->state == CHILD_EXITED && c->end == NS_NONE) ||
		    (c->end != NS_NONE && c->end < c->start))
			continue;
		edges[nr_edges++] = (struct edge){ c->start, i, EDGE_BEGIN };
		if (c->end != NS_NONE)
			edges[nr_edges++] = (struct edge){ c->end, i, EDGE_END };
	}
	qsort(pids, nr_pids, sizeof(*pids), by_pid_compare);
	for (uint32_t s = pp->first_child; s != SLOT_NONE; s = m->processes[s].next_sibling) {
		struct process *p = &m->processes[s];
		uint32_t link = pid_find(m, pp, pids, nr_pids, p);
		bool lost;

		p->link = link;
		if (link == SLOT_NONE && p->start != NS_NONE)
			edges[nr_edges++] = (struct edge){ p->start, s, EDGE_PROCESS };
		lost = link != SLOT_NONE && child_at(m, pp, link)->state == CHILD_EXITED;
		if (lost != p->lost_by_parent) {
			p->lost_by_parent = lost;
			process_state_update(m, s);
		}
	}
	qsort(edges, nr_edges, sizeof(*edges), edge_compare);
	link_by_time(m, edges, nr_edges);
	links_count(m, parent);
	free(pids);
	free(edges);
}
