/* SPDX-License-Identifier: MIT */
/*
 * A run with neither screen nor report: what is read goes to a recording and to tees, until a
 * signal, the end of all sources or of the command, or that of what is written to. With
 * --record=- the end of standard input is the end, too, where that is a pipe: whoever started us
 * to read the recording has left.
 */
#ifndef MONITOR_HEADLESS_H
#define MONITOR_HEADLESS_H

#include <stdbool.h>

#include "monitor/settings/options.h"

/* Is it what the options ask for? */
bool headless_is_meant(const struct options *options);
/* Returns the exit status. */
int headless_run(const struct options *options);

#endif
