/* SPDX-License-Identifier: MIT */
/*
 * Rows of the timeline, without drawing: one lane per thread of a tree of processes, or of all,
 * with its lifetime, its parent, and its regions. Independent of the visible time range.
 *
 * Trees are listed newest first; within a tree each process comes after its parent, in order of
 * time. One thread. Collecting 10,000 processes takes some 5 ms.
 */
#ifndef MONITOR_LANES_H
#define MONITOR_LANES_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/spans.h"

#define LANE_NONE UINT32_MAX

/* A row of the timeline: a thread, or a process without threads. */
struct lane {
	uint32_t slot;
	uint32_t thread; /* index of the thread in its process; SLOT_NONE: none */
	uint32_t parent; /* lane of the first thread of the parent process, or LANE_NONE */
	ns_t link;       /* time when the parent process started it */
	ns_t start, end; /* lifetime; end: now while it is live */
	bool live, first;
	bool stale;  /* its state is running, but it is not live */
	bool failed; /* its process failed or was killed by a signal */
	uint16_t level;
};

struct lane_step;

struct lanes {
	struct lane *items; /* ro: the lanes */
	uint32_t nr, cap;
	struct spans spans; /* ro: the regions of the lanes over time */
	/* ro: first and last time of all lanes; first > edge: no lane has a time */
	ns_t first, edge;
	bool live;               /* ro: a lane is live */
	int read;                /* ro: percent of the journal that was read */
	struct lane_step *stack; /* private: processes that are still to be visited */
	uint32_t nr_stack, cap_stack;
};

/*
 * Collect the lanes of the tree of the process in slot `root` (SLOT_NONE: of all), and continue
 * reading the journal; `read` is its progress. Returns the number of processes hidden by a limit.
 */
uint32_t lanes_gather(struct lanes *lanes, const struct analysis *what, uint32_t root);

/* Return the regions of a lane that have ended; NULL if there are none. */
const struct track *lanes_track(const struct lanes *lanes, const struct model *model,
				const struct lane *lane);

/* Remove the lanes, but keep the regions read from the journal. */
void lanes_clear(struct lanes *lanes);

/* Return the slot of the topmost ancestor of `slot`, or `slot` itself. */
uint32_t lanes_root(const struct model *model, uint32_t slot);

void lanes_release(struct lanes *lanes);

#endif
