/* SPDX-License-Identifier: MIT */
/*
 * The model: processes, threads, regions, children and timings, as the records of the journal up to
 * some position describe them. It depends only on those records and on its configuration.
 * trace2top-formats(5) has the rules.
 *
 * Items refer to each other by index (of a process: its slot) and by reference into one heap
 * (heap.h), so copying the arrays and the heap copies the model. Only model*.c changes items.
 * Pointers into the model are valid until the next call of a function whose model is not const; to
 * remember a process longer, keep a handle.
 *
 * One thread at a time.
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

/* Names of the process states, such as "running". */
extern const char *const process_state_names[NR_STATES];
/* Names of the clocks of events in the report, such as "own", by enum event_clock. */
extern const char *const process_clock_names[];

/* Identifies a process in any model, even after its eviction; see model_process(). The hash of its
 * SID decides; `slot` makes lookups faster. */
struct handle {
	uint64_t sid_hash;
	uint32_t slot; /* probable slot of the process; SLOT_NONE: no process */
};

#define HANDLE_NONE ((struct handle){ 0, SLOT_NONE })

static inline bool handle_equal(struct handle a, struct handle b)
{
	return a.sid_hash == b.sid_hash && (a.slot == SLOT_NONE) == (b.slot == SLOT_NONE);
}

/*
 * A list of strings, such as a command line; see strings_begin(). `known`: an event had the list,
 * which may be empty. On the heap: the number of bytes in 32 bits, then the strings as in a batch.
 */
struct strings {
	uint32_t ref; /* private: heap reference */
	uint32_t nr : 31;
	bool known : 1;
};

struct open_region {
	sym_t category, label; /* SYM_NONE: absent */
	struct text msg;
	bool has_msg;
	int64_t nesting;
	ns_t time;     /* wall time of the region_enter event; NS_NONE: none */
	ns_t arrival;  /* wall time at which region_enter was received */
	ns_t inner_ns; /* sum of the times of completed regions directly inside this region */
	/* heap reference of the region's node in the region tree; 0: none */
	uint32_t node;
};

/* A node of a thread's region tree: sums over completed regions of one timing cell inside the same
 * outer regions. */
struct region_node {
	uint32_t cell; /* index of the timing cell of the node */
	/* heap reference of the outer region's node; 0: none */
	uint32_t parent;
	uint32_t child;   /* heap reference of the first inner node; 0: none */
	uint32_t sibling; /* heap reference of the next node inside the same outer node; 0: none */
	uint64_t count;
	ns_t total, self, min, max;
};

struct thread {
	sym_t name; /* SYM_NONE: none */
	bool exited : 1;
	bool announced : 1; /* thread_start was received */
	/* this item stands for all threads that began when the list was full of running threads */
	bool is_crowd : 1;
	/* private: number of open regions that do not fit into `open` */
	uint32_t nr_beyond : 29;
	/* t_rel of thread_exit; NS_NONE: unknown */
	ns_t elapsed;
	uint64_t nr_regions; /* number of the thread's completed regions */
	int64_t max_nesting;
	struct vec open; /* the thread's open regions as struct open_region, the outermost first */
	uint32_t nodes;  /* heap reference of the first node of the thread's region tree; 0: none */
	uint32_t nr_nodes;
	/* private: heap reference of an index of the thread's nodes; 0: none */
	uint32_t node_index;
	/* private: index of the process's next exited thread (struct long_lists) */
	uint32_t next_exited;
	/* wall times of the thread's first and last event that had one; NS_NONE: none had */
	ns_t first_time, last_time;
	ns_t first_arrival;
};

/* States of a child. The member `state` is never CHILD_LOST; see child_state(). */
enum child_state { CHILD_RUNNING, CHILD_READY, CHILD_EXITED, CHILD_LOST };

