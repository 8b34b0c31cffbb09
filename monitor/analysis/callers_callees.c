/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/callers_callees.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"

struct kin_place {
	const struct analysis *what;
	uint32_t slot;
	const struct thread *thread;
};

static struct caller_callee *kin_of(struct callers_callees *kins, const struct caller_callee *like)
{
	for (uint32_t i = kins->nr; i-- > 0;) {
		struct caller_callee *kin = &kins->items[i];

		if (kin->category == like->category && kin->label == like->label &&
		    kin->thread == like->thread && kin->slot == like->slot &&
		    kin->none == like->none)
			return kin;
		/* the rows of the process of `like` are at the end of the list */
		if (like->slot != SLOT_NONE && kin->slot != like->slot)
			break;
	}
	GROW(kins->items, kins->nr, kins->cap, 32);
	kins->items[kins->nr] = *like;
	return &kins->items[kins->nr++];
}

static void kin_add(struct callers_callees *kins, const struct caller_callee *like,
		    const struct region_node *node)
{
	struct caller_callee *kin = kin_of(kins, like);

	kin->count += node->count;
	kin->total = ns_add(kin->total, node->total);
	kin->self = ns_add(kin->self, node->self);
	kin->max = node->max > kin->max ? node->max : kin->max;
}

static bool is_subject(const struct analysis *what, const struct region_node *node)
{
	const struct timing_cell *cell = model_cell(what->model, node->cell);

	return cell->category == what->category && cell->label == what->label;
}

static bool kin_hides_nesting(const struct analysis *what, const struct region_node *node)
{
	return what->limits.nesting >= 0 &&
	       model_cell(what->model, node->cell)->nesting > what->limits.nesting;
}

static struct caller_callee kin_blank(void)
{
	return (struct caller_callee){
		.category = SYM_NONE, .label = SYM_NONE, .thread = SYM_NONE, .slot = SLOT_NONE
	};
}

/*
 * CALLERS_PARENTS: add `node` to the row of its parent if `node` is the analysed region.
 * CALLERS_CHILDREN: add it to its own row if its parent is that region.
 */
static void add_relative(struct callers_callees *kins, const struct kin_place *at,
			 enum kin_group group, const struct region_node *node)
{
	const struct model *m = at->what->model;
	const struct region_node *parent = node->parent ? model_node(m, node->parent) : NULL;
	const struct region_node *named = group == CALLERS_PARENTS ? parent : node;
	struct caller_callee like = kin_blank();

	if (!is_subject(at->what, group == CALLERS_PARENTS ? node
				  : parent                 ? parent
							   : node) ||
	    (group == CALLERS_CHILDREN && !parent))
		return;
	like.none = !named;
	if (named) {
		like.category = model_cell(m, named->cell)->category;
		like.label = model_cell(m, named->cell)->label;
	}
	kin_add(kins, &like, node);
}

static void kin_add_node(struct callers_callees *kins, const struct kin_place *at,
			 enum kin_group group, const struct region_node *node)
{
	struct caller_callee like = kin_blank();

	if (!node->count || kin_hides_nesting(at->what, node))
		return;
	if (group == CALLERS_PARENTS || group == CALLERS_CHILDREN) {
		add_relative(kins, at, group, node);
		return;
	}
	if (!is_subject(at->what, node))
		return;
	like.slot = at->slot;
	if (group == CALLERS_THREADS)
		like.thread = at->thread->name;
	kin_add(kins, &like, node);
}

static void kin_add_process(struct callers_callees *kins, const struct analysis *what,
			    enum kin_group group, uint32_t slot)
{
	const struct process *process = model_slot(what->model, slot);

	for (uint32_t i = 0; i < process->threads.nr; i++) {
		struct kin_place place = { what, slot, process_thread(what->model, process, i) };
		uint32_t level = 0;

		for (uint32_t ref = place.thread->nodes; ref;
		     ref = model_node_next(what->model, ref, &level))
			kin_add_node(kins, &place, group, model_node(what->model, ref));
	}
}

static int kin_largest_first(const void *a, const void *b)
{
	const struct caller_callee *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->category != y->category)
		return x->category < y->category ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

void callers_callees_make(struct callers_callees *kins, const struct analysis *what,
			  enum kin_group group)
{
	const struct model *m = what->model;
	uint32_t only = what->process.slot;

	kins->nr = 0;
	if (model_process(m, what->process))
		kin_add_process(kins, what, group, only);
	else if (only == SLOT_NONE)
		for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s))
			if ((what->limits.depth < 0 ||
			     model_slot(m, s)->depth <= what->limits.depth) &&
			    (!kins->keep || kins->keep(kins->keep_data, m, s)))
				kin_add_process(kins, what, group, s);
	if (kins->nr)
		qsort(kins->items, kins->nr, sizeof(*kins->items), kin_largest_first);
}

void callers_callees_release(struct callers_callees *kins)
{
	free(kins->items);
	memset(kins, 0, sizeof(*kins));
}
