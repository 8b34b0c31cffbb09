/* SPDX-License-Identifier: MIT */
/*
 * A thread of our own takes no signals that are meant for the program: they are the loop's. What
 * a thread does wrong itself is never blocked, as it would die without its handler.
 */
#ifndef MONITOR_THREAD_SIGNALS_H
#define MONITOR_THREAD_SIGNALS_H

#include <signal.h>

/*
 * Block all such signals in the calling thread, which a thread that it makes then inherits;
 * `besides` stays unblocked, too (0: none). `before` gets what was blocked, to be set again by
 * pthread_sigmask(). Any thread.
 */
void thread_signals_block(int besides, sigset_t *before);

#endif
