/* SPDX-License-Identifier: MIT */
/*
 * Sum up the regions of chosen processes, per group of processes: one row per group, category and
 * label. Includes the completed regions of the threads and processes that the model still has, and
 * quantiles of the durations that the journal still has.
 *
 *   group_regions_begin(g);                            g is all zeros, or has an earlier result
 *   while (!group_regions_continue(g, &of, 10000))     or group_regions_make() at once
 *           ...                                        the next frame
 *
 * Used by one thread; takes about 0.1 us per node of a region tree and per duration.
 */
#ifndef MONITOR_GROUP_REGIONS_H
#define MONITOR_GROUP_REGIONS_H

#include "monitor/analysis/commands.h"
#include "monitor/analysis/spans.h"

/* Units of work that a pane does per frame, in about 1 ms. */
#define GROUP_REGIONS_FRAME_UNITS 10000u
/* Maximum number of rows of a pane, without the row of the others. */
#define GROUP_REGIONS_MAX_ROWS 4096u

struct group_region {
	struct timing timing; /* sums over completed regions; `failed`: of failed processes */
	uint32_t group;       /* index in `groups` */
	bool is_other;        /* the row sums up the regions for which there was no row left */
	/* number of durations that the journal has; range of them in `durations` */
	uint32_t nr_durations, first;
	ns_t p50, p99; /* accurate to 1 %; NS_NONE if nr_durations is 0 */
};

struct region_group {
	uint64_t id;                /* commands_group() of its processes; 0 without grouping */
	size_t text, len;           /* range of its text in `texts` */
	bool has_text;              /* false: its processes have no value */
	struct handle process;      /* a process of the group */
	uint32_t first, nr_regions; /* range of its rows in `items` */
};

struct group_regions {
	/* ro: rows by group, then by total time, largest first. Complete after
	 * group_regions_continue() returned true */
	struct group_region *items;
	uint32_t nr, cap;
	/* ro: groups in the order in which they first occurred */
	struct region_group *groups;
	uint32_t nr_groups, cap_groups;
	struct tr2_buf texts;  /* ro: texts of the groups, at most COMMANDS_MAX_TEXT bytes each */
	uint64_t nr_hidden;    /* ro: number of nodes that the limit of nesting hides */
	ns_t *durations;       /* ro: durations by row */
	uint64_t nr_durations; /* ro: number of all durations */
	struct group_regions_work *work; /* private */
};

/* The regions to sum up. */
struct group_regions_of {
	struct commands_of processes; /* of which processes */
	/* this process only, regardless of the depth and keep() of `processes`; HANDLE_NONE: all */
	struct handle process;
	struct commands_by by; /* grouping of the processes; `nr` 0: all are one group */
	int64_t nesting;       /* maximum nesting of regions; -1: no limit */
	/* the regions that the journal has, for the durations; NULL: compute no quantiles */
	const struct spans *spans;
	ns_t until; /* use durations that ended at this time or before; NS_NONE: all */
	/* maximum number of rows; further regions are summed up in one row more; 0: no limit */
	uint32_t max_rows;
};

/* Remove all rows, and start again. */
void group_regions_begin(struct group_regions *g);

/*
 * Continue summing up, for about `units` nodes, durations or processes. Returns true if the rows
 * are complete. If the model changes between two calls, a process is counted in its state at the
 * time when it is read.
 */
bool group_regions_continue(struct group_regions *g, const struct group_regions_of *of,
			    uint32_t units);
void group_regions_make(struct group_regions *g, const struct group_regions_of *of);

/* Return the group with this id; NULL if no region was counted in it. */
const struct region_group *group_regions_find(const struct group_regions *g, uint64_t id);

/* Add the durations of a row to `sums`, an array of HIST_BUCKETS. */
void group_regions_sums(const struct group_regions *g, uint32_t row, uint64_t *sums);

void group_regions_release(struct group_regions *g);

#endif
