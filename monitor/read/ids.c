/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/read/ids.h"

enum { FIRST_PLACES = 64, KEPT_PLACES = 8192 };

/* Number of sequential ids that get adjacent hash slots, to use few cache lines. */
enum { NEIGHBOURS = 16 };

static uint32_t ids_hash(uint64_t id)
{
	uint64_t mixed = tr2_hash_mix(id / NEIGHBOURS ^ tr2_hash_seed ^ 0x9e3779b97f4a7c15ull,
				      0xd6e8feb86659fd93ull);

	return (uint32_t)mixed * NEIGHBOURS + id % NEIGHBOURS;
}

static uint32_t ids_hash_of_item(const void *data, uint32_t number)
{
	return ids_hash(((const struct ids *)data)->items[number].id);
}

void ids_release(struct ids *ids)
{
	free(ids->items);
	tr2_hash_index_release(&ids->by_id);
	*ids = (struct ids){ 0 };
}

void ids_clear(struct ids *ids)
{
	if (ids->by_id.mask >= KEPT_PLACES)
		ids_release(ids);
	else if (ids->nr)
		tr2_hash_index_clear(&ids->by_id);
	ids->nr = 0;
}

static struct ids_item *ids_find(const struct ids *ids, uint64_t id)
{
	if (ids->nr)
		TR2_HASH_INDEX_EACH(&ids->by_id, ids_hash(id), at)
	if (ids->items[ids->by_id.at[at] - 1].id == id)
		return &ids->items[ids->by_id.at[at] - 1];
	return NULL;
}

uint64_t ids_get(const struct ids *ids, uint64_t id)
{
	const struct ids_item *item = ids_find(ids, id);

	return item ? item->value : IDS_NONE;
}

bool ids_add(struct ids *ids, uint64_t id, uint64_t value)
{
	if (ids_find(ids, id))
		return false;
	if (!ids->by_id.at)
		hash_index_init(&ids->by_id, FIRST_PLACES);
	GROW(ids->items, ids->nr, ids->cap, FIRST_PLACES / 2);
	ids->items[ids->nr] = (struct ids_item){ id, value };
	hash_index_put(&ids->by_id, ids_hash(id), ids->nr, ids_hash_of_item, ids);
	ids->nr++;
	return true;
}

void ids_set(struct ids *ids, uint64_t id, uint64_t value)
{
	struct ids_item *item = ids_find(ids, id);

	if (item)
		item->value = value;
	else
		ids_add(ids, id, value);
}

void ids_remove(struct ids *ids, uint64_t id)
{
	const struct ids_item *item = ids_find(ids, id);
	uint32_t number, last;

	if (!item)
		return;
	number = (uint32_t)(item - ids->items);
	tr2_hash_index_remove(&ids->by_id, tr2_hash_index_place(&ids->by_id, ids_hash(id), number),
			      ids_hash_of_item, ids);
	last = --ids->nr;
	if (number == last)
		return;
	ids->by_id.at[tr2_hash_index_place(&ids->by_id, ids_hash(ids->items[last].id), last)] =
		number + 1;
	ids->items[number] = ids->items[last];
}
