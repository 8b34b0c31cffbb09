/* SPDX-License-Identifier: MIT */
/* The files and FIFOs that sources read, by device and inode, so that none is read twice. */
#ifndef MONITOR_INODES_H
#define MONITOR_INODES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/hash_index.h"

struct source;

/* Inodes and their owners. All zeros: an empty set. */
struct inodes {
	struct inode_owner {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* object within the source that reads the file */
	} * items;           /* private: the inodes, in any order */
	uint32_t nr, cap;
	/* private: indexes in `items` by device and inode */
	struct tr2_hash_index by_inode;
};

/* Register that `owner`, an object of `source`, reads the file. Returns false if another owner
 * does. */
bool inodes_take(struct inodes *inodes, const struct stat *st, const struct source *source,
		 void *owner);
/* Unregister a file, unless another owner reads it. */
void inodes_drop(struct inodes *inodes, dev_t dev, ino_t ino, const void *owner);
bool inodes_is_free(const struct inodes *inodes, const struct stat *st);
/* Return the owner within `source` that reads the file, or NULL. */
void *inodes_owner(const struct inodes *inodes, const struct stat *st, const struct source *source);
void inodes_release(struct inodes *inodes);

#endif
