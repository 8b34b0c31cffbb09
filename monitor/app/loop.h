/* SPDX-License-Identifier: MIT */
/*
 * The loop of the screen applies batches from intake to the model, lets the ui draw frames, passes
 * them to the terminal thread, which writes them to the terminal, and handles keys and signals.
 */
#ifndef MONITOR_LOOP_H
#define MONITOR_LOOP_H

#include "monitor/settings/options.h"
#include "views/ui/ui.h"

struct setup; /* the user's settings (views/ui/setup.h); the setup page changes them */

/* The choice of the user on the start screen: what to trace or read next. */
struct loop_start {
	bool asked; /* true if the user chose something; if false, the members below are not set */
	enum ui_start_kind kind;
	char *text; /* text of the choice; owned by the caller */
};

/* Run the screen. Returns the exit status. Sets `start` to the user's choice on the start screen,
 * if any. */
int loop_run(const struct options *options, struct setup *setup, struct loop_start *start);

#endif