struct child {
	int64_t child_id;        /* NUM_NONE: absent */
	sym_t child_class, hook; /* SYM_NONE: absent */
	struct strings argv;
	struct text cd;
	bool has_cd;
	int8_t use_shell; /* 1: a shell runs the child; 0: no shell; -1: unknown */
	/* enum child_state; see child_state() */
	uint8_t state;
	int64_t pid, code; /* NUM_NONE: unknown */
	ns_t elapsed;      /* t_rel of child_exit */
	sym_t ready;
	ns_t ready_elapsed;
	bool has_ready;
	ns_t start, end; /* wall times of child_start and child_exit */
	ns_t start_arrival;
	/* Positions of child_start, child_ready and child_exit on the time axis of the process;
	 * NS_NONE: none. */
	ns_t begin_at, ready_at, exit_at;
	/* wall time of position 0 of the axis by the wall clock as set when the child began */
	ns_t offset;
	/* index in `ledger` of the region in which the child began, or whose interval replaced that
	 * one; LEDGER_NONE: none */
	uint32_t inside;
	/* number, counting evicted ones, of the child on the axis that exited last before this
	 * child began, with no entry of `ledger` between; INDEX_NONE: none */
	uint32_t released;
	/* model_settle() sets the next three members. */
	uint32_t process;     /* slot of a linked process with the child's pid; SLOT_NONE: none */
	uint32_t any_process; /* slot of a process linked to this child; SLOT_NONE: none */
	uint32_t nr_processes;
	bool forgotten; /* a process linked to this child was evicted */
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
	sym_t category, name, thread; /* `thread` is SYM_NONE for the total of the process */
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
	int64_t code; /* code in the exec_result event; NUM_NONE: none */
};

enum process_end { END_NONE, END_EXIT, END_SIGNAL };

#define LEDGER_NONE UINT32_MAX

/*
 * A region event of the process's first thread, or a substitute for merged ones, in the list
 * `ledger`. It entered a region of timing cell `cell`; `outer` is the index of the entry that
 * entered the region around it. If `cell` is LEDGER_NONE, the event left a region; `outer` is then
 * the index of the entry that entered the region that is innermost afterwards. `outer` is
 * LEDGER_NONE if there is no such region.
 */
struct ledger_entry {
	ns_t at;
	uint32_t cell, outer;
};

/*
 * The time axis of a process. Positions are ns since t_abs = 0 of its own clock. A position is a
 * t_abs, a t_rel plus the position of a start event, a wall time minus `offset`, or the last
 * position. In the order of events, positions do not decrease.
 */
struct axis {
	ns_t last;
	/* wall time of position 0 by the wall clock as it is set now; NS_NONE: unknown */
	ns_t offset;
	ns_t bound;   /* private: last position that is from a t_abs */
	sym_t thread; /* name of the first thread of the process */
	/* private: `known`, but not `starting`: the fast path is allowed */
	bool settled;
	/* private: position 0 is from an event with a wall time and a t_abs */
	bool known;
	/* a version event came before any entry of `ledger` or child, and no event on the axis
	 * since */
	bool starting : 1;
	bool begun : 1;    /* `thread` is known, or model_config.no_why is set */
	bool anchored : 1; /* private: a position is from a t_abs */
	/* the wall clock was probably set while the process ran */
	bool stepped : 1;
	/* events of regions or children had no wall time, so positions may be guesses */
	bool guessed : 1;
	uint8_t nr_atexit;  /* number of atexit events, counted up to 2 */
	uint32_t innermost; /* index in `ledger` of the innermost open region; LEDGER_NONE: none */
	struct vec ledger;  /* region events of the first thread, as struct ledger_entry */
	/* private: number of entries in `ledger` before it needs ledger_room() */
	uint32_t room;
	/* private: number of the child on the axis that exited last; INDEX_NONE: none since the
	 * last entry of `ledger` */
	uint32_t last_exit;
	uint32_t nr_open; /* private: number of open regions in `ledger` */
	/* private: number of open regions that do not fit into `ledger` */
	uint32_t nr_beyond;
	/* wall time of position 0 by the wall clock as it was set first; NS_NONE: unknown */
	ns_t origin;
	/* position of the end of the startup; NS_NONE: unknown */
	ns_t init;
	ns_t end;          /* position of the end of the process; NS_NONE: unknown */
	ns_t first_atexit; /* private: position of the process's first atexit event */
};

