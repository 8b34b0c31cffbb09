/* SPDX-License-Identifier: MIT */
/*
 * The program's own sockets: one to which Git's configuration may refer permanently, and that of
 * --attach. Their directory is private to the user.
 */
#ifndef MONITOR_OWN_SOCKET_H
#define MONITOR_OWN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return the path of trace2top.sock in $XDG_RUNTIME_DIR or, if that is not an absolute path, in
 * ~/.cache/trace2top, which is created. The caller frees the path. Returns NULL with one line in
 * `why` if there is no private directory.
 */
char *own_socket_path(char *why, size_t why_bytes);

/*
 * Return a target for Git that is named after this process: a stream socket in the directory of
 * own_socket_path(), trace2top-attach-HOST-BOOT8-PID-TIME.sock. `made`: Git's configuration file
 * was created for such a target; the name ends in -made.sock. The caller frees the text. Returns
 * NULL with `why` on failure.
 */
char *own_target(bool made, char *why, size_t why_bytes);

/* Return the path of the socket in a target that own_target() of any process created; NULL for
 * another target. */
const char *own_target_path(const char *target);
/* True if own_target() created the target on this host since its last boot. */
bool own_target_is_here(const char *target);

bool own_target_is_made(const char *target);

#endif
