/* SPDX-License-Identifier: MIT */
/*
 * The model: what is known of processes, threads, regions, children and timings after a prefix
 * of the journal was applied. A pure function of that prefix (and of the limits it was made
 * with): no clock, no input, no output. Rules: the contract of the report, in trace2top(1).
 *
 * All of it lives in arrays that refer to each other by slots and by references into one slab,
 * so that a model is copied by copying arrays. The structs here are to be read by reports and
 * views; only model*.c writes them. Pointers to anything are valid until the next call that is
 * not const. To remember a process across such calls, keep a handle.
 *
 * One thread. Applying costs about 60 ns an event, without allocation once it is warm.
 */
#ifndef MONITOR_MODEL_H
#define MONITOR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "engine/schema.h"
#include "monitor/event/batch.h"
#include "monitor/base/hist.h"
#include "monitor/model/limits.h"
#include "monitor/base/slab.h"

#define SLOT_NONE UINT32_MAX

enum process_state {
	STATE_RUNNING,
	STATE_EXITED,
	STATE_SIGNALED,
	STATE_REPLACED,
	STATE_LOST,
	STATE_UNTRACED, /* its trace has ended; it may go on */
	NR_STATES
};

/* "running", "exited", ... as the report says them. */
extern const char *const process_state_names[NR_STATES];
/* "own", ... by enum event_clock (event.h), the same. */
extern const char *const process_clock_names[];

/*
 * A process that may have been evicted since: see model_process(). It means the same process in
 * every model, that of an earlier time or one whose journal was put in another order: a process
 * is its SID, and where the SID stands is only remembered.
 */
struct handle {
	uint64_t sid_hash;
	uint32_t slot; /* where it was seen; SLOT_NONE: of no process */
};

#define HANDLE_NONE ((struct handle){ 0, SLOT_NONE })

static inline bool handle_equal(struct handle a, struct handle b)
{
	return a.sid_hash == b.sid_hash && (a.slot == SLOT_NONE) == (b.slot == SLOT_NONE);
}

/*
 * A list of strings (argv, ancestry), see strings_begin(). `known` tells an empty list from one
 * never seen. In the slab it is one piece: how many bytes follow, in 32 bits, and the items as
 * they stand in a batch.
 */
struct strings {
	uint32_t ref; /* private */
	uint32_t nr : 31;
	bool known : 1;
};

/* A region that is open now. Times are NS_NONE where the event had none. */
struct open_region {
	sym_t category, label; /* SYM_NONE: absent */
	struct text msg;
	bool has_msg;
	int64_t nesting;
	ns_t time;     /* wall, of the enter */
	ns_t arrival;  /* wall, when we got it */
	ns_t inner_ns; /* time in regions closed directly inside it */
	uint32_t node; /* its region node */
};

/*
 * A node of a thread's tree of regions: all completed regions of one category, label and
 * nesting at one place below the thread's start.
 */
struct region_node {
	uint32_t cell;    /* index of its timing cell */
	uint32_t parent;  /* slab reference of the node around it; 0: the thread itself */
	uint32_t child;   /* first node inside; 0: none */
	uint32_t sibling; /* next node beside it; 0: none */
	uint64_t count;
	ns_t total, self, min, max;
};

struct thread {
	sym_t name; /* SYM_NONE: the record had none */
	bool exited : 1;
	bool announced : 1;      /* it said its thread_start */
	bool is_crowd : 1;       /* all that came when the list was full of living ones */
	uint32_t nr_beyond : 29; /* private: open regions beyond those that are kept */
	ns_t elapsed;            /* thread_exit's t_rel, or NS_NONE */
	uint64_t nr_regions;     /* completed */
	int64_t max_nesting;
	struct vec open; /* struct open_region, outermost first */
	uint32_t nodes;  /* first node of its tree; 0: none */
	uint32_t nr_nodes;
	uint32_t node_index;  /* private: struct index of nodes that have many siblings; or 0 */
	uint32_t next_exited; /* private: the one that exited after it, of a full list */
	ns_t first_time, last_time; /* wall, NS_NONE where none was seen */
	ns_t first_arrival;
};

/* CHILD_LOST is what child_state() says: nothing more can come of it. */
enum child_state { CHILD_RUNNING, CHILD_READY, CHILD_EXITED, CHILD_LOST };

