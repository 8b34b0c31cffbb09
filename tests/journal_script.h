/* SPDX-License-Identifier: MIT */
/*
 * A journal for tests, written as a script: events in short form, read by the real reader, and
 * records of our own, in batches that are cut wherever a test wants. A model made of it is
 * applied and settled. Single quotes in a script stand for double ones.
 */
#ifndef TESTS_JOURNAL_SCRIPT_H
#define TESTS_JOURNAL_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/model/model.h"
#include "monitor/read/reader.h"

#define SCRIPT_MAX_BATCHES 4096

/* The wall time at `seconds` of a script: 2026-01-02T03:04:00Z and so much. */
#define SCRIPT_T0_SECONDS 1767323040
#define SCRIPT_NO_TIME    (-1e9)

struct script {
	struct tr2_intern syms;
	struct reader *reader;
	struct batch *batches[SCRIPT_MAX_BATCHES];
	unsigned nr_batches;
	struct read_counts counts;
	unsigned cut_every; /* records a batch; 0: only where it is full */
	double skew;        /* seconds that the clocks of agents are behind */
};

void script_init(struct script *script);
void script_release(struct script *script);

/* One line of JSON, as printf() makes it. */
void script_line(struct script *script, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * An event of `sid` on thread "main" (unless `more` names another), `seconds` after the
 * script's beginning; `more` is what follows, such as "'t_abs':0.5,'code':0", or "".
 */
void script_event(struct script *script, const char *event, const char *sid, double seconds,
		  const char *more);

/* Records of our own. */
void script_stream(struct script *script, unsigned stream, double arrival, bool live);
/* The same of one that an agent sent, whose server got it at `arrival`. */
void script_agent_stream(struct script *script, unsigned stream, double arrival, bool live,
			 const char *agent);
void script_stream_end(struct script *script, unsigned stream);
void script_pid(struct script *script, bool seen, const char *sid, int64_t pid);

/* What a reader says of a process; NULL, NUM_NONE: not said. */
void script_about(struct script *script, const char *sid, const char *parent, const char *host,
		  int64_t pid);

/* What it says of its trace: FLD_ABOUT's `bits`, and the main thread. */
void script_about_trace(struct script *script, const char *sid, const char *format, int64_t bits,
			const char *main_thread);

/* What comes next stands in a new batch. */
void script_cut(struct script *script);

/* A model of the whole script, settled; `max_processes` 0 and `nesting` -1: no limits. */
struct model *script_model(const struct script *script, int64_t nesting, uint32_t max_processes);

/* Its process; NULL where there is none. */
const struct process *script_process(const struct model *model, const char *sid);

/* Fails where their reports differ; both stay as they are. */
void script_reports_equal(const struct model *a, const struct model *b);

/* Is the symbol this text? */
bool script_sym_is(const struct model *model, sym_t sym, const char *text);

/* The symbol of a text. */
sym_t script_sym(struct script *script, const char *text);

static inline ns_t script_seconds(double seconds)
{
	return (ns_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

#endif
