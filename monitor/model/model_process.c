/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/event/sid.h"

/* ---- lists of processes in order of eviction, model_settle(), states ---- */

static struct lru *lru_of(struct model *m, const struct process *p)
{
	return p->state == STATE_RUNNING ? &m->running : &m->ended;
}

static void lru_unlink(struct model *m, struct lru *lru, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	if (p->lru_prev == SLOT_NONE)
		lru->oldest = p->lru_next;
	else
		m->processes[p->lru_prev].lru_next = p->lru_next;
	if (p->lru_next == SLOT_NONE)
		lru->newest = p->lru_prev;
	else
		m->processes[p->lru_next].lru_prev = p->lru_prev;
}

static void lru_append(struct model *m, struct lru *lru, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	p->lru_prev = lru->newest;
	p->lru_next = SLOT_NONE;
	if (lru->newest == SLOT_NONE)
		lru->oldest = slot;
	else
		m->processes[lru->newest].lru_next = slot;
	lru->newest = slot;
}

void process_touch(struct model *m, uint32_t slot)
{
	struct lru *lru = lru_of(m, &m->processes[slot]);

	lru_unlink(m, lru, slot);
	lru_append(m, lru, slot);
}

static void settle_later(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	struct tenant *t;

	if (p->dirty)
		return;
	p->dirty = true;
	t = vec_push(&m->heap, &m->dirty, sizeof(*t), 0, NULL);
	*t = (struct tenant){ slot, p->gen };
}

void process_dirty(struct model *m, uint32_t slot)
{
	m->processes[slot].family_dirty = true;
	settle_later(m, slot);
}

void process_settle(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	bool failed;

	p->dirty = false;
	if (p->family_dirty) {
		p->family_dirty = false;
		family_link(m, slot);
	}
	failed = process_failed(p);
	if (failed == p->counted_failed)
		return;
	p->counted_failed = failed;
	regions_failed_shift(m, p, failed ? 1 : -1);
}

static enum process_state state_by_contract(const struct process *p)
{
	if (p->end_by == END_EXIT)
		return STATE_EXITED;
	if (p->end_by == END_SIGNAL)
		return STATE_SIGNALED;
	if (p->last_is_exec)
		return STATE_REPLACED;
	if (p->gone || p->lost_by_parent)
		return STATE_LOST;
	if (p->untraced)
		return STATE_UNTRACED;
	return p->cut_off ? STATE_LOST : STATE_RUNNING;
}

static void state_count(struct model *m, const struct process *p, int sign)
{
	m->totals.by_state[p->state] += (uint64_t)(int64_t)sign;
	if (process_failed(p))
		m->totals.failed += (uint64_t)(int64_t)sign;
}

/* Set the state of a process. The number `failed` of its timings is updated in model_settle(),
 * because a malicious trace may send a million exit events. */
static void state_set(struct model *m, uint32_t slot, enum process_state state)
{
	struct process *p = &m->processes[slot];
	struct lru *before = lru_of(m, p);

	if ((p->state == STATE_RUNNING) != (state == STATE_RUNNING)) {
		lru_unlink(m, before, slot);
		p->state = (uint8_t)state;
		lru_append(m, lru_of(m, p), slot);
	}
	p->state = (uint8_t)state;
	if (process_failed(p) != p->counted_failed)
		settle_later(m, slot);
}

void process_end_set(struct model *m, uint32_t slot, enum process_end end_by, int64_t code,
		     int64_t signo, ns_t t_abs)
{
	struct process *p = &m->processes[slot];

	state_count(m, p, -1);
	p->end_by = (uint8_t)end_by;
	p->code = code;
	p->signo = signo;
	p->t_abs_end = t_abs;
	state_set(m, slot, state_by_contract(p));
	state_count(m, &m->processes[slot], 1);
}

void process_state_update(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	enum process_state state = state_by_contract(p);

	if (state == p->state)
		return;
	state_count(m, p, -1);
	state_set(m, slot, state);
	state_count(m, &m->processes[slot], 1);
	m->version++;
}

void process_gone(struct model *m, uint32_t slot)
{
	m->processes[slot].gone = true;
	process_state_update(m, slot);
}

