/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/flame.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/formats.h"
#include "monitor/analysis/lanes.h"
#include "monitor/analysis/live.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

/* larger counts of CPU samples are reduced to this one */
#define MAX_SAMPLES (INT64_MAX / NS_PER_SEC)

struct making {
	struct flame *flame;
	const struct analysis *what;
	const struct flame_of *of;
	uint32_t main_thread;
};

static uint32_t flame_id_hash(const void *flame, uint32_t nr)
{
	return (uint32_t)((const struct flame *)flame)->nodes[nr].id;
}

uint32_t flame_find(const struct flame *flame, uint64_t id)
{
	if (!flame->nr)
		return FLAME_NONE;
	TR2_HASH_INDEX_EACH(&flame->by_id, id, at)
	if (flame->nodes[flame->by_id.at[at] - 1].id == id)
		return flame->by_id.at[at] - 1;
	return FLAME_NONE;
}

static uint32_t node_with_id(struct flame *flame, uint32_t parent, uint64_t id,
			     enum flame_kind kind, sym_t a, sym_t b)
{
	uint32_t nr;

	if (flame->nr == FLAME_MAX_NODES) {
		flame->nr_hidden++;
		return FLAME_NONE;
	}
	GROW(flame->nodes, flame->nr, flame->cap, 256);
	nr = flame->nr++;
	flame->nodes[nr] = (struct flame_node){ .id = id,
						.parent = parent,
						.child = FLAME_NONE,
						.sibling = FLAME_NONE,
						.slot = SLOT_NONE,
						.kind = (uint8_t)kind,
						.a = a,
						.b = b };
	if (parent != FLAME_NONE) {
		flame->nodes[nr].sibling = flame->nodes[parent].child;
		flame->nodes[parent].child = nr;
	}
	hash_index_put(&flame->by_id, (uint32_t)id, nr, flame_id_hash, flame);
	return nr;
}

/* Return the node of this kind and name inside `parent`, a new one if needed; FLAME_NONE: there are
 * too many nodes. */
static uint32_t node_of(struct flame *flame, uint32_t parent, enum flame_kind kind, sym_t a,
			sym_t b)
{
	uint64_t name = tr2_hash_pair((uint64_t)a << 32 | b, kind);
	uint64_t above = parent == FLAME_NONE ? 0 : flame->nodes[parent].id;
	uint64_t id = tr2_hash_pair(above, name);
	uint32_t nr = flame_find(flame, id);

	return nr != FLAME_NONE ? nr : node_with_id(flame, parent, id, kind, a, b);
}

static void flame_add_time(struct flame_node *node, uint64_t count, ns_t total, ns_t self)
{
	node->count += count;
	node->total = ns_add(node->total, total > 0 ? total : 0);
	node->self = ns_add(node->self, self > 0 ? self : 0);
}

static bool flame_hides_nesting(const struct making *making, int64_t nesting)
{
	int64_t limit = making->what->limits.nesting;

	return limit >= 0 && nesting > limit;
}

/*
 * Return the node of a region inside `parent`, as node_of() does. If the nesting limit hides the
 * region, return `parent`. If `parent` is FLAME_NONE, return FLAME_NONE unless the graph is of this
 * region.
 */
static uint32_t region_place(struct making *making, uint32_t parent, int64_t nesting,
			     sym_t category, sym_t label)
{
	const struct flame_of *of = making->of;

	if (flame_hides_nesting(making, nesting)) {
		making->flame->nr_hidden++;
		return parent;
	}
	if (parent == FLAME_NONE &&
	    (of->scope != FLAME_REGION || category != of->category || label != of->label))
		return FLAME_NONE;
	return node_of(making->flame, parent, FLAME_NODE_REGION, category, label);
}

static void flame_add_regions(struct making *making, const struct thread *thread, uint32_t parent)
{
	const struct model *model = making->what->model;
	uint32_t places[FLAME_MAX_LEVELS + 1] = { parent };
	uint32_t ref = thread->nodes, level = 0;

	while (ref) {
		const struct region_node *node = model_node(model, ref);
		const struct timing_cell *cell = model_cell(model, node->cell);
		uint32_t place = region_place(making, places[level], cell->nesting, cell->category,
					      cell->label);

		/* regions nested deeper than the limit are not shown, so all time of regions at the
		 * limit is self time */
		if (place != FLAME_NONE && !flame_hides_nesting(making, cell->nesting))
			flame_add_time(&making->flame->nodes[place], node->count, node->total,
				       cell->nesting == making->what->limits.nesting ? node->total
										     : node->self);
		if (level < FLAME_MAX_LEVELS) {
			places[level + 1] = place;
			ref = model_node_next(model, ref, &level);
		} else {
			ref = model_node_after(model, ref, &level);
		}
	}
}

