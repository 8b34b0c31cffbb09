/* SPDX-License-Identifier: MIT */
/*
 * Configuration that comes in the environment: GIT_CONFIG_COUNT with its KEY_n and VALUE_n, and
 * GIT_CONFIG_PARAMETERS, which `git -c` sets for what it runs. Reports entries of scope
 * "command" in Git's order; what is ill-formed ends its own list. Nothing where the environment
 * is not trusted. Any thread that may call getenv(); allocates.
 */
#ifndef TR2_CONFIG_ENV_H
#define TR2_CONFIG_ENV_H

#include "engine/tr2_config.h"

void tr2_config_read_env(tr2_config_fn *fn, void *data);

#endif