struct process {
	uint64_t sid_hash;
	/* generation of the slot, incremented when it is taken and freed; odd: in use */
	uint32_t gen;
	uint32_t last_thread; /* private: index of the thread that sent the process's last event */
	uint8_t state;        /* enum process_state */
	/* enum process_end, by the last exit, atexit or signal event or a kill that trace2top
	 * saw */
	uint8_t end_by;
	bool last_is_exec : 1; /* the process's last event was `exec` */
	bool gone : 1;         /* the process's pid is gone */
	/* the stream of the process's last event or ABOUT record has ended */
	bool cut_off : 1;
	/* the parent reported child_exit for a child with the process's pid */
	bool lost_by_parent : 1;
	/* data of the process arrived after trace2top started to follow its source */
	bool live : 1;
	/* the pid was seen running, so its absence means that the process ended */
	bool pid_seen : 1;
	bool dirty : 1; /* private: the process is in the queue of model_settle() */
	/* private: the process's children must be linked to processes again */
	bool family_dirty : 1;
	/* private: the process's regions are counted as `failed` in the timings */
	bool counted_failed : 1;
	/* an ABOUT record on the process's last stream reported that the process's trace has
	 * ended */
	bool untraced : 1;
	/* the program writes its trace in pieces (ABOUT_IN_PIECES) */
	bool in_pieces : 1;
	/* private: the process is in the table of orphans (model_sid.c) */
	bool is_orphan : 1;
	/* the parent process was in the trace; it may have been evicted */
	bool parent_seen : 1;
	bool has_parent : 1; /* `parent_sid` is valid */
	/* private: the parent's SID comes from an ABOUT record */
	bool parent_given : 1;
	/* private: number of the stream of the process's last event or ABOUT record; SLOT_NONE:
	 * none, ended, or not tracked */
	uint32_t stream;
	/* wall times of the process's first and last event that had one; NS_NONE: none had. `end`
	 * may also be the time of a kill that trace2top saw */
	ns_t start, end;
	/* wall times at which the process's first and last event or ABOUT record were received */
	ns_t first_arrival, last_arrival;
	struct vec threads; /* struct thread */
	/* private: neighbours in a list of processes in order of eviction */
	uint32_t lru_prev, lru_next;
	uint32_t nr_open; /* number of open regions in the lists `open` of the threads */
	uint64_t nr_events;
	uint64_t nr_regions; /* number of the process's completed regions */
	int64_t pid;         /* NUM_NONE: unknown */
	/* user id of the writer of the stream of the process's first event or ABOUT record;
	 * NUM_NONE: unknown */
	int64_t uid;
	/* slot of the parent process; SLOT_NONE: none */
	uint32_t parent;
	uint32_t depth; /* number of ancestors, by the process's SID or an ABOUT record */
	struct axis axis;
	uint64_t usual; /* private: key of worktree and hierarchy, for past durations */
	/* t_abs of the last exit, atexit or signal event, or the duration until a kill that
	 * trace2top saw; NS_NONE: unknown */
	ns_t t_abs_end;
	int64_t code, signo; /* NUM_NONE: none */
	struct text sid;
	/* SID of the parent, if has_parent: a prefix of `sid`, or from an ABOUT record */
	struct text parent_sid;
	/* slots of the first child process and of the next sibling; see model_first_root() */
	uint32_t first_child, next_sibling;
	uint32_t prev_sibling;
	char host[12]; /* "": unknown */
	/* agent that sent the process's first event or ABOUT record; SYM_NONE: none */
	sym_t agent;
	sym_t format;      /* input format of the trace; SYM_NONE: EVENT */
	sym_t main_thread; /* name of the main thread; SYM_NONE: unknown */
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
	/* private: heap reference of a struct long_lists; 0: none */
	uint32_t long_lists;
	/* index in the parent's `children` of the child linked to this process, set by
	 * model_settle(); SLOT_NONE: none */
	uint32_t link;
	/* number of the process's errors, including those evicted from `errors` */
	uint32_t nr_errors;
	/* private: number of errors without a time evicted from `errors` */
	uint32_t nr_undated_errors_gone;
	/* number of region_leave events that did not match the last region in `open`, except for
	 * regions that are not kept there */
	uint32_t nr_unbalanced;
	/* private: neighbours in the list of processes with the same stream */
	uint32_t stream_prev, stream_next;
	/* private: neighbours in the list of processes with the same missing parent */
	uint32_t orphan_prev, orphan_next;
	/* ms by which the clock of the process's host is behind the clock of arrival times; 0 if
	 * unknown */
	int32_t skew_ms;
};

/* A cell of the timings: sums over completed regions with the same category, label, nesting and
 * depth of their process. */
