/* SPDX-License-Identifier: MIT */
/*
 * The model: processes, threads, regions, children and timings after a prefix of the journal was
 * applied. It is a pure function of that prefix and its limits, without clock, input or output.
 * The rules are the contract of the report, in trace2top-formats(5).
 *
 * All data is in arrays that refer to each other by slot, and by reference into one heap (heap.h),
 * so copying the arrays copies the model. Reports and views read the structs; only model*.c writes
 * them. Pointers are valid until the next call that is not const. To remember a process across such
 * calls, keep a handle.
 *
 * One thread. Applying an event costs about 60 ns, without allocation once the model is warm.
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
#include "monitor/base/heap.h"

#define SLOT_NONE UINT32_MAX

enum process_state {
	STATE_RUNNING,
	STATE_EXITED,
	STATE_SIGNALED,
	STATE_REPLACED,
	STATE_LOST,
	STATE_UNTRACED, /* its trace has ended; it may still run */
	NR_STATES
};

/* Names in the report: "running", "exited" and so on. */
extern const char *const process_state_names[NR_STATES];
/* Names in the report, by enum event_clock (event.h): "own" and so on. */
extern const char *const process_clock_names[];

/*
 * A process that may have been evicted since; see model_process(). It identifies the same process
 * in every model, including earlier states and sorted journals: the key is the SID's hash, and
 * `slot` is only a hint.
 */
struct handle {
	uint64_t sid_hash;
	uint32_t slot; /* slot when it was found; SLOT_NONE: no process */
};

#define HANDLE_NONE ((struct handle){ 0, SLOT_NONE })

static inline bool handle_equal(struct handle a, struct handle b)
{
	return a.sid_hash == b.sid_hash && (a.slot == SLOT_NONE) == (b.slot == SLOT_NONE);
}

/*
 * A list of strings (argv, ancestry); see strings_begin(). `known` distinguishes an empty list from
 * one never seen. On the heap: the number of bytes in 32 bits, then the items as in a batch.
 */
struct strings {
	uint32_t ref; /* private */
	uint32_t nr : 31;
	bool known : 1;
};

/* An open region. Times are NS_NONE if the event had none. */
struct open_region {
	sym_t category, label; /* SYM_NONE: absent */
	struct text msg;
	bool has_msg;
	int64_t nesting;
	ns_t time;     /* wall, of the enter */
	ns_t arrival;  /* wall, when it was received */
	ns_t inner_ns; /* time in regions closed directly inside it */
	uint32_t node; /* its region node */
};

/*
 * A node of a thread's region tree: all completed regions of one category, label and nesting with
 * the same path of outer regions.
 */
struct region_node {
	uint32_t cell;    /* index of its timing cell */
	uint32_t parent;  /* heap reference of the outer node; 0: the thread itself */
	uint32_t child;   /* first inner node; 0: none */
	uint32_t sibling; /* next node with the same parent; 0: none */
	uint64_t count;
	ns_t total, self, min, max;
};

struct thread {
	sym_t name; /* SYM_NONE: the record had none */
	bool exited : 1;
	bool announced : 1; /* thread_start was received */
	bool is_crowd : 1; /* collects all threads that came when the list was full of running ones */
	uint32_t nr_beyond : 29; /* private: open regions that are not kept */
	ns_t elapsed;            /* thread_exit's t_rel, or NS_NONE */
	uint64_t nr_regions;     /* completed */
	int64_t max_nesting;
	struct vec open; /* struct open_region, outermost first */
	uint32_t nodes;  /* first node of its tree; 0: none */
	uint32_t nr_nodes;
	uint32_t node_index;        /* private: struct index if lists are long; or 0 */
	uint32_t next_exited;       /* private: the thread that exited next, in a full list */
	ns_t first_time, last_time; /* wall; NS_NONE: none seen */
	ns_t first_arrival;
};

/* child_state() returns CHILD_LOST if no further events can arrive. */
enum child_state { CHILD_RUNNING, CHILD_READY, CHILD_EXITED, CHILD_LOST };

