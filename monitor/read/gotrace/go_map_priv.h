/* SPDX-License-Identifier: MIT */
/* Shared by go_map.c, go_take.c, go_task.c, go_lane.c and go_text.c. */
#ifndef MONITOR_GO_MAP_PRIV_H
#define MONITOR_GO_MAP_PRIV_H

#include "monitor/read/gotrace/go_map.h"

/* Replacing ill-formed bytes by U+FFFD makes a string up to three times as long. */
#define GO_TEXT_ROOM (3 * GO_MAX_STRING_BYTES)

/* Fixed texts: categories, labels, names. */
#define TEXTS(X)                                                                                   \
	X(GOROUTINE, "goroutine")                                                                  \
	X(REGION, "region")                                                                        \
	X(WAITING, "waiting")                                                                      \
	X(RUNNABLE, "runnable")                                                                    \
	X(SYSCALL, "syscall")                                                                      \
	X(GC, "gc")                                                                                \
	X(STW, "stw")                                                                              \
	X(PROC, "proc")                                                                            \
	X(LOG, "log")                                                                              \
	X(GO, "go")                                                                                \
	X(TASK, "task")                                                                            \
	X(RUNTIME, "runtime")                                                                      \
	X(SAMPLES, "cpu samples")                                                                  \
	X(BEFORE, "before the trace")                                                              \
	X(NEW, "new")                                                                              \
	X(UNBLOCKED, "unblocked")                                                                  \
	X(AFTER_SYSCALL, "after a system call")                                                    \
	X(COROUTINE, "coroutine")                                                                  \
	X(UNSPECIFIED, "unspecified")                                                              \
	X(SYSTEM_CALL, "system call")                                                              \
	X(UNKNOWN, "unknown")                                                                      \
	X(MARK, "mark")                                                                            \
	X(MARK_ASSIST, "mark assist")                                                              \
	X(SWEEP, "sweep")                                                                          \
	X(RUNNING, "running")                                                                      \
	X(MESSAGE, "message")                                                                      \
	X(GOMAXPROCS, "GOMAXPROCS")                                                                \
	X(HEAP_GOAL, "heap goal")                                                                  \
	X(HEAP, "heap")                                                                            \
	X(GENERATION, "generation")
enum text {
#define X(ID, text) T_##ID,
	TEXTS(X)
#undef X
		NR_TEXTS
};

/* Kinds of open regions of a lane. Leaves: states of a goroutine that does not run. */
enum open_kind {
	OPEN_LIFE,
	OPEN_REGION,
	OPEN_ASSIST,
	OPEN_STW,
	OPEN_SWEEP,
	OPEN_PROC,
	OPEN_GC,
	OPEN_LEAF,
};

struct go_open {
	uint64_t task;
	int64_t begin;
	sym_t label;
	uint8_t kind, category; /* enum text */
};

/* A life, a region and a leaf; there may be 100,000 lanes. */
enum { INLINE_OPEN = 3 };

struct go_lane {
	uint64_t id;
	int64_t born;
	sym_t name;
	uint32_t shared; /* if named `function #k`: index into `shared`; GO_NO_INDEX: not shared */
	uint32_t shared_k;
	uint32_t sweeps_on; /* for a P: the lane with the sweep that it began */
	uint32_t next_free;
	uint32_t nr_open, cap_open;
	bool is_missing;                        /* after a gap: not yet found in the statuses */
	struct go_open few[INLINE_OPEN], *many; /* many: all of them, if more than INLINE_OPEN */
};

/* Name of a goroutine id, reused for later lives. */
struct go_lane_name {
	sym_t lane, function;
};

/* Lanes of one function, named `function #k`, and which k are in use. */
struct go_shared_name {
	sym_t function;
	uint64_t *used;
	uint32_t nr_words;
};

struct task {
	int64_t begin;
	uint64_t id;
	char *name; /* NULL: free slot */
	uint32_t len, next_free;
};

struct sampled {
	uint64_t stack, nr;
};

struct go_map {
	struct tr2_intern *syms;
	struct go_order *order;
	struct batch *batch;
	uint64_t *nr_events, *nr_ignored;
	char *sid, *command;
	unsigned version, clock;
	int64_t wall_less_trace;
	bool has_process, has_told_process, is_before_told;
	uint32_t sid_index;
	const struct go_generation *gen;
	struct go_walk *walk;
	int64_t sync_ns;
	uint32_t at_before, nr_found; /* progress in emitting earlier state; in checking
				       * `g_lanes` */
	bool is_first;
	struct go_lane *lanes;
	uint32_t nr_lanes, cap_lanes, free_lane, runtime;
	struct ids g_lanes, p_lanes;                     /* by id: of live goroutines and Ps */
	uint32_t *lane_of_g, *lane_of_p, cap_gs, cap_ps; /* by go_order's indexes */
	struct go_lane_name *names;
	uint32_t nr_names, cap_names;
	struct ids name_ids;
	struct go_shared_name *shared;
	uint32_t nr_shared, cap_shared;
	struct ids shared_ids; /* by the symbol of the function */
	struct task *tasks;
	uint32_t nr_tasks, cap_tasks, free_task;
	struct ids task_ids;
	int64_t heap_told_ns; /* INT64_MIN: none yet */
	/* For this generation, by index of its strings or stacks; SYM_NONE: not interned yet. */
	sym_t *string_syms, *function_syms, *syscall_syms;
	uint32_t cap_string_syms, cap_stack_syms;
	struct sampled *sampled;
	uint32_t nr_sampled, cap_sampled;
	struct ids sampled_ids;
	size_t made_bytes; /* size of texts interned by go_long_sym() */
	sym_t texts[NR_TEXTS];
};