static ns_t time_within(const struct analysis *what, const struct process *process,
			const struct thread *thread, uint32_t nr)
{
	ns_t time = region_time(process, thread_open(what->model, thread, nr), what->now);

	return time > 0 ? time : 0;
}

static void flame_add_open_regions(struct making *making, const struct process *process,
				   const struct thread *thread, uint32_t parent)
{
	const struct analysis *what = making->what;
	bool live = process_is_live(process);

	/*
	 * Skip open regions in format EVENT if the process is not live. In other formats such
	 * regions may have most of the time.
	 */
	if (!live && process->format == SYM_NONE)
		return;
	for (uint32_t i = 0; i < thread->open.nr; i++) {
		const struct open_region *open = thread_open(what->model, thread, i);
		ns_t time = region_time(process, open, what->now);
		ns_t inner = open->inner_ns > 0 ? open->inner_ns : 0;

		parent = region_place(making, parent, open->nesting, open->category, open->label);
		if (parent == FLAME_NONE || flame_hides_nesting(making, open->nesting))
			continue;
		if (i + 1 < thread->open.nr)
			inner = ns_add(inner, time_within(what, process, thread, i + 1));
		flame_add_time(&making->flame->nodes[parent], 0, time,
			       time > inner ? time - inner : 0);
		making->flame->nodes[parent].nr_open += live;
		making->flame->live |= live;
	}
}

static ns_t flame_thread_time(struct making *making, const struct process *process,
			      const struct thread *thread)
{
	ns_t end = thread_end(process, thread, making->what->now);

	if (thread->exited && thread->elapsed != NS_NONE)
		return thread->elapsed;
	making->flame->live |= process_is_live(process) && !thread->exited;
	if (thread->first_time == NS_NONE || end == NS_NONE || end < thread->first_time)
		return 0;
	return end - thread->first_time;
}

static void flame_add_thread(struct making *making, const struct process *process, uint32_t nr,
			     uint32_t parent)
{
	const struct thread *thread = process_thread(making->what->model, process, nr);
	enum flame_scope scope = making->of->scope;
	bool first = nr == making->main_thread;

	if (scope == FLAME_THREAD && thread->name != making->of->thread)
		return;
	/* no thread has a node in the scope FLAME_REGION; the main thread has one only in
	 * FLAME_THREAD */
	if (scope == FLAME_THREAD || (scope != FLAME_REGION && !first)) {
		parent = node_of(making->flame, parent, FLAME_NODE_THREAD, thread->name, 0);
		if (parent == FLAME_NONE)
			return;
		flame_add_time(&making->flame->nodes[parent], 1,
			       flame_thread_time(making, process, thread), 0);
	}
	flame_add_regions(making, thread, parent);
	flame_add_open_regions(making, process, thread, parent);
}

static uint32_t flame_add_process(struct making *making, uint32_t slot, uint32_t parent)
{
	const struct process *process = model_slot(making->what->model, slot);
	sym_t name = process->hierarchy != SYM_NONE ? process->hierarchy : process->name;
	enum flame_scope scope = making->of->scope;
	uint32_t at = FLAME_NONE;

	if (scope != FLAME_REGION && scope != FLAME_THREAD) {
		at = node_of(making->flame, parent, FLAME_NODE_PROCESS, name, 0);
		if (at == FLAME_NONE)
			return at;
		flame_add_time(&making->flame->nodes[at], 1,
			       process_time(process, making->what->now), 0);
		making->flame->nodes[at].slot = slot;
		making->flame->nodes[at].nr_open += process_is_live(process);
		making->flame->nodes[at].nr_failed +=
			process_failed(process) || process->state == STATE_SIGNALED;
		making->flame->live |= process_is_live(process);
	}
	making->main_thread = process_main_thread(making->what->model, process);
	for (uint32_t i = 0; i < process->threads.nr; i++)
		flame_add_thread(making, process, i, at);
	return at;
}

bool flame_is_sample(const struct model *model, const struct data_item *item)
{
	static const char category[] = "cpu samples";
	size_t len;
	const char *text;

	if (item->category == SYM_NONE || item->key == SYM_NONE || !item->has_value)
		return false;
	text = model_sym(model, item->category, &len);
	return len == sizeof(category) - 1 && !memcmp(text, category, len);
}

int64_t flame_sample_count(const struct model *model, const struct data_item *item)
{
	char count[24];
	size_t len = item->value.len < sizeof(count) ? item->value.len : sizeof(count) - 1;
	long long n;

	memcpy(count, model_text(model, item->value), len);
	count[len] = 0;
	n = strtoll(count, NULL, 10);
	return n < 0 ? 0 : n > MAX_SAMPLES ? MAX_SAMPLES : n;
}

