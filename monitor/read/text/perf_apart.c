/* SPDX-License-Identifier: MIT */
/*
 * Assigns lines of PERF to the processes that wrote them. A version line begins a process, but its
 * start line shows when the process started. So the version line is held, with lines without t_abs
 * that may belong to its process, until the start line arrives, a limit is reached, or all held
 * lines are flushed. Other lines are assigned when they arrive.
 *
 * Invariant: each live process is in the list of its depth, sorted by start time, and in the list
 * that begins at `silent`. Ended processes are only in `ended`.
 */
#include "config.h"
#include "monitor/read/text/perf_apart_priv.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/read/text/text_memo.h"

struct perf_apart *perf_apart_new(struct text_source *source)
{
	struct perf_apart *a = xcalloc(1, sizeof(*a));

	a->source = source;
	a->bytes = sizeof(*a);
	tr2_buf_init(&a->words, SIZE_MAX / 2);
	return a;
}

void perf_apart_free(struct perf_apart *a)
{
	if (!a)
		return;
	for (struct text_process *p = a->silent, *next; p; p = next) {
		next = p->next;
		text_process_free(p);
	}
	for (unsigned i = 0; i < TEXT_MAX_ENDED; i++)
		text_process_free(a->ended[i]);
	for (unsigned i = 0; i <= TEXT_MAX_DEPTH; i++)
		free(a->depths[i].v);
	for (unsigned i = 0; i < a->nr_held; i++)
		free(a->held[i].line);
	tr2_buf_release(&a->words);
	free(a);
}

size_t perf_apart_bytes(const struct perf_apart *a)
{
	return a->bytes + a->words.cap;
}

static void silence_remove(struct perf_apart *a, struct text_process *p)
{
	*(p->prev ? &p->prev->next : &a->silent) = p->next;
	*(p->next ? &p->next->prev : &a->latest) = p->prev;
}

static void silence_add(struct perf_apart *a, struct text_process *p)
{
	p->prev = a->latest;
	p->next = NULL;
	*(a->latest ? &a->latest->next : &a->silent) = p;
	a->latest = p;
}

static uint32_t depth_find(const struct depth *depth, const struct text_process *p)
{
	uint32_t i = depth->nr;

	while (i && depth->v[i - 1] != p)
		i--;
	return i - 1;
}

/* Restore the order after the process at `i` was added, or turned out to have started earlier. */
static void depth_sort(struct depth *depth, uint32_t i)
{
	struct text_process *p = depth->v[i];

	for (; i && depth->v[i - 1]->birth > p->birth; i--)
		depth->v[i] = depth->v[i - 1];
	depth->v[i] = p;
}

static void perf_end_process(struct perf_apart *a, struct text_process *p)
{
	struct depth *depth = &a->depths[p->depth];
	uint32_t i = depth_find(depth, p);
	struct text_process **place = &a->ended[a->next_ended++ % TEXT_MAX_ENDED];

	memmove(depth->v + i, depth->v + i + 1, (depth->nr - i - 1) * sizeof(*depth->v));
	depth->nr--;
	silence_remove(a, p);
	p->prev = p->next = NULL;
	a->nr_living--;
	a->nr_threads -= p->nr_threads;
	a->nr_children -= p->nr_children;
	a->bytes -= p->bytes;
	text_process_shrink(p);
	if (*place)
		a->bytes -= (*place)->bytes;
	text_process_free(*place);
	*place = p;
	a->bytes += p->bytes;
}

static struct text_process *perf_new_process(struct perf_apart *a, uint32_t at_depth,
					     const struct text_process *parent, ns_t birth)
{
	struct depth *depth = &a->depths[at_depth];
	struct text_process *p;

	while (a->nr_living >= TEXT_MAX_LIVING || (a->nr_living && a->bytes > TEXT_MAX_APART_BYTES))
		perf_end_process(a, a->silent == parent && parent->next ? parent->next : a->silent);
	p = text_process_new(a->source, parent, at_depth);
	if (parent)
		p->parent_hierarchy = parent->hierarchy;
	p->birth = birth;
	GROW(depth->v, depth->nr, depth->cap, 4);
	depth->v[depth->nr] = p;
	depth_sort(depth, depth->nr++);
	silence_add(a, p);
	a->nr_living++;
	a->bytes += p->bytes;
	return p;
}

static struct text_thread *perf_find_thread(struct perf_apart *a, struct text_process *p,
					    sym_t name)
{
	struct text_thread *thread = text_thread_find(p, name);

	if (thread)
		return thread;
	if (p->nr_threads < TEXT_MAX_THREADS && a->nr_threads < TEXT_MAX_ALL_THREADS) {
		a->nr_threads++;
		return text_thread_add(p, name);
	}
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		thread = &p->threads[i];
		if (thread->is_open)
			continue;
		p->nr_regions -= thread->nr;
		*thread = (struct text_thread){ .name = name,
						.is_open = true,
						.last_abs = NS_NONE,
						.regions = thread->regions,
						.cap = thread->cap };
		return thread;
	}
	return NULL;
}

