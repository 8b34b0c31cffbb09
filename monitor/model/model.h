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
	STATE_UNTRACED, /* the trace of the process has ended; the process may still run */
	NR_STATES
};

/* Names of the states in the report: "running", "exited" and so on. */
extern const char *const process_state_names[NR_STATES];
/* Names of the clocks in the report, by enum event_clock (event.h): "own" and so on. */
extern const char *const process_clock_names[];

/*
 * A process that may have been evicted since; see model_process(). It identifies the same process
 * in every model, including earlier states and sorted journals: the key is the SID's hash, and
 * `slot` is only a hint.
 */
struct handle {
	uint64_t sid_hash;
	uint32_t slot; /* slot of the process when it was found; SLOT_NONE: no process */
};

#define HANDLE_NONE ((struct handle){ 0, SLOT_NONE })

static inline bool handle_equal(struct handle a, struct handle b)
{
	return a.sid_hash == b.sid_hash && (a.slot == SLOT_NONE) == (b.slot == SLOT_NONE);
}

/*
 * A list of strings (argv, ancestry); see strings_begin(). `known` distinguishes an empty list from
 * one that no event had. On the heap: the number of bytes in 32 bits, then the items as in a batch.
 */
struct strings {
	uint32_t ref; /* private: heap reference */
	uint32_t nr : 31;
	bool known : 1;
};

/* An open region. Times are NS_NONE if the enter event had none. */
struct open_region {
	sym_t category, label; /* SYM_NONE: absent */
	struct text msg;
	bool has_msg;
	int64_t nesting;
	ns_t time;     /* wall time of the enter event */
	ns_t arrival;  /* wall time at which the enter event was received */
	ns_t inner_ns; /* time in regions directly inside it that have ended */
	uint32_t node; /* its node in the thread's region tree */
};

/*
 * A node of a thread's region tree: all completed regions of one category, label and nesting with
 * the same path of outer regions.
 */
struct region_node {
	uint32_t cell;    /* index of the timing cell in which its regions are counted */
	uint32_t parent;  /* heap reference of the node around it; 0: it is outermost */
	uint32_t child;   /* first node inside it; 0: none */
	uint32_t sibling; /* next node inside the same node; 0: none */
	uint64_t count;
	ns_t total, self, min, max;
};

struct thread {
	sym_t name; /* name of the thread; SYM_NONE: its events had none */
	bool exited : 1;
	bool announced : 1; /* thread_start was received */
	/* stands for all threads that appeared when the list was full of running ones */
	bool is_crowd : 1;
	uint32_t nr_beyond : 29; /* private: number of open regions that are too deep to be kept */
	ns_t elapsed;            /* duration from thread_exit's t_rel, or NS_NONE */
	uint64_t nr_regions;     /* number of completed regions */
	int64_t max_nesting;
	struct vec open; /* struct open_region, outermost region first */
	uint32_t nodes;  /* first node of its region tree; 0: none */
	uint32_t nr_nodes;
	/* private: struct index of the tree's nodes if it has long lists; or 0 */
	uint32_t node_index;
	/* private: in a full list, the thread that exited after this one */
	uint32_t next_exited;
	ns_t first_time, last_time; /* wall times of its first and last event; NS_NONE: none */
	ns_t first_arrival;
};

/* States of a child. child_state() returns CHILD_LOST if no further events of it can arrive. */
enum child_state { CHILD_RUNNING, CHILD_READY, CHILD_EXITED, CHILD_LOST };

