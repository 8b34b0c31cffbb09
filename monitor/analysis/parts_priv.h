/* SPDX-License-Identifier: MIT */
/*
 * Private interface of these files. No other file includes this.
 *
 *   parts_tree.c    the processes of a tree, their ends, and which child has the time of its parent
 *   parts.c         assigns each instant, going backward in time
 *   parts_beside.c  regions in which pipes were while a worker ran
 *   parts_key.c     pieces, their texts and sums
 *   parts_format.c  names as text
 *   remote_time.c   judges pieces
 */
#ifndef MONITOR_PARTS_PRIV_H
#define MONITOR_PARTS_PRIV_H

#include "monitor/analysis/parts.h"

#define NO_NODE UINT32_MAX
/* Values of `link` of a process that are not the index of a child. */
#define LINK_EXEC (SLOT_NONE - 1) /* its parent became this process by exec */

struct parts_text {
	uint32_t at, len;
};

/*
 * A candidate for time on the critical path: a child for the time of its parent, a process for that
 * of a child, a root for that of the command. Candidates for the same time are adjacent, sorted by
 * end, latest first, then by begin. Going backward in time from `t`, the first one that began
 * before `t` gets the time: either it runs, or it is the latest that ended. The children that began
 * in one region are two such lists: first the workers, then the pipes (child_is_pipe()), which get
 * time only while no worker runs.
 */
struct holder {
	ns_t begin, end;
	/* index of the child in its process (LINK_EXEC: the exec); or of the node of a process */
	uint32_t index;
	bool pipe;          /* for a child: child_is_pipe() */
	uint32_t inside;    /* for a child: ledger entry of the region in which it began */
	uint32_t first, nr; /* for a child: its processes, as range of holders */
	uint32_t next;      /* in the first holder of a range: how many of the range are done */
};

/* A process of the tree that is examined. */
struct part_node {
	uint32_t slot, parent; /* parent: index of a node; NO_NODE: none */
	uint32_t link;         /* index in the parent's children, LINK_EXEC or SLOT_NONE */
	/* ended: it (or its exec successor) has an end event; live: it lasts until now */
	bool ended, live;
	/* it has ended, or became another program, so it does not wait any longer */
	bool over;
	ns_t end;                    /* its end, on its own axis */
	uint32_t first_kid, nr_kids; /* its children, as a range of nodes */
	uint32_t first, nr;          /* its children, as a range of holders */
	uint32_t by_child;           /* index in `numbers`: the holder of each child */
	/* index in `numbers`: the innermost region within the nesting limit after each ledger
	 * entry; NO_NODE: no limit */
	uint32_t by_entry;
	uint32_t name; /* number of its name's text; NO_NODE: not made yet */
	/* position 0 of its axis on the axis of the run; NS_NONE: no time was assigned in it */
	ns_t shift;
};

/*
 * Identifies a part. Intervals are assigned to it backward in time: each ends where the one
 * assigned before begins.
 */
struct part_key {
	uint8_t kind;
	bool at_limit;
	sym_t category, label;
	uint32_t text, name; /* numbers of texts; 0: none */
	uint32_t line;       /* number of the shell's line; 0: none. Not part of the key */
	uint32_t slot, child;
};

/* A region in which a pipe was while a worker ran, on the axis of the whole run. */
struct beside_piece {
	ns_t begin, end;
	struct part_key key;
	uint32_t before; /* the piece before it in time; NO_NODE: none */
};

/* The pieces of the pipes beside a worker. */
struct beside {
	uint32_t next;  /* the latest piece that is not over, going backward; NO_NODE: none */
	uint32_t first; /* the piece that was added last */
	uint32_t outer; /* pipes beside a worker that contains this one; NO_NODE: none */
};

struct parts_tree {
	struct part_node *nodes; /* parents come before children, siblings are adjacent */
	uint32_t nr, cap;
	struct holder *holders;
	uint32_t nr_holders, cap_holders;
	uint32_t *numbers;
	uint32_t nr_numbers, cap_numbers;
	uint32_t first_root, nr_roots; /* with all roots: the roots, as a range of holders */
	struct frame *frames;
	uint32_t nr_frames, cap_frames;
	struct beside *besides;
	uint32_t nr_besides, cap_besides;
	struct beside_piece *beside_pieces;
	uint32_t nr_beside_pieces, cap_beside_pieces;
	bool has_pipe; /* a process has a pipe as a child */
};

/* Create the nodes and holders of all processes. Sets wall time, begin and state of `parts`. */
void parts_tree_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/*
 * Return which of the `nr` holders from `first` on gets the time before `t`; NULL: none. `*runs`:
 * it runs just before `t`; otherwise it is the one that ended last before.
 */
struct holder *holder_before(struct holder *first, uint32_t nr, ns_t t, bool *runs);

/*
 * The regions of the pipes beside a worker are collected in a list, going backward in time, before
 * the worker's own time is assigned. beside_new() returns a list; `outer` is that of a worker that
 * contains this one, or NO_NODE. beside_add() adds a piece if it is a region.
 */
uint32_t beside_new(struct parts_tree *t, uint32_t outer);
void beside_add(struct parts_tree *t, uint32_t list, const struct part_key *key, ns_t begin,
		ns_t end);
/*
 * Return the region just before `end`, in the innermost list that has one; NULL: none. Raises
 * `*begin` to where this changes. `end` must not increase from call to call.
 */
const struct beside_piece *beside_before(struct parts_tree *t, uint32_t list, ns_t *begin,
					 ns_t end);

/*
 * After parts_make(): assign the time from `begin` to `end` of the run to a child of a node, given
 * as its holder, as if the child had that time. Calls `give` for each piece, going backward. Call
 * parts_walk_again() before the first one; the windows must then go backward for each child.
 */
typedef void (*part_give_fn)(void *data, const struct part_key *key, ns_t begin, ns_t end);
void parts_walk_again(struct parts *parts);
void parts_walk_child(struct parts *parts, const struct analysis *what, const struct parts_of *of,
		      uint32_t node, uint32_t holder, ns_t begin, ns_t end, part_give_fn give,
		      void *data);

void parts_give(struct parts *parts, const struct part_key *key, ns_t begin, ns_t end);
void parts_clear(struct parts *parts);
/* Finish the parts: order pieces by time, add them up, sort parts in descending order of time. */
void parts_finish(struct parts *parts);
/* Return the number of a text, which is added if new; 0 is the empty text. */
uint32_t parts_string_of(struct parts *parts, struct tr2_buf *text);

#endif
