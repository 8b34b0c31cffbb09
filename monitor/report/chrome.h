/* SPDX-License-Identifier: MIT */
/*
 * Of the exporter of Chrome's trace events (report_chrome.c) what its files share: the numbers of
 * processes and threads, and how an event is written. Loop thread.
 */
#ifndef MONITOR_CHROME_H
#define MONITOR_CHROME_H

#include "engine/base/jw.h"
#include "monitor/analysis/span_stream.h"
#include "monitor/report/report.h"

/* Linux gives no pid beyond. */
#define CHROME_MAX_PID      4194304
#define CHROME_FIRST_NUMBER (CHROME_MAX_PID + 1)
#define CHROME_DRAIN_BYTES  (64u << 10)
/* While events come it is not known which is the earliest: so much may one be before the first. */
#define CHROME_BEFORE_FIRST (86400 * NS_PER_SEC)

struct chrome_process {
	int64_t pid;       /* 0: none yet */
	sym_t main_thread; /* as a reader said it; SYM_NONE */
	int64_t own_pid;   /* the same; NUM_NONE */
	sym_t name;        /* the last one that was told; SYM_NONE */
	bool is_told;      /* at the end, as one of the model */
};

struct chrome_thread {
	int64_t tid;  /* 0: none yet */
	bool endless; /* something in it goes on */
};

struct chrome {
	struct report_walk walk;
	struct span_stream spans;
	const struct tr2_intern *syms;
	FILE *to;
	struct tr2_buf buf, open, text;
	struct tr2_jw jw;
	size_t *open_at; /* in `open`: where each event of an open region begins */
	uint32_t nr_open, cap_open;
	struct chrome_process *processes; /* by number in the stream */
	uint32_t cap_processes;
	struct chrome_thread *threads; /* the same */
	uint32_t cap_threads;
	uint8_t *taken; /* a bit a pid */
	int64_t next_number;
	uint64_t nr_events, nr_flows;
	struct batch *held; /* the first, until another comes; NULL */
	uint32_t held_records;
	bool began;
	ns_t base; /* wall; NS_NONE: no time has come */
};

/* ---- numbers (chrome.c) ---- */

/* `pid`, where it is one and no other has it; else a number that nobody has. */
int64_t chrome_number_for(struct chrome *c, int64_t pid);
/* What is kept of a process and a thread, by their numbers in the stream. */
struct chrome_process *chrome_shown(struct chrome *c, uint32_t nr);
struct chrome_thread *chrome_shown_thread(struct chrome *c, uint32_t nr);
int64_t chrome_pid_of(struct chrome *c, uint32_t nr);
int64_t chrome_tid_of(struct chrome *c, uint32_t nr);
bool chrome_is_main(struct chrome *c, uint32_t nr);

/* ---- events (chrome.c) ---- */

/* Begin an event of the kind `phase`; chrome_event_begin_in() in another buffer than the file's,
 * without what separates it from the one before. End it. */
void chrome_event_begin(struct chrome *c, const char *phase);
void chrome_event_begin_in(struct chrome *c, struct tr2_buf *out, const char *phase);
void chrome_event_end(struct chrome *c);
void chrome_separate(struct chrome *c);
/* Write what is beyond so many bytes. */
void chrome_drain(struct chrome *c, size_t beyond);

/* Keys of the event that is begun, or of its args. */
void chrome_key_int(struct chrome *c, const char *key, int64_t value);
void chrome_key_cstring(struct chrome *c, const char *key, const char *value);
void chrome_key_bytes(struct chrome *c, const char *key, const char *value, size_t len);
/* A name is never empty: some readers take that for none. */
void chrome_key_sym(struct chrome *c, const char *key, sym_t sym);
/* The same, where it is there. */
void chrome_key_known(struct chrome *c, const char *key, sym_t sym);
void chrome_key_us(struct chrome *c, const char *key, ns_t ns);
/* pid, tid, ts; and dur. Wall times. */
void chrome_key_place(struct chrome *c, int64_t pid, int64_t tid, ns_t wall);
void chrome_key_span(struct chrome *c, int64_t pid, int64_t tid, ns_t start, ns_t end);
void chrome_args_begin(struct chrome *c);
void chrome_args_end(struct chrome *c);

/* Where the file's time 0 is, by the first time that comes; a time on that clock. */
void chrome_base_set(struct chrome *c, ns_t first);
ns_t chrome_since_base(const struct chrome *c, ns_t wall);

/* ---- what the end tells (chrome_tree.c) ---- */

/* Processes with their children, and what links them; of those that the model gave up, what was
 * told of them on the way. */
void chrome_tree(struct chrome *c, const struct report_input *input);
/* Threads: their names, and the lives of those that are not the main one. */
void chrome_threads(struct chrome *c);

#endif
