/* SPDX-License-Identifier: MIT */
/*
 * Process-wide state of the engine. trace2_initialize() sets the state before it sets trace2_flag.
 * The state is then constant, except members marked "atomic", destinations and rings, and what a
 * forked child with its own session renews.
 */
#ifndef TR2_STATE_H
#define TR2_STATE_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "engine/tr2_settings.h"
#include "engine/tr2_target.h"

/* Version of the event format that libtrace2 writes, as the `version` event reports it. */
#define TR2_EVT "4"

struct tr2_state {
	struct tr2_settings settings;
	struct tr2_target targets[TR2_NR_TARGETS];
	const char *sid; /* the session id; atomic: a forked child may replace the pointer */
	int depth;
	bool redact;
	bool initialized;
	ns_t start;            /* monotonic time at which the session started; 0: not recorded */
	unsigned nesting_max;  /* maximum nesting of regions that the event target prints */
	unsigned region_limit; /* maximum nesting of regions that any target prints */
	int exit_code;         /* atomic: exit code that the atexit event reports */
	int nr_children;       /* atomic */
	int nr_execs;          /* atomic */
	int nr_repos;          /* atomic */
	/* version of the host program; NULL: none. The host program sets this member and the next
	 * four before trace2_initialize(). */
	const char *version;
	/* common prefix of the names of environment variables; NULL: GIT_TRACE2 */
	const char *prefix;
	/* whether to read Git's configuration: 1 yes, 0 no, -1: if `prefix` is NULL */
	int read_config;
	/* size of a thread's ring that the host program requests, in bytes; 0: none */
	size_t ring_bytes;
	bool fork_sid; /* true if a forked child gets its own session id */
	int forked;    /* atomic: this process is a forked child that gets its own session id */
	/* atomic: nonzero in a forked child that gets its own session id, until it begins to write
	 * its `version` event */
	int unsettled;
	void (*bug)(const char *message);
};

extern struct tr2_state tr2_state;

/* Get the name of a setting's environment variable, even before the settings are loaded. Returns
 * `out`. */
const char *tr2_variable(enum tr2_setting id, char out[TR2_VARIABLE_BYTES]);

/* Emit the `version` event, and too_many_files if the event target's directory is full. Call after
 * tr2_call_enter(). */
struct tr2_call;
void tr2_emit_version(struct tr2_call *call, const char *file, int line);

/* In a forked child that gets its own session id: make the calling thread part of the new session.
 * Does nothing in a thread without a context, except the main thread. */
void tr2_fork_start_session(void);
/* True unless this is a forked child that gets its own session and has not created it yet. Any
 * thread; safe in signal handlers. */
bool tr2_fork_has_session(void);

/* Install the SIGPIPE handler, if the signal has its default action. The handler writes the signal
 * event and ends the process. */
void tr2_signal_watch(void);

/* Get the names of the nearest ancestor processes, nearest first, NULL-terminated. Returns false if
 * none is known. */
#define TR2_ANCESTRY_MAX 128
#define TR2_COMM_BYTES   64
struct tr2_ancestry {
	const char *names[TR2_ANCESTRY_MAX];
	char mem[TR2_ANCESTRY_MAX][TR2_COMM_BYTES];
};
bool tr2_ancestry(struct tr2_ancestry *out);

#endif
