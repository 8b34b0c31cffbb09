/* SPDX-License-Identifier: MIT */
/* From the command line to what is to be compared and judged (verdicts.h). Loop thread. */
#ifndef MONITOR_JUDGING_H
#define MONITOR_JUDGING_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/analysis/verdicts.h"
#include "monitor/settings/options.h"

/*
 * Read the rules, then what is compared with, which may take a while. False, with one line in
 * `why`, where the command line cannot be carried out; verdicts_release() what is there.
 */
bool judging_open(struct verdicts *out, const struct options *options, char *why, size_t why_bytes);

#endif
