/* SPDX-License-Identifier: MIT */
/* The threads of a process: finds them by name, and replaces exited ones in a full list. */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define SEARCHED_THREADS 16u /* maximum length of a list of threads without an index */

static uint32_t thread_find(const struct model *m, const struct process *p, sym_t name)
{
	if (p->threads.nr > SEARCHED_THREADS) {
		const struct long_lists *lists = long_lists_of(m, p);
		uint32_t index = index_get(&m->heap, &lists->threads, name);

		if (index == INDEX_NONE)
			return INDEX_NONE;
		/* The index keeps names of replaced threads. */
		return index == lists->crowd || thread_at(m, p, index)->name == name ? index
										     : INDEX_NONE;
	}
	for (uint32_t i = 0; i < p->threads.nr; i++)
		if (thread_at(m, p, i)->name == name)
			return i;
	return INDEX_NONE;
}

static void nodes_release(struct model *m, uint32_t ref)
{
	/* No recursion, because a malicious trace may make the tree very deep: nodes inside a node
	 * are inserted into the list before its siblings. */
	while (ref) {
		struct region_node *node = heap_get(&m->heap, ref);
		uint32_t next = node->sibling;

		if (node->child) {
			uint32_t last = node->child;

			for (;;) {
				struct region_node *end = heap_get(&m->heap, last);

				if (!end->sibling) {
					end->sibling = next;
					break;
				}
				last = end->sibling;
			}
			next = node->child;
		}
		heap_free(&m->heap, ref, sizeof(*node));
		ref = next;
	}
}

static void thread_release(struct model *m, struct thread *t)
{
	for (uint32_t r = 0; r < t->open.nr; r++) {
		struct open_region *open =
			vec_at(&m->heap, &t->open, r, sizeof(struct open_region));

		text_release(&m->heap, &open->msg);
	}
	vec_release(&m->heap, &t->open, sizeof(struct open_region));
	nodes_release(m, t->nodes);
	if (t->node_index) {
		struct index *index = heap_get(&m->heap, t->node_index);

		index_release(&m->heap, index);
		heap_free(&m->heap, t->node_index, sizeof(*index));
	}
}

void thread_shrink(struct applying *a)
{
	struct thread *t = thread_at(a->model, &a->model->processes[a->slot], a->thread);

	if (!t->open.nr)
		vec_release(&a->model->heap, &t->open, sizeof(struct open_region));
}

void long_lists_make(struct model *m, struct process *p)
{
	if (p->long_lists)
		return;
	p->long_lists = heap_allocate(&m->heap, sizeof(struct long_lists));
	*long_lists_of(m, p) = (struct long_lists){
		.exited_first = INDEX_NONE,
		.exited_last = INDEX_NONE,
		.crowd = INDEX_NONE,
	};
}

/* Add the threads with indexes `first` to `end` - 1 to the index by name. If these are all threads
 * of the list, first remove from the index all names except those of the crowd. */
static void threads_index(struct model *m, struct process *p, uint32_t first, uint32_t end)
{
	struct index index = long_lists_of(m, p)->threads;

	if (end - first == p->threads.nr)
		index_keep(&m->heap, &index, long_lists_of(m, p)->crowd);
	for (uint32_t i = first; i < end; i++)
		index_put(&m->heap, &index, thread_at(m, p, i)->name, i);
	long_lists_of(m, p)->threads = index;
}

static void exited_add(struct model *m, struct process *p, uint32_t index)
{
	struct long_lists *lists = long_lists_of(m, p);

	thread_at(m, p, index)->next_exited = INDEX_NONE;
	if (lists->exited_first == INDEX_NONE)
		lists->exited_first = index;
	else
		thread_at(m, p, lists->exited_last)->next_exited = index;
	lists->exited_last = index;
}

void thread_exited(struct applying *a)
{
	struct process *p = &a->model->processes[a->slot];

	if (p->long_lists && long_lists_of(a->model, p)->exited_listed)
		exited_add(a->model, p, a->thread);
}

