/* SPDX-License-Identifier: MIT */
/*
 * The runs that a model knows: its roots that have said their end, each with its parts. One thread.
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

/* The root of each run of a set that is of models alone; all zeros is none, and free()d by its
 * owner. */
struct run_roots {
	struct handle *items;
	uint32_t nr, cap;
};

/*
 * Add those that are not there yet, and to `roots` (NULL: not asked) the root of each; `model`
 * (settled) and `now` of `what` are read. Costs what parts_make() does for each that is new.
 */
void runs_add_model(struct runs *runs, struct run_roots *roots, const struct analysis *what,
		    const struct runs_choice *choice);

#endif
