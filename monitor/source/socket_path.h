/* SPDX-License-Identifier: MIT */
/* Creates and removes Unix sockets in the file system. */
#ifndef MONITOR_SOCKET_PATH_H
#define MONITOR_SOCKET_PATH_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Bind a socket of `type` (SOCK_STREAM or SOCK_DGRAM) at `path` with permissions `mode`, and listen
 * if it is a stream socket. Replaces a stale socket of the same user; any other file at the path is
 * an error.
 *
 * Returns the descriptor, non-blocking and close-on-exec, and the stat of the new socket in `made`;
 * -1 with an error in `why`. While another process has the directory locked, waits up to two
 * seconds, or 50 ms if other users may open the directory. If the umask has bits of `mode`, the
 * umask of all threads lacks them for a moment.
 */
int socket_path_open(const char *path, int type, unsigned mode, struct stat *made, char *why,
		     size_t why_bytes);

/* Remove the file at `path` if it is still the socket whose stat is `made`. */
void socket_path_remove(const char *path, const struct stat *made);

#endif
