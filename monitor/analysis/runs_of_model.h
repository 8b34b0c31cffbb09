/* SPDX-License-Identifier: MIT */
/* Runs of a model: its roots with an end event, each with its parts. One thread. */
#ifndef MONITOR_RUNS_OF_MODEL_H
#define MONITOR_RUNS_OF_MODEL_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/runs.h"

struct runs_choice {
	/* Selects roots; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	bool all_over;  /* nothing is live: a trace that was read to its end */
	bool durations; /* also collect durations; of regions only if the model keeps samples */
};

/*
 * The root of each run, for a set that only comes from models. All zero: empty; the owner free()s
 * it.
 */
struct run_roots {
	struct handle *items;
	uint32_t nr, cap;
};

/*
 * Add the runs that are not in the set yet, and to `roots` (may be NULL) the root of each. Uses
 * `model` (settled) and `now` of `what`. Costs one parts_make() per new run.
 */
void runs_add_model(struct runs *runs, struct run_roots *roots, const struct analysis *what,
		    const struct runs_choice *choice);

#endif
