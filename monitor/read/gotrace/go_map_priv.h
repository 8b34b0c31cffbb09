/* SPDX-License-Identifier: MIT */
/* Private interface of go_map.c, go_take.c, go_task.c, go_lane.c and go_text.c. */
#ifndef MONITOR_GO_MAP_PRIV_H
#define MONITOR_GO_MAP_PRIV_H

#include "monitor/read/gotrace/go_map.h"

/* Maximum bytes of a string in which U+FFFD replaces ill-formed bytes. */
#define GO_TEXT_ROOM (3 * GO_MAX_STRING_BYTES)

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

/* Kinds of open regions. A leaf is the reason why a goroutine does not run. */
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
	uint8_t kind, category; /* kind: enum open_kind; category: enum text */
};

/* Number of open regions that a lane holds without an allocation. */
enum { INLINE_OPEN = 3 };

struct go_lane {
	uint64_t id;
	int64_t born;
	sym_t name;
	/* index into `shared`; GO_NO_INDEX: none */
	uint32_t shared;
	uint32_t shared_k;
	/* of a P's lane: the lane that shows the P's open sweep */
	uint32_t sweeps_on;
	uint32_t next_free;
	uint32_t nr_open, cap_open;
	/* after a gap: it is not known if the goroutine still exists */
	bool is_missing;
	/* open regions: `few`, or `many` after there were more than INLINE_OPEN */
	struct go_open few[INLINE_OPEN], *many;
};

/* Names of the lane and the function of a goroutine id. */
struct go_lane_name {
	sym_t lane, function;
};

/* Numbers k in use for lanes named `function #k`: bit k - 1 is set. */
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
	/* progress of go_map_before(), and of its check of `g_lanes` after a gap */
	uint32_t at_before, nr_found;
	bool is_first;
	struct go_lane *lanes;
	uint32_t nr_lanes, cap_lanes, free_lane, runtime;
	struct ids g_lanes, p_lanes; /* by id */
	/* indexes of lanes, by index in go_order */
	uint32_t *lane_of_g, *lane_of_p, cap_gs, cap_ps;
	struct go_lane_name *names;
	uint32_t nr_names, cap_names;
	struct ids name_ids;
	struct go_shared_name *shared;
	uint32_t nr_shared, cap_shared;
	struct ids shared_ids; /* indexes into `shared`, by the function's symbol */
	struct task *tasks;
	uint32_t nr_tasks, cap_tasks, free_task;
	struct ids task_ids;
	int64_t heap_told_ns; /* when the heap size was last emitted; INT64_MIN: never */
	/* Symbols of this generation's strings and stacks, by index; SYM_NONE: not interned yet. */
	sym_t *string_syms, *function_syms, *syscall_syms;
	uint32_t cap_string_syms, cap_stack_syms;
	struct sampled *sampled;
	uint32_t nr_sampled, cap_sampled;
	struct ids sampled_ids;
	size_t made_bytes;
	sym_t texts[NR_TEXTS];
};

/* ---- go_text.c: texts of the trace and their symbols ---- */

/* Return well-formed UTF-8: the input, or a copy in `room` with U+FFFD for invalid bytes. */
struct go_text go_well_formed(struct go_text in, char room[GO_TEXT_ROOM]);
/* Intern a generated text. Returns `sym_other` after GO_MAX_MADE_BYTES bytes of such texts. */
sym_t go_long_sym(struct go_map *map, const char *text, size_t len);
/* Intern a string of the generation: "" for id 0, `?#id` if the id is unknown. */
sym_t go_string_sym(struct go_map *map, uint64_t id);
/* Intern a string of the generation; if its id is 0 or it is empty, return the text `otherwise`. */
sym_t go_reason_sym(struct go_map *map, uint64_t id, enum text otherwise);
/* Return the name of a stack's outermost function; SYM_NONE: none. */
sym_t go_function_sym(struct go_map *map, uint64_t stack);
/* Return the name of the function that made the system call with this stack; "system call" if
 * unknown. */
