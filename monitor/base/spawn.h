/* SPDX-License-Identifier: MIT */
/* Another program, begun as at a login. */
#ifndef MONITOR_SPAWN_H
#define MONITOR_SPAWN_H

#include <sys/types.h>

/*
 * Run argv[0], found in PATH, with these descriptors as its first three (`in` -1: /dev/null), in the
 * environment `env`, without our signal mask and with each signal's default action, whatever ours
 * are. 0 and its `*pid`, which the caller waits for; else the error. Any thread.
 */
int spawn_program(const char *const *argv, int in, int out, int err, char **env, pid_t *pid);

#endif
