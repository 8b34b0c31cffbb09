/* SPDX-License-Identifier: MIT */
/*
 * CoreProfiler TraceLog: state of the reader of one log, and functions that emit its events.
 *
 * Invariant of a thread's stack: the first `nr_frames` frames are open regions of the thread's
 * lane, outermost first; `depth` also counts frames that were not opened because of a limit. A
 * thread's clock never decreases.
 */
#ifndef MONITOR_TL_STATE_H
#define MONITOR_TL_STATE_H

#include "engine/base/buf.h"
#include "monitor/read/ids.h"
#include "monitor/read/reader.h"
#include "monitor/read/tracelog/tl_line.h"

#define TL_MAX_HELD        (64u << 10)
#define TL_MAX_TS          (1ull << 43) /* largest valid time in ms, about 280 years */
#define TL_MAX_DEPTH       1000000u
#define TL_MAX_FRAMES      1024u
#define TL_MAX_ALL_FRAMES  (1u << 20) /* maximum frames of all threads of a log */
#define TL_MAX_THREADS     65536u
#define TL_MAX_NAMES       1000000u
#define TL_MAX_NAME_BYTES  1024u
#define TL_MAX_PAIRS       1024u
#define TL_MAX_ALLOCATIONS 1000u
#define TL_MAX_HEAP        100u
#define TL_CPU_EVERY_MS    100u
#define TL_ALLOC_EVERY_MS  10000u
#define TL_GC_INDUCED      0x10u

struct tl_name {
	sym_t name; /* SYM_NONE: unknown */
	/* of a function: its name, without the class if it begins with that; SYM_NONE: not computed
	 * yet */
	sym_t label;
	uint64_t class; /* of a function: iid (profiler's number) of its class, or TL_NO_ID */
};

struct tl_frame {
	sym_t category, label;
	int64_t begin; /* start in ns of the thread's time */
};

struct tl_thread {
	/* numbers given by the profiler (iid) and the system (os); TL_NO_ID: unknown */
	uint64_t iid, os;
	sym_t lane, jit_lane;
	int64_t clock;    /* the thread's time: sum of sampled time, in ns */
	uint64_t last_ts; /* largest time of the thread's stacks, in ms of the log's time */
	uint64_t paused;  /* `paused` of struct tl at the last stack */
	bool has_stack, has_started;
	struct tl_frame *frames;
	uint32_t nr_frames, cap_frames;
	uint64_t depth;
	uint64_t cpu_us;
	uint64_t cpu_told_ts;
	bool has_told_cpu;
};

enum tl_pair_kind { TL_PAIR_JIT, TL_PAIR_CACHED, TL_PAIR_GC };

struct tl_pair {
	uint64_t thread, function, ts;
	uint8_t kind;
	unsigned what;
};

struct tl_allocation {
	uint32_t thread; /* index into `threads` */
	sym_t name;      /* name of the class */
	uint64_t bytes, told;
	bool is_changed; /* the index of this allocation is in `changed` */
};

struct tl_heap {
	uint64_t class, count, bytes;
};

struct tl {
	struct tr2_intern *syms;
	const struct reader_stream *stream;
	struct tr2_buf held;
	bool has_process, has_lines, is_finishing;
	uint32_t pid;  /* pid of the traced process; 0: unknown */
	ns_t start_ns; /* wall time of the log's time 0; NS_NONE: not set yet */
	bool has_own_clock;
	char *sid;
	uint32_t sid_index;
	bool has_version, has_told_name, has_app_name;
	uint64_t ts;     /* largest time so far, in ms */
	uint64_t now_ts; /* time in ms of the last line that has one, or `ts` */
	int64_t tick_ns;
	uint64_t paused; /* duration of all ended pauses, in ms */
	uint64_t pause_ts;
	bool is_paused;
	uint64_t cpu_us, cpu_told_ts, alloc_told_ts, nr_desync, nr_orphans;
	bool has_told_cpu;
	struct tl_thread *threads;
	uint32_t nr_threads, cap_threads;
	/* frames for which memory is allocated, of all threads */
	uint32_t cap_all_frames;
	/* `class_by_id` and `function_by_id` map the runtime's id to the profiler's number (iid);
	 * the others map an iid, or a thread and class name, to an index */
	struct ids thread_ids, class_ids, function_ids, class_by_id, function_by_id, alloc_ids;
	/* names of classes and functions, at the indexes in `class_ids` and `function_ids` */
	struct tl_name *names;
	uint32_t nr_names, cap_names;
	size_t name_bytes;
	struct tl_pair pairs[TL_MAX_PAIRS];
	uint32_t nr_pairs;
	struct tl_allocation *allocations;
	uint32_t nr_allocations, cap_allocations;
	/* indexes of allocations that changed since they were last emitted */
	uint32_t *changed;
	uint32_t nr_changed, cap_changed;
	struct tl_heap *heap;
	uint32_t nr_heap, cap_heap;
	/* These members are valid only while a function of the reader runs. */
	struct batch *batch;
	struct read_counts *counts;
	read_bad_fn *bad;
	void *bad_data;
};

