/* SPDX-License-Identifier: MIT */
/*
 * Compute how the elapsed times of each command change: the 90 % quantile per slice of its runs,
 * and whether its newest runs take longer or less time than the others.
 *
 * Uses the processes in the commands' rows that are not running and whose elapsed time and end are
 * known, ordered by end and SID. Evicted processes are not included. One thread.
 */
#ifndef MONITOR_COMMAND_TRENDS_H
#define MONITOR_COMMAND_TRENDS_H

#include <stdbool.h>

#include "monitor/analysis/commands.h"

/* minimum number of runs per slice; maximum number of slices per command */
#define TREND_SLICE_RUNS 8u
#define TREND_SLICES     30u
/* minimum number of runs in each of the two sets that a trend compares */
#define TREND_RUNS 8u
/*
 * A trend is significant if its adjusted p is below TREND_P and the medians differ at least by the
 * factor TREND_RATIO.
 */
#define TREND_P     0.01
#define TREND_RATIO 1.25

/* A slice: consecutive runs of a command. The sizes of a command's slices differ by at most one
 * run. */
struct trend_slice {
	/* `end` (struct process) of the first and the last run of the slice */
	ns_t first, last;
	uint32_t nr;
	ns_t p90; /* 90 % quantile of the elapsed times, by nearest rank */
};

struct command_trend {
	uint32_t nr; /* number of runs */
	/* range of the command's slices in `slices`; oldest first */
	uint32_t first_slice, nr_slices;
	/* the command has enough runs for a test; if false, the members below are 0 */
	bool tested;
	/* number of the newest runs: a tenth, rounded up, but at least TREND_RUNS; number of all
	 * others */
	uint32_t newest, others;
	ns_t newest_median, others_median; /* by nearest rank */
	/* newest_median / others_median; NAN if the latter is not positive */
	double ratio;
	double p;        /* p of the two-sided rank-sum test */
	double adjusted; /* p adjusted by Holm's method over all tested commands */
	/* 1: the newest runs take longer; -1: less time; 0: no significant trend */
	int sign;
};

struct command_trends {
	struct command_trend *rows; /* ro: one trend per row of the commands, in their order */
	uint32_t nr;
	struct trend_slice *slices; /* ro */
	uint32_t nr_slices, cap_slices;
};

/*
 * Compute the trends of all rows of `commands` into `out`, which must be all zeros or the result of
 * an earlier call. `commands` must have been made from `model`, which must not have changed since.
 */
void command_trends_make(struct command_trends *out, const struct commands *commands,
			 const struct model *model);
void command_trends_release(struct command_trends *trends);

#endif
