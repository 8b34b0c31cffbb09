/* SPDX-License-Identifier: MIT */
/*
 * The set of files and FIFOs that sources read, by device and inode. It prevents that any of them
 * is read twice.
 */
#ifndef MONITOR_INODES_H
#define MONITOR_INODES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/hash_index.h"

struct source;

/* A set of inodes and their owners. A zero-initialised set is empty. */
struct inodes {
	struct inode_owner {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* object within the source that reads the file */
	} * items;           /* private: array of the inodes and their owners, in any order */
	uint32_t nr, cap;
	/* private: finds the index in `items` by device and inode */
	struct tr2_hash_index by_inode;
};

/* Register that `owner`, an object of `source`, reads the file. Returns false if another owner
 * already reads it. */
bool inodes_take(struct inodes *inodes, const struct stat *st, const struct source *source,
		 void *owner);
/* Unregister a file that `owner` reads. No effect if another owner reads it. */
void inodes_drop(struct inodes *inodes, dev_t dev, ino_t ino, const void *owner);
bool inodes_is_free(const struct inodes *inodes, const struct stat *st);
/* Return the owner within `source` that reads the file; NULL if none does or if another source
 * reads the file. */
void *inodes_owner(const struct inodes *inodes, const struct stat *st, const struct source *source);
void inodes_release(struct inodes *inodes);

#endif
