/* SPDX-License-Identifier: MIT */
/*
 * The comparison and rules that the user requested, and their results: the base runs, the rules,
 * and both applied to a model. Reports and pages show the same results. Used by one thread.
 */
#ifndef MONITOR_RULE_RESULTS_H
#define MONITOR_RULE_RESULTS_H

#include "monitor/analysis/rules.h"
#include "monitor/analysis/runs_of_model.h"

struct rule_results {
	struct rules rules; /* rw before the first rule_results_make(): the rules to evaluate */
	/* rw before the first rule_results_make(): the base runs, used if `compares` is true */
	struct runs base;
	bool compares;
	/* rw like `base`: models of the traces of the base, borrowed; baseline files have no
	 * models */
	const struct model **base_models;
	uint32_t nr_base_models, cap_base_models;
	/* rw like `base`: pages and reports compare attributes with the base */
	bool attributes_of_base;

	/* ro, set by rule_results_make(): true if results are available */
	bool made;
	struct runs runs;       /* the new runs */
	struct run_roots roots; /* root process of each of the new runs */
	struct comparison comparison;
	/* private: identifies the selection of `runs`; and whether the selection was made while
	 * looking back */
	uint64_t choice;
	bool past;
	/*
	 * rw by a caller with a screen: when the results were made, as version of the model, number
	 * of completed rounds of findings, and monotonic time.
	 */
	uint64_t version, rounds;
	ns_t made_ns;
};

/* Initialise the struct without a comparison and without rules. Call this before adding rules or a
 * base. */
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
 * findings of an id in a root, see struct rules_of.
 */
void rule_results_make(struct rule_results *verdicts, const struct analysis *what,
		       const struct runs_choice *choice, uint64_t choice_id,
		       uint64_t (*find)(void *data, uint32_t root, const char *id,
					const char *name),
		       void *find_data);

#endif
