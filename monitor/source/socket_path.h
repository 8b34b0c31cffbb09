/* SPDX-License-Identifier: MIT */
/* Create and remove Unix sockets in the file system. */
#ifndef MONITOR_SOCKET_PATH_H
#define MONITOR_SOCKET_PATH_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Bind a socket of `type` (SOCK_STREAM or SOCK_DGRAM) at `path` with permissions `mode`, and
 * listen on a stream socket. Replaces a stale socket of the same user; anything else at the path
 * is an error and is kept.
 *
 * Returns the descriptor, non-blocking and close-on-exec, and the new socket's stat in `made`; -1
 * with an error and advice in `why`. Waits up to two seconds for another monitor that does the
 * same in that directory. Changes the umask for a moment, so no other thread may create files.
 */
int socket_path_open(const char *path, int type, unsigned mode, struct stat *made, char *why,
		     size_t why_bytes);

/* Remove `path` if it is still the socket `made`. */
void socket_path_remove(const char *path, const struct stat *made);

#endif
