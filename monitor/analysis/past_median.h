/* SPDX-License-Identifier: MIT */
/*
 * Compare the elapsed time of a region, child or process with past durations of similar regions,
 * children or processes.
 */
#ifndef MONITOR_PAST_MEDIAN_H
#define MONITOR_PAST_MEDIAN_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

#define PAST_MEDIAN_MIN 8u

struct past_median {
	uint32_t n;
	ns_t p50, p90; /* median and 90 % quantile of past durations, by nearest rank */
	/* number of past durations that are shorter than the elapsed time */
	uint32_t slower_than;
	/* the elapsed time exceeds twice p90, and p90 plus 50 ms */
	bool late;
	/* estimate of the remaining time: median of the longer past durations minus the elapsed
	 * time; NS_NONE: fewer than 5 are longer */
	ns_t remaining;
};

/* Returns false, with `n` 0, if there are too few past durations or `elapsed` is NS_NONE. */
bool past_median_of_region(const struct model *model, const struct process *process, sym_t category,
			   sym_t label, ns_t elapsed, struct past_median *usual);
bool past_median_of_child(const struct model *model, const struct process *process,
			  const struct child *child, ns_t elapsed, struct past_median *usual);

/* True if a process that has taken `elapsed` ns is late; then `usual` has the comparison. */
bool past_median_is_late(const struct model *model, const struct process *process, ns_t elapsed,
			 struct past_median *usual);

/* Append a text such as "usually 2.10s (90 %: 2.60s) of 64, slower than 97 %, ends in about
 * 0.4s". */
void past_median_format(const struct past_median *usual, struct tr2_buf *out);

/* Compare with `nr` past durations; sorts them. Returns false, with `n` 0, if `nr` is below
 * PAST_MEDIAN_MIN or `elapsed` is NS_NONE. */
bool past_median_make(ns_t *durations, uint32_t nr, ns_t elapsed, struct past_median *usual);

#endif
