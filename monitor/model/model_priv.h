/* SPDX-License-Identifier: MIT */
/*
 * What the model's own files share: its tables and the calls between them. No other file
 * includes this.
 *
 *   model.c          tables, lifetime, lookups, dispatch of records
 *   model_sid.c      which process a SID is
 *   model_tree.c     which process hangs below which
 *   model_process.c  processes: made, evicted, their state
 *   model_event.c    what each event kind changes
 *   model_region.c   regions, timings
 *   model_thread.c   threads
 *   model_samples.c  how long regions took, one by one
 *   model_ledger.c   where the first thread was on its process's own axis
 *   model_usual.c    how long things took before
 *   model_command.c  what is kept of the commands of processes that have left
 *   model_link.c     which process a child became
 */
#ifndef MONITOR_MODEL_PRIV_H
#define MONITOR_MODEL_PRIV_H

#include "engine/base/slots.h"
#include "monitor/event/event.h"
#include "monitor/model/model.h"

/* A list of processes by the time of their last event. */
struct lru {
	uint32_t oldest, newest;
};

struct event_name {
	sym_t name;
	uint64_t count;
};

/* Hashes of evicted SIDs: two generations, of which the older one is forgotten. */
struct sid_set {
	uint64_t *at; /* 0 is free */
	uint32_t cap, nr;
};

/* The newest durations of one thing. */
struct usual_entry {
	uint64_t of, what; /* its key: worktree and hierarchy; which of theirs */
	uint16_t nr;       /* the next one's place; from USUAL_DURATIONS on all are there */
	bool used;         /* again, since the hand came by */
	uint32_t durations[USUAL_DURATIONS];
};

/* A process whose slot may have been taken by another since. */
struct tenant {
	uint32_t slot, gen;
};

struct model {
	struct model_config config;
	const struct tr2_intern *syms;
	struct slab slab;
	uint64_t version;

	struct process *processes; /* by slot */
	uint32_t nr_slots, cap_slots;
	uint32_t free_slot; /* chained by next_sibling */
	uint32_t nr_processes;
	uint32_t first_root;
	struct tr2_slots by_sid;
	struct tr2_slots orphans; /* by the parent's SID: the first of those that wait for it */
	bool parents_given;       /* some process's parent is not what its SID's text says */
	struct lru running, ended;
	struct sid_set evicted[2];
	struct vec dirty; /* struct tenant: processes whose children must be linked anew */

	struct timing_cell *cells;
	uint32_t nr_cells, cap_cells;
	struct timing_row *rows;
	uint32_t nr_rows, cap_rows;
	struct tr2_slots by_cell, by_row;

	struct command_cell *commands;
	uint32_t nr_commands, cap_commands;
	struct tr2_slots by_command;

	struct usual_entry *usual;
	uint32_t nr_usual, cap_usual;
	uint32_t usual_hand;        /* the first to make room, if it was not used */
	uint32_t usual_recent[256]; /* one that was asked for, by a hash of its key */
	struct tr2_slots by_usual;

	struct event_name *names;
	uint32_t nr_names, cap_names;
	struct tr2_slots by_name;
	uint64_t counts[TR2_NR_EVENTS];

	struct region_sample *samples; /* a ring once it is full */
	uint32_t nr_samples, cap_samples, oldest_sample;

	uint32_t *streams; /* by number: the first process last seen on it, SLOT_NONE */
	uint32_t nr_streams;

	struct model_totals totals;
	struct model_dropped dropped;
	uint32_t live_at_depth[MODEL_DEPTHS];
	ns_t last_time, last_arrival;
	int64_t deepest;   /* nesting of any region or datum */
	sym_t first_agent; /* of the first process that was made */
	bool has_agents;   /* another had another */

	struct since *since; /* what was said before config.since; NULL: nothing */

	/* While a batch is applied: what the last STREAM record said. */
	uint32_t stream;
	bool stream_live;
	int64_t peer_uid; /* of who writes it; NUM_NONE */
	sym_t agent;      /* that sent it; SYM_NONE */
	int32_t skew_ms;  /* of that one's host */
	int64_t peer_pid; /* of who writes it, by its credentials; 0 */
	/* Slot of each of the batch's SIDs; SLOT_NONE: not looked up, SLOT_LATE: evicted. */
	uint32_t *sid_slots;
	uint32_t cap_sid_slots;
};

