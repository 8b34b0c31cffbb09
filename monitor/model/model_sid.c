/* SPDX-License-Identifier: MIT */
/* Tables by SID: of processes, of orphans by their parent's SID, and of evicted processes. */
#include "config.h"
#include "monitor/model/model_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/hash_index.h"

/* The table entries of a SID are prefetched this many SIDs before its lookup. */
#define SID_PREFETCH 8

static uint32_t sid_table_hash(const void *model, uint32_t slot)
{
	return (uint32_t)((const struct model *)model)->processes[slot].sid_hash;
}

static uint32_t parent_hash_of(const void *model, uint32_t slot)
{
	const struct model *m = model;
	const struct text sid = m->processes[slot].parent_sid;

	return (uint32_t)tr2_hash(text_bytes(&m->heap, sid), sid.len);
}

uint32_t process_find(const struct model *m, const char *sid, size_t len, uint64_t hash)
{
	TR2_HASH_INDEX_EACH(&m->by_sid, hash, at)
	{
		uint32_t slot = m->by_sid.at[at] - 1;
		const struct process *p = &m->processes[slot];

		if (p->sid_hash == hash && p->sid.len == len &&
		    !memcmp(text_bytes(&m->heap, p->sid), sid, len))
			return slot;
	}
	return SLOT_NONE;
}

uint32_t process_find_hash(const struct model *m, uint64_t hash)
{
	TR2_HASH_INDEX_EACH(&m->by_sid, hash, at)
	if (m->processes[m->by_sid.at[at] - 1].sid_hash == hash)
		return m->by_sid.at[at] - 1;
	return SLOT_NONE;
}

uint32_t process_find_batch_sid(const struct model *m, const struct batch *batch, uint32_t index)
{
	const struct batch_sid *sid = &batch->sids[index];

	return process_find(m, batch->text + sid->text, sid->len, sid->hash);
}

void sid_table_add(struct model *m, uint32_t slot)
{
	hash_index_put(&m->by_sid, sid_table_hash(m, slot), slot, sid_table_hash, m);
}

void sid_table_remove(struct model *m, uint32_t slot)
{
	uint32_t at = tr2_hash_index_place(&m->by_sid, sid_table_hash(m, slot), slot);

	tr2_hash_index_remove(&m->by_sid, at, sid_table_hash, m);
}

/* Return the start of the list of processes whose missing parent has this SID; SLOT_NONE: none.
 * Sets `*at` to its index in the table of orphans. */
static uint32_t orphans_find(const struct model *m, const char *sid, size_t len, uint64_t hash,
			     uint32_t *at)
{
	TR2_HASH_INDEX_EACH(&m->orphans, hash, place)
	{
		uint32_t slot = m->orphans.at[place] - 1;
		const struct text wanted = m->processes[slot].parent_sid;

		if (wanted.len == len && !memcmp(text_bytes(&m->heap, wanted), sid, len)) {
			*at = place;
			return slot;
		}
	}
	return SLOT_NONE;
}

void orphan_add(struct model *m, uint32_t slot, const char *parent, size_t len)
{
	uint64_t hash = tr2_hash(parent, len);
	uint32_t at, first = orphans_find(m, parent, len, hash, &at);
	struct process *p = &m->processes[slot];

	p->orphan_next = first;
	p->orphan_prev = SLOT_NONE;
	if (first == SLOT_NONE) {
		hash_index_put(&m->orphans, (uint32_t)hash, slot, parent_hash_of, m);
		return;
	}
	m->processes[first].orphan_prev = slot;
	m->orphans.at[at] = slot + 1;
}

void orphan_remove(struct model *m, uint32_t slot)
{
	struct process *p = &m->processes[slot];
	const char *parent = text_bytes(&m->heap, p->parent_sid);
	size_t len = p->parent_sid.len;
	uint32_t at;

	if (!p->is_orphan)
		return;
	p->is_orphan = false;
	if (p->orphan_next != SLOT_NONE)
		m->processes[p->orphan_next].orphan_prev = p->orphan_prev;
	if (p->orphan_prev != SLOT_NONE) {
		m->processes[p->orphan_prev].orphan_next = p->orphan_next;
		return;
	}
	orphans_find(m, parent, len, tr2_hash(parent, len), &at);
	if (p->orphan_next != SLOT_NONE)
		m->orphans.at[at] = p->orphan_next + 1;
	else
		tr2_hash_index_remove(&m->orphans, at, parent_hash_of, m);
}

uint32_t orphans_take(struct model *m, uint32_t parent)
{
	const struct text sid = m->processes[parent].sid;
	uint32_t at, first = orphans_find(m, text_bytes(&m->heap, sid), sid.len,
					  m->processes[parent].sid_hash, &at);

	if (first != SLOT_NONE)
		tr2_hash_index_remove(&m->orphans, at, parent_hash_of, m);
	return first;
}

static bool sid_set_has(const struct sid_set *set, uint64_t hash)
{
	if (!set->cap)
		return false;
	for (uint32_t at = (uint32_t)hash & (set->cap - 1); set->at[at];
	     at = (at + 1) & (set->cap - 1))
		if (set->at[at] == hash)
			return true;
	return false;
}

static void sid_set_put(struct sid_set *set, uint64_t hash)
{
	uint32_t at;

	if ((set->nr + 1) * 2 > set->cap) {
		struct sid_set bigger = { .cap = set->cap ? set->cap * 2 : 1024 };

		bigger.at = xcalloc(bigger.cap, sizeof(*bigger.at));
		for (uint32_t i = 0; i < set->cap; i++)
			if (set->at[i])
				sid_set_put(&bigger, set->at[i]);
		free(set->at);
		*set = bigger;
	}
	for (at = (uint32_t)hash & (set->cap - 1); set->at[at]; at = (at + 1) & (set->cap - 1))
		if (set->at[at] == hash)
			return;
	set->at[at] = hash;
	set->nr++;
}

/* Return the hash that the set stores for a SID. With 32 bits, one of 4,000 new processes would
 * match one of a million evicted ones. */
static uint64_t set_hash(uint64_t hash)
{
	return hash ? hash : 1; /* 0 marks a free entry */
}

void sid_forget(struct model *m, uint64_t sid_hash)
{
	if (m->evicted[0].nr >= MAX_EVICTED_SIDS / 2) {
		free(m->evicted[1].at);
		m->evicted[1] = m->evicted[0];
		m->evicted[0] = (struct sid_set){ 0 };
	}
	sid_set_put(&m->evicted[0], set_hash(sid_hash));
}

/* A batch has SIDs in the order of lookup, so the next ones are known. */
void sid_prefetch(const struct model *m, const struct batch *batch, uint32_t index)
{
	uint64_t hash;

	if (index + SID_PREFETCH >= batch->nr_sids)
		return;
	hash = batch->sids[index + SID_PREFETCH].hash;
	__builtin_prefetch(&m->by_sid.at[hash & m->by_sid.mask]);
	sid_set_prefetch(&m->evicted[0], hash);
	sid_set_prefetch(&m->evicted[1], hash);
}

bool sid_is_evicted(const struct model *m, uint64_t hash)
{
	return sid_set_has(&m->evicted[0], set_hash(hash)) ||
	       sid_set_has(&m->evicted[1], set_hash(hash));
}