sym_t go_syscall_sym(struct go_map *map, uint64_t stack);
/* Return a stack as text: function names, the outermost first, joined by `;`. */
sym_t go_folded_sym(struct go_map *map, uint64_t stack);

/* ---- go_lane.c: lanes, their regions and events ---- */

/* Begin an event at `ns` of the trace's clock. Set further fields before go_event_end(). */
void go_event_begin(struct go_map *map, struct event *ev, unsigned kind, sym_t thread, int64_t ns);
void go_event_end(struct go_map *map, const struct event *ev);
void go_emit_data(struct go_map *map, const struct go_lane *lane, int64_t ns, sym_t category,
		  sym_t key, struct go_text value);
/* Emit a number as a data event of category `go`. */
void go_emit_number(struct go_map *map, const struct go_lane *lane, int64_t ns, enum text key,
		    uint64_t value);

static inline struct go_open *go_opens(struct go_lane *lane)
{
	return lane->many ? lane->many : lane->few;
}
/* Enter a region, unless GO_MAX_OPEN regions are open on the lane. */
void go_enter(struct go_map *map, struct go_lane *lane, enum open_kind kind, enum text category,
	      sym_t label, int64_t ns, uint64_t task);
void go_leave_top(struct go_map *map, struct go_lane *lane, int64_t ns);
void go_leave_all(struct go_map *map, struct go_lane *lane, int64_t ns);
/* Leave the innermost region of kind `kind`, and all regions inside it. */
void go_leave_kind(struct go_map *map, struct go_lane *lane, enum open_kind kind, int64_t ns);
void go_leave_leaf(struct go_map *map, struct go_lane *lane, int64_t ns);
/* Enter a leaf, after leaving the innermost region if that is a leaf. */
void go_enter_leaf(struct go_map *map, struct go_lane *lane, enum text category, sym_t label,
		   int64_t ns);

/* Create a lane and return its index. Pointers to lanes become invalid. */
uint32_t go_lane_new(struct go_map *map, uint64_t id);
/* Set the name of a goroutine's lane. `*function`: the goroutine's function, or SYM_NONE; set to
 * the label of the region of its life. */
void go_name_lane(struct go_map *map, struct go_lane *lane, sym_t *function);
uint32_t go_life_begins(struct go_map *map, uint64_t id, sym_t function, int64_t ns);
void go_life_ends(struct go_map *map, uint32_t lane, int64_t ns);
/* Return the index of a P's lane, created if new. */
uint32_t go_proc_lane(struct go_map *map, uint64_t id);
/* Remove the lanes of all Ps, after leaving their open regions. */
void go_proc_lanes_end(struct go_map *map, int64_t ns);
struct go_lane *go_runtime_lane(struct go_map *map);
/* Return entry `at` of an array that grows if needed; new entries are GO_NO_INDEX. */
uint32_t *go_index_at(uint32_t **array, uint32_t *cap, uint32_t at);
/* Return the lane of a goroutine, by its index in go_order (or GO_NO_INDEX); NULL: no lane. */
static inline struct go_lane *go_lane_of_g(struct go_map *map, uint32_t g)
{
	uint32_t lane = g < map->cap_gs ? map->lane_of_g[g] : GO_NO_INDEX;

	return lane == GO_NO_INDEX ? NULL : &map->lanes[lane];
}
void go_set_lane_of_g(struct go_map *map, uint32_t g, uint32_t lane);
struct go_lane *go_lane_of_p(struct go_map *map, uint32_t p);

/* ---- go_take.c: ordered events of the trace ---- */

/* Enter the leaf for a goroutine's status, if the goroutine does not run. */
void go_enter_status(struct go_map *map, struct go_lane *lane, unsigned status, int64_t ns);
/* Enter the region of a P that runs; does nothing if a region is open, or `lane` is NULL. */
void go_proc_runs(struct go_map *map, struct go_lane *lane, int64_t ns);

/* ---- go_task.c: user tasks ---- */

void on_go_task_begin(struct go_map *map, const struct go_event *ev, struct go_lane *lane);
void on_go_task_end(struct go_map *map, const struct go_event *ev, struct go_lane *lane);

#endif
