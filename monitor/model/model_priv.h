/* SPDX-License-Identifier: MIT */
/*
 * Private to model*.c: the tables of the model and the functions between its files.
 *
 *   model.c          tables, lifetime, lookups, dispatch of records
 *   model_sid.c      the process of a SID
 *   model_tree.c     parents and children
 *   model_process.c  processes: creation, eviction, state
 *   model_event.c    effects of each event kind
 *   model_region.c   regions, timings
 *   model_thread.c   threads
 *   model_samples.c  durations of single regions
 *   model_ledger.c   positions of the first thread on the process's axis
 *   model_usual.c    past durations
 *   model_command.c  sums over evicted processes
 *   model_link.c     links from children to processes
 *   model_strip.c    counts over time
 *   model_since.c    descriptions of processes from before --since
 */
#ifndef MONITOR_MODEL_PRIV_H
#define MONITOR_MODEL_PRIV_H

#include "engine/base/hash_index.h"
#include "monitor/event/event.h"
#include "monitor/model/model.h"
#include "monitor/model/model_strip.h"

/* A list of processes, ordered by their last event. */
struct lru {
	uint32_t oldest, newest;
};

struct event_name {
	sym_t name;
	uint64_t count;
};

/* Hashes of evicted SIDs. There are two generations; the older one is dropped. */
struct sid_set {
	uint64_t *at; /* 0: free */
	uint32_t cap, nr;
};

/* The latest durations of one key. */
struct usual_entry {
	uint64_t of, what; /* key: worktree and hierarchy; region, child or process */
	uint16_t nr;       /* next index; PAST_MEDIAN_DURATIONS or more: all are set */
	bool used;         /* again, after the clock hand passed */
	uint32_t durations[PAST_MEDIAN_DURATIONS];
};

/* A slot and its generation, to detect that the slot was reused. */
struct tenant {
	uint32_t slot, gen;
};

struct model {
	struct model_config config;
	const struct tr2_intern *syms;
	struct heap heap;
	uint64_t version;

	struct process *processes; /* by slot */
	uint32_t nr_slots, cap_slots;
	uint32_t free_slot; /* linked by next_sibling */
	uint32_t nr_processes;
	uint32_t first_root;
	struct tr2_hash_index by_sid;
	struct tr2_hash_index orphans; /* by the parent's SID: first process that waits for it */
	bool parents_given;            /* some parents differ from the SID's text */
	struct lru running, ended;
	struct sid_set evicted[2];
	struct vec dirty; /* struct tenant: processes whose children must be linked again */

	struct timing_cell *cells;
	uint32_t nr_cells, cap_cells;
	struct timing_row *rows;
	uint32_t nr_rows, cap_rows;
	struct tr2_hash_index by_cell, by_row;

	struct command_cell *commands;
	uint32_t nr_commands, cap_commands;
	struct tr2_hash_index by_command;

	struct strip strip; /* of evicted data */

	struct usual_entry *usual;
	uint32_t nr_usual, cap_usual;
	uint32_t usual_hand;        /* clock hand: next candidate for eviction */
	uint32_t usual_recent[256]; /* last index, by a hash of the key */
	struct tr2_hash_index by_usual;

	struct event_name *names;
	uint32_t nr_names, cap_names;
	struct tr2_hash_index by_name;
	uint64_t counts[TR2_NR_EVENTS];

	struct region_sample *samples; /* a ring if full */
	uint32_t nr_samples, cap_samples, oldest_sample;

	uint32_t *streams; /* by number: first process last seen on it, or SLOT_NONE */
	uint32_t nr_streams;

	struct model_totals totals;
	struct model_dropped dropped;
	uint32_t live_at_depth[MODEL_DEPTHS];
	ns_t last_time, last_arrival;
	int64_t deepest;   /* deepest nesting of any region or datum */
	sym_t first_agent; /* of the first process created */
	bool has_agents;   /* some process has a different agent */

	struct since *since; /* descriptions from before config.since; NULL: none */

