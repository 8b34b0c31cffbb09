/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/lane_groups.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/commands.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/order.h"

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

static uint32_t group_of_process(struct lane_groups *groups, const struct model *model,
				 const struct process *process)
{
	struct lane_group_name *named = &groups->named[process->name % LANE_GROUPS_NAMED];

	if (!named->group || named->name != process->name) {
		named->name = process->name;
		named->group =
			group_find(groups, commands_group(model, process, COMMANDS_BY_NAME)) + 1;
	}
	return named->group - 1;
}

static void groups_reserve(struct lane_groups *groups, uint32_t nr)
{
	if (nr <= groups->cap_runs)
		return;
	groups->cap_runs = nr > 2 * groups->cap_runs ? nr : 2 * groups->cap_runs;
	groups->runs = xreallocarray(groups->runs, groups->cap_runs, sizeof(*groups->runs));
	groups->group_of =
		xreallocarray(groups->group_of, groups->cap_runs, sizeof(*groups->group_of));
	groups->times = xreallocarray(groups->times, groups->cap_runs, 2 * sizeof(*groups->times));
	groups->sorted =
		xreallocarray(groups->sorted, groups->cap_runs, 2 * sizeof(*groups->sorted));
	groups->nr_sorted = groups->nr_times = 0;
}

/* If the times are the `same` as at the last call, they are still sorted. */
static void sort_times(struct lane_groups *groups, bool same)
{
	uint32_t nr = groups->nr_times;

	if (same && groups->nr_sorted == nr)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		groups->sorted[i] = groups->times[2 * i];
		groups->sorted[nr + i] = groups->times[2 * i + 1];
	}
	qsort(groups->sorted, nr, sizeof(*groups->sorted), order_numbers);
	qsort(groups->sorted + nr, nr, sizeof(*groups->sorted), order_numbers);
	groups->nr_sorted = nr;
}

/*
 * Return the end of a process for lane_groups_at_once(). The end of a live process is INT64_MAX, so
 * that it is the same in each frame; a process without a duration gets 1 ns.
 */
static ns_t end_of(const struct lane *lane)
{
	if (lane->live)
		return INT64_MAX;
	return lane->end > lane->start ? lane->end : lane->start + 1;
}

/* Returns true if start and end are those of the previous lane_groups_make(). */
static bool add_times(struct lane_groups *groups, const struct lane *lane)
{
	ns_t *times = groups->times + 2 * (size_t)groups->nr_times;
	ns_t end = end_of(lane);
	bool same =
		groups->nr_times < groups->nr_sorted && times[0] == lane->start && times[1] == end;

	groups->nr_times++;
	times[0] = lane->start;
	times[1] = end;
	return same;
}

static void count_runs(struct lane_groups *groups, const struct model *model,
		       const struct lanes *lanes)
{
	bool same = true;
	uint32_t nr = 0;

	for (uint32_t i = lanes->nr; i-- > 0;) {
		const struct lane *lane = &lanes->items[i];
		struct lane_group *group;

		if (!lane->first)
			continue;
		groups->group_of[nr] =
			group_of_process(groups, model, model_slot(model, lane->slot));
		group = &groups->items[groups->group_of[nr++]];
		group->nr++;
		group->failed += lane->failed;
		if (lane->start == NS_NONE)
			continue;
		group->total = ns_add(group->total, lane->end - lane->start);
		same &= add_times(groups, lane);
	}
	groups->nr_runs = nr;
	sort_times(groups, same);
}

/* for the compare function, because qsort() passes no context */
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

	groups->nr = groups->nr_times = 0;
	memset(groups->named, 0, sizeof(groups->named));
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
	const ns_t *start = groups->sorted, *end = groups->sorted + groups->nr_sorted;
	uint32_t nr = groups->nr_sorted, starts = 0, ends = 0;

	for (uint32_t i = 0; i < columns; i++) {
		ns_t begin = from + (ns_t)((double)width / columns * i);
		ns_t last = from + (ns_t)((double)width / columns * (i + 1));

		while (ends < nr && end[ends] <= begin)
			ends++;
		while (starts < nr && start[starts] <= begin)
			starts++;
		most[i] = starts - ends;
		while (starts < nr && start[starts] < last) {
			while (end[ends] <= start[starts])
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
	free(groups->times);
	free(groups->sorted);
	free(groups->group_of);
	tr2_hash_index_release(&groups->by_id);
	*groups = (struct lane_groups){ 0 };
}
