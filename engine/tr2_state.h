/* SPDX-License-Identifier: MIT */
/*
 * What the whole process has once: settings, targets, session id, start, running numbers.
 * Filled by trace2_initialize() before the flag is raised, constant from then on but for the
 * fields that say "atomic". Private to the engine.
 */
#ifndef TR2_STATE_H
#define TR2_STATE_H

#include <stdbool.h>

#include "engine/base/clock.h"
#include "engine/tr2_settings.h"
#include "engine/tr2_target.h"

/* The event format that we write. */
#define TR2_EVT "4"

struct tr2_state {
	struct tr2_settings settings;
	struct tr2_target targets[TR2_NR_TARGETS];
	const char *sid; /* atomic: of a forked session it is renewed */
	int depth;
	bool redact;
	bool initialized;      /* trace2_initialize() got as far as to raise the flag */
	ns_t start;            /* monotonic; 0: the clock was not started */
	unsigned nesting_max;  /* deepest region that the event target prints */
	unsigned region_limit; /* deepest region that any target prints */
	int exit_code;         /* atomic: what atexit reports */
	int nr_children;       /* atomic: numbers given so far */
	int nr_execs;          /* atomic */
	int nr_repos;          /* atomic */
	/* What the host set before it initialised. */
	const char *version;
	const char *prefix; /* of the variables; NULL: GIT_TRACE2 */
	int read_config;    /* 1 yes, 0 no, -1: with the default prefix only */
	size_t ring_bytes;  /* of a thread's ring; 0: none */
	bool fork_sid;      /* a forked child gets its own session id */
	int forked;         /* atomic: this is such a child ... */
	int unsettled;      /* atomic: ... and nothing was called in it so far */
	void (*bug)(const char *message);
};

extern struct tr2_state tr2_state;

/* The name of a setting's variable, before the settings are loaded too. Returns `out`. */
const char *tr2_variable(enum tr2_setting id, char out[TR2_VARIABLE_BYTES]);

/* Open the destinations that the settings name; whether there is any. */
bool tr2_targets_open(void);

/* Write `version`, and what belongs right behind it. Inside a frame. */
struct tr2_call;
void tr2_emit_version(struct tr2_call *call, const char *file, int line);

/* In a forked child that is to have its own session id: make that session before all else. */
void tr2_fork_settle(void);
/* Whether that is done, or need not be. Any thread and signal handler. */
bool tr2_fork_is_settled(void);

/* SIGPIPE, where nobody handles it: write the signal event, then die of it. */
void tr2_signal_watch(void);

/* The names of the processes above, NULL-terminated; true where there is any. */
#define TR2_ANCESTRY_MAX 128
#define TR2_COMM_BYTES   64
struct tr2_ancestry {
	const char *names[TR2_ANCESTRY_MAX];
	char mem[TR2_ANCESTRY_MAX][TR2_COMM_BYTES];
};
bool tr2_ancestry(struct tr2_ancestry *out);

#endif
