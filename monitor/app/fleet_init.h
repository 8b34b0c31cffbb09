/* SPDX-License-Identifier: MIT */
/*
 * --fleet-init: create the three streams that a fleet needs on its NATS servers, and print the
 * servers' configuration with one user per host, each with the permissions that it needs.
 */
#ifndef MONITOR_FLEET_INIT_H
#define MONITOR_FLEET_INIT_H

#include "monitor/settings/options.h"

/* Print the configuration on standard output, create the streams, and report on stderr what was
 * created. Returns the exit status. */
int fleet_init_run(const struct options *options);

#endif
