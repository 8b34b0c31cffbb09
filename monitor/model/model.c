/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define FIRST_SLOTS 64

const char *const process_state_names[NR_STATES] = {
	[STATE_RUNNING] = "running",   [STATE_EXITED] = "exited", [STATE_SIGNALED] = "signaled",
	[STATE_REPLACED] = "replaced", [STATE_LOST] = "lost",     [STATE_UNTRACED] = "untraced",
};

const char *const process_clock_names[NR_EVENT_CLOCKS] = {
	[CLOCK_OWN] = "own",
	[CLOCK_REFERENCE] = "reference",
	[CLOCK_TIME_OF_DAY] = "time of day",
};

static void *array_copy(const void *from, size_t nr, size_t size)
{
	void *to;

	if (!nr)
		return NULL;
	to = xreallocarray(NULL, nr, size);
	memcpy(to, from, nr * size);
	return to;
}

static struct tr2_hash_index hash_index_copy(const struct tr2_hash_index *from)
{
	struct tr2_hash_index to = *from;

	to.at = array_copy(from->at, (size_t)from->mask + 1, sizeof(*from->at));
	return to;
}

/* Return a version that no other model has. */
static uint64_t version_first(void)
{
	static uint64_t nr_models;

	return ++nr_models << MODEL_VERSION_BITS;
}

struct model *model_new(const struct tr2_intern *syms, const struct model_config *config)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->config = *config;
	m->version = version_first();
	if (config->max_processes && !config->max_bytes)
		m->config.max_bytes = MAX_MODEL_BYTES;
	m->syms = syms;
	heap_init(&m->heap);
	hash_index_init(&m->by_sid, FIRST_SLOTS);
	hash_index_init(&m->orphans, FIRST_SLOTS);
	hash_index_init(&m->by_cell, FIRST_SLOTS);
	hash_index_init(&m->by_row, FIRST_SLOTS);
	hash_index_init(&m->by_name, FIRST_SLOTS);
	hash_index_init(&m->by_command, FIRST_SLOTS);
	m->free_slot = m->first_root = SLOT_NONE;
	m->running = m->ended = (struct lru){ SLOT_NONE, SLOT_NONE };
	m->last_time = m->last_arrival = NS_NONE;
	m->stream = SLOT_NONE;
	m->peer_uid = NUM_NONE;
	m->agent = SYM_NONE;
	usual_begin(m);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	heap_release(&m->heap);
	tr2_hash_index_release(&m->by_sid);
	tr2_hash_index_release(&m->orphans);
	tr2_hash_index_release(&m->by_cell);
	tr2_hash_index_release(&m->by_row);
	tr2_hash_index_release(&m->by_name);
	tr2_hash_index_release(&m->by_command);
	tr2_hash_index_release(&m->by_usual);
	free(m->usual);
	free(m->processes);
	free(m->evicted[0].at);
	free(m->evicted[1].at);
	free(m->cells);
	free(m->rows);
	free(m->names);
	free(m->commands);
	free(m->samples);
	free(m->streams);
	free(m->sid_slots);
	strip_release(&m->strip);
	since_free(m->since);
	free(m);
}

struct model *model_copy(const struct model *from)
{
	struct model *m = xmalloc(sizeof(*m));

