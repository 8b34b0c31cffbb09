/* SPDX-License-Identifier: MIT */
/* Finds the process that has bound a Unix socket, to name it in error messages. */
#ifndef MONITOR_SOCKET_USER_H
#define MONITOR_SOCKET_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write the name, pid and first option of the process that has the socket `path` open to `out`
 * (`bytes`): "trace2top (pid 4879, --attach)". Values of options are left out, because they may be
 * secret. Returns false if the process is unknown, for instance because it belongs to another user.
 * Reads /proc, which takes some milliseconds. Any thread.
 */
bool socket_user(const char *path, char *out, size_t bytes);

#endif
