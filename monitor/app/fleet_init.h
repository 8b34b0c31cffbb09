/* SPDX-License-Identifier: MIT */
/*
 * The option --fleet-init creates the three streams that a fleet needs on its NATS servers, unless
 * they exist, and prints the servers' configuration, with users for the hosts, the viewers and the
 * next --fleet-init.
 */
#ifndef MONITOR_FLEET_INIT_H
#define MONITOR_FLEET_INIT_H

#include "monitor/settings/options.h"

/* Run --fleet-init. Returns the exit status. */
int fleet_init_run(const struct options *options);

#endif
