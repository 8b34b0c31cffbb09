/* SPDX-License-Identifier: MIT */
/*
 * private_dir: a directory in TMPDIR that only the user can enter, for the socket of `-- COMMAND`.
 *
 * Its owner locks it while it runs, so that directories left by killed processes can be detected,
 * even from other pid namespaces. Creating one removes the abandoned ones.
 *
 * Used by the thread that starts the command. Creating one lists TMPDIR once.
 */
#ifndef MONITOR_PRIVATE_DIR_H
#define MONITOR_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define PRIVATE_DIR_SOCKET "sock" /* the only name in it besides its ring_dir */

struct private_dir {
	char *path; /* ro; NULL: none */
	int fd;     /* private: holds the lock, -1: none; close-on-exec */
};

/* Create the directory. Returns false with an error in `why`. */
bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes);

/*
 * Lock the directory, within seconds of its creation, to show that its owner runs. Call after its
 * socket was created, because that also locks the directory and would wait.
 */
void private_dir_hold(struct private_dir *dir);

/* Remove the directory, which must be empty. No effect without one. */
void private_dir_remove(struct private_dir *dir);

#endif