struct child {
	int64_t child_id;        /* NUM_NONE: absent */
	sym_t child_class, hook; /* SYM_NONE: absent */
	struct strings argv;
	struct text cd;
	bool has_cd;
	int8_t use_shell;  /* -1: absent */
	uint8_t state;     /* enum child_state, as its own events say: see child_state() */
	int64_t pid, code; /* NUM_NONE: absent */
	ns_t elapsed;      /* child_exit's t_rel */
	sym_t ready;
	ns_t ready_elapsed;
	bool has_ready;
	ns_t start, end; /* wall time of child_start and child_exit */
	ns_t start_arrival;
	/* On its process's axis (struct axis); NS_NONE: not on it, or it was not said. */
	ns_t begin_at, ready_at, exit_at;
	ns_t offset;       /* wall time of the axis's 0 when it began */
	uint32_t inside;   /* ledger entry of the region in which it began, LEDGER_NONE */
	uint32_t released; /* number of the child whose exit let it begin (children_gone() and up),
			    * INDEX_NONE */
	/* by model_settle(): */
	uint32_t process;      /* slot of the process that matched it by pid, or SLOT_NONE */
	uint32_t any_process;  /* of one that is linked to it at all, or SLOT_NONE */
	uint32_t nr_processes; /* how many are linked to it */
	bool forgotten;        /* one that was linked to it has been evicted */
};

struct error_item {
	struct text msg;
	sym_t fmt; /* SYM_NONE: absent */
	bool has_msg;
	ns_t time;
};

struct param_item {
	sym_t param, scope;
	struct text value;
	bool has_value;
};

struct data_item {
	sym_t thread, category, key;
	struct text value;
	bool has_value, is_json;
	int64_t nesting;
	ns_t t_abs, t_rel;
};

struct timer_item {
	sym_t category, name, thread; /* thread SYM_NONE: the process's total */
	bool of_thread;
	int64_t intervals;
	ns_t total, min, max;
};

struct counter_item {
	sym_t category, name, thread;
	bool of_thread;
	int64_t count;
};

struct alias_item {
	sym_t alias;
	struct strings argv;
};

struct worktree_item {
	int64_t repo;
	sym_t worktree;
};

struct exec_item {
	int64_t exec_id;
	sym_t exe;
	struct strings argv;
	int64_t code; /* of exec_result, NUM_NONE without one */
};

enum process_end { END_NONE, END_EXIT, END_SIGNAL };

#define LEDGER_NONE UINT32_MAX

/*
 * A region event of the first thread: from `at` on, up to the next one, one region is innermost:
 * the one entered here, of timing cell `cell`; or, where that is LEDGER_NONE, the one that entry
 * `outer` entered. The region around the one entered here is entry `outer`'s; LEDGER_NONE: none.
 */
struct ledger_entry {
	ns_t at;
	uint32_t cell, outer;
};

/*
 * A process's own axis of time: 0 is when its clock began, `last` where its first thread was when
 * it last said something. Each event of that thread has a position by the best clock it has (t_abs,
 * t_rel behind the position of its begin, wall time less `offset`), never before the one before it,
 * never behind the next t_abs. Times are ns_t since 0 unless they are said to be wall time.
 */
struct axis {
	ns_t last;
	ns_t offset;       /* wall time of 0 by the clock as it is now; NS_NONE: no time was seen */
	ns_t bound;        /* private: where the last event with t_abs stands */
	sym_t thread;      /* the first one's name, once `begun` */
	bool settled;      /* private: `known`, and not `starting`: nothing special is due */
	bool known;        /* private: the origin is by a time and a t_abs of one event */
	bool starting : 1; /* the last event is `version` */
	bool begun : 1;    /* the first thread is known */
	bool anchored : 1; /* private: some t_abs was seen */
	bool stepped : 1;  /* its wall clock was set, by more than scheduling explains */
	bool guessed : 1;  /* regions or children had no time: their places are guessed */
	uint8_t nr_atexit; /* private: 2: that many or more */
	uint32_t innermost; /* ledger entry of the region that is open; LEDGER_NONE */
	struct vec ledger;  /* struct ledger_entry */
	uint32_t room;      /* private: entries that there is room for, or that are allowed */
	uint32_t last_exit; /* private: number of the child that exited last, as `released` */
	uint32_t nr_open;   /* private: open regions of the ledger, */
	uint32_t nr_beyond; /* private: and those that were too deep for it */
	ns_t origin;        /* wall time of 0; NS_NONE */
	ns_t init;          /* where its start ends; NS_NONE: no version was seen */
	ns_t end;           /* where it ended, as it said; NS_NONE */
	ns_t first_atexit;  /* private */
};

