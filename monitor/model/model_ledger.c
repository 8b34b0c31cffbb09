/* SPDX-License-Identifier: MIT */
/*
 * The time axis of a process: positions of the region events of its first thread (in the list
 * called the ledger) and of the children that this thread may wait for.
 *
 * Invariant: in the order of events, positions do not decrease, and none is greater than `last`.
 * Positions after `bound`, the last one that is from a t_abs, are reduced if the next t_abs is
 * less.
 *
 * Entries of the ledger and children refer to entries by index, which only ledger_coarsen()
 * changes.
 */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>

#include "monitor/base/die.h"

/* The wall clock counts as set if the clocks differ by more than AXIS_STEP_NS plus one part in
 * STEP_DIV of the measured time. */
#define STEP_DIV 100
/* Initial size of the ledger, as a step of struct vec: eight entries. */
#define FIRST_STEP 5u
/* Maximum number of open regions that are searched for the one that a region_leave ends, because a
 * malicious trace may leave regions that it never entered. */
#define LOOK_OUT 256u

static struct ledger_entry *ledger_entry_at(const struct model *m, const struct axis *x,
					    uint32_t nr)
{
	return (struct ledger_entry *)heap_get(&m->heap, x->ledger.ref) + nr;
}

static struct child *ledger_child(const struct model *m, const struct process *p, uint32_t index)
{
	return vec_at(&m->heap, &p->children, index, sizeof(struct child));
}

uint32_t process_children_gone(const struct model *m, const struct process *p)
{
	return p->long_lists ? long_lists_of(m, p)->children_gone : 0;
}

/* ---- the axis ---- */

bool axis_begin(struct process *p, sym_t thread)
{
	if (p->main_thread != SYM_NONE && p->main_thread != thread)
		return false;
	p->axis.begun = true;
	p->axis.thread = thread;
	return true;
}

static void axis_move(struct axis *x, ns_t at)
{
	if (at > x->last)
		x->last = at;
	if (!x->starting)
		return;
	x->starting = false;
	x->settled = x->known;
	x->init = x->last;
}

/* Reduce positions after `bound` to `bound`: the next t_abs shows that they were too late. */
static void axis_take_back(struct model *m, struct process *p, ns_t bound)
{
	struct axis *x = &p->axis;

	x->last = bound;
	if (x->init != NS_NONE && x->init > bound)
		x->init = bound;
	for (uint32_t i = x->ledger.nr; i-- > 0 && ledger_entry_at(m, x, i)->at > bound;)
		ledger_entry_at(m, x, i)->at = bound;
	for (uint32_t i = 0; i < p->children.nr; i++) {
		struct child *c = ledger_child(m, p, i);

		if (c->begin_at > bound)
			c->begin_at = bound;
		if (c->ready_at > bound)
			c->ready_at = bound;
		if (c->exit_at > bound)
			c->exit_at = bound;
	}
}

static ns_t shift_position(ns_t at, ns_t by)
{
	if (at == NS_NONE)
		return at;
	at = ns_add(at, by);
	return at > 0 ? at : 0;
}

/* Shift the positions of ledger, children, `last` and `init` by `by`: position 0 was assumed at a
 * wrong time. */
static void axis_shift(struct model *m, struct process *p, ns_t by)
{
	struct axis *x = &p->axis;

	x->last = shift_position(x->last, by);
	x->init = shift_position(x->init, by);
	for (uint32_t i = 0; i < x->ledger.nr; i++)
		ledger_entry_at(m, x, i)->at = shift_position(ledger_entry_at(m, x, i)->at, by);
	for (uint32_t i = 0; i < p->children.nr; i++) {
		struct child *c = ledger_child(m, p, i);

		if (c->begin_at == NS_NONE)
			continue;
		c->begin_at = shift_position(c->begin_at, by);
		c->ready_at = shift_position(c->ready_at, by);
		c->exit_at = shift_position(c->exit_at, by);
		if (c->offset != NS_NONE)
			c->offset = ns_sub(c->offset, by);
	}
}

/* Compare an event's wall time with its position `at` by another clock, which measured the time
 * span `read`. Note if the wall clock was set. */
static __attribute__((noinline)) void axis_check(struct axis *x, ns_t time, ns_t at, ns_t read)
{
	ns_t by;

	if (x->offset == NS_NONE)
		return;
	by = ns_sub(ns_sub(time, x->offset), at);
	if (by <= AXIS_STEP_NS + read / STEP_DIV && by >= -AXIS_STEP_NS - read / STEP_DIV)
		return;
	x->offset = ns_add(x->offset, by);
	x->stepped = true;
}