	/* State from the last STREAM record of the current batch. */
	uint32_t stream;
	bool stream_live;
	int64_t peer_uid; /* of the writer; NUM_NONE */
	sym_t agent;      /* that sent the stream; SYM_NONE */
	int32_t skew_ms;  /* of the agent's host */
	int64_t peer_pid; /* of the writer, from its credentials; 0: unknown */
	/* Slot of each of the batch's SIDs. SLOT_NONE: not looked up; SLOT_LATE: evicted. */
	uint32_t *sid_slots;
	uint32_t cap_sid_slots;
};

/*
 * Indexes for a process with many threads or children. Children and counters are numbered from the
 * first one ever. Also counts the evicted items.
 */
struct long_lists {
	struct index threads, children, counters;
	uint32_t children_gone, counters_gone;
	/*
	 * Exited threads of a full list, in the order of exit. Each is replaced by the next new
	 * thread.
	 */
	uint32_t exited_first, exited_last; /* INDEX_NONE: none */
	/*
	 * Index of the item that collects threads beyond a full list of running ones, and the
	 * number of its names in `threads`.
	 */
	uint32_t crowd, nr_crowd;          /* INDEX_NONE, 0: none */
	bool exited_listed;                /* the exited threads are in the list */
	bool has_replaced, first_replaced; /* some thread was replaced; the first one was */
};

static inline struct long_lists *long_lists_of(const struct model *model,
					       const struct process *process)
{
	return heap_get(&model->heap, process->long_lists);
}

#define SLOT_LATE (SLOT_NONE - 1)

/* Bytes of the heap in use, without the queue for model_settle(). */
static inline size_t model_used_bytes(const struct model *model)
{
	uint32_t units = 0;

	if (model->dirty.ref)
		heap_class(vec_cap(&model->dirty) * sizeof(struct tenant), &units);
	return model->heap.used_bytes - (size_t)units * HEAP_UNIT_BYTES;
}

/* The event being applied. Fetch pointers into tables when needed; they move. */
struct applying {
	struct model *model;
	const struct batch *batch;
	const struct event *ev;
	uint32_t slot;   /* of the process */
	uint32_t thread; /* index in its threads */
	bool on_axis;    /* it is from the first thread */
};

/* Bound of a list; 0 if the model is unbounded. */
static inline uint32_t bounded(const struct model *model, uint32_t max)
{
	return model->config.max_processes ? max : 0;
}

/* model_sid.c */
/* Slot of a SID, or SLOT_NONE. */
uint32_t process_find(const struct model *model, const char *sid, size_t len, uint64_t hash);
uint32_t process_find_hash(const struct model *model, uint64_t hash);
uint32_t process_find_batch_sid(const struct model *model, const struct batch *batch,
				uint32_t index);
/* Add or remove the process in `slot` to or from the SID table. */
void sid_table_add(struct model *model, uint32_t slot);
void sid_table_remove(struct model *model, uint32_t slot);
/* Add or remove an orphan: a process whose parent has not been seen. */
void orphan_add(struct model *model, uint32_t slot, const char *parent, size_t len);
void orphan_remove(struct model *model, uint32_t slot);
/* Remove the orphans of the process `parent`. Returns the first, or SLOT_NONE. */
uint32_t orphans_take(struct model *model, uint32_t parent);
/* Remember an evicted SID, so that a late event does not create a process. */
void sid_forget(struct model *model, uint64_t sid_hash);
bool sid_is_evicted(const struct model *model, uint64_t sid_hash);
/* SID `index` of the batch was looked up: prefetch the table entries of the following ones. */
void sid_prefetch(const struct model *model, const struct batch *batch, uint32_t index);
/* Inlined, because the compiler drops calls to functions that only prefetch. */
static inline __attribute__((always_inline)) void sid_set_prefetch(const struct sid_set *set,
								   uint64_t hash)
{
	if (set->cap)
		__builtin_prefetch(&set->at[hash & (set->cap - 1)]);
}

/* model_tree.c */
/* Link a new process to its parent, or make it an orphan. */
void parent_find(struct model *model, uint32_t slot);
/* Link the orphans of a new process to it. */
void orphans_adopt(struct model *model, uint32_t parent);
/* Make its children roots. */
void children_orphan(struct model *model, uint32_t slot);
void family_leave(struct model *model, uint32_t slot);

