/* SPDX-License-Identifier: MIT */
/* The tables of the model, and functions that its files share. Only for model*.c. */
#ifndef MONITOR_MODEL_PRIV_H
#define MONITOR_MODEL_PRIV_H

#include "engine/base/hash_index.h"
#include "monitor/event/event.h"
#include "monitor/model/model.h"
#include "monitor/model/model_strip.h"

/* Ends of a list of processes in order of eviction, as slots. */
struct lru {
	uint32_t oldest, newest;
};

struct event_name {
	sym_t name;
	uint64_t count;
};

/* A hash table of hashes of SIDs of evicted processes. The model has two: when the newer one is
 * full, the older one is dropped. */
struct sid_set {
	uint64_t *at; /* array of `cap` hashes; 0: free */
	uint32_t cap, nr;
};

/* The latest durations of one region, child or command. */
struct usual_entry {
	/* key: worktree and hierarchy; region, child or command (see past_key()) */
	uint64_t of, what;
	/* next index in `durations`, modulo PAST_MEDIAN_DURATIONS; at or above that, all items are
	 * set */
	uint16_t nr;
	bool used; /* the entry was used again since it was last examined for eviction */
	uint32_t durations[PAST_MEDIAN_DURATIONS];
};

/* A slot and its generation, to detect that another process took the slot. */
struct tenant {
	uint32_t slot, gen;
};

struct model {
	struct model_config config;
	const struct tr2_intern *syms;
	struct heap heap;
	uint64_t version;

	struct process *processes;
	uint32_t nr_slots, cap_slots;
	/* first of the free slots, which next_sibling links */
	uint32_t free_slot;
	uint32_t nr_processes;
	uint32_t first_root;
	struct tr2_hash_index by_sid;
	/* finds the list of processes with a missing parent, by the parent's SID */
	struct tr2_hash_index orphans;
	/* an ABOUT record gave a process a parent */
	bool parents_given;
	struct lru running, ended;
	struct sid_set evicted[2];
	/* queue of model_settle(), as struct tenant */
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
	/* index of the past durations that are examined next for eviction */
	uint32_t usual_hand;
	/* by a hash of a key: probable index of its entry in `usual` */
	uint32_t usual_recent[256];
	struct tr2_hash_index by_usual;

	struct event_name *names;
	uint32_t nr_names, cap_names;
	struct tr2_hash_index by_name;
	uint64_t counts[TR2_NR_EVENTS];

	/* durations of single regions; a ring once it is full */
	struct region_sample *samples;
	uint32_t nr_samples, cap_samples, oldest_sample;

	/* by number of a stream that has not ended: first slot of the list of processes whose last
	 * event or ABOUT record was on it; SLOT_NONE: none */
	uint32_t *streams;
	uint32_t nr_streams;

	struct model_totals totals;
	struct model_dropped dropped;
	ns_t last_time, last_arrival;
	int64_t deepest;
	sym_t first_agent; /* agent of the first process */
	bool has_agents;   /* a process came from another agent than the first process */

	/* descriptions of processes from before config.since; NULL: none */
	struct since *since;

	/*
	 * The stream of the events that follow, from the last STREAM record.
	 */
	uint32_t stream;
	bool stream_live;
	int64_t peer_uid; /* user id of the writer of the stream; NUM_NONE: unknown */
	sym_t agent;      /* agent that sent the stream; SYM_NONE: none */
	/* time of the server's clock minus that of the agent's host, in ms */
	int32_t skew_ms;
	/* pid of the writer of the stream, from its connection; 0: unknown */
	int64_t peer_pid;
	/* by SID of the current batch: slot of the process when it was last looked up (it may have
	 * been evicted since); SLOT_NONE: none */
	uint32_t *sid_slots;
	uint32_t cap_sid_slots;
};

/*
 * Additional data of a process with many threads or children, or with counters of a format other
 * than EVENT: indexes of these lists, and numbers of evicted items. In the indexes, children and
 * counters are numbered including evicted ones.
 */
struct long_lists {
	struct index threads, children, counters;
	uint32_t children_gone, counters_gone;
	/* Ends of the list of exited threads, which is created when the list of threads is full. A
	 * new thread replaces the first. `exited_first` INDEX_NONE: none. */
	uint32_t exited_first, exited_last;
	/* Index of the thread that stands for those that began when the list was full of running
	 * ones (INDEX_NONE: none), and number of their names in `threads`. */
	uint32_t crowd, nr_crowd;
	/* the list of exited threads exists */
	bool exited_listed;
	/* a thread was replaced; the first thread was replaced */
	bool has_replaced, first_replaced;
};

