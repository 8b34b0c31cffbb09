/* SPDX-License-Identifier: MIT */
/* Choose the two sets of runs that set_difference.h compares from the processes of a model. Only
 * processes whose state is not `running` are runs. Used by one thread. */
#ifndef MONITOR_SET_DIFFERENCE_SETS_H
#define MONITOR_SET_DIFFERENCE_SETS_H

#include "monitor/analysis/set_difference.h"
#include "monitor/filter/filter_process.h"

/* Unless stated otherwise, `others` are the other runs that `in` selects. */
enum set_difference_which {
	/* slow: the slowest tenth of the runs that `in` selects and whose duration is known, but at
	 * least 100 runs and at most a third of them, plus the runs that are as slow as the fastest
	 * of these. Runs without a known duration are in neither set */
	SETS_SLOW,
	SETS_TENTH,  /* like SETS_SLOW, but at least 8 runs instead of 100 */
	SETS_FAILED, /* slow: the runs that `in` selects and that had an exit code other than 0 */
	NR_SETS_OF_GROUP,
	/* slow: all runs that `in` selects; others: the other runs of the same names */
	SETS_CHOSEN = NR_SETS_OF_GROUP,
	/* slow: all runs that `in` selects; others: the runs of the same names in `bases` */
	SETS_BASE,
};

struct set_difference_choice {
	const struct model *model; /* settled */
	int64_t depth;             /* maximum depth of the runs of both sets; -1: no limit */
	/* Callback that selects the runs of both sets, also in `bases`; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	enum set_difference_which which;
	/* Callback that returns true for the runs that `which` refers to. */
	bool (*in)(void *data, const struct model *model, uint32_t slot);
	void *data;
	/* Callback that returns the duration of a run, NS_NONE if it has none; NULL: use the
	 * duration of the process. */
	ns_t (*measure)(void *data, const struct model *model, const struct process *process);
	/* for SETS_BASE: models after model_settle(); borrowed until the work ends */
	const struct model *const *bases;
	uint32_t nr_bases;
	bool by_success; /* true if `in` selects by success or failure; SETS_FAILED implies it */
	/* true if `in` selects by errors, which also indicate success or failure */
	bool by_error;
};

/*
 * Clear `d` and add all runs to its sets. Returns the shortest duration of the slow runs for
 * SETS_SLOW and SETS_TENTH, otherwise NS_NONE. Takes about 0.1 us per process, plus the time of
 * `in`.
 */
ns_t set_difference_choose(struct set_difference *d, const struct set_difference_choice *choice);

/* True if a filter selects by success or failure: by state, code, signo or failed. */
bool set_difference_is_by_success(const struct filter *filter);

#endif
