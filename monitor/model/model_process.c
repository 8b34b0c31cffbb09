/* SPDX-License-Identifier: MIT */
/* Processes: how they are found by their SID, hang below each other, end, and leave. */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"

/* So many SIDs ahead their place in the tables is asked for. */
#define SID_PREFETCH 8
/* What only prefetches has no effect in the compiler's eyes: it would leave out the call. */
#define PREFETCHES static inline __attribute__((always_inline)) void

/* ---- lists by time ---- */

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

/* ---- tables by SID ---- */

static void slots_put(struct model *m, struct slots *slots, uint64_t hash, uint32_t value,
		      uint64_t (*hash_of)(const struct model *m, uint32_t value))
{
	uint32_t at;

	if ((slots->nr + 1) * 2 > slots->mask) {
		struct slots bigger = { .mask = slots->mask * 2 + 1, .nr = slots->nr };

		bigger.at = xcalloc((size_t)bigger.mask + 1, sizeof(*bigger.at));
		for (uint32_t i = 0; i <= slots->mask; i++) {
			if (!slots->at[i])
				continue;
			at = (uint32_t)hash_of(m, slots->at[i] - 1) & bigger.mask;
			while (bigger.at[at])
				at = (at + 1) & bigger.mask;
			bigger.at[at] = slots->at[i];
		}
		free(slots->at);
		*slots = bigger;
	}
	for (at = (uint32_t)hash & slots->mask; slots->at[at];)
		at = (at + 1) & slots->mask;
	slots->at[at] = value + 1;
	slots->nr++;
}

/* Free a slot of a table and move up those that were pushed behind it. */
static void slots_remove_at(struct model *m, struct slots *slots, uint32_t at,
			    uint64_t (*hash_of)(const struct model *m, uint32_t value))
{
	uint32_t hole = at;

	slots->nr--;
	for (;;) {
		uint32_t home;

		at = (at + 1) & slots->mask;
		if (!slots->at[at])
			break;
		home = (uint32_t)hash_of(m, slots->at[at] - 1) & slots->mask;
		if (((at - home) & slots->mask) < ((at - hole) & slots->mask))
			continue;
		slots->at[hole] = slots->at[at];
		hole = at;
	}
	slots->at[hole] = 0;
}

static uint64_t sid_hash_of(const struct model *m, uint32_t slot)
{
	return m->processes[slot].sid_hash;
}

/* The SID's part before its last '/'; SIZE_MAX where it has none. */
static size_t parent_length(const char *sid, size_t len)
{
	const char *slash = len ? memrchr(sid, '/', len) : NULL;

	return slash ? (size_t)(slash - sid) : SIZE_MAX;
}

static uint64_t parent_hash_of(const struct model *m, uint32_t slot)
{
	const struct text sid = m->processes[slot].sid;
	const char *bytes = text_bytes(&m->slab, sid);

	return tr2_hash(bytes, parent_length(bytes, sid.len));
}

uint32_t process_find(const struct model *m, const char *sid, size_t len, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & m->by_sid.mask;

	for (; m->by_sid.at[at]; at = (at + 1) & m->by_sid.mask) {
		uint32_t slot = m->by_sid.at[at] - 1;
		const struct process *p = &m->processes[slot];

		if (p->sid_hash == hash && p->sid.len == len &&
		    !memcmp(text_bytes(&m->slab, p->sid), sid, len))
			return slot;
	}
	return SLOT_NONE;
}

uint32_t process_find_hash(const struct model *m, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & m->by_sid.mask;

	for (; m->by_sid.at[at]; at = (at + 1) & m->by_sid.mask)
		if (m->processes[m->by_sid.at[at] - 1].sid_hash == hash)
			return m->by_sid.at[at] - 1;
	return SLOT_NONE;
}

