/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"
#include "monitor/read/gotrace/go_walk.h"

void go_walk_release(struct go_walk *walk)
{
	free(walk->gs);
	free(walk->ps);
	free(walk->before);
	free(walk->g_guesses.at);
	ids_release(&walk->g_ids);
	ids_release(&walk->p_ids);
}

static struct go_walk_g *walk_find_g(struct go_walk *walk, uint64_t id)
{
	uint32_t index = go_guess(&walk->g_guesses, id);

	if (index < walk->nr_gs && walk->gs[index].id == id)
		return &walk->gs[index];
	index = go_guess_set(&walk->g_guesses, id, go_index(&walk->g_ids, id));
	if (index != GO_NO_INDEX)
		return &walk->gs[index];
	if (walk->nr_gs == GO_MAX_GOROUTINES)
		return NULL;
	GROW(walk->gs, walk->nr_gs, walk->cap_gs, 64);
	ids_add(&walk->g_ids, id, walk->nr_gs);
	go_guesses_for(&walk->g_guesses, walk->nr_gs);
	go_guess_set(&walk->g_guesses, id, walk->nr_gs);
	walk->gs[walk->nr_gs] = (struct go_walk_g){ .id = id };
	return &walk->gs[walk->nr_gs++];
}

static struct go_walk_p *walk_find_p(struct go_walk *walk, uint64_t id)
{
	uint32_t index = go_index(&walk->p_ids, id);

	if (index != GO_NO_INDEX)
		return &walk->ps[index];
	if (walk->nr_ps == GO_MAX_PROCS)
		return NULL;
	GROW(walk->ps, walk->nr_ps, walk->cap_ps, 16);
	ids_add(&walk->p_ids, id, walk->nr_ps);
	walk->ps[walk->nr_ps] = (struct go_walk_p){ .id = id };
	return &walk->ps[walk->nr_ps++];
}

struct go_text go_outermost(const struct go_generation *gen, uint64_t id)
{
	struct go_stack stack = go_stack(gen, id);
	struct go_text outermost = { NULL, 0 };
	const uint8_t *at = stack.frames;

	if (stack.nr > 1)
		at = go_skip(at, at + stack.nr_bytes, 4 * (stack.nr - 1));
	if (stack.nr && at)
		outermost = go_stack_function(gen, &stack, &at);
	return outermost.len ? outermost : (struct go_text){ NULL, 0 };
}

/* Use the outermost function of this stack as the goroutine's name. Returns false if the function
 * has no name and the goroutine still needs one. */
static bool walk_name_g(struct go_walk *walk, uint64_t id, uint64_t stack, bool by_status)
{
	struct go_walk_g *g = walk_find_g(walk, id);

	if (!g || (by_status ? g->is_named : g->stack != 0))
		return true;
	if (!stack || !go_outermost(walk->gen, stack).text)
		return false;
	g->stack = stack;
	g->is_named = by_status;
	return true;
}

enum {
	IS_STATUS = 1, /* the event reports an existing goroutine, P or range */
	STARTS = 2,    /* from then on, the event's goroutine runs on the thread */
	LEAVES = 4,    /* from then on, no goroutine runs on the thread */
};
static const uint8_t is_to_walk[256] = {
	[WIRE_GO_STATUS] = IS_STATUS,
	[WIRE_GO_STATUS_STACK] = IS_STATUS,
	[WIRE_PROC_STATUS] = IS_STATUS,
	[WIRE_GC_ACTIVE] = IS_STATUS,
	[WIRE_GC_SWEEP_ACTIVE] = IS_STATUS,
	[WIRE_GC_MARK_ASSIST_ACTIVE] = IS_STATUS,
	[WIRE_GO_START] = STARTS,
	[WIRE_GO_SWITCH] = STARTS,
	[WIRE_GO_SWITCH_DESTROY] = STARTS,
	[WIRE_GO_CREATE_SYSCALL] = STARTS,
	[WIRE_GO_STOP] = LEAVES,
	[WIRE_GO_BLOCK] = LEAVES,
	[WIRE_GO_DESTROY] = LEAVES,
	[WIRE_GO_DESTROY_SYSCALL] = LEAVES,
	[WIRE_GO_SYSCALL_END_BLOCKED] = LEAVES,
};

static void walk_status(struct go_walk *walk, uint64_t thread, uint8_t type, const uint64_t *a,
			uint64_t *current)
{
	struct go_walk_g *g;
	struct go_walk_p *p;

	switch (type) {
	case WIRE_GO_STATUS:
	case WIRE_GO_STATUS_STACK:
		g = walk_find_g(walk, a[0]);
		if (g && g->status == GO_GONE && a[2] <= GO_WAITING)
			g->status = (uint8_t)a[2];
		if (type == WIRE_GO_STATUS_STACK)
			walk_name_g(walk, a[0], a[3], true);
		if (a[2] == GO_RUNNING || (a[2] == GO_SYSCALL && a[1] == thread))
			*current = a[0];
		break;
	case WIRE_PROC_STATUS:
		p = walk_find_p(walk, a[0]);
		if (p && p->status == PROC_GONE && a[1] <= PROC_ABANDONED)
			p->status = (uint8_t)a[1];
		break;
	case WIRE_GC_ACTIVE:
		walk->in_gc = true;
		break;
	case WIRE_GC_SWEEP_ACTIVE:
		p = walk_find_p(walk, a[0]);
		if (p)
			p->in_sweep = true;
		break;
	case WIRE_GC_MARK_ASSIST_ACTIVE:
		g = walk_find_g(walk, a[0]);
		if (g)
			g->in_assist = true;
		break;
	}
}

