/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/pi_mutex.h"

void pi_mutex_init(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	/* Where the kernel has none of that, an ordinary mutex will do. */
	if (pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) ||
	    pthread_mutex_init(mutex, &attr))
		pthread_mutex_init(mutex, NULL);
	pthread_mutexattr_destroy(&attr);
}
