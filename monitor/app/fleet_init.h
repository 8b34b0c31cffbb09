/* SPDX-License-Identifier: MIT */
/*
 * --fleet-init: what a fleet needs of its NATS servers is made there, the three streams, and their
 * configuration is printed, with a user for each host, each with the rights that it needs.
 */
#ifndef MONITOR_FLEET_INIT_H
#define MONITOR_FLEET_INIT_H

#include "monitor/settings/options.h"

/* Print the configuration to standard output, make the streams, say on stderr what was made. The
 * exit status. */
int fleet_init_run(const struct options *options);

#endif