struct process {
	/* What every event touches: two lines of the cache. */
	uint64_t sid_hash;
	uint32_t gen;            /* of the slot; odd while in use */
	uint32_t last_thread;    /* private: where the last event's thread is */
	uint8_t state;           /* enum process_state */
	uint8_t end_by;          /* enum process_end: the last exit, atexit or signal */
	bool last_is_exec : 1;   /* the last event is `exec` */
	bool gone : 1;           /* its pid is gone */
	bool cut_off : 1;        /* the connection that it spoke on last has ended */
	bool lost_by_parent : 1; /* its parent's child_exit for its pid came */
	bool live : 1;           /* something of it arrived since we began to follow */
	bool pid_seen : 1;       /* it was seen alive: the end of its pid can be believed */
	bool dirty : 1;          /* private: model_settle() has something to do for it */
	bool family_dirty : 1;   /* private: its children must be linked anew */
	bool counted_failed : 1; /* private: the timings count it as failed */
	bool untraced : 1;       /* its trace has ended */
	bool in_pieces : 1;  /* it is told in pieces: what goes on is known up to the last event */
	bool is_orphan : 1;  /* private: its parent was never seen */
	bool has_parent : 1; /* `parent_sid` is there */
	bool parent_given : 1; /* private: by a record of its own, not by the SID's text */
	uint32_t stream;       /* private: number of the stream it was last seen on */
	ns_t start, end;       /* wall: first and last time seen; NS_NONE */
	ns_t first_arrival, last_arrival; /* wall */
	struct vec threads;               /* struct thread */
	uint32_t lru_prev, lru_next;      /* private */
	uint32_t nr_open;                 /* open regions, all threads */
	uint64_t nr_events;
	uint64_t nr_regions; /* completed, all threads */
	int64_t pid;         /* NUM_NONE */
	int64_t uid;         /* of whose stream its first event came; NUM_NONE: not known */
	uint32_t parent;     /* slot, or SLOT_NONE where it was never seen */
	uint32_t depth;      /* how many SIDs stand above it */
	struct axis axis;
	uint64_t usual; /* private: whose past is its: worktree and hierarchy */
	/* What few do. */
	ns_t t_abs_end;      /* t_abs of the last exit, atexit or signal; NS_NONE */
	int64_t code, signo; /* NUM_NONE: absent */
	struct text sid;
	struct text parent_sid; /* where it has one, seen or not; `sid` begins with it, or it was
				 * given */
	uint32_t first_child, next_sibling; /* slots; processes, newest first */
	uint32_t prev_sibling;
	char host[12];                         /* "" where it has none */
	sym_t agent;                           /* that sent its first event; SYM_NONE */
	sym_t format;                          /* that it was read from; SYM_NONE: EVENT */
	sym_t main_thread;                     /* its name; SYM_NONE: not said */
	uint8_t clock;                         /* enum event_clock */
	bool guessed;                          /* which records are of it was guessed */
	sym_t name, hierarchy, path, exe, evt; /* SYM_NONE: never seen */
	struct strings argv, ancestry;
	struct vec modes;       /* sym_t */
	struct vec aliases;     /* struct alias_item */
	struct vec worktrees;   /* struct worktree_item */
	struct vec errors;      /* struct error_item */
	struct vec params;      /* struct param_item */
	struct vec data;        /* struct data_item */
	struct vec timers;      /* struct timer_item */
	struct vec counters;    /* struct counter_item */
	struct vec children;    /* struct child */
	struct vec execs;       /* struct exec_item */
	uint32_t long_lists;    /* private: struct long_lists in the slab; 0: none is long */
	uint32_t link;          /* index in the parent's children, SLOT_NONE; by model_settle() */
	uint32_t nr_errors;     /* ever */
	uint32_t nr_unbalanced; /* leaves that no region was open for, or another one */
	uint32_t stream_prev, stream_next; /* private: others last seen there */
	uint32_t orphan_prev, orphan_next; /* private: others that wait for the same parent */
	/* By how many ms its clock was behind that of arrivals, 24 days at most; 0: not known. */
	int32_t skew_ms;
};

