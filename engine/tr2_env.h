/* SPDX-License-Identifier: MIT */
/*
 * The environment: what may be believed of it, and what we add to it for those whom we run.
 *
 * A program that was given more rights than its caller has (setuid, setgid, capabilities of its
 * file) got its environment from somebody with less, so nothing that decides what is read,
 * written or told may come from there. Whoever needs a variable asks here, never getenv().
 */
#ifndef TR2_ENV_H
#define TR2_ENV_H

#include <stdbool.h>

/* Whether whoever started this program might have done all that it may do. Any thread. */
bool tr2_env_is_trusted(void);

/* A variable; NULL where it is unset or the environment is not trusted. As getenv() otherwise. */
const char *tr2_env(const char *name);

/* Set a variable for whom we run. Under tr2_lock(): a fork meets no other setenv() of ours. Where
 * one met it all the same, its child leaves the variable as it was, rather than hang. */
void tr2_env_export(const char *name, const char *value);

#endif
