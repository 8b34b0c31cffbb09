/* SPDX-License-Identifier: MIT */
/* Private interface of the files that export Chrome trace events. Used by the loop thread. */
#ifndef MONITOR_CHROME_H
#define MONITOR_CHROME_H

#include "engine/base/jw.h"
#include "monitor/analysis/span_stream.h"
#include "monitor/report/report.h"

/* Limit of pids on Linux. */
#define CHROME_MAX_PID      4194304
#define CHROME_FIRST_NUMBER (CHROME_MAX_PID + 1)
#define CHROME_DRAIN_BYTES  (64u << 10)
/* Time 0 of a file is this long before the earliest event of its first batch, if it is written
 * while events arrive and has more than one batch. */
#define CHROME_BEFORE_FIRST (86400 * NS_PER_SEC)

struct chrome_process {
	int64_t pid; /* pid of the process in the file; 0: not assigned yet */
	/* name of the main thread, from the reader; SYM_NONE: unknown */
	sym_t main_thread;
	/* pid, from the reader; NUM_NONE: unknown */
	int64_t own_pid;
	sym_t name;   /* last known name of the process; SYM_NONE: unknown */
	bool is_told; /* the process was written from the model */
};

struct chrome_thread {
	int64_t tid;  /* id of the thread in the file; 0: not assigned yet */
	bool endless; /* the thread has a region that is written without an end */
};

struct chrome {
	struct report_walk walk;
	struct span_stream spans;
	const struct tr2_intern *syms;
	FILE *to;
	struct tr2_buf buf, open, text;
	struct tr2_jw jw;
	size_t *open_at; /* offset in `open` of the start of each event */
	uint32_t nr_open, cap_open;
	/* processes, by number in the span stream */
	struct chrome_process *processes;
	uint32_t cap_processes;
	struct chrome_thread *threads; /* threads, by number in the span stream */
	uint32_t cap_threads;
	uint8_t *taken; /* bit mask of the pids used in the file */
	int64_t next_number;
	uint64_t nr_events, nr_flows;
	struct batch *held; /* the first batch until the next one arrives; else NULL */
	uint32_t held_records;
	bool began;
	ns_t base; /* wall clock time of time 0 of the file; NS_NONE: not known yet */
};

/* ---- chrome.c: numbers of processes and threads ---- */

/* Return `pid` if it is valid and not used in the file yet, else an unused number. */
int64_t chrome_number_for(struct chrome *c, int64_t pid);
/* Return the state of the process or thread with this number in the span stream. */
struct chrome_process *chrome_shown(struct chrome *c, uint32_t nr);
struct chrome_thread *chrome_shown_thread(struct chrome *c, uint32_t nr);
int64_t chrome_pid_of(struct chrome *c, uint32_t nr);
int64_t chrome_tid_of(struct chrome *c, uint32_t nr);
bool chrome_is_main(struct chrome *c, uint32_t nr);

/* ---- chrome.c: writing events ---- */

/* Start an event of kind `phase` (Chrome's format) in `out`, or in `buf`, where a separator
 * precedes the event. chrome_event_end() ends the event. */
void chrome_event_begin(struct chrome *c, const char *phase);
void chrome_event_begin_in(struct chrome *c, struct tr2_buf *out, const char *phase);
void chrome_event_end(struct chrome *c);
void chrome_separate(struct chrome *c);
/* If the buffer has more than `beyond` bytes, write it to the file and empty it. */
void chrome_drain(struct chrome *c, size_t beyond);

/* The next functions add keys to the event, or to its args. */
/* Add a key with the text of a symbol; a placeholder for an empty text, which some readers treat
 * as missing. */
void chrome_key_sym(struct chrome *c, const char *key, sym_t sym);
/* Add a key with the text of a symbol; nothing for SYM_NONE. */
void chrome_key_known(struct chrome *c, const char *key, sym_t sym);
void chrome_key_us(struct chrome *c, const char *key, ns_t ns);
/* Add the keys pid, tid and ts; chrome_key_span() also adds dur. `wall`, `start` and
 * `end` are wall clock times; the keys have the file's clock. */
void chrome_key_place(struct chrome *c, int64_t pid, int64_t tid, ns_t wall);
void chrome_key_span(struct chrome *c, int64_t pid, int64_t tid, ns_t start, ns_t end);
void chrome_args_begin(struct chrome *c);
void chrome_args_end(struct chrome *c);

/* Unless time 0 of the file is set, set it to CHROME_BEFORE_FIRST before `first`.
 * chrome_since_base() converts a wall clock time to the file's clock; 0 for earlier times. */
void chrome_base_set(struct chrome *c, ns_t first);
ns_t chrome_since_base(const struct chrome *c, ns_t wall);

/* ---- chrome_tree.c: the end of the file ---- */

/* Write processes, their children and the flows between them; of evicted processes, only names,
 * lifetimes and SIDs. */
void chrome_tree(struct chrome *c, const struct report_input *input);
/* Write the names of all threads, and the lifetimes of those that are not main threads. */
void chrome_threads(struct chrome *c);

#endif