struct child {
	int64_t child_id;        /* NUM_NONE: absent */
	sym_t child_class, hook; /* SYM_NONE: absent */
	struct strings argv;
	struct text cd;
	bool has_cd;
	int8_t use_shell;  /* -1: absent */
	uint8_t state;     /* enum child_state by its own events; see child_state() */
	int64_t pid, code; /* NUM_NONE: absent */
	ns_t elapsed;      /* child_exit's t_rel */
	sym_t ready;
	ns_t ready_elapsed;
	bool has_ready;
	ns_t start, end; /* wall time of child_start and child_exit */
	ns_t start_arrival;
	/* On its process's axis (struct axis). NS_NONE: not on the axis, or not reported. */
	ns_t begin_at, ready_at, exit_at;
	ns_t offset;       /* wall time of the axis's 0 when it began */
	uint32_t inside;   /* ledger entry of the region in which it began; LEDGER_NONE */
	uint32_t released; /* child whose exit preceded its start; INDEX_NONE */
	/* Set by model_settle(): */
	uint32_t process;      /* slot of the process with its pid, or SLOT_NONE */
	uint32_t any_process;  /* slot of any process linked to it, or SLOT_NONE */
	uint32_t nr_processes; /* number of processes linked to it */
	bool forgotten;        /* a process linked to it was evicted */
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
	int64_t code; /* of exec_result; NUM_NONE: none */
};

enum process_end { END_NONE, END_EXIT, END_SIGNAL };

#define LEDGER_NONE UINT32_MAX

/*
 * A region event of the first thread. From `at` to the next entry one region is innermost: the one
 * entered here, of timing cell `cell`. If `cell` is LEDGER_NONE, a region was left, and entry
 * `outer` entered the innermost region. Otherwise entry `outer` entered the region around this one;
 * LEDGER_NONE: none.
 */
struct ledger_entry {
	ns_t at;
	uint32_t cell, outer;
};

/*
 * A process's time axis. Position 0 is when its clock began; `last` is the position of the first
 * thread's last event. An event's position comes from its best clock: t_abs, else its begin plus
 * t_rel, else wall time minus `offset`. Positions never decrease and never exceed the next t_abs.
 * Times are ns_t since 0 unless they are wall time.
 */
struct axis {
	ns_t last;
	ns_t offset;        /* wall time of 0 by the current clock; NS_NONE: no time seen */
	ns_t bound;         /* private: position of the last event with t_abs */
	sym_t thread;       /* name of the first thread */
	bool settled;       /* private: `known` and not `starting`: the fast path applies */
	bool known;         /* private: the origin comes from an event with a time and a t_abs */
	bool starting : 1;  /* the last event is `version` */
	bool begun : 1;     /* the first thread is known */
	bool anchored : 1;  /* private: some t_abs was seen */
	bool stepped : 1;   /* the wall clock was set: scheduling cannot explain the difference */
	bool guessed : 1;   /* regions or children had no time, so their positions are guessed */
	uint8_t nr_atexit;  /* private: number of atexit events, at most 2 */
	uint32_t innermost; /* ledger entry of the innermost open region; LEDGER_NONE */
	struct vec ledger;  /* struct ledger_entry */
	uint32_t room;      /* private: allocated or allowed entries */
	uint32_t last_exit; /* private: number of the child that exited last, as in `released` */
	uint32_t nr_open;   /* private: open regions in the ledger */
	uint32_t nr_beyond; /* private: open regions too deep for the ledger */
	ns_t origin;        /* wall time of 0; NS_NONE */
	ns_t init;          /* end of its startup; NS_NONE: no version event */
	ns_t end;           /* its end, as reported; NS_NONE */
	ns_t first_atexit;  /* private */
};