static inline struct long_lists *long_lists_of(const struct model *model,
					       const struct process *process)
{
	return heap_get(&model->heap, process->long_lists);
}

#define SLOT_LATE (SLOT_NONE - 1)

/* Return the bytes in use on the heap, without the queue of model_settle(). */
static inline size_t model_used_bytes(const struct model *model)
{
	uint32_t units = 0;

	if (model->dirty.ref)
		heap_class(vec_cap(&model->dirty) * sizeof(struct tenant), &units);
	return model->heap.used_bytes - (size_t)units * HEAP_UNIT_BYTES;
}

/* The event that is being applied. Pointers into tables must not be kept: tables move when they
 * grow. */
struct applying {
	struct model *model;
	const struct batch *batch;
	const struct event *ev;
	uint32_t slot;
	uint32_t thread;
	/* the event's thread is the first one of its process */
	bool on_axis;
};

/* Return `max`, the limit of a list; 0 (no limit) if the model is unbounded. */
static inline uint32_t bounded(const struct model *model, uint32_t max)
{
	return model->config.max_processes ? max : 0;
}

/* ---- model_sid.c ---- */
uint32_t process_find(const struct model *model, const char *sid, size_t len, uint64_t hash);
uint32_t process_find_hash(const struct model *model, uint64_t hash);
uint32_t process_find_batch_sid(const struct model *model, const struct batch *batch,
				uint32_t index);
void sid_table_add(struct model *model, uint32_t slot);
void sid_table_remove(struct model *model, uint32_t slot);
/* Add a process to, or remove it from, the table of orphans: processes whose parent was not in the
 * model when they were created. */
void orphan_add(struct model *model, uint32_t slot, const char *parent, size_t len);
void orphan_remove(struct model *model, uint32_t slot);
/* Remove the orphans of the process in slot `parent` from the table of orphans. Returns the first
 * one, or SLOT_NONE. */
uint32_t orphans_take(struct model *model, uint32_t parent);
/* Remember the SID of an evicted process, so that a late event does not create the process
 * again. */
void sid_forget(struct model *model, uint64_t sid_hash);
bool sid_is_evicted(const struct model *model, uint64_t sid_hash);
/* Prefetch table entries of a SID that is looked up later. Call after SID `index` of the batch was
 * looked up. */
void sid_prefetch(const struct model *model, const struct batch *batch, uint32_t index);
/* always inlined: the compiler drops calls of functions that only prefetch */
static inline __attribute__((always_inline)) void sid_set_prefetch(const struct sid_set *set,
								   uint64_t hash)
{
	if (set->cap)
		__builtin_prefetch(&set->at[hash & (set->cap - 1)]);
}

/* ---- model_tree.c ---- */
/* Link the new process in `slot` to its parent, if any. If the model does not have the parent, make
 * the process an orphan. */
void parent_find(struct model *model, uint32_t slot);
/* Make the new process `parent` the parent of its orphans, unless that would form a cycle. */
void orphans_adopt(struct model *model, uint32_t parent);
/* Make the children of a process that is evicted roots of the tree. */
void children_orphan(struct model *model, uint32_t slot);
void family_leave(struct model *model, uint32_t slot);

/* ---- model_process.c ---- */
/* The fields of an ABOUT record, except its SID. Texts are borrowed. */
struct process_about {
	const char *parent, *host; /* NULL: not in the ABOUT record */
	size_t parent_len, host_len;
	int64_t pid;               /* NUM_NONE: not in the ABOUT record */
	sym_t format, main_thread; /* SYM_NONE: not in the ABOUT record */
	int64_t bits;              /* bits in the field ABOUT of the record */
};

/* Return the slot of the process of SID `index` of the batch. Creates the process if it is new.
 * Returns SLOT_LATE if the process was evicted. `about` may be NULL. */
uint32_t process_look_up(struct model *model, const struct batch *batch, uint32_t index,
			 const struct process_about *about);
/* Apply an ABOUT record to the process of SID `index` of the batch. Creates the process if it is
 * new. */
void process_about(struct model *model, const struct batch *batch, uint32_t index,
		   const struct process_about *about);