static void regions_cut(struct text_process *p, struct text_thread *thread, uint32_t nr_open)
{
	thread->nr_open = nr_open;
	if (thread->nr > nr_open) {
		p->nr_regions -= thread->nr - nr_open;
		thread->nr = nr_open;
	}
}

static void region_push(struct text_process *p, struct text_thread *thread,
			const struct text_record *rec)
{
	uint32_t cap = thread->cap;

	if (thread->nr == thread->nr_open && p->nr_regions < TEXT_MAX_REGIONS) {
		GROW(thread->regions, thread->nr, thread->cap, 4);
		p->bytes += (thread->cap - cap) * sizeof(*thread->regions);
		p->nr_regions++;
		thread->regions[thread->nr++] =
			(struct text_region){ event_sym(&rec->ev, TR2_F_CATEGORY),
					      event_sym(&rec->ev, TR2_F_LABEL) };
	}
	thread->nr_open++;
}

static void accept_thread(struct perf_apart *a, struct text_process *p, struct text_record *rec)
{
	struct text_thread *thread = perf_find_thread(a, p, event_sym(&rec->ev, TR2_F_THREAD));
	unsigned kind = rec->ev.kind;

	if (perf_is_free(kind))
		perf_take_free(&a->source->names, thread ? thread->nr_open : 0, rec);
	if (!thread)
		return;
	if (event_has(&rec->ev, TR2_F_T_ABS) && rec->ev.v[TR2_F_T_ABS] > thread->last_abs)
		thread->last_abs = rec->ev.v[TR2_F_T_ABS];
	if (kind == TR2_E_THREAD_START || kind == TR2_E_THREAD_EXIT) {
		thread->is_open = kind == TR2_E_THREAD_START;
		regions_cut(p, thread, 0);
	} else if (!perf_is_sum(kind) && !perf_is_free(kind) && kind != TR2_E_ATEXIT) {
		regions_cut(p, thread, rec->nr_dots / 2);
	}
	if (kind == TR2_E_REGION_ENTER)
		region_push(p, thread, rec);
}

static void perf_on_child_begin(struct perf_apart *a, struct text_process *p,
				const struct text_record *rec, bool is_exec)
{
	struct text_child *child;

	if (p->nr_children >= TEXT_MAX_CHILDREN || a->nr_children >= TEXT_MAX_ALL_CHILDREN)
		return;
	a->nr_children++;
	child = text_child_add(p);
	*child = (struct text_child){ .id = event_get(&rec->ev,
						      is_exec ? TR2_F_EXEC_ID : TR2_F_CHILD_ID, -1),
				      .is_exec = is_exec,
				      .turn = a->turn };
	perf_child_hashes(a, rec, child);
}

static void perf_on_child_end(struct perf_apart *a, struct text_process *p, int64_t id,
			      bool is_exec)
{
	for (uint32_t i = p->nr_children; i-- > 0;) {
		if (p->children[i].id != id || p->children[i].is_exec != is_exec)
			continue;
		text_child_remove(p, i);
		a->nr_children--;
		return;
	}
}

static void accept_kind(struct perf_apart *a, struct text_process *p, const struct text_record *rec)
{
	const struct event *ev = &rec->ev;

	switch (ev->kind) {
	case TR2_E_START:
		p->has_start = true;
		perf_words_keep(a, p, rec);
		break;
	case TR2_E_EXIT:
		p->has_exited = true;
		break;
	case TR2_E_CMD_NAME:
		p->has_name = true;
		p->hierarchy = event_sym(ev, TR2_F_HIERARCHY);
		break;
	case TR2_E_CMD_ANCESTRY:
		p->has_ancestry = true;
		break;
	case TR2_E_DEF_REPO:
		p->has_repo = true;
		break;
	case TR2_E_CHILD_START:
	case TR2_E_EXEC:
		perf_on_child_begin(a, p, rec, ev->kind == TR2_E_EXEC);
		break;
	case TR2_E_CHILD_EXIT:
		perf_on_child_end(a, p, event_get(ev, TR2_F_CHILD_ID, -1), false);
		break;
	case TR2_E_EXEC_RESULT:
		perf_on_child_end(a, p, event_get(ev, TR2_F_EXEC_ID, -1), true);
		break;
	default:
		break;
	}
	p->last_kind = ev->kind;
}

static bool is_living(const struct perf_apart *a, const struct text_process *p)
{
	return p->prev || a->silent == p;
}

