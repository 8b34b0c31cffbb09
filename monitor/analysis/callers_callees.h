/* SPDX-License-Identifier: MIT */
/*
 * Context of a region, by time: the regions that contain it, those inside it, and the processes and
 * threads in which it runs. Sums over the model's trees, so complete however short the history is;
 * within the limits. One thread. Some milliseconds for 10,000 processes.
 */
#ifndef MONITOR_KIN_H
#define MONITOR_KIN_H

#include "monitor/analysis/analysis.h"

enum kin_group {
	CALLERS_PARENTS,
	CALLERS_CHILDREN,
	CALLERS_PROCESSES,
	CALLERS_THREADS,
	NR_KIN_GROUPS
};

struct caller_callee {
	sym_t category, label; /* a region; CALLERS_PARENTS: both SYM_NONE and `none` for the top
			        * level */
	sym_t thread;          /* CALLERS_THREADS */
	uint32_t slot;         /* CALLERS_PROCESSES, CALLERS_THREADS */
	bool none;
	uint64_t count;
	ns_t total, self, max; /* of the region in this context; CALLERS_CHILDREN: of the child */
};

struct callers_callees {
	struct caller_callee *items; /* ro: largest total first */
	uint32_t nr, cap;
};

/* Get the context of the region of `what`, in its process or in all. */
void callers_callees_make(struct callers_callees *kins, const struct analysis *what,
			  enum kin_group group);
void callers_callees_release(struct callers_callees *kins);

#endif