/* The first of the processes that wait for the parent `sid`; where it stands in `*at`. */
static uint32_t orphans_find(const struct model *m, const char *sid, size_t len, uint64_t hash,
			     uint32_t *at)
{
	for (*at = (uint32_t)hash & m->orphans.mask; m->orphans.at[*at];
	     *at = (*at + 1) & m->orphans.mask) {
		uint32_t slot = m->orphans.at[*at] - 1;
		const struct text child = m->processes[slot].sid;
		const char *bytes = text_bytes(&m->slab, child);

		if (parent_length(bytes, child.len) == len && !memcmp(bytes, sid, len))
			return slot;
	}
	return SLOT_NONE;
}

/* ---- the tree ---- */

static void sibling_push(struct model *m, uint32_t *first, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	p->prev_sibling = SLOT_NONE;
	p->next_sibling = *first;
	if (*first != SLOT_NONE)
		m->processes[*first].prev_sibling = slot;
	*first = slot;
}

static void sibling_unlink(struct model *m, uint32_t *first, uint32_t slot)
{
	struct process *p = &m->processes[slot];

	if (p->prev_sibling == SLOT_NONE)
		*first = p->next_sibling;
	else
		m->processes[p->prev_sibling].next_sibling = p->next_sibling;
	if (p->next_sibling != SLOT_NONE)
		m->processes[p->next_sibling].prev_sibling = p->prev_sibling;
}

static uint32_t *family_of(struct model *m, const struct process *p)
{
	return p->parent == SLOT_NONE ? &m->first_root : &m->processes[p->parent].first_child;
}

static void orphan_add(struct model *m, uint32_t slot, const char *parent, size_t len)
{
	uint64_t hash = tr2_hash(parent, len);
	uint32_t at, first = orphans_find(m, parent, len, hash, &at);
	struct process *p = &m->processes[slot];

	p->orphan_next = first;
	p->orphan_prev = SLOT_NONE;
	if (first == SLOT_NONE) {
		slots_put(m, &m->orphans, hash, slot, parent_hash_of);
		return;
	}
	m->processes[first].orphan_prev = slot;
	m->orphans.at[at] = slot + 1;
}

static void orphan_remove(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	const char *sid = text_bytes(&m->slab, p->sid);
	size_t len = parent_length(sid, p->sid.len);
	uint32_t at;

	if (len == SIZE_MAX || !p->is_orphan)
		return;
	p->is_orphan = false;
	if (p->orphan_next != SLOT_NONE)
		m->processes[p->orphan_next].orphan_prev = p->orphan_prev;
	if (p->orphan_prev != SLOT_NONE) {
		m->processes[p->orphan_prev].orphan_next = p->orphan_next;
		return;
	}
	orphans_find(m, sid, len, tr2_hash(sid, len), &at);
	if (p->orphan_next != SLOT_NONE)
		m->orphans.at[at] = p->orphan_next + 1;
	else
		slots_remove_at(m, &m->orphans, at, parent_hash_of);
}

static void parent_find(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	const char *sid = text_bytes(&m->slab, p->sid);
	size_t len = parent_length(sid, p->sid.len);

	p->parent = SLOT_NONE;
	if (len != SIZE_MAX) {
		p->parent = process_find(m, sid, len, tr2_hash(sid, len));
		if (p->parent == SLOT_NONE) {
			p->is_orphan = true;
			orphan_add(m, slot, sid, len);
		} else {
			process_dirty(m, p->parent);
		}
	}
	sibling_push(m, family_of(m, p), slot);
}

static void orphans_adopt(struct model *m, uint32_t parent)
{
	const struct text sid = m->processes[parent].sid;
	uint32_t at, slot = orphans_find(m, text_bytes(&m->slab, sid), sid.len,
					 m->processes[parent].sid_hash, &at);

	if (slot == SLOT_NONE)
		return;
	slots_remove_at(m, &m->orphans, at, parent_hash_of);
	while (slot != SLOT_NONE) {
		struct process *p = &m->processes[slot];
		uint32_t next = p->orphan_next;

		sibling_unlink(m, &m->first_root, slot);
		p->is_orphan = false;
		p->parent = parent;
		sibling_push(m, &m->processes[parent].first_child, slot);
		slot = next;
	}
	process_dirty(m, parent);
}

