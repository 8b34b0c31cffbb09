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

/* Where and when a report was written; borrowed. */
struct report_origin {
	ns_t written;        /* wall time of writing */
	const char *program; /* name and version of the program */
	const char *host;    /* name and system of the host */
};

/*
 * The content of a report: the state after the first `end` events, with the processes within
 * `depth` that `keep` selects (by a filter, marks, or an ancestor).
 */
struct report_input {
	struct model *model; /* the model; report_write() settles it */
	/* The events that are kept, oldest first; NULL: none are kept. */
	const struct journal *journal;
	uint64_t end; /* number of events that the report includes; UINT64_MAX: all */
	/* Model from which the timings are taken, from a second pass over the processes that
	 * `keep` selects; NULL: `model`. */
	const struct model *timings;
	/* The timings are summed over the processes that `keep` selects, from their region trees,
	 * which have no quantiles. */
	bool timings_by_process;
	int64_t nesting, depth; /* limits on nesting and depth; -1: no limit */
	ns_t since;             /* earlier events are left out; 0 or NS_NONE: no limit */
	const char *filter;     /* text of the filter, or NULL */
	/* Callback that selects the processes that have a row; NULL: all within `depth`. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	const struct source_stats *sources; /* counters of the sources; borrowed */
	int nr_sources;
	/* events that the journal dropped before they were applied */
	uint64_t dropped_events;
	/* number of rows of each table of the text report; -1: all */
	int64_t top;
	const struct report_origin *origin; /* may be NULL */
	/* row of tables.def, for formats that consist of one table */
	int table;
	bool parts; /* the report includes the parts of the wall time */
	/* the report is of a command that trace2top ran (`-- COMMAND`) */
	bool own_command;
	/* Subject of the heat map: a command, "" for all, or CATEGORY/LABEL; NULL: no map. */
	const char *heat;
	/* How processes are grouped, besides by name; NULL: by name only. */
	const struct commands_by *group_by;
	/* Selects the runs that are compared with the others; NULL: no comparison. */
	struct filter *difference;
	bool values; /* the report includes the values by category and key */
	/* For the exporter of queries (report_query.h): the SELECT, an enum query_format, and where
	 * to store the reason of a failure, QUERY_WHY_BYTES. */
	const char *sql;
	int sql_format;
	char *sql_why;
	bool findings;                       /* the report includes findings */
	uint64_t findings_off;               /* findings that are left out, one bit per id */
	const struct rule_results *verdicts; /* results of comparison and rules; may be NULL */
	struct work *work; /* the report may be cancelled: checked at each process; may be NULL */
	/* Redacts the events if `redacts` of the exporter is set; NULL: no redaction. */
	struct redactor *redactor;
	/* For formats that write to a file by name: where to store the errno of a failure. */
	int *failed;
};

/*
 * A format of reports. If it only needs the model it has only `end`. If it needs events it has
 * `begin`, `batch` for all batches in the journal's order, and `end`. Write errors set the stream's
 * error flag.
 */
struct exporter_ops {
	/* Start the report. The other functions get the result as `report`. NULL: they get NULL. */
	void *(*begin)(FILE *to, const struct report_input *input);
	/* Add the first `records` records of the next batch, borrowed for the call. The batch
	 * also has records that `input` excludes; the exporter skips them. NULL: the format
	 * needs no events, so no history is kept for it. */
	void (*batch)(void *report, const struct batch *batch, uint32_t records);
	/* Write the rest and free `report`; also called after the report was cancelled. */
	void (*end)(void *report, FILE *to, const struct report_input *input);
	bool takes_top;      /* the format uses `top` of its input */
	bool takes_table;    /* the format writes one table: --table */
	bool needs_rules;    /* the format reports rules, so it needs at least one */
	bool needs_file;     /* the format needs a regular file: only with -o FILE */
	bool redacts;        /* the format uses the redactor of its input */
	const char *library; /* library that this build lacks; NULL: the format is available */
};

enum exporter_row {
#define EXPORTER(ID, word, suffix, help, ops) EXPORTER_##ID,
#include "monitor/report/exporters.def"
	NR_EXPORTERS
};

/* Words and help texts of the formats, by row of exporters.def. */
extern const struct word exporter_words[NR_EXPORTERS];

