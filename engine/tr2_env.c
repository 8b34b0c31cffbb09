/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_env.h"

#include <stdlib.h>
#ifdef HAVE_SYS_AUXV_H
#include <sys/auxv.h>
#endif
#include <unistd.h>

#include "engine/tr2_lock.h"

/* Uses the kernel's AT_SECURE, which also covers capabilities; without AT_SECURE, compares the real
 * and effective ids. */
bool tr2_env_is_trusted(void)
{
#ifdef AT_SECURE
	return !getauxval(AT_SECURE);
#else
	return getuid() == geteuid() && getgid() == getegid();
#endif
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
