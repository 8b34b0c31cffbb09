/* SPDX-License-Identifier: MIT */
/*
 * The session id of this process: the parent's, a '/', and a component of our own made of the
 * time, the host and the pid. It is made when first asked for and exported into the
 * environment, so that whatever we run inherits it.
 *
 * Made by one thread (setenv() is not for several); from then on read by any.
 */
#ifndef TR2_SID_H
#define TR2_SID_H

#define TR2_SID_COMPONENT_BYTES 80

/*
 * The full id; `variable` names the environment variable to inherit from and to export to.
 * Valid until tr2_sid_renew(). "" where memory is short.
 */
const char *tr2_sid_get(const char *variable);

/* What makes files distinct: the part behind the last '/'. After tr2_sid_get(). */
const char *tr2_sid_own(void);

/* How many components stand before our own. After tr2_sid_get(). */
int tr2_sid_depth(void);

/* Become a child of what we were, as after an exec: a new component of the present time and
 * pid. */
const char *tr2_sid_renew(const char *variable);

#endif
