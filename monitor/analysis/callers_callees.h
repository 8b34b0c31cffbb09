/* SPDX-License-Identifier: MIT */
/*
 * Contexts of a region: its parent regions, its child regions, and the processes and threads in
 * which it runs. The sums come from the region trees of the model, not from the journal. Regions
 * beyond the nesting limit are left out. One thread.
 */
#ifndef MONITOR_CALLERS_CALLEES_H
#define MONITOR_CALLERS_CALLEES_H

#include "monitor/analysis/analysis.h"

enum kin_group {
	CALLERS_PARENTS,
	CALLERS_CHILDREN,
	CALLERS_PROCESSES,
	CALLERS_THREADS,
	NR_KIN_GROUPS
};

struct caller_callee {
	/* for CALLERS_PARENTS and CALLERS_CHILDREN: category and label of the parent or child
	 * region */
	sym_t category, label;
	sym_t thread;  /* for CALLERS_THREADS */
	uint32_t slot; /* process, for CALLERS_PROCESSES and CALLERS_THREADS */
	bool none;     /* for CALLERS_PARENTS: no parent is known */
	uint64_t count;
	/* times in ns of the region in this context; for CALLERS_CHILDREN, of the child region */
	ns_t total, self, max;
};

struct callers_callees {
	/* rw: callback that selects processes, if the analysis names none; NULL: all */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
	struct caller_callee *items; /* ro: rows by total time, largest first */
	uint32_t nr, cap;
};

/* Compute the contexts of the region that `what` names, in the process that `what` names or, if it
 * names none, in those that its depth limit and `keep` select. */
void callers_callees_make(struct callers_callees *kins, const struct analysis *what,
			  enum kin_group group);
void callers_callees_release(struct callers_callees *kins);

#endif
