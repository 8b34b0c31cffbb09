/* SPDX-License-Identifier: MIT */
/*
 * Numbers by ids of 64 bits: a trace chooses its ids freely, so none is an index by itself, and
 * they are hashed by a seed, so that none collide by its choice. Zeroed it is empty. Out of memory
 * ends the program (die.h). One thread.
 */
#ifndef MONITOR_IDS_H
#define MONITOR_IDS_H

#include "monitor/base/slots.h"

/* There is none. Cut to 32 bits, it is still the largest. */
#define IDS_NONE UINT64_MAX

struct ids {
	struct ids_item {
		uint64_t id, value;
	} * items;   /* ro: the last takes the place of one that is removed */
	uint32_t nr; /* ro */
	uint32_t cap;
	struct tr2_slots by_id;
};

void ids_release(struct ids *ids);
/* Forget all ids; the memory is kept where it is small. */
void ids_clear(struct ids *ids);
/* The id's value; IDS_NONE. */
uint64_t ids_get(const struct ids *ids, uint64_t id);
/* False: it is there already, and keeps its value. */
bool ids_add(struct ids *ids, uint64_t id, uint64_t value);
/* The same, but that it gets the new value. */
void ids_set(struct ids *ids, uint64_t id, uint64_t value);
void ids_remove(struct ids *ids, uint64_t id);

#endif
