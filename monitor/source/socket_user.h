/* SPDX-License-Identifier: MIT */
/* Finds the process that listens on a Unix socket, for messages. */
#ifndef MONITOR_SOCKET_USER_H
#define MONITOR_SOCKET_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write the name, pid and first option of the process that has the socket `path` open to `out`
 * (`bytes`): "trace2top (pid 4879, --attach)". Values of options are left out, because they may be
 * secret. Returns false if it is unknown, such as for processes of other users. Reads /proc, which
 * takes some milliseconds. Any thread.
 */
bool socket_user(const char *path, char *out, size_t bytes);

#endif
