/* SPDX-License-Identifier: MIT */
/* Reads the rules and the base from the command line and evaluates them (rule_results.h). Loop
 * thread. */
#ifndef MONITOR_RULE_EVAL_H
#define MONITOR_RULE_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/rule_results.h"
#include "monitor/settings/options.h"

/*
 * Read the rules, then the base, which may take a while. On error returns false with one line in
 * `why`; the caller then calls rule_results_release().
 */
bool rule_eval_open(struct rule_results *out, const struct options *options, char *why,
		    size_t why_bytes);

/* True if the output that the options request shows parts of the wall time or medians. */
bool rule_eval_asks_why(const struct options *options);

/* Print a line on stderr for each rule that fails or cannot be evaluated, with any report format.
 * Returns true if there is one. */
bool rule_eval_report(const struct rule_results *verdicts);

/*
 * Return the durations of the runs of a base, newest last, for a model with symbols `syms`, to
 * which the base's texts are added. Allocated with malloc(), `*nr` entries. Borrows the base's
 * durations.
 */
struct past_durations *rule_eval_past(const struct runs *base, struct tr2_intern *syms,
				      uint32_t *nr);

#endif