struct process {
	/* Used for every event: two cache lines. */
	uint64_t sid_hash;
	uint32_t gen;            /* generation of the slot; odd while in use */
	uint32_t last_thread;    /* private: index of the last event's thread */
	uint8_t state;           /* enum process_state */
	uint8_t end_by;          /* enum process_end: the last exit, atexit or signal */
	bool last_is_exec : 1;   /* the last event is `exec` */
	bool gone : 1;           /* its pid no longer exists */
	bool cut_off : 1;        /* the connection of its last event was closed */
	bool lost_by_parent : 1; /* its parent reported child_exit for its pid */
	bool live : 1;           /* it sent events after this program started to follow */
	bool pid_seen : 1;       /* its pid was seen alive, so a missing pid means that it ended */
	bool dirty : 1;          /* private: queued for model_settle() */
	bool family_dirty : 1;   /* private: its children must be linked again */
	bool counted_failed : 1; /* private: the timings count it as failed */
	bool untraced : 1;       /* its trace has ended */
	bool in_pieces : 1; /* its trace comes in pieces; its state is known up to the last event */
	bool is_orphan : 1; /* private: its parent has not been seen */
	bool parent_seen : 1;  /* its parent is in the trace, even if it was evicted */
	bool has_parent : 1;   /* `parent_sid` is valid */
	bool parent_given : 1; /* private: the parent comes from a record, not from the SID's text */
	uint32_t stream;       /* private: number of the stream of its last event */
	ns_t start, end;       /* wall: first and last event; NS_NONE */
	ns_t first_arrival, last_arrival; /* wall */
	struct vec threads;               /* struct thread */
	uint32_t lru_prev, lru_next;      /* private */
	uint32_t nr_open;                 /* open regions, all threads */
	uint64_t nr_events;
	uint64_t nr_regions; /* completed, all threads */
	int64_t pid;         /* NUM_NONE */
	int64_t uid;         /* user of the stream of its first event; NUM_NONE: not known */
	uint32_t parent;     /* slot; SLOT_NONE: not seen */
	uint32_t depth;      /* number of SIDs above it */
	struct axis axis;
	uint64_t usual; /* private: key of its past durations, by worktree and hierarchy */
	/* Used by few events. */
	ns_t t_abs_end;      /* t_abs of the last exit, atexit or signal; NS_NONE */
	int64_t code, signo; /* NUM_NONE: absent */
	struct text sid;
	struct text parent_sid; /* valid if has_parent: a prefix of `sid`, or from a record */
	uint32_t first_child, next_sibling; /* slots; newest process first */
	uint32_t prev_sibling;
	char host[12];                         /* "" if unknown */
	sym_t agent;                           /* agent of its first event; SYM_NONE */
	sym_t format;                          /* format of its trace; SYM_NONE: EVENT */
	sym_t main_thread;                     /* name of its main thread; SYM_NONE: unknown */
	uint8_t clock;                         /* enum event_clock */
	bool guessed;                          /* which records belong to it was guessed */
	sym_t name, hierarchy, path, exe, evt; /* SYM_NONE: never seen */
	struct strings argv, ancestry;
	struct vec modes;     /* sym_t */
	struct vec aliases;   /* struct alias_item */
	struct vec worktrees; /* struct worktree_item */
	struct vec errors;    /* struct error_item */
	struct vec params;    /* struct param_item */
	struct vec data;      /* struct data_item */
	struct vec timers;    /* struct timer_item */
	struct vec counters;  /* struct counter_item */
	struct vec children;  /* struct child */
	struct vec execs;     /* struct exec_item */
	uint32_t long_lists;  /* private: struct long_lists on the heap; 0: no list is long */
	uint32_t link; /* index in the parent's children, or SLOT_NONE; set by model_settle() */
	uint32_t nr_errors;                /* ever */
	uint32_t nr_undated_errors_gone;   /* private: evicted from `errors`, without a time */
	uint32_t nr_unbalanced;            /* region_leave events without a matching open region */
	uint32_t stream_prev, stream_next; /* private: list of processes last seen on this stream */
	uint32_t orphan_prev,
		orphan_next; /* private: list of processes with the same missing parent */
	/*
	 * Milliseconds by which its clock lagged the arrival clock, at most 24 days; 0: not
	 * known.
	 */
	int32_t skew_ms;
};

/* One (category, label, nesting, depth) of the timings. */
struct timing_cell {
	sym_t category, label;
	uint16_t nesting, depth; /* capped at MAX_CELL_NESTING, MAX_CELL_DEPTH */
	uint32_t row;            /* index of its row */
	uint32_t next;           /* next cell of the row, SLOT_NONE */
	uint32_t usual;          /* private: entry of its last region's durations */
	uint64_t count, failed;
	ns_t total, self, min, max;
	struct hist hist;
};

struct timing_row {
	sym_t category, label;
	uint32_t first_cell;
};

/* A row of the timings within limits, as panes and the report show it. */
struct timing {
	sym_t category, label; /* SYM_NONE: absent */
	uint64_t count, failed;
	ns_t total, self, min, max;
};

