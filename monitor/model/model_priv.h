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

/* A list of processes in the order of their last events. */
struct lru {
	uint32_t oldest, newest;
};

struct event_name {
	sym_t name;
	uint64_t count;
};

/* Hashes of the SIDs of evicted processes, in two hash tables: when the newer one is full, the
 * older one is dropped. */
struct sid_set {
	uint64_t *at; /* 0: a free slot */
	uint32_t cap, nr;
};

/* The latest durations of one region, child or command. */
struct usual_entry {
	/* key: hash of worktree and hierarchy; hash of the region, child or process */
	uint64_t of, what;
	/* where to store the next duration; PAST_MEDIAN_DURATIONS or more: all are set */
	uint16_t nr;
	bool used; /* used again since the clock hand passed */
	uint32_t durations[PAST_MEDIAN_DURATIONS];
};

/* A slot and its generation, which shows if the slot was reused for another process. */
struct tenant {
	uint32_t slot, gen;
};

struct model {
	struct model_config config;
	const struct tr2_intern *syms;
	struct heap heap;
	uint64_t version;

	struct process *processes; /* the processes, by slot */
	uint32_t nr_slots, cap_slots;
	uint32_t free_slot; /* first free slot; linked by next_sibling */
	uint32_t nr_processes;
	uint32_t first_root;
	struct tr2_hash_index by_sid;
	/* by the parent's SID: first process whose parent has not been seen */
	struct tr2_hash_index orphans;
	/* the parents of some processes differ from the text of their SIDs */
	bool parents_given;
	struct lru running, ended;
	struct sid_set evicted[2];
	/* struct tenant: processes whose children must be linked to processes again */
	struct vec dirty;

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
	uint32_t usual_recent[256]; /* index of the last entry used, by a hash of the key */
	struct tr2_hash_index by_usual;

	struct event_name *names;
	uint32_t nr_names, cap_names;
	struct tr2_hash_index by_name;
	uint64_t counts[TR2_NR_EVENTS];

	struct region_sample *samples; /* durations of individual regions; a ring if full */
	uint32_t nr_samples, cap_samples, oldest_sample;

	/* by number of the stream: first process whose last event was on it, or SLOT_NONE */
	uint32_t *streams;
	uint32_t nr_streams;

	struct model_totals totals;
	struct model_dropped dropped;
	ns_t last_time, last_arrival;
	int64_t deepest;   /* deepest nesting of any region or data */
	sym_t first_agent; /* agent of the first process created */
	bool has_agents;   /* a process came from a different agent */

	struct since *since; /* descriptions of processes from before config.since; NULL: none */

	/* The last STREAM record of the current batch: the stream of the events that follow it. */
	uint32_t stream;
	bool stream_live;
	int64_t peer_uid; /* uid of the writer; NUM_NONE: unknown */
	sym_t agent;      /* agent that sent the stream; SYM_NONE: none */
	int32_t skew_ms;  /* milliseconds by which the clock of the agent's host is behind */
	/* pid of the writer, from the credentials of the connection; 0: unknown */
	int64_t peer_pid;
	/* Slot of the process of each SID of the batch. SLOT_NONE: not looked up yet; SLOT_LATE:
	 * evicted. */
	uint32_t *sid_slots;
	uint32_t cap_sid_slots;
};

/*
 * Indexes for a process with many threads or children. Also counts the evicted items: children and
 * counters are numbered from the first one of the process.
 */
struct long_lists {
	struct index threads, children, counters;
	uint32_t children_gone, counters_gone;
	/*
	 * Exited threads of a full list, in the order of exit. Each new thread replaces the first
	 * of them. INDEX_NONE: none.
	 */
	uint32_t exited_first, exited_last;
	/*
	 * Index of the item that stands for all threads beyond a full list of running ones, and the
	 * number of their names in `threads`. INDEX_NONE, 0: none.
	 */
	uint32_t crowd, nr_crowd;
	bool exited_listed; /* the list of exited threads is complete */
	/* a thread was replaced; the first thread was replaced */
	bool has_replaced, first_replaced;
};