struct timing_cell {
	sym_t category, label;
	/* nesting and depth, limited to MAX_CELL_NESTING and MAX_CELL_DEPTH */
	uint16_t nesting, depth;
	uint32_t row;  /* index of the cell's row */
	uint32_t next; /* index of the next cell of the row; SLOT_NONE: none */
	/* private: index of the past durations of the last region of this cell */
	uint32_t usual;
	uint64_t count, failed;
	ns_t total, self, min, max;
	struct hist hist;
};

struct timing_row {
	sym_t category, label;
	uint32_t first_cell;
};

/* A row of the timings as shown: sums over cells of one category and label within limits of nesting
 * and depth. */
struct timing {
	sym_t category, label; /* SYM_NONE: absent */
	uint64_t count, failed;
	ns_t total, self, min, max;
};

struct model_totals {
	/* number of Trace2 events since config.since, including unknown ones */
	uint64_t events;
	uint64_t processes; /* including evicted ones */
	/* number of processes per state, including evicted ones */
	uint64_t by_state[NR_STATES];
	/* number of processes that exited with a code other than 0 */
	uint64_t failed;
	/* numbers of threads, completed regions, children and errors, including evicted ones */
	uint64_t threads, regions, children, errors;
};

/* What was evicted, merged, late, lost or counted under "(other)". */
struct model_dropped {
	uint64_t finished; /* number of evicted processes that did not seem to run */
	uint64_t silent;   /* number of evicted processes that seemed to run */
	/* number of processes evicted because of max_bytes */
	uint64_t for_memory;
	uint64_t late_events; /* number of events that arrived after their process was evicted */
	/* number of items evicted from full lists, or that did not fit into lists or region
	 * trees */
	uint64_t list_items;
	uint64_t timing_other;  /* number of regions counted under "(other)" */
	uint64_t command_other; /* number of processes counted under "(other)" */
	/* number of events counted under "(other)" */
	uint64_t names_other;
	uint64_t samples; /* number of evicted durations of single regions */
	/* number of intervals between region events that were merged into a neighbour */
	uint64_t ledger;
	/* number of regions, children and commands whose past durations were evicted */
	uint64_t usual;
	/* number of events that the journal dropped, or that a recording lacks */
	uint64_t journal_events;
	uint64_t remote_events; /* number of events dropped by agents or lost in transit */
	/* number of events lost in ring files */
	uint64_t ring_events;
	uint64_t gaps; /* number of periods in which nothing could be received */
	ns_t gap_ns;
};

/* Durations of one region, child or command in earlier runs, from a baseline; see
 * model_past_region(). */
struct past_durations {
	sym_t worktree, hierarchy; /* SYM_NONE: absent */
	/* region: its category and label; child: child_key_text() in `label`; command: both
	 * SYM_NONE */
	sym_t category, label;
	bool is_child;
	const ns_t *durations; /* array of `nr` durations, the newest last */
	uint32_t nr;
};

struct model_config {
	/* of regions and data with a greater nesting only the events are counted; negative: no
	 * limit */
	int64_t nesting;
	uint32_t max_processes; /* 0: unbounded */
	/* limit on the bytes of the heap; 0: MAX_MODEL_BYTES if max_processes is set, else no
	 * limit */
	size_t max_bytes;
	bool samples; /* keep the duration of each region, see model_sample() */
	/* keep neither time axes (struct axis) nor past durations */
	bool no_why;
	/* array of `nr_past` items; borrowed during model_new() */
	const struct past_durations *past;
	uint32_t nr_past;
	/* wall time; earlier events only describe processes; 0 or NS_NONE: none */
	ns_t since;
	/* Callback: true if the regions of the process with this SID count in the timings. NULL:
	 * all count. */
	bool (*admit)(const void *data, const char *sid, size_t len);
	const void *admit_data;
};

struct model;

/* Create an empty model. `syms` is the table of the symbols in batches and must outlive the
 * model. */
struct model *model_new(const struct tr2_intern *syms, const struct model_config *config);
void model_free(struct model *model);
struct model *model_copy(const struct model *model);

/* Apply a batch, which must be the next one in the journal. */
void model_apply(struct model *model, const struct batch *batch);
/* Apply the records `from` to `to` - 1 of a batch. */
void model_apply_range(struct model *model, const struct batch *batch, uint32_t from, uint32_t to);

/* Update data derived from several processes, such as links between children and processes. Call it
 * before the model is shown or reported. The result does not depend on how often it is called. */
void model_settle(struct model *model);

/* Return the version of the model, which increases when records are applied or the state of a
 * process changes. No other model has the same bits from bit MODEL_VERSION_BITS on. */
