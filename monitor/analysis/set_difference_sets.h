/* SPDX-License-Identifier: MIT */
/*
 * Choose the two sets of runs of set_difference.h from processes that are not running. One thread.
 */
#ifndef MONITOR_SET_DIFFERENCE_SETS_H
#define MONITOR_SET_DIFFERENCE_SETS_H

#include "monitor/analysis/set_difference.h"
#include "monitor/filter/filter_process.h"

/* Unless stated otherwise, `others` are the other runs that `in` selects. */
enum set_difference_which {
	/* slow: the slowest tenth of the runs that `in` selects, but at least 100 and at most a
	 * third of them (rounded up), plus the runs that are as slow as the fastest of these. Runs
	 * of unknown duration are in neither set */
	SETS_SLOW,
	SETS_TENTH,  /* like SETS_SLOW, but at least 8 runs instead of 100 */
	SETS_FAILED, /* slow: the runs that `in` selects, with an exit code other than 0 */
	NR_SETS_OF_GROUP,
	/* slow: all runs that `in` selects; others: the other runs of the same names */
	SETS_CHOSEN = NR_SETS_OF_GROUP,
	/* slow: all runs that `in` selects; others: the runs of the same names in `bases` */
	SETS_BASE,
};

struct set_difference_choice {
	const struct model *model; /* settled */
	int64_t depth;             /* maximum depth of runs; -1: no limit */
	/* Callback that selects the runs of both sets, also in `bases`; NULL: all. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	enum set_difference_which which;
	/* Callback that selects the runs that `which` refers to. */
	bool (*in)(void *data, const struct model *model, uint32_t slot);
	void *data;
	/* Callback that returns the duration of a run, NS_NONE if it has none; NULL: use that of
	 * the process. */
	ns_t (*measure)(void *data, const struct model *model, const struct process *process);
	/* for SETS_BASE: settled models; borrowed until the work ends */
	const struct model *const *bases;
	uint32_t nr_bases;
	bool by_success; /* `in` selects by success or failure; SETS_FAILED implies it */
	/* `in` selects by errors, which also indicate success or failure */
	bool by_error;
};

/*
 * Clear `d` and add all runs. Returns the shortest duration of the slow runs for SETS_SLOW and
 * SETS_TENTH; NS_NONE: none.
 */
ns_t set_difference_choose(struct set_difference *d, const struct set_difference_choice *choice);

bool set_difference_is_by_success(const struct filter *filter);

#endif
