/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "monitor/base/grow.h"
#include "monitor/read/gotrace/go_walk.h"

void go_walk_release(struct go_walk *walk)
{
	free(walk->gs);
	free(walk->ps);
	ids_release(&walk->g_ids);
	ids_release(&walk->p_ids);
}

static struct go_walk_g *g_of(struct go_walk *walk, uint64_t id)
{
	uint32_t index = go_index(&walk->g_ids, id);

	if (index != GO_NO_INDEX)
		return &walk->gs[index];
	if (walk->nr_gs == GO_MAX_GOROUTINES)
		return NULL;
	GROW(walk->gs, walk->nr_gs, walk->cap_gs, 64);
	ids_add(&walk->g_ids, id, walk->nr_gs);
	walk->gs[walk->nr_gs] = (struct go_walk_g){ .id = id };
	return &walk->gs[walk->nr_gs++];
}

static struct go_walk_p *p_of(struct go_walk *walk, uint64_t id)
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

	for (uint32_t i = 0; i < stack.nr && at; i++)
		outermost = go_stack_function(gen, &stack, &at);
	return outermost.len ? outermost : (struct go_text){ NULL, 0 };
}

/* A stack of the goroutine: it has a name from now on, if the stack has one. */
static void name_by(struct go_walk *walk, const struct go_generation *gen, uint64_t id,
		    uint64_t stack, bool by_status)
{
	struct go_walk_g *g;

	if (!by_status && walk->named[id % GO_WALK_NAMED] == id)
		return;
	g = g_of(walk, id);
	if (!g || !stack || (by_status ? g->is_named : g->stack != 0))
		return;
	if (!go_outermost(gen, stack).text)
		return;
	g->stack = stack;
	g->is_named = by_status;
	walk->named[id % GO_WALK_NAMED] = id;
}

/* One event of a thread; `current` is its goroutine, 0: none is known. */
static void walk_event(struct go_walk *walk, const struct go_generation *gen, uint64_t thread,
		       uint8_t type, const uint64_t *a, uint64_t *current)
{
	const struct go_wire_row *row = &go_wire_rows[type];
	struct go_walk_g *g;
	struct go_walk_p *p;

	switch (type) {
	case WIRE_GO_STATUS:
	case WIRE_GO_STATUS_STACK:
		g = g_of(walk, a[0]);
		if (g && g->status == GO_GONE && a[2] <= GO_WAITING)
			g->status = (uint8_t)a[2];
		if (type == WIRE_GO_STATUS_STACK)
			name_by(walk, gen, a[0], a[3], true);
		if (a[2] == GO_RUNNING || (a[2] == GO_SYSCALL && a[1] == thread))
			*current = a[0];
		return;
	case WIRE_PROC_STATUS:
		p = p_of(walk, a[0]);
		if (p && p->status == PROC_GONE && a[1] <= PROC_ABANDONED)
			p->status = (uint8_t)a[1];
		return;
	case WIRE_GC_ACTIVE:
		walk->in_gc = true;
		return;
	case WIRE_GC_SWEEP_ACTIVE:
		p = p_of(walk, a[0]);
		if (p)
			p->in_sweep = true;
		return;
	case WIRE_GC_MARK_ASSIST_ACTIVE:
		g = g_of(walk, a[0]);
		if (g)
			g->in_assist = true;
		return;
	case WIRE_GO_START:
	case WIRE_GO_SWITCH:
	case WIRE_GO_SWITCH_DESTROY:
	case WIRE_GO_CREATE_SYSCALL:
		*current = a[0];
		return;
	}
	if (row->stack && *current)
		name_by(walk, gen, *current, a[row->stack - 1], false);
	switch (type) {
	case WIRE_GO_STOP:
	case WIRE_GO_BLOCK:
	case WIRE_GO_DESTROY:
	case WIRE_GO_DESTROY_SYSCALL:
	case WIRE_GO_SYSCALL_END_BLOCKED:
		*current = 0;
		break;
	}
}

static void walk_thread(struct go_walk *walk, const struct go_generation *gen,
			const struct go_thread *thread)
{
	uint64_t current = 0;

	for (uint32_t b = thread->first; b != GO_NO_INDEX; b = gen->batches[b].next) {
		const uint8_t *at = gen->batches[b].at, *end = at + gen->batches[b].len;
		int64_t ns = go_ns(gen, gen->batches[b].time);

		while (at < end) {
			uint8_t type = *at++;
			const struct go_wire_row *row = &go_wire_rows[type];
			uint64_t a[5] = { 0 };

			for (unsigned i = 0; i < row->nr_args && at; i++)
				at = go_varint(at, end, &a[i]);
			if (!row->nr_args || !at)
				break;
			ns = ns_add(ns, go_ns(gen, a[0]));
			if (ns > walk->last_ns)
				walk->last_ns = ns;
			walk_event(walk, gen, thread->id, type, a + 1, &current);
		}
	}
}

void go_walk(struct go_walk *walk, const struct go_generation *gen)
{
	ids_clear(&walk->g_ids);
	ids_clear(&walk->p_ids);
	walk->nr_gs = walk->nr_ps = 0;
	walk->in_gc = false;
	memset(walk->named, 0, sizeof(walk->named));
	walk->last_ns = go_ns(gen, gen->min_time);
	for (uint32_t i = 0; i < gen->nr_threads; i++)
		walk_thread(walk, gen, &gen->threads[i]);
}

static int by_g_id(const void *a, const void *b)
{
	uint64_t i = ((const struct go_walk_g *)a)->id, j = ((const struct go_walk_g *)b)->id;

	return i < j ? -1 : i > j;
}

void go_walk_sort(struct go_walk *walk)
{
	if (walk->nr_gs)
		qsort(walk->gs, walk->nr_gs, sizeof(*walk->gs), by_g_id);
	ids_clear(&walk->g_ids);
	for (uint32_t i = 0; i < walk->nr_gs; i++)
		ids_add(&walk->g_ids, walk->gs[i].id, i);
}

const struct go_walk_g *go_walk_find(const struct go_walk *walk, uint64_t id)
{
	uint32_t index = go_index(&walk->g_ids, id);

	return index == GO_NO_INDEX ? NULL : &walk->gs[index];
}
