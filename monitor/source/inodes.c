/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/inodes.h"

#include <stdlib.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define NONE UINT32_MAX

static uint32_t inode_hash(dev_t dev, ino_t ino)
{
	return (uint32_t)tr2_hash_pair(dev, ino);
}

static uint32_t inodes_hash_of(const void *inodes, uint32_t at)
{
	const struct inode_owner *item = &((const struct inodes *)inodes)->items[at];

	return inode_hash(item->dev, item->ino);
}

static uint32_t inodes_find(const struct inodes *t, dev_t dev, ino_t ino)
{
	if (!t->nr)
		return NONE;
	TR2_HASH_INDEX_EACH(&t->by_inode, inode_hash(dev, ino), place)
	{
		uint32_t at = t->by_inode.at[place] - 1;

		if (t->items[at].dev == dev && t->items[at].ino == ino)
			return at;
	}
	return NONE;
}

bool inodes_take(struct inodes *t, const struct stat *st, const struct source *source, void *owner)
{
	uint32_t at = inodes_find(t, st->st_dev, st->st_ino);

	if (at != NONE)
		return t->items[at].owner == owner;
	GROW(t->items, t->nr, t->cap, 64);
	t->items[t->nr] = (struct inode_owner){ st->st_dev, st->st_ino, source, owner };
	hash_index_put(&t->by_inode, inodes_hash_of(t, t->nr), t->nr, inodes_hash_of, t);
	t->nr++;
	return true;
}

void inodes_drop(struct inodes *t, dev_t dev, ino_t ino, const void *owner)
{
	uint32_t at = inodes_find(t, dev, ino), last;

	if (at == NONE || t->items[at].owner != owner)
		return;
	tr2_hash_index_remove(&t->by_inode,
			      tr2_hash_index_place(&t->by_inode, inodes_hash_of(t, at), at),
			      inodes_hash_of, t);
	last = --t->nr;
	if (last == at)
		return;
	t->by_inode.at[tr2_hash_index_place(&t->by_inode, inodes_hash_of(t, last), last)] = at + 1;
	t->items[at] = t->items[last];
}

bool inodes_is_free(const struct inodes *t, const struct stat *st)
{
	return inodes_find(t, st->st_dev, st->st_ino) == NONE;
}

void *inodes_owner(const struct inodes *t, const struct stat *st, const struct source *source)
{
	uint32_t at = inodes_find(t, st->st_dev, st->st_ino);

	return at != NONE && t->items[at].source == source ? t->items[at].owner : NULL;
}

void inodes_release(struct inodes *t)
{
	free(t->items);
	tr2_hash_index_release(&t->by_inode);
}
