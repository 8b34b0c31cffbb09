/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_LINES_H
#define MONITOR_LINES_H

#include "monitor/settings/options.h"

struct setup;

bool lines_are_meant(const struct options *options);

/*
 * Run --lines: print changes on standard output and read commands from standard input, until the
 * command has ended or, without one, all sources and the input have; or until the user quits, a
 * signal ends the run, or standard output cannot be written. Returns the exit status.
 */
int lines_run(const struct options *options, struct setup *setup);

#endif
