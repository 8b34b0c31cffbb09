/* SPDX-License-Identifier: MIT */
/*
 * The loop of the screen applies batches from intake to the model, lets the ui draw frames, passes
 * them to the terminal thread, and handles keys and signals.
 */
#ifndef MONITOR_LOOP_H
#define MONITOR_LOOP_H

#include "monitor/settings/options.h"
#include "views/ui/ui.h"

struct setup;

struct loop_start {
	bool asked; /* the user chose something; else the members below are not set */
	enum ui_start_kind kind;
	char *text; /* text of the choice, malloc()ed; the caller of loop_run() frees it */
};

/* Run the screen. Returns the exit status. Sets `start` to the user's choice on the start screen,
 * if any. */
int loop_run(const struct options *options, struct setup *setup, struct loop_start *start);

#endif
