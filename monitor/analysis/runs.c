/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/runs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"

void runs_init(struct runs *runs)
{
	*runs = (struct runs){ .nr = 0 };
	if (!tr2_intern_init(&runs->texts, 0, 0) || !tr2_hash_index_init(&runs->by_sid, 64))
		die("out of memory");
}

void runs_release(struct runs *runs)
{
	if (runs->texts.by_hash.at)
		tr2_intern_release(&runs->texts);
	tr2_hash_index_release(&runs->by_sid);
	free(runs->items);
	free(runs->parts);
	free(runs->things);
	free(runs->durations);
	*runs = (struct runs){ .nr = 0 };
}

/* a hash of the symbol is enough, because equal texts have the same symbol */
static uint32_t sid_hash(sym_t sid)
{
	return (uint32_t)tr2_hash_pair(sid, 0);
}

static uint32_t runs_hash_of_item(const void *data, uint32_t number)
{
	const struct runs *runs = data;

	return sid_hash(runs->items[number].sid);
}

bool runs_has(const struct runs *runs, sym_t sid)
{
	TR2_HASH_INDEX_EACH(&runs->by_sid, sid_hash(sid), at)
	if (runs->items[runs->by_sid.at[at] - 1].sid == sid)
		return true;
	return false;
}

void runs_drop(struct runs *runs)
{
	const struct run *last = runs->nr ? &runs->items[runs->nr - 1] : NULL;
	const struct run_durations *thing;

	runs->nr_parts = last ? last->first_part + last->nr_parts : 0;
	runs->nr_things = last ? last->first_durations + last->nr_durations : 0;
	thing = runs->nr_things ? &runs->things[runs->nr_things - 1] : NULL;
	runs->nr_durations = thing ? thing->first + thing->nr : 0;
}

bool runs_add(struct runs *runs, const struct run *run)
{
	const struct run *last = runs->nr ? &runs->items[runs->nr - 1] : NULL;
	struct run added = *run;

	if (runs_has(runs, run->sid)) {
		runs->nr_repeated++;
		runs_drop(runs);
		return false;
	}
	added.first_part = last ? last->first_part + last->nr_parts : 0;
	added.nr_parts = runs->nr_parts - added.first_part;
	added.first_durations = last ? last->first_durations + last->nr_durations : 0;
	added.nr_durations = runs->nr_things - added.first_durations;
	GROW(runs->items, runs->nr, runs->cap, 64);
	runs->items[runs->nr] = added;
	if (!tr2_hash_index_put(&runs->by_sid, sid_hash(run->sid), runs->nr, runs_hash_of_item,
				runs))
		die("out of memory");
	runs->nr++;
	return true;
}

void runs_add_part(struct runs *runs, const struct run_part *part)
{
	GROW(runs->parts, runs->nr_parts, runs->cap_parts, 256);
	runs->parts[runs->nr_parts++] = *part;
}

void runs_add_durations(struct runs *runs, const struct run_durations *thing, const ns_t *durations,
			uint32_t nr)
{
	struct run_durations added = *thing;

	if (nr > RUN_MAX_DURATIONS) {
		durations += nr - RUN_MAX_DURATIONS;
		nr = RUN_MAX_DURATIONS;
	}
	added.first = runs->nr_durations;
	added.nr = nr;
	for (uint32_t i = 0; i < nr; i++) {
		GROW(runs->durations, runs->nr_durations, runs->cap_durations, 256);
		runs->durations[runs->nr_durations++] = durations[i];
	}
	GROW(runs->things, runs->nr_things, runs->cap_things, 64);
	runs->things[runs->nr_things++] = added;
}
