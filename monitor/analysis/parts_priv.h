/* SPDX-License-Identifier: MIT */
/*
 * What the files of parts share. No other file includes this.
 *
 *   parts_tree.c  the processes of a tree, their ends, and what holds time in each
 *   parts.c       the backward walk that gives each instant to one
 *   parts_key.c   keys, their strings and sums
 *   parts_say.c   names in words
 */
#ifndef MONITOR_PARTS_PRIV_H
#define MONITOR_PARTS_PRIV_H

#include "monitor/analysis/parts.h"

#define NO_NODE UINT32_MAX
/* Links of a process beside the index of a child. */
#define LINK_EXEC (SLOT_NONE - 1) /* it is who its parent became */

struct parts_text {
	uint32_t at, len;
};

/*
 * What may hold time in a place: a child in its parent, a process in a child, a root in the
 * command. Those of one place stand together, by end, latest first, then by begin: as a walk goes
 * backward in time, the first one that began before `t` is the one that counts, or the latest to
 * have ended.
 */
struct holder {
	ns_t begin, end;
	uint32_t index;     /* of the child in its process (LINK_EXEC: its exec); of the node */
	uint32_t inside;    /* child: the region in which it began */
	uint32_t first, nr; /* child: its processes among the holders */
	uint32_t next;      /* of the first of a place: how many are done with */
};

/* A process of the tree. */
struct node {
	uint32_t slot, parent; /* NO_NODE */
	uint32_t link;         /* index in its parent's children, LINK_EXEC or SLOT_NONE */
	bool ended, live;      /* it, or who it became, said its end; it lasts until now */
	bool over; /* it said its end, or became another: it waits for nothing any more */
	ns_t end;  /* E */
	uint32_t first_kid, nr_kids; /* nodes */
	uint32_t first, nr;          /* its children among the holders */
	uint32_t by_child;           /* in `numbers`: the holder of each child */
	uint32_t by_entry; /* in `numbers`: the region that is innermost behind each ledger entry,
			    * within the limit; NO_NODE: there is no limit */
	uint32_t name;     /* string; NO_NODE: not made yet */
};

struct parts_tree {
	struct node *nodes; /* parents before children, children of one together */
	uint32_t nr, cap;
	struct holder *holders;
	uint32_t nr_holders, cap_holders;
	uint32_t *numbers;
	uint32_t nr_numbers, cap_numbers;
	uint32_t first_root, nr_roots; /* of all: the roots among the holders */
	struct frame *frames;
	uint32_t nr_frames, cap_frames;
};

/* All nodes and holders. The wall time, begin and state of `parts` are set. */
void parts_tree_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/* The place's holder at `t` when going backward, `*runs`: it runs just before; else it is the one
 * that ended last before. NULL: none did. `nr` of them from `first` on. */
struct holder *holder_before(struct holder *first, uint32_t nr, ns_t t, bool *runs);

/* Give a stretch to a key; backward in time, each ends where the one before begins. */
struct part_key {
	uint8_t kind;
	bool at_limit;
	sym_t category, label;
	uint32_t text, name; /* strings; 0: none */
	uint32_t slot, child;
};
void parts_give(struct parts *parts, const struct part_key *key, ns_t begin, ns_t end);
void parts_clear(struct parts *parts);
/* All is given: order of time, sums, largest first. */
void parts_finish(struct parts *parts);
/* The number of a string; 0 is the empty one. */
uint32_t parts_string(struct parts *parts, const char *bytes, size_t len);
uint32_t parts_string_of(struct parts *parts, struct tr2_buf *text);

#endif
