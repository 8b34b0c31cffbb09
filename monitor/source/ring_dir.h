/* SPDX-License-Identifier: MIT */
/*
 * The ring directory PATH.rings that belongs to a socket PATH. If it exists and belongs to the
 * user, programs with libtrace2 that use rings create their files there instead of connecting. It
 * is locked while trace2top reads it.
 *
 * trace2top creates it with mode 0700. A directory with that mode that is not locked was left by a
 * killed monitor; it is also removed at the end, if empty. Another directory that only the user can
 * write to is read and kept. Any other directory is not used.
 *
 * Used before threads start and after they ended.
 */
#ifndef MONITOR_RING_DIR_H
#define MONITOR_RING_DIR_H

#include <stdbool.h>
#include <stddef.h>

#define RING_DIR_SUFFIX ".rings"

struct ring_dir {
	char *path;      /* ro: path of the directory */
	int fd;          /* private: holds the lock; close-on-exec */
	bool is_removed; /* private: remove it at the end */
};

/* Create the ring directory of `socket`, or use an existing one. Returns NULL with a short
 * reason in `why`. */
struct ring_dir *ring_dir_make(const char *socket, char *why, size_t why_bytes);
/* Unlock the directory, and remove it if trace2top created it. `dir` may be NULL. */
void ring_dir_leave(struct ring_dir *dir);

/*
 * Remove the directory of `socket`, a path relative to the directory `parent`, with all its files,
 * because its monitor is gone. No effect if its mode or owner differs from ours, or if it is
 * locked.
 */
void ring_dir_sweep(int parent, const char *socket);

#endif