static inline struct long_lists *long_lists_of(const struct model *model,
					       const struct process *process)
{
	return heap_get(&model->heap, process->long_lists);
}

#define SLOT_LATE (SLOT_NONE - 1)

/* Return the number of bytes in use on the heap, without the queue for model_settle(). */
static inline size_t model_used_bytes(const struct model *model)
{
	uint32_t units = 0;

	if (model->dirty.ref)
		heap_class(vec_cap(&model->dirty) * sizeof(struct tenant), &units);
	return model->heap.used_bytes - (size_t)units * HEAP_UNIT_BYTES;
}

/* The event that is being applied. Fetch pointers into tables when needed, because the tables
 * move when they grow. */
struct applying {
	struct model *model;
	const struct batch *batch;
	const struct event *ev;
	uint32_t slot;   /* slot of the event's process */
	uint32_t thread; /* index of the event's thread */
	bool on_axis;    /* the event is of the first thread */
};

/* Return the bound of a list; 0 if the model is unbounded. */
static inline uint32_t bounded(const struct model *model, uint32_t max)
{
	return model->config.max_processes ? max : 0;
}

/* ---- model_sid.c ---- */
/* Return the slot of the process with a SID, or SLOT_NONE. */
uint32_t process_find(const struct model *model, const char *sid, size_t len, uint64_t hash);
uint32_t process_find_hash(const struct model *model, uint64_t hash);
uint32_t process_find_batch_sid(const struct model *model, const struct batch *batch,
				uint32_t index);
/* Add the process in `slot` to the table of SIDs, or remove it. */
void sid_table_add(struct model *model, uint32_t slot);
void sid_table_remove(struct model *model, uint32_t slot);
/* Add or remove an orphan: a process whose parent process has not been seen. */
void orphan_add(struct model *model, uint32_t slot, const char *parent, size_t len);
void orphan_remove(struct model *model, uint32_t slot);
/* Remove the orphans whose parent is the process `parent` from the table. Returns the first of
 * them, or SLOT_NONE. */
uint32_t orphans_take(struct model *model, uint32_t parent);
/* Remember the SID of an evicted process, so that a late event does not create a process. */
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

/* ---- model_tree.c ---- */
/* Link a new process to its parent, or make it an orphan. */
void parent_find(struct model *model, uint32_t slot);
/* Make the new process the parent of its orphans. */
void orphans_adopt(struct model *model, uint32_t parent);
/* Make the children of a process roots. */
void children_orphan(struct model *model, uint32_t slot);
void family_leave(struct model *model, uint32_t slot);

/* ---- model_process.c ---- */
/* Data of an ABOUT record about a process, without its SID; borrowed. */
struct process_about {
	const char *parent, *host; /* NULL: not in the record */
	size_t parent_len, host_len;
	int64_t pid;               /* NUM_NONE: not in the record */
	sym_t format, main_thread; /* SYM_NONE: not in the record */
	int64_t bits;              /* bits of the field ABOUT */
};

/*
 * Return the slot of the process of a SID in the batch. Creates the process if it is new; returns
 * SLOT_LATE if it was evicted. `about` may be NULL.
 */
uint32_t process_look_up(struct model *model, const struct batch *batch, uint32_t index,
			 const struct process_about *about);
/* Apply an ABOUT record; creates the process if it is new. */
void process_about(struct model *model, const struct batch *batch, uint32_t index,
		   const struct process_about *about);
/* Move the process to the newest end of its list by last event. */
void process_touch(struct model *model, uint32_t slot);
/* Set the process's stream to that of the current event. */
void process_join_stream(struct model *model, uint32_t slot);
void process_state_update(struct model *model, uint32_t slot);
/* Queue the process for model_settle(), which links its children to processes again. */
void process_dirty(struct model *model, uint32_t slot);
/* Update the derived data of a process that was queued. */
void process_settle(struct model *model, uint32_t slot);
/* Add `nr` to the number of the process's open regions. */
void process_open_add(struct model *model, uint32_t slot, int nr);
/* Store the data of an exit, atexit or signal event of the process. */
void process_end_set(struct model *model, uint32_t slot, enum process_end end_by, int64_t code,
		     int64_t signo, ns_t t_abs);
