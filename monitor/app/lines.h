/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_LINES_H
#define MONITOR_LINES_H

#include "monitor/settings/options.h"

struct setup;

bool lines_are_meant(const struct options *options);

/*
 * Run --lines: print changes on standard output and read commands from standard input. Returns the
 * exit status.
 */
int lines_run(const struct options *options, struct setup *setup);

#endif
