/* SPDX-License-Identifier: MIT */
/* Get runs from a model: its roots with an end event, each with its parts. One thread. */
#ifndef MONITOR_RUNS_OF_MODEL_H
#define MONITOR_RUNS_OF_MODEL_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/runs.h"

struct runs_choice {
	/* Callback that selects roots; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	bool all_over; /* the trace was read to its end, so that nothing is live */
	/* collect durations, too; those of regions only if the model keeps individual ones */
	bool durations;
};

/*
 * The root process of each run, for a set that only comes from models. All zeros: empty; the owner
 * free()s it.
 */
struct run_roots {
	struct handle *items;
	uint32_t nr, cap;
};

/*
 * Add the roots of the model that have ended and are not in the set yet, and to `roots` (may be
 * NULL) the process of each. Uses `model` (settled) and `now` of `what`. Costs one parts_make() per
 * new run.
 */
void runs_add_model(struct runs *runs, struct run_roots *roots, const struct analysis *what,
		    const struct runs_choice *choice);

#endif