/* One (category, label, nesting, depth) of the timings. */
struct timing_cell {
	sym_t category, label;
	uint16_t nesting, depth; /* capped at MAX_CELL_NESTING, MAX_CELL_DEPTH */
	uint32_t row;            /* index of its row */
	uint32_t next;           /* next cell of the row, SLOT_NONE */
	uint32_t usual;          /* private: where its last region's duration went */
	uint64_t count, failed;
	ns_t total, self, min, max;
	struct hist hist;
};

struct timing_row {
	sym_t category, label;
	uint32_t first_cell;
};

/* A row of the timings within limits, as the panes and the report show it. */
struct timing {
	sym_t category, label; /* SYM_NONE: absent */
	uint64_t count, failed;
	ns_t total, self, min, max;
};

struct model_totals {
	uint64_t events;                             /* Trace2 events, unknown ones included */
	uint64_t processes;                          /* ever seen */
	uint64_t by_state[NR_STATES];                /* evicted ones included */
	uint64_t failed;                             /* exited with a code other than 0 */
	uint64_t threads, regions, children, errors; /* ever */
	uint64_t open_regions;                       /* of running processes */
};

/* What left, was cut or came late: each a counter that a person can see. */
struct model_dropped {
	uint64_t finished;       /* processes evicted after they had ended */
	uint64_t silent;         /* processes evicted while they seemed to run */
	uint64_t for_memory;     /* of finished and silent: evicted because of max_bytes */
	uint64_t late_events;    /* events of evicted processes */
	uint64_t list_items;     /* items that left a full list */
	uint64_t timing_other;   /* regions counted under (other) */
	uint64_t command_other;  /* processes whose command was counted under (other) */
	uint64_t names_other;    /* events counted under (other) */
	uint64_t samples;        /* durations of regions that are not kept one by one */
	uint64_t ledger;         /* stretches of first threads that were put to a neighbour */
	uint64_t usual;          /* keys of durations that made room for others */
	uint64_t journal_events; /* events that the journal dropped unread */
	uint64_t remote_events;  /* that agents sent or had, and that did not come */
	uint64_t ring_events;    /* events that were overwritten in a ring before they were read */
	uint64_t gaps;           /* times that nothing could be received */
	ns_t gap_ns;
};

/* How long a thing took in runs that were known before: see model_usual_region(). */
struct past_durations {
	sym_t worktree, hierarchy; /* SYM_NONE: absent */
	/* A region's. Of a child `is_child` and the text of child_key_text() as the label; of the
	 * process itself neither. */
	sym_t category, label;
	bool is_child;
	const ns_t *durations; /* the newest last */
	uint32_t nr;
};

struct model_config {
	int64_t nesting;        /* apply only regions and data up to this; -1: all */
	uint32_t max_processes; /* 0: nothing is bounded */
	size_t max_bytes;       /* of the heap; 0: MAX_MODEL_BYTES if max_processes is set */
	bool samples;           /* keep the duration of each region, see model_sample() */
	/* Nobody asks where time went, nor what is usual: neither axes (struct axis) and what stands
	 * on them, nor durations for model_usual_*() are kept. */
	bool no_why;
	const struct past_durations *past; /* the newest last; borrowed for model_new() */
	uint32_t nr_past;
	ns_t since; /* events of an earlier time are passed over; 0, NS_NONE: none */
	/* Whose regions the timings count; NULL: all. For a second pass under a filter. */
	bool (*admit)(const void *data, const char *sid, size_t len);
	const void *admit_data;
};

struct model;

/* `syms` is what the batches' symbols refer to; it must outlive the model. */
struct model *model_new(const struct tr2_intern *syms, const struct model_config *config);
void model_free(struct model *model);
/* An equal model of its own. */
struct model *model_copy(const struct model *model);

/* Apply a batch; its records must be the journal's next. */
void model_apply(struct model *model, const struct batch *batch);
/* Apply its records from number `from` up to, not including, `to`. */
void model_apply_range(struct model *model, const struct batch *batch, uint32_t from, uint32_t to);

/*
 * Bring what is derived up to date: links between children and processes, `lost` by a parent's
 * child_exit, `failed` of timings. Costs what changed since the last call. Before a frame or
 * report; the result does not depend on how often it is called.
 */
void model_settle(struct model *model);

/* Counts up with every change; a copy has none of those of its original. */
uint64_t model_version(const struct model *model);
/* The deepest nesting of any region or datum; 0: none. */
int64_t model_deepest(const struct model *model);

