/* SPDX-License-Identifier: MIT */
/*
 * Runs: a run is a root process that has ended, with its duration, its parts, and the durations of
 * regions, children and processes in it. Sets of runs are compared, and give the past durations of
 * the same thing. A set is read from a model (runs_of_model.h), a baseline file (runs_file.h), or
 * several of them.
 *
 * A set owns all its data including texts, so it outlives its sources. One thread.
 */
#ifndef MONITOR_RUNS_H
#define MONITOR_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "engine/base/hash_index.h"

/* A part of a run, by kind and name (parts.h); absent texts are SYM_NONE. */
struct run_part {
	sym_t kind, category, label, name;
	ns_t time;
};

/*
 * The latest durations of one thing, newest last: of regions by category and label; of children by
 * RUN_CHILD and the text of child_key_text(); of processes with neither.
 */
#define RUN_MAX_DURATIONS 64u
#define RUN_CHILD         "child"

struct run_durations {
	sym_t hierarchy, category, label;
	uint32_t first, nr; /* range in the durations of the set */
};

struct run {
	sym_t sid;
	ns_t start, wall; /* start in wall time; duration: the sum of its parts */
	sym_t name, hierarchy, worktree, exe; /* SYM_NONE: unknown */
	sym_t argv[2];                        /* first two arguments; the others are not kept */
	bool failed;                          /* exit code other than 0, or a signal */
	uint32_t first_part, nr_parts;
	uint32_t first_durations, nr_durations;
};

struct runs {
	struct tr2_intern texts;
	struct run *items; /* ro, as all below: the runs */
	uint32_t nr, cap;
	struct run_part *parts;
	uint32_t nr_parts, cap_parts;
	struct run_durations *things;
	uint32_t nr_things, cap_things;
	ns_t *durations;
	uint32_t nr_durations, cap_durations;
	struct tr2_hash_index by_sid; /* private: finds a run by its SID */
};

void runs_init(struct runs *runs);
void runs_release(struct runs *runs);

/* True if the set has a run with this SID. */
bool runs_has(const struct runs *runs, sym_t sid);

/*
 * Add a run with the parts and durations added since the last run. If the set has a run with this
 * SID, drops them and returns false: a run in two files counts once.
 */
bool runs_add(struct runs *runs, const struct run *run);
void runs_add_part(struct runs *runs, const struct run_part *part);
/* Add the `nr` durations of one thing to the next run; the newest are kept. */
void runs_add_durations(struct runs *runs, const struct run_durations *thing, const ns_t *durations,
			uint32_t nr);
/* Drop the parts and durations added since the last run. */
void runs_drop(struct runs *runs);

static inline sym_t runs_text(struct runs *runs, const char *text, size_t len)
{
	return tr2_intern(&runs->texts, text, len);
}

#endif
