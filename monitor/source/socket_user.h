/* SPDX-License-Identifier: MIT */
/* Finds a process that has a bound Unix socket open, to name it in error messages. */
#ifndef MONITOR_SOCKET_USER_H
#define MONITOR_SOCKET_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write the name, pid and first option of a process that has the socket `path` open to `out`, such
 * as "trace2top (pid 4879, --attach)". The option is cut off before a `=`, because its value may be
 * secret. Returns false if no process is found, for instance because it belongs to another user.
 * Any thread.
 */
bool socket_user(const char *path, char *out, size_t bytes);

#endif
