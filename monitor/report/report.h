/* SPDX-License-Identifier: MIT */
/*
 * Reports: a run, or a part of it, in some form, for scripts, bug reports and other programs. The
 * forms are rows of exporters.def; each is one file that ends in a const struct exporter_ops. The
 * JSON form is a contract (schema trace2top-report/1); the text form shows the same figures in
 * the same order.
 *
 * Reports are written piece by piece to a stdio stream: a million processes need no buffer of
 * their size. Loop thread; the model must not change while one is written.
 */
#ifndef MONITOR_REPORT_H
#define MONITOR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/analysis/commands.h"
#include "monitor/base/word.h"
#include "monitor/base/work.h"
#include "monitor/event/batch.h"
#include "monitor/event/source_stats.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/redact/redact.h"

struct rule_results;

/* Whence a report is; borrowed. */
struct report_origin {
	ns_t written;        /* wall */
	const char *program; /* with its version */
	const char *host;    /* its name and system */
};

/*
 * What a report is of: the state after the first `end` events, with the processes that are
 * within `depth` and that `keep` chooses (by a filter, by marks, below one of them).
 */
struct report_input {
	struct model *model; /* settled by report_write() */
	/* The events that led there, from the oldest that is kept; NULL: none are. */
	const struct journal *journal;
	uint64_t end; /* UINT64_MAX: all there are */
	/* Timings are taken from this one where it is not NULL: a second pass that admitted only
	 * the processes that `keep` chooses. */
	const struct model *timings;
	int64_t nesting, depth; /* the limits in force; -1: none */
	ns_t since;             /* events of an earlier time are left out; 0, NS_NONE: none */
	const char *filter;     /* its text, or NULL */
	/* Which processes get a row; NULL: all within `depth`. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	const struct source_stats *sources; /* borrowed */
	int nr_sources;
	uint64_t dropped_events;             /* that the journal dropped unread */
	int64_t top;                         /* rows of each table of the text report; -1: all */
	const struct report_origin *origin;  /* NULL: not said */
	int table;                           /* of tables.def, where a form has just one */
	bool parts;                          /* say where the wall time went */
	bool own_command;                    /* it ran under `--` */
	bool findings;                       /* say what was found, */
	uint64_t findings_off;               /* but for these, a bit for each id */
	const struct rule_results *verdicts; /* what was compared and judged; NULL: nothing */
	struct work *work;                   /* asked at each process whether to go on; NULL: not */
	/* What the events go through before they are written, where the exporter `redacts`; NULL:
	 * they are written as they came. */
	struct redactor *redactor;
	/* Where a form that does not write to the stream says errno; set for it. */
	int *failed;
};

/*
 * A form of reports. One that needs only the model has `end` alone; one that goes by the events
 * is begun, is given all batches in the journal's order, and ended. Whatever fails to be written
 * shows in the stream's error flag.
 */
struct exporter_ops {
	/* Begin; what it returns is the `report` of the others. NULL: they get NULL. */
	void *(*begin)(FILE *to, const struct report_input *input);
	/* The first `records` records of the next batch, borrowed for the call. All subjects' events
	 * come: what `input` leaves out is for the exporter to pass over. NULL: it needs none, and
	 * the history of a run need not be kept for it. */
	void (*batch)(void *report, const struct batch *batch, uint32_t records);
	/* Write what is left and free `report`; called where it was broken off, too. */
	void (*end)(void *report, FILE *to, const struct report_input *input);
	bool takes_top;      /* it heeds `top` of its input */
	bool takes_table;    /* it is of one table: --table */
	bool needs_rules;    /* it says what became of rules: only with some */
	bool needs_file;     /* what it writes is for no terminal and no pipe: only with -o FILE */
	bool redacts;        /* it heeds the redactor of its input */
	const char *library; /* that it needs and this program was built without; NULL */
};

enum exporter_row {
#define EXPORTER(ID, word, suffix, help, ops) EXPORTER_##ID,
#include "monitor/report/exporters.def"
	NR_EXPORTERS
};