/* Evict processes until the limits on number and memory hold. Keeps at least one process. */
void process_evict_surplus(struct model *model);
/* True if the limit on the number of processes or on memory is exceeded. Does not depend on when
 * model_settle() was called. */
static inline bool process_has_surplus(const struct model *model)
{
	const struct model_config *config = &model->config;

	return (config->max_processes && model->nr_processes > config->max_processes) ||
	       (config->max_bytes && model->heap.used_bytes > config->max_bytes &&
		model->nr_processes > 1 && model_used_bytes(model) > config->max_bytes);
}
void model_stream_end(struct model *model, uint32_t stream);
void process_gone(struct model *model, uint32_t slot);
/* Record that trace2top itself saw a signal kill the process at `time` (wall). No effect after
 * an end event. */
void process_killed(struct model *model, uint32_t slot, int64_t signo, ns_t time);

/* ---- model_event.c ---- */
typedef void event_apply(struct applying *a);
extern event_apply *const event_appliers[TR2_NR_EVENTS];
/* Create the indexes of a process with long lists, if it has none. */
void long_lists_make(struct model *model, struct process *process);
void process_release_lists(struct model *model, struct process *process);
struct text text_of_event(struct applying *a, unsigned field, bool *has);

/* ---- model_since.c ---- */
/* Handle an event from before config.since: keep it if it describes its process (name, arguments
 * ...), up to a bound. */
void since_pass_over(struct model *model, const struct batch *batch, const struct event *ev);
/* Apply the descriptions kept by since_pass_over() to a new process. Takes at most about 0.2 ms. */
void since_describe(struct model *model, uint32_t slot);
size_t since_bytes(const struct since *since);
struct since *since_copy(const struct since *from);
void since_free(struct since *since);

/* ---- model_thread.c ---- */
/* Return a thread of a process. A list of threads is never a ring, so the index needs no
 * wrap-around. */
static inline struct thread *thread_at(const struct model *m, const struct process *p,
				       uint32_t index)
{
	return (struct thread *)heap_get(&m->heap, p->threads.ref) + index;
}
/* Return the index of the thread with a name, created if new. */
uint32_t thread_of_name(struct model *model, uint32_t slot, sym_t name);
/* Free the memory of the thread that only open regions need, because it ends. */
void thread_shrink(struct applying *a);
/* Record that the event's thread has exited. Call once per thread. */
void thread_exited(struct applying *a);
void threads_release(struct model *model, struct process *process);

/* ---- model_region.c ---- */
void region_enter(struct applying *a);
void region_leave(struct applying *a);
/* Count the regions of a process as failed (+1), or no longer (-1). */
void regions_failed_shift(struct model *model, const struct process *process, int sign);

/* ---- model_samples.c ---- */
/* Keep the duration of the region that the event ends, if the configuration requests it. */
void sample_add(const struct applying *a, ns_t duration, ns_t self);

/* ---- model_ledger.c ---- */
/*
 * Kinds of events whose position is computed from their duration and begin, by the functions below.
 * axis_event() places all other events.
 */
#define PLACED_BY_LENGTH                                                                           \
	(1ull << TR2_E_REGION_LEAVE | 1ull << TR2_E_CHILD_EXIT | 1ull << TR2_E_CHILD_READY)
#define AXIS_NO_THREAD (SYM_NONE - 1) /* not a symbol: no event yet, or config.no_why is set */
/* Return true if the event's thread is the first one of its process. The process's first event
 * decides. */
bool axis_begin(struct process *process, sym_t thread);
/* Set the position of an event of the first thread: the slow path of axis_event(). */
void axis_place(struct model *model, struct process *process, const struct event *ev);
/* Slow paths of ledger_enter() and ledger_leave(). */
void ledger_enter_any(struct applying *a, uint32_t cell);
void ledger_leave_any(struct applying *a, uint32_t cell);
/*
 * Record that a child begins, is ready, or ends. Does nothing unless the first thread may wait for
 * it. `number` is the child's number in its process.
 */
