/* SPDX-License-Identifier: MIT */
/*
 * Map of 64-bit ids to numbers. A trace chooses its ids freely, so they are hashed with a seed: a
 * trace cannot choose ids that collide. An all-zero struct is an empty map. The functions exit if
 * out of memory (die.h). Only one thread at a time may use a map.
 */
#ifndef MONITOR_IDS_H
#define MONITOR_IDS_H

#include "monitor/base/hash_index.h"

/* Value that is returned for an unknown id. Truncated to 32 bits it is still the largest value. */
#define IDS_NONE UINT64_MAX

struct ids {
	struct ids_item {
		uint64_t id, value;
		/* ro: ids and values; ids_remove() moves the last item to the free index */
	} * items;
	uint32_t nr; /* ro */
	uint32_t cap;
	struct tr2_hash_index by_id;
};

void ids_release(struct ids *ids);
/* Remove all ids. Keeps the map's memory if it is small. */
void ids_clear(struct ids *ids);
/* Get the value of an id; IDS_NONE if unknown. */
uint64_t ids_get(const struct ids *ids, uint64_t id);
/* Add an id and its value. Returns false if the id exists; its value is then not changed. */
bool ids_add(struct ids *ids, uint64_t id, uint64_t value);
/* Add an id, or replace its value. */
void ids_set(struct ids *ids, uint64_t id, uint64_t value);
void ids_remove(struct ids *ids, uint64_t id);

#endif