struct model_totals {
	uint64_t events;                             /* Trace2 events, including unknown ones */
	uint64_t processes;                          /* ever seen */
	uint64_t by_state[NR_STATES];                /* including evicted ones */
	uint64_t failed;                             /* exited with a code other than 0 */
	uint64_t threads, regions, children, errors; /* ever */
	uint64_t open_regions;                       /* of running processes */
};

/* Counters of data that was evicted, truncated or late. The program shows each of them. */
struct model_dropped {
	uint64_t finished;       /* processes evicted after they had ended */
	uint64_t silent;         /* processes evicted while they seemed to be running */
	uint64_t for_memory;     /* of finished and silent: evicted because of max_bytes */
	uint64_t late_events;    /* events of evicted processes */
	uint64_t list_items;     /* items evicted from a full list */
	uint64_t timing_other;   /* regions counted under (other) */
	uint64_t command_other;  /* processes whose command was counted under (other) */
	uint64_t names_other;    /* events counted under (other) */
	uint64_t samples;        /* durations of regions not kept individually */
	uint64_t ledger;         /* intervals of first threads merged with a neighbour */
	uint64_t usual;          /* keys of past durations evicted */
	uint64_t journal_events; /* events that the journal dropped before they were applied */
	uint64_t remote_events;  /* events of agents that were lost or did not arrive */
	uint64_t ring_events;    /* events overwritten in a ring before they were read */
	uint64_t gaps;           /* periods in which nothing could be received */
	ns_t gap_ns;
};

/* Durations from earlier runs; see model_past_region(). */
struct past_durations {
	sym_t worktree, hierarchy; /* SYM_NONE: absent */
	/* region: category and label; child: child_key_text() as label; process: neither */
	sym_t category, label;
	bool is_child;
	const ns_t *durations; /* the newest last */
	uint32_t nr;
};

struct model_config {
	int64_t nesting;        /* ignore regions and data of a greater nesting; -1: no limit */
	uint32_t max_processes; /* 0: unbounded */
	size_t max_bytes;       /* of the heap; 0: MAX_MODEL_BYTES if max_processes is set */
	bool samples;           /* keep the duration of each region, see model_sample() */
	/*
	 * Do not keep the time axis (struct axis) nor past durations: analysis/ and model_usual_*()
	 * are not used.
	 */
	bool no_why;
	const struct past_durations *past; /* the newest last; borrowed for model_new() */
	uint32_t nr_past;
	ns_t since; /* ignore earlier events; 0, NS_NONE: none */
	/*
	 * The timings count only regions of processes for which this returns true; NULL: all. Used
	 * for a second pass under a filter.
	 */
	bool (*admit)(const void *data, const char *sid, size_t len);
	const void *admit_data;
};

struct model;

/* Create an empty model. `syms` is the symbol table of all batches and must outlive the model. */
struct model *model_new(const struct tr2_intern *syms, const struct model_config *config);
void model_free(struct model *model);
/* Return an independent copy. */
struct model *model_copy(const struct model *model);

/* Apply a batch, which must be the journal's next one. */
void model_apply(struct model *model, const struct batch *batch);
/* Apply records `from` to `to` - 1 of the batch. */
void model_apply_range(struct model *model, const struct batch *batch, uint32_t from, uint32_t to);

/*
 * Update derived data: links between children and processes, `lost` from a parent's child_exit, and
 * `failed` of timings. The cost depends on the changes since the last call. Call it before a frame
 * or report. The result does not depend on how often it is called.
 */
void model_settle(struct model *model);

/*
 * Incremented by every change. The bits from MODEL_VERSION_BITS on are unique among all models and
 * copies.
 */
#define MODEL_VERSION_BITS 40
uint64_t model_version(const struct model *model);
/* Deepest nesting of any region or datum; 0: none. */
int64_t model_deepest(const struct model *model);

/* True if processes came from more than one agent, or some from an agent and some not. */
bool model_has_agents(const struct model *model);
/* Wall time of the last event that had one, or NS_NONE. */
ns_t model_last_time(const struct model *model);
const struct model_totals *model_totals(const struct model *model);
const struct model_dropped *model_dropped(const struct model *model);
const struct tr2_intern *model_syms(const struct model *model);
const struct heap *model_heap(const struct model *model);
/* Memory held, in bytes. */
size_t model_bytes(const struct model *model);
/* Number of running processes at a depth; depths above 62 are counted as 63. */
#define MODEL_DEPTHS 64
uint32_t model_live_at_depth(const struct model *model, unsigned depth);
/* Number of processes in the model. */
uint32_t model_nr_processes(const struct model *model);