/* ---- go_text.c: texts and their symbols ---- */

/*
 * Make it well-formed UTF-8: returns the input, or a copy in `room` with U+FFFD for invalid bytes.
 */
struct go_text go_well_formed(struct go_text in, char room[GO_TEXT_ROOM]);
/*
 * Intern a text generated from the trace's strings, which may be much longer than they are. Beyond
 * GO_MAX_MADE_BYTES returns `sym_other`.
 */
sym_t go_long_sym(struct go_map *map, const char *text, size_t len);
/* Intern a generation's string; `?#id` if the id is unknown. */
sym_t go_string_sym(struct go_map *map, uint64_t id);
/* Like go_string_sym() for a reason; `otherwise` if the string is empty. */
sym_t go_reason_sym(struct go_map *map, uint64_t id, enum text otherwise);
/* The start function of a goroutine with this stack; SYM_NONE if it has no name. */
sym_t go_function_sym(struct go_map *map, uint64_t stack);
/* The function that made the system call with this stack. */
sym_t go_syscall_sym(struct go_map *map, uint64_t stack);
/* A stack in folded form: outermost first, joined by `;`. */
sym_t go_folded_sym(struct go_map *map, uint64_t stack);

/* ---- go_lane.c: events on lanes ---- */

/* Begin an event of a thread at `ns` in the batch; the caller then sets more fields. */
void go_event_begin(struct go_map *map, struct event *ev, unsigned kind, sym_t thread, int64_t ns);
void go_event_end(struct go_map *map, const struct event *ev);
void go_emit_data(struct go_map *map, const struct go_lane *lane, int64_t ns, sym_t category,
		  sym_t key, struct go_text value);
/* Emit a datum of category `go`. */
void go_emit_number(struct go_map *map, const struct go_lane *lane, int64_t ns, enum text key,
		    uint64_t value);

/* Open regions, outermost first. */
static inline struct go_open *go_opens(struct go_lane *lane)
{
	return lane->many ? lane->many : lane->few;
}
/* Does nothing if GO_MAX_OPEN regions are open. */
void go_enter(struct go_map *map, struct go_lane *lane, enum open_kind kind, enum text category,
	      sym_t label, int64_t ns, uint64_t task);
void go_leave_top(struct go_map *map, struct go_lane *lane, int64_t ns);
void go_leave_all(struct go_map *map, struct go_lane *lane, int64_t ns);
/* Leave the innermost region of `kind` and everything inside it. */
void go_leave_kind(struct go_map *map, struct go_lane *lane, enum open_kind kind, int64_t ns);
void go_leave_leaf(struct go_map *map, struct go_lane *lane, int64_t ns);
/* Enter a leaf in place of the current one. */
void go_enter_leaf(struct go_map *map, struct go_lane *lane, enum text category, sym_t label,
		   int64_t ns);

/* Create a lane and return its index. Pointers to lanes become invalid. */
uint32_t go_lane_new(struct go_map *map, uint64_t id);
/* Name a goroutine's lane; `*function` is the function in its name, SYM_NONE if unknown. */
void go_name_lane(struct go_map *map, struct go_lane *lane, sym_t *function);
uint32_t go_life_begins(struct go_map *map, uint64_t id, sym_t function, int64_t ns);
void go_life_ends(struct go_map *map, uint32_t lane, int64_t ns);
/* Get the lane of a P; create it if needed. */
uint32_t go_proc_lane(struct go_map *map, uint64_t id);
/* End and remove the lanes of all Ps. */
void go_proc_lanes_end(struct go_map *map, int64_t ns);
struct go_lane *go_runtime_lane(struct go_map *map);
/* Entry `at` of an array that grows; new entries are GO_NO_INDEX. */
uint32_t *go_index_at(uint32_t **array, uint32_t *cap, uint32_t at);
/* The lane of a goroutine, by go_order's index (or GO_NO_INDEX); NULL if it has none. */
static inline struct go_lane *go_lane_of_g(struct go_map *map, uint32_t g)
{
	uint32_t lane = g < map->cap_gs ? map->lane_of_g[g] : GO_NO_INDEX;

	return lane == GO_NO_INDEX ? NULL : &map->lanes[lane];
}
void go_set_lane_of_g(struct go_map *map, uint32_t g, uint32_t lane);
struct go_lane *go_lane_of_p(struct go_map *map, uint32_t p);

/* ---- go_take.c: ordered events ---- */

/* Enter the state of a goroutine that already existed, by its status. */
void go_enter_status(struct go_map *map, struct go_lane *lane, unsigned status, int64_t ns);
/* The P of the lane (or NULL) starts to run. */
void go_proc_runs(struct go_map *map, struct go_lane *lane, int64_t ns);

/* ---- go_task.c: user tasks ---- */

void on_go_task_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane);
void on_go_task_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane);

#endif
