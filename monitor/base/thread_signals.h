/* SPDX-License-Identifier: MIT */
/* Block signals in threads other than the loop thread. Signals that faults raise, such as SIGSEGV,
 * stay unblocked, so that their handlers run. */
#ifndef MONITOR_THREAD_SIGNALS_H
#define MONITOR_THREAD_SIGNALS_H

#include <signal.h>

/* Block all signals in the calling thread, and in threads that it creates, except SIGSEGV, SIGBUS,
 * SIGILL, SIGFPE, SIGABRT and `besides` (0: no other), which become unblocked. Saves the old mask
 * in `before`, for pthread_sigmask(). Any thread. */
void thread_signals_block(int besides, sigset_t *before);

#endif