struct child {
	int64_t child_id;        /* NUM_NONE: absent */
	sym_t child_class, hook; /* SYM_NONE: absent */
	struct strings argv;
	struct text cd;
	bool has_cd;
	int8_t use_shell;  /* 1: run by a shell; -1: unknown */
	uint8_t state;     /* enum child_state according to its own events; see child_state() */
	int64_t pid, code; /* NUM_NONE: unknown */
	ns_t elapsed;      /* duration from child_exit's t_rel */
	sym_t ready;
	ns_t ready_elapsed;
	bool has_ready;
	ns_t start, end; /* wall time of child_start and child_exit */
	ns_t start_arrival;
	/* Positions of its events on the time axis of its process (struct axis). NS_NONE: not on
	 * the axis, or not reported. */
	ns_t begin_at, ready_at, exit_at;
	ns_t offset; /* wall time of position 0 of the axis when the child began */
	/* index of the ledger entry of the region in which it began; LEDGER_NONE */
	uint32_t inside;
	/* number of the child that exited last before this one started; INDEX_NONE */
	uint32_t released;
	/* The next members are set by model_settle(). */
	uint32_t process;      /* slot of the process with its pid, or SLOT_NONE */
	uint32_t any_process;  /* slot of any process linked to it, or SLOT_NONE */
	uint32_t nr_processes; /* number of processes linked to it */
	bool forgotten;        /* a process linked to this child was evicted */
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
	sym_t category, name, thread; /* thread SYM_NONE: total of the process */
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
	int64_t code; /* errno of exec_result; NUM_NONE: the exec did not fail */
};

enum process_end { END_NONE, END_EXIT, END_SIGNAL };

#define LEDGER_NONE UINT32_MAX

/*
 * A region event of the first thread, in the list called the ledger. From `at` to the next entry
 * one region is innermost. If `cell` is LEDGER_NONE, the event left a region, and entry `outer`
 * entered the region that is innermost now. Otherwise the event entered a region of timing cell
 * `cell`, and entry `outer` entered the region around it. LEDGER_NONE for `outer`: none.
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
	/* wall time of position 0 according to the current clock; NS_NONE: no time seen */
	ns_t offset;
	ns_t bound;   /* private: position of the last event with t_abs */
	sym_t thread; /* name of the process's first thread */
	bool settled; /* private: `known` and not `starting`, so that the fast path applies */
	/* private: position 0 comes from an event with both a time and a t_abs */
	bool known;
	bool starting : 1; /* the last event was `version` */
	bool begun : 1;    /* the first thread is known */
	bool anchored : 1; /* private: an event with t_abs was seen */
	/* the wall clock was set during the run: the clocks differ by more than scheduling
	 * explains */
	bool stepped : 1;
	bool guessed : 1;   /* regions or children had no time, so their positions are guesses */
	uint8_t nr_atexit;  /* private: number of atexit events, up to 2 */
	uint32_t innermost; /* ledger entry of the innermost open region; LEDGER_NONE: none */
	struct vec ledger;  /* struct ledger_entry: the region events of the first thread */
	uint32_t room;      /* private: number of entries that are allocated or allowed */
	/* private: number of the child that exited last; compare `released` of struct child */
	uint32_t last_exit;
	uint32_t nr_open;   /* private: open regions that are in the ledger */
	uint32_t nr_beyond; /* private: open regions that are too deep for the ledger */
	ns_t origin;        /* wall time of position 0; NS_NONE: unknown */
	/* position of the end of the process's startup; NS_NONE: no version event */
	ns_t init;
	ns_t end;          /* position of the process's end, if reported; NS_NONE */
	ns_t first_atexit; /* private: position of the first atexit event */
};