/* Do processes come from more than one agent, or some from none? */
bool model_has_agents(const struct model *model);
/* Wall time of the last event that had one; NS_NONE. */
ns_t model_last_time(const struct model *model);
const struct model_totals *model_totals(const struct model *model);
const struct model_dropped *model_dropped(const struct model *model);
const struct tr2_intern *model_syms(const struct model *model);
const struct slab *model_slab(const struct model *model);
/* Memory held, in bytes. */
size_t model_bytes(const struct model *model);
/* Live (running) processes of a depth; depths from 63 up are counted as 63. */
#define MODEL_DEPTHS 64
uint32_t model_live_at_depth(const struct model *model, unsigned depth);
/* Processes kept now. */
uint32_t model_nr_processes(const struct model *model);

/* The process of a handle; NULL where it was evicted, or is not known yet. */
const struct process *model_process(const struct model *model, struct handle handle);
/* The same handle with the slot that it has in this model; one beyond all where it has none. */
struct handle model_handle_here(const struct model *model, struct handle handle);
/* The process in a slot, which must be in use (a slot taken from another process). */
const struct process *model_slot(const struct model *model, uint32_t slot);
static inline struct handle process_handle(const struct process *process, uint32_t slot)
{
	return (struct handle){ process->sid_hash, slot };
}
struct handle model_handle(const struct model *model, uint32_t slot);
/* Every slot in use: model_first_slot(), then model_next_slot() until SLOT_NONE. */
uint32_t model_first_slot(const struct model *model);
uint32_t model_next_slot(const struct model *model, uint32_t slot);
/* Processes whose parent is not there, newest first: chained by next_sibling. */
uint32_t model_first_root(const struct model *model);
/* The process of a SID; SLOT_NONE. */
uint32_t model_find_sid(const struct model *model, const char *sid, size_t len);

/* Did it exit with a code other than 0? */
static inline bool process_failed(const struct process *process)
{
	return process->state == STATE_EXITED && process->code != NUM_NONE && process->code != 0;
}

/* elapsed by the contract; NS_NONE where nothing tells. */
ns_t process_elapsed(const struct process *process);

/* A symbol's bytes. */
static inline const char *model_sym(const struct model *model, sym_t sym, size_t *len)
{
	return tr2_intern_text(model_syms(model), sym, len);
}

/* Are there threads that its full list has not, or has no more? */
bool process_threads_gone(const struct model *model, const struct process *process);
/* Has its first thread exited, and left its full list? */
bool process_first_thread_gone(const struct model *model, const struct process *process);

/* Items of a process's lists. */
#define PROCESS_ITEM(model, list, type, index)                                                     \
	((const struct type *)vec_at(model_slab(model), (list), (index), sizeof(struct type)))
static inline const struct thread *process_thread(const struct model *model,
						  const struct process *process, uint32_t index)
{
	return PROCESS_ITEM(model, &process->threads, thread, index);
}
static inline const struct child *process_child(const struct model *model,
						const struct process *process, uint32_t index)
{
	return PROCESS_ITEM(model, &process->children, child, index);
}
/* How many children have left a full list: the number of the first one that is kept. */
uint32_t process_children_gone(const struct model *model, const struct process *process);

static inline const struct ledger_entry *process_ledger(const struct model *model,
							const struct process *process)
{
	return slab_at(model_slab(model), process->axis.ledger.ref);
}

static inline const struct open_region *thread_open(const struct model *model,
						    const struct thread *thread, uint32_t index)
{
	return PROCESS_ITEM(model, &thread->open, open_region, index);
}
static inline const struct region_node *model_node(const struct model *model, uint32_t ref)
{
	return slab_at(model_slab(model), ref);
}

/*
 * The walk of a thread's tree of regions, which begins at thread->nodes with `*level` 0: each
 * node before what is inside it, that before what is beside it. Without recursion, for a hostile
 * tree is deep. Returns 0 at the end; `*level` says how many nodes stand around the one returned.
 */
uint32_t model_node_next(const struct model *model, uint32_t ref, uint32_t *level);
/* The same, without what is inside `ref`. */
uint32_t model_node_after(const struct model *model, uint32_t ref, uint32_t *level);

/* The items of a list, in their order; valid as long as what the model gives out. */
struct strings_cursor {
	const char *at; /* private */
	uint32_t left;  /* ro: so many come */
};

static inline struct strings_cursor strings_begin(const struct model *model,
						  const struct strings *strings)
{
	const char *piece = slab_at(model_slab(model), strings->ref);

	return (struct strings_cursor){ strings->nr ? piece + sizeof(uint32_t) : NULL,
					strings->nr };
}