void tl_init(struct tl *tl, struct tr2_intern *syms, const struct reader_stream *stream);
void tl_release(struct tl *tl);
size_t tl_held_bytes(const struct tl *tl);
void tl_into(struct tl *tl, struct batch *batch);
/* Begin the process; its SID is made from the stream's name, the held lines and the pid. */
void tl_process_begins(struct tl *tl);
void tl_process_ends(struct tl *tl);

/* Set the time of the current line, in ms. */
void tl_at(struct tl *tl, uint64_t ts);
void tl_pause(struct tl *tl, uint64_t ts);
void tl_go_on(struct tl *tl, uint64_t ts);
bool tl_parse_time(const char *text, size_t len, bool has_zone, ns_t *wall);

void tl_emit_param(struct tl *tl, struct tl_text name, struct tl_text value);
void tl_assembly(struct tl *tl, struct tl_text name);
/* Emit the CPU time, if not 0, of a thread (NULL: of the process). Unless `last`, at most once per
 * TL_CPU_EVERY_MS. */
void tl_emit_cpu(struct tl *tl, struct tl_thread *thread, bool last);

/*
 * Store ids and names of classes and functions. `iid`: the profiler's number; `id`: the runtime's
 * id.
 */
void tl_class(struct tl *tl, uint64_t iid, uint64_t id);
void tl_class_name(struct tl *tl, uint64_t iid, struct tl_text name);
void tl_function(struct tl *tl, uint64_t iid, uint64_t id, uint64_t class_id);
void tl_function_name(struct tl *tl, uint64_t iid, struct tl_text name);

sym_t tl_class_sym(struct tl *tl, uint64_t iid);
void tl_function_syms(struct tl *tl, uint64_t iid, sym_t *category, sym_t *label);
/* Return a function's iid by the runtime's id; TL_NO_ID: unknown. */
uint64_t tl_function_of(struct tl *tl, uint64_t id);

/* Return the thread with this iid, created if new; NULL if there are too many. Valid until the
 * next call. */
struct tl_thread *tl_thread(struct tl *tl, uint64_t iid);
void tl_thread_starts(struct tl *tl, struct tl_thread *thread);
void tl_thread_ends(struct tl *tl, struct tl_thread *thread);

/* Record a stack: begin it, push its functions after the first `match` ones, end it. */
void tl_stack_begins(struct tl *tl, struct tl_thread *thread, uint64_t ts, uint64_t count,
		     uint64_t match, uint64_t size);
void tl_push(struct tl *tl, struct tl_thread *thread, uint64_t function);
void tl_stack_ends(struct tl *tl, struct tl_thread *thread, uint64_t count);

/* Begin and end a compilation or collection. An end without a matching begin is counted. */
void tl_pair_begins(struct tl *tl, enum tl_pair_kind kind, const struct tl_thread *thread,
		    uint64_t function, uint64_t ts, unsigned what);
void tl_pair_ends(struct tl *tl, enum tl_pair_kind kind, struct tl_thread *thread,
		  uint64_t function, uint64_t ts, bool failed);

void tl_allocated(struct tl *tl, const struct tl_thread *thread, uint64_t class, uint64_t bytes);
void tl_emit_allocations(struct tl *tl, bool last);
void tl_heap_begins(struct tl *tl);
void tl_heap(struct tl *tl, uint64_t class, uint64_t count, uint64_t bytes);
void tl_heap_ends(struct tl *tl);

#endif