struct process {
	/* The members up to the next comment are used for every event: two cache lines. */
	uint64_t sid_hash;
	uint32_t gen;         /* generation of the slot; odd while in use */
	uint32_t last_thread; /* private: index of the thread of the last event */
	uint8_t state;        /* enum process_state */
	/* enum process_end: what reported the end last: exit, atexit or signal */
	uint8_t end_by;
	bool last_is_exec : 1; /* the process's last event was `exec` */
	bool gone : 1;         /* its pid does not exist any more */
	bool cut_off : 1;      /* the connection that sent its last event was closed */
	/* its parent reported child_exit for its pid without an end event of its own */
	bool lost_by_parent : 1;
	bool live : 1; /* it sent events after trace2top started to follow */
	/* its pid was seen alive, so a missing pid means that the process ended */
	bool pid_seen : 1;
	bool dirty : 1; /* private: queued for model_settle() */
	/* private: the children it started must be linked to processes again */
	bool family_dirty : 1;
	bool counted_failed : 1; /* private: the timings count it as failed */
	bool untraced : 1;       /* its trace has ended */
	/* its trace comes in pieces; its state is known up to the last event only */
	bool in_pieces : 1;
	bool is_orphan : 1;   /* private: its parent process has not been seen */
	bool parent_seen : 1; /* its parent is in the trace, even if it was evicted */
	bool has_parent : 1;  /* `parent_sid` is valid */
	/* private: the parent comes from a record, not from the text of the SID */
	bool parent_given : 1;
	uint32_t stream; /* private: number of the stream that had its last event */
	ns_t start, end; /* wall times of its first and last event; NS_NONE */
	ns_t first_arrival, last_arrival; /* wall times at which its first and last event arrived */
	struct vec threads;               /* struct thread */
	uint32_t lru_prev, lru_next;      /* private: list of processes by last event */
	uint32_t nr_open;                 /* open regions of all threads */
	uint64_t nr_events;
	uint64_t nr_regions; /* completed regions of all threads */
	int64_t pid;         /* NUM_NONE: unknown */
	int64_t uid;         /* user whose connection sent its first event; NUM_NONE: unknown */
	uint32_t parent;     /* slot of the parent process; SLOT_NONE: not seen */
	uint32_t depth;      /* number of ancestors in the SID */
	struct axis axis;
	uint64_t usual; /* private: hash of worktree and hierarchy, for its past durations */
	/* The members from here on are used by few events. */
	ns_t t_abs_end;      /* t_abs of its last exit, atexit or signal event; NS_NONE */
	int64_t code, signo; /* NUM_NONE: not reported */
	struct text sid;
	struct text parent_sid; /* valid if has_parent: a prefix of `sid`, or the SID in a record */
	uint32_t first_child, next_sibling; /* slots; newest process first */
	uint32_t prev_sibling;
	char host[12];     /* "": unknown */
	sym_t agent;       /* agent that sent its first event; SYM_NONE: none */
	sym_t format;      /* input format of its trace; SYM_NONE: EVENT */
	sym_t main_thread; /* name of its main thread; SYM_NONE: unknown */
	uint8_t clock;     /* enum event_clock */
	/* the reader guessed which records belong to the process */
	bool guessed;
	sym_t name, hierarchy, path, exe, evt; /* SYM_NONE: not reported */
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
	/* private: heap reference of a struct long_lists; 0: no list is long */
	uint32_t long_lists;
	/* index of the process in its parent's list of children, or SLOT_NONE; set by
	 * model_settle() */
	uint32_t link;
	uint32_t nr_errors;              /* errors so far, including evicted ones */
	uint32_t nr_undated_errors_gone; /* private: evicted from `errors`, without a time */
	/* region_leave events for which no matching region was open */
	uint32_t nr_unbalanced;
	/* private: list of processes whose last event was on the same stream */
	uint32_t stream_prev, stream_next;
	uint32_t orphan_prev,
		orphan_next; /* private: list of processes with the same missing parent */
	/*
	 * Milliseconds by which the process's clock is behind the arrival clock, at most 24 days;
	 * 0: unknown.
	 */
	int32_t skew_ms;
};

/* Sums over all regions of one (category, label, nesting, depth): a cell of the timings. */
struct timing_cell {
	sym_t category, label;
	/* nesting and depth, capped at MAX_CELL_NESTING and MAX_CELL_DEPTH */
	uint16_t nesting, depth;
	uint32_t row;  /* index of its row: (category, label) */
	uint32_t next; /* next cell of the same row; SLOT_NONE */
	/* private: index of the past durations of the last region counted here */
	uint32_t usual;
	uint64_t count, failed;
	ns_t total, self, min, max;
	struct hist hist;
};

