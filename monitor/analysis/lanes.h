/* SPDX-License-Identifier: MIT */
/*
 * The rows of the timeline: the lanes of a tree of processes, or of all processes, with their
 * lifetimes, parents and regions.
 *
 * Trees are listed newest first; within a tree each process comes after its parent. One thread.
 */
#ifndef MONITOR_LANES_H
#define MONITOR_LANES_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/spans.h"

#define LANE_NONE UINT32_MAX

/* a thread, or a process without threads */
struct lane {
	uint32_t slot;
	/* index of the thread in its process; SLOT_NONE: the process has no threads */
	uint32_t thread;
	/* for the first lane of a process: first lane of its nearest ancestor with lanes;
	 * LANE_NONE: none */
	uint32_t parent;
	/* for the first lane of a process: time of child_start, or else of the process's first
	 * event */
	ns_t link;
	/* lifetime of the process for its first lane, else of the thread; a live one ends at
	 * process_now() */
	ns_t start, end;
	bool live, first;
	bool stale;  /* the process is running but not live (live.h); the thread has not exited */
	bool failed; /* the process failed or was killed by a signal */
	uint16_t level;
};

struct lane_step;

struct lanes {
	struct lane *items; /* ro */
	uint32_t nr, cap;
	struct spans spans; /* ro: completed regions, as far as they were read */
	/* ro: first and last time of all lanes; if first > edge, no lane has a time */
	ns_t first, edge;
	bool live;               /* ro: at least one lane is live */
	int read;                /* ro: percentage of the journal that was read */
	struct lane_step *stack; /* private: processes that are still to be visited */
	uint32_t nr_stack, cap_stack;
};

/*
 * Collect the lanes of the tree of process `root` (SLOT_NONE: of all processes), and continue
 * reading the journal. Returns the number of processes that the depth limit or the filter hides,
 * without descendants of those that are too deep.
 */
uint32_t lanes_gather(struct lanes *lanes, const struct analysis *what, uint32_t root);

const struct track *lanes_track(const struct lanes *lanes, const struct model *model,
				const struct lane *lane);

/* Remove all lanes, but keep the regions that were read from the journal. */
void lanes_clear(struct lanes *lanes);

/* Return the topmost ancestor of the process in `slot`, or `slot` if it is a root. */
uint32_t lanes_root(const struct model *model, uint32_t slot);

void lanes_release(struct lanes *lanes);

#endif
