/* SPDX-License-Identifier: MIT */
/*
 * Configuration from the environment: GIT_CONFIG_COUNT with GIT_CONFIG_KEY_n and
 * GIT_CONFIG_VALUE_n, and GIT_CONFIG_PARAMETERS, which `git -c` sets for its children. A malformed
 * entry ends the reading of the variable or list that contains it. Any thread that may call
 * getenv(). Allocates memory.
 */
#ifndef TR2_CONFIG_ENV_H
#define TR2_CONFIG_ENV_H

#include "engine/tr2_config.h"

void tr2_config_read_env(tr2_config_fn *fn, void *data);

#endif
