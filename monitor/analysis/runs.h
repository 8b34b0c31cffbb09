/* SPDX-License-Identifier: MIT */
/*
 * A run is a root process that has ended, with its duration, its parts, and the durations of
 * regions, children and processes in it. A set of runs is read from models (runs_of_model.h) or
 * baseline files (runs_file.h).
 *
 * A set owns all its data. One thread.
 */
#ifndef MONITOR_RUNS_H
#define MONITOR_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "engine/base/hash_index.h"

/* A part of a run. Absent texts are SYM_NONE. */
struct run_part {
	sym_t kind, category, label, name;
	ns_t time;
};

/*
 * The latest durations of one region, child or process, at most RUN_MAX_DURATIONS, about in the
 * order of time. A region has its category and label; a child has RUN_CHILD as category and the
 * text of child_key_text() as label; a process has neither.
 */
#define RUN_MAX_DURATIONS 64u
#define RUN_CHILD         "child"

struct run_durations {
	sym_t hierarchy, category, label;
	uint32_t first, nr;
};

struct run {
	sym_t sid;
	/* wall time of the start of the run; its duration in ns, the sum of the parts */
	ns_t start, wall;
	sym_t name, hierarchy, worktree, exe; /* SYM_NONE: unknown */
	/* first two words of the run's command line */
	sym_t argv[2];
	/* the run had an exit code other than 0 or was killed by a signal */
	bool failed;
	uint32_t first_part, nr_parts;
	uint32_t first_durations, nr_durations;
};

struct runs {
	struct tr2_intern texts;
	struct run *items; /* ro, as are all members after it */
	uint32_t nr, cap;
	uint32_t nr_repeated; /* number of runs that were not added because the set had their SID */
	struct run_part *parts;
	uint32_t nr_parts, cap_parts;
	struct run_durations *things;
	uint32_t nr_things, cap_things;
	ns_t *durations;
	uint32_t nr_durations, cap_durations;
	struct tr2_hash_index by_sid; /* private */
};

void runs_init(struct runs *runs);
void runs_release(struct runs *runs);

bool runs_has(const struct runs *runs, sym_t sid);

/*
 * Add a run with the parts and durations that were added since the last run. If the set has a run
 * with this SID, drop them and return false.
 */
bool runs_add(struct runs *runs, const struct run *run);
void runs_add_part(struct runs *runs, const struct run_part *part);
/* Add `nr` durations of one region, child or process to the next run; only the last
 * RUN_MAX_DURATIONS are kept. */
void runs_add_durations(struct runs *runs, const struct run_durations *thing, const ns_t *durations,
			uint32_t nr);
void runs_drop(struct runs *runs);

static inline sym_t runs_text(struct runs *runs, const char *text, size_t len)
{
	return tr2_intern(&runs->texts, text, len);
}

#endif