static uint64_t walk_argument(const uint8_t *at, const uint8_t *end, unsigned nr)
{
	uint64_t v = 0;

	go_varint(nr ? go_skip(at, end, nr) : at, end, &v);
	return v;
}

static inline const uint8_t *walk_event_end(const uint8_t *at, const uint8_t *end, unsigned nr,
					    bool wants_dt, uint64_t *dt)
{
	if (!wants_dt)
		return go_skip(at, end, nr);
	at = end - at >= GO_MAX_VARINT ? go_varint_there(at, dt) : go_varint(at, end, dt);
	return at && nr > 1 ? go_skip(at, end, nr - 1) : at;
}

static void walk_thread(struct go_walk *walk, const struct go_thread *thread, bool wants_last)
{
	const struct go_generation *gen = walk->gen;
	/* `current`: goroutine of the thread; `nameless`: `current` while its name is sought; 0:
	 * none */
	uint64_t current = 0, nameless = 0;

	for (uint32_t b = thread->first; b != GO_NO_INDEX; b = gen->batches[b].next) {
		const uint8_t *at = gen->batches[b].at, *end = at + gen->batches[b].len, *next;
		int64_t ns = go_ns(gen, gen->batches[b].time);

		for (; at < end; at = next) {
			uint8_t type = *at++, is = is_to_walk[type];
			const struct go_wire_row *row = &go_wire_rows[type];
			uint64_t dt = 0;

			next = row->nr_args ? walk_event_end(at, end, row->nr_args, wants_last, &dt)
					    : NULL;
			if (!next)
				break;
			if (wants_last) {
				ns = ns_add(ns, go_ns(gen, dt));
				walk->last_ns = ns > walk->last_ns ? ns : walk->last_ns;
			}
			if (is & IS_STATUS) {
				uint64_t a[4] = { 0 };

				for (unsigned i = 1; i < row->nr_args; i++)
					a[i - 1] = walk_argument(at, end, i);
				walk_status(walk, thread->id, type, a, &current);
				nameless = current;
				continue;
			}
			if (is & STARTS) {
				nameless = current = walk_argument(at, end, 1);
				continue;
			}
			if (nameless && row->stack &&
			    walk_name_g(walk, nameless, walk_argument(at, end, row->stack), false))
				nameless = 0;
			if (is & LEAVES)
				nameless = current = 0;
		}
	}
}

static void walk_all(struct go_walk *walk, bool wants_last)
{
	walk->is_due = false;
	for (uint32_t i = 0; i < walk->gen->nr_threads; i++)
		walk_thread(walk, &walk->gen->threads[i], wants_last);
}

static int by_g_id(const void *a, const void *b, void *gs)
{
	uint64_t i = ((const struct go_walk_g *)gs)[*(const uint32_t *)a].id;
	uint64_t j = ((const struct go_walk_g *)gs)[*(const uint32_t *)b].id;

	return i < j ? -1 : i > j;
}

void go_walk_begin(struct go_walk *walk, const struct go_generation *gen)
{
	ids_clear(&walk->g_ids);
	ids_clear(&walk->p_ids);
	walk->gen = gen;
	walk->is_due = true;
	walk->nr_gs = walk->nr_ps = walk->nr_before = 0;
	walk->in_gc = false;
	walk->last_ns = go_ns(gen, gen->min_time);
}

void go_walk_first(struct go_walk *walk, bool wants_last)
{
	walk_all(walk, wants_last);
	if (walk->nr_gs > walk->cap_before) {
		walk->cap_before = walk->nr_gs;
		walk->before = xreallocarray(walk->before, walk->nr_gs, sizeof(*walk->before));
	}
	for (uint32_t i = 0; i < walk->nr_gs; i++)
		if (walk->gs[i].status != GO_GONE)
			walk->before[walk->nr_before++] = i;
	if (walk->nr_before)
		platform_sort(walk->before, walk->nr_before, sizeof(*walk->before), by_g_id,
			      walk->gs);
}

const struct go_walk_g *go_walk_find(struct go_walk *walk, uint64_t id)
{
	uint32_t index;

	if (walk->is_due)
		walk_all(walk, false);
	index = go_index(&walk->g_ids, id);
	return index == GO_NO_INDEX ? NULL : &walk->gs[index];
}
