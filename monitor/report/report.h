/* SPDX-License-Identifier: MIT */
/*
 * Reports: a model's figures in some form, for scripts and bug reports. The forms are rows of
 * exporters.def; each is one file that ends in a const struct exporter_ops. The JSON form is a
 * contract (schema trace2top-report/1); the text form shows the same figures in the same order.
 *
 * Reports are written piece by piece to a stdio stream: a million processes need no buffer of
 * their size. Loop thread; the model must not change while one is written.
 */
#ifndef MONITOR_REPORT_H
#define MONITOR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/model/model.h"
#include "monitor/base/work.h"

/* What one source counted. Texts are borrowed. */
struct report_source {
	const char *spec;   /* as it was given */
	const char *kind;   /* "file", "directory", "fifo", "stdin", "af_unix:stream", ... */
	const char *format; /* "event" */
	uint64_t bytes, records, events, malformed, unknown, oversized, foreign;
};

struct report_input {
	struct model *model; /* settled by report_write() */
	/* Timings are taken from this one where it is not NULL: a second pass that admitted only
	 * the processes that `keep` chooses. */
	const struct model *timings;
	int64_t nesting, depth; /* the limits in force; -1: none */
	const char *filter;	/* its text, or NULL */
	/* Which processes get a row; NULL: all within `depth`. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	const struct report_source *sources;
	int nr_sources;
	uint64_t dropped_events; /* that the journal dropped unread */
	struct work *work;	 /* asked at each process whether to go on; NULL: not */
};

struct exporter_ops {
	const char *name;   /* as --format takes it */
	const char *suffix; /* of a file that it writes, with its dot */
	const char *help;
	void (*write)(FILE *to, const struct report_input *input);
};

enum exporter {
#define EXPORTER(ID, ops) EXPORTER_##ID,
#include "monitor/report/exporters.def"
	NR_EXPORTERS
};

extern const struct exporter_ops *const exporters[NR_EXPORTERS];

/* Write a report; false with errno where the stream failed, ECANCELED where it was broken off. */
bool report_write(enum exporter exporter, FILE *to, const struct report_input *input);

/* ---- for exporters ---- */

/* The slots that get a row, by start (none last), then SID; malloc()ed, `*nr` of them. */
uint32_t *report_processes(const struct report_input *input, uint32_t *nr);

/* A row of the timings with its quantiles. */
struct report_timing {
	struct timing timing;
	ns_t p50, p90, p99;
};

/* The timings by total, largest first, then category and label (absent first); malloc()ed. */
struct report_timing *report_timings(const struct report_input *input, uint32_t *nr);

struct report_totals {
	uint64_t events, malformed, oversized, processes, running, exited, failed, signaled,
		replaced, lost, threads, regions, open_regions, children, errors;
};

void report_totals(const struct report_input *input, struct report_totals *out);

/* elapsed of an open region: the process's last time less the enter's; NS_NONE. */
ns_t report_open_elapsed(const struct process *process, const struct open_region *open);

/* Is a thread over: by its thread_exit or by its process's end? */
static inline bool report_thread_exited(const struct process *process, const struct thread *thread)
{
	return thread->exited || process->state != STATE_RUNNING;
}

#endif
