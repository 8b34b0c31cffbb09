/* SPDX-License-Identifier: MIT */
/* The files and FIFOs that sources read, by device and inode, so that no two readers read the
 * same one. */
#ifndef MONITOR_INODES_H
#define MONITOR_INODES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/hash_index.h"

struct source;

/* A set of files; all zeros: empty. */
struct inodes {
	struct inode_owner {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* object of the source that reads the file */
	} * items;           /* private */
	uint32_t nr, cap;
	/* private: indexes in `items` by device and inode */
	struct tr2_hash_index by_inode;
};

/* Register that `owner`, an object of `source`, reads the file. Returns false if another owner
 * reads the file. */
bool inodes_take(struct inodes *inodes, const struct stat *st, const struct source *source,
		 void *owner);
/* Unregister a file, unless another owner reads it. */
void inodes_drop(struct inodes *inodes, dev_t dev, ino_t ino, const void *owner);
bool inodes_is_free(const struct inodes *inodes, const struct stat *st);
/* Return the object of `source` that reads the file; NULL: none. */
void *inodes_owner(const struct inodes *inodes, const struct stat *st, const struct source *source);
void inodes_release(struct inodes *inodes);

#endif
