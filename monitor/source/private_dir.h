/* SPDX-License-Identifier: MIT */
/*
 * A directory in TMPDIR that only the user can enter, for the socket of `-- COMMAND`.
 *
 * The process that creates it locks it while it runs, so that directories left by killed processes
 * can be detected, even from other pid namespaces. Creating a directory removes the abandoned ones.
 *
 * Used by the thread that starts the command. Creating a directory lists TMPDIR once.
 */
#ifndef MONITOR_PRIVATE_DIR_H
#define MONITOR_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* the only name in the directory besides that of the ring directory */
#define PRIVATE_DIR_SOCKET "sock"

struct private_dir {
	char *path; /* ro: path of the directory; NULL: none */
	int fd;     /* private: holds the lock, -1: none; close-on-exec */
};

/* Create a private directory. Returns false with an error in `why`. */
bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes);

/*
 * Lock the directory, within seconds of its creation, to show that the process that created it
 * runs. Call after its socket was created, because that also locks the directory and would wait.
 */
void private_dir_hold(struct private_dir *dir);

/* Remove the directory, which must be empty. No effect if there is none. */
void private_dir_remove(struct private_dir *dir);

#endif