#define MODEL_VERSION_BITS 40
uint64_t model_version(const struct model *model);
/* Return the deepest nesting of a region or data so far, within config.nesting, or 0. */
int64_t model_deepest(const struct model *model);

/* True if processes came from several agents, or only some from an agent. */
bool model_has_agents(const struct model *model);
/* Return the wall time of the last event that had one, or of a later kill that trace2top saw;
 * NS_NONE: unknown. */
ns_t model_last_time(const struct model *model);
const struct model_totals *model_totals(const struct model *model);
const struct model_dropped *model_dropped(const struct model *model);
const struct tr2_intern *model_syms(const struct model *model);
const struct heap *model_heap(const struct model *model);
/* Return the bytes that the model uses. */
size_t model_bytes(const struct model *model);
/* Return the number of processes, without evicted ones. */
uint32_t model_nr_processes(const struct model *model);

/* Return the process that a handle identifies; NULL: the model does not have it. */
const struct process *model_process(const struct model *model, struct handle handle);
/* Return the handle with the slot of its process in this model, or with an invalid slot. */
struct handle model_handle_here(const struct model *model, struct handle handle);
/* Return the process in `slot`, which must be in use. */
const struct process *model_slot(const struct model *model, uint32_t slot);
static inline struct handle process_handle(const struct process *process, uint32_t slot)
{
	return (struct handle){ process->sid_hash, slot };
}
struct handle model_handle(const struct model *model, uint32_t slot);
/* Iterate over the slots of processes: start with model_first_slot(), then call model_next_slot()
 * until it returns SLOT_NONE. */
uint32_t model_first_slot(const struct model *model);
uint32_t model_next_slot(const struct model *model, uint32_t slot);
/*
 * Return the slot of the first process without a parent in the model, or SLOT_NONE.
 * model_next_sibling() returns the next one, or SLOT_NONE; it also returns the next child, starting
 * with `first_child` of a process. Newer processes mostly come first.
 */
uint32_t model_first_root(const struct model *model);
uint32_t model_next_sibling(const struct model *model, uint32_t slot);
/*
 * Iterate over the process `root` and its descendants, parents before children: pass `root` as
 * `slot` first, then each returned slot, until SLOT_NONE. `*level` (may be NULL) is the number of
 * levels below `root`; set it to 0 first.
 */
uint32_t model_tree_next(const struct model *model, uint32_t root, uint32_t slot, uint32_t *level);
/* Return the slot of the process with that SID; SLOT_NONE: none. */
uint32_t model_find_sid(const struct model *model, const char *sid, size_t len);

static inline bool process_failed(const struct process *process)
{
	return process->state == STATE_EXITED && process->code != NUM_NONE && process->code != 0;
}

/* Return the elapsed time of a process by trace2top-formats(5); NS_NONE: unknown. */
ns_t process_elapsed(const struct process *process);

static inline const char *model_sym(const struct model *model, sym_t sym, size_t *len)
{
	return tr2_intern_text(model_syms(model), sym, len);
}

static inline bool model_sym_is(const struct model *model, sym_t sym, const char *word)
{
	return tr2_intern_is(model_syms(model), sym, word);
}

/* True if a thread of the process was evicted from the full list of threads, or did not fit into
 * it. */
bool process_threads_gone(const struct model *model, const struct process *process);
/* True if the first thread of the process was evicted from the full list of threads. */
bool process_first_thread_gone(const struct model *model, const struct process *process);

/* Return item `index` of `list`, a list of struct `type`. */
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
/* Return the number of children evicted from the process's full list of children. */
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

/* Iterate over a thread's region tree, depth first: start with thread->nodes and a `*level` of 0.
 * Returns the node after `ref`, or 0, and sets `*level` to the number of nodes around it. */
uint32_t model_node_next(const struct model *model, uint32_t ref, uint32_t *level);
/* Like model_node_next(), but skips nodes inside `ref`. */
uint32_t model_node_after(const struct model *model, uint32_t ref, uint32_t *level);

