/* SPDX-License-Identifier: MIT */
/*
 * The loop of the screen. Applies batches from intake to the model, lets the ui draw frames, passes
 * them to the terminal thread, and handles keys and signals. It never writes to the terminal and
 * never blocks.
 */
#ifndef MONITOR_LOOP_H
#define MONITOR_LOOP_H

#include "monitor/settings/options.h"
#include "views/ui/ui.h"

struct setup; /* the user's settings (views/ui/setup.h); the setup page changes them */

/* The user's choice on a screen without arguments: the source to trace or read next. */
struct loop_start {
	bool asked; /* false: nothing; the rest is not set */
	enum ui_start_kind kind;
	char *text; /* owned by the caller */
};

/* Run the screen. Returns the exit status, and in `start` the choice, if any. */
int loop_run(const struct options *options, struct setup *setup, struct loop_start *start);

#endif
