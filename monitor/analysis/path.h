/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a run: the pieces of its parts (parts.h) in order of time, as a tree of the
 * processes that they are of. One thread; O(n log n) in the pieces.
 */
#ifndef MONITOR_PATH_H
#define MONITOR_PATH_H

#include "monitor/analysis/parts.h"

struct path_line {
	uint32_t level;   /* how many processes stand around it */
	uint32_t piece;   /* its number; SLOT_NONE: the line of a process */
	uint32_t slot;    /* of the process, where it is one's */
	ns_t begin, time; /* process: what is held in it, and below it, before another goes on */
};

struct path {
	struct path_line *lines; /* ro: in order of time */
	uint32_t nr, cap;
	uint32_t nr_left_out;    /* pieces beyond the longest `max` */
	ns_t left_out;           /* what these hold */
	uint32_t *stack, *chain; /* private: as is the rest */
	uint32_t cap_stack, cap_chain;
};

/* Of `parts`, just made of `slot` (SLOT_NONE: of all) from `model`. */
void path_make(struct path *path, const struct model *model, const struct parts *parts,
	       uint32_t slot, uint32_t max);
void path_release(struct path *path);

/*
 * How long each of some children of the process in `slot` (SLOT_NONE: of all roots) held the path,
 * their processes included. `held` begins as zeros.
 */
struct path_child {
	uint32_t slot, index; /* of the parent; in its children */
	ns_t held;
};
void path_children(struct path_child *children, uint32_t nr, const struct model *model,
		   const struct parts *parts, uint32_t slot);

/*
 * The number of the process's first event at or after the wall time, in the journal of `what`;
 * UINT64_MAX: none is kept. A walk through it.
 */
uint64_t path_event(const struct analysis *what, uint64_t sid_hash, ns_t wall);

#endif
