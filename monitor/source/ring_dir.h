/* SPDX-License-Identifier: MIT */
/*
 * The ring directory of a socket PATH is PATH.rings. Programs that use libtrace2 with rings may
 * create ring files in it instead of connecting to the socket.
 *
 * trace2top creates the directory with mode 0700, or uses an existing one that belongs to the user,
 * that no other user may write to and that is not locked. At the end it removes the directory if it
 * is empty and had mode 0700.
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
	bool is_removed; /* private: at the end, remove the directory if it is empty */
};

/* Create or open the ring directory of `socket`, and lock it. Returns NULL with an error in
 * `why`. */
struct ring_dir *ring_dir_make(const char *socket, char *why, size_t why_bytes);
/* Remove the ring directory if it is empty and had mode 0700. Unlock it and free `dir`, which may
 * be NULL. */
void ring_dir_leave(struct ring_dir *dir);

/* Remove the ring directory of `socket`, a path relative to the directory `parent`, and its
 * files. Keeps a directory that is locked, does not have mode 0700 or belongs to another user. */
void ring_dir_sweep(int parent, const char *socket);

#endif
