/* SPDX-License-Identifier: MIT */
/*
 * The directory beside a socket, PATH.rings: where it is, and is ours, programs of ours that want
 * rings make their files there and do not connect. It is locked while we read it.
 *
 * What we make has the permissions 0700, and one that has them and is not locked was left by one of
 * us that was killed: it is removed at the end, too, where it is empty by then. Another one of ours
 * that nobody else may write to is read, and left where it is; anything else is not touched.
 *
 * Used before there are threads, and after them.
 */
#ifndef MONITOR_RING_DIR_H
#define MONITOR_RING_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define RING_DIR_SUFFIX ".rings"

struct ring_dir {
	char *path;      /* ro */
	int fd;          /* private: holds the lock; closed by exec */
	bool is_removed; /* private: at the end */
};

/* Make the one of the socket at `socket`, or take the one that is there; NULL: there is none, and
 * `why` says so in a few words. */
struct ring_dir *ring_dir_make(const char *socket, char *why, size_t why_bytes);
/* Give it back, and remove it where that is to be. Nothing where it is NULL. */
void ring_dir_leave(struct ring_dir *dir);

/* Remove the one of `socket`, a path from the directory `parent`, with all files in it: whoever
 * listened there is gone for good. Nothing where it is not as we make it, or is read. */
void ring_dir_sweep(int parent, const char *socket);

#endif
