/* SPDX-License-Identifier: MIT */
/* Read the rules and the base of the command line, and evaluate the rules. Used by the loop
 * thread. */
#ifndef MONITOR_RULE_EVAL_H
#define MONITOR_RULE_EVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/rule_results.h"
#include "monitor/app/runs_file.h"

/*
 * Read the rules, then the base runs, which may take a while. Traces whose models a page or
 * --difference-base may need are added to `traces`, which must outlive `out`; the caller frees
 * them. Returns false with one line in `why` on error; the caller then calls
 * rule_results_release().
 */
bool rule_eval_open(struct rule_results *out, const struct options *options,
		    struct base_trace **traces, char *why, size_t why_bytes);

/* True if the options request output that may need parts of the wall time or past durations. */
bool rule_eval_asks_why(const struct options *options);

/* If rules failed or could not be evaluated, print on stderr how many, and return true. */
bool rule_eval_report(const struct rule_results *verdicts);

/*
 * Return the durations of the runs of a base, newest last, for a model whose symbols are `syms`, to
 * which the texts of the base are added. The result has `*nr` entries, is malloc()ed, and borrows
 * the durations of the base.
 */
struct past_durations *rule_eval_past(const struct runs *base, struct tr2_intern *syms,
				      uint32_t *nr);

#endif
