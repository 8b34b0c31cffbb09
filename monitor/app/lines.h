/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_LINES_H
#define MONITOR_LINES_H

#include "monitor/settings/options.h"

struct setup;

/* Is it to be sentences in place of a screen, or of the report of --once? */
bool lines_are_meant(const struct options *options);

/*
 * Say what happens on standard output, take commands from standard input, until both are over; with
 * a command until that has ended. The exit status.
 */
int lines_run(const struct options *options, struct setup *setup);

#endif
