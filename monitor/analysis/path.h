/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a run: the pieces of its parts (parts.h) in order of time, as a tree of
 * their processes. One thread.
 */
#ifndef MONITOR_PATH_H
#define MONITOR_PATH_H

#include "monitor/analysis/parts.h"

struct path_line {
	uint32_t level; /* number of lines of processes that the line is inside of */
	uint32_t piece; /* index of the piece in struct parts; SLOT_NONE: the line is a process */
	uint32_t slot;  /* process of the line; SLOT_NONE: none */
	/* in ns: begin since the start of the run; duration, for a line of a process the sum of the
	 * shown pieces inside it */
	ns_t begin, time;
};

struct path {
	struct path_line *lines;
	uint32_t nr, cap;
	/* number of pieces that are left out; see path_make() */
	uint32_t nr_left_out;
	ns_t left_out;
	uint32_t *stack, *chain; /* private, as are all members after it */
	uint32_t cap_stack, cap_chain;
};

/* Compute the lines from `parts`, which must just have been made from `model` for `slot`
 * (SLOT_NONE: all processes). At most `max` pieces are shown, the longest. */
void path_make(struct path *path, const struct model *model, const struct parts *parts,
	       uint32_t slot, uint32_t max);
void path_release(struct path *path);

/*
 * Compute the time that `children`, with their processes, are on the critical path of the tree of
 * `slot` (SLOT_NONE: of all processes). Add the time to each `held`, which the caller sets to 0.
 * Only the first PATH_MAX_CHILDREN children are computed.
 */
#define PATH_MAX_CHILDREN 256
struct path_child {
	uint32_t slot, index; /* slot of the parent; index in its children */
	ns_t held;
};
void path_children(struct path_child *children, uint32_t nr, const struct model *model,
		   const struct parts *parts, uint32_t slot);

/*
 * Return the number, in the journal of `what`, of the process's first event at or after a wall
 * time; UINT64_MAX: none.
 */
uint64_t path_event(const struct analysis *what, uint64_t sid_hash, ns_t wall);

#endif