void axis_child_start(struct applying *a, struct child *child);
void axis_child_ready(struct applying *a, struct child *child);
void axis_child_exit(struct applying *a, struct child *child, uint32_t number);
/* Apply a version event to the time axis. */
void axis_starts(struct applying *a);
/* Apply an exit, atexit or signal event to the time axis. */
void axis_end(struct applying *a);

/* If wall time and another clock differ by this much, a clock was set. */
#define AXIS_STEP_NS (250 * NS_PER_MS)
/* True if the event's wall time agrees with its position on the axis. */
static inline bool axis_agrees(const struct axis *axis, ns_t time, ns_t at)
{
	uint64_t by = (uint64_t)time - (uint64_t)axis->offset - (uint64_t)at;

	return by + AXIS_STEP_NS <= 2 * AXIS_STEP_NS;
}

/* Set the position of an event of the first thread. */
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
		/* Fast path: no position must be reduced, and no clock was set. */
		at = ev->v[TR2_F_T_ABS];
		if (at >= axis->last && event_has(ev, TR2_F_TIME) &&
		    axis_agrees(axis, ev->v[TR2_F_TIME], at))
			axis->last = axis->bound = at;
		else
			axis_place(model, process, ev);
	}
}

/* Append an entry to the ledger, which must have space. */
static inline void ledger_add(struct model *model, struct axis *axis, uint32_t cell, uint32_t outer)
{
	struct ledger_entry *entries = heap_get(&model->heap, axis->ledger.ref);

	entries[axis->ledger.nr++] = (struct ledger_entry){ axis->last, cell, outer };
	axis->last_exit = INDEX_NONE;
}

/* Add to the ledger that the first thread entered a region of timing cell `cell`. */
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

/* Add to the ledger that the first thread left a region of timing cell `cell`. */
static inline void ledger_leave(struct applying *a, struct axis *axis, uint32_t cell)
{
	const uint64_t timed = FIELD_BIT(TR2_F_T_REL) | FIELD_BIT(TR2_F_TIME);
	const struct event *ev = a->ev;
	const struct ledger_entry *region = heap_get(&a->model->heap, axis->ledger.ref);
	ns_t at;

	/* Fast path: the event leaves the innermost region, and both clocks agree on the time. */
	if (axis->settled && axis->innermost != LEDGER_NONE && axis->ledger.nr < axis->room &&
	    !axis->nr_beyond && (ev->mask & timed) == timed) {
		region += axis->innermost;
		/* The sum is negative if it overflows. */
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

/* ---- model_past.c ---- */
/* Load the earlier durations that the configuration contains. */
void usual_begin(struct model *model);
void usual_named(struct model *model, struct process *process);
/*
 * Add the duration of a region of timing cell `cell`, of a child, or (atexit, signal) of the
 * process.
 */
void usual_region(struct applying *a, const struct process *process, struct timing_cell *cell,
		  ns_t duration);
void usual_child(struct applying *a, const struct child *child);
void usual_process(struct applying *a);

/* ---- model_command.c ---- */
/* Add a process that is evicted to the sums of its command. */
void command_leave(struct model *model, const struct process *process);

/* model_strip.c */
void strip_command_leave(struct model *model, const struct process *process);
/* Count a process that is evicted. */
static inline void strip_process_leave(struct model *model, const struct process *process)
{
	model->strip.versions++;
	/* Most processes are children without errors. */
	if (!process->parent_seen || process->start == NS_NONE || process->nr_errors)
		strip_command_leave(model, process);
}
/* Count an error that is evicted from its process's list. */
void strip_error_leave(struct model *model, struct process *process,
		       const struct error_item *error);

/* ---- model_link.c ---- */
void family_link(struct model *model, uint32_t parent);

#endif