/* Position in a list of strings, valid as long as pointers into the model. */
struct strings_cursor {
	const char *at; /* private: the strings not yet returned */
	uint32_t left;  /* ro: number of strings not yet returned */
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

/* ---- timings: sums over regions per category and label ---- */

/* Limits of timings: regions with a greater nesting or depth are left out; -1: no limit. */
struct timing_limits {
	int64_t nesting, depth;
};

uint32_t model_nr_timing_rows(const struct model *model);
const struct timing_cell *model_cell(const struct model *model, uint32_t cell);
/* Return the deepest nesting of the timing cells, or 0. Visits all cells. */
unsigned model_max_nesting(const struct model *model);
/* Set `out` to the sums over the cells of a row within the limits. Returns false if no region is
 * within them. */
bool model_timing(const struct model *model, uint32_t row, const struct timing_limits *limits,
		  struct timing *out);
/* Add the histograms of the cells of a row within the limits to `sums`, an array of
 * HIST_BUCKETS. */
void model_timing_hist(const struct model *model, uint32_t row, const struct timing_limits *limits,
		       uint64_t *sums);
/* Return the index of the row of a category and label; SLOT_NONE: none. */
uint32_t model_timing_row(const struct model *model, sym_t category, sym_t label);

/* ---- durations of individual regions ---- */

struct region_sample {
	struct handle process;
	sym_t category, label; /* SYM_NONE: absent */
	ns_t duration, self;   /* `self`: without the durations of regions directly inside */
	ns_t time;             /* wall time of the region's end; NS_NONE: unknown */
};

/* model_sample() returns the duration of a single region, numbered from 0 to model_nr_samples() - 1
 * in the order in which the regions ended. There are none unless config.samples is set. */
uint32_t model_nr_samples(const struct model *model);
const struct region_sample *model_sample(const struct model *model, uint32_t number);

/* ---- commands of evicted processes ---- */

/* Sums over the evicted processes of one name and depth. analysis/commands.h adds the processes in
 * the model. */
struct command_cell {
	sym_t name;             /* SYM_NONE: unknown */
	uint16_t depth;         /* limited to MAX_CELL_DEPTH */
	uint64_t count, failed; /* numbers of processes not in `running`, and of failed ones */
	uint64_t running;       /* number of processes that seemed to run when they were evicted */
	uint64_t timed;         /* number of processes in `count` with a known duration */
	ns_t total, min, max;   /* durations of the processes counted in `timed` */
	/* latest `end` (struct process) of a process in `count`; NS_NONE: unknown */
	ns_t last;
	struct hist hist;
};

/* model_command() returns the sums with index 0 to model_nr_commands() - 1. */
uint32_t model_nr_commands(const struct model *model);
const struct command_cell *model_command(const struct model *model, uint32_t index);

/* ---- past durations of the same region, child or command ---- */

/*
 * Copy the latest durations of similar regions, children or processes to `out`, an array of
 * PAST_MEDIAN_DURATIONS, in any order. Returns their number. Similar means: the same worktree and
 * hierarchy of the process; of regions also the same category and label; of children also the same
 * child_key_text().
 */
#define PAST_MEDIAN_DURATIONS 64u
uint32_t model_past_region(const struct model *model, const struct process *process, sym_t category,
			   sym_t label, ns_t *out);
uint32_t model_past_child(const struct model *model, const struct process *process,
			  const struct child *child, ns_t *out);
uint32_t model_past_process(const struct model *model, const struct process *process, ns_t *out);
/* Write what similar children have in common to `out`: "hook" and the hook's name, or the first two
 * words of the command, also within an argument, truncated to CHILD_KEY_BYTES with NUL. */
#define CHILD_KEY_BYTES 200
void child_key_text(const struct model *model, const struct child *child, char *out);

/* ---- numbers of events by name; states of children ---- */

/* Return the number of events of a kind, without other spellings of its name. */
uint64_t model_event_count(const struct model *model, enum tr2_event_kind kind);
/* model_event_name() returns the number of events with another name (unknown events and other
 * spellings) and sets `*name`; `index` is less than model_nr_event_names(). */
uint32_t model_nr_event_names(const struct model *model);
uint64_t model_event_name(const struct model *model, uint32_t index, sym_t *name);

/* Return the state of a child: CHILD_LOST if its parent ended, or was replaced, without reporting
 * child_ready or child_exit. */
static inline enum child_state child_state(const struct process *parent, const struct child *child)
{
	bool tells = parent->state == STATE_RUNNING || parent->state == STATE_UNTRACED;

	return child->state == CHILD_RUNNING && !tells ? CHILD_LOST
						       : (enum child_state)child->state;
}

#endif
