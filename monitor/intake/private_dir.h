/* SPDX-License-Identifier: MIT */
/*
 * A directory that nobody else can enter, for the socket of `-- COMMAND`, in TMPDIR. It is locked
 * as long as its owner lives, so that what was left by one that was killed can be told from what
 * is in use, in another namespace of processes, too; making one removes those.
 *
 * Used by the thread that starts the command. Making one reads TMPDIR once.
 */
#ifndef MONITOR_PRIVATE_DIR_H
#define MONITOR_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define PRIVATE_DIR_SOCKET "sock" /* with its ring_dir the only name in it */

struct private_dir {
	char *path; /* ro; NULL: there is none */
	int fd;     /* private: holds the lock, -1: none; closed by exec */
};

/* False where none could be made: `why` says so. */
bool private_dir_make(struct private_dir *dir, char *why, size_t why_bytes);

/*
 * Lock it, within seconds of the making: from then on it is seen that its owner lives. After its
 * socket was made, for which the directory is locked, too, and a lock would be waited for.
 */
void private_dir_hold(struct private_dir *dir);

/* Remove it, which must be empty by then. Nothing where there is none. */
void private_dir_remove(struct private_dir *dir);

#endif