/* Of a process that has many threads or children: where each stands (children and counters
 * counted from the first one ever), and how many have left since. */
struct long_lists {
	struct index threads, children, counters;
	uint32_t children_gone, counters_gone;
	/* Of a full list of threads: those that have exited, in that order. Each makes room for
	 * the next new one, where it stood. */
	uint32_t exited_first, exited_last; /* INDEX_NONE: none */
	/* The place of those that came while all others lived, and how many names it has in
	 * `threads`. */
	uint32_t crowd, nr_crowd;          /* INDEX_NONE, 0: none came */
	bool exited_listed;                /* they are listed */
	bool has_replaced, first_replaced; /* some has left so; the first one has */
};

static inline struct long_lists *long_lists_of(const struct model *model,
					       const struct process *process)
{
	return slab_at(&model->slab, process->long_lists);
}

#define SLOT_LATE (SLOT_NONE - 1)

/* Bytes of the heap in use, without the queue for model_settle(). */
static inline size_t model_used_bytes(const struct model *model)
{
	uint32_t units = 0;

	if (model->dirty.ref)
		slab_class(vec_cap(&model->dirty) * sizeof(struct tenant), &units);
	return model->slab.used_bytes - (size_t)units * SLAB_UNIT_BYTES;
}

/* What an event is applied to. Pointers into tables are fetched when they are needed. */
struct applying {
	struct model *model;
	const struct batch *batch;
	const struct event *ev;
	uint32_t slot;   /* of the process */
	uint32_t thread; /* index in its threads */
	bool on_axis;    /* it is an event of the first thread */
};

/* Bound of a list, or 0 where nothing is bounded. */
static inline uint32_t bounded(const struct model *model, uint32_t max)
{
	return model->config.max_processes ? max : 0;
}

/* model_sid.c */
/* The slot of a SID, or SLOT_NONE. */
uint32_t process_find(const struct model *model, const char *sid, size_t len, uint64_t hash);
uint32_t process_find_hash(const struct model *model, uint64_t hash);
uint32_t process_find_batch_sid(const struct model *model, const struct batch *batch,
				uint32_t index);
/* The process in `slot` is found by its SID from now on, or no more. */
void sid_add(struct model *model, uint32_t slot);
void sid_remove(struct model *model, uint32_t slot);
/* It waits for its parent's SID, and no more. */
void orphan_add(struct model *model, uint32_t slot, const char *parent, size_t len);
void orphan_remove(struct model *model, uint32_t slot);
/* Those that wait for the process `parent`, which wait no more: the first, or SLOT_NONE. */
uint32_t orphans_take(struct model *model, uint32_t parent);
/* An evicted SID is remembered, so that a late event makes no new process. */
void sid_forget(struct model *model, uint64_t sid_hash);
bool sid_is_evicted(const struct model *model, uint64_t sid_hash);
/* SID `index` of the batch was looked for: ask for what those behind it will need. */
void sid_prefetch(const struct model *model, const struct batch *batch, uint32_t index);
/* Inline, for what only prefetches has no effect in the compiler's eyes: it would leave out the
 * call. */
static inline __attribute__((always_inline)) void sid_set_prefetch(const struct sid_set *set,
								   uint64_t hash)
{
	if (set->cap)
		__builtin_prefetch(&set->at[hash & (set->cap - 1)]);
}

/* model_tree.c */
/* A process that is new hangs below its parent, or waits for it. */
void parent_find(struct model *model, uint32_t slot);
/* What waited for a process that is new hangs below it. */
void orphans_adopt(struct model *model, uint32_t parent);
/* Its children stay, as roots whose parent is known to be gone. */
void children_orphan(struct model *model, uint32_t slot);
void family_leave(struct model *model, uint32_t slot);

/* model_process.c */
/* What a record says of a process beside its SID; borrowed. */
struct process_about {
	const char *parent, *host; /* NULL: not said */
	size_t parent_len, host_len;
	int64_t pid;               /* NUM_NONE */
	sym_t format, main_thread; /* SYM_NONE: not said */
	int64_t bits;              /* FLD_ABOUT */
};

/* The process of a batch's SID, made where it is new; SLOT_LATE where it was evicted. `about`
 * may be NULL. */
uint32_t process_look_up(struct model *model, const struct batch *batch, uint32_t index,
			 const struct process_about *about);
/* Take what is said of the process of a batch's SID; that makes it known. */
void process_about(struct model *model, const struct batch *batch, uint32_t index,
		   const struct process_about *about);
