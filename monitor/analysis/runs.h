/* SPDX-License-Identifier: MIT */
/*
 * A run is a root process that has ended: how long it took, of what parts, and how long the things
 * in it took. A set of runs is what is compared with another, and what tells what is usual. It
 * comes from a model (runs_of_model.h) or a file of runs (runs_file.h), or from several of them.
 *
 * A set owns all of it, its texts, too: it outlives what it was made of. One thread.
 */
#ifndef MONITOR_RUNS_H
#define MONITOR_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "engine/base/slots.h"

/* A part of it, by kind and what it is called (parts.h); absent texts are SYM_NONE. */
struct run_part {
	sym_t kind, category, label, name;
	ns_t time;
};

/* The newest durations of one thing, the newest last: of regions by their category and label; of
 * children by RUN_CHILD and what they are known by (model.h); of processes with neither. */
#define RUN_MAX_DURATIONS 64u
#define RUN_CHILD         "child"

struct run_durations {
	sym_t hierarchy, category, label;
	uint32_t first, nr; /* of the set's durations */
};

struct run {
	sym_t sid;
	ns_t start, wall; /* wall time of its origin; how long it took: the sum of its parts */
	sym_t name, hierarchy, worktree, exe; /* SYM_NONE: not known */
	sym_t argv[2];                        /* no more of it is kept */
	bool failed; /* it ended with a code other than 0, or by a signal */
	uint32_t first_part, nr_parts;
	uint32_t first_durations, nr_durations;
};

struct runs {
	struct tr2_intern texts;
	struct run *items; /* ro, as all below */
	uint32_t nr, cap;
	struct run_part *parts;
	uint32_t nr_parts, cap_parts;
	struct run_durations *things;
	uint32_t nr_things, cap_things;
	ns_t *durations;
	uint32_t nr_durations, cap_durations;
	struct tr2_slots by_sid; /* private */
};

void runs_init(struct runs *runs);
void runs_release(struct runs *runs);

/* Is a run of that SID there? */
bool runs_has(const struct runs *runs, sym_t sid);

/*
 * Add a run, whose parts and things are those that were added since the last one. Where a run of
 * that SID is there already, all of it is dropped again, and false is returned: one that stands in
 * two files is one run.
 */
bool runs_add(struct runs *runs, const struct run *run);
void runs_add_part(struct runs *runs, const struct run_part *part);
/* Of one thing, with `nr` durations, of which the newest are kept. */
void runs_add_durations(struct runs *runs, const struct run_durations *thing, const ns_t *durations,
			uint32_t nr);
/* Drop the parts and things that were added since the last run. */
void runs_drop(struct runs *runs);

static inline sym_t runs_text(struct runs *runs, const char *text, size_t len)
{
	return tr2_intern(&runs->texts, text, len);
}

#endif
