/* SPDX-License-Identifier: MIT */
/*
 * The session id of this process: the parent's, a '/', and a component of our own made of the
 * time, the host and the pid. It is made when first asked for and exported into the
 * environment, so that whatever we run inherits it.
 *
 * Any thread: made under the engine's lock, from then on read without one.
 */
#ifndef TR2_SID_H
#define TR2_SID_H

#include <stdbool.h>

#define TR2_SID_COMPONENT_BYTES 80

/*
 * The full id; `variable` names the environment variable to inherit from and to export to.
 * Valid for ever. "" where memory is short; the next call tries again.
 */
const char *tr2_sid_get(const char *variable);

/* What makes files distinct: the part behind the last '/'. After tr2_sid_get(). */
const char *tr2_sid_own(void);

/* How many components stand before our own. After tr2_sid_get(). */
int tr2_sid_depth(void);

/* Become a child of what we were, as after an exec: a new component of the present time and
 * pid. Under tr2_lock(). False where memory is short: nothing has changed then. */
bool tr2_sid_renew(const char *variable);

#endif
