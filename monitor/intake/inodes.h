/* SPDX-License-Identifier: MIT */
/* inodes: files being read, by device and inode, so that no file is read twice. */
#ifndef MONITOR_INODES_H
#define MONITOR_INODES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/hash_index.h"

struct source;

/* Zero-initialise for an empty set. */
struct inodes {
	struct inode_owner {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* within the source */
	} * items;           /* private: in any order */
	uint32_t nr, cap;
	struct tr2_hash_index by_inode; /* private: indices in `items` */
};

/* Register an inode for `owner` of `source`. Returns false if another owner has it. */
bool inodes_take(struct inodes *inodes, const struct stat *st, const struct source *source,
		 void *owner);
/* Unregister it. No effect if `owner` does not have it. */
void inodes_drop(struct inodes *inodes, dev_t dev, ino_t ino, const void *owner);
bool inodes_is_free(const struct inodes *inodes, const struct stat *st);
/* Owner of the inode within `source`; NULL if none, or if it belongs to another source. */
void *inodes_owner(const struct inodes *inodes, const struct stat *st, const struct source *source);
void inodes_release(struct inodes *inodes);

#endif