/* Set position 0 to wall time `origin`, from the first event with a wall time and a t_abs. */
static void axis_origin(struct model *m, struct process *p, ns_t origin)
{
	struct axis *x = &p->axis;

	if (!x->anchored && x->origin != NS_NONE)
		axis_shift(m, p, ns_sub(x->origin, origin));
	x->origin = x->offset = origin;
	x->known = true;
	x->settled = !x->starting;
}

static void axis_anchor(struct model *m, struct process *p, const struct event *ev)
{
	struct axis *x = &p->axis;
	bool has_time = event_has(ev, TR2_F_TIME);
	ns_t t_abs = ev->v[TR2_F_T_ABS] > 0 ? ev->v[TR2_F_T_ABS] : 0, bound;

	if (has_time && !x->known)
		axis_origin(m, p, ns_sub(ev->v[TR2_F_TIME], t_abs));
	else if (has_time)
		axis_check(x, ev->v[TR2_F_TIME], t_abs, t_abs);
	bound = t_abs > x->bound ? t_abs : x->bound;
	if (x->last > bound)
		axis_take_back(m, p, bound);
	axis_move(x, t_abs);
	x->bound = x->last;
	x->anchored = true;
}

void axis_place(struct model *m, struct process *p, const struct event *ev)
{
	struct axis *x = &p->axis;
	ns_t at = 0;

	if (event_has(ev, TR2_F_T_ABS)) {
		axis_anchor(m, p, ev);
		return;
	}
	if (event_has(ev, TR2_F_TIME)) {
		if (x->offset == NS_NONE)
			x->origin = x->offset = ev->v[TR2_F_TIME];
		at = ns_sub(ev->v[TR2_F_TIME], x->offset);
	}
	axis_move(x, at);
}

/* Set the position of an event whose kind is in PLACED_BY_LENGTH. `begin` is the position of its
 * start event; NS_NONE: unknown. */
static inline void axis_by_length(struct axis *x, const struct event *ev, ns_t begin)
{
	bool has_length = begin != NS_NONE && event_has(ev, TR2_F_T_REL);
	ns_t at = x->last, length;

	if (has_length) {
		length = ev->v[TR2_F_T_REL] > 0 ? ev->v[TR2_F_T_REL] : 0;
		at = ns_add(begin, length);
	}
	if (!event_has(ev, TR2_F_TIME)) {
		x->guessed = true;
	} else if (!has_length) {
		if (x->offset == NS_NONE)
			x->origin = x->offset = ev->v[TR2_F_TIME];
		at = ns_sub(ev->v[TR2_F_TIME], x->offset);
	} else if (!axis_agrees(x, ev->v[TR2_F_TIME], at)) {
		axis_check(x, ev->v[TR2_F_TIME], at, length);
	}
	axis_move(x, at);
}

void axis_starts(struct applying *a)
{
	struct process *p = &a->model->processes[a->slot];

	if (!a->on_axis || p->axis.ledger.nr || p->children.nr)
		return;
	p->axis.starting = true;
	p->axis.settled = false;
}

void axis_end(struct applying *a)
{
	struct axis *x = &a->model->processes[a->slot].axis;
	ns_t at = event_get(a->ev, TR2_F_T_ABS, NS_NONE);

	if (a->model->config.no_why)
		return;
	if (at == NS_NONE)
		at = x->last;
	at = at > 0 ? at : 0;
	if (a->ev->kind == TR2_E_ATEXIT) {
		if (!x->nr_atexit)
			x->first_atexit = at;
		x->nr_atexit = x->nr_atexit ? 2 : 1;
	}
	/* A process with a second atexit event continued as a daemon. For its parent it ended at
	 * the first one. */
	x->end = x->nr_atexit > 1 ? x->first_atexit : at;
}

/* ---- the ledger (list of region events of the first thread), and children ---- */

/*
 * Merges pairs of neighbouring intervals in the older half of a full ledger: the longer one
 * replaces both. Children that refer to a lost entry then refer to the region whose interval
 * replaced it.
 *
 * to[] has the new index of each old entry that enters a region; LEDGER_NONE: not copied yet.
 */
