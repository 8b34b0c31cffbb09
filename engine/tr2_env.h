/* SPDX-License-Identifier: MIT */
/*
 * The environment: reading trusted variables, and setting variables for children. A program with
 * more privileges than its caller (setuid, setgid, file capabilities) got its environment from a
 * user who must not decide what libtrace2 reads, writes or discloses.
 */
#ifndef TR2_ENV_H
#define TR2_ENV_H

#include <stdbool.h>

/* True unless this program got more privileges than its caller has. Any thread. */
bool tr2_env_is_trusted(void);

/* Like getenv(), but returns NULL if the environment is not trusted. */
const char *tr2_env(const char *name);

/* Set an environment variable. Call under tr2_lock(), which delays fork(). Does nothing if
 * tr2_lock_is_broken(). */
void tr2_env_export(const char *name, const char *value);

#endif
