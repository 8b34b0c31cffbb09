/* SPDX-License-Identifier: MIT */
/*
 * A report describes a run, or a part of it. Its formats are the rows of exporters.def. The JSON
 * format is a contract (schema trace2top-report/1); the text format is for people.
 *
 * Used by the loop thread and the thread of queries; the model must not change during a call.
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

/* When and where a report was written; the texts are borrowed. */
struct report_origin {
	ns_t written; /* wall clock time at which the report is written */
	const char *program;
	const char *host; /* name, operating system and processors of the host */
};

/* The content of a report: the state after the first `end` events, with the processes within
 * `depth` that `keep` selects. */
struct report_input {
	/* model that is reported; report_write() settles it */
	struct model *model;
	/* journal with the kept events; NULL: none */
	const struct journal *journal;
	uint64_t end; /* number of events that the report includes; UINT64_MAX: all */
	/* Model of the timings (sums per region), filled from the processes that `keep` selects.
	 * NULL: `model`. */
	const struct model *timings;
	/* Compute the timings from the region trees of the selected processes, without
	 * quantiles. */
	bool timings_by_process;
	/* maximum nesting of regions and depth of processes; -1: no limit */
	int64_t nesting, depth;
	/* wall clock time before which events are left out; 0 or NS_NONE: none */
	ns_t since;
	const char *filter; /* text of the filter; NULL: none */
	/* selects the processes that have a row; NULL: all within `depth` */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	const struct source_stats *sources; /* borrowed */
	int nr_sources;
	/* events that the journal dropped before the model applied them */
	uint64_t dropped_events;
	/* maximum rows of most tables in the text report; -1: all */
	int64_t top;
	const struct report_origin *origin; /* may be NULL */
	/* row of tables.def, for formats with one table */
	int table;
	bool parts;
	/* the report is about a command that trace2top ran (`-- COMMAND`) */
	bool own_command;
	/* Subject of the heat map: a command, "" for all, or CATEGORY/LABEL; NULL: no map. */
	const char *heat;
	/* attributes by which processes are grouped; NULL: no groups */
	const struct commands_by *group_by;
	/* selects the runs that are compared with the others or the base; NULL: no comparison */
	struct filter *difference;
	bool values;
	/* for queries: the SELECT statement, an enum query_format, and a buffer of
	 * QUERY_WHY_BYTES for the reason of a failure */
	const char *sql;
	int sql_format;
	char *sql_why;
	bool findings; /* include findings */
	/* left-out findings, one bit per id */
	uint64_t findings_off;
	/* results of the comparison and the rules; may be NULL */
	const struct rule_results *verdicts;
	/* work that may cancel the report at each process or batch; may be NULL */
	struct work *work;
	/* redactor of the events, for exporters with `redacts`; NULL: no redaction */
	struct redactor *redactor;
	/* where an exporter stores the errno of a failure that is not one of the stream */
	int *failed;
};

/*
 * A format of reports. If it needs events, `begin` is called first, then `batch` for the batches in
 * the journal's order, then `end`; else only `end`. A write error sets the error flag of the
 * stream.
 */
struct exporter_ops {
	/* Start the report. The other functions get the result as `report`; NULL if `begin` is
	 * NULL. */
	void *(*begin)(FILE *to, const struct report_input *input);
	/* Add the first `records` records of the next batch, borrowed for the call, except those
	 * that `input` excludes. NULL: the format needs no events. */
	void (*batch)(void *report, const struct batch *batch, uint32_t records);
	/* Write the rest and free `report`. Also called after the report was cancelled. */
	void (*end)(void *report, FILE *to, const struct report_input *input);
	bool takes_top;   /* the format uses `top` of its input */
	bool takes_table; /* the format writes one table, which --table selects */
	/* the format reports rules, so at least one must be given */
	bool needs_rules;
	/* the format needs a regular file, so --once needs -o FILE */
	bool needs_file;
	bool redacts; /* the format uses the redactor of its input */
	/* library that the format needs and this build lacks; NULL: none */
	const char *library;
};

