/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/thread_signals.h"

#include <pthread.h>
#include <stddef.h>

void thread_signals_block(int besides, sigset_t *before)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&all, own[i]);
	if (besides)
		sigdelset(&all, besides);
	pthread_sigmask(SIG_SETMASK, &all, before);
}