struct timing_row {
	sym_t category, label;
	uint32_t first_cell;
};

/* A row of the timings (a category and label): sums over its cells within limits of nesting and
 * depth, as panes and the report show it. */
struct timing {
	sym_t category, label; /* SYM_NONE: absent */
	uint64_t count, failed;
	ns_t total, self, min, max;
};

struct model_totals {
	/* number of Trace2 events, including unknown ones */
	uint64_t events;
	uint64_t processes; /* processes seen so far */
	/* processes per state, including evicted ones */
	uint64_t by_state[NR_STATES];
	/* processes that exited with a code other than 0 */
	uint64_t failed;
	uint64_t threads, regions, children, errors; /* numbers so far, including evicted ones */
	uint64_t open_regions;                       /* open regions of running processes */
};

/* Counters of data that was evicted, truncated or late. trace2top shows each of them. */
struct model_dropped {
	uint64_t finished;      /* processes evicted after they had ended */
	uint64_t silent;        /* processes evicted while they seemed to be running */
	uint64_t for_memory;    /* of `finished` and `silent`: evicted because of max_bytes */
	uint64_t late_events;   /* events of processes that were evicted before */
	uint64_t list_items;    /* items evicted from a full list */
	uint64_t timing_other;  /* regions counted under "(other)" */
	uint64_t command_other; /* processes whose command was counted under "(other)" */
	uint64_t names_other;   /* events counted under "(other)" */
	uint64_t samples;       /* durations of regions that were not kept individually */
	uint64_t ledger;        /* intervals of first threads that were merged with a neighbour */
	/* regions, children and commands whose past durations were evicted */
	uint64_t usual;
	uint64_t journal_events; /* events that the journal dropped before they were applied */
	uint64_t remote_events;  /* events of agents that did not arrive */
	uint64_t ring_events;    /* events that were overwritten in a ring before they were read */
	uint64_t gaps;           /* periods in which nothing could be received */
	ns_t gap_ns;
};

/* Durations of one region, child or process in earlier runs; see model_past_region(). */
struct past_durations {
	sym_t worktree, hierarchy; /* SYM_NONE: absent */
	/* for a region: its category and label; for a child: child_key_text() as label; for a
	 * process: neither */
	sym_t category, label;
	bool is_child;
	const ns_t *durations; /* the durations; the newest is last */
	uint32_t nr;
};