/* The next item, not NUL-terminated; NULL behind the last one. */
static inline const char *strings_next(struct strings_cursor *cursor, size_t *len)
{
	const char *bytes;

	*len = 0;
	if (!cursor->left)
		return NULL;
	cursor->left--;
	bytes = batch_text_open(cursor->at, len);
	cursor->at = bytes + *len;
	return bytes;
}
static inline const char *model_text(const struct model *model, struct text text)
{
	return text_bytes(model_slab(model), text);
}

/* ---- timings ---- */

/* Limits for timings; LIMIT -1: all. */
struct timing_limits {
	int64_t nesting, depth;
};

uint32_t model_nr_timing_rows(const struct model *model);
const struct timing_cell *model_cell(const struct model *model, uint32_t cell);
/* How deep the deepest region was that timings know of; 0: none. A walk over all cells. */
unsigned model_max_nesting(const struct model *model);
/* Sum row `row`'s cells within the limits; false where nothing is left. */
bool model_timing(const struct model *model, uint32_t row, const struct timing_limits *limits,
		  struct timing *out);
/* The row's histogram within the limits, into HIST_BUCKETS zeroed sums. */
void model_timing_hist(const struct model *model, uint32_t row, const struct timing_limits *limits,
		       uint64_t *sums);
/* The row of (category, label); SLOT_NONE. */
uint32_t model_timing_row(const struct model *model, sym_t category, sym_t label);

/* ---- how long each region took ---- */

/* A region that was left. */
struct region_sample {
	struct handle process;
	sym_t category, label; /* SYM_NONE: absent */
	ns_t duration, self;   /* without the time in regions closed directly inside it */
};

/* In the order in which they were left, from 0 < model_nr_samples(); none where the configuration
 * does not ask for them. */
uint32_t model_nr_samples(const struct model *model);
const struct region_sample *model_sample(const struct model *model, uint32_t number);

/* ---- commands of processes that have left ---- */

/*
 * What is left of the processes of one name and depth that are kept no more; of those that are,
 * who asks counts for himself (analysis/commands.h). So no event costs anything, and a process
 * that is given back is counted as it ended.
 */
struct command_cell {
	sym_t name;             /* SYM_NONE: they never said one */
	uint16_t depth;         /* capped at MAX_CELL_DEPTH */
	uint64_t count, failed; /* that had ended */
	uint64_t running;       /* that seemed to run when they left */
	uint64_t timed;         /* of `count`: how long they ran was known */
	ns_t total, min, max;   /* of these */
	ns_t last;              /* wall time of the last event of one that had ended; NS_NONE */
	struct hist hist;
};

/* Cells from 0 < model_nr_commands(). */
uint32_t model_nr_commands(const struct model *model);
const struct command_cell *model_command(const struct model *model, uint32_t index);

/* ---- how long things took before ---- */

/*
 * The newest durations of what has ended, in no order, into `out`, which has room for
 * USUAL_DURATIONS; how many. Known by worktree and hierarchy, and: a region by its names; a child by
 * its hook or the first two words of its command; a process by these alone.
 */
#define USUAL_DURATIONS 64u
uint32_t model_usual_region(const struct model *model, const struct process *process,
			    sym_t category, sym_t label, ns_t *out);
uint32_t model_usual_child(const struct model *model, const struct process *process,
			   const struct child *child, ns_t *out);
uint32_t model_usual_process(const struct model *model, const struct process *process, ns_t *out);
/* What a child is known by, with a NUL, into so many bytes; cut where there is no room. */
#define CHILD_KEY_BYTES 200
void child_key_text(const struct model *model, const struct child *child, char *out);

/* ---- event names ---- */

/* Count of a Git event by kind, of its own name only. */
uint64_t model_event_count(const struct model *model, enum tr2_event_kind kind);
/* Other names (unknown events, aliases): index from 0 < model_nr_event_names(). */
uint32_t model_nr_event_names(const struct model *model);
uint64_t model_event_name(const struct model *model, uint32_t index, sym_t *name);

/* How the child stands: who would have told of its end may have ended first. */
static inline enum child_state child_state(const struct process *parent, const struct child *child)
{
	bool tells = parent->state == STATE_RUNNING || parent->state == STATE_UNTRACED;

	return child->state == CHILD_RUNNING && !tells ? CHILD_LOST
						       : (enum child_state)child->state;
}

#endif
