/* SPDX-License-Identifier: MIT */
/* How the command ended, from its wait status; see intake_command(). Any thread. */
#ifndef MONITOR_COMMAND_STATUS_H
#define MONITOR_COMMAND_STATUS_H

#include <stddef.h>

#include "engine/base/clock.h"

/* The exit status that shells make of it: 128 and the signal's number, where one ended it. */
int command_status_code(int wait_status);

/* In words, as "exit 0 after 5.2s"; `ran`: for how long it did. Cut at `bytes`. */
void command_status_say(int wait_status, ns_t ran, char *out, size_t bytes);

/* The same while it runs, in whole seconds. */
void command_status_say_running(ns_t ran, char *out, size_t bytes);

#endif
