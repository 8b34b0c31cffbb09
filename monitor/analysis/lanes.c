/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/lanes.h"

#include <stdlib.h>

#include "monitor/analysis/live.h"
#include "monitor/base/grow.h"

/* a process to be visited, and the first lane of its nearest ancestor with lanes */
struct lane_step {
	uint32_t slot, parent;
	uint16_t level;
	int64_t key;
};

static void lanes_push(struct lanes *lanes, const struct lane_step *step)
{
	GROW(lanes->stack, lanes->nr_stack, lanes->cap_stack, 64);
	lanes->stack[lanes->nr_stack++] = *step;
}

/* sort in descending order, because processes are popped from the end of the stack */
static int last_first(const void *a, const void *b)
{
	const struct lane_step *x = a, *y = b;

	return (x->key < y->key) - (x->key > y->key);
}

static void lanes_push_list(const struct analysis *what, struct lanes *lanes, uint32_t slot,
			    const struct lane_step *above)
{
	uint32_t first = lanes->nr_stack;

	for (; slot != SLOT_NONE; slot = model_next_sibling(what->model, slot)) {
		ns_t start = model_slot(what->model, slot)->start;
		struct lane_step step = *above;

		step.slot = slot;
		step.key = start == NS_NONE ? 0 : above->parent == LANE_NONE ? -start : start;
		lanes_push(lanes, &step);
	}
	if (lanes->nr_stack > first)
		qsort(lanes->stack + first, lanes->nr_stack - first, sizeof(*lanes->stack),
		      last_first);
}

static ns_t link_time(const struct analysis *what, const struct process *process)
{
	if (process->link != SLOT_NONE && process->parent != SLOT_NONE) {
		const struct process *parent = model_slot(what->model, process->parent);

		if (process->link < parent->children.nr) {
			ns_t start = process_child(what->model, parent, process->link)->start;

			if (start != NS_NONE)
				return start;
		}
	}
	return process->start;
}

static struct lane *lanes_add_lane(struct lanes *lanes, const struct lane_step *step)
{
	struct lane *lane;

	GROW(lanes->items, lanes->nr, lanes->cap, 64);
	lane = &lanes->items[lanes->nr++];
	*lane = (struct lane){
		.slot = step->slot, .thread = SLOT_NONE, .parent = LANE_NONE, .level = step->level
	};
	return lane;
}

static void set_life(const struct analysis *what, struct lanes *lanes, struct lane *lane,
		     const struct process *process, const struct thread *thread)
{
	bool exited = thread && thread->exited;

	lane->live = process_is_live(process) && !exited;
	lane->failed = process_failed(process) || process->state == STATE_SIGNALED;
	lane->stale = process->state == STATE_RUNNING && !lane->live && !exited;
	lane->start = lane->first || !thread ? process->start : thread->first_time;
	lane->end = lane->live               ? process_now(process, what->now)
		    : lane->first || !thread ? process->end
					     : thread_end(process, thread, what->now);
	if (lane->start == NS_NONE && lane->live)
		lane->start = process->first_arrival;
	if (lane->start == NS_NONE)
		return;
	if (lane->end == NS_NONE || lane->end < lane->start)
		lane->end = lane->start;
	lanes->live |= lane->live;
	lanes->first = lane->start < lanes->first ? lane->start : lanes->first;
	lanes->edge = lane->end > lanes->edge ? lane->end : lanes->edge;
}

static void lanes_add_process(const struct analysis *what, struct lanes *lanes,
			      const struct lane_step *step)
{
	const struct process *process = model_slot(what->model, step->slot);
	uint32_t nr = process->threads.nr ? process->threads.nr : 1;

	for (uint32_t i = 0; i < nr; i++) {
		const struct thread *thread =
			i < process->threads.nr ? process_thread(what->model, process, i) : NULL;
		struct lane *lane = lanes_add_lane(lanes, step);

		lane->first = !i;
		if (!i) {
			lane->parent = step->parent;
			lane->link = link_time(what, process);
		}
		if (thread)
			lane->thread = i;
		set_life(what, lanes, lane, process, thread);
	}
}

uint32_t lanes_root(const struct model *model, uint32_t slot)
{
	while (model_slot(model, slot)->parent != SLOT_NONE)
		slot = model_slot(model, slot)->parent;
	return slot;
}

static void lanes_read_spans(const struct analysis *what, struct lanes *lanes, uint32_t root)
{
	struct text sid =
		root == SLOT_NONE ? (struct text){ 0 } : model_slot(what->model, root)->sid;
	const char *text = root == SLOT_NONE ? NULL : model_text(what->model, sid);

	if (!spans_is_of(&lanes->spans, text, sid.len))
		spans_reset(&lanes->spans, text, sid.len);
	lanes->read = spans_read(&lanes->spans, what->journal);
}

const struct track *lanes_track(const struct lanes *lanes, const struct model *model,
				const struct lane *lane)
{
	const struct process *process = model_slot(model, lane->slot);

	return lane->thread == SLOT_NONE
		       ? NULL
		       : spans_track(&lanes->spans,
				     spans_key(process->sid_hash,
					       process_thread(model, process, lane->thread)->name));
}

void lanes_clear(struct lanes *lanes)
{
	lanes->nr = 0;
	lanes->live = false;
	lanes->first = INT64_MAX;
	lanes->edge = INT64_MIN;
	lanes->read = 100;
}

uint32_t lanes_gather(struct lanes *lanes, const struct analysis *what, uint32_t root)
{
	struct lane_step top = { .slot = root, .parent = LANE_NONE };
	uint32_t nr_hidden = 0;

	lanes_clear(lanes);
	lanes_read_spans(what, lanes, root);
	lanes->nr_stack = 0;
	if (root != SLOT_NONE)
		lanes_push(lanes, &top);
	else
		lanes_push_list(what, lanes, model_first_root(what->model), &top);
	while (lanes->nr_stack) {
		struct lane_step step = lanes->stack[--lanes->nr_stack];
		const struct process *process = model_slot(what->model, step.slot);
		struct lane_step inner = { .parent = lanes->nr,
					   .level = (uint16_t)(step.level + 1) };

		if (what->limits.depth >= 0 && process->depth > what->limits.depth) {
			nr_hidden++;
			continue;
		}
		/* if the filter excludes a process, its descendants are shown in its place */
		if (filter_process(what->filter, what->model, step.slot)) {
			lanes_add_process(what, lanes, &step);
		} else {
			inner.parent = step.parent;
			inner.level = step.level;
			nr_hidden++;
		}
		lanes_push_list(what, lanes, process->first_child, &inner);
	}
	return nr_hidden;
}

void lanes_release(struct lanes *lanes)
{
	spans_release(&lanes->spans);
	free(lanes->items);
	free(lanes->stack);
}