/* model_process.c */
/* Data of a record about a process beside its SID; borrowed. */
struct process_about {
	const char *parent, *host; /* NULL: absent */
	size_t parent_len, host_len;
	int64_t pid;               /* NUM_NONE */
	sym_t format, main_thread; /* SYM_NONE: absent */
	int64_t bits;              /* FLD_ABOUT */
};

/*
 * Return the slot of a batch's SID. Creates the process if it is new; returns SLOT_LATE if it was
 * evicted. `about` may be NULL.
 */
uint32_t process_look_up(struct model *model, const struct batch *batch, uint32_t index,
			 const struct process_about *about);
/* Apply data about the process of a batch's SID; creates the process if it is new. */
void process_about(struct model *model, const struct batch *batch, uint32_t index,
		   const struct process_about *about);
/* Move the process to the newest end of its list. */
void process_touch(struct model *model, uint32_t slot);
/* Set the process's stream to the current one. */
void process_join_stream(struct model *model, uint32_t slot);
void process_state_update(struct model *model, uint32_t slot);
/* Queue the process for model_settle(), which links its children again. */
void process_dirty(struct model *model, uint32_t slot);
/* Update the derived data of a queued process. */
void process_settle(struct model *model, uint32_t slot);
/* Add `nr` to the number of its open regions. */
void process_open_add(struct model *model, uint32_t slot, int nr);
/* Set the data of its last exit, atexit or signal event. */
void process_end_set(struct model *model, uint32_t slot, enum process_end end_by, int64_t code,
		     int64_t signo, ns_t t_abs);
/* Evict processes until both bounds hold. Keeps at least one process. */
void process_evict_surplus(struct model *model);
/* True if a bound is exceeded. Does not depend on when model_settle() was called. */
static inline bool process_has_surplus(const struct model *model)
{
	const struct model_config *config = &model->config;

	return (config->max_processes && model->nr_processes > config->max_processes) ||
	       (config->max_bytes && model->heap.used_bytes > config->max_bytes &&
		model->nr_processes > 1 && model_used_bytes(model) > config->max_bytes);
}
void model_stream_end(struct model *model, uint32_t stream);
void process_gone(struct model *model, uint32_t slot);
/* The program saw that a signal killed it at `time` (wall). No effect after an end event. */
void process_killed(struct model *model, uint32_t slot, int64_t signo, ns_t time);

/* model_event.c */
typedef void event_apply(struct applying *a);
extern event_apply *const event_appliers[TR2_NR_EVENTS];
/* Create its struct long_lists if it has none. */
void long_lists_make(struct model *model, struct process *process);
void process_release_lists(struct model *model, struct process *process);
struct text text_of_event(struct applying *a, unsigned field, bool *has);

/* model_since.c */
/* Handle an event from before config.since: keep it if it describes its process, up to a bound. */
void since_pass_over(struct model *model, const struct batch *batch, const struct event *ev);
/* Apply the kept descriptions to a new process. Takes at most about 0.2 ms. */
void since_describe(struct model *model, uint32_t slot);
size_t since_bytes(const struct since *since);
struct since *since_copy(const struct since *from);
void since_free(struct since *since);

/* model_thread.c */
/* The list is never a ring, so no wrap-around is needed. */
static inline struct thread *thread_at(const struct model *m, const struct process *p,
				       uint32_t index)
{
	return (struct thread *)heap_get(&m->heap, p->threads.ref) + index;
}
/* Index of the thread of that name, created if new. */
uint32_t thread_of_name(struct model *model, uint32_t slot, sym_t name);
/* The event's thread ends: free what only open regions need. */
void thread_shrink(struct applying *a);
/* The thread has exited. Call once per thread. */
void thread_exited(struct applying *a);
void threads_release(struct model *model, struct process *process);

/* model_region.c */
void region_enter(struct applying *a);
void region_leave(struct applying *a);
/* Count the process's regions as failed (+1), or no longer (-1). */
void regions_failed_shift(struct model *model, const struct process *process, int sign);

