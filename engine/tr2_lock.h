/* SPDX-License-Identifier: MIT */
/*
 * The engine's one lock: for what threads share and rarely touch (the session id while it is
 * made, what is exported, timers' and counters' rows and totals). No event line needs it.
 *
 * Invariant: whoever holds it has all signals blocked and calls nothing of the host's, so no
 * handler of the host's meets it in its own thread, whatever that does (fork, exit, a jump). It
 * is held across fork(), so a child finds it free and what it guards whole, tracing on or off;
 * unless its holder is waiting for what the forking thread has (an allocator that is locked
 * across fork, too). Then fork does not wait, and the child's lock is free all the same.
 */
#ifndef TR2_LOCK_H
#define TR2_LOCK_H

#include <signal.h>
#include <stdbool.h>

/* Take it; `before` is for tr2_unlock(). Any thread that does not hold it. */
void tr2_lock(sigset_t *before);
void tr2_unlock(const sigset_t *before);

/* For pthread_atfork(). */
void tr2_lock_fork_prepare(void);
void tr2_lock_fork_parent(void);
void tr2_lock_fork_child(void);

/*
 * Whether this process, or one that it descends from by fork(), was forked while another thread
 * held it: what that thread had of libc then (setenv()'s lock) is held for ever. Under the lock.
 */
bool tr2_lock_is_torn(void);

#endif
