/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the exporter of Chrome trace events (report_chrome.c): numbers of
 * processes and threads, and writing of events. Loop thread.
 */
#ifndef MONITOR_CHROME_H
#define MONITOR_CHROME_H

#include "engine/base/jw.h"
#include "monitor/analysis/span_stream.h"
#include "monitor/report/report.h"

/* Largest pid on Linux. */
#define CHROME_MAX_PID      4194304
#define CHROME_FIRST_NUMBER (CHROME_MAX_PID + 1)
#define CHROME_DRAIN_BYTES  (64u << 10)
/* With streaming, the earliest event is unknown; it may be this long before the first one. */
#define CHROME_BEFORE_FIRST (86400 * NS_PER_SEC)

struct chrome_process {
	int64_t pid;       /* 0: not assigned */
	sym_t main_thread; /* from the reader; SYM_NONE: unknown */
	int64_t own_pid;   /* from the reader; NUM_NONE: unknown */
	sym_t name;        /* last name; SYM_NONE: unknown */
	bool is_told;      /* written at the end, from the model */
};

struct chrome_thread {
	int64_t tid;  /* 0: not assigned */
	bool endless; /* has an open region */
};

struct chrome {
	struct report_walk walk;
	struct span_stream spans;
	const struct tr2_intern *syms;
	FILE *to;
	struct tr2_buf buf, open, text;
	struct tr2_jw jw;
	size_t *open_at; /* start of each event in `open` */
	uint32_t nr_open, cap_open;
	struct chrome_process *processes; /* by number in the span stream */
	uint32_t cap_processes;
	struct chrome_thread *threads; /* by number in the span stream */
	uint32_t cap_threads;
	uint8_t *taken; /* bit per pid */
	int64_t next_number;
	uint64_t nr_events, nr_flows;
	struct batch *held; /* the first batch, until the next one; else NULL */
	uint32_t held_records;
	bool began;
	ns_t base; /* wall; NS_NONE: no time so far */
};

/* ---- numbers (chrome.c) ---- */

/* Return `pid` if it is valid and unused, else an unused number. */
int64_t chrome_number_for(struct chrome *c, int64_t pid);
/* State of a process and a thread, by their numbers in the span stream. */
struct chrome_process *chrome_shown(struct chrome *c, uint32_t nr);
struct chrome_thread *chrome_shown_thread(struct chrome *c, uint32_t nr);
int64_t chrome_pid_of(struct chrome *c, uint32_t nr);
int64_t chrome_tid_of(struct chrome *c, uint32_t nr);
bool chrome_is_main(struct chrome *c, uint32_t nr);

/* ---- events (chrome.c) ---- */

/* Start an event of kind `phase`; chrome_event_begin_in() writes to another buffer, without the
 * separator. chrome_event_end() ends it. */
void chrome_event_begin(struct chrome *c, const char *phase);
void chrome_event_begin_in(struct chrome *c, struct tr2_buf *out, const char *phase);
void chrome_event_end(struct chrome *c);
void chrome_separate(struct chrome *c);
/* Write the buffer if it has more than `beyond` bytes. */
void chrome_drain(struct chrome *c, size_t beyond);

/* Add a key to the current event, or to its args. */
void chrome_key_int(struct chrome *c, const char *key, int64_t value);
void chrome_key_cstring(struct chrome *c, const char *key, const char *value);
void chrome_key_bytes(struct chrome *c, const char *key, const char *value, size_t len);
/* A name is never empty: some readers treat that as missing. */
void chrome_key_sym(struct chrome *c, const char *key, sym_t sym);
/* The same if the symbol is present. */
void chrome_key_known(struct chrome *c, const char *key, sym_t sym);
void chrome_key_us(struct chrome *c, const char *key, ns_t ns);
/* pid, tid, ts; and dur. Wall times. */
void chrome_key_place(struct chrome *c, int64_t pid, int64_t tid, ns_t wall);
void chrome_key_span(struct chrome *c, int64_t pid, int64_t tid, ns_t start, ns_t end);
void chrome_args_begin(struct chrome *c);
void chrome_args_end(struct chrome *c);

/* Set the file's time 0 from the first time; convert a time to that clock. */
void chrome_base_set(struct chrome *c, ns_t first);
ns_t chrome_since_base(const struct chrome *c, ns_t wall);

/* ---- written at the end (chrome_tree.c) ---- */

/* Write processes, their children and flows between them; for evicted processes what is known
 * from events. */
void chrome_tree(struct chrome *c, const struct report_input *input);
/* Write the names of threads, and the lifetimes of all but main threads. */
void chrome_threads(struct chrome *c);

#endif