	*m = *from;
	m->version = version_first();
	heap_copy(&m->heap, &from->heap);
	m->by_sid = hash_index_copy(&from->by_sid);
	m->orphans = hash_index_copy(&from->orphans);
	m->by_cell = hash_index_copy(&from->by_cell);
	m->by_row = hash_index_copy(&from->by_row);
	m->by_name = hash_index_copy(&from->by_name);
	m->by_command = hash_index_copy(&from->by_command);
	if (from->by_usual.at)
		m->by_usual = hash_index_copy(&from->by_usual);
	m->usual = array_copy(from->usual, m->cap_usual = m->nr_usual, sizeof(*m->usual));
	m->processes =
		array_copy(from->processes, m->cap_slots = m->nr_slots, sizeof(*m->processes));
	for (int i = 0; i < 2; i++)
		m->evicted[i].at = array_copy(from->evicted[i].at, from->evicted[i].cap,
					      sizeof(*m->evicted[i].at));
	m->cells = array_copy(from->cells, m->cap_cells = m->nr_cells, sizeof(*m->cells));
	m->rows = array_copy(from->rows, m->cap_rows = m->nr_rows, sizeof(*m->rows));
	m->names = array_copy(from->names, m->cap_names = m->nr_names, sizeof(*m->names));
	m->commands =
		array_copy(from->commands, m->cap_commands = m->nr_commands, sizeof(*m->commands));
	m->samples = array_copy(from->samples, m->cap_samples = m->nr_samples, sizeof(*m->samples));
	m->streams = array_copy(from->streams, from->nr_streams, sizeof(*m->streams));
	m->sid_slots = NULL;
	m->cap_sid_slots = 0;
	m->since = since_copy(from->since);
	m->strip = (struct strip){ 0 };
	strip_copy(&m->strip, &from->strip);
	return m;
}

/* ---- numbers of events by name ---- */

static uint32_t event_name_hash(const void *model, uint32_t number)
{
	return ((const struct model *)model)->names[number].name;
}

static struct event_name *event_name_find(const struct model *m, sym_t name)
{
	TR2_HASH_INDEX_EACH(&m->by_name, name, at)
	if (m->names[m->by_name.at[at] - 1].name == name)
		return &m->names[m->by_name.at[at] - 1];
	return NULL;
}

static void count_event_name(struct model *m, sym_t name)
{
	struct event_name *known = event_name_find(m, name);
	uint32_t max = bounded(m, MAX_EVENT_NAMES);

	if (!known && max && m->nr_names >= max && name != m->syms->sym_other) {
		m->dropped.names_other++;
		name = m->syms->sym_other;
		known = event_name_find(m, name);
	}
	if (known) {
		known->count++;
		return;
	}
	GROW(m->names, m->nr_names, m->cap_names, 16);
	m->names[m->nr_names] = (struct event_name){ .name = name, .count = 1 };
	hash_index_put(&m->by_name, name, m->nr_names++, event_name_hash, m);
}

/* ---- applying records, model_settle() ---- */

static bool beyond_nesting(const struct model *m, const struct event *ev)
{
	if (m->config.nesting < 0)
		return false;
	switch (ev->kind) {
	case TR2_E_REGION_ENTER:
	case TR2_E_REGION_LEAVE:
	case TR2_E_DATA:
	case TR2_E_DATA_JSON:
		return event_get(ev, TR2_F_NESTING, 0) > m->config.nesting;
	default:
		return false;
	}
}

/* True if the event begins a process, and so revives one whose pid is gone. Other events may only
 * be late. */
static bool is_beginning(const struct event *ev)
{
	return ev->kind == TR2_E_VERSION || ev->kind == TR2_E_START;
}

static inline uint32_t process_of_event(struct model *m, const struct batch *batch, uint32_t index)
{
	uint32_t slot = m->sid_slots[index];
	const struct process *p = slot < SLOT_LATE ? &m->processes[slot] : NULL;

	if (!p || p->sid_hash != batch->sids[index].hash || !(p->gen & 1)) {
		slot = process_look_up(m, batch, index, NULL);
		if (slot == SLOT_LATE)
			return slot;
		p = &m->processes[slot];
	}
	if (m->config.max_processes && m->running.newest != slot && m->ended.newest != slot)
		process_touch(m, slot);
	if (p->stream != m->stream)
		process_join_stream(m, slot);
	return slot;
}

