/* SPDX-License-Identifier: MIT */
/*
 * Context of a region, by time: the regions that contain it, those inside it, and the processes and
 * threads in which it runs. Sums over the model's trees, so complete however short the history is;
 * within the limits. One thread. Some milliseconds for 10,000 processes.
 */
#ifndef MONITOR_KIN_H
#define MONITOR_KIN_H

#include "monitor/analysis/analysis.h"

enum kin_group { KIN_PARENTS, KIN_CHILDREN, KIN_PROCESSES, KIN_THREADS, NR_KIN_GROUPS };

struct kin {
	sym_t category, label; /* a region; KIN_PARENTS: both SYM_NONE and `none` for the top
			        * level */
	sym_t thread;          /* KIN_THREADS */
	uint32_t slot;         /* KIN_PROCESSES, KIN_THREADS */
	bool none;
	uint64_t count;
	ns_t total, self, max; /* of the region in this context; KIN_CHILDREN: of the child */
};

struct kins {
	struct kin *items; /* ro: largest total first */
	uint32_t nr, cap;
};

/* Get the context of the region of `what`, in its process or in all. */
void kins_make(struct kins *kins, const struct analysis *what, enum kin_group group);
void kins_release(struct kins *kins);

#endif