struct coarsening {
	const struct ledger_entry *from;
	struct ledger_entry *kept;
	uint32_t nr_kept;
	uint32_t *to;
};

/* Return the index of the entry that entered the innermost region after entry `nr`; LEDGER_NONE: no
 * region was open. */
static uint32_t coarse_innermost(const struct ledger_entry *entries, uint32_t nr)
{
	return entries[nr].cell == LEDGER_NONE ? entries[nr].outer : nr;
}

/* Append an interval: from `at` on, the region of the old entry `region` is innermost. */
static void coarse_add(struct coarsening *c, ns_t at, uint32_t region)
{
	uint32_t outermost = region, outer = LEDGER_NONE;

	if (region == LEDGER_NONE || c->to[region] != LEDGER_NONE) {
		if (region != LEDGER_NONE)
			outer = c->to[region];
		c->kept[c->nr_kept++] = (struct ledger_entry){ at, LEDGER_NONE, outer };
		return;
	}
	/* First copy outer regions that were not copied yet. */
	while (outermost != LEDGER_NONE && c->to[outermost] == LEDGER_NONE) {
		uint32_t next = c->from[outermost].outer;

		/* link outer regions to inner ones, to go back inwards afterwards */
		c->to[outermost] = outer;
		outer = outermost;
		outermost = next;
	}
	outermost = outermost == LEDGER_NONE ? LEDGER_NONE : c->to[outermost];
	while (outer != LEDGER_NONE) {
		uint32_t inner = c->to[outer];

		c->to[outer] = c->nr_kept;
		c->kept[c->nr_kept] = (struct ledger_entry){ at, c->from[outer].cell, outermost };
		outermost = c->nr_kept++;
		outer = inner;
	}
}

static void ledger_coarsen(struct model *m, struct process *p)
{
	struct axis *x = &p->axis;
	uint32_t nr = x->ledger.nr, half = nr / 2 & ~1u;
	struct coarsening c = { .from = ledger_entry_at(m, x, 0) };
	uint32_t *instead = xreallocarray(NULL, nr, sizeof(*instead));

	c.kept = xreallocarray(NULL, nr, sizeof(*c.kept));
	c.to = xreallocarray(NULL, nr, sizeof(*c.to));
	for (uint32_t i = 0; i < nr; i++)
		c.to[i] = instead[i] = LEDGER_NONE;
	for (uint32_t i = 0; i < half; i += 2) {
		ns_t first = c.from[i + 1].at - c.from[i].at;
		ns_t second = c.from[i + 2].at - c.from[i + 1].at;
		uint32_t region = coarse_innermost(c.from, first >= second ? i : i + 1);

		coarse_add(&c, c.from[i].at, region);
		instead[i] = instead[i + 1] = region;
	}
	for (uint32_t i = half; i < nr; i++)
		coarse_add(&c, c.from[i].at, coarse_innermost(c.from, i));
	for (uint32_t i = 0; i < p->children.nr; i++) {
		struct child *child = ledger_child(m, p, i);
		uint32_t region = child->inside;

		if (region < nr && c.to[region] == LEDGER_NONE)
			region = instead[region];
		child->inside = region < nr ? c.to[region] : LEDGER_NONE;
	}
	/* The innermost region has the last interval, so its entry was copied. */
	x->innermost = x->innermost == LEDGER_NONE ? LEDGER_NONE : c.to[x->innermost];
	m->dropped.ledger += half / 2;
	memcpy(ledger_entry_at(m, x, 0), c.kept, c.nr_kept * sizeof(*c.kept));
	x->ledger.nr = c.nr_kept;
	free(c.kept);
	free(c.to);
	free(instead);
}

static __attribute__((noinline)) void ledger_room(struct model *m, struct process *p)
{
	struct axis *x = &p->axis;
	uint32_t max = bounded(m, MAX_LEDGER_ENTRIES);

	if (max && x->ledger.nr >= max) {
		ledger_coarsen(m, p);
		return;
	}
	if (x->ledger.ref) {
		vec_grow_to(&m->heap, &x->ledger, sizeof(struct ledger_entry),
			    x->ledger.cap_step + 2u);
	} else {
		x->ledger.cap_step = FIRST_STEP;
		x->ledger.ref = heap_allocate(&m->heap, vec_step_cap(FIRST_STEP) *
								sizeof(struct ledger_entry));
	}
	x->room = (uint32_t)vec_cap(&x->ledger);
	if (max && x->room > max)
		x->room = max;
}

