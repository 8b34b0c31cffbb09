/* SPDX-License-Identifier: MIT */
/* Format the wait status of a command; see intake_command(). Any thread. */
#ifndef MONITOR_COMMAND_STATUS_H
#define MONITOR_COMMAND_STATUS_H

#include <stddef.h>

#include "engine/base/clock.h"

/* Convert a wait status to an exit status as a shell does: 128 + signal number if a signal
 * killed the command. */
int command_status_code(int wait_status);

/*
 * Format a wait status as text, such as "exit 0 after 5.2s" or "killed (SIGKILL) after 1.0s".
 * `ran`: run time. Truncated to `bytes`.
 */
void command_status_format(int wait_status, ns_t ran, char *out, size_t bytes);

/* Format the run time of a command that still runs, in whole seconds. */
void command_status_format_running(ns_t ran, char *out, size_t bytes);

#endif
