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
	/* a region; for CALLERS_PARENTS both SYM_NONE and `none` mean the top level */
	sym_t category, label;
	sym_t thread;  /* for CALLERS_THREADS */
	uint32_t slot; /* for CALLERS_PROCESSES and CALLERS_THREADS */
	bool none;
	uint64_t count;
	/* time of the region in this context; for CALLERS_CHILDREN: of the region inside it */
	ns_t total, self, max;
};

struct callers_callees {
	struct caller_callee *items; /* ro: largest total first */
	uint32_t nr, cap;
};

/* Compute the contexts of the region that `what` names, in one process or in all. */
void callers_callees_make(struct callers_callees *kins, const struct analysis *what,
			  enum kin_group group);
void callers_callees_release(struct callers_callees *kins);

#endif
