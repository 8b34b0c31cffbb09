/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"
#include "monitor/read/gotrace/go_order_priv.h"

/* Maximum of tries per generation to find an allowed event: MAX_TRIES_PER_BYTE * (its bytes +
 * 4096). Sorting SORTED_A_TRY cursors counts as one try. */
#define MAX_TRIES_PER_BYTE 16
#define SORTED_A_TRY       8

void go_order_init(struct go_order *order)
{
	*order = (struct go_order){ .free_g = GO_NO_INDEX, .last_ns = INT64_MIN };
}

void go_order_release(struct go_order *order)
{
	free(order->gs);
	free(order->ps);
	free(order->ms);
	free(order->cursors);
	free(order->heap);
	free(order->sort_room);
	free(order->samples);
	free(order->g_guesses.at);
	free(order->p_guesses.at);
	ids_release(&order->g_ids);
	ids_release(&order->p_ids);
	ids_release(&order->m_ids);
}

void go_order_forget(struct go_order *order)
{
	ids_clear(&order->g_ids);
	ids_clear(&order->p_ids);
	ids_clear(&order->m_ids);
	order->nr_gs = order->nr_ps = order->nr_ms = 0;
	order->free_g = GO_NO_INDEX;
	order->gc = GC_UNKNOWN;
	order->gc_seq = 0;
}

static __attribute__((noinline)) void go_drop_rest(struct go_order *order, struct go_cursor *c,
						   const char *why)
{
	char text[96];

	snprintf(text, sizeof(text), "generation %" PRIu64 ": %s, %zu bytes of a batch are skipped",
		 order->gen->number, why, (size_t)(c->end - c->at));
	order->bad(order->bad_data, text);
	c->at = c->end;
}

/*
 * Read the varints of an event, the time first. Returns the position after them; NULL: they are
 * incomplete or invalid.
 */
static const uint8_t *go_read_event(const uint8_t *at, const uint8_t *end, unsigned nr,
				    uint64_t *dt, uint64_t *a)
{
	if (end - at >= GO_MAX_ARGS * GO_MAX_VARINT) {
		at = go_varint_there(at, dt);
		for (unsigned i = 1; i < nr && at; i++)
			at = go_varint_there(at, a++);
		return at;
	}
	at = go_varint(at, end, dt);
	for (unsigned i = 1; i < nr && at; i++)
		at = go_varint(at, end, a++);
	return at;
}

static __attribute__((noinline)) bool go_next_batch(const struct go_order *order,
						    struct go_cursor *c)
{
	while (c->at == c->end) {
		const struct go_batch *batch;

		if (c->batch == GO_NO_INDEX)
			return false;
		batch = &order->gen->batches[c->batch];
		c->at = batch->at;
		c->end = batch->at + batch->len;
		c->ns = go_ns(order->gen, batch->time);
		c->batch = batch->next;
	}
	return true;
}

static inline bool cursor_next(struct go_order *order, struct go_cursor *c)
{
	while (__builtin_expect(c->at != c->end, 1) || go_next_batch(order, c)) {
		uint8_t type = *c->at, nr_args = go_wire_rows[type].nr_args;
		const uint8_t *at;
		uint64_t dt = 0;

		if (__builtin_expect(!nr_args, 0)) {
			go_drop_rest(order, c, "an event of unknown type");
			continue;
		}
		c->type = type;
		at = go_read_event(c->at + 1, c->end, nr_args, &dt, c->a);
		if (__builtin_expect(!at, 0)) {
			go_drop_rest(order, c, "a truncated event");
			continue;
		}
		c->at = at;
		c->ns = ns_add(c->ns, go_ns(order->gen, dt));
		return true;
	}
	return false;
}

static void cursor_heap_swap(struct go_order *order, uint32_t a, uint32_t b)
{
	struct go_heap_item item = order->heap[a];

	order->heap[a] = order->heap[b];
	order->heap[b] = item;
}

/* Sift up as Go's own trace reader does: the algorithm determines the order of events with equal
 * times. */
static uint32_t cursor_sift_up(struct go_order *order, uint32_t at)
{
	for (; at && order->heap[(at - 1) / 2].ns > order->heap[at].ns; at = (at - 1) / 2)
		cursor_heap_swap(order, at, (at - 1) / 2);
	return at;
}

