/* SPDX-License-Identifier: MIT */
/*
 * The ring directory of a socket PATH is PATH.rings. If it exists and only the user can write to
 * it, programs that use libtrace2 with rings create ring files in it instead of connecting to the
 * socket. trace2top locks the directory while it reads it.
 *
 * trace2top creates it with mode 0700. An unlocked directory with that mode counts as left by a
 * killed trace2top; it is used, and removed at the end if it is empty. Another directory that only
 * the user can write to is used and kept; any other one is not used.
 *
 * Used before the intake thread starts and after it has ended.
 */
#ifndef MONITOR_RING_DIR_H
#define MONITOR_RING_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define RING_DIR_SUFFIX ".rings"

struct ring_dir {
	char *path;
	int fd;          /* private: descriptor that holds the lock; close-on-exec */
	bool is_removed; /* private: remove the directory at the end */
};

/* Create or use, and lock, the ring directory of `socket`. Returns NULL with a short reason in
 * `why`. */
struct ring_dir *ring_dir_make(const char *socket, char *why, size_t why_bytes);
/* Unlock the ring directory and free `dir`, which may be NULL. Removes the directory if it is empty
 * and had mode 0700 when it was opened. */
void ring_dir_leave(struct ring_dir *dir);

/*
 * Remove the ring directory, with its files, of the `socket` of a killed trace2top, relative to the
 * directory `parent`; not if it is locked, does not have mode 0700 or belongs to another user.
 */
void ring_dir_sweep(int parent, const char *socket);

#endif