/* By row: how each is asked for, and what it does. */
extern const struct word exporter_words[NR_EXPORTERS];
extern const struct exporter {
	const char *suffix; /* of a file that is named by us, with its dot */
	const struct exporter_ops *ops;
} exporters[NR_EXPORTERS];

/* Write a report; false with errno where the stream failed, ECANCELED where it was broken off. */
bool report_write(const struct exporter_ops *exporter, FILE *to, const struct report_input *input);

/*
 * The same piece by piece, while the events come and no history is kept: report_begin() before
 * the first is applied, with an input that chooses all processes and lives until report_end();
 * report_batch() with each batch once it was applied. False as above.
 */
struct report_run {
	const struct exporter_ops *exporter; /* private */
	FILE *to;                            /* private */
	const struct report_input *input;    /* private */
	struct report_input given;           /* private: what the exporter sees */
	int failed;                          /* private */
	void *report;                        /* private */
};

void report_begin(struct report_run *run, const struct exporter_ops *exporter, FILE *to,
		  const struct report_input *input);
void report_batch(struct report_run *run, const struct batch *batch);
bool report_end(struct report_run *run);

/*
 * Make a file for a report in the working directory, named by the time `wall` and, where that
 * name is taken, a number, with the exporter's suffix. `name` is what it is called; NULL with
 * errno.
 */
FILE *report_file_new(enum exporter_row exporter, ns_t wall, char *name, size_t name_bytes);

/*
 * Call `visit` with the batches that `input` has, oldest first, each with how many of its records
 * count, until the end or until its work is broken off.
 */
void report_batches(const struct report_input *input,
		    void (*visit)(void *data, const struct batch *batch, uint32_t records),
		    void *data);

/* ---- for exporters ---- */

/*
 * The records of a batch that a report is of, one after the other: those of its processes, within
 * its nesting, not older than it begins; of records of our own those that say something of all.
 *
 *   while (report_walk_next(&walk, &ev)) ...    after report_walk_batch()
 */
struct report_walk {
	const struct report_input *input;
	struct batch_cursor cursor; /* private */
	uint32_t left;              /* private: records */
	uint8_t *chosen;            /* private: by index of SID: not asked yet, no, yes */
	uint32_t cap;
};

void report_walk_begin(struct report_walk *walk, const struct report_input *input);
void report_walk_batch(struct report_walk *walk, const struct batch *batch, uint32_t records);
bool report_walk_next(struct report_walk *walk, struct event *ev);
void report_walk_end(struct report_walk *walk);

/* The slots that get a row, by start (none last), then SID; malloc()ed, `*nr` of them. */
uint32_t *report_processes(const struct report_input *input, uint32_t *nr);

/* A row of the timings with its quantiles. */
struct report_timing {
	struct timing timing;
	ns_t p50, p90, p99;
};

/* The timings by total, largest first, then category and label (absent first); malloc()ed. */
struct report_timing *report_timings(const struct report_input *input, uint32_t *nr);

/* A row of the commands with its quantiles. */
struct report_command {
	struct command command;
	ns_t p50, p90, p99; /* NS_NONE without any that has ended */
};

struct report_commands {
	struct report_command *rows; /* by total, largest first, then name (absent first) */
	uint32_t nr;
	struct commands commands; /* private: what the rows borrow from */
};

void report_commands(const struct report_input *input, struct report_commands *out);
void report_commands_release(struct report_commands *commands);

struct report_totals {
	uint64_t events, malformed, oversized, processes, running, exited, failed, signaled,
		replaced, lost, untraced, threads, regions, open_regions, children, errors;
};

void report_totals(const struct report_input *input, struct report_totals *out);

/* elapsed of an open region: the process's last time less the enter's; NS_NONE. */
ns_t report_open_elapsed(const struct process *process, const struct open_region *open);

/* Is a thread over: by its thread_exit or by its process's end? */
static inline bool report_thread_exited(const struct process *process, const struct thread *thread)
{
	return thread->exited ||
	       (process->state != STATE_RUNNING && process->state != STATE_UNTRACED);
}

#endif