void process_killed(struct model *m, uint32_t slot, int64_t signo, ns_t time)
{
	struct process *p = &m->processes[slot];

	if (p->state == STATE_EXITED || p->state == STATE_SIGNALED)
		return;
	if (time != NS_NONE && (p->end == NS_NONE || time > p->end)) {
		p->end = time;
		if (m->last_time == NS_NONE || time > m->last_time)
			m->last_time = time;
	}
	process_end_set(m, slot, END_SIGNAL, NUM_NONE, signo,
			time == NS_NONE || p->start == NS_NONE ? NS_NONE : p->end - p->start);
	m->version++;
}

/* ---- processes by stream ---- */

/* Processes are not tracked for streams from this number on: each number takes four bytes. */
#define MAX_STREAM (1u << 28)

static void stream_leave(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	if (p->stream == SLOT_NONE)
		return;
	if (p->stream_next != SLOT_NONE)
		m->processes[p->stream_next].stream_prev = p->stream_prev;
	if (p->stream_prev != SLOT_NONE)
		m->processes[p->stream_prev].stream_next = p->stream_next;
	else
		m->streams[p->stream] = p->stream_next;
	p->stream = SLOT_NONE;
}

static void streams_grow(struct model *m)
{
	uint32_t nr = m->nr_streams ? m->nr_streams : 64;

	while (nr <= m->stream)
		nr *= 2;
	m->streams = xreallocarray(m->streams, nr, sizeof(*m->streams));
	memset(m->streams + m->nr_streams, 0xff, (nr - m->nr_streams) * sizeof(*m->streams));
	m->nr_streams = nr;
}

void process_join_stream(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	if (m->stream >= MAX_STREAM)
		return;
	stream_leave(m, slot);
	if (m->stream >= m->nr_streams)
		streams_grow(m);
	p->stream = m->stream;
	p->stream_prev = SLOT_NONE;
	p->stream_next = m->streams[m->stream];
	if (p->stream_next != SLOT_NONE)
		m->processes[p->stream_next].stream_prev = slot;
	m->streams[m->stream] = slot;
	if (p->cut_off || p->untraced) {
		p->cut_off = p->untraced = false;
		process_state_update(m, slot);
	}
}

void model_stream_end(struct model *m, uint32_t stream)
{
	if (stream >= m->nr_streams)
		return;
	while (m->streams[stream] != SLOT_NONE) {
		uint32_t slot = m->streams[stream];

		stream_leave(m, slot);
		m->processes[slot].cut_off = true;
		process_state_update(m, slot);
	}
}

/* ---- creation of processes, ABOUT records ---- */

static uint32_t slot_take(struct model *m)
{
	uint32_t slot = m->free_slot;

	if (slot != SLOT_NONE) {
		m->free_slot = m->processes[slot].next_sibling;
		return slot;
	}
	if (m->nr_slots == m->cap_slots) {
		m->cap_slots += m->cap_slots
					? (uint32_t)(grow_by(m->cap_slots * sizeof(*m->processes)) /
						     sizeof(*m->processes))
					: 64;
		m->processes = xreallocarray(m->processes, m->cap_slots, sizeof(*m->processes));
	}
	m->processes[m->nr_slots].gen = 0;
	return m->nr_slots++;
}

/* Copy the fields of an ABOUT record, except the parent, to a process; only pid and host if it has
 * no format. A known pid or host stays. */
static void about_fill(struct process *p, const struct process_about *about)
{
	size_t len = about->host_len < sizeof(p->host) ? about->host_len : sizeof(p->host) - 1;

	if (p->pid == NUM_NONE)
		p->pid = about->pid;
	if (about->host && !*p->host)
		memcpy(p->host, about->host, len);
	if (about->format == SYM_NONE)
		return;
	p->format = about->format;
	p->clock = (uint8_t)(about->bits & ABOUT_CLOCK_BITS);
	if (p->clock >= NR_EVENT_CLOCKS)
		p->clock = CLOCK_OWN;
	p->guessed = about->bits & ABOUT_GUESSED;
	p->in_pieces = about->bits & ABOUT_IN_PIECES;
	if (about->main_thread != SYM_NONE)
		p->main_thread = about->main_thread;
}

