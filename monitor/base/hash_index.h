/* SPDX-License-Identifier: MIT */
/* Functions of engine/base/hash_index.h that exit if out of memory. */
#ifndef MONITOR_HASH_INDEX_H
#define MONITOR_HASH_INDEX_H

#include "engine/base/hash_index.h"
#include "monitor/base/die.h"

static inline void hash_index_init(struct tr2_hash_index *slots, uint32_t places)
{
	if (!tr2_hash_index_init(slots, places))
		die_of_memory(places * sizeof(*slots->at));
}

static inline void hash_index_put(struct tr2_hash_index *slots, uint32_t hash, uint32_t number,
				  tr2_hash_index_hash *hash_of, const void *data)
{
	if (!tr2_hash_index_put(slots, hash, number, hash_of, data))
		die_of_memory(2 * tr2_hash_index_bytes(slots));
}

#endif
