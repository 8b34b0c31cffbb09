/* SPDX-License-Identifier: MIT */
/* --once: read every source to its present end, write the report, exit. */
#ifndef MONITOR_ONCE_H
#define MONITOR_ONCE_H

#include "monitor/settings/options.h"

/* Returns the exit status. */
int once_run(const struct options *options);

#endif