/* Further words for formats; the last entry has no word. */
extern const struct synonym exporter_synonyms[];
extern const struct exporter {
	const char *suffix; /* end of automatic file names, with its dot */
	const struct exporter_ops *ops;
} exporters[NR_EXPORTERS];

/* Write a report. Returns false with errno on a write error, ECANCELED if cancelled. */
bool report_write(const struct exporter_ops *exporter, FILE *to, const struct report_input *input);

/*
 * A report that is written while events arrive, without a history: call report_begin() before the
 * first batch is applied, with an input that selects all processes and lives until report_end();
 * call report_batch() after each applied batch. Returns false like report_write().
 */
struct report_run {
	const struct exporter_ops *exporter; /* private */
	FILE *to;                            /* private */
	const struct report_input *input;    /* private */
	struct report_input given;           /* private: the exporter's copy of the input */
	int failed;                          /* private */
	void *report;                        /* private */
};

void report_begin(struct report_run *run, const struct exporter_ops *exporter, FILE *to,
		  const struct report_input *input);
void report_batch(struct report_run *run, const struct batch *batch);
bool report_end(struct report_run *run);

/*
 * Create a file for a report in the working directory. Its name contains the wall time `wall`, if
 * necessary a number, and the exporter's suffix. Sets `name`. Returns NULL with errno on error.
 */
FILE *report_file_new(enum exporter_row exporter, ns_t wall, char *name, size_t name_bytes);

/*
 * Call `visit` with the batches of `input`, oldest first, and the number of their records to use,
 * until the end or until the report is cancelled.
 */
void report_batches(const struct report_input *input,
		    void (*visit)(void *data, const struct batch *batch, uint32_t records),
		    void *data);

/* ---- functions for exporters ---- */

/*
 * Iterates over the records of a batch that belong to a report: those of its processes, within its
 * nesting and its time; and the records that trace2top added about the whole trace.
 *
 *   while (report_walk_next(&walk, &ev)) ...    after report_walk_batch()
 */
struct report_walk {
	const struct report_input *input;
	struct batch_cursor cursor; /* private */
	uint32_t left;              /* private: records left in the batch */
	/* private: is the process in the report, by index of SID: unknown, no, yes */
	uint8_t *chosen;
	uint32_t cap;
};

void report_walk_begin(struct report_walk *walk, const struct report_input *input);
void report_walk_batch(struct report_walk *walk, const struct batch *batch, uint32_t records);
bool report_walk_next(struct report_walk *walk, struct event *ev);
void report_walk_end(struct report_walk *walk);

/* Return the slots of the processes that have a row, sorted by start (without a start last),
 * then SID. The caller frees the `*nr` items. */
uint32_t *report_processes(const struct report_input *input, uint32_t *nr);

/* A row of the timings with its quantiles. */
struct report_timing {
	struct timing timing;
	ns_t p50, p90, p99;
};

/* Return the timings by total, largest first, then category and label (absent first). The caller
 * frees them. */
struct report_timing *report_timings(const struct report_input *input, uint32_t *nr);

/* A row of the command statistics with its quantiles. */
struct report_command {
	struct command command;
	ns_t p50, p90, p99; /* NS_NONE if no process of the command has ended */
	uint32_t row;       /* its row in `commands` */
};

struct report_commands {
	struct report_command *rows; /* rows by total, largest first, then name (absent first) */
	uint32_t nr;
	struct commands commands; /* owns the rows' data */
};

void report_commands(const struct report_input *input, const struct commands_by *by,
		     struct report_commands *out);
void report_commands_release(struct report_commands *commands);

struct report_totals {
	uint64_t events, malformed, oversized, processes, running, exited, failed, signaled,
		replaced, lost, untraced, threads, regions, open_regions, children, errors, untimed;
};

void report_totals(const struct report_input *input, struct report_totals *out);

/* Return the duration of an open region: from its start to the last time of its process, or
 * NS_NONE. */
ns_t report_open_elapsed(const struct process *process, const struct open_region *open);

/* True if the thread has ended: by its thread_exit or by the end of its process. */
static inline bool report_thread_exited(const struct process *process, const struct thread *thread)
{
	return thread->exited ||
	       (process->state != STATE_RUNNING && process->state != STATE_UNTRACED);
}

#endif
