/* SPDX-License-Identifier: MIT */
/*
 * The loop of the screen. Applies batches from intake to the model, lets the ui draw frames, passes
 * them to the terminal thread, and handles keys and signals. It never writes to the terminal and
 * never blocks.
 */
#ifndef MONITOR_LOOP_H
#define MONITOR_LOOP_H

#include "monitor/settings/options.h"

struct setup; /* the user's settings (views/ui/setup.h); the setup page changes them */

/* Run the screen. Returns the exit status. */
int loop_run(const struct options *options, struct setup *setup);

#endif
