/* SPDX-License-Identifier: MIT */
/* Collect runs from a model: its root processes that have ended, each with its parts. One
 * thread. */
#ifndef MONITOR_RUNS_OF_MODEL_H
#define MONITOR_RUNS_OF_MODEL_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/runs.h"

struct runs_choice {
	/* callback that selects root processes; NULL: all */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	bool all_over; /* the trace was read to its end, so no process is live */
	/* collect durations, too; those of regions only if the model keeps them */
	bool durations;
};

/*
 * The root process of each run of a set whose runs all come from models. All zeros: empty; the
 * owner frees `items`.
 */
struct run_roots {
	struct handle *items;
	uint32_t nr, cap;
};

/*
 * Add as runs the selected root processes of the model that have ended, have a start time and are
 * not in the set yet. Append the process of each new run to `roots` (may be NULL). Uses `what` as
 * parts_make() does.
 */
void runs_add_model(struct runs *runs, struct run_roots *roots, const struct analysis *what,
		    const struct runs_choice *choice);

#endif