enum exporter_row {
#define EXPORTER(ID, word, suffix, help, ops) EXPORTER_##ID,
#include "monitor/report/exporters.def"
	NR_EXPORTERS
};

extern const struct word exporter_words[NR_EXPORTERS];

/* Synonyms of the formats' words; the last entry has no word. */
extern const struct synonym exporter_synonyms[];
extern const struct exporter {
	const char *suffix; /* end of an automatic file name, with its dot */
	const struct exporter_ops *ops;
} exporters[NR_EXPORTERS];

/* Write a report. Returns false with errno on error; ECANCELED if the report was cancelled. */
bool report_write(const struct exporter_ops *exporter, FILE *to, const struct report_input *input);

/*
 * A report that is written while events arrive. Call report_begin() before the first batch is
 * applied, with an input that selects all processes and lives until report_end(). Call
 * report_batch() after each applied batch. report_end() returns as report_write() does.
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

/* Create a file for a report in the working directory, and store its name in `name`: a name with
 * the wall clock time `wall` and the exporter's suffix. Returns NULL with errno on error. */
FILE *report_file_new(enum exporter_row exporter, ns_t wall, char *name, size_t name_bytes);

/* Call `visit` with each batch of `input`, oldest first, and the number of its records to use,
 * unless the report is cancelled. */
void report_batches(const struct report_input *input,
		    void (*visit)(void *data, const struct batch *batch, uint32_t records),
		    void *data);

/* ---- functions for exporters ---- */

/*
 * Iterator over the records of a batch that belong to a report: those of its processes, within the
 * limits on nesting and time, and those without a process.
 *
 *   while (report_walk_next(&walk, &ev)) ...    after report_walk_batch()
 */
struct report_walk {
	const struct report_input *input;
	struct batch_cursor cursor; /* private */
	uint32_t left;              /* private */
	/* private: for each SID of the batch, by its index: 0 unknown, 1 not in the report, 2 in
	 * the report */
	uint8_t *chosen;
	uint32_t cap;
};

void report_walk_begin(struct report_walk *walk, const struct report_input *input);
void report_walk_batch(struct report_walk *walk, const struct batch *batch, uint32_t records);
bool report_walk_next(struct report_walk *walk, struct event *ev);
void report_walk_end(struct report_walk *walk);

/* Return the slots of the processes that have a row, sorted by start, then SID; processes
 * without a start are last. The caller frees the `*nr` items. */
uint32_t *report_processes(const struct report_input *input, uint32_t *nr);

struct report_timing {
	struct timing timing;
	ns_t p50, p90, p99;
};

/* Return the timings, sorted by total, largest first, then by category and label (absent first).
 * The caller frees them. */
struct report_timing *report_timings(const struct report_input *input, uint32_t *nr);

struct report_command {
	struct command command;
	/* quantiles in ns; NS_NONE: none */
	ns_t p50, p90, p99;
	uint32_t row; /* index of the command's row in `commands` */
};

struct report_commands {
	/* rows, sorted by total, largest first, then by name (absent first) */
	struct report_command *rows;
	uint32_t nr;
	struct commands commands; /* owns the data of the rows */
};

void report_commands(const struct report_input *input, const struct commands_by *by,
		     struct report_commands *out);
void report_commands_release(struct report_commands *commands);

struct report_totals {
	uint64_t events, malformed, oversized, processes, running, exited, failed, signaled,
		replaced, lost, untraced, threads, regions, open_regions, children, errors, untimed;
};

void report_totals(const struct report_input *input, struct report_totals *out);

/* Return the time from the start of an open region to the last event of its process; NS_NONE if
 * unknown. */
ns_t report_open_elapsed(const struct process *process, const struct open_region *open);

/* True if the thread has ended, by its thread_exit event or with its process. */
static inline bool report_thread_exited(const struct process *process, const struct thread *thread)
{
	return thread->exited ||
	       (process->state != STATE_RUNNING && process->state != STATE_UNTRACED);
}

#endif
