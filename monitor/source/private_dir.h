/* SPDX-License-Identifier: MIT */
/*
 * A directory in TMPDIR or /tmp that only this user can enter. It contains the socket of the traced
 * command.
 *
 * private_dir_hold() locks the directory until its process ends, so that directories of killed
 * processes can be detected, even from other pid namespaces. Creating a directory removes abandoned
 * ones in its parent directory.
 *
 * Used by the thread that starts the command.
 */
#ifndef MONITOR_PRIVATE_DIR_H
#define MONITOR_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* name of the socket; the directory contains only it and its ring directory */
#define PRIVATE_DIR_SOCKET "sock"

struct private_dir {
	char *path; /* ro: path of the directory; NULL: none was created */
	int fd;     /* private: descriptor that holds the lock, close-on-exec; -1: none */
};

/* Create a private directory. Returns false with an error in `why`. */
bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes);

/*
 * Lock the private directory to show that its process runs. Call within YOUNG_SECONDS of its
 * creation, but after creating the socket, which also locks the directory and would wait.
 */
void private_dir_hold(struct private_dir *dir);

/* Remove the private directory, if any, unless it contains files. */
void private_dir_remove(struct private_dir *dir);

#endif
