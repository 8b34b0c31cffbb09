/* SPDX-License-Identifier: MIT */
/*
 * The runs that a model knows: its roots that have said their end, each with its parts. One thread;
 * costs what parts_make() does for each root.
 */
#ifndef MONITOR_RUNS_OF_MODEL_H
#define MONITOR_RUNS_OF_MODEL_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/runs.h"

struct runs_choice {
	/* Which roots are chosen; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t root);
	void *keep_data;
	bool all_over;  /* nothing is live any more, as of a trace that was read to its end */
	bool durations; /* of what is in it, too: of regions where the model keeps samples */
};

/*
 * Add them to `runs`; `model` (settled) and `now` of `what` are read. Returns the slot of the root
 * of each run that was added, malloc()ed, in the order of the runs.
 */
uint32_t *runs_add_model(struct runs *runs, const struct analysis *what,
			 const struct runs_choice *choice);

#endif
