/* SPDX-License-Identifier: MIT */
/*
 * A run without a screen and without a report sends events to a recording, to tees, to the servers
 * of an agent or to a collector. The run ends with a signal (the second one if a command runs), the
 * end of all sources or of the command, or the end of all outputs. With --record=- it also ends at
 * EOF on standard input if that is a pipe, because the process that reads the recording has then
 * exited.
 */
#ifndef MONITOR_HEADLESS_H
#define MONITOR_HEADLESS_H

#include <stdbool.h>

#include "monitor/settings/options.h"

/* True if the options request a run without a screen and without a report. */
bool headless_is_meant(const struct options *options);
/* Run without a screen and without a report. Returns the exit status. */
int headless_run(const struct options *options);

#endif