static void accept_line(struct perf_apart *a, struct text_process *p, struct text_record *rec)
{
	ns_t birth = perf_birth_of(rec);
	size_t bytes = p->bytes;

	p->last_turn = ++a->turn;
	if (!is_living(a, p)) {
		if (perf_is_free(rec->ev.kind))
			perf_take_free(&a->source->names, 0, rec);
		text_deliver(a->source, p, rec);
		return;
	}
	silence_remove(a, p);
	silence_add(a, p);
	if (birth < p->birth && (p->birth == INT64_MAX || p->birth - birth < BIRTH_LATE_NS)) {
		uint32_t i = depth_find(&a->depths[p->depth], p);

		p->birth = birth;
		depth_sort(&a->depths[p->depth], i);
	}
	accept_thread(a, p, rec);
	accept_kind(a, p, rec);
	a->bytes += p->bytes - bytes;
	text_deliver(a->source, p, rec);
	if (rec->head && rec->ev.kind == TR2_E_CMD_ANCESTRY && !a->source->stream->is_skipped)
		perf_tail_learn_texts(&a->source->names.memo->guesses, rec, a->source->batch);
	if (rec->ev.kind == TR2_E_ATEXIT || rec->ev.kind == TR2_E_SIGNAL)
		perf_end_process(a, p);
}

static void perf_dispatch(struct perf_apart *a, struct text_record *rec)
{
	ns_t birth = perf_birth_of(rec);
	struct text_process *p = perf_choose(a, rec, birth);

	if (!p)
		p = perf_new_process(a, rec->depth, NULL,
				     birth == INT64_MAX ? perf_born_by(rec) : birth);
	accept_line(a, p, rec);
}

static void perf_hold_line(struct perf_apart *a, const struct text_record *rec, const char *line,
			   size_t len)
{
	struct perf_held *held = &a->held[a->nr_held++];

	*held = (struct perf_held){ .is_version = rec->ev.kind == TR2_E_VERSION,
				    .depth = rec->depth,
				    .wall_ns = rec->wall_ns,
				    .line = xmalloc(len + 1 + SCAN_PAD),
				    .len = len };
	memcpy(held->line, line, len);
	memset(held->line + len, '\n', 1 + SCAN_PAD);
	a->bytes += len;
}

/* Remove the held line at `i` and parse it again; the caller frees its text. */
static struct perf_held perf_unhold(struct perf_apart *a, unsigned i, struct text_record *rec)
{
	struct perf_guesses *guesses = &a->source->names.memo->guesses;
	struct perf_held held = a->held[i];

	memmove(a->held + i, a->held + i + 1, (--a->nr_held - i) * sizeof(held));
	a->bytes -= held.len;
	/* Storing predictions could overwrite those to which another record refers. */
	guesses->is_fixed = true;
	perf_line(&a->source->names, held.line, held.len, held.wall_ns, rec);
	guesses->is_fixed = false;
	return held;
}

static int held_version(const struct perf_apart *a, uint32_t depth)
{
	for (unsigned i = 0; i < a->nr_held; i++)
		if (a->held[i].is_version && a->held[i].depth == depth)
			return (int)i;
	return -1;
}

/* Begin the process of the held version line at `i`; `start`: its start line, or NULL. */
static void perf_begin_process(struct perf_apart *a, unsigned i, struct text_record *start)
{
	struct text_record rec;
	struct perf_held held = perf_unhold(a, i, &rec);
	ns_t birth = start ? perf_birth_of(start) : perf_born_by(&rec);
	struct text_process *parent =
		perf_choose_parent(a, rec.depth, start ? text_noted(start, TR2_F_ARGV) : NULL);
	struct text_process *p = perf_new_process(a, rec.depth, parent, birth);

	accept_line(a, p, &rec);
	free(held.line);
	if (start)
		accept_line(a, p, start);
}

static void perf_release_held(struct perf_apart *a, unsigned i)
{
	struct text_record rec;
	struct perf_held held;

	if (a->held[i].is_version) {
		perf_begin_process(a, i, NULL);
		return;
	}
	held = perf_unhold(a, i, &rec);
	perf_dispatch(a, &rec);
	free(held.line);
}

static void release_depth(struct perf_apart *a, uint32_t depth)
{
	for (unsigned i = 0; i < a->nr_held;) {
		if (a->held[i].depth == depth && !a->held[i].is_version)
			perf_release_held(a, i);
		else
			i++;
	}
}

void perf_apart_flush(struct perf_apart *a)
{
	while (a->nr_held)
		perf_release_held(a, 0);
}

void perf_apart_take(struct perf_apart *a, struct text_record *rec, const char *line, size_t len)
{
	int version;

	while (a->nr_held && (a->nr_held > HELD_LINES - 1 ||
			      (rec->wall_ns != NS_NONE && a->held[0].wall_ns != NS_NONE &&
			       ns_sub(rec->wall_ns, a->held[0].wall_ns) > HELD_NS)))
		perf_release_held(a, 0);
	if (rec->ev.kind == TR2_E_VERSION) {
		perf_hold_line(a, rec, line, len);
		return;
	}
	version = a->nr_held ? held_version(a, rec->depth) : -1;
	if (version >= 0 && rec->ev.kind == TR2_E_START) {
		perf_begin_process(a, (unsigned)version, rec);
		release_depth(a, rec->depth);
		return;
	}
	if (version >= 0 && !event_has(&rec->ev, TR2_F_T_ABS) && !perf_by_clue(a, rec, true)) {
		perf_hold_line(a, rec, line, len);
		return;
	}
	perf_dispatch(a, rec);
}
