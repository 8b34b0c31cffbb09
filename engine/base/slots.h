/* SPDX-License-Identifier: MIT */
/*
 * Numbers by hash: open addressing with linear probing, for tables whose items stand in an array
 * of the owner's. A place holds an item's number + 1, or 0 where it is free. At most half of the
 * places are taken; a number stands at the first place from its hash's on that was free when it
 * came, so every place between the two is taken, and a search may stop at a free one.
 *
 * The owner compares its items itself, so that nothing is called on the way:
 *
 *	TR2_SLOTS_EACH(&table->by_key, hash, at)
 *		if (is_equal(&table->items[table->by_key.at[at] - 1], key))
 *			return ...;
 *	tr2_slots_put(&table->by_key, hash, number, hash_of, table);
 *
 * All zeros is an empty table: a number may be put into it, but there is nothing to go through.
 * One thread at a time. Nothing here dies: what allocates says where memory is short.
 */
#ifndef TR2_BASE_SLOTS_H
#define TR2_BASE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tr2_slots {
	uint32_t *at;  /* ro: number + 1; 0 is free */
	uint32_t mask; /* ro: how many places there are, a power of two, less one */
	uint32_t nr;   /* ro: how many are taken */
};

/* The hash that number was put in with; `data` is the owner's. */
typedef uint32_t tr2_slots_hash(const void *data, uint32_t number);

/*
 * Go through the places that may hold what has that hash: `place` is declared by it. Not while the
 * table is all zeros.
 */
#define TR2_SLOTS_EACH(slots, hash, place)                                                         \
	for (uint32_t place = (uint32_t)(hash) & (slots)->mask; (slots)->at[place];                \
	     place = (place + 1) & (slots)->mask)

/* Make it, with `places` (a power of two, at least 2). False where memory is short. */
static inline bool tr2_slots_init(struct tr2_slots *slots, uint32_t places)
{
	*slots = (struct tr2_slots){ .mask = places - 1 };
	slots->at = calloc(places, sizeof(*slots->at));
	return slots->at != NULL;
}

static inline void tr2_slots_release(struct tr2_slots *slots)
{
	free(slots->at);
	*slots = (struct tr2_slots){ 0 };
}

/* Bytes that it holds. */
static inline size_t tr2_slots_bytes(const struct tr2_slots *slots)
{
	return slots->at ? ((size_t)slots->mask + 1) * sizeof(*slots->at) : 0;
}

/* Take all numbers out; the places stay. */
static inline void tr2_slots_clear(struct tr2_slots *slots)
{
	if (slots->at)
		memset(slots->at, 0, tr2_slots_bytes(slots));
	slots->nr = 0;
}

/* The free place that ends the run of that hash. */
static inline uint32_t tr2_slots_free_place(const struct tr2_slots *slots, uint32_t hash)
{
	uint32_t at = hash & slots->mask;

	while (slots->at[at])
		at = (at + 1) & slots->mask;
	return at;
}

/* The place of a number that is in it. */
static inline uint32_t tr2_slots_place(const struct tr2_slots *slots, uint32_t hash,
				       uint32_t number)
{
	uint32_t at = hash & slots->mask;

	while (slots->at[at] != number + 1)
		at = (at + 1) & slots->mask;
	return at;
}

/* Twice as many places. False, and all as it was, where memory is short. */
static inline bool tr2_slots_grow(struct tr2_slots *slots, tr2_slots_hash *hash_of,
				  const void *data)
{
	struct tr2_slots bigger;

	if (!slots->at)
		return tr2_slots_init(slots, 64);
	if (slots->mask > UINT32_MAX / 2 - 1)
		return false;
	if (!tr2_slots_init(&bigger, (slots->mask + 1) * 2))
		return false;
	for (uint32_t i = 0; i <= slots->mask; i++)
		if (slots->at[i])
			bigger.at[tr2_slots_free_place(&bigger, hash_of(data, slots->at[i] - 1))] =
				slots->at[i];
	bigger.nr = slots->nr;
	free(slots->at);
	*slots = bigger;
	return true;
}

/* Put a number in that is not there. False, and all as it was, where memory is short. */
static inline bool tr2_slots_put(struct tr2_slots *slots, uint32_t hash, uint32_t number,
				 tr2_slots_hash *hash_of, const void *data)
{
	if (slots->nr >= slots->mask / 2 && !tr2_slots_grow(slots, hash_of, data))
		return false;
	slots->at[tr2_slots_free_place(slots, hash)] = number + 1;
	slots->nr++;
	return true;
}

/* Free a place; those that were pushed behind it move up. */
static inline void tr2_slots_remove(struct tr2_slots *slots, uint32_t at, tr2_slots_hash *hash_of,
				    const void *data)
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