/* Return the process of a handle, or NULL if it was evicted or is not known yet. */
const struct process *model_process(const struct model *model, struct handle handle);
/*
 * Return the handle with the slot in this model, or with an invalid slot if the process is not in
 * it.
 */
struct handle model_handle_here(const struct model *model, struct handle handle);
/* Return the process in a slot, which must be in use. */
const struct process *model_slot(const struct model *model, uint32_t slot);
static inline struct handle process_handle(const struct process *process, uint32_t slot)
{
	return (struct handle){ process->sid_hash, slot };
}
struct handle model_handle(const struct model *model, uint32_t slot);
/* Iterate over all slots in use: model_first_slot(), then model_next_slot() until SLOT_NONE. */
uint32_t model_first_slot(const struct model *model);
uint32_t model_next_slot(const struct model *model, uint32_t slot);
/*
 * First of the processes without a known parent, newest first, or SLOT_NONE. The others follow by
 * model_next_sibling() until SLOT_NONE, as the children of a process do from its first_child on.
 */
uint32_t model_first_root(const struct model *model);
uint32_t model_next_sibling(const struct model *model, uint32_t slot);
/*
 * Iterate over the tree of `root`, parents before children: begin with `root` itself, then call
 * this until SLOT_NONE. `slot` is the last one returned. `*level` (may be NULL) is its level below
 * `root`: set it to 0 before the first call. Needs no memory, however deep the tree is.
 */
uint32_t model_tree_next(const struct model *model, uint32_t root, uint32_t slot, uint32_t *level);
/* Slot of a SID, or SLOT_NONE. */
uint32_t model_find_sid(const struct model *model, const char *sid, size_t len);

/* True if it exited with a code other than 0. */
static inline bool process_failed(const struct process *process)
{
	return process->state == STATE_EXITED && process->code != NUM_NONE && process->code != 0;
}

/* Elapsed time by the contract of the report; NS_NONE if unknown. */
ns_t process_elapsed(const struct process *process);

/* Text of a symbol. */
static inline const char *model_sym(const struct model *model, sym_t sym, size_t *len)
{
	return tr2_intern_text(model_syms(model), sym, len);
}

/* True if threads were evicted from its full list, or never entered it. */
bool process_threads_gone(const struct model *model, const struct process *process);
/* True if its first thread exited and was evicted from its full list. */
bool process_first_thread_gone(const struct model *model, const struct process *process);

/* Item `index` of a process's list. */
#define PROCESS_ITEM(model, list, type, index)                                                     \
	((const struct type *)vec_at(model_heap(model), (list), (index), sizeof(struct type)))
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
/* Number of children evicted from a full list, which is the number of the first one kept. */
uint32_t process_children_gone(const struct model *model, const struct process *process);

static inline const struct ledger_entry *process_ledger(const struct model *model,
							const struct process *process)
{
	return heap_get(model_heap(model), process->axis.ledger.ref);
}

static inline const struct open_region *thread_open(const struct model *model,
						    const struct thread *thread, uint32_t index)
{
	return PROCESS_ITEM(model, &thread->open, open_region, index);
}
static inline const struct region_node *model_node(const struct model *model, uint32_t ref)
{
	return heap_get(model_heap(model), ref);
}

/*
 * Iterate over a thread's region tree in depth-first order, starting with thread->nodes and
 * `*level` 0. Returns the next node, or 0 at the end, and sets `*level` to the number of its outer
 * nodes. Not recursive, because a hostile tree may be deep.
 */
uint32_t model_node_next(const struct model *model, uint32_t ref, uint32_t *level);
/* The same, but skip the nodes inside `ref`. */
uint32_t model_node_after(const struct model *model, uint32_t ref, uint32_t *level);

/* Iterates over a list of strings. Valid as long as other pointers into the model. */
struct strings_cursor {
	const char *at; /* private */
	uint32_t left;  /* ro: number of items left */
};

