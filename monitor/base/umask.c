/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/base/umask.h"

#include <pthread.h>

static pthread_once_t umask_once = PTHREAD_ONCE_INIT;
static mode_t umask_of_start;

static void umask_read(void)
{
	umask_of_start = umask(0);
	umask(umask_of_start);
}

mode_t umask_get(void)
{
	pthread_once(&umask_once, umask_read);
	return umask_of_start;
}
