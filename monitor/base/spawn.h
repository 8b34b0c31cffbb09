/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_SPAWN_H
#define MONITOR_SPAWN_H

#include <sys/types.h>

/*
 * Run argv[0], searched in PATH, with the descriptors `in`, `out` and `err` as its standard ones
 * (`in` below 0: /dev/null) and the environment `env`. The program gets an empty signal mask and
 * default signal actions. Returns 0 and sets `*pid`, which the caller must wait for; otherwise
 * returns an errno. Any thread.
 */
int spawn_program(const char *const *argv, int in, int out, int err, char **env, pid_t *pid);

#endif
