/* SPDX-License-Identifier: MIT */
/*
 * Ids of 64 bits to small indexes: a trace chooses its ids freely, so none is an index by
 * itself. Zeroed it is empty. Out of memory ends the program (die.h). One thread.
 */
#ifndef MONITOR_GO_IDS_H
#define MONITOR_GO_IDS_H

#include "monitor/base/slots.h"

#define GO_NO_INDEX UINT32_MAX

struct go_ids {
	struct go_id {
		uint64_t id;
		uint32_t index;
	} * items;   /* ro: the last takes the place of one that is removed */
	uint32_t nr; /* ro */
	uint32_t cap;
	struct tr2_slots by_id;
};

void go_ids_release(struct go_ids *ids);
/* Forget all ids; the memory is kept where it is small. */
void go_ids_clear(struct go_ids *ids);
/* GO_NO_INDEX: it is not there. */
uint32_t go_ids_get(const struct go_ids *ids, uint64_t id);
/* False: it is there already, and keeps its index. */
bool go_ids_add(struct go_ids *ids, uint64_t id, uint32_t index);
void go_ids_remove(struct go_ids *ids, uint64_t id);

#endif
