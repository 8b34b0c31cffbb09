/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/source_entries.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

static uint32_t name_hash(const char *name)
{
	return (uint32_t)tr2_hash(name, strlen(name));
}

static uint32_t name_hash_of(const void *set, uint32_t at)
{
	return name_hash(((const struct entries *)set)->all[at]->name);
}

static void name_put(struct entries *set, struct entry *e, const char *name)
{
	e->name = xstrdup(name);
	hash_index_put(&set->by_name, name_hash(name), e->at, name_hash_of, set);
}

static void source_entries_name_take(struct entries *set, struct entry *e)
{
	tr2_hash_index_remove(&set->by_name,
			      tr2_hash_index_place(&set->by_name, name_hash(e->name), e->at),
			      name_hash_of, set);
	free(e->name);
	e->name = NULL;
}

struct entry *entries_find(const struct entries *set, const char *name)
{
	if (!set->by_name.nr)
		return NULL;
	TR2_HASH_INDEX_EACH(&set->by_name, name_hash(name), at)
	if (!strcmp(set->all[set->by_name.at[at] - 1]->name, name))
		return set->all[set->by_name.at[at] - 1];
	return NULL;
}

void entries_rename(struct entries *set, struct entry *e, const char *name)
{
	bool was_nameless = !e->name;

	if (e->name)
		source_entries_name_take(set, e);
	if (name)
		name_put(set, e, name);
	else if (!was_nameless)
		e->nameless_ns = tr2_clock_monotonic();
	set->nr_nameless += (uint32_t)!name - (uint32_t)was_nameless;
}

struct entry *entries_add(struct entries *set, const char *name)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->tail.fd = -1;
	GROW(set->all, set->nr, set->cap, 64);
	e->at = set->nr;
	set->all[set->nr++] = e;
	name_put(set, e, name);
	return e;
}

static void move_last(struct entries *set, uint32_t at)
{
	struct entry *last = set->all[--set->nr];

	if (last->name)
		set->by_name
			.at[tr2_hash_index_place(&set->by_name, name_hash(last->name), last->at)] =
			at + 1;
	last->at = at;
	set->all[at] = last;
}

void entries_drop(struct entries *set, struct entry *e)
{
	entries_close(set, e);
	if (e->name)
		source_entries_name_take(set, e);
	else
		set->nr_nameless--;
	move_last(set, e->at);
	free(e);
}

void entries_release(struct entries *set)
{
	while (set->nr)
		entries_drop(set, set->all[set->nr - 1]);
	free(set->all);
	tr2_hash_index_release(&set->by_name);
	*set = (struct entries){ 0 };
}

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
