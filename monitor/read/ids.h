/* SPDX-License-Identifier: MIT */
/*
 * Map of 64-bit ids to numbers. The hash has a seed, so that a trace cannot choose ids that
 * collide. An all-zero struct is an empty map. The functions exit if out of memory (die.h). Only
 * one thread at a time may use a map.
 */
#ifndef MONITOR_IDS_H
#define MONITOR_IDS_H

#include "monitor/base/hash_index.h"

/* Value of an unknown id; truncated to 32 bits, UINT32_MAX. */
#define IDS_NONE UINT64_MAX

struct ids {
	struct ids_item {
		uint64_t id, value;
		/* ro; ids_remove() moves the last item to the index of the removed one */
	} * items;
	uint32_t nr; /* ro */
	uint32_t cap;
	struct tr2_hash_index by_id;
};

void ids_release(struct ids *ids);
/* Remove all ids. Keeps the map's memory if it is small. */
void ids_clear(struct ids *ids);
/* Return the value of an id, or IDS_NONE. */
uint64_t ids_get(const struct ids *ids, uint64_t id);
/* Add an id and its value. If the id exists, keeps its value and returns false. */
bool ids_add(struct ids *ids, uint64_t id, uint64_t value);
/* Add an id, or replace its value. */
void ids_set(struct ids *ids, uint64_t id, uint64_t value);
void ids_remove(struct ids *ids, uint64_t id);

#endif