/* ---- state ---- */

static void settle_later(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	struct tenant *t;

	if (p->dirty)
		return;
	p->dirty = true;
	t = vec_push(&m->slab, &m->dirty, sizeof(*t), 0, NULL);
	*t = (struct tenant){ slot, p->gen };
}

void process_dirty(struct model *m, uint32_t slot)
{
	m->processes[slot].family_dirty = true;
	settle_later(m, slot);
}

void process_open_add(struct model *m, uint32_t slot, int nr)
{
	struct process *p = &m->processes[slot];

	p->nr_open += (uint32_t)nr;
	if (p->state == STATE_RUNNING)
		m->totals.open_regions += (uint64_t)(int64_t)nr;
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
	return p->gone || p->cut_off || p->lost_by_parent ? STATE_LOST : STATE_RUNNING;
}

static void state_count(struct model *m, const struct process *p, int sign)
{
	unsigned depth = p->depth < MODEL_DEPTHS ? p->depth : MODEL_DEPTHS - 1;

	m->totals.by_state[p->state] += (uint64_t)(int64_t)sign;
	if (process_failed(p))
		m->totals.failed += (uint64_t)(int64_t)sign;
	if (p->state == STATE_RUNNING) {
		m->live_at_depth[depth] += (uint32_t)sign;
		m->totals.open_regions += (uint64_t)(sign * (int64_t)p->nr_open);
	}
}

/* Timings follow `failed` only when somebody looks, for a hostile trace may exit a million
 * times. */
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

/* ---- streams: whose connection ended ---- */

/* Numbers beyond this are not kept: four bytes each. */
#define MAX_STREAM (1u << 28)

/* Each process stands in the list of the stream that it spoke on last. */
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
	if (p->cut_off) {
		p->cut_off = false;
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

/* ---- SIDs ---- */

static int64_t hex_value(const char *s, size_t len)
{
	int64_t v = 0;

	if (!len || len > 15)
		return NUM_NONE;
	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (c >= '0' && c <= '9')
			v = v * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = v * 16 + (c - 'A' + 10);
		else
			return NUM_NONE;
	}
	return v;
}

/* pid and host from the last component: "...-H0123abcd-P00001234", "...-Localhost-P...". */
static void sid_parse(struct process *p, const char *sid, size_t len)
{
	size_t from = parent_length(sid, len), pid_at, host_len = 9;
	const char *last;

	p->pid = NUM_NONE;
	last = from == SIZE_MAX ? sid : sid + from + 1;
	len -= (size_t)(last - sid);
	for (pid_at = len; pid_at > 0 && last[pid_at - 1] != '-' && len - pid_at < 17;)
		pid_at--;
	if (pid_at < 1 || pid_at >= len || last[pid_at - 1] != '-' || last[pid_at] != 'P')
		return;
	p->pid = hex_value(last + pid_at + 1, len - pid_at - 1);
	if (p->pid == NUM_NONE || pid_at < host_len + 2 || last[pid_at - 2 - host_len] != '-')
		return;
	last += pid_at - 1 - host_len;
	if (memcmp(last, "Localhost", host_len) &&
	    (last[0] != 'H' || hex_value(last + 1, 8) == NUM_NONE))
		return;
	memcpy(p->host, last, host_len);
	p->host[host_len] = '\0';
}