static void about_parent(struct model *m, struct process *p, const struct process_about *about)
{
	if (!about->parent || (about->parent_len == p->sid.len &&
			       !memcmp(text_bytes(&m->heap, p->sid), about->parent, p->sid.len)))
		return;
	m->parents_given = true;
	p->has_parent = p->parent_given = true;
	p->parent_sid = text_new(&m->heap, about->parent, about->parent_len);
	p->depth = sid_depth(about->parent, about->parent_len) + 1;
}

/*
 * Create a process and return its slot. Its pid and host come from the SID, else from `about`; its
 * parent comes from `about`, else from the SID. Timings are counted by depth, so the parent's SID
 * and the depth do not change afterwards.
 */
static uint32_t process_new(struct model *m, const char *sid, size_t len, uint64_t hash,
			    const struct process_about *about)
{
	struct text text = text_new(&m->heap, sid, len);
	uint32_t slot = slot_take(m);
	struct process *p = &m->processes[slot];
	struct sid_parts parts;

	sid_take_apart(sid, len, &parts);
	*p = (struct process){
		.sid_hash = hash,
		.uid = m->peer_uid,
		.agent = m->agent,
		.skew_ms = m->skew_ms,
		.gen = p->gen + 1,
		.sid = text,
		.start = NS_NONE,
		.end = NS_NONE,
		.first_arrival = NS_NONE,
		.last_arrival = NS_NONE,
		.t_abs_end = NS_NONE,
		.code = NUM_NONE,
		.signo = NUM_NONE,
		.first_child = SLOT_NONE,
		.link = SLOT_NONE,
		.stream = SLOT_NONE,
		.name = SYM_NONE,
		.hierarchy = SYM_NONE,
		.path = SYM_NONE,
		.exe = SYM_NONE,
		.evt = SYM_NONE,
		.format = SYM_NONE,
		.main_thread = SYM_NONE,
		.usual = UINT64_MAX,
		.axis = { .offset = NS_NONE,
			  .thread = AXIS_NO_THREAD,
			  .begun = m->config.no_why,
			  .innermost = LEDGER_NONE,
			  .last_exit = INDEX_NONE,
			  .origin = NS_NONE,
			  .init = NS_NONE,
			  .end = NS_NONE,
			  .first_atexit = NS_NONE },
	};
	p->pid = parts.pid;
	memcpy(p->host, parts.host, sizeof(p->host));
	p->depth = parts.depth;
	p->has_parent = parts.parent_len != SID_NO_PARENT;
	if (p->has_parent)
		p->parent_sid = (struct text){ text.ref, (uint32_t)parts.parent_len };
	if (about) {
		about_fill(p, about);
		about_parent(m, p, about);
	}
	sid_table_add(m, slot);
	if (!m->totals.processes)
		m->first_agent = m->agent;
	m->has_agents |= m->agent != m->first_agent;
	m->nr_processes++;
	m->totals.processes++;
	lru_append(m, &m->running, slot);
	state_count(m, p, 1);
	parent_find(m, slot);
	orphans_adopt(m, slot);
	return slot;
}

uint32_t process_look_up(struct model *m, const struct batch *batch, uint32_t index,
			 const struct process_about *about)
{
	const struct batch_sid *sid = &batch->sids[index];
	const char *text = batch->text + sid->text;
	uint32_t slot = process_find(m, text, sid->len, sid->hash);

	sid_prefetch(m, batch, index);
	if (slot == SLOT_NONE && sid_is_evicted(m, sid->hash))
		return SLOT_LATE;
	if (slot == SLOT_NONE)
		slot = process_new(m, text, sid->len, sid->hash, about);
	m->sid_slots[index] = slot;
	return slot;
}

void process_about(struct model *m, const struct batch *batch, uint32_t index,
		   const struct process_about *about)
{
	uint32_t slot = process_look_up(m, batch, index, about);
	struct process *p;

	if (slot == SLOT_LATE)
		return;
	p = &m->processes[slot];
	about_fill(p, about);
	p->live |= m->stream_live;
	if (p->first_arrival == NS_NONE)
		p->first_arrival = m->last_arrival;
	p->last_arrival = m->last_arrival;
	if (p->stream != m->stream)
		process_join_stream(m, slot);
	if (about->bits & ABOUT_ENDED) {
		m->processes[slot].untraced = true;
		process_state_update(m, slot);
	}
	if (p->parent != SLOT_NONE)
		process_dirty(m, p->parent);
}

