/* SPDX-License-Identifier: MIT */
/* Formats the wait status of a command. Any thread. */
#ifndef MONITOR_COMMAND_STATUS_H
#define MONITOR_COMMAND_STATUS_H

#include <stddef.h>

#include "engine/base/clock.h"

/* Convert a wait status to an exit status: 128 + signal number if a signal killed the command. */
int command_status_code(int wait_status);

/* Format the wait status and run time of an ended command, such as "exit 0 after 5.20s" or "killed
 * (SIGKILL) after 1.00s". */
void command_status_format(int wait_status, ns_t ran, char *out, size_t bytes);

/* Format the run time of a running command, rounded down to seconds, such as "running for
 * 5.00s". */
void command_status_format_running(ns_t ran, char *out, size_t bytes);

#endif
