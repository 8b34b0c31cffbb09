/* SPDX-License-Identifier: MIT */
/*
 * How the run times of each command change over time: 90 % quantiles of slices of its runs, and
 * whether its newest runs take longer than the others.
 *
 * Uses the kept processes that have ended, with a known elapsed time and end, ordered by end and
 * SID. Runs that were evicted from the model are not included. One thread; about 0.3 us per
 * process.
 */
#ifndef MONITOR_COMMAND_TRENDS_H
#define MONITOR_COMMAND_TRENDS_H

#include <stdbool.h>

#include "monitor/analysis/commands.h"

/* Runs per slice, at least, and number of slices, at most. */
#define TREND_SLICE_RUNS 8u
#define TREND_SLICES     30u
/* Runs in each of the two sets, at least. */
#define TREND_RUNS 8u
/* A trend is significant if the adjusted p is below this and the medians differ by this factor. */
#define TREND_P     0.01
#define TREND_RATIO 1.25

/* Consecutive runs of a command. Slices have equal numbers of runs, give or take one. */
struct trend_slice {
	ns_t first, last; /* wall time of the first and the last end */
	uint32_t nr;
	ns_t p90; /* nearest rank, exact */
};

struct command_trend {
	uint32_t nr;                     /* runs */
	uint32_t first_slice, nr_slices; /* in the list of slices; oldest first */
	bool tested;                     /* false: too few runs; the rest is not set */
	uint32_t newest, others; /* runs: the newest tenth, at least TREND_RUNS; the others */
	ns_t newest_median, others_median; /* nearest rank */
	double ratio;    /* of the medians; NAN: the others' median is not positive */
	double p;        /* of the rank-sum test, two-sided */
	double adjusted; /* by Holm's method over all tested commands */
	int sign;        /* 1: takes longer; -1: takes less time; 0: neither */
};

struct command_trends {
	struct command_trend *rows; /* ro: by row of the commands */
	uint32_t nr;
	struct trend_slice *slices; /* ro */
	uint32_t nr_slices, cap_slices;
};

/*
 * Compute the trends of all rows of `commands` in `out`, all zeros or an earlier result. `commands`
 * must have been made from `model`, which must not have changed since.
 */
void command_trends_make(struct command_trends *out, const struct commands *commands,
			 const struct model *model);
void command_trends_release(struct command_trends *trends);

#endif