/* model_samples.c */
/* Keep the duration of the region that the event ends, if configured. */
void sample_add(const struct applying *a, ns_t duration, ns_t self);

/* model_ledger.c */
/*
 * Events placed by their length and begin, by the functions below. axis_event() places the others.
 */
#define PLACED_BY_LENGTH                                                                           \
	(1ull << TR2_E_REGION_LEAVE | 1ull << TR2_E_CHILD_EXIT | 1ull << TR2_E_CHILD_READY)
#define AXIS_NO_THREAD (SYM_NONE - 1) /* not a symbol: no event yet, or no_why */
/* Return true if the event's thread is the first one. The first event decides. */
bool axis_begin(struct process *process, sym_t thread);
/* Place an event of the first thread: the slow path. */
void axis_place(struct model *model, struct process *process, const struct event *ev);
/* Enter or leave a region of the first thread: the slow path. */
void ledger_enter_any(struct applying *a, uint32_t cell);
void ledger_leave_any(struct applying *a, uint32_t cell);
/*
 * A child begins, is ready, or ends. Does nothing unless the first thread may wait for it. `number`
 * is its number.
 */
void axis_child_start(struct applying *a, struct child *child);
void axis_child_ready(struct applying *a, struct child *child);
void axis_child_exit(struct applying *a, struct child *child, uint32_t number);
/* Handle a version event. */
void axis_starts(struct applying *a);
/* Handle an exit, atexit or signal event. */
void axis_end(struct applying *a);

/* Difference between wall time and another clock from which a clock must have been set. */
#define AXIS_STEP_NS (250 * NS_PER_MS)
/* True if the wall time agrees with the position. */
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
		/* Fast path: nothing to take back, and no clock was set. */
		at = ev->v[TR2_F_T_ABS];
		if (at >= axis->last && event_has(ev, TR2_F_TIME) &&
		    axis_agrees(axis, ev->v[TR2_F_TIME], at))
			axis->last = axis->bound = at;
		else
			axis_place(model, process, ev);
	}
}

/* Append an entry. There must be room. */
static inline void ledger_add(struct model *model, struct axis *axis, uint32_t cell, uint32_t outer)
{
	struct ledger_entry *entries = heap_get(&model->heap, axis->ledger.ref);

	entries[axis->ledger.nr++] = (struct ledger_entry){ axis->last, cell, outer };
	axis->last_exit = INDEX_NONE;
}

/* Enter a region of the timing cell in the first thread. */
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

/* Leave a region of the timing cell. */
static inline void ledger_leave(struct applying *a, struct axis *axis, uint32_t cell)
{
	const uint64_t timed = FIELD_BIT(TR2_F_T_REL) | FIELD_BIT(TR2_F_TIME);
	const struct event *ev = a->ev;
	const struct ledger_entry *region = heap_get(&a->model->heap, axis->ledger.ref);
	ns_t at;

	/* Fast path: the innermost region is left, and both clocks agree on the time. */
	if (axis->settled && axis->innermost != LEDGER_NONE && axis->ledger.nr < axis->room &&
	    !axis->nr_beyond && (ev->mask & timed) == timed) {
		region += axis->innermost;
		/* An overflow makes it negative. */
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
/* Load the past durations of the configuration. */
void usual_begin(struct model *model);
void usual_named(struct model *model, struct process *process);
/*
 * Add a duration: of a region of timing cell `cell`, of a child, or (atexit, signal) of the
 * process.
 */
void usual_region(struct applying *a, const struct process *process, struct timing_cell *cell,
		  ns_t duration);
void usual_child(struct applying *a, const struct child *child);
void usual_process(struct applying *a);

/* model_command.c */
/* Count the command of a process that is evicted. */
void command_leave(struct model *model, const struct process *process);

/* model_strip.c */
/* Count a process that is evicted, or an error that is evicted from its process's list. */
void strip_process_leave(struct model *model, const struct process *process);
void strip_error_leave(struct model *model, struct process *process,
		       const struct error_item *error);

/* model_link.c */
void family_link(struct model *model, uint32_t parent);

#endif
