/* SPDX-License-Identifier: MIT */
/*
 * Reports: a run, or a part of it, in a format for scripts, bug reports and other programs. The
 * formats are the rows of exporters.def; each is one file that ends with a const struct
 * exporter_ops. The JSON format is a contract (schema trace2top-report/1); the text format shows
 * the same figures in the same order.
 *
 * Reports are written in pieces to a stdio stream, so that memory does not depend on their size.
 * Loop thread; the model must not change while one is written.
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

/* The origin of a report; borrowed. */
struct report_origin {
	ns_t written;        /* wall */
	const char *program; /* with its version */
	const char *host;    /* its name and system */
};

/*
 * The content of a report: the state after the first `end` events, with the processes within
 * `depth` that `keep` selects (by a filter, marks, or an ancestor).
 */
struct report_input {
	struct model *model; /* settled by report_write() */
	/* The kept events, oldest first; NULL: no events are kept. */
	const struct journal *journal;
	uint64_t end; /* UINT64_MAX: all */
	/* If not NULL, the model of the timings: a second pass over the processes that `keep`
	 * selects. */
	const struct model *timings;
	int64_t nesting, depth; /* limits; -1: no limit */
	ns_t since;             /* earlier events are left out; 0 or NS_NONE: no limit */
	const char *filter;     /* its text, or NULL */
	/* Selects the processes with a row; NULL: all within `depth`. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	const struct source_stats *sources; /* borrowed */
	int nr_sources;
	uint64_t dropped_events;             /* events that the journal dropped unread */
	int64_t top;                         /* rows of each table of the text report; -1: all */
	const struct report_origin *origin;  /* may be NULL */
	int table;                           /* row of tables.def, for formats of one table */
	bool parts;                          /* include the parts of the wall time */
	bool own_command;                    /* the report is of `-- COMMAND` */
	bool findings;                       /* include findings */
	uint64_t findings_off;               /* excluded findings, bit per id */
	const struct rule_results *verdicts; /* results of comparison and rules; may be NULL */
	struct work *work; /* checked at each process for cancelling; may be NULL */
	/* Redacts the events if the exporter `redacts`; NULL: no redaction. */
	struct redactor *redactor;
	/* For formats that do not write to the stream: their errno. */
	int *failed;
};

/*
 * A format of reports. A format of the model has only `end`. A format of events has `begin`,
 * `batch` for all batches in the journal's order, and `end`. Write errors set the stream's error
 * flag.
 */
struct exporter_ops {
	/* Start the report. The result is passed to the others as `report`. NULL: they get NULL. */
	void *(*begin)(FILE *to, const struct report_input *input);
	/* Add the first `records` records of the next batch, borrowed for the call. Records that
	 * `input` excludes are included; the exporter skips them. NULL: it needs no events, and
	 * no history need be kept for it. */
	void (*batch)(void *report, const struct batch *batch, uint32_t records);
	/* Write the rest and free `report`; also called after cancelling. */
	void (*end)(void *report, FILE *to, const struct report_input *input);
	bool takes_top;      /* uses `top` of its input */
	bool takes_table;    /* writes one table: --table */
	bool needs_rules;    /* reports rules: needs at least one */
	bool needs_file;     /* needs a regular file: only with -o FILE */
	bool redacts;        /* uses the redactor of its input */
	const char *library; /* missing library; NULL: available */
};

enum exporter_row {
#define EXPORTER(ID, word, suffix, help, ops) EXPORTER_##ID,
#include "monitor/report/exporters.def"
	NR_EXPORTERS
};

/* Words and descriptions, by row. */
extern const struct word exporter_words[NR_EXPORTERS];
extern const struct exporter {
	const char *suffix; /* suffix of automatic file names, with its dot */
	const struct exporter_ops *ops;
} exporters[NR_EXPORTERS];

/* Write a report. Returns false with errno on a write error, ECANCELED if cancelled. */
bool report_write(const struct exporter_ops *exporter, FILE *to, const struct report_input *input);

/*
 * The same in pieces while events arrive, without a history: call report_begin() before the first
 * batch is applied, with an input that selects all processes and lives until report_end(); call
 * report_batch() after each applied batch. Returns false as above.
 */
struct report_run {
	const struct exporter_ops *exporter; /* private */
	FILE *to;                            /* private */
	const struct report_input *input;    /* private */
	struct report_input given;           /* private: the exporter's input */
	int failed;                          /* private */
	void *report;                        /* private */
};

void report_begin(struct report_run *run, const struct exporter_ops *exporter, FILE *to,
		  const struct report_input *input);
void report_batch(struct report_run *run, const struct batch *batch);
bool report_end(struct report_run *run);

/*
 * Create a file for a report in the working directory, named after the time `wall`, if necessary a
 * number, and the exporter's suffix. Sets `name`. Returns NULL with errno on error.
 */
FILE *report_file_new(enum exporter_row exporter, ns_t wall, char *name, size_t name_bytes);

/*
 * Call `visit` with the batches of `input`, oldest first, and the number of their records to use,
 * until the end or until cancelled.
 */
void report_batches(const struct report_input *input,
		    void (*visit)(void *data, const struct batch *batch, uint32_t records),
		    void *data);

/* ---- for exporters ---- */

/*
 * Iterates over the records of a batch that belong to a report: those of its processes, within its
 * nesting and its time; and our own records about the whole trace.
 *
 *   while (report_walk_next(&walk, &ev)) ...    after report_walk_batch()
 */
struct report_walk {
	const struct report_input *input;
	struct batch_cursor cursor; /* private */
	uint32_t left;              /* private: remaining records */
	uint8_t *chosen;            /* private: by index of SID: unknown, no, yes */
	uint32_t cap;
};

void report_walk_begin(struct report_walk *walk, const struct report_input *input);
void report_walk_batch(struct report_walk *walk, const struct batch *batch, uint32_t records);
bool report_walk_next(struct report_walk *walk, struct event *ev);
void report_walk_end(struct report_walk *walk);

/* Return the slots with a row, sorted by start (absent last), then SID. The caller frees the
 * `*nr` items. */
uint32_t *report_processes(const struct report_input *input, uint32_t *nr);

/* A row of the timings with its quantiles. */
struct report_timing {
	struct timing timing;
	ns_t p50, p90, p99;
};

/* Return the timings by total, largest first, then category and label (absent first). The caller
 * frees them. */
struct report_timing *report_timings(const struct report_input *input, uint32_t *nr);

/* A row of the commands with its quantiles. */
struct report_command {
	struct command command;
	ns_t p50, p90, p99; /* NS_NONE without an ended process */
};

struct report_commands {
	struct report_command *rows; /* by total, largest first, then name (absent first) */
	uint32_t nr;
	struct commands commands; /* private: owns the rows' data */
};

void report_commands(const struct report_input *input, struct report_commands *out);
void report_commands_release(struct report_commands *commands);

struct report_totals {
	uint64_t events, malformed, oversized, processes, running, exited, failed, signaled,
		replaced, lost, untraced, threads, regions, open_regions, children, errors, untimed;
};

void report_totals(const struct report_input *input, struct report_totals *out);

/* Duration of an open region: the process's last time minus the start, or NS_NONE. */
ns_t report_open_elapsed(const struct process *process, const struct open_region *open);

/* True if a thread has ended, by its thread_exit or its process's end. */
static inline bool report_thread_exited(const struct process *process, const struct thread *thread)
{
	return thread->exited ||
	       (process->state != STATE_RUNNING && process->state != STATE_UNTRACED);
}

#endif
