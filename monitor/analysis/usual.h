/* SPDX-License-Identifier: MIT */
/*
 * How long something that is going on usually takes: against the newest durations of the same thing
 * in the same worktree and command. Nothing is said of fewer than 8. Pure; a microsecond.
 */
#ifndef MONITOR_USUAL_H
#define MONITOR_USUAL_H

#include "engine/base/buf.h"
#include "monitor/model/model.h"

#define USUAL_MIN 8u /* durations from which on something is said */

struct usual {
	uint32_t n;           /* durations that are known */
	ns_t p50, p90;        /* by nearest rank */
	uint32_t slower_than; /* how many of them were shorter than what has elapsed */
	bool late;            /* longer than both twice p90 and p90 and 50 ms */
	ns_t remaining; /* the median of those that are longer, less what has elapsed; NS_NONE:
			       * fewer than 5 are */
};

/* False, and all zeros, where too few are known, or `elapsed` is NS_NONE. */
bool usual_of_region(const struct model *model, const struct process *process, sym_t category,
		     sym_t label, ns_t elapsed, struct usual *usual);
bool usual_of_child(const struct model *model, const struct process *process,
		    const struct child *child, ns_t elapsed, struct usual *usual);
bool usual_of_process(const struct model *model, const struct process *process, ns_t elapsed,
		      struct usual *usual);

/* Append: "usually 2.10s (90 %: 2.60s) of 64, slower than 97 %, ends in about 0.4s". */
void usual_say(const struct usual *usual, struct tr2_buf *out);

/* Of `nr` durations, which are put in order. */
bool usual_make(ns_t *durations, uint32_t nr, ns_t elapsed, struct usual *usual);

#endif
