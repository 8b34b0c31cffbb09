/* SPDX-License-Identifier: MIT */
/* Finds a process that has a bound Unix socket open, to name it in error messages. */
#ifndef MONITOR_SOCKET_USER_H
#define MONITOR_SOCKET_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Find a process that has the socket `path` open, and write its name, pid and first option to
 * `out`, such as "trace2top (pid 4879, --attach)". The option is cut off before a `=`, because its
 * value may be secret. Returns false if no process is found. Any thread.
 */
bool socket_user(const char *path, char *out, size_t bytes);

#endif
