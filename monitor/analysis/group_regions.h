/* SPDX-License-Identifier: MIT */
/*
 * Sum up the regions of chosen processes, per group of processes: one row per group, category and
 * label. Includes completed regions of threads and processes that the model has, and quantiles of
 * durations that the journal has.
 *
 *   group_regions_begin(g);                            g is all zeros, or has an earlier result
 *   while (!group_regions_continue(g, &of, 10000))     or group_regions_make() at once
 *           ...                                        the next frame
 *
 * One thread.
 */
#ifndef MONITOR_GROUP_REGIONS_H
#define MONITOR_GROUP_REGIONS_H

#include "monitor/analysis/commands.h"
#include "monitor/analysis/spans.h"

/* units of work that a pane does per frame, in about 1 ms */
#define GROUP_REGIONS_FRAME_UNITS 10000u
/* maximum number of rows of a pane, without the row that is_other */
#define GROUP_REGIONS_MAX_ROWS 4096u

struct group_region {
	struct timing timing; /* sums over completed regions; `failed`: of failed processes */
	uint32_t group;       /* index in `groups` */
	bool is_other;        /* sums up the regions for which there was no row left */
	/* number of durations of the row, and index in `durations` of the first one */
	uint32_t nr_durations, first;
	ns_t p50, p99; /* quantiles, accurate to 1 %; NS_NONE: no durations are known */
};

struct region_group {
	uint64_t id;      /* commands_group() of the group's processes; 0 without grouping */
	size_t text, len; /* range in `texts` */
	bool has_text;    /* false: no known value, or no grouping */
	struct handle process;
	uint32_t first, nr_regions; /* range in `items` */
};

struct group_regions {
	/* ro: rows by group, then by total time, largest first; complete after
	 * group_regions_continue() returned true */
	struct group_region *items;
	uint32_t nr, cap;
	/* ro: groups in the order in which they first occurred */
	struct region_group *groups;
	uint32_t nr_groups, cap_groups;
	struct tr2_buf texts;  /* ro: texts of groups, at most COMMANDS_MAX_TEXT bytes each */
	uint64_t nr_hidden;    /* ro: number of nodes that the nesting limit hides */
	ns_t *durations;       /* ro: by row */
	uint64_t nr_durations; /* ro */
	struct group_regions_work *work; /* private */
};

struct group_regions_of {
	struct commands_of processes;
	/* if not HANDLE_NONE: only this process, regardless of `depth` and `keep` of `processes` */
	struct handle process;
	struct commands_by by; /* `nr` 0: all processes are one group */
	int64_t nesting;       /* maximum nesting of regions; -1: no limit */
	/* the journal's regions, for the durations; NULL: compute no quantiles */
	const struct spans *spans;
	ns_t until; /* use only durations that ended until `until`; NS_NONE: all */
	/* maximum number of rows, without the row that is_other; 0: no limit */
	uint32_t max_rows;
};

/* Remove all rows. */
void group_regions_begin(struct group_regions *g);

/*
 * Continue summing up, for about `units` nodes, durations or processes. Returns true if the rows
 * are complete.
 */
bool group_regions_continue(struct group_regions *g, const struct group_regions_of *of,
			    uint32_t units);
void group_regions_make(struct group_regions *g, const struct group_regions_of *of);

const struct region_group *group_regions_find(const struct group_regions *g, uint64_t id);

/* Add the durations of a row to `sums`, an array of HIST_BUCKETS. */
void group_regions_sums(const struct group_regions *g, uint32_t row, uint64_t *sums);

void group_regions_release(struct group_regions *g);

#endif
