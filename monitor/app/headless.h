/* SPDX-License-Identifier: MIT */
/*
 * A run without screen or report: events go to a recording, tees, an agent's servers or a
 * collector. The run ends with a signal, the end of all sources or of the command, or the end of
 * all outputs. With --record=- it also ends at EOF on standard input if that is a pipe: the process
 * that reads the recording has exited.
 */
#ifndef MONITOR_HEADLESS_H
#define MONITOR_HEADLESS_H

#include <stdbool.h>

#include "monitor/settings/options.h"

/* True if the options request a run without screen or report. */
bool headless_is_meant(const struct options *options);
/* Run without screen or report. Returns the exit status. */
int headless_run(const struct options *options);

#endif
