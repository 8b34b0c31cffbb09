/* SPDX-License-Identifier: MIT */
/* Emit the events for stacks, for pairs of begin and end lines, for allocations and for the heap of
 * a TraceLog. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"
#include "monitor/read/tracelog/tl_tell.h"

void tl_event_begin(struct tl *tl, struct event *ev, unsigned kind, sym_t thread, uint64_t ts)
{
	if (!tl->has_version)
		tl_emit_version(tl);
	ev->mask = 0;
	ev->kind = (uint8_t)kind;
	event_set(ev, TR2_F_SID, tl->sid_index);
	event_set(ev, TR2_F_THREAD, thread);
	event_set(ev, TR2_F_TIME, tl_wall(tl, ts));
}

void tl_event_end(struct tl *tl, const struct event *ev)
{
	batch_add(tl->batch, ev);
	tl->counts->nr_events++;
}

void tl_emit_number(struct tl *tl, const char *category, const char *key, uint64_t value)
{
	char text[24];
	struct event ev;
	int len = snprintf(text, sizeof(text), "%" PRIu64, value);

	tl_event_begin(tl, &ev, TR2_E_DATA, tl_sym(tl, "runtime"), tl->now_ts);
	event_set(&ev, TR2_F_NESTING, 1);
	event_set(&ev, TR2_F_CATEGORY, tl_sym(tl, category));
	event_set(&ev, TR2_F_KEY, tl_sym(tl, key));
	event_set(&ev, TR2_F_VALUE, batch_add_text(tl->batch, text, (size_t)len));
	tl_event_end(tl, &ev);
}

void tl_emit_about(struct tl *tl, int64_t bits)
{
	struct event ev = { .kind = REC_ABOUT };

	event_set(&ev, TR2_F_SID, tl->sid_index);
	event_set(&ev, FLD_FORMAT, tl_sym(tl, "tracelog"));
	event_set(&ev, FLD_ABOUT, bits | (tl->has_own_clock ? CLOCK_OWN : CLOCK_REFERENCE));
	if (tl->pid)
		event_set(&ev, TR2_F_PID, tl->pid);
	batch_add(tl->batch, &ev);
}

void tl_enter(struct tl *tl, sym_t lane, unsigned nesting, sym_t category, sym_t label, uint64_t ts,
	      const char *msg)
{
	struct event ev;

	tl_event_begin(tl, &ev, TR2_E_REGION_ENTER, lane, ts);
	event_set(&ev, TR2_F_NESTING, nesting);
	event_set(&ev, TR2_F_CATEGORY, category);
	event_set(&ev, TR2_F_LABEL, label);
	if (msg)
		event_set(&ev, TR2_F_MSG, batch_add_text(tl->batch, msg, strlen(msg)));
	tl_event_end(tl, &ev);
}

void tl_leave(struct tl *tl, sym_t lane, unsigned nesting, sym_t category, sym_t label, uint64_t ts,
	      ns_t duration)
{
	struct event ev;

	tl_event_begin(tl, &ev, TR2_E_REGION_LEAVE, lane, ts);
	event_set(&ev, TR2_F_T_REL, duration);
	event_set(&ev, TR2_F_NESTING, nesting);
	event_set(&ev, TR2_F_CATEGORY, category);
	event_set(&ev, TR2_F_LABEL, label);
	tl_event_end(tl, &ev);
}

/* ---- stacks ---- */

void tl_pop(struct tl *tl, struct tl_thread *thread, uint64_t depth)
{
	while (thread->nr_frames > depth) {
		const struct tl_frame *frame = &thread->frames[thread->nr_frames - 1];

		tl_leave(tl, tl_lane(tl, thread), thread->nr_frames, frame->category, frame->label,
			 tl->now_ts, thread->clock - frame->begin);
		thread->nr_frames--;
	}
	if (thread->depth > depth)
		thread->depth = depth;
}

/* True if one more frame of a stack may be opened. Counts the memory for it. */
static bool has_room(struct tl *tl, struct tl_thread *thread)
{
	uint32_t more = thread->cap_frames ? thread->cap_frames : 16;

	if (thread->nr_frames == TL_MAX_FRAMES)
		return false;
	if (thread->nr_frames < thread->cap_frames)
		return true;
	if (tl->cap_all_frames + more > TL_MAX_ALL_FRAMES)
		return false;
	tl->cap_all_frames += more;
	return true;
}

void tl_push(struct tl *tl, struct tl_thread *thread, uint64_t function)
{
	struct tl_frame *frame;

	if (thread->depth == TL_MAX_DEPTH)
		return;
	thread->depth++;
	if (!has_room(tl, thread))
		return;
	GROW(thread->frames, thread->nr_frames, thread->cap_frames, 16);
	frame = &thread->frames[thread->nr_frames++];
	frame->begin = thread->clock;
	tl_function_syms(tl, function, &frame->category, &frame->label);
	tl_enter(tl, tl_lane(tl, thread), thread->nr_frames, frame->category, frame->label,
		 tl->now_ts, NULL);
}

