/* SPDX-License-Identifier: MIT */
/* The base runs and rules that the user requested, and their results for a model. One thread. */
#ifndef MONITOR_RULE_RESULTS_H
#define MONITOR_RULE_RESULTS_H

#include "monitor/analysis/rules.h"
#include "monitor/analysis/runs_of_model.h"

struct rule_results {
	struct rules rules; /* rw before the first rule_results_make() */
	/* rw before the first rule_results_make(): base runs, used if `compares` */
	struct runs base;
	bool compares;
	/* rw like `base`: models of the base, borrowed; baseline files have none */
	const struct model **base_models;
	uint32_t nr_base_models, cap_base_models;
	/* rw like `base`: pages and reports compare attributes with the base */
	bool attributes_of_base;

	/* ro, set by rule_results_make(): results are available */
	bool made;
	struct runs runs;       /* the new runs */
	struct run_roots roots; /* root process of each of the new runs */
	struct comparison comparison;
	/* private: identifies the selection of `runs`; whether that was made while looking back */
	uint64_t choice;
	bool past;
	/*
	 * rw by a caller with a screen: version of the model, completed rounds of findings and
	 * monotonic time when the results were made
	 */
	uint64_t version, rounds;
	ns_t made_ns;
};

/* Initialise without a comparison and rules. */
void rule_results_init(struct rule_results *verdicts);
void rule_results_release(struct rule_results *verdicts);

static inline bool rule_results_asked(const struct rule_results *verdicts)
{
	return verdicts->compares || verdicts->rules.nr;
}

/*
 * Collect the runs of the model of `what`, compare them with the base if `compares`, and evaluate
 * the rules. `choice_id` identifies the selection: if it is unchanged and neither this nor the last
 * call was made while looking back, earlier runs are kept, even if their root was evicted. `find`
 * (may be NULL): see `findings` of struct rules_of.
 */
void rule_results_make(struct rule_results *verdicts, const struct analysis *what,
		       const struct runs_choice *choice, uint64_t choice_id,
		       uint64_t (*find)(void *data, uint32_t root, const char *id,
					const char *name),
		       void *find_data);

#endif
