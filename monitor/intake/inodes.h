/* SPDX-License-Identifier: MIT */
/* Which files are being read, so that none is read twice: by device and inode. */
#ifndef MONITOR_INODES_H
#define MONITOR_INODES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/slots.h"

struct source;

/* Empty where it is all zero. */
struct inodes {
	struct inode_owner {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* within the source */
	} * items;           /* private: in any order */
	uint32_t nr, cap;
	struct tr2_slots by_inode; /* private: indices in `items` */
};

/* Take an inode for `owner` of `source`; false where another owner has it. */
bool inodes_take(struct inodes *inodes, const struct stat *st, const struct source *source,
		 void *owner);
/* Give it back; nothing is done where it is not the owner's. */
void inodes_drop(struct inodes *inodes, dev_t dev, ino_t ino, const void *owner);
bool inodes_is_free(const struct inodes *inodes, const struct stat *st);
/* The owner within `source`; NULL where it has none, or one of another source. */
void *inodes_owner(const struct inodes *inodes, const struct stat *st, const struct source *source);
void inodes_release(struct inodes *inodes);

#endif
