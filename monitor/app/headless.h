/* SPDX-License-Identifier: MIT */
/*
 * A run without a screen and without a report sends events to a recording, to tees, to the servers
 * of an agent or to a collector. The run ends with a signal (the second one if a command runs), the
 * end of all sources or of the command, or when a recording that is the only output cannot be
 * written any more. With --record=- it also ends when the process that reads the recording has
 * exited (parent_watch.h).
 */
#ifndef MONITOR_HEADLESS_H
#define MONITOR_HEADLESS_H

#include <stdbool.h>

#include "monitor/settings/options.h"

/* True if the options request outputs, but no report, keys or dump, and a screen is impossible:
 * there is no terminal, or the recording goes to standard output. */
bool headless_is_meant(const struct options *options);
/* Returns the exit status. */
int headless_run(const struct options *options);

#endif
