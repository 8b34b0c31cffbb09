/* SPDX-License-Identifier: MIT */
/*
 * The lanes of the timeline grouped by command, for more processes than a screen has rows: the runs
 * of each command, and how many processes run at the same time.
 *
 *   lane_groups_make(&groups, model, &lanes);
 *   lane_groups_at_once(&groups, from, width, columns, most);
 *
 * One thread. Grouping 10,000 processes takes about 0.5 ms, and 1 ms more if their times have
 * changed.
 */
#ifndef MONITOR_LANE_GROUPS_H
#define MONITOR_LANE_GROUPS_H

#include "engine/base/hash_index.h"
#include "monitor/analysis/lanes.h"

/* The runs of one command. */
struct lane_group {
	uint64_t id;        /* id of its row of the commands: commands_group() by name */
	uint32_t first, nr; /* its runs: `runs[first]` to `runs[first + nr - 1]`, newest first */
	uint32_t failed;    /* runs that failed or were killed by a signal */
	ns_t total;         /* sum of the runs' durations; running ones up to now */
};

#define LANE_GROUPS_NAMED 64

struct lane_groups {
	struct lane_group *items; /* ro: commands with the most runs first */
	uint32_t nr, cap;
	uint32_t *runs; /* ro: indexes of lanes, each the first lane of its process */
	uint32_t nr_runs, cap_runs;

	/* Private, as all members below: group of each process, in the order of lanes. */
	uint32_t *group_of;
	struct tr2_hash_index by_id;
	struct lane_group_name {
		sym_t name;
		uint32_t group;     /* index + 1; 0: none */
	} named[LANE_GROUPS_NAMED]; /* cache of groups by the symbol of the name */
	ns_t *times;  /* start and end of each process, in the order of lanes; end: see end_of() */
	ns_t *sorted; /* the starts, ascending, then the ends */
	uint32_t nr_times, cap_times, nr_sorted;
};

/* Group the processes of `lanes`, which were collected from `model`. A zeroed `groups` is valid. */
void lane_groups_make(struct lane_groups *groups, const struct model *model,
		      const struct lanes *lanes);

/* Return the number of processes of `lanes`: several lanes may belong to one process. */
uint32_t lane_groups_processes(const struct lanes *lanes);

/*
 * Divide [from, from + width) into `columns` equal columns, and store in most[] for each the
 * largest number of processes that ran at the same time in it.
 */
void lane_groups_at_once(const struct lane_groups *groups, ns_t from, ns_t width, uint32_t columns,
			 uint32_t *most);

void lane_groups_release(struct lane_groups *groups);

#endif
