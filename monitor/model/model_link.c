/* SPDX-License-Identifier: MIT */
/*
 * Links children to processes, for one parent and the processes directly below it.
 * trace2top-formats(5): a process is linked to the child with the same pid; else to the only child
 * that ran (child_start to child_exit) when the process started; else to none.
 */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/lower_bound.h"

#define SMALL_ROOM_BYTES 1024

struct by_pid {
	int64_t pid;
	uint32_t index;
};

/* A time at which a child began or ended, or a process started. */
struct link_edge {
	ns_t time;
	uint32_t index; /* index of the child in the parent's list, or of the process in `kin` */
};

struct link_edges {
	struct link_edge *at;
	uint32_t nr;
};

struct link_process {
	uint32_t slot, link;
	ns_t start;
	int64_t pid;
};

struct link_family {
	struct model *m;
	struct process *parent;
	/* processes directly below the parent, in the order of the model */
	struct link_process *kin;
	uint32_t nr_kin;
	struct by_pid *pids; /* children that have a pid, sorted by pid */
	uint32_t nr_pids;
	struct link_edges begins, ends, starts;
	void *room; /* allocated memory for the arrays; NULL: they are in `small_room` */
	_Alignas(max_align_t) char small_room[SMALL_ROOM_BYTES];
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
	const struct link_edge *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void link_sort(void *items, size_t nr, size_t size,
		      int (*compare)(const void *, const void *))
{
	const char *item = items;

	for (size_t i = 1; i < nr; i++, item += size)
		if (compare(item, item + size) > 0) {
			qsort(items, nr, size, compare);
			return;
		}
}

static void edge_add(struct link_edges *edges, ns_t time, uint32_t index)
{
	edges->at[edges->nr++] = (struct link_edge){ time, index };
}

static struct child *link_child_at(const struct model *m, const struct process *parent,
				   uint32_t index)
{
	return vec_at(&m->heap, &parent->children, index, sizeof(struct child));
}

/* Return the index in `pids` of the first child whose pid is at least `pid`. Tries index `hint`
 * first. */
static uint32_t pids_from(const struct link_family *f, int64_t pid, uint32_t hint)
{
	uint32_t at;

	if (hint < f->nr_pids && f->pids[hint].pid == pid && (!hint || f->pids[hint - 1].pid < pid))
		return hint;
	LOWER_BOUND(at, f->nr_pids, f->pids[at].pid < pid);
	return at;
}

/* Return the index of the child with the process's pid; SLOT_NONE: none. Of several such children,
 * returns the first that ran when the process started, else the last. */
static uint32_t pid_find(const struct link_family *f, const struct link_process *kin,
			 uint32_t *hint)
{
	uint32_t at, found = SLOT_NONE;

	if (kin->pid == NUM_NONE)
		return SLOT_NONE;
	for (at = pids_from(f, kin->pid, *hint); at < f->nr_pids && f->pids[at].pid == kin->pid;
	     at++) {
		const struct child *c = link_child_at(f->m, f->parent, f->pids[at].index);

		found = f->pids[at].index;
		*hint = at ? at - 1 : 0; /* the next process in `kin` probably has a lower pid */
		if (kin->start != NS_NONE && c->start != NS_NONE && c->start <= kin->start &&
		    (c->end == NS_NONE || kin->start <= c->end))
			break;
	}
	return found;
}

/* Link processes without a matching pid to the only child that ran when they started. A child runs
 * from its begin to its end, including both. */
static void link_by_time(struct link_family *f)
{
	const struct link_edges *begins = &f->begins, *ends = &f->ends;
	uint32_t active = 0, which = 0, begin = 0, end = 0;

	for (uint32_t i = 0; i < f->starts.nr; i++) {
		const struct link_edge *start = &f->starts.at[i];

		for (; begin < begins->nr && begins->at[begin].time <= start->time; begin++) {
			active++;
			which ^= begins->at[begin].index;
		}
		for (; end < ends->nr && ends->at[end].time < start->time; end++) {
			active--;
			which ^= ends->at[end].index;
		}
		/* `which` is the exclusive-or of the indexes of running children: of one child, its
		 * index. */
		if (active == 1)
			f->kin[start->index].link = which;
	}
}

static void *link_alloc(char **at, size_t nr, size_t size)
{
	void *items = *at;

	*at += nr * size;
	return items;
}

static void family_gather(struct link_family *f, struct model *m, uint32_t parent)
{
	size_t nr_children = m->processes[parent].children.nr, nr_kin = 0, bytes;
	char *at;

	for (uint32_t s = m->processes[parent].first_child; s != SLOT_NONE;
	     s = m->processes[s].next_sibling)
		nr_kin++;
	bytes = nr_kin * (sizeof(struct link_process) + sizeof(struct link_edge)) +
		nr_children * (sizeof(struct by_pid) + 2 * sizeof(struct link_edge));
	f->m = m;
	f->parent = &m->processes[parent];
	f->room = bytes > sizeof(f->small_room) ? xmalloc(bytes) : NULL;
	at = f->room ? f->room : f->small_room;
	f->kin = link_alloc(&at, nr_kin, sizeof(*f->kin));
	f->pids = link_alloc(&at, nr_children, sizeof(*f->pids));
	f->begins =
		(struct link_edges){ link_alloc(&at, nr_children, sizeof(struct link_edge)), 0 };
	f->ends = (struct link_edges){ link_alloc(&at, nr_children, sizeof(struct link_edge)), 0 };
	f->starts = (struct link_edges){ link_alloc(&at, nr_kin, sizeof(struct link_edge)), 0 };
	f->nr_kin = f->nr_pids = 0;
	for (uint32_t s = f->parent->first_child; s != SLOT_NONE; s = m->processes[s].next_sibling)
		f->kin[f->nr_kin++] = (struct link_process){ s, SLOT_NONE, m->processes[s].start,
							     m->processes[s].pid };
}

static void children_gather(struct link_family *f)
{
	for (uint32_t i = 0; i < f->parent->children.nr; i++) {
		struct child *c = link_child_at(f->m, f->parent, i);

		c->process = c->any_process = SLOT_NONE;
		c->nr_processes = 0;
		if (c->pid != NUM_NONE)
			f->pids[f->nr_pids++] = (struct by_pid){ c->pid, i };
		if (c->start == NS_NONE || (c->state == CHILD_EXITED && c->end == NS_NONE) ||
		    (c->end != NS_NONE && c->end < c->start))
			continue;
		edge_add(&f->begins, c->start, i);
		if (c->end != NS_NONE)
			edge_add(&f->ends, c->end, i);
	}
	link_sort(f->pids, f->nr_pids, sizeof(*f->pids), by_pid_compare);
	link_sort(f->begins.at, f->begins.nr, sizeof(struct link_edge), edge_compare);
	link_sort(f->ends.at, f->ends.nr, sizeof(struct link_edge), edge_compare);
}

static void link_by_pid(struct link_family *f)
{
	uint32_t hint = f->nr_pids ? f->nr_pids - 1 : 0;

	for (uint32_t i = 0; i < f->nr_kin; i++) {
		struct link_process *kin = &f->kin[i];
		struct process *p = &f->m->processes[kin->slot];
		bool lost;

		kin->link = pid_find(f, kin, &hint);
		lost = kin->link != SLOT_NONE &&
		       link_child_at(f->m, f->parent, kin->link)->state == CHILD_EXITED;
		if (lost != p->lost_by_parent) {
			p->lost_by_parent = lost;
			process_state_update(f->m, kin->slot);
		}
	}
	for (uint32_t i = f->nr_kin; i-- > 0;)
		if (f->kin[i].link == SLOT_NONE && f->kin[i].start != NS_NONE)
			edge_add(&f->starts, f->kin[i].start, i);
	link_sort(f->starts.at, f->starts.nr, sizeof(struct link_edge), edge_compare);
}

static void links_store(const struct link_family *f)
{
	for (uint32_t i = 0; i < f->nr_kin; i++) {
		const struct link_process *kin = &f->kin[i];
		struct child *c;

		f->m->processes[kin->slot].link = kin->link;
		if (kin->link == SLOT_NONE)
			continue;
		c = link_child_at(f->m, f->parent, kin->link);
		c->nr_processes++;
		c->any_process = kin->slot;
		if (c->pid != NUM_NONE && c->pid == kin->pid)
			c->process = kin->slot;
	}
}

void family_link(struct model *m, uint32_t parent)
{
	struct link_family family;

	if (!m->processes[parent].children.nr && m->processes[parent].first_child == SLOT_NONE)
		return;
	family_gather(&family, m, parent);
	children_gather(&family);
	link_by_pid(&family);
	link_by_time(&family);
	links_store(&family);
	free(family.room);
}
