/* SPDX-License-Identifier: MIT */
/* A set of files that sources read, by device and inode, so that no file is read twice. */
#ifndef MONITOR_INODES_H
#define MONITOR_INODES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/hash_index.h"

struct source;

/* A set of inodes. Zero-initialise for an empty set. */
struct inodes {
	struct inode_owner {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* what reads the file, within the source */
	} * items;           /* private: the inodes, in any order */
	uint32_t nr, cap;
	struct tr2_hash_index by_inode; /* private: indices in `items` */
};

/* Register an inode for `owner` of `source`. Returns false if another owner reads it. */
bool inodes_take(struct inodes *inodes, const struct stat *st, const struct source *source,
		 void *owner);
/* Unregister an inode. No effect if another owner reads it. */
void inodes_drop(struct inodes *inodes, dev_t dev, ino_t ino, const void *owner);
bool inodes_is_free(const struct inodes *inodes, const struct stat *st);
/* Return the owner of an inode within `source`; NULL if there is none, or if another source
 * reads it. */
void *inodes_owner(const struct inodes *inodes, const struct stat *st, const struct source *source);
void inodes_release(struct inodes *inodes);

#endif
