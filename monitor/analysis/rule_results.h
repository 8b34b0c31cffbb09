/* SPDX-License-Identifier: MIT */
/*
 * The comparison and rules that the user requested, and their results: the base runs, the rules,
 * and both applied to a model. Reports and pages show the same results. One thread.
 */
#ifndef MONITOR_VERDICTS_H
#define MONITOR_VERDICTS_H

#include "monitor/analysis/rules.h"
#include "monitor/analysis/runs_of_model.h"

struct rule_results {
	struct rules rules; /* rw before the first rule_results_make(): the rules */
	/* rw before the first rule_results_make(): the base runs, if `compares` */
	struct runs base;
	bool compares;
	/* rw like `base`: the models of the base's traces, borrowed; baseline files have none */
	const struct model **base_models;
	uint32_t nr_base_models, cap_base_models;
	bool attributes_of_base; /* rw like `base`: compare attributes with the base at first */

	/* ro, set by rule_results_make(): results are available */
	bool made;
	struct runs runs;       /* the new runs */
	struct run_roots roots; /* root process of each run */
	struct comparison comparison;
	/* private: identifies the selection of `runs`, and whether it was of the past */
	uint64_t choice;
	bool past;
	/*
	 * rw by the caller on a screen: when the results were made, as version of the model, number
	 * of findings rounds, and monotonic time.
	 */
	uint64_t version, rounds;
	ns_t made_ns;
};

/* Initialise: no comparison and no rules. Call this before adding rules or a base. */
void rule_results_init(struct rule_results *verdicts);
void rule_results_release(struct rule_results *verdicts);

static inline bool rule_results_asked(const struct rule_results *verdicts)
{
	return verdicts->compares || verdicts->rules.nr;
}

/*
 * Collect the runs of the model of `what`, compare them with the base and evaluate the rules.
 * `choice_id` identifies the selection: for an unchanged selection in the present, earlier runs are
 * kept, even if their root was evicted from the model. `find` (may be NULL) returns the number of
 * findings of an id in a root, see rules_of.
 */
void rule_results_make(struct rule_results *verdicts, const struct analysis *what,
		       const struct runs_choice *choice, uint64_t choice_id,
		       uint64_t (*find)(void *data, uint32_t root, const char *id,
					const char *name),
		       void *find_data);

#endif
