/* SPDX-License-Identifier: MIT */
/*
 * A journal for tests, written as a script: short forms of events, parsed by the real reader, and
 * records that trace2top itself adds, in batches that end at chosen places. Single quotes in a
 * script mean double quotes.
 */
#ifndef TESTS_JOURNAL_SCRIPT_H
#define TESTS_JOURNAL_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/model/model.h"
#include "monitor/read/reader.h"

#define SCRIPT_MAX_BATCHES 4096

/* Wall time of second 0 of a script: 2026-01-02T03:04:00Z. */
#define SCRIPT_T0_SECONDS 1767323040
#define SCRIPT_NO_TIME    (-1e9)

struct script {
	struct tr2_intern syms;
	struct reader *reader;
	struct batch *batches[SCRIPT_MAX_BATCHES];
	unsigned nr_batches;
	struct read_counts counts;
	unsigned cut_every; /* records per batch; 0: a batch ends only if it is full or cut */
	double skew;        /* seconds by which the agents' clocks of later streams lag */
	int64_t uid;        /* user of the streams that follow; 0: unknown */
};

void script_init(struct script *script);
void script_release(struct script *script);

/* Append a line of JSON, formatted as by printf(). */
void script_line(struct script *script, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Append an event of `sid`, `seconds` after the script's start (SCRIPT_NO_TIME: without a time), on
 * thread "main" unless `more` contains another. `more` has further keys, such as
 * "'t_abs':0.5,'code':0", or "".
 */
void script_event(struct script *script, const char *event, const char *sid, double seconds,
		  const char *more);

void script_stream(struct script *script, unsigned stream, double arrival, bool live);
/* Append a STREAM record for a stream from `agent` (NULL: none), received at `arrival`. */
void script_agent_stream(struct script *script, unsigned stream, double arrival, bool live,
			 const char *agent);
void script_stream_end(struct script *script, unsigned stream);
void script_pid(struct script *script, bool seen, const char *sid, int64_t pid);

/* Append an ABOUT record of a process. NULL, NUM_NONE: absent. */
void script_about(struct script *script, const char *sid, const char *parent, const char *host,
		  int64_t pid);

/* Append an ABOUT record with a format, the bits of the field ABOUT and the main thread (NULL:
 * absent). */
void script_about_trace(struct script *script, const char *sid, const char *format, int64_t bits,
			const char *main_thread);

void script_cut(struct script *script);

/*
 * Apply the whole script to a new model and settle it. `max_processes` 0 and `nesting` -1: no
 * limits.
 */
struct model *script_model(const struct script *script, int64_t nesting, uint32_t max_processes);

const struct process *script_process(const struct model *model, const char *sid);

void script_reports_equal(const struct model *a, const struct model *b);

/* True if the text of the symbol is `text` (NULL: the symbol is SYM_NONE). */
bool script_sym_is(const struct model *model, sym_t sym, const char *text);

sym_t script_sym(struct script *script, const char *text);

static inline ns_t script_seconds(double seconds)
{
	return (ns_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

#endif