static uint32_t slot_take(struct model *m)
{
	uint32_t slot = m->free_slot;

	if (slot != SLOT_NONE) {
		m->free_slot = m->processes[slot].next_sibling;
		return slot;
	}
	if (m->nr_slots == m->cap_slots) {
		m->cap_slots +=
			m->cap_slots
				? (uint32_t)(grow_by(m->cap_slots * sizeof(*m->processes)) /
					     sizeof(*m->processes))
				: 64;
		m->processes = xreallocarray(m->processes, m->cap_slots, sizeof(*m->processes));
	}
	m->processes[m->nr_slots].gen = 0;
	return m->nr_slots++;
}

static uint32_t process_new(struct model *m, const char *sid, size_t len, uint64_t hash)
{
	struct text text = text_new(&m->slab, sid, len);
	uint32_t slot = slot_take(m);
	struct process *p = &m->processes[slot];
	const char *slash = sid, *end = sid + len;

	*p = (struct process){
		.sid_hash = hash,
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
	};
	while ((slash = memchr(slash, '/', (size_t)(end - slash)))) {
		p->depth++;
		slash++;
	}
	sid_parse(p, sid, len);
	slots_put(m, &m->by_sid, hash, slot, sid_hash_of);
	m->nr_processes++;
	m->totals.processes++;
	lru_append(m, &m->running, slot);
	state_count(m, p, 1);
	parent_find(m, slot);
	orphans_adopt(m, slot);
	return slot;
}

/* ---- evicted SIDs ---- */

static bool sid_set_has(const struct sid_set *set, uint64_t hash)
{
	if (!set->cap)
		return false;
	for (uint32_t at = (uint32_t)hash & (set->cap - 1); set->at[at];
	     at = (at + 1) & (set->cap - 1))
		if (set->at[at] == hash)
			return true;
	return false;
}

static void sid_set_put(struct sid_set *set, uint64_t hash)
{
	uint32_t at;

	if ((set->nr + 1) * 2 > set->cap) {
		struct sid_set bigger = { .cap = set->cap ? set->cap * 2 : 1024 };

		bigger.at = xcalloc(bigger.cap, sizeof(*bigger.at));
		for (uint32_t i = 0; i < set->cap; i++)
			if (set->at[i])
				sid_set_put(&bigger, set->at[i]);
		free(set->at);
		*set = bigger;
	}
	for (at = (uint32_t)hash & (set->cap - 1); set->at[at]; at = (at + 1) & (set->cap - 1))
		if (set->at[at] == hash)
			return;
	set->at[at] = hash;
	set->nr++;
}

/* All 64 bits: with 32, one in 4,000 new processes would be taken for one of a million evicted.
 */
static uint64_t set_hash(uint64_t hash)
{
	return hash ? hash : 1; /* 0 is a free slot */
}

PREFETCHES sid_set_prefetch(const struct sid_set *set, uint64_t hash)
{
	if (set->cap)
		__builtin_prefetch(&set->at[hash & (set->cap - 1)]);
}

static void evicted_remember(struct model *m, uint64_t sid_hash)
{
	if (m->evicted[0].nr >= MAX_EVICTED_SIDS / 2) {
		free(m->evicted[1].at);
		m->evicted[1] = m->evicted[0];
		m->evicted[0] = (struct sid_set){ 0 };
	}
	sid_set_put(&m->evicted[0], set_hash(sid_hash));
}

uint32_t process_find_batch_sid(const struct model *m, const struct batch *batch,
				uint32_t index)
{
	const struct batch_sid *sid = &batch->sids[index];

	return process_find(m, batch->text + sid->text, sid->len, sid->hash);
}

/* SIDs stand in a batch in the order in which they will be looked for. */
PREFETCHES sid_prefetch(const struct model *m, const struct batch *batch, uint32_t index)
{
	uint64_t hash;

	if (index >= batch->nr_sids)
		return;
	hash = batch->sids[index].hash;
	__builtin_prefetch(&m->by_sid.at[hash & m->by_sid.mask]);
	sid_set_prefetch(&m->evicted[0], hash);
	sid_set_prefetch(&m->evicted[1], hash);
}