static void apply_event(struct model *m, const struct batch *batch, const struct event *ev)
{
	struct applying a = { .model = m, .batch = batch, .ev = ev };
	struct process *p;
	struct thread *t;
	sym_t thread;

	if (m->config.since > 0 && event_get(ev, TR2_F_TIME, INT64_MAX) < m->config.since) {
		since_pass_over(m, batch, ev);
		return;
	}
	m->totals.events++;
	if (event_has(ev, FLD_EVENT))
		count_event_name(m, (sym_t)ev->v[FLD_EVENT]);
	else if (ev->kind < TR2_NR_EVENTS)
		m->counts[ev->kind]++;
	if (beyond_nesting(m, ev) || !event_has(ev, TR2_F_SID))
		return;
	a.slot = process_of_event(m, batch, (uint32_t)ev->v[TR2_F_SID]);
	if (a.slot == SLOT_LATE) {
		m->dropped.late_events++;
		return;
	}
	if (m->since && !m->processes[a.slot].nr_events)
		since_describe(m, a.slot);
	thread = event_sym(ev, TR2_F_THREAD);
	p = &m->processes[a.slot];
	a.thread = p->last_thread;
	if (a.thread >= p->threads.nr || thread_at(m, p, a.thread)->name != thread)
		a.thread = thread_of_name(m, a.slot, thread);
	p->nr_events++;
	if (m->stream_live && !p->live)
		p->live = true;
	if (m->peer_pid && p->pid == m->peer_pid)
		p->pid_seen = true;
	if (event_has(ev, TR2_F_TIME)) {
		ns_t time = ev->v[TR2_F_TIME];

		if (p->start == NS_NONE) {
			p->start = time;
			if (p->parent != SLOT_NONE)
				process_dirty(m, p->parent);
		}
		p->end = m->last_time = time;
		t = thread_at(m, p, a.thread);
		if (t->first_time == NS_NONE)
			t->first_time = time;
		t->last_time = time;
	}
	if (p->first_arrival == NS_NONE)
		p->first_arrival = m->last_arrival;
	p->last_arrival = m->last_arrival;
	if (p->last_is_exec || (p->gone && is_beginning(ev))) {
		p->last_is_exec = p->gone = false;
		process_state_update(m, a.slot);
	}
	a.on_axis = p->axis.thread == thread || (!p->axis.begun && axis_begin(p, thread));
	if (a.on_axis)
		axis_event(m, p, ev);
	if (ev->kind < TR2_NR_EVENTS && event_appliers[ev->kind])
		event_appliers[ev->kind](&a);
}

static void apply_about(struct model *m, const struct batch *batch, const struct event *ev)
{
	struct process_about about = { .pid = event_get(ev, TR2_F_PID, NUM_NONE),
				       .format = event_sym(ev, FLD_FORMAT),
				       .main_thread = event_sym(ev, TR2_F_THREAD),
				       .bits = event_get(ev, FLD_ABOUT, CLOCK_OWN) };

	if (!event_has(ev, TR2_F_SID))
		return;
	if (event_has(ev, FLD_PARENT))
		about.parent = batch_text(batch, ev->v[FLD_PARENT], &about.parent_len);
	if (event_has(ev, FLD_HOST))
		about.host = batch_text(batch, ev->v[FLD_HOST], &about.host_len);
	process_about(m, batch, (uint32_t)ev->v[TR2_F_SID], &about);
}

static int32_t event_skew(const struct event *ev)
{
	int64_t ms = event_get(ev, FLD_T_GAP, 0) / NS_PER_MS;

	return ms > INT32_MAX ? INT32_MAX : ms < -INT32_MAX ? -INT32_MAX : (int32_t)ms;
}