static void tl_grow_frames(struct tl_thread *thread, int64_t ns)
{
	thread->clock = ns_add(thread->clock, ns);
}

void tl_stack_begins(struct tl *tl, struct tl_thread *thread, uint64_t ts, uint64_t count,
		     uint64_t match, uint64_t size)
{
	/* Without a count of samples, the previous stack lasted until now, except during pauses. */
	if (!count && thread->has_stack && ts > thread->last_ts) {
		uint64_t ms = ts - thread->last_ts, paused = tl->paused - thread->paused;

		tl_grow_frames(thread, paused < ms ? (int64_t)(ms - paused) * NS_PER_MS : 0);
	}
	if (!thread->has_stack || ts > thread->last_ts)
		thread->last_ts = ts;
	thread->paused = tl->paused;
	thread->has_stack = true;
	if (size != thread->depth || match > thread->depth)
		tl->nr_desync++;
	tl_pop(tl, thread, match);
	while (thread->depth < match) {
		uint32_t nr = thread->nr_frames;

		tl_push(tl, thread, TL_NO_ID);
		if (thread->nr_frames == nr)
			thread->depth = match;
	}
}

void tl_stack_ends(struct tl *tl, struct tl_thread *thread, uint64_t count)
{
	int64_t ns;

	if (!count)
		return;
	if (__builtin_mul_overflow((int64_t)count, tl->tick_ns, &ns))
		ns = INT64_MAX;
	tl_grow_frames(thread, ns);
}

/* ---- pairs of begin and end lines (compilations, collections) ---- */

void tl_pair_begins(struct tl *tl, enum tl_pair_kind kind, const struct tl_thread *thread,
		    uint64_t function, uint64_t ts, unsigned what)
{
	if (tl->nr_pairs == TL_MAX_PAIRS) {
		memmove(tl->pairs, tl->pairs + 1, (TL_MAX_PAIRS - 1) * sizeof(*tl->pairs));
		tl->nr_pairs--;
		tl->nr_orphans++;
	}
	tl->pairs[tl->nr_pairs++] =
		(struct tl_pair){ thread->iid, function, ts, (uint8_t)kind, what };
}

static void tl_emit_gc(struct tl *tl, const struct tl_pair *pair, uint64_t ts, ns_t duration)
{
	char label[48] = "generations ";
	size_t len = strlen(label);
	sym_t lane = tl_sym(tl, "runtime"), category = tl_sym(tl, "gc");
	/* a pause may be open on this lane */
	unsigned nesting = 1 + tl->is_paused;

	for (unsigned i = 0; i < 4; i++)
		if (pair->what >> i & 1)
			label[len++] = (char)('0' + i);
	label[len] = '\0';
	if (pair->what & TL_GC_INDUCED)
		snprintf(label + len, sizeof(label) - len, " induced");
	tl_enter(tl, lane, nesting, category, tl_sym(tl, label), pair->ts, NULL);
	tl_leave(tl, lane, nesting, category, tl_sym(tl, label), ts, duration);
}

static void tl_emit_jit(struct tl *tl, const struct tl_pair *pair, struct tl_thread *thread,
			uint64_t ts, ns_t duration, bool failed)
{
	sym_t category, label, class;
	char text[96];

	if (thread->jit_lane == SYM_NONE) {
		size_t len;
		const char *lane = tr2_intern_text(tl->syms, tl_lane(tl, thread), &len);

		snprintf(text, sizeof(text), "%.*s jit", (int)len, lane);
		thread->jit_lane = tl_sym(tl, text);
	}
	category = tl_sym(tl, pair->kind == TL_PAIR_JIT ? "jit" : "cached");
	tl_function_syms(tl, tl_function_of(tl, pair->function), &class, &label);
	tl_enter(tl, thread->jit_lane, 1, category, label, pair->ts, failed ? "failed" : NULL);
	tl_leave(tl, thread->jit_lane, 1, category, label, ts, duration);
}

void tl_pair_ends(struct tl *tl, enum tl_pair_kind kind, struct tl_thread *thread,
		  uint64_t function, uint64_t ts, bool failed)
{
	for (uint32_t i = tl->nr_pairs; i-- > 0;) {
		struct tl_pair pair = tl->pairs[i];
		ns_t duration;

		if (pair.kind != kind || pair.thread != thread->iid || pair.function != function)
			continue;
		memmove(tl->pairs + i, tl->pairs + i + 1,
			(tl->nr_pairs - i - 1) * sizeof(*tl->pairs));
		tl->nr_pairs--;
		duration = ts > pair.ts ? (ns_t)(ts - pair.ts) * NS_PER_MS : 0;
		if (kind == TL_PAIR_GC)
			tl_emit_gc(tl, &pair, ts, duration);
		else
			tl_emit_jit(tl, &pair, thread, ts, duration, failed);
		return;
	}
	tl->nr_orphans++;
}

