/* SPDX-License-Identifier: MIT */
/*
 * Process-wide state: settings, targets, session id, start time, counters. Set by
 * trace2_initialize() before the flag is raised; then constant, except members marked "atomic".
 * Private to the engine.
 */
#ifndef TR2_STATE_H
#define TR2_STATE_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "engine/tr2_settings.h"
#include "engine/tr2_target.h"

/* Version of the event format that we write. */
#define TR2_EVT "4"

struct tr2_state {
	struct tr2_settings settings;
	struct tr2_target targets[TR2_NR_TARGETS];
	const char *sid; /* atomic: replaced in a forked session */
	int depth;
	bool redact;
	bool initialized;      /* trace2_initialize() raised the flag */
	ns_t start;            /* monotonic; 0: not recorded */
	unsigned nesting_max;  /* deepest region that the event target prints */
	unsigned region_limit; /* deepest region that any target prints */
	int exit_code;         /* atomic: reported by atexit */
	int nr_children;       /* atomic: child ids assigned so far */
	int nr_execs;          /* atomic */
	int nr_repos;          /* atomic */
	/* Set by the host before initialisation. */
	const char *version;
	const char *prefix; /* of the variable names; NULL: GIT_TRACE2 */
	int read_config;    /* 1 yes, 0 no, -1: only with the default prefix */
	size_t ring_bytes;  /* per thread; 0: no rings */
	bool fork_sid;      /* a forked child gets its own session id */
	int forked;         /* atomic: this process is such a child */
	int unsettled;      /* atomic: and nothing was called in it yet */
	void (*bug)(const char *message);
};

extern struct tr2_state tr2_state;

/* Get the name of a setting's variable, even before the settings are loaded. Returns `out`. */
const char *tr2_variable(enum tr2_setting id, char out[TR2_VARIABLE_BYTES]);

/* Emit `version` and the events that follow it directly. Inside a frame. */
struct tr2_call;
void tr2_emit_version(struct tr2_call *call, const char *file, int line);

/* In a forked child that gets its own session id: create that session before anything else. */
void tr2_fork_start_session(void);
/* True if that is done or not necessary. Any thread and signal handler. */
bool tr2_fork_has_session(void);

/* If SIGPIPE has its default action, handle it: write the signal event, then die of it. */
void tr2_signal_watch(void);

/* Get the names of the ancestor processes, NULL-terminated. Returns true if there are any. */
#define TR2_ANCESTRY_MAX 128
#define TR2_COMM_BYTES   64
struct tr2_ancestry {
	const char *names[TR2_ANCESTRY_MAX];
	char mem[TR2_ANCESTRY_MAX][TR2_COMM_BYTES];
};
bool tr2_ancestry(struct tr2_ancestry *out);

#endif