/* ---- eviction of processes ---- */

static void process_free(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	command_leave(m, p);
	strip_process_leave(m, p);
	sid_forget(m, p->sid_hash);
	if (p->parent != SLOT_NONE) {
		struct process *parent = &m->processes[p->parent];

		if (p->link < parent->children.nr)
			((struct child *)vec_at(&m->heap, &parent->children, p->link,
						sizeof(struct child)))
				->forgotten = true;
		process_dirty(m, p->parent);
	}
	orphan_remove(m, slot);
	stream_leave(m, slot);
	family_leave(m, slot);
	lru_unlink(m, lru_of(m, p), slot);
	sid_table_remove(m, slot);
	threads_release(m, p);
	process_release_lists(m, p);
	if (p->parent_given)
		text_release(&m->heap, &p->parent_sid);
	text_release(&m->heap, &p->sid);
	p->gen++;
	p->next_sibling = m->free_slot;
	m->free_slot = slot;
	m->nr_processes--;
}

/*
 * Return the slot of a process below `slot`, or `slot` itself, that is not in STATE_RUNNING and has
 * no children. SLOT_NONE: the search found a running process first. After 1000 processes returns
 * the next one, in any state, so that eviction is fast.
 */
static uint32_t finished_leaf(const struct model *m, uint32_t slot)
{
	for (unsigned steps = 0; steps < 1000; steps++) {
		const struct process *p = &m->processes[slot];

		if (p->state == STATE_RUNNING)
			return SLOT_NONE;
		if (p->first_child == SLOT_NONE)
			return slot;
		slot = p->first_child;
	}
	return slot;
}

static bool evict_finished(struct model *m)
{
	/* Move an ended process with running descendants to the newest end of the list and try the
	 * next one, at most 64 times. */
	for (unsigned tries = 0; tries < 64; tries++) {
		uint32_t oldest = m->ended.oldest, leaf;

		if (oldest == SLOT_NONE)
			return false;
		leaf = finished_leaf(m, oldest);
		if (leaf != SLOT_NONE) {
			children_orphan(m, leaf);
			process_free(m, leaf);
			m->dropped.finished++;
			return true;
		}
		process_touch(m, oldest);
	}
	return false;
}

/* Prefetch data of the next `nr` processes to evict. */
static inline __attribute__((always_inline)) void evict_prefetch(const struct model *m, uint32_t nr)
{
	uint32_t slot = m->ended.oldest;

	for (; nr && slot != SLOT_NONE; nr--, slot = m->processes[slot].lru_next) {
		const struct process *p = &m->processes[slot];

		sid_set_prefetch(&m->evicted[0], p->sid_hash); /* sid_forget() writes there */
		__builtin_prefetch(heap_get(&m->heap, p->threads.ref));
		__builtin_prefetch(heap_get(&m->heap, p->argv.ref));
		__builtin_prefetch(heap_get(&m->heap, p->data.ref));
		__builtin_prefetch(heap_get(&m->heap, p->children.ref));
	}
}

static void evict_one(struct model *m)
{
	uint32_t slot;

	if (evict_finished(m))
		return;
	/* Each ended process that was tried has a running descendant. */
	slot = m->running.oldest;
	children_orphan(m, slot);
	process_free(m, slot);
	m->dropped.silent++;
}

void process_evict_surplus(struct model *m)
{
	uint32_t max = m->config.max_processes;
	size_t max_bytes = m->config.max_bytes;
	/* Evict more processes than necessary, so that model_settle() is called rarely. */
	uint32_t keep = max - max / 16;

	if (!process_has_surplus(m))
		return;
	model_settle(m);
	if (max && m->nr_processes > max) {
		evict_prefetch(m, m->nr_processes - keep);
		while (m->nr_processes > keep)
			evict_one(m);
	}
	if (!max_bytes || model_used_bytes(m) <= max_bytes)
		return;
	while (m->nr_processes > 1 && model_used_bytes(m) > max_bytes - max_bytes / 16) {
		evict_one(m);
		m->dropped.for_memory++;
	}
}
