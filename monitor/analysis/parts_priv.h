/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of parts. No other file includes this.
 *
 *   parts_tree.c  the processes of a tree, their ends, and the holders of time in each
 *   parts.c       the backward walk that assigns each instant
 *   parts_key.c   keys, their strings and sums
 *   parts_say.c   names as text
 */
#ifndef MONITOR_PARTS_PRIV_H
#define MONITOR_PARTS_PRIV_H

#include "monitor/analysis/parts.h"

#define NO_NODE UINT32_MAX
/* Values of a process's link that are not the index of a child. */
#define LINK_EXEC (SLOT_NONE - 1) /* its parent became this process by exec */

struct parts_text {
	uint32_t at, len;
};

/*
 * A candidate for the time in a place: a child in its parent, a process in a child, a root in the
 * command. Holders of one place are adjacent, sorted by end, latest first, then by begin. When
 * walking backward in time from `t`, the first holder that began before `t` counts: either it runs,
 * or it is the latest that ended.
 */
struct holder {
	ns_t begin, end;
	uint32_t index;     /* of the child in its process (LINK_EXEC: its exec); or of the node */
	uint32_t inside;    /* child: the region in which it began */
	uint32_t first, nr; /* child: its processes among the holders */
	uint32_t next;      /* in the first holder of a place: how many are done */
};

/* A process of the tree. */
struct part_node {
	uint32_t slot, parent; /* NO_NODE: none */
	uint32_t link;         /* index in its parent's children, LINK_EXEC or SLOT_NONE */
	bool ended, live;      /* it (or its exec successor) has an end event; it lasts until now */
	bool over;             /* it has ended, or became another program: it no longer waits */
	ns_t end;              /* E */
	uint32_t first_kid, nr_kids; /* indexes of nodes */
	uint32_t first, nr;          /* index of its children among the holders */
	uint32_t by_child;           /* index in `numbers`: holder of each child */
	uint32_t by_entry; /* index in `numbers`: the innermost region after each region entry,
			    * within the limit; NO_NODE: unlimited */
	uint32_t name;     /* string; NO_NODE: not yet made */
};

struct parts_tree {
	struct part_node *nodes; /* parents before children, siblings adjacent */
	uint32_t nr, cap;
	struct holder *holders;
	uint32_t nr_holders, cap_holders;
	uint32_t *numbers;
	uint32_t nr_numbers, cap_numbers;
	uint32_t first_root, nr_roots; /* for all: the roots among the holders */
	struct frame *frames;
	uint32_t nr_frames, cap_frames;
};

/* Create all nodes and holders. Sets wall time, begin and state of `parts`. */
void parts_tree_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/*
 * The holder of the place at `t`, walking backward. `*runs`: it runs just before `t`; otherwise it
 * is the one that ended last before. NULL: none. `nr` holders from `first` on.
 */
struct holder *holder_before(struct holder *first, uint32_t nr, ns_t t, bool *runs);

/*
 * Assign an interval to a key. Called backward in time: each interval ends where the previous one
 * begins.
 */
struct part_key {
	uint8_t kind;
	bool at_limit;
	sym_t category, label;
	uint32_t text, name; /* strings; 0: none */
	uint32_t slot, child;
};
void parts_give(struct parts *parts, const struct part_key *key, ns_t begin, ns_t end);
void parts_clear(struct parts *parts);
/* Finish: order pieces by time, sum, sort largest first. */
void parts_finish(struct parts *parts);
/* The number of a string; 0 is the empty string. */
uint32_t parts_string_of(struct parts *parts, struct tr2_buf *text);

#endif