void ledger_enter_any(struct applying *a, uint32_t cell)
{
	struct model *m = a->model;
	struct process *p = &m->processes[a->slot];
	struct axis *x = &p->axis;

	if (!event_has(a->ev, TR2_F_TIME))
		x->guessed = true;
	/* Limit the open regions in the ledger, so that enough intervals of closed regions can be
	 * merged. */
	if (x->nr_beyond || x->nr_open >= MAX_LIST_ITEMS) {
		x->nr_beyond += x->nr_beyond < UINT32_MAX;
		return;
	}
	if (x->ledger.nr >= x->room)
		ledger_room(m, p);
	ledger_add(m, x, cell, x->innermost);
	x->innermost = x->ledger.nr - 1;
	x->nr_open++;
}

/*
 * Return the index of the innermost open region with the category and label of timing cell `cell`;
 * LEDGER_NONE: none of the LOOK_OUT innermost ones. Sets `*nr_closed` to the number of open regions
 * from the innermost to that one.
 */
static __attribute__((noinline)) uint32_t ledger_find(const struct model *m, const struct axis *x,
						      uint32_t cell, uint32_t *nr_closed)
{
	uint32_t at = x->innermost, row = m->cells[cell].row;

	for (*nr_closed = 1; at != LEDGER_NONE && *nr_closed <= LOOK_OUT; ++*nr_closed) {
		if (m->cells[ledger_entry_at(m, x, at)->cell].row == row)
			return at;
		at = ledger_entry_at(m, x, at)->outer;
	}
	return LEDGER_NONE;
}

void ledger_leave_any(struct applying *a, uint32_t cell)
{
	struct model *m = a->model;
	struct process *p = &m->processes[a->slot];
	struct axis *x = &p->axis;
	uint32_t region = x->innermost, nr_closed = 1;

	if (x->nr_beyond) {
		x->nr_beyond--;
		region = LEDGER_NONE;
	} else if (region != LEDGER_NONE && ledger_entry_at(m, x, region)->cell != cell) {
		region = ledger_find(m, x, cell, &nr_closed);
	}
	axis_by_length(x, a->ev,
		       region == LEDGER_NONE ? NS_NONE : ledger_entry_at(m, x, region)->at);
	if (region == LEDGER_NONE)
		return;
	x->innermost = ledger_entry_at(m, x, region)->outer;
	x->nr_open -= nr_closed;
	if (x->ledger.nr >= x->room)
		ledger_room(m, p);
	ledger_add(m, x, LEDGER_NONE, x->innermost);
}

/* True if the event's thread is the first one, or had no thread_start event: the first thread may
 * wait for such a thread. False if there is no first thread yet. */
static bool counts_as_first(struct applying *a)
{
	struct process *p = &a->model->processes[a->slot];
	const struct thread *t;

	if (a->on_axis)
		return true;
	if (p->axis.thread == AXIS_NO_THREAD)
		return false;
	t = thread_at(a->model, p, a->thread);
	return !t->announced;
}

void axis_child_start(struct applying *a, struct child *c)
{
	struct process *p = &a->model->processes[a->slot];
	struct axis *x = &p->axis;

	c->begin_at = c->ready_at = c->exit_at = NS_NONE;
	c->inside = LEDGER_NONE;
	c->released = INDEX_NONE;
	if (!counts_as_first(a))
		return;
	if (!a->on_axis)
		axis_event(a->model, p, a->ev);
	if (!event_has(a->ev, TR2_F_TIME))
		x->guessed = true;
	c->begin_at = x->last;
	c->offset = x->offset;
	c->inside = x->innermost;
	c->released = x->last_exit;
}

void axis_child_ready(struct applying *a, struct child *c)
{
	struct axis *x = &a->model->processes[a->slot].axis;

	if (c->begin_at == NS_NONE && !a->on_axis)
		return;
	axis_by_length(x, a->ev, c->begin_at);
	if (c->begin_at != NS_NONE)
		c->ready_at = x->last;
}

void axis_child_exit(struct applying *a, struct child *c, uint32_t number)
{
	struct axis *x = &a->model->processes[a->slot].axis;

	if (c->begin_at == NS_NONE && !a->on_axis)
		return;
	axis_by_length(x, a->ev, c->begin_at);
	x->last_exit = number;
	if (c->begin_at != NS_NONE)
		c->exit_at = x->last;
}
