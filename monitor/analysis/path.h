/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a run: the pieces of its parts (parts.h) in order of time, as a tree of
 * their processes. One thread; O(n log n) in the pieces.
 */
#ifndef MONITOR_PATH_H
#define MONITOR_PATH_H

#include "monitor/analysis/parts.h"

struct path_line {
	uint32_t level;   /* number of enclosing processes */
	uint32_t piece;   /* its index; SLOT_NONE: the line is a process */
	uint32_t slot;    /* of the process, if any */
	ns_t begin, time; /* for a process: its time including descendants, until another process
			   * continues */
};

struct path {
	struct path_line *lines; /* ro: in order of time */
	uint32_t nr, cap;
	uint32_t nr_left_out;    /* pieces not among the longest `max` */
	ns_t left_out;           /* their total time */
	uint32_t *stack, *chain; /* private, as the rest */
	uint32_t cap_stack, cap_chain;
};

/* Compute from `parts`, just made for `slot` (SLOT_NONE: for all) from `model`. */
void path_make(struct path *path, const struct model *model, const struct parts *parts,
	       uint32_t slot, uint32_t max);
void path_release(struct path *path);

/*
 * Time on the path of some children of the process in `slot` (SLOT_NONE: of all roots), including
 * their processes. `held` must be zero.
 */
struct path_child {
	uint32_t slot, index; /* slot of the parent; index in its children */
	ns_t held;
};
void path_children(struct path_child *children, uint32_t nr, const struct model *model,
		   const struct parts *parts, uint32_t slot);

/*
 * Number of the process's first event at or after the wall time, in the journal of `what`;
 * UINT64_MAX if not kept. Linear in the journal.
 */
uint64_t path_event(const struct analysis *what, uint64_t sid_hash, ns_t wall);

#endif
