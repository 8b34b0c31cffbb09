/* SPDX-License-Identifier: MIT */
/* Hash index (engine/base/slots.h) that exits if out of memory. */
#ifndef MONITOR_SLOTS_H
#define MONITOR_SLOTS_H

#include "engine/base/slots.h"
#include "monitor/base/die.h"

static inline void slots_init(struct tr2_slots *slots, uint32_t places)
{
	if (!tr2_slots_init(slots, places))
		die_of_memory(places * sizeof(*slots->at));
}

static inline void slots_put(struct tr2_slots *slots, uint32_t hash, uint32_t number,
			     tr2_slots_hash *hash_of, const void *data)
{
	if (!tr2_slots_put(slots, hash, number, hash_of, data))
		die_of_memory(2 * tr2_slots_bytes(slots));
}

#endif