static void apply_record(struct model *m, const struct batch *batch, const struct event *ev)
{
	uint32_t slot;

	switch (ev->kind) {
	case REC_STREAM:
		m->stream = (uint32_t)event_get(ev, FLD_STREAM, SLOT_NONE);
		m->stream_live = event_get(ev, FLD_LIVE, 0);
		m->peer_pid = event_get(ev, TR2_F_PID, 0);
		m->peer_uid = event_get(ev, FLD_UID, NUM_NONE);
		m->agent = event_sym(ev, FLD_AGENT);
		m->skew_ms = event_skew(ev);
		m->last_arrival = event_get(ev, FLD_ARRIVAL, m->last_arrival);
		break;
	case REC_STREAM_END:
		m->last_arrival = event_get(ev, FLD_ARRIVAL, m->last_arrival);
		model_stream_end(m, (uint32_t)event_get(ev, FLD_STREAM, SLOT_NONE));
		break;
	case REC_PID_SEEN:
	case REC_PID_GONE:
		if (!event_has(ev, TR2_F_SID))
			break;
		/* A record about a pid does not create a process. */
		slot = process_find_batch_sid(m, batch, (uint32_t)ev->v[TR2_F_SID]);
		if (slot == SLOT_NONE)
			break;
		if (ev->kind == REC_PID_SEEN)
			m->processes[slot].pid_seen = true;
		else if (event_has(ev, TR2_F_SIGNO))
			process_killed(m, slot, ev->v[TR2_F_SIGNO],
				       event_get(ev, FLD_ARRIVAL, NS_NONE));
		else if (m->processes[slot].pid_seen)
			process_gone(m, slot);
		break;
	case REC_ABOUT:
		apply_about(m, batch, ev);
		break;
	case REC_GAP:
		m->dropped.gaps++;
		m->dropped.gap_ns = ns_add(m->dropped.gap_ns, event_get(ev, FLD_T_GAP, 0));
		break;
	case REC_LOST:
		m->dropped.remote_events += (uint64_t)event_get(ev, FLD_DROPS, 0);
		break;
	case REC_DROPPED:
		*(event_has(ev, FLD_STREAM) ? &m->dropped.ring_events
					    : &m->dropped.journal_events) +=
			(uint64_t)event_get(ev, FLD_DROPS, 0);
		break;
	default:
		break;
	}
}

void model_apply_range(struct model *m, const struct batch *batch, uint32_t from, uint32_t to)
{
	struct batch_cursor cursor = batch_begin(batch);
	struct event ev;

	if (m->cap_sid_slots < batch->nr_sids) {
		m->cap_sid_slots = batch->nr_sids * 2;
		m->sid_slots = xreallocarray(m->sid_slots, m->cap_sid_slots, sizeof(*m->sid_slots));
	}
	if (batch->nr_sids)
		memset(m->sid_slots, 0xff, batch->nr_sids * sizeof(*m->sid_slots));
	for (uint32_t i = 0; i < to && batch_next(&cursor, &ev); i++) {
		if (i < from)
			continue;
		if (event_is_trace2(&ev))
			apply_event(m, batch, &ev);
		else
			apply_record(m, batch, &ev);
		if (process_has_surplus(m))
			process_evict_surplus(m);
	}
	m->version++;
}

void model_apply(struct model *m, const struct batch *batch)
{
	model_apply_range(m, batch, 0, UINT32_MAX);
}

void model_settle(struct model *m)
{
	for (uint32_t i = 0; i < m->dirty.nr; i++) {
		struct tenant t = *(struct tenant *)vec_at(&m->heap, &m->dirty, i, sizeof(t));

		if (m->processes[t.slot].gen == t.gen)
			process_settle(m, t.slot);
	}
	vec_release(&m->heap, &m->dirty, sizeof(struct tenant));
}

/* ---- functions that read the model ---- */

uint64_t model_version(const struct model *m)
{
	return m->version;
}

int64_t model_deepest(const struct model *m)
{
	return m->deepest;
}

ns_t model_last_time(const struct model *m)
{
	return m->last_time;
}

const struct model_totals *model_totals(const struct model *m)
{
	return &m->totals;
}

const struct model_dropped *model_dropped(const struct model *m)
{
	return &m->dropped;
}

const struct tr2_intern *model_syms(const struct model *m)
{
	return m->syms;
}

const struct heap *model_heap(const struct model *m)
{
	return &m->heap;
}

