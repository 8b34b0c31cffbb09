/* SPDX-License-Identifier: MIT */
/* --once: read every source up to the end that it has now, write the report, exit. */
#ifndef MONITOR_ONCE_H
#define MONITOR_ONCE_H

#include "monitor/settings/options.h"

/* Run --once. Returns the exit status. */
int once_run(const struct options *options);

#endif
