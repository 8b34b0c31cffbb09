/* SPDX-License-Identifier: MIT */
/*
 * The engine's only lock, for data that threads share and rarely use, such as the totals of timers
 * and counters.
 *
 * Invariant: its holder has all signals blocked and calls no code of the host program. A signal
 * handler therefore never finds the lock held by its own thread.
 *
 * The forking thread holds the lock during fork(), so that the protected data is consistent in the
 * child. But fork() waits for at most 100 ms, because another holder may be waiting for something
 * that the forking thread holds. The child's lock is free in any case.
 */
#ifndef TR2_LOCK_H
#define TR2_LOCK_H

#include <signal.h>
#include <stdbool.h>

/* Take the lock. Pass `before` to tr2_unlock(). The calling thread must not hold it. */
void tr2_lock(sigset_t *before);
void tr2_unlock(const sigset_t *before);

/* Hold the lock during fork(): for the callbacks of pthread_atfork(). */
void tr2_lock_fork_prepare(void);
void tr2_lock_fork_parent(void);
void tr2_lock_fork_child(void);

/* True if this process or one of its fork() ancestors was forked while another thread held the
 * lock. Locks of libc that the other thread held then stay locked. Call it under the lock. */
bool tr2_lock_is_broken(void);

#endif