static inline struct strings_cursor strings_begin(const struct model *model,
						  const struct strings *strings)
{
	const char *piece = heap_get(model_heap(model), strings->ref);

	return (struct strings_cursor){ strings->nr ? piece + sizeof(uint32_t) : NULL,
					strings->nr };
}

/* Return the next item, not NUL-terminated, or NULL after the last one. */
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
	return text_bytes(model_heap(model), text);
}

/* ---- timings ---- */

/* Limits for timings; -1: no limit. */
struct timing_limits {
	int64_t nesting, depth;
};

uint32_t model_nr_timing_rows(const struct model *model);
const struct timing_cell *model_cell(const struct model *model, uint32_t cell);
/* Deepest nesting in the timings; 0: none. Visits all cells. */
unsigned model_max_nesting(const struct model *model);
/* Sum the cells of row `row` within the limits. Returns false if no cell matches. */
bool model_timing(const struct model *model, uint32_t row, const struct timing_limits *limits,
		  struct timing *out);
/* Add the row's histogram within the limits to `sums`, HIST_BUCKETS counters. */
void model_timing_hist(const struct model *model, uint32_t row, const struct timing_limits *limits,
		       uint64_t *sums);
/* Row of (category, label), or SLOT_NONE. */
uint32_t model_timing_row(const struct model *model, sym_t category, sym_t label);

/* ---- durations of single regions ---- */

/* A completed region. */
struct region_sample {
	struct handle process;
	sym_t category, label; /* SYM_NONE: absent */
	ns_t duration, self;   /* without regions closed directly inside it */
};

/*
 * Samples 0 to model_nr_samples() - 1, in the order of completion. None unless config.samples is
 * set.
 */
uint32_t model_nr_samples(const struct model *model);
const struct region_sample *model_sample(const struct model *model, uint32_t number);

/* ---- commands of evicted processes ---- */

/*
 * Sums over evicted processes of one name and depth. Processes still in the model are not included;
 * add them with analysis/commands.h. So events cost nothing here, and a process that is seen again
 * is counted as it ended.
 */
struct command_cell {
	sym_t name;             /* SYM_NONE: unknown */
	uint16_t depth;         /* capped at MAX_CELL_DEPTH */
	uint64_t count, failed; /* of ended processes */
	uint64_t running;       /* seemed to be running when evicted */
	uint64_t timed;         /* of `count`: with a known duration */
	ns_t total, min, max;   /* of `timed` */
	ns_t last;              /* wall time of the last event of an ended process; NS_NONE */
	struct hist hist;
};

/* Cells 0 to model_nr_commands() - 1. */
uint32_t model_nr_commands(const struct model *model);
const struct command_cell *model_command(const struct model *model, uint32_t index);

/* ---- past durations ---- */

/*
 * Copy the latest durations of completed regions, children or processes to `out`, an array of
 * PAST_MEDIAN_DURATIONS, unsorted. Returns their number. The key is the worktree and hierarchy; for a
 * region also its names, for a child its hook or the first two words of its command.
 */
#define PAST_MEDIAN_DURATIONS 64u
uint32_t model_past_region(const struct model *model, const struct process *process, sym_t category,
			   sym_t label, ns_t *out);
uint32_t model_past_child(const struct model *model, const struct process *process,
			  const struct child *child, ns_t *out);
uint32_t model_past_process(const struct model *model, const struct process *process, ns_t *out);
/* Write the key text of a child to `out`, CHILD_KEY_BYTES with the NUL; truncated if longer. */
#define CHILD_KEY_BYTES 200
void child_key_text(const struct model *model, const struct child *child, char *out);

/* ---- event names ---- */

/* Number of events of a kind, without aliases. */
uint64_t model_event_count(const struct model *model, enum tr2_event_kind kind);
/* Other names (unknown events, aliases): index 0 to model_nr_event_names() - 1. */
uint32_t model_nr_event_names(const struct model *model);
uint64_t model_event_name(const struct model *model, uint32_t index, sym_t *name);

/* State of the child. Lost if its parent ended without a child_exit. */
static inline enum child_state child_state(const struct process *parent, const struct child *child)
{
	bool tells = parent->state == STATE_RUNNING || parent->state == STATE_UNTRACED;

	return child->state == CHILD_RUNNING && !tells ? CHILD_LOST
						       : (enum child_state)child->state;
}

#endif
