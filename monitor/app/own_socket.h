/* SPDX-License-Identifier: MIT */
/*
 * Where the program listens when nobody named a source and Git is told of no target. Git is then
 * told of that path for good, so it stays ours while we are away: in a directory that nobody else
 * can make a socket in.
 */
#ifndef MONITOR_OWN_SOCKET_H
#define MONITOR_OWN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The path: trace2top.sock in $XDG_RUNTIME_DIR, where that is unset in ~/.cache/trace2top, which
 * is made where it is missing. The caller frees it. NULL where there is no directory of ours:
 * `why` (of `why_bytes`) says so in one line. Reads the environment; nothing is made at the path.
 */
char *own_socket_path(char *why, size_t why_bytes);

/*
 * A target for Git that is this process's own and tells that by its name: a stream socket beside
 * the above, trace2top-attach-HOST-BOOT8-PID-START.sock, and `made`: whether the configuration that it is to stand in is made
 * for such targets alone. The caller frees it; NULL with `why`, as above.
 */
char *own_target(bool made, char *why, size_t why_bytes);

/* The path within a target that own_target() has made, in any process; else NULL. */
const char *own_target_path(const char *target);
/* True if such a target was made on this host, since it was booted. */
bool own_target_is_here(const char *target);

/* Of such a target: `made`, as it was given. */
bool own_target_is_made(const char *target);

#endif