/* Remove the first thread from the list of exited threads and return its index; INDEX_NONE: none.
 * The first call creates the list. */
static uint32_t exited_take(struct model *m, struct process *p)
{
	struct long_lists *lists = long_lists_of(m, p);
	uint32_t index;

	if (!lists->exited_listed) {
		lists->exited_listed = true;
		for (uint32_t i = 0; i < p->threads.nr; i++)
			if (thread_at(m, p, i)->exited)
				exited_add(m, p, i);
	}
	index = lists->exited_first;
	if (index != INDEX_NONE)
		lists->exited_first = thread_at(m, p, index)->next_exited;
	return index;
}

static void thread_init(struct model *m, struct thread *t, sym_t name)
{
	*t = (struct thread){ .name = name,
			      .elapsed = NS_NONE,
			      .first_time = NS_NONE,
			      .last_time = NS_NONE,
			      .first_arrival = m->last_arrival };
}

/* Return the index of the item that stands for threads that begin while the list is full of running
 * ones. Their events are counted, but their open regions are not kept. */
static uint32_t crowd_join(struct model *m, struct process *p, sym_t name)
{
	struct long_lists *lists = long_lists_of(m, p);
	struct index index = lists->threads;

	m->dropped.list_items++;
	if (lists->crowd == INDEX_NONE) {
		struct thread *t;

		lists->crowd = p->threads.nr;
		t = vec_push(&m->heap, &p->threads, sizeof(*t), 0, NULL);
		thread_init(m, t, m->syms->sym_other);
		t->is_crowd = true;
	}
	lists = long_lists_of(m, p);
	if (lists->nr_crowd >= MAX_CROWD_NAMES)
		return lists->crowd;
	m->totals.threads++;
	index_put(&m->heap, &index, name, lists->crowd);
	lists = long_lists_of(m, p);
	lists->threads = index;
	lists->nr_crowd++;
	return lists->crowd;
}

/* Add a new thread and return its index. In a full list it replaces an exited thread; if there is
 * none, crowd_join() returns its index. */
static uint32_t thread_new(struct model *m, uint32_t slot, sym_t name)
{
	struct process *p = &m->processes[slot];
	uint32_t max = bounded(m, MAX_LIST_ITEMS), index = p->threads.nr;
	bool anew = false;

	if (max && p->threads.nr + 1 >= max) {
		index = exited_take(m, p);
		if (index == INDEX_NONE)
			return crowd_join(m, p, name);
		p->nr_open -= thread_at(m, p, index)->open.nr;
		thread_release(m, thread_at(m, p, index));
		m->dropped.list_items++;
		long_lists_of(m, p)->has_replaced = true;
		long_lists_of(m, p)->first_replaced |= !index;
	} else {
		vec_push(&m->heap, &p->threads, sizeof(struct thread), 0, NULL);
	}
	thread_init(m, thread_at(m, p, index), name);
	m->totals.threads++;
	if (p->threads.nr <= SEARCHED_THREADS)
		return index;
	anew = p->threads.nr == SEARCHED_THREADS + 1;
	long_lists_make(m, p);
	anew |= long_lists_of(m, p)->threads.nr - long_lists_of(m, p)->nr_crowd > 2 * p->threads.nr;
	threads_index(m, p, anew ? 0 : index, anew ? p->threads.nr : index + 1);
	return index;
}

uint32_t thread_of_name(struct model *m, uint32_t slot, sym_t name)
{
	struct process *p = &m->processes[slot];
	uint32_t index = thread_find(m, p, name);

	if (index == INDEX_NONE)
		index = thread_new(m, slot, name);
	m->processes[slot].last_thread = index;
	return index;
}

void threads_release(struct model *m, struct process *p)
{
	for (uint32_t i = 0; i < p->threads.nr; i++)
		thread_release(m, thread_at(m, p, i));
	vec_release(&m->heap, &p->threads, sizeof(struct thread));
}