bool flame_has_samples(const struct model *model, const struct process *process)
{
	if (!process || process->format == SYM_NONE)
		return false;
	for (uint32_t i = process->data.nr; i-- > 0;)
		if (flame_is_sample(model, PROCESS_ITEM(model, &process->data, data_item, i)))
			return true;
	return false;
}

const char *flame_frame(const struct model *model, const struct flame_node *node, size_t *len)
{
	*len = node->frame_len;
	return model_sym(model, node->a, &(size_t){ 0 }) + node->b;
}

static uint32_t frame_of(struct flame *flame, uint32_t parent, sym_t stack, uint32_t at,
			 const char *text, size_t len)
{
	uint64_t id = tr2_hash_pair(flame->nodes[parent].id, tr2_hash(text, len));
	uint32_t nr = flame_find(flame, id);

	if (nr != FLAME_NONE)
		return nr;
	nr = node_with_id(flame, parent, id, FLAME_NODE_FRAME, stack, at);
	if (nr != FLAME_NONE)
		flame->nodes[nr].frame_len = (uint16_t)(len < UINT16_MAX ? len : UINT16_MAX);
	return nr;
}

static void flame_add_stack(struct making *making, uint32_t parent, sym_t stack, ns_t seen)
{
	size_t len, at = 0;
	const char *text = model_sym(making->what->model, stack, &len);
	struct flame *flame = making->flame;

	flame_add_time(&flame->nodes[parent], 0, seen, 0);
	while (at <= len) {
		const char *end = memchr(text + at, ';', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;

		parent = frame_of(flame, parent, stack, (uint32_t)at, text + at, n);
		if (parent == FLAME_NONE)
			return;
		at += n + 1;
		flame_add_time(&flame->nodes[parent], (uint64_t)seen, seen, at > len ? seen : 0);
	}
}

static void flame_add_samples(struct making *making, uint32_t slot)
{
	const struct model *model = making->what->model;
	const struct process *process = model_slot(model, slot);
	sym_t name = process->hierarchy != SYM_NONE ? process->hierarchy : process->name;
	uint32_t top = node_of(making->flame, FLAME_NONE, FLAME_NODE_PROCESS, name, 0);

	making->flame->nodes[top].slot = slot;
	making->flame->nodes[top].count = 1;
	for (uint32_t i = 0; i < process->data.nr; i++) {
		const struct data_item *item = PROCESS_ITEM(model, &process->data, data_item, i);

		if (flame_is_sample(model, item))
			flame_add_stack(making, top, item->key, flame_sample_count(model, item));
	}
}

static bool is_beyond(struct making *making, uint32_t slot)
{
	int64_t limit = making->what->limits.depth;
	bool beyond = limit >= 0 && model_slot(making->what->model, slot)->depth > limit;

	making->flame->nr_hidden += beyond;
	return beyond;
}

struct flame_step {
	uint32_t slot, place;
};

/* True if the filter excludes the process. The process at the top of the graph is not excluded. */
static bool flame_excludes_process(struct making *making, uint32_t slot, uint32_t place)
{
	bool out = making->what->filter && place != FLAME_NONE &&
		   !filter_process(making->what->filter, making->what->model, slot);

	making->flame->nr_hidden += out;
	return out;
}

/* Not recursive, because trees may be deep. */
static void flame_add_tree(struct making *making, uint32_t slot, uint32_t parent)
{
	const struct model *model = making->what->model;
	struct flame_step *stack = NULL;
	size_t nr = 0, cap = 0;
	struct flame_step at = { slot, parent };

	for (;;) {
		if (!is_beyond(making, at.slot)) {
			uint32_t place = flame_excludes_process(making, at.slot, at.place)
						 ? at.place
						 : flame_add_process(making, at.slot, at.place);
			const struct process *process = model_slot(model, at.slot);
			uint32_t child = place == FLAME_NONE ? SLOT_NONE : process->first_child;

			for (; child != SLOT_NONE; child = model_next_sibling(model, child)) {
				GROW(stack, nr, cap, 64);
				stack[nr++] = (struct flame_step){ child, place };
			}
		}
		if (!nr)
			break;
		at = stack[--nr];
	}
	free(stack);
}

static void flame_add_all(struct making *making)
{
	const struct model *model = making->what->model;
	uint32_t top = node_of(making->flame, FLAME_NONE, FLAME_NODE_ALL, 0, 0);

	for (uint32_t slot = model_first_root(model); slot != SLOT_NONE;
	     slot = model_next_sibling(model, slot))
		flame_add_tree(making, slot, top);
	for (uint32_t at = making->flame->nodes[top].child; at != FLAME_NONE;
	     at = making->flame->nodes[at].sibling)
		flame_add_time(&making->flame->nodes[top], making->flame->nodes[at].count,
			       making->flame->nodes[at].total, 0);
}

/* children come after their parents in the array, so go backward */
static void sum_rooms(struct flame *flame)
{
	for (uint32_t i = flame->nr; i-- > 0;) {
		struct flame_node *node = &flame->nodes[i];

		node->room = node->total > node->inner ? (double)node->total : node->inner;
		if (node->kind != FLAME_NODE_REGION && node->kind != FLAME_NODE_FRAME)
			node->self = (double)node->total > node->inner
					     ? (ns_t)((double)node->total - node->inner)
					     : 0;
		if (node->parent != FLAME_NONE)
			flame->nodes[node->parent].inner += node->room;
	}
}

void flame_make(struct flame *flame, const struct analysis *what, const struct flame_of *of)
{
	struct making making = { .flame = flame, .what = what, .of = of };
	uint32_t slot = model_process(what->model, what->process) ? what->process.slot : SLOT_NONE;

	flame->nr = flame->nr_order = flame->nr_hidden = 0;
	flame->nr_levels = 0;
	flame->live = false;
	tr2_hash_index_clear(&flame->by_id);
	if (of->scope == FLAME_ALL && model_nr_processes(what->model))
		flame_add_all(&making);
	else if (of->scope == FLAME_TREE && slot != SLOT_NONE)
		flame_add_tree(&making, lanes_root(what->model, slot), FLAME_NONE);
	else if (of->scope == FLAME_SAMPLES && slot != SLOT_NONE)
		flame_add_samples(&making, slot);
	else if (slot != SLOT_NONE)
		flame_add_process(&making, slot, FLAME_NONE);
	else if (of->scope == FLAME_REGION)
		for (slot = model_first_slot(what->model); slot != SLOT_NONE;
		     slot = model_next_slot(what->model, slot))
			if (!is_beyond(&making, slot) &&
			    filter_process(what->filter, what->model, slot))
				flame_add_process(&making, slot, FLAME_NONE);
	sum_rooms(flame);
}

/* for the compare function, because qsort() passes no context */
static const struct flame *sorted_flame;

static int widest_first(const void *a, const void *b)
{
	const struct flame_node *x = &sorted_flame->nodes[*(const uint32_t *)a];
	const struct flame_node *y = &sorted_flame->nodes[*(const uint32_t *)b];

	if (x->room != y->room)
		return x->room < y->room ? 1 : -1;
	if (x->a != y->a)
		return x->a > y->a ? 1 : -1;
	return (x->b > y->b) - (x->b < y->b);
}

static void place_children(struct flame *flame, uint32_t parent)
{
	const struct flame_node *node = &flame->nodes[parent];
	uint32_t first = flame->nr_order;
	double x = node->x0, scale = node->room > 0 ? (node->x1 - node->x0) / node->room : 0;

	for (uint32_t at = node->child; at != FLAME_NONE; at = flame->nodes[at].sibling)
		flame->order[flame->nr_order++] = at;
	sorted_flame = flame;
	qsort(flame->order + first, flame->nr_order - first, sizeof(*flame->order), widest_first);
	for (uint32_t i = first; i < flame->nr_order; i++) {
		struct flame_node *child = &flame->nodes[flame->order[i]];

		child->level = node->level + 1;
		child->x0 = x;
		x += child->room * scale;
		child->x1 = x = x < node->x1 ? x : node->x1;
	}
}

void flame_layout(struct flame *flame, uint32_t top)
{
	uint32_t from = 0;

	flame->nr_order = 0;
	flame->nr_levels = 0;
	if (top >= flame->nr)
		return;
	flame->order = xreallocarray(flame->order, flame->cap, sizeof(*flame->order));
	flame->order[flame->nr_order++] = top;
	flame->nodes[top].level = 0;
	flame->nodes[top].x0 = 0;
	flame->nodes[top].x1 = 1;
	while (from < flame->nr_order && flame->nr_levels < FLAME_MAX_LEVELS) {
		uint32_t end = flame->nr_order;

		flame->starts[flame->nr_levels++] = from;
		for (; from < end; from++)
			place_children(flame, flame->order[from]);
	}
	flame->starts[flame->nr_levels] = from;
	flame->nr_order = from;
}

void flame_cells(const struct flame_node *node, int cols, int *from, int *to)
{
	/* 1e-6 compensates for rounding, which could make a node one cell narrower */
	*from = (int)(node->x0 * cols + 1e-6);
	*to = (int)(node->x1 * cols + 1e-6);
}

void flame_release(struct flame *flame)
{
	free(flame->nodes);
	free(flame->order);
	tr2_hash_index_release(&flame->by_id);
	memset(flame, 0, sizeof(*flame));
}
