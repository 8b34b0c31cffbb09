/* SPDX-License-Identifier: MIT */
/*
 * The guard: a child process that adds our event target to Git's configuration and removes it,
 * at the latest after the monitor has ended, even by kill -9. Only the guard changes the
 * configuration, so changes cannot overtake each other.
 *
 * It has a session of its own, ignores all signals, keeps only its end of a socket pair open, and
 * needs about 50 KiB of memory.
 *
 * Invariant: while the value is in the configuration, the guard is alive and waits for the monitor
 * to end, or is about to remove the value. If the guard was killed, the monitor removes the value
 * (guard_off()); if both were, the next --attach or --detach does (attach.h).
 */
#ifndef MONITOR_GUARD_H
#define MONITOR_GUARD_H

#include <stdbool.h>

struct guard;

/*
 * Fork the guard for the value `target`, which names the socket `path`. No thread may exist yet.
 * Returns NULL with `why` (GIT_WHY_BYTES) on failure.
 */
struct guard *guard_new(const char *target, const char *path, char *why);

/*
 * Append the value; it must then be the one that counts. Returns false with `why`, and the
 * configuration is unchanged. Takes milliseconds, or up to 4 s if the file is locked.
 */
bool guard_on(struct guard *guard, char *why);

/* Remove the value if it was added. Returns false with `why`. Takes as long as guard_on(). */
bool guard_off(struct guard *guard, char *why);

/* End the guard and free it. If the value could not be removed, the guard tries again. */
void guard_free(struct guard *guard);

#endif
