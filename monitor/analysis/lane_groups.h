/* SPDX-License-Identifier: MIT */
/*
 * Group the lanes of the timeline by command: the runs of each command, and how many processes ran
 * at the same time.
 *
 *   lane_groups_make(&groups, model, &lanes);
 *   lane_groups_at_once(&groups, from, width, columns, most);
 *
 * One thread.
 */
#ifndef MONITOR_LANE_GROUPS_H
#define MONITOR_LANE_GROUPS_H

#include "engine/base/hash_index.h"
#include "monitor/analysis/lanes.h"

/* the runs of one command */
struct lane_group {
	/* id of the command's row, grouped by name (commands.h) */
	uint64_t id;
	/* range of the command's runs in `runs`, newest first */
	uint32_t first, nr;
	uint32_t failed; /* number of runs that failed or were killed by a signal */
	/* sum of the runs' durations in ns; live runs last until process_now() */
	ns_t total;
};

#define LANE_GROUPS_NAMED 64

struct lane_groups {
	struct lane_group *items; /* ro: groups, commands with the most runs first */
	uint32_t nr, cap;
	uint32_t *runs; /* ro: index of the first lane of each process */
	uint32_t nr_runs, cap_runs;

	/* private, as are all members after it: group of each process, the last lane's process
	 * first */
	uint32_t *group_of;
	struct tr2_hash_index by_id;
	struct lane_group_name {
		sym_t name;
		uint32_t group;     /* index of the group + 1; 0: none */
	} named[LANE_GROUPS_NAMED]; /* cache that finds a group by the symbol of its name */
	ns_t *times;  /* start and end (end_of()) of each process with a start, last lane first */
	ns_t *sorted; /* all starts in ascending order, then all ends in ascending order */
	uint32_t nr_times, cap_times, nr_sorted;
};

/* Group the processes of `lanes`, which were collected from `model`. A zeroed `groups` is valid. */
void lane_groups_make(struct lane_groups *groups, const struct model *model,
		      const struct lanes *lanes);

uint32_t lane_groups_processes(const struct lanes *lanes);

/*
 * Divide [from, from + width) into `columns` equal columns. Set each most[] to the largest number
 * of processes that ran at the same time in the column.
 */
void lane_groups_at_once(const struct lane_groups *groups, ns_t from, ns_t width, uint32_t columns,
			 uint32_t *most);

void lane_groups_release(struct lane_groups *groups);

#endif
