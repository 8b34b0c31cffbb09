/* SPDX-License-Identifier: MIT */
/* Chooses the sets of set_difference.h from the processes of a model. Only processes that have
 * ended are runs. One thread. */
#ifndef MONITOR_SET_DIFFERENCE_SETS_H
#define MONITOR_SET_DIFFERENCE_SETS_H

#include "monitor/analysis/set_difference.h"
#include "monitor/filter/filter_process.h"

enum set_difference_which {
	/* of the runs that `in` selects, with a known duration: the slowest tenth, but at least
	 * 100, and at most a third of them; those as slow as the fastest of these, too */
	SETS_SLOW,
	SETS_TENTH,  /* the slowest tenth, at least 8 */
	SETS_FAILED, /* those with an exit code other than 0 */
	NR_SETS_OF_GROUP,
	/* all that `in` selects; the others are the runs of the same names */
	SETS_CHOSEN = NR_SETS_OF_GROUP,
	SETS_BASE, /* all that `in` selects; the others are the runs of the same names in `bases` */
};

struct set_difference_choice {
	const struct model *model; /* settled */
	int64_t depth;             /* maximum depth of all runs; -1: no limit */
	/* Callback that selects all runs, those of `bases`, too; NULL: no limit. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	enum set_difference_which which;
	/* Callback: true for the runs that the choice is about. */
	bool (*in)(void *data, const struct model *model, uint32_t slot);
	void *data;
	/* Callback: the duration of a run, NS_NONE if it has none; NULL: that of the process. */
	ns_t (*measure)(void *data, const struct model *model, const struct process *process);
	const struct model *const *bases; /* for SETS_BASE: settled; borrowed until the work ends */
	uint32_t nr_bases;
	bool by_success; /* `in` goes by success or failure; implied by SETS_FAILED */
	bool by_error;   /* `in` goes by errors, which are success or failure, too */
};

/*
 * Clear `d` and add all runs. Returns the least duration of the slow runs for SETS_SLOW and
 * SETS_TENTH, otherwise NS_NONE. Takes about 0.1 us per process, and what `in` takes.
 */
ns_t set_difference_choose(struct set_difference *d, const struct set_difference_choice *choice);

/* Callback for `in`: `data` is a struct filter. */
bool set_difference_in_filter(void *data, const struct model *model, uint32_t slot);

/* True if a filter goes by success or failure: by state, code, signo or failed. */
bool set_difference_is_by_success(const struct filter *filter);

#endif
