/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_lock.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void tr2_lock(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
	pthread_mutex_lock(&mutex);
}

void tr2_unlock(const sigset_t *before)
{
	pthread_mutex_unlock(&mutex);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
