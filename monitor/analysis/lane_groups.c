/* SPDX-License-Identifier: MIT */
/* The lanes of the timeline grouped by command. */
#include "config.h"

#include "monitor/analysis/lane_groups.h"

#include <stdlib.h>

#include "monitor/analysis/commands.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

bool lane_failed(const struct model *model, const struct lane *lane)
{
	const struct process *process = model_slot(model, lane->slot);

	return process_failed(process) || process->state == STATE_SIGNALED;
}

uint32_t lane_groups_processes(const struct lanes *lanes)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < lanes->nr; i++)
		nr += lanes->items[i].first;
	return nr;
}

static uint32_t lane_group_hash(const void *data, uint32_t number)
{
	return (uint32_t)((const struct lane_groups *)data)->items[number].id;
}

static uint32_t group_find(struct lane_groups *groups, uint64_t id)
{
	struct lane_group *group;

	if (groups->nr)
		TR2_HASH_INDEX_EACH(&groups->by_id, id, at)
	if (groups->items[groups->by_id.at[at] - 1].id == id)
		return groups->by_id.at[at] - 1;
	GROW(groups->items, groups->nr, groups->cap, 32);
	group = &groups->items[groups->nr++];
	*group = (struct lane_group){ .id = id };
	hash_index_put(&groups->by_id, (uint32_t)id, groups->nr - 1, lane_group_hash, groups);
	return groups->nr - 1;
}

static void groups_reserve(struct lane_groups *groups, uint32_t nr)
{
	if (nr <= groups->cap_runs)
		return;
	groups->cap_runs = nr > 2 * groups->cap_runs ? nr : 2 * groups->cap_runs;
	groups->runs = xreallocarray(groups->runs, groups->cap_runs, sizeof(*groups->runs));
	groups->group_of =
		xreallocarray(groups->group_of, groups->cap_runs, sizeof(*groups->group_of));
	groups->starts = xreallocarray(groups->starts, groups->cap_runs, sizeof(*groups->starts));
	groups->ends = xreallocarray(groups->ends, groups->cap_runs, sizeof(*groups->ends));
}

static int time_order(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_times(ns_t *times, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		if (times[i] < times[i - 1]) {
			qsort(times, nr, sizeof(*times), time_order);
			return;
		}
}

/* Count the runs of each command, and collect the times of all. */
static void count_runs(struct lane_groups *groups, const struct model *model,
		       const struct lanes *lanes)
{
	uint32_t nr = 0;

	for (uint32_t i = lanes->nr; i-- > 0;) {
		const struct lane *lane = &lanes->items[i];
		struct lane_group *group;

		if (!lane->first)
			continue;
		groups->group_of[nr] =
			group_find(groups, commands_group(model, model_slot(model, lane->slot),
							  COMMANDS_BY_NAME));
		group = &groups->items[groups->group_of[nr++]];
		group->nr++;
		group->failed += lane_failed(model, lane);
		if (lane->start == NS_NONE)
			continue;
		group->total = ns_add(group->total, lane->end - lane->start);
		groups->starts[groups->nr_timed] = lane->start;
		/* A process without a duration ran for an instant. */
		groups->ends[groups->nr_timed++] =
			lane->end > lane->start ? lane->end : lane->start + 1;
	}
	groups->nr_runs = nr;
	sort_times(groups->starts, groups->nr_timed);
	sort_times(groups->ends, groups->nr_timed);
}

/* for qsort(), which has no context argument; one thread */
static const struct lanes *sort_lanes;

static int lane_groups_newest_first(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	ns_t first = sort_lanes->items[*x].start, second = sort_lanes->items[*y].start;

	if (first != second)
		return first < second ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

static int most_runs_first(const void *a, const void *b)
{
	const struct lane_group *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

void lane_groups_make(struct lane_groups *groups, const struct model *model,
		      const struct lanes *lanes)
{
	uint32_t sum = 0, nr = 0;

	groups->nr = groups->nr_timed = 0;
	tr2_hash_index_clear(&groups->by_id);
	groups_reserve(groups, lane_groups_processes(lanes));
	count_runs(groups, model, lanes);
	for (uint32_t i = 0; i < groups->nr; i++) {
		groups->items[i].first = sum;
		sum += groups->items[i].nr;
		groups->items[i].nr = 0;
	}
	for (uint32_t i = lanes->nr; i-- > 0;) {
		struct lane_group *group;

		if (!lanes->items[i].first)
			continue;
		group = &groups->items[groups->group_of[nr++]];
		groups->runs[group->first + group->nr++] = i;
	}
	sort_lanes = lanes;
	for (uint32_t i = 0; i < groups->nr; i++)
		qsort(groups->runs + groups->items[i].first, groups->items[i].nr,
		      sizeof(*groups->runs), lane_groups_newest_first);
	if (groups->nr)
		qsort(groups->items, groups->nr, sizeof(*groups->items), most_runs_first);
}

void lane_groups_at_once(const struct lane_groups *groups, ns_t from, ns_t width, uint32_t columns,
			 uint32_t *most)
{
	uint32_t starts = 0, ends = 0;

	for (uint32_t i = 0; i < columns; i++) {
		ns_t begin = from + (ns_t)((double)width / columns * i);
		ns_t end = from + (ns_t)((double)width / columns * (i + 1));

		while (ends < groups->nr_timed && groups->ends[ends] <= begin)
			ends++;
		while (starts < groups->nr_timed && groups->starts[starts] <= begin)
			starts++;
		most[i] = starts - ends;
		while (starts < groups->nr_timed && groups->starts[starts] < end) {
			while (groups->ends[ends] <= groups->starts[starts])
				ends++;
			starts++;
			if (starts - ends > most[i])
				most[i] = starts - ends;
		}
	}
}

void lane_groups_release(struct lane_groups *groups)
{
	free(groups->items);
	free(groups->runs);
	free(groups->starts);
	free(groups->ends);
	free(groups->group_of);
	tr2_hash_index_release(&groups->by_id);
	*groups = (struct lane_groups){ 0 };
}
