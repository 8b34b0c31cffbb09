/* SPDX-License-Identifier: MIT */
/*
 * The screen's run: the loop thread. It applies what intake hands over to the model, asks the
 * ui for frames, gives them to the terminal thread, and serves keys and signals. It never writes
 * to the terminal and waits for nobody.
 */
#ifndef MONITOR_LOOP_H
#define MONITOR_LOOP_H

#include "monitor/settings/options.h"

struct setup; /* views/ui/setup.h: what the user has set up; changed by the setup page */

/* Returns the exit status. */
int loop_run(const struct options *options, struct setup *setup);

#endif