/* It is the one that an event came of last. */
void process_touch(struct model *model, uint32_t slot);
/* It speaks on the stream that the events come from now. */
void process_join_stream(struct model *model, uint32_t slot);
void process_state_update(struct model *model, uint32_t slot);
/* Its children must be linked anew before somebody looks. */
void process_dirty(struct model *model, uint32_t slot);
/* Do what is due for a process that is dirty. */
void process_settle(struct model *model, uint32_t slot);
/* So many more regions of it are open, or fewer. */
void process_open_add(struct model *model, uint32_t slot, int nr);
/* Its last exit, atexit or signal: what it said. */
void process_end_set(struct model *model, uint32_t slot, enum process_end end_by, int64_t code,
		     int64_t signo, ns_t t_abs);
/* Evict processes until both bounds hold. Keeps at least one process. */
void process_evict_surplus(struct model *model);
/* True if a bound is exceeded. Does not depend on when model_settle() was called. */
static inline bool process_has_surplus(const struct model *model)
{
	const struct model_config *config = &model->config;

	return (config->max_processes && model->nr_processes > config->max_processes) ||
	       (config->max_bytes && model->slab.used_bytes > config->max_bytes &&
		model->nr_processes > 1 && model_used_bytes(model) > config->max_bytes);
}
void model_stream_end(struct model *model, uint32_t stream);
void process_gone(struct model *model, uint32_t slot);

/* model_event.c */
typedef void event_apply(struct applying *a);
extern event_apply *const event_appliers[TR2_NR_EVENTS];
/* See that it has its struct long_lists. */
void long_lists_make(struct model *model, struct process *process);
void process_release_lists(struct model *model, struct process *process);
struct text text_of_event(struct applying *a, unsigned field, bool *has);

/* model_since.c */
/* An event of before config.since: what describes its process is kept, up to a bound. */
void since_pass_over(struct model *model, const struct batch *batch, const struct event *ev);
/* Tell a new process what was kept of it. Looks through the kept SIDs, and where it is among them
 * through all that is kept: some 0.2 ms at most. */
void since_describe(struct model *model, uint32_t slot);
size_t since_bytes(const struct since *since);
struct since *since_copy(const struct since *from);
void since_free(struct since *since);

/* model_thread.c */
/* The list is never a ring. */
static inline struct thread *thread_at(const struct model *m, const struct process *p,
				       uint32_t index)
{
	return (struct thread *)slab_at(&m->slab, p->threads.ref) + index;
}
/* The place of the thread of that name, made where it is new. */
uint32_t thread_of_name(struct model *model, uint32_t slot, sym_t name);
/* The event's thread ends: give back what only open regions need. */
void thread_shrink(struct applying *a);
/* It has exited; once a thread. */
void thread_exited(struct applying *a);
void threads_release(struct model *model, struct process *process);

/* model_region.c */
void region_enter(struct applying *a);
void region_leave(struct applying *a);
/* Its processes' regions count as failed from now on (+1), or no more (-1). */
void regions_failed_shift(struct model *model, const struct process *process, int sign);

/* model_samples.c */
/* The event leaves a region, and such are kept one by one. */
void sample_add(const struct applying *a, ns_t duration, ns_t self);

/* model_ledger.c */
/* Events that are placed by where what they end began: by the calls below, the others here. */
#define PLACED_BY_LENGTH                                                                           \
	(1ull << TR2_E_REGION_LEAVE | 1ull << TR2_E_CHILD_EXIT | 1ull << TR2_E_CHILD_READY)
#define AXIS_NO_THREAD (SYM_NONE - 1) /* no symbol: it has not begun, or never will (no_why) */
/* An event of a thread that may be the first one: is it? The first event decides. */
bool axis_begin(struct process *process, sym_t thread);
/* Place an event of the first thread where more is due than usually. */
void axis_place(struct model *model, struct process *process, const struct event *ev);
/* A region is entered, or left, by the first thread, where more is due than usually. */
void ledger_enter_any(struct applying *a, uint32_t cell);
void ledger_leave_any(struct applying *a, uint32_t cell);
/* The child of an event begins, says that it is ready, or ends, if it is one that the first
 * thread may wait for. `number` is its number. */
void axis_child_start(struct applying *a, struct child *child);
void axis_child_ready(struct applying *a, struct child *child);
void axis_child_exit(struct applying *a, struct child *child, uint32_t number);
/* version. */
void axis_starts(struct applying *a);
/* exit, atexit or signal. */
void axis_end(struct applying *a);

