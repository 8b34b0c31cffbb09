/* SPDX-License-Identifier: MIT */
/* The option --once reads the sources to their end (files and directories to their present end,
 * sockets until a signal or the end of the traced command), writes the report, and exits. */
#ifndef MONITOR_ONCE_H
#define MONITOR_ONCE_H

#include "monitor/settings/options.h"

/* Run --once. Returns the exit status. */
int once_run(const struct options *options);

#endif
