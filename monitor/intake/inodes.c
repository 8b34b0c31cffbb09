/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/inodes.h"

#include <stdint.h>
#include <stdlib.h>

#include "monitor/base/die.h"

/* A sorted array would be slow to fill with 100,000 files: open addressing by inode. */
static size_t slot_at(const struct inodes *t, dev_t dev, ino_t ino)
{
	size_t mask = t->cap - 1;
	size_t at = (size_t)((uint64_t)ino * 0x9e3779b97f4a7c15ull >> 20) & mask;

	while (t->slots[at].owner && (t->slots[at].dev != dev || t->slots[at].ino != ino))
		at = (at + 1) & mask;
	return at;
}

static void grow(struct inodes *t)
{
	struct inode_slot *old = t->slots;
	size_t old_cap = t->cap;

	t->cap = old_cap ? old_cap * 2 : 64;
	t->slots = xcalloc(t->cap, sizeof(*t->slots));
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].owner)
			t->slots[slot_at(t, old[i].dev, old[i].ino)] = old[i];
	free(old);
}

bool inodes_take(struct inodes *t, const struct stat *st, const struct source *source, void *owner)
{
	struct inode_slot *slot;

	if ((t->nr + 1) * 2 > t->cap)
		grow(t);
	slot = &t->slots[slot_at(t, st->st_dev, st->st_ino)];
	if (slot->owner)
		return slot->owner == owner;
	*slot = (struct inode_slot){ st->st_dev, st->st_ino, source, owner };
	t->nr++;
	return true;
}

void inodes_drop(struct inodes *t, dev_t dev, ino_t ino, const void *owner)
{
	size_t mask = t->cap - 1, at;

	if (!t->cap)
		return;
	at = slot_at(t, dev, ino);
	if (t->slots[at].owner != owner)
		return;
	t->slots[at].owner = NULL;
	t->nr--;
	/* What was pushed behind it moves up. */
	for (at = (at + 1) & mask; t->slots[at].owner; at = (at + 1) & mask) {
		struct inode_slot moved = t->slots[at];

		t->slots[at].owner = NULL;
		t->slots[slot_at(t, moved.dev, moved.ino)] = moved;
	}
}

static const struct inode_slot *find(const struct inodes *t, const struct stat *st)
{
	const struct inode_slot *slot;

	if (!t->cap)
		return NULL;
	slot = &t->slots[slot_at(t, st->st_dev, st->st_ino)];
	return slot->owner ? slot : NULL;
}

bool inodes_is_free(const struct inodes *t, const struct stat *st)
{
	return !find(t, st);
}

void *inodes_owner(const struct inodes *t, const struct stat *st, const struct source *source)
{
	const struct inode_slot *slot = find(t, st);

	return slot && slot->source == source ? slot->owner : NULL;
}

void inodes_release(struct inodes *t)
{
	free(t->slots);
}