size_t model_bytes(const struct model *m)
{
	return sizeof(*m) + heap_bytes(&m->heap) + m->cap_slots * sizeof(*m->processes) +
	       m->cap_cells * sizeof(*m->cells) + m->cap_rows * sizeof(*m->rows) +
	       m->cap_samples * sizeof(*m->samples) + m->nr_streams * sizeof(*m->streams) +
	       tr2_hash_index_bytes(&m->by_sid) + tr2_hash_index_bytes(&m->orphans) +
	       tr2_hash_index_bytes(&m->by_cell) + tr2_hash_index_bytes(&m->by_row) +
	       tr2_hash_index_bytes(&m->by_name) + since_bytes(m->since) + strip_bytes(&m->strip) +
	       tr2_hash_index_bytes(&m->by_usual) + m->cap_usual * sizeof(*m->usual) +
	       tr2_hash_index_bytes(&m->by_command) + m->cap_commands * sizeof(*m->commands) +
	       m->cap_names * sizeof(*m->names) + m->cap_sid_slots * sizeof(*m->sid_slots) +
	       ((size_t)m->evicted[0].cap + m->evicted[1].cap) * sizeof(uint64_t);
}

bool model_has_agents(const struct model *m)
{
	return m->has_agents;
}

uint32_t model_nr_processes(const struct model *m)
{
	return m->nr_processes;
}

struct handle model_handle_here(const struct model *m, struct handle h)
{
	uint32_t slot;

	if (h.slot == SLOT_NONE || (h.slot < m->nr_slots && m->processes[h.slot].gen & 1 &&
				    m->processes[h.slot].sid_hash == h.sid_hash))
		return h;
	slot = process_find_hash(m, h.sid_hash);
	/* If the process is not in this model, return a slot that no process has. */
	h.slot = slot != SLOT_NONE ? slot : SLOT_NONE - 1;
	return h;
}

const struct process *model_process(const struct model *m, struct handle h)
{
	h = model_handle_here(m, h);
	return h.slot < m->nr_slots ? &m->processes[h.slot] : NULL;
}

const struct process *model_slot(const struct model *m, uint32_t slot)
{
	return &m->processes[slot];
}

struct handle model_handle(const struct model *m, uint32_t slot)
{
	return slot == SLOT_NONE ? HANDLE_NONE : process_handle(&m->processes[slot], slot);
}

uint32_t model_next_slot(const struct model *m, uint32_t slot)
{
	while (++slot < m->nr_slots)
		if (m->processes[slot].gen & 1)
			return slot;
	return SLOT_NONE;
}

uint32_t model_first_slot(const struct model *m)
{
	return model_next_slot(m, SLOT_NONE);
}

uint32_t model_first_root(const struct model *m)
{
	return m->first_root;
}

uint32_t model_next_sibling(const struct model *m, uint32_t slot)
{
	return m->processes[slot].next_sibling;
}

uint32_t model_tree_next(const struct model *m, uint32_t root, uint32_t slot, uint32_t *level)
{
	uint32_t down = 0;

	if (m->processes[slot].first_child != SLOT_NONE) {
		slot = m->processes[slot].first_child;
		down = 1;
	} else {
		while (slot != root && m->processes[slot].next_sibling == SLOT_NONE) {
			slot = m->processes[slot].parent;
			down--;
		}
		slot = slot == root ? SLOT_NONE : m->processes[slot].next_sibling;
	}
	if (level)
		*level += down;
	return slot;
}

uint32_t model_find_sid(const struct model *m, const char *sid, size_t len)
{
	return process_find(m, sid, len, tr2_hash(sid, len));
}

ns_t process_elapsed(const struct process *p)
{
	if (p->end_by != END_NONE)
		return p->t_abs_end;
	if (p->start == NS_NONE || p->end == NS_NONE)
		return NS_NONE;
	return ns_sub(p->end, p->start);
}

uint64_t model_event_count(const struct model *m, enum tr2_event_kind kind)
{
	return m->counts[kind];
}

uint32_t model_nr_event_names(const struct model *m)
{
	return m->nr_names;
}

uint64_t model_event_name(const struct model *m, uint32_t index, sym_t *name)
{
	*name = m->names[index].name;
	return m->names[index].count;
}