/* Move the process to the end of its list that is evicted last. */
void process_touch(struct model *model, uint32_t slot);
/* Move the process to the list of the current stream. */
void process_join_stream(struct model *model, uint32_t slot);
void process_state_update(struct model *model, uint32_t slot);
/* Queue the process for model_settle(), to link its children to processes again. */
void process_dirty(struct model *model, uint32_t slot);
void process_settle(struct model *model, uint32_t slot);
/* Store the data of an exit, atexit or signal event, or of a kill that trace2top saw, and update
 * the state of the process. */
void process_end_set(struct model *model, uint32_t slot, enum process_end end_by, int64_t code,
		     int64_t signo, ns_t t_abs);
/* Evict processes, but not the last one, until their number and the memory are within their
 * limits. */
void process_evict_surplus(struct model *model);
/* True if there are several processes, and their number or the memory exceeds its limit. The queue
 * of model_settle() does not count. */
static inline bool process_has_surplus(const struct model *model)
{
	const struct model_config *config = &model->config;

	return (config->max_processes && model->nr_processes > config->max_processes) ||
	       (config->max_bytes && model->heap.used_bytes > config->max_bytes &&
		model->nr_processes > 1 && model_used_bytes(model) > config->max_bytes);
}
void model_stream_end(struct model *model, uint32_t stream);
void process_gone(struct model *model, uint32_t slot);
/* Apply a record that trace2top saw signal `signo` kill the process at wall time `time`. No effect
 * if the process has exited or was signaled. */
void process_killed(struct model *model, uint32_t slot, int64_t signo, ns_t time);

/* ---- model_event.c (long_lists_make(): model_thread.c) ---- */
typedef void event_apply(struct applying *a);
extern event_apply *const event_appliers[TR2_NR_EVENTS];
void long_lists_make(struct model *model, struct process *process);
void process_release_lists(struct model *model, struct process *process);
struct text text_of_event(struct applying *a, unsigned field, bool *has);

/* ---- model_since.c ---- */
/* Handle an event from before config.since: keep it if it describes its process, for example its
 * name. */
void since_pass_over(struct model *model, const struct batch *batch, const struct event *ev);
/* Apply to a new process those of its events that since_pass_over() kept. */
void since_describe(struct model *model, uint32_t slot);
size_t since_bytes(const struct since *since);
struct since *since_copy(const struct since *from);
void since_free(struct since *since);

/* ---- model_thread.c ---- */
/* Return the thread with that index. A full list of threads is no ring, so the index is the
 * position. */
static inline struct thread *thread_at(const struct model *m, const struct process *p,
				       uint32_t index)
{
	return (struct thread *)heap_get(&m->heap, p->threads.ref) + index;
}
/* Return the index of the process's thread with that name, which is created if necessary. If it is
 * new and the list is full of running threads, returns the index of the item that stands for
 * further ones. */
uint32_t thread_of_name(struct model *model, uint32_t slot, sym_t name);
/* Free memory for open regions of the event's thread, if none is open. */
void thread_shrink(struct applying *a);
/* Add a thread that exits to the list of exited threads, if that is in use. */
void thread_exited(struct applying *a);
void threads_release(struct model *model, struct process *process);

/* ---- model_region.c ---- */
void region_enter(struct applying *a);
void region_leave(struct applying *a);
/* Add the regions in the region trees of the process to `failed` of their timings (`sign` +1), or
 * subtract them (-1). */
void regions_failed_shift(struct model *model, const struct process *process, int sign);

/* ---- model_samples.c ---- */
/* Keep the duration of the region that the event ends. Call only if config.samples is set. */
void sample_add(const struct applying *a, ns_t duration, ns_t self);

/* ---- model_ledger.c ---- */
/* Kinds of events whose position is that of their start event, if known, plus their duration.
 * axis_event() sets the positions of other events. */
#define PLACED_BY_LENGTH                                                                           \
	(1ull << TR2_E_REGION_LEAVE | 1ull << TR2_E_CHILD_EXIT | 1ull << TR2_E_CHILD_READY)
/* no symbol: the process has no first thread yet, or config.no_why is set */
#define AXIS_NO_THREAD (SYM_NONE - 1)
/* Call for events of a process without a first thread. If `thread` may be the main thread, makes it
 * the first thread of the axis and returns true. */
