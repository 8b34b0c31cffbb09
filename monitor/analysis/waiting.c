/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/formats.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"

const char *const wait_kind_names[NR_WAIT_KINDS] = {
	[WAIT_REGION] = "region", [WAIT_CHILD] = "child",       [WAIT_UNTRACED] = "untraced",
	[WAIT_PERSON] = "person", [WAIT_CHILDREN] = "children", [WAIT_THINKING] = "thinking",
};

static struct wait *wait_add(struct waits *w, enum wait_kind kind, uint32_t slot, ns_t since)
{
	GROW(w->items, w->nr, w->cap, 8);
	w->items[w->nr] = (struct wait){ .kind = (uint8_t)kind,
					 .slot = slot,
					 .category = SYM_NONE,
					 .label = SYM_NONE,
					 .child = SLOT_NONE,
					 .since = since };
	return &w->items[w->nr++];
}

static ns_t wait_since(const struct process *p, ns_t now, ns_t at)
{
	ns_t time;

	if (p->axis.offset == NS_NONE || now == NS_NONE)
		return NS_NONE;
	time = ns_sub(ns_sub(process_now(p, now), p->axis.offset), at);
	return time > 0 ? time : 0;
}

/* Return the earliest child that the process may wait for, or SLOT_NONE. Sets `*nr` to the number
 * of such children. Pipes (transports) count only if there is no other such child. */
static uint32_t eldest_child(const struct model *m, const struct process *p, uint32_t *nr)
{
	uint32_t found = SLOT_NONE, pipe = SLOT_NONE, nr_pipes = 0;

	*nr = 0;
	if (format_of(m, p)->has_tasks)
		return found;
	for (uint32_t i = p->children.nr; i-- > 0;) {
		const struct child *c = process_child(m, p, i);

		if (c->begin_at == NS_NONE || c->exit_at != NS_NONE || c->ready_at != NS_NONE ||
		    c->inside != p->axis.innermost || child_is_beside(m, c))
			continue;
		if (child_is_pipe(m, c)) {
			nr_pipes++;
			pipe = i;
		} else {
			++*nr;
			found = i;
		}
	}
	if (found != SLOT_NONE)
		return found;
	*nr = nr_pipes;
	return pipe;
}

/* Return the process of child `child` of `p`, or the exec successor of `p` if `child` is
 * SLOT_NONE, that runs or was replaced by exec; of several, the process that started first.
 * SLOT_NONE: none. */
static uint32_t running_kid(const struct model *m, const struct process *p, uint32_t child)
{
	uint32_t found = SLOT_NONE;

	for (uint32_t s = p->first_child; s != SLOT_NONE; s = model_next_sibling(m, s)) {
		const struct process *kid = model_slot(m, s);
		bool is_it = child != SLOT_NONE ? kid->link == child
						: p->pid != NUM_NONE && kid->pid == p->pid;

		if (is_it && (kid->state == STATE_RUNNING || kid->state == STATE_REPLACED) &&
		    (found == SLOT_NONE || kid->axis.origin <= model_slot(m, found)->axis.origin))
			found = s;
	}
	return found;
}

/* Add the region in which the process is or, outside any region, the time since the last
 * activity. */
static void wait_alone(struct waits *w, const struct analysis *what, uint32_t slot)
{
	const struct process *p = model_slot(what->model, slot);
	const struct axis *x = &p->axis;
	const struct ledger_entry *ledger = process_ledger(what->model, p);
	ns_t at = x->init == NS_NONE ? 0 : x->init;

	if (x->innermost != LEDGER_NONE) {
		const struct timing_cell *cell = model_cell(what->model, ledger[x->innermost].cell);
		struct wait *wait = wait_add(w, WAIT_REGION, slot,
					     wait_since(p, what->now, ledger[x->innermost].at));

		wait->category = cell->category;
		wait->label = cell->label;
		return;
	}
	if (x->ledger.nr && ledger[x->ledger.nr - 1].at > at)
		at = ledger[x->ledger.nr - 1].at;
	for (uint32_t i = 0; i < p->children.nr; i++) {
		const struct child *c = process_child(what->model, p, i);

		if (c->begin_at != NS_NONE && c->exit_at > at)
			at = c->exit_at;
	}
	wait_add(w, WAIT_THINKING, slot, wait_since(p, what->now, at));
}

void waits_make(struct waits *w, const struct analysis *what, uint32_t slot)
{
	const struct model *m = what->model;

	w->nr = 0;
	while (slot != SLOT_NONE) {
		const struct process *p = model_slot(m, slot);
		uint32_t nr, child, kid;
		struct wait *wait;

		if (p->state == STATE_REPLACED) {
			slot = running_kid(m, p, SLOT_NONE);
			continue;
		}
		if (p->state != STATE_RUNNING)
			return;
		child = eldest_child(m, p, &nr);
		if (child == SLOT_NONE) {
			wait_alone(w, what, slot);
			return;
		}
		kid = running_kid(m, p, child);
		if (nr > 1)
			wait_add(w, WAIT_CHILDREN, slot, NS_NONE)->nr = nr;
		wait = wait_add(w, kid != SLOT_NONE ? WAIT_CHILD : WAIT_UNTRACED, slot,
				wait_since(p, what->now, process_child(m, p, child)->begin_at));
		if (kid == SLOT_NONE && child_is_person(m, process_child(m, p, child)))
			wait->kind = WAIT_PERSON;
		wait->child = child;
		if (nr > 1)
			w->items[w->nr - 2].since = wait->since;
		slot = kid;
	}
}

void waits_release(struct waits *w)
{
	free(w->items);
	memset(w, 0, sizeof(*w));
}

bool waits_begin_at(const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot);
	uint32_t above = p->parent;

	if (p->state != STATE_RUNNING)
		return false;
	while (above != SLOT_NONE && model_slot(m, above)->state == STATE_REPLACED)
		above = model_slot(m, above)->parent;
	return above == SLOT_NONE || model_slot(m, above)->state != STATE_RUNNING;
}

void wait_format(const struct model *m, const struct wait *wait, struct tr2_buf *out)
{
	const struct process *p = model_slot(m, wait->slot);

	switch ((enum wait_kind)wait->kind) {
	case WAIT_REGION:
		format_region(m, wait->category, wait->label, out);
		return;
	case WAIT_CHILDREN:
		tr2_buf_addf(out, "%u children", wait->nr);
		return;
	case WAIT_THINKING:
		tr2_buf_addstr(out, "no known reason");
		return;
	default:
		if (wait->child < p->children.nr)
			format_child_name(m, process_child(m, p, wait->child), out);
	}
}
