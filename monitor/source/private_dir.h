/* SPDX-License-Identifier: MIT */
/*
 * A directory in TMPDIR or /tmp that only this user can enter, for the socket of the traced
 * command.
 *
 * The process that creates the directory locks it. Creating a directory removes old unlocked ones,
 * which killed processes left, in its parent directory.
 */
#ifndef MONITOR_PRIVATE_DIR_H
#define MONITOR_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* name of the socket in the directory */
#define PRIVATE_DIR_SOCKET "sock"

struct private_dir {
	char *path; /* ro: path of the directory; NULL: none */
	int fd;     /* private: descriptor that holds the lock, close-on-exec; -1: none */
};

/* Create a private directory. Returns false with an error in `why`. */
bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes);

/* Lock the private directory to show that its process runs. Call it after the socket was
 * created, which locks the directory for a moment, and less than 10 seconds later. */
void private_dir_hold(struct private_dir *dir);

/* Remove the private directory if it is empty, and unlock it. */
void private_dir_remove(struct private_dir *dir);

#endif