bool axis_begin(struct process *process, sym_t thread);
/* General case of axis_event(). */
void axis_place(struct model *model, struct process *process, const struct event *ev);
/* General cases of ledger_enter() and ledger_leave(). */
void ledger_enter_any(struct applying *a, uint32_t cell);
void ledger_leave_any(struct applying *a, uint32_t cell);
/*
 * Set the position at which a child begins, is ready, or ends. A child has no position if there was
 * no first thread yet, or if another thread started it, unless that thread had no thread_start
 * event. `number` is the number of the child, counting evicted ones.
 */
void axis_child_start(struct applying *a, struct child *child);
void axis_child_ready(struct applying *a, struct child *child);
void axis_child_exit(struct applying *a, struct child *child, uint32_t number);
/* Apply a version event: if no region or child came before, the startup ends with the next event on
 * the time axis. */
void axis_starts(struct applying *a);
/* Set the end of the process on its time axis, at an exit, atexit or signal event. */
void axis_end(struct applying *a);

/* If the wall time of an event differs by more than this from the time by the other clock, the wall
 * clock may count as set. */
#define AXIS_STEP_NS (250 * NS_PER_MS)
/* True if an event's wall time agrees with `at`, its position. */
static inline bool axis_agrees(const struct axis *axis, ns_t time, ns_t at)
{
	uint64_t by = (uint64_t)time - (uint64_t)axis->offset - (uint64_t)at;

	return by + AXIS_STEP_NS <= 2 * AXIS_STEP_NS;
}

/* Set the position of an event on the axis, unless its kind is in PLACED_BY_LENGTH. */
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
		/* usual case: the position does not decrease and the clocks agree */
		at = ev->v[TR2_F_T_ABS];
		if (at >= axis->last && event_has(ev, TR2_F_TIME) &&
		    axis_agrees(axis, ev->v[TR2_F_TIME], at))
			axis->last = axis->bound = at;
		else
			axis_place(model, process, ev);
	}
}

/* Append an entry to the ledger, which must have space for it. */
static inline void ledger_add(struct model *model, struct axis *axis, uint32_t cell, uint32_t outer)
{
	struct ledger_entry *entries = heap_get(&model->heap, axis->ledger.ref);

	entries[axis->ledger.nr++] = (struct ledger_entry){ axis->last, cell, outer };
	axis->last_exit = INDEX_NONE;
}

/* Append to the ledger that a region of timing cell `cell` was entered, unless too many are
 * open. */
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

/* Set the position of a region_leave of timing cell `cell`. If its region is found open in the
 * ledger, append that it was left. */
static inline void ledger_leave(struct applying *a, struct axis *axis, uint32_t cell)
{
	const uint64_t timed = FIELD_BIT(TR2_F_T_REL) | FIELD_BIT(TR2_F_TIME);
	const struct event *ev = a->ev;
	const struct ledger_entry *region = heap_get(&a->model->heap, axis->ledger.ref);
	ns_t at;

	/* Usual case: the event leaves the innermost region, and its wall time agrees with its
	 * duration. */
	if (axis->settled && axis->innermost != LEDGER_NONE && axis->ledger.nr < axis->room &&
	    !axis->nr_beyond && (ev->mask & timed) == timed) {
		region += axis->innermost;
		/* after an overflow, the sum is negative and so less than `last` */
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
/* Load the durations of earlier runs in the configuration. */
void usual_begin(struct model *model);
void usual_named(struct model *model, struct process *process);
/* Add the duration of a region of timing cell `cell` to its past durations. */
void usual_region(struct applying *a, const struct process *process, struct timing_cell *cell,
		  ns_t duration);
/* Add the elapsed time of a child to its past durations. */
void usual_child(struct applying *a, const struct child *child);
/* Add the t_abs of an atexit or signal event to the past durations of the command. */
void usual_process(struct applying *a);

/* ---- model_command.c ---- */
/* Add a process that is evicted to the sums of its command. */
void command_leave(struct model *model, const struct process *process);

/* ---- model_strip.c ---- */
void strip_command_leave(struct model *model, const struct process *process);
/* Add a process that is evicted to the strip. */
static inline void strip_process_leave(struct model *model, const struct process *process)
{
	model->strip.versions++;
	/* Fast path: the strip does not count a child process with a start time and without
	 * errors. */
	if (!process->parent_seen || process->start == NS_NONE || process->nr_errors)
		strip_command_leave(model, process);
}
/* Count an error that is evicted from its list: in the strip or, if it has no time, in its
 * process. */
void strip_error_leave(struct model *model, struct process *process,
		       const struct error_item *error);

/* ---- model_link.c ---- */
void family_link(struct model *model, uint32_t parent);

#endif