/* By how much wall time and another clock may differ before one must have been set. */
#define AXIS_STEP_NS (250 * NS_PER_MS)
/* Is the wall time within that of the position? */
static inline bool axis_agrees(const struct axis *axis, ns_t time, ns_t at)
{
	uint64_t by = (uint64_t)time - (uint64_t)axis->offset - (uint64_t)at;

	return by + AXIS_STEP_NS <= 2 * AXIS_STEP_NS;
}

/* Place an event of the first thread. */
static inline void axis_event(struct model *model, struct process *process, const struct event *ev)
{
	struct axis *axis = &process->axis;
	ns_t at;

	if (PLACED_BY_LENGTH >> ev->kind & 1)
		return;
	if (__builtin_expect(!axis->settled, 0)) {
		axis_place(model, process, ev);
	} else if (!event_has(ev, TR2_F_T_ABS)) {
		at = event_has(ev, TR2_F_TIME) ? ns_sub(ev->v[TR2_F_TIME], axis->offset) : 0;
		axis->last = at > axis->last ? at : axis->last;
	} else {
		/* As nearly always: nothing to take back, no clock was set. */
		at = ev->v[TR2_F_T_ABS];
		if (at >= axis->last && event_has(ev, TR2_F_TIME) &&
		    axis_agrees(axis, ev->v[TR2_F_TIME], at))
			axis->last = axis->bound = at;
		else
			axis_place(model, process, ev);
	}
}

/* There is room for one more. */
static inline void ledger_add(struct model *model, struct axis *axis, uint32_t cell, uint32_t outer)
{
	struct ledger_entry *entries = slab_at(&model->slab, axis->ledger.ref);

	entries[axis->ledger.nr++] = (struct ledger_entry){ axis->last, cell, outer };
	axis->last_exit = INDEX_NONE;
}

/* A region of the timing cell is entered by the first thread. */
static inline void ledger_enter(struct applying *a, struct axis *axis, uint32_t cell)
{
	if (__builtin_expect(axis->ledger.nr >= axis->room || axis->nr_open >= MAX_LIST_ITEMS ||
				     !event_has(a->ev, TR2_F_TIME),
			     0)) {
		ledger_enter_any(a, cell);
		return;
	}
	ledger_add(a->model, axis, cell, axis->innermost);
	axis->innermost = axis->ledger.nr - 1;
	axis->nr_open++;
}

/* One is left. */
static inline void ledger_leave(struct applying *a, struct axis *axis, uint32_t cell)
{
	const uint64_t timed = FIELD_BIT(TR2_F_T_REL) | FIELD_BIT(TR2_F_TIME);
	const struct event *ev = a->ev;
	const struct ledger_entry *region = slab_at(&a->model->slab, axis->ledger.ref);
	ns_t at;

	/* As nearly always: it leaves the innermost one, and both clocks agree on when. */
	if (axis->settled && axis->innermost != LEDGER_NONE && axis->ledger.nr < axis->room &&
	    !axis->nr_beyond && (ev->mask & timed) == timed) {
		region += axis->innermost;
		/* One that is too long is negative. */
		at = (ns_t)((uint64_t)region->at + (uint64_t)ev->v[TR2_F_T_REL]);
		if (region->cell == cell && ev->v[TR2_F_T_REL] >= 0 && at >= axis->last &&
		    axis_agrees(axis, ev->v[TR2_F_TIME], at)) {
			axis->last = at;
			axis->innermost = region->outer;
			axis->nr_open--;
			ledger_add(a->model, axis, LEDGER_NONE, axis->innermost);
			return;
		}
	}
	ledger_leave_any(a, cell);
}

/* model_usual.c */
/* What the process's past is known by has been said. */
void usual_begin(struct model *model);
void usual_named(struct model *model, struct process *process);
/* The event ends a region, of timing cell `cell`; the child; or (atexit, signal) the process. */
void usual_region(struct applying *a, const struct process *process, struct timing_cell *cell,
		  ns_t duration);
void usual_child(struct applying *a, const struct child *child);
void usual_process(struct applying *a);

/* model_command.c */
/* A process leaves: what it ran is counted. */
void command_leave(struct model *model, const struct process *process);

/* model_link.c */
void family_link(struct model *model, uint32_t parent);

#endif