/* ---- allocations and the heap ---- */

void tl_allocated(struct tl *tl, const struct tl_thread *thread, uint64_t class, uint64_t bytes)
{
	uint32_t number = (uint32_t)(thread - tl->threads);
	/* Find the counter by the class's name, which several classes may share. */
	sym_t name = tl_class_sym(tl, class);
	uint64_t key = (uint64_t)number << 32 | name;
	uint64_t index = ids_get(&tl->alloc_ids, key);
	struct tl_allocation *a;

	if (index == IDS_NONE) {
		if (tl->nr_allocations == TL_MAX_NAMES)
			return;
		GROW(tl->allocations, tl->nr_allocations, tl->cap_allocations, 64);
		tl_ids_set(&tl->alloc_ids, key, tl->nr_allocations);
		a = &tl->allocations[tl->nr_allocations++];
		*a = (struct tl_allocation){ .thread = number, .name = name };
	} else {
		a = &tl->allocations[index];
	}
	if (__builtin_add_overflow(a->bytes, bytes, &a->bytes))
		a->bytes = INT64_MAX;
	if (a->is_changed)
		return;
	a->is_changed = true;
	GROW(tl->changed, tl->nr_changed, tl->cap_changed, 64);
	tl->changed[tl->nr_changed++] = (uint32_t)(a - tl->allocations);
}

static int alloc_by_bytes(const void *a, const void *b)
{
	uint64_t i = (*(struct tl_allocation *const *)a)->bytes;
	uint64_t j = (*(struct tl_allocation *const *)b)->bytes;

	return i > j ? -1 : i < j;
}

void tl_emit_allocations(struct tl *tl, bool last)
{
	uint32_t nr = last ? tl->nr_allocations : tl->nr_changed;
	struct tl_allocation **order;
	struct event ev;

	if (!nr || (!last && tl->now_ts < tl->alloc_told_ts + TL_ALLOC_EVERY_MS))
		return;
	tl->alloc_told_ts = tl->now_ts;
	order = xreallocarray(NULL, nr, sizeof(struct tl_allocation *));
	for (uint32_t i = 0; i < nr; i++) {
		order[i] = &tl->allocations[last ? i : tl->changed[i]];
		order[i]->is_changed = false;
	}
	tl->nr_changed = 0;
	qsort(order, nr, sizeof(struct tl_allocation *), alloc_by_bytes);
	for (uint32_t i = 0; i < nr && i < TL_MAX_ALLOCATIONS; i++) {
		if (order[i]->told == order[i]->bytes)
			continue;
		order[i]->told = order[i]->bytes;
		tl_event_begin(tl, &ev, TR2_E_TH_COUNTER,
			       tl_lane(tl, &tl->threads[order[i]->thread]), tl->now_ts);
		event_set(&ev, TR2_F_CATEGORY, tl_sym(tl, "alloc"));
		event_set(&ev, TR2_F_NAME, order[i]->name);
		event_set(&ev, TR2_F_COUNT, (int64_t)(order[i]->bytes & INT64_MAX));
		tl_event_end(tl, &ev);
	}
	free(order);
}

void tl_heap_begins(struct tl *tl)
{
	tl->nr_heap = 0;
}

void tl_heap(struct tl *tl, uint64_t class, uint64_t count, uint64_t bytes)
{
	if (tl->nr_heap == TL_MAX_NAMES)
		return;
	GROW(tl->heap, tl->nr_heap, tl->cap_heap, 64);
	tl->heap[tl->nr_heap++] = (struct tl_heap){ class, count, bytes };
}

static int by_heap_bytes(const void *a, const void *b)
{
	const struct tl_heap *i = a, *j = b;

	return i->bytes > j->bytes ? -1 : i->bytes < j->bytes;
}

void tl_heap_ends(struct tl *tl)
{
	if (tl->nr_heap)
		qsort(tl->heap, tl->nr_heap, sizeof(*tl->heap), by_heap_bytes);
	for (uint32_t i = 0; i < tl->nr_heap && i < TL_MAX_HEAP; i++) {
		char text[80];
		struct event ev;
		int len = snprintf(text, sizeof(text), "%" PRIu64 " objects, %" PRIu64 " bytes",
				   tl->heap[i].count, tl->heap[i].bytes);

		tl_event_begin(tl, &ev, TR2_E_DATA, tl_sym(tl, "runtime"), tl->now_ts);
		event_set(&ev, TR2_F_NESTING, 1);
		event_set(&ev, TR2_F_CATEGORY, tl_sym(tl, "heap"));
		event_set(&ev, TR2_F_KEY, tl_class_sym(tl, tl->heap[i].class));
		event_set(&ev, TR2_F_VALUE, batch_add_text(tl->batch, text, (size_t)len));
		tl_event_end(tl, &ev);
	}
}
