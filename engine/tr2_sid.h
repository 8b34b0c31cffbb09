/* SPDX-License-Identifier: MIT */
/*
 * The session id (SID) of this process: the parent's SID and a '/', if the parent has one, and this
 * process's own component: time, hash of the host name, and pid. It is exported to the environment
 * for children.
 *
 * Any thread. The SID is created with tr2_lock() held.
 */
#ifndef TR2_SID_H
#define TR2_SID_H

#include <stdbool.h>

#define TR2_SID_COMPONENT_BYTES 80

/*
 * Return the full session id, which stays valid forever. Creates it on first use. `variable` is the
 * environment variable with the parent's id, in which the new id is exported. Returns "" if out of
 * memory.
 */
const char *tr2_sid_get(const char *variable);

/* Return the last component of the session id, which names this process in file names. Call after
 * tr2_sid_get(). */
const char *tr2_sid_own(void);

/*
 * Return the number of components of the session id before this process's own. Call after
 * tr2_sid_get().
 */
int tr2_sid_depth(void);

/*
 * Append a component with the current time and pid to the session id, so that this process becomes
 * a child of its old session. Call with tr2_lock() held. Returns false and changes nothing if out
 * of memory.
 */
bool tr2_sid_renew(const char *variable);

#endif
