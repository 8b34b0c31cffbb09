/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/source_entries.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"

#define FIRST_SLOTS 64u

/* ---- names ---- */

static uint32_t home_of(const struct entries *set, const char *name)
{
	return (uint32_t)tr2_hash(name, strlen(name)) & set->slot_mask;
}

/* Where `name` stands, or the free slot where it would. */
static uint32_t slot_of(const struct entries *set, const char *name)
{
	uint32_t at = home_of(set, name);

	while (set->slots[at] && strcmp(set->slots[at]->name, name))
		at = (at + 1) & set->slot_mask;
	return at;
}

static void slots_grow(struct entries *set)
{
	struct entry **old = set->slots;
	uint32_t nr_old = old ? set->slot_mask + 1 : 0;

	set->slot_mask = (nr_old ? nr_old * 2 : FIRST_SLOTS) - 1;
	set->slots = xcalloc((size_t)set->slot_mask + 1, sizeof(struct entry *));
	for (uint32_t i = 0; i < nr_old; i++)
		if (old[i])
			set->slots[slot_of(set, old[i]->name)] = old[i];
	free(old);
}

static void name_put(struct entries *set, struct entry *e, const char *name)
{
	if (!set->slots || (set->nr_named + 1) * 2 > set->slot_mask)
		slots_grow(set);
	e->name = xstrdup(name);
	set->slots[slot_of(set, name)] = e;
	set->nr_named++;
}

static void name_take(struct entries *set, struct entry *e)
{
	uint32_t mask = set->slot_mask, free_at = slot_of(set, e->name);

	set->slots[free_at] = NULL;
	set->nr_named--;
	/* Whoever was pushed behind it by its being there moves up. */
	for (uint32_t at = (free_at + 1) & mask; set->slots[at]; at = (at + 1) & mask) {
		uint32_t home = home_of(set, set->slots[at]->name);

		if (((at - home) & mask) < ((at - free_at) & mask))
			continue;
		set->slots[free_at] = set->slots[at];
		set->slots[at] = NULL;
		free_at = at;
	}
	free(e->name);
	e->name = NULL;
}

struct entry *entries_find(const struct entries *set, const char *name)
{
	return set->slots ? set->slots[slot_of(set, name)] : NULL;
}

void entries_rename(struct entries *set, struct entry *e, const char *name)
{
	bool was_nameless = !e->name;

	if (e->name)
		name_take(set, e);
	if (name)
		name_put(set, e, name);
	else if (!was_nameless)
		e->nameless_ns = tr2_clock_monotonic();
	set->nr_nameless += (uint32_t)!name - (uint32_t)was_nameless;
}

/* ---- entries ---- */

struct entry *entries_add(struct entries *set, const char *name)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->tail.fd = -1;
	if (set->nr == set->cap) {
		set->cap = set->cap ? set->cap * 2 : FIRST_SLOTS;
		set->all = xreallocarray(set->all, set->cap, sizeof(struct entry *));
	}
	e->at = set->nr;
	set->all[set->nr++] = e;
	name_put(set, e, name);
	return e;
}

void entries_drop(struct entries *set, struct entry *e)
{
	entries_close(set, e);
	if (e->name)
		name_take(set, e);
	else
		set->nr_nameless--;
	set->all[e->at] = set->all[--set->nr];
	set->all[e->at]->at = e->at;
	free(e);
}

void entries_release(struct entries *set)
{
	while (set->nr)
		entries_drop(set, set->all[set->nr - 1]);
	free(set->all);
	free(set->slots);
	*set = (struct entries){ 0 };
}

/* ---- descriptors ---- */

static struct entry *longest_silent(const struct entries *set)
{
	struct entry *oldest = set->open[0];

	for (uint32_t i = 1; i < set->nr_open; i++)
		if (set->open[i]->tail.grew_ns < oldest->tail.grew_ns)
			oldest = set->open[i];
	return oldest;
}

void entries_opened(struct entries *set, struct entry *e)
{
	if (set->nr_open == TAIL_MAX_OPEN)
		entries_close(set, longest_silent(set));
	set->open[set->nr_open++] = e;
}

void entries_close(struct entries *set, struct entry *e)
{
	for (uint32_t i = 0; i < set->nr_open; i++)
		if (set->open[i] == e) {
			set->open[i] = set->open[--set->nr_open];
			break;
		}
	tail_close(&e->tail);
}
