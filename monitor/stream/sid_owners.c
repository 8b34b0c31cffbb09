/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/sid_owners.h"

#include <stdlib.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

#define OWNED_NONE UINT32_MAX

struct owned_sid {
	uint64_t hash;
	uint32_t claimant; /* index of the agent in `claimants` */
	/* index of the next newer SID of the same agent, or of the next free entry; OWNED_NONE:
	 * none */
	uint32_t next;
};

struct sid_claimant {
	sym_t agent;
	uint32_t first, last; /* indexes of the agent's oldest and newest SID; OWNED_NONE: none */
	uint32_t nr;
	uint64_t nr_contradicted;
};

struct sid_owners {
	struct owned_sid *sids;
	uint32_t nr, cap, first_free;
	struct sid_claimant *claimants;
	uint32_t nr_claimants, cap_claimants;
	/* index of the agent of the last sid_owners_admit(); the next often has the same */
	uint32_t newest;
	struct tr2_hash_index by_hash, by_agent;
};

static uint32_t owned_hash(const void *data, uint32_t at)
{
	return (uint32_t)((const struct sid_owners *)data)->sids[at].hash;
}

static uint32_t agent_hash(sym_t agent)
{
	return (uint32_t)agent * 2654435761u;
}

static uint32_t claimant_hash(const void *data, uint32_t at)
{
	return agent_hash(((const struct sid_owners *)data)->claimants[at].agent);
}

struct sid_owners *sid_owners_new(void)
{
	struct sid_owners *o = xcalloc(1, sizeof(*o));

	o->first_free = OWNED_NONE;
	hash_index_init(&o->by_hash, 64);
	hash_index_init(&o->by_agent, 64);
	return o;
}

void sid_owners_free(struct sid_owners *o)
{
	if (!o)
		return;
	tr2_hash_index_release(&o->by_hash);
	tr2_hash_index_release(&o->by_agent);
	free(o->sids);
	free(o->claimants);
	free(o);
}

static uint32_t claimant_find(const struct sid_owners *o, sym_t agent)
{
	if (o->newest < o->nr_claimants && o->claimants[o->newest].agent == agent)
		return o->newest;
	TR2_HASH_INDEX_EACH(&o->by_agent, agent_hash(agent), place)
	if (o->claimants[o->by_agent.at[place] - 1].agent == agent)
		return o->by_agent.at[place] - 1;
	return OWNED_NONE;
}

static uint32_t claimant_find_or_add(struct sid_owners *o, sym_t agent)
{
	uint32_t at = claimant_find(o, agent);

	if (at == OWNED_NONE) {
		GROW(o->claimants, o->nr_claimants, o->cap_claimants, 16);
		at = o->nr_claimants++;
		o->claimants[at] = (struct sid_claimant){ .agent = agent,
							  .first = OWNED_NONE,
							  .last = OWNED_NONE };
		hash_index_put(&o->by_agent, agent_hash(agent), at, claimant_hash, o);
	}
	o->newest = at;
	return at;
}

static void evict_half_of_largest(struct sid_owners *o)
{
	struct sid_claimant *c = o->claimants;

	for (uint32_t i = 1; i < o->nr_claimants; i++)
		if (o->claimants[i].nr > c->nr)
			c = &o->claimants[i];
	for (uint32_t left = (c->nr + 1) / 2; left; left--) {
		uint32_t at = c->first;

		tr2_hash_index_remove(&o->by_hash,
				      tr2_hash_index_place(&o->by_hash, owned_hash(o, at), at),
				      owned_hash, o);
		c->first = o->sids[at].next;
		if (c->first == OWNED_NONE)
			c->last = OWNED_NONE;
		c->nr--;
		o->sids[at].next = o->first_free;
		o->first_free = at;
	}
}

static uint32_t new_entry(struct sid_owners *o)
{
	uint32_t at;

	if (o->first_free == OWNED_NONE && o->nr == SID_OWNERS_MAX)
		evict_half_of_largest(o);
	at = o->first_free;
	if (at != OWNED_NONE) {
		o->first_free = o->sids[at].next;
		return at;
	}
	GROW(o->sids, o->nr, o->cap, 256);
	return o->nr++;
}

bool sid_owners_admit(struct sid_owners *o, uint64_t sid_hash, sym_t agent)
{
	uint32_t owner = claimant_find_or_add(o, agent), at;
	struct sid_claimant *c;

	TR2_HASH_INDEX_EACH(&o->by_hash, sid_hash, place)
	{
		const struct owned_sid *sid = &o->sids[o->by_hash.at[place] - 1];

		if (sid->hash != sid_hash)
			continue;
		if (sid->claimant == owner)
			return true;
		o->claimants[owner].nr_contradicted++;
		return false;
	}
	at = new_entry(o);
	o->sids[at] = (struct owned_sid){ .hash = sid_hash, .claimant = owner, .next = OWNED_NONE };
	hash_index_put(&o->by_hash, (uint32_t)sid_hash, at, owned_hash, o);
	c = &o->claimants[owner];
	if (c->last == OWNED_NONE)
		c->first = at;
	else
		o->sids[c->last].next = at;
	c->last = at;
	c->nr++;
	return true;
}

uint64_t sid_owners_contradicted(const struct sid_owners *o, sym_t agent)
{
	uint32_t at = claimant_find(o, agent);

	return at == OWNED_NONE ? 0 : o->claimants[at].nr_contradicted;
}