struct model_config {
	int64_t nesting;        /* ignore regions and data of a greater nesting; -1: no limit */
	uint32_t max_processes; /* 0: unbounded */
	/* limit of the heap size; 0: MAX_MODEL_BYTES if max_processes is set. See
	 * lookback_model_bytes(). */
	size_t max_bytes;
	bool samples; /* keep the duration of each region, see model_sample() */
	/*
	 * Keep neither the time axis (struct axis) nor past durations, because analysis/ and
	 * model_usual_*() are not used.
	 */
	bool no_why;
	/* earlier durations, the newest last; borrowed during model_new() */
	const struct past_durations *past;
	uint32_t nr_past;
	ns_t since; /* ignore earlier events; 0, NS_NONE: none */
	/*
	 * Callback: true if the timings count the regions of the process with this SID; NULL: they
	 * count all. Used for a second pass under a filter.
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
/* Apply the records `from` to `to` - 1 of the batch. */
void model_apply_range(struct model *model, const struct batch *batch, uint32_t from, uint32_t to);

/*
 * Update derived data: links between children and processes, the state `lost` from a parent's
 * child_exit, and `failed` of timings. The cost depends on the changes since the last call. Call it
 * before a frame or report. The result does not depend on how often it is called.
 */
void model_settle(struct model *model);

/*
 * Incremented by every change. The bits from MODEL_VERSION_BITS on are unique among all models and
 * copies.
 */
#define MODEL_VERSION_BITS 40
uint64_t model_version(const struct model *model);
/* Return the deepest nesting of any region or data; 0: none. */
int64_t model_deepest(const struct model *model);

/* True if events came from more than one agent, or some from an agent and some not. */
bool model_has_agents(const struct model *model);
/* Return the wall time of the last event that had one, or NS_NONE. */
ns_t model_last_time(const struct model *model);
const struct model_totals *model_totals(const struct model *model);
const struct model_dropped *model_dropped(const struct model *model);
const struct tr2_intern *model_syms(const struct model *model);
const struct heap *model_heap(const struct model *model);
/* Return the memory that the model holds, in bytes. */
size_t model_bytes(const struct model *model);
/* Return the number of processes in the model. */
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
/* Iterate over all slots in use: start with model_first_slot(), then call model_next_slot()
 * until SLOT_NONE. */
uint32_t model_first_slot(const struct model *model);
uint32_t model_next_slot(const struct model *model, uint32_t slot);
/*
 * Return the first of the processes without a known parent, newest first, or SLOT_NONE. The others
 * follow by model_next_sibling() until SLOT_NONE, as the children of a process do from its
 * first_child on.
 */
uint32_t model_first_root(const struct model *model);
uint32_t model_next_sibling(const struct model *model, uint32_t slot);
/*
 * Iterate over the tree of `root`, parents before children: begin with `root` itself, then call
 * this until SLOT_NONE. `slot` is the last one returned. `*level` (may be NULL) is its level below
 * `root`: set it to 0 before the first call. Needs no memory, however deep the tree is.
 */
uint32_t model_tree_next(const struct model *model, uint32_t root, uint32_t slot, uint32_t *level);
/* Return the slot of the process with a SID, or SLOT_NONE. */
uint32_t model_find_sid(const struct model *model, const char *sid, size_t len);

/* True if the process exited with a code other than 0. */
static inline bool process_failed(const struct process *process)
{
	return process->state == STATE_EXITED && process->code != NUM_NONE && process->code != 0;
}

/* Return the elapsed time of a process, as trace2top-formats(5) defines it; NS_NONE if unknown. */
ns_t process_elapsed(const struct process *process);

/* Return the text of a symbol. */
static inline const char *model_sym(const struct model *model, sym_t sym, size_t *len)
{
	return tr2_intern_text(model_syms(model), sym, len);
}

/* True if the symbol is present and its text is `word`. */
static inline bool model_sym_is(const struct model *model, sym_t sym, const char *word)
{
	return tr2_intern_is(model_syms(model), sym, word);
}

/* True if threads of the process were evicted from its full list, or never entered it. */
bool process_threads_gone(const struct model *model, const struct process *process);
/* True if the first thread of the process exited and was evicted from its full list. */
bool process_first_thread_gone(const struct model *model, const struct process *process);

/* Return item `index` of a list of a process. */
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
/* Return the number of children that were evicted from a process's full list. */
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
/* Like model_node_next(), but skip the nodes inside `ref`. */
uint32_t model_node_after(const struct model *model, uint32_t ref, uint32_t *level);

/* Iterates over a list of strings. Valid as long as other pointers into the model. */
struct strings_cursor {
	const char *at; /* private: the rest of the list */
	uint32_t left;  /* ro: number of items after the current one */
};

static inline struct strings_cursor strings_begin(const struct model *model,
						  const struct strings *strings)
{
	const char *piece = heap_get(model_heap(model), strings->ref);

	return (struct strings_cursor){ strings->nr ? piece + sizeof(uint32_t) : NULL,
					strings->nr };
}

/* Return the next string of a list, not NUL-terminated, or NULL after the last one. */
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

/* ---- timings: sums per region name ---- */

/* Limits on the regions that timings include; -1: no limit. */
struct timing_limits {
	int64_t nesting, depth;
};

uint32_t model_nr_timing_rows(const struct model *model);
const struct timing_cell *model_cell(const struct model *model, uint32_t cell);
/* Return the deepest nesting in the timings; 0: none. Visits all cells. */
unsigned model_max_nesting(const struct model *model);
/* Add up the cells of row `row` within the limits. Returns false if no cell is within them. */
bool model_timing(const struct model *model, uint32_t row, const struct timing_limits *limits,
		  struct timing *out);
/* Add the histogram of a row within the limits to `sums`, HIST_BUCKETS counters. */
void model_timing_hist(const struct model *model, uint32_t row, const struct timing_limits *limits,
		       uint64_t *sums);
/* Return the row of a category and label, or SLOT_NONE. */
uint32_t model_timing_row(const struct model *model, sym_t category, sym_t label);

/* ---- durations of individual regions ---- */

/* The duration of one completed region. */
struct region_sample {
	struct handle process;
	sym_t category, label; /* SYM_NONE: absent */
	ns_t duration, self;   /* `self` is the duration without regions directly inside it */
	ns_t time;             /* wall time of its end; NS_NONE */
};

/*
 * Return individual durations: numbers 0 to model_nr_samples() - 1, in the order in which the
 * regions ended. There are none unless config.samples is set.
 */
uint32_t model_nr_samples(const struct model *model);
const struct region_sample *model_sample(const struct model *model, uint32_t number);

/* ---- commands of evicted processes ---- */

/*
 * Sums over the evicted processes of one name and depth. Processes that are still in the model are
 * not included; analysis/commands.h adds them. So events cost nothing here, and a process that is
 * seen again after it seemed to have ended is counted as it ended finally.
 */
struct command_cell {
	sym_t name;             /* SYM_NONE: unknown */
	uint16_t depth;         /* depth, capped at MAX_CELL_DEPTH */
	uint64_t count, failed; /* numbers of processes that ended, and that failed */
	uint64_t running;       /* processes that seemed to be running when they were evicted */
	uint64_t timed;         /* of `count`: processes with a known duration */
	ns_t total, min, max;   /* durations of the processes in `timed` */
	/* wall time of the last event of a process that has ended; NS_NONE */
	ns_t last;
	struct hist hist;
};

/* Return the sums: numbers 0 to model_nr_commands() - 1. */
uint32_t model_nr_commands(const struct model *model);
const struct command_cell *model_command(const struct model *model, uint32_t index);

/* ---- past durations of the same region, child or command ---- */

/*
 * Copy the latest durations of similar regions, children or processes to `out`, an array of
 * PAST_MEDIAN_DURATIONS, unsorted. Returns their number. Similar means the same worktree and
 * hierarchy; for a region also the same category and label, for a child the same hook or first two
 * words of its command.
 */
#define PAST_MEDIAN_DURATIONS 64u
uint32_t model_past_region(const struct model *model, const struct process *process, sym_t category,
			   sym_t label, ns_t *out);
uint32_t model_past_child(const struct model *model, const struct process *process,
			  const struct child *child, ns_t *out);
uint32_t model_past_process(const struct model *model, const struct process *process, ns_t *out);
/* Write a text that identifies similar children (hook or command) to `out`, CHILD_KEY_BYTES with
 * the NUL; truncated if longer. */
#define CHILD_KEY_BYTES 200
void child_key_text(const struct model *model, const struct child *child, char *out);

/* ---- names of events ---- */

/* Return the number of events of a kind, without those that had another spelling of its name. */
uint64_t model_event_count(const struct model *model, enum tr2_event_kind kind);
/* Return the numbers of events of other names (unknown events, other spellings): index 0 to
 * model_nr_event_names() - 1. */
uint32_t model_nr_event_names(const struct model *model);
uint64_t model_event_name(const struct model *model, uint32_t index, sym_t *name);

/* Return the state of a child. It is lost if its parent ended without reporting child_exit. */
static inline enum child_state child_state(const struct process *parent, const struct child *child)
{
	bool tells = parent->state == STATE_RUNNING || parent->state == STATE_UNTRACED;

	return child->state == CHILD_RUNNING && !tells ? CHILD_LOST
						       : (enum child_state)child->state;
}

#endif
