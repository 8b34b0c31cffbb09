/* SPDX-License-Identifier: MIT */
/*
 * A run without a screen and without a report sends events to a recording, to tees, to the servers
 * of an agent or to a collector. The run ends at the end of the command or of all sources, by a
 * signal (the second one if a command runs), or if no output is left. A relay (--record=-) also
 * ends when parent_watch.h detects that its parent has exited.
 */
#ifndef MONITOR_HEADLESS_H
#define MONITOR_HEADLESS_H

#include <stdbool.h>

#include "monitor/settings/options.h"

/* True if the options request outputs, but no report, keys or dump, and a screen is impossible:
 * there is no terminal, or the recording goes to standard output. */
bool headless_is_meant(const struct options *options);
int headless_run(const struct options *options);

#endif
