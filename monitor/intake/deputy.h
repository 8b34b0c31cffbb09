/* SPDX-License-Identifier: MIT */
/*
 * The deputy: a thread that does what cannot wait when the thread whose duty it is (the owner)
 * was woken and does not come. Its processor may stay in another program's system call, or be a
 * virtual one that sleeps on, for longer than the kernel's queues last; only a thread on another
 * processor helps then.
 *
 * What both touch is guarded by one lock. The owner holds it always but while it waits for
 * something to happen, so that a deputy that gets it knows: the owner waits, or was woken and is
 * not there yet. Whose processor is taken away while it works keeps the lock; nothing helps then.
 *
 *   owner   ==wait--======wait-------------- (woken, not running) -----=====
 *   deputy             |     |     |    #|    #|    #|    #|  |    (a tick; # in its place)
 *
 * While much is coming it looks each DEPUTY_TICK_NS whether the owner has been there since, from
 * another processor than the owner's last one, which costs that one some 4 % (14 us a tick on a
 * virtual machine). Else it sleeps and costs nothing. The owner pays for the lock, some 40 ns
 * each time that it waits.
 */
#ifndef MONITOR_DEPUTY_H
#define MONITOR_DEPUTY_H

#include <stdint.h>

#include "engine/base/clock.h"

/* A third of what the kernel's queue lasts for a busy writer: a stall is met in its second. */
#define DEPUTY_TICK_NS 350000
/* So many bytes in DEPUTY_WINDOW_NS begin a burst: at such a rate a queue is full in 4 ms. */
#define DEPUTY_BURST_BYTES 8192
#define DEPUTY_WINDOW_NS   NS_PER_MS
/* It is over after so many ticks in a row, 70 ms, that brought at most DEPUTY_QUIET_BYTES each:
 * a writer that others keep off its processor for some slices goes on with its burst. */
#define DEPUTY_QUIET_TICKS 200
#define DEPUTY_QUIET_BYTES 1024

struct deputy;

/*
 * A deputy of the calling thread, which holds the lock from here on. `stand_in` is called in the
 * deputy's thread with the lock held; it must not block, and returns how many bytes it took.
 * Signals are blocked in that thread as in the caller's. NULL where it may not be real-time
 * (see realtime.h): an ordinary thread would come late itself.
 */
struct deputy *deputy_new(uint64_t (*stand_in)(void *data), void *data);
/* By the owner, holding the lock: ends the thread, waits for that, and frees. NULL is allowed. */
void deputy_free(struct deputy *deputy);

/* By the owner, around what it waits in. errno stays as it is. */
void deputy_release(struct deputy *deputy);
void deputy_acquire(struct deputy *deputy);

/* By the owner, after each round: how many bytes both ever took, and a time of any clock. */
void deputy_watch(struct deputy *deputy, uint64_t taken_bytes, ns_t now);

#endif
