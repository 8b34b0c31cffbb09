/* SPDX-License-Identifier: MIT */
/*
 * The option --fleet-init creates the three streams that a fleet needs on its NATS servers, and
 * prints the servers' configuration with one user per host, each with only the permissions that it
 * needs.
 */
#ifndef MONITOR_FLEET_INIT_H
#define MONITOR_FLEET_INIT_H

#include "monitor/settings/options.h"

/* Print the configuration on standard output, create the streams, and report on stderr what was
 * created. Returns the exit status. */
int fleet_init_run(const struct options *options);

#endif
