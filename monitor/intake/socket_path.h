/* SPDX-License-Identifier: MIT */
/* A Unix socket at a path of our own: made where nobody listens, removed where it is still ours. */
#ifndef MONITOR_SOCKET_PATH_H
#define MONITOR_SOCKET_PATH_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Bind a socket of `type` (SOCK_STREAM or SOCK_DGRAM) at `path` with the permissions `mode`, and
 * listen on a stream socket. A stale socket of our own is replaced; anything else that is there
 * is left alone, and is an error. Returns its descriptor, non-blocking and close-on-exec, and in
 * `made` what stands at the path now; -1, with one line in `why` on what is wrong and how to
 * mend it. Waits up to two seconds for another monitor that does the same in that directory. The
 * umask is changed for a moment: only where no other thread makes files.
 */
int socket_path_open(const char *path, int type, unsigned mode, struct stat *made, char *why,
		     size_t why_bytes);

/* Remove `path`, where it is still the socket that was `made`. */
void socket_path_remove(const char *path, const struct stat *made);

#endif