uint32_t process_look_up(struct model *m, const struct batch *batch, uint32_t index)
{
	const struct batch_sid *sid = &batch->sids[index];
	const char *text = batch->text + sid->text;
	uint32_t slot = process_find(m, text, sid->len, sid->hash);

	sid_prefetch(m, batch, index + SID_PREFETCH);
	if (slot == SLOT_NONE && (sid_set_has(&m->evicted[0], set_hash(sid->hash)) ||
				  sid_set_has(&m->evicted[1], set_hash(sid->hash))))
		return SLOT_LATE;
	if (slot == SLOT_NONE)
		slot = process_new(m, text, sid->len, sid->hash);
	m->sid_slots[index] = slot;
	return slot;
}

/* ---- leaving ---- */

static void process_free(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	uint32_t at = (uint32_t)p->sid_hash & m->by_sid.mask;

	evicted_remember(m, p->sid_hash);
	if (p->parent != SLOT_NONE)
		process_dirty(m, p->parent);
	orphan_remove(m, slot);
	stream_leave(m, slot);
	sibling_unlink(m, family_of(m, p), slot);
	lru_unlink(m, lru_of(m, p), slot);
	while (m->by_sid.at[at] != slot + 1)
		at = (at + 1) & m->by_sid.mask;
	slots_remove_at(m, &m->by_sid, at, sid_hash_of);
	/* What it did stays in the totals; only the live counts are of those kept. */
	if (p->state == STATE_RUNNING)
		m->live_at_depth[p->depth < MODEL_DEPTHS ? p->depth : MODEL_DEPTHS - 1]--;
	threads_release(m, p);
	process_release_lists(m, p);
	text_release(&m->slab, &p->sid);
	p->gen++;
	p->next_sibling = m->free_slot;
	m->free_slot = slot;
	m->nr_processes--;
}

/* Its children stay, as roots whose parent is known to be gone. */
static void children_orphan(struct model *m, uint32_t slot)
{
	uint32_t child = m->processes[slot].first_child;

	while (child != SLOT_NONE) {
		uint32_t next = m->processes[child].next_sibling;

		m->processes[child].parent = SLOT_NONE;
		m->processes[child].link = SLOT_NONE;
		sibling_push(m, &m->first_root, child);
		child = next;
	}
	m->processes[slot].first_child = SLOT_NONE;
}

/* The last finished process below `slot` that has none below it; SLOT_NONE where one still
 * runs there. Bounded, so that no shape of tree makes evicting slow. */
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
	/* Those whose tree still runs are moved back; after a few, any finished one will do. */
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

/* What is evicted was not touched for long: have it near before it is gone through. */
PREFETCHES evict_prefetch(const struct model *m, uint32_t nr)
{
	uint32_t slot = m->ended.oldest;

	for (; nr && slot != SLOT_NONE; nr--, slot = m->processes[slot].lru_next) {
		const struct process *p = &m->processes[slot];

		sid_set_prefetch(&m->evicted[0], p->sid_hash);
		__builtin_prefetch(slab_at(&m->slab, p->threads.ref));
		__builtin_prefetch(slab_at(&m->slab, p->argv.ref));
		__builtin_prefetch(slab_at(&m->slab, p->data.ref));
		__builtin_prefetch(slab_at(&m->slab, p->children.ref));
	}
}

void process_evict_surplus(struct model *m)
{
	uint32_t max = m->config.max_processes;
	/* Some more at once: what must be settled first is settled once for all of them. */
	uint32_t keep = max - max / 16;

	if (!max || m->nr_processes <= max)
		return;
	model_settle(m);
	evict_prefetch(m, m->nr_processes - keep);
	while (m->nr_processes > keep) {
		uint32_t slot;

		if (evict_finished(m))
			continue;
		slot = m->running.oldest != SLOT_NONE ? m->running.oldest : m->ended.oldest;
		children_orphan(m, slot);
		process_free(m, slot);
		m->dropped.silent++;
	}
}
