/* SPDX-License-Identifier: MIT */
/*
 * The rows of the timeline, before they are drawn: a lane for each thread of a tree of
 * processes, or of all, with when it lived, who started it, and what is known of its regions.
 * It knows no surface and no keys, and nothing of which part of the time is in sight.
 *
 * Trees stand one below the other, the newest first; within a tree each process stands below
 * its parent, in the order of time. One thread. Gathering 10,000 processes takes some 5 ms.
 */
#ifndef MONITOR_LANES_H
#define MONITOR_LANES_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/spans.h"

#define LANE_NONE UINT32_MAX

/* A row: a thread, or a process that has shown none. */
struct lane {
	uint32_t slot;
	uint32_t thread; /* number in its process; SLOT_NONE */
	uint32_t parent; /* lane of the parent process's first thread, or LANE_NONE */
	ns_t link;       /* when the parent started it */
	ns_t start, end; /* end: now while it is live */
	bool live, first;
	bool stale; /* it seems to run, but it is not live */
	uint16_t level;
	const struct track *track;
};

struct step;

struct lanes {
	struct lane *items; /* ro */
	uint32_t nr, cap;
	struct spans spans; /* ro */
	ns_t first, edge;   /* ro: of all lanes; first > edge: none has a time */
	bool live;          /* ro: one of them is */
	int read;           /* ro: parts of a hundred of the journal that were read */
	struct step *stack; /* private: processes still to come */
	uint32_t nr_stack, cap_stack;
};

/*
 * Gather anew, of the tree that begins in slot `root`, SLOT_NONE: of all; reads the journal on:
 * `read` says how far. Returns how many processes a limit hides.
 */
uint32_t lanes_gather(struct lanes *lanes, const struct analysis *what, uint32_t root);

/* No lanes; what was read of the journal stays. */
void lanes_clear(struct lanes *lanes);

/* The slot of the topmost process above `slot`, or its own. */
uint32_t lanes_root(const struct model *model, uint32_t slot);

void lanes_release(struct lanes *lanes);

#endif