static inline void cursor_sift_down(struct go_order *order, uint32_t at)
{
	struct go_heap_item *heap = order->heap, item;

	if (at >= order->nr_heap)
		return;
	item = heap[at];
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= order->nr_heap)
			break;
		child += child + 1 < order->nr_heap && heap[child + 1].ns < heap[child].ns;
		if (heap[child].ns >= item.ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = item;
}

static void cursor_heap_remove(struct go_order *order, uint32_t at)
{
	for (; at; at = (at - 1) / 2)
		cursor_heap_swap(order, at, (at - 1) / 2);
	cursor_heap_swap(order, 0, order->nr_heap - 1);
	order->nr_heap--;
	cursor_sift_down(order, 0);
}

/* Sort by time, with a stable sort. A sorted array is a valid heap. */
static void cursor_heap_sort(struct go_order *order)
{
	struct go_heap_item *from = order->heap, *to = order->sort_room;
	uint32_t nr = order->nr_heap;

	for (uint32_t run = 1; run < nr; run *= 2) {
		for (uint32_t begin = 0; begin < nr; begin += 2 * run) {
			uint32_t middle = begin + run < nr ? begin + run : nr;
			uint32_t end = begin + 2 * run < nr ? begin + 2 * run : nr;
			uint32_t a = begin, b = middle;

			for (uint32_t i = begin; i < end; i++)
				to[i] = a < middle && (b == end || from[a].ns <= from[b].ns)
						? from[a++]
						: from[b++];
		}
		struct go_heap_item *swap = from;

		from = to;
		to = swap;
	}
	if (from != order->heap)
		memcpy(order->heap, from, nr * sizeof(*from));
}

static enum advance go_try_cursor(struct go_order *order, uint32_t at, bool force)
{
	struct go_cursor *c = &order->cursors[order->heap[at].cursor];
	struct go_step s;
	enum advance what;

	s.order = order;
	s.c = c;
	s.m = NULL;
	s.force = force;
	s.ev.type = c->type;
	s.ev.is_new = false;
	s.ev.goroutine = s.ev.proc = s.ev.target = GO_NO_INDEX;
	s.ev.a = c->a;

	/* Add the thread even if its first event must wait. */
	if (c->machine == GO_NO_INDEX && c->thread != GO_NONE)
		c->machine = go_add_m(order, c->thread);
	if (c->machine != GO_NO_INDEX) {
		s.m = &order->ms[c->machine];
		s.ev.goroutine = s.m->goroutine;
		s.ev.proc = s.m->proc;
		/* After forced events, the thread's goroutine may no longer exist. */
		if (order->nr_all_forced && s.ev.goroutine != GO_NO_INDEX &&
		    order->gs[s.ev.goroutine].status == GO_GONE)
			s.ev.goroutine = s.m->goroutine = GO_NO_INDEX;
	}
	what = go_rules[c->type](&s);
	if (what != DONE)
		return what;
	if (!cursor_next(order, c)) {
		cursor_heap_remove(order, at);
		return DONE;
	}
	order->heap[at].ns = c->ns;
	if (!at || cursor_sift_up(order, at) == at)
		cursor_sift_down(order, at);
	return DONE;
}

static int by_sample_time(const void *a, const void *b, void *gen)
{
	const struct go_sample *samples = ((const struct go_generation *)gen)->samples;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (samples[i].time != samples[j].time)
		return samples[i].time < samples[j].time ? -1 : 1;
	return i < j ? -1 : i > j;
}

