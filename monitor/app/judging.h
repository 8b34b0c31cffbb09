/* SPDX-License-Identifier: MIT */
/* From the command line to what is to be compared and judged (verdicts.h). Loop thread. */
#ifndef MONITOR_JUDGING_H
#define MONITOR_JUDGING_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/rule_results.h"
#include "monitor/settings/options.h"

/*
 * Read the rules, then what is compared with, which may take a while. False, with one line in
 * `why`, where the command line cannot be carried out; rule_results_release() what is there.
 */
bool judging_open(struct rule_results *out, const struct options *options, char *why,
		  size_t why_bytes);

/* Can anybody see where time went, or what is usual, in what these options show? */
bool judging_asks_why(const struct options *options);

/* Why a build stops, whatever the form of the report: a line on stderr, and true, where a rule is
 * broken or cannot be judged. */
bool judging_tell(const struct rule_results *verdicts);

/*
 * How long things took in the runs of a base, the newest last, for a model of these symbols, to
 * which its texts are added; malloc()ed, `*nr` of them. It borrows the base's durations.
 */
struct past_durations *judging_past(const struct runs *base, struct tr2_intern *syms, uint32_t *nr);

#endif
