/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_env.h"

#include <stdlib.h>

#include "engine/base/platform.h"
#include "engine/tr2_lock.h"

bool tr2_env_is_trusted(void)
{
	return tr2_platform_env_is_trusted();
}

const char *tr2_env(const char *name)
{
	return tr2_env_is_trusted() ? getenv(name) : NULL;
}

void tr2_env_export(const char *name, const char *value)
{
	if (!tr2_lock_is_broken())
		setenv(name, value, 1);
}