void go_order_begin(struct go_order *order, const struct go_generation *gen, bool is_first)
{
	order->gen = gen;
	order->is_first = is_first;
	order->by_time = false;
	order->nr_forced = 0;
	order->nr_tries = 0;
	order->has_synced = false;
	order->nr_heap = order->nr_cursors = 0;
	order->at_sample = 0;
	if (gen->nr_threads > order->cap_cursors) {
		order->cap_cursors = gen->nr_threads;
		order->cursors =
			xreallocarray(order->cursors, gen->nr_threads, sizeof(*order->cursors));
		order->heap = xreallocarray(order->heap, gen->nr_threads, sizeof(*order->heap));
		order->sort_room =
			xreallocarray(order->sort_room, gen->nr_threads, sizeof(*order->sort_room));
	}
	if (gen->nr_samples > order->cap_samples) {
		order->cap_samples = gen->nr_samples;
		order->samples =
			xreallocarray(order->samples, gen->nr_samples, sizeof(*order->samples));
	}
	for (uint32_t i = 0; i < gen->nr_samples; i++)
		order->samples[i] = i;
	if (gen->nr_samples)
		platform_sort(order->samples, gen->nr_samples, sizeof(*order->samples),
			      by_sample_time, (void *)gen);
	for (uint32_t i = 0; i < gen->nr_threads; i++) {
		struct go_cursor *c = &order->cursors[order->nr_cursors];

		*c = (struct go_cursor){
			.batch = gen->threads[i].first,
			.machine = go_index(&order->m_ids, gen->threads[i].id),
			.thread = gen->threads[i].id,
		};
		if (c->thread == GO_NONE)
			c->machine = GO_NO_INDEX;
		if (!cursor_next(order, c))
			continue;
		order->heap[order->nr_heap] = (struct go_heap_item){ c->ns, order->nr_cursors++ };
		cursor_sift_up(order, order->nr_heap++);
	}
}

/* Emit the next CPU sample if it is earlier than the remaining events. */
static bool go_emit_sample(struct go_order *order)
{
	const struct go_sample *sample;
	uint64_t a[4];
	int64_t ns;

	sample = &order->gen->samples[order->samples[order->at_sample]];
	ns = go_ns(order->gen, sample->time);
	if (order->nr_heap && ns >= order->heap[0].ns)
		return false;
	order->at_sample++;
	a[0] = sample->thread;
	a[1] = sample->proc;
	a[2] = sample->goroutine;
	a[3] = sample->stack;
	order->take(order->take_data, &(struct go_event){
					      .type = GO_SAMPLE,
					      .time = go_order_stamp(order, ns),
					      .goroutine = go_find_g(order, sample->goroutine),
					      .proc = GO_NO_INDEX,
					      .target = GO_NO_INDEX,
					      .a = a,
				      });
	return true;
}

static void go_force_event(struct go_order *order)
{
	order->nr_forced++;
	order->nr_all_forced++;
	if (order->nr_forced > GO_MAX_FORCED)
		order->by_time = true;
	go_try_cursor(order, 0, true);
}

/* Emit the earliest allowed event; if none is found, force the earliest event. */
static void go_search_event(struct go_order *order)
{
	uint64_t most = MAX_TRIES_PER_BYTE * (order->gen->nr_bytes + 4096);

	cursor_heap_sort(order);
	order->nr_tries += order->nr_heap / SORTED_A_TRY;
	for (uint32_t at = 1; at < order->nr_heap; at++) {
		if (++order->nr_tries > most) {
			order->by_time = true;
			break;
		}
		if (go_try_cursor(order, at, false) == DONE)
			return;
	}
	go_force_event(order);
}

static void go_emit_forced(struct go_order *order)
{
	char text[96];

	snprintf(text, sizeof(text), "generation %" PRIu64 ": %u event%s out of order%s",
		 order->gen->number, order->nr_forced, order->nr_forced == 1 ? " is" : "s are",
		 order->by_time ? ", the rest is sorted by time" : "");
	order->nr_forced = 0;
	order->bad(order->bad_data, text);
}

static inline bool go_emit_next(struct go_order *order)
{
	if (order->at_sample < order->gen->nr_samples && go_emit_sample(order))
		return true;
	if (!order->nr_heap) {
		if (order->nr_forced)
			go_emit_forced(order);
		return false;
	}
	switch (go_try_cursor(order, 0, order->by_time)) {
	case DONE:
		break;
	case WAIT:
		go_search_event(order);
		break;
	case WRONG:
		go_force_event(order);
		break;
	}
	return true;
}

bool go_order_emit(struct go_order *order, unsigned nr)
{
	if (!order->has_synced) {
		order->has_synced = true;
		order->take(order->take_data,
			    &(struct go_event){
				    .type = GO_SYNC,
				    .time = go_order_stamp(order,
							   go_ns(order->gen, order->gen->min_time)),
				    .goroutine = GO_NO_INDEX,
				    .proc = GO_NO_INDEX,
				    .target = GO_NO_INDEX,
			    });
	}
	while (nr && go_emit_next(order))
		nr--;
	return !nr;
}
