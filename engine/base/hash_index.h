/* SPDX-License-Identifier: MIT */
/*
 * A hash index: finds items of the owner's array by their hash (open addressing, linear probing). A
 * slot of the index holds an item number + 1, or 0 if it is free. At most half of the slots are
 * used. No slot from that of a number's hash to the number's own is free, so a search stops at a
 * free slot.
 *
 * The owner compares its items itself:
 *
 *      TR2_HASH_INDEX_EACH(&table->by_key, hash, at)
 *              if (is_equal(&table->items[table->by_key.at[at] - 1], key))
 *                      return ...;
 *      tr2_hash_index_put(&table->by_key, hash, number, hash_of, table);
 *
 * An all-zero struct is an empty index: numbers may be added, but it must not be searched. One
 * thread at a time.
 */
#ifndef TR2_BASE_HASH_INDEX_H
#define TR2_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tr2_hash_index {
	/* the slots: each an item number + 1, or 0 if free; the owner may change a number */
	uint32_t *at;
	uint32_t mask; /* ro: number of slots, a power of two, minus 1 */
	uint32_t nr;   /* ro: number of used slots */
};

/* Callback: return the hash with which item `number` was added. */
typedef uint32_t tr2_hash_index_hash(const void *data, uint32_t number);

/*
 * Loop over the slots that may hold an item with hash `hash`. Declares the loop variable `place`,
 * an index of slots->at[]. `slots` must not be all-zero.
 */
#define TR2_HASH_INDEX_EACH(slots, hash, place)                                                    \
	for (uint32_t place = (uint32_t)(hash) & (slots)->mask; (slots)->at[place];                \
	     place = (place + 1) & (slots)->mask)

/* Initialise a hash index with `places` slots (a power of two, at least 2). Returns false if out of
 * memory; the index is then all-zero. */
static inline bool tr2_hash_index_init(struct tr2_hash_index *slots, uint32_t places)
{
	*slots = (struct tr2_hash_index){ .at = calloc(places, sizeof(*slots->at)) };
	if (!slots->at)
		return false;
	slots->mask = places - 1;
	return true;
}

static inline void tr2_hash_index_release(struct tr2_hash_index *slots)
{
	free(slots->at);
	*slots = (struct tr2_hash_index){ 0 };
}

static inline size_t tr2_hash_index_bytes(const struct tr2_hash_index *slots)
{
	return slots->at ? ((size_t)slots->mask + 1) * sizeof(*slots->at) : 0;
}

static inline void tr2_hash_index_clear(struct tr2_hash_index *slots)
{
	if (slots->at)
		memset(slots->at, 0, tr2_hash_index_bytes(slots));
	slots->nr = 0;
}

static inline uint32_t tr2_hash_index_free_place(const struct tr2_hash_index *slots, uint32_t hash)
{
	uint32_t at = hash & slots->mask;

	while (slots->at[at])
		at = (at + 1) & slots->mask;
	return at;
}

/* Return the slot of item `number`, which must be in the index. */
static inline uint32_t tr2_hash_index_place(const struct tr2_hash_index *slots, uint32_t hash,
					    uint32_t number)
{
	uint32_t at = hash & slots->mask;

	while (slots->at[at] != number + 1)
		at = (at + 1) & slots->mask;
	return at;
}

/* Double the number of slots; an index without slots gets 64. Returns false on failure. */
static inline bool tr2_hash_index_grow(struct tr2_hash_index *slots, tr2_hash_index_hash *hash_of,
				       const void *data)
{
	struct tr2_hash_index bigger;

	if (!slots->at)
		return tr2_hash_index_init(slots, 64);
	if (slots->mask > UINT32_MAX / 2 - 1)
		return false;
	if (!tr2_hash_index_init(&bigger, (slots->mask + 1) * 2))
		return false;
	for (uint32_t i = 0; i <= slots->mask; i++)
		if (slots->at[i])
			bigger.at[tr2_hash_index_free_place(
				&bigger, hash_of(data, slots->at[i] - 1))] = slots->at[i];
	bigger.nr = slots->nr;
	free(slots->at);
	*slots = bigger;
	return true;
}

/* Add item `number`, which must not be in the index yet. Returns false if the index must grow and
 * cannot. */
static inline bool tr2_hash_index_put(struct tr2_hash_index *slots, uint32_t hash, uint32_t number,
				      tr2_hash_index_hash *hash_of, const void *data)
{
	if (slots->nr >= slots->mask / 2 && !tr2_hash_index_grow(slots, hash_of, data))
		return false;
	slots->at[tr2_hash_index_free_place(slots, hash)] = number + 1;
	slots->nr++;
	return true;
}

/* Remove the item number in slot `at`. Other numbers may move to other slots. */
static inline void tr2_hash_index_remove(struct tr2_hash_index *slots, uint32_t at,
					 tr2_hash_index_hash *hash_of, const void *data)
{
	uint32_t hole = at;

	slots->nr--;
	for (at = (at + 1) & slots->mask; slots->at[at]; at = (at + 1) & slots->mask) {
		uint32_t home = hash_of(data, slots->at[at] - 1) & slots->mask;

		if (((at - home) & slots->mask) < ((at - hole) & slots->mask))
			continue;
		slots->at[hole] = slots->at[at];
		hole = at;
	}
	slots->at[hole] = 0;
}

#endif
