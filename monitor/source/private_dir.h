/* SPDX-License-Identifier: MIT */
/*
 * A directory in TMPDIR or /tmp that only this user can enter. It contains the socket of the traced
 * command.
 *
 * private_dir_hold() locks the directory until its process ends, so that directories of killed
 * processes can be detected, even from other pid namespaces. Creating a directory removes the
 * abandoned ones in the same parent directory.
 *
 * Used by the thread that starts the command. Creating a directory lists its parent directory once.
 */
#ifndef MONITOR_PRIVATE_DIR_H
#define MONITOR_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* name of the socket; besides it the directory contains at most the socket's ring directory */
#define PRIVATE_DIR_SOCKET "sock"

struct private_dir {
	char *path; /* ro: path of the private directory; NULL: none was created */
	int fd;     /* private: descriptor that holds the lock, close-on-exec; -1: none */
};

/* Create a private directory and remove abandoned ones. Returns false with an error in `why`. */
bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes);

/*
 * Lock the private directory to show that its process runs. Call within YOUNG_SECONDS of its
 * creation, but after the socket was created, because creating the socket also locks the directory
 * and would wait for this lock.
 */
void private_dir_hold(struct private_dir *dir);

/* Remove the private directory unless it contains files. No effect if none was created. */
void private_dir_remove(struct private_dir *dir);

#endif
