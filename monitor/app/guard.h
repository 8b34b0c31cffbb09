/* SPDX-License-Identifier: MIT */
/*
 * The guard: a process beside ours that puts our event target into Git's configuration and takes
 * it out again, at the latest when we are gone, however that came (kill -9 included). It is the
 * only one that changes anything, so nothing overtakes anything.
 *
 * It has a session of its own, ignores all signals, keeps nothing open but its end of a socket,
 * and waits there; some 50 KiB of memory of its own.
 *
 * Invariant: while the value stands in the configuration, the guard lives and waits for our end,
 * or it is about to take it out. Where it was killed itself, its owner does that in its place
 * (guard_off()), and where both were, the next one who mends (attach.h).
 */
#ifndef MONITOR_GUARD_H
#define MONITOR_GUARD_H

#include <stdbool.h>

struct guard;

/*
 * Fork it, for the value `target` that names the socket `path`. No thread may exist yet. NULL
 * with `why` (GIT_WHY_BYTES) where that failed.
 */
struct guard *guard_new(const char *target, const char *path, char *why);

/*
 * Put the value in, behind all others; it must be the one that counts then. False with `why`, and
 * the configuration is as it was. Takes milliseconds, four seconds where the file is locked.
 */
bool guard_on(struct guard *guard, char *why);

/* Take it out; the same. Nothing where it is not in. */
bool guard_off(struct guard *guard, char *why);

/* It is not needed any more: it ends. It does not take anything out; its owner has. */
void guard_free(struct guard *guard);

#endif
