/* SPDX-License-Identifier: MIT */
/*
 * Private interface of parts*.c and remote_time.c.
 */
#ifndef MONITOR_PARTS_PRIV_H
#define MONITOR_PARTS_PRIV_H

#include "monitor/analysis/parts.h"

#define NO_NODE   UINT32_MAX
#define LINK_EXEC (SLOT_NONE - 1) /* value of `link`: the parent became this process by exec */

struct parts_text {
	uint32_t at, len;
};

/*
 * A candidate for time on the critical path: a child may get time of its parent, a process time of
 * its child, a root process time of the command. Candidates for the same time are adjacent, sorted
 * by end, latest first, then by begin. Going backward in time from `t`, the first one that began
 * before `t` gets the time: either it runs, or it is the latest that ended. The children that began
 * in one region are two such lists: first the workers, then the pipes (child_is_pipe()), which get
 * the time while no worker runs. Exceptions: `released` and `beside` in parts.c.
 */
struct holder {
	ns_t begin, end;
	/* index of the child in its process (LINK_EXEC: the exec), or of the node of a process */
	uint32_t index;
	bool pipe; /* the child is a transport, see child_is_pipe() */
	/* for a child or the exec: index of the region event that entered the innermost region
	 * within the nesting limit in which it began */
	uint32_t inside;
	uint32_t first, nr; /* for a child: range of its processes in the holders */
	/* in the first holder of a range: number of its holders that holder_before() has passed */
	uint32_t next;
};

/* a process of the tree whose parts are computed */
struct part_node {
	/* slot of the process; node of its parent, NO_NODE: none */
	uint32_t slot, parent;
	/* index in the parent's children; LINK_EXEC; SLOT_NONE: none */
	uint32_t link;
	/* ended: the process (or its exec successor) has an end event; live: the process lasts
	 * until now */
	bool ended, live;
	/* the process has ended, or became another program, so it no longer waits */
	bool over;
	ns_t end;                    /* end of the process on its own axis */
	uint32_t first_kid, nr_kids; /* child processes, as a range of nodes */
	uint32_t first, nr;          /* children, as a range of holders */
	uint32_t by_child;           /* index in `numbers` of the list of holders of the children */
	/* index in `numbers` of the list of innermost regions within the nesting limit, one after
	 * each region event; NO_NODE: no limit */
	uint32_t by_entry;
	uint32_t name; /* number of the text of the process's name; NO_NODE: not made yet */
	/* position 0 of the process's time axis on that of the run; NS_NONE: no time was assigned
	 * in the process */
	ns_t shift;
};

/* Identifies a part. */
struct part_key {
	uint8_t kind;
	bool at_limit;
	sym_t category, label;
	uint32_t text, name; /* numbers of the part's texts; 0: none */
	/* number of the text of the shell's command line; 0: none. Keys that differ only in `line`,
	 * `at_limit`, `slot` or `child` are of the same part */
	uint32_t line;
	uint32_t slot, child;
};

/* Time that a pipe (child_is_pipe()) spent in a region while another child ran, on the axis of the
 * run. */
struct beside_piece {
	ns_t begin, end;
	struct part_key key;
	uint32_t before; /* index of the previous piece in time; NO_NODE: none */
};

/* list of the pieces of the pipes that ran in parallel with another child, the worker */
struct beside {
	/* latest piece that is not yet passed, going backward in time; NO_NODE: none */
	uint32_t next;
	uint32_t first; /* piece that was added last */
	/* list of the worker that contains this worker; NO_NODE: none */
	uint32_t outer;
};

struct parts_tree {
	/* nodes; parents come before children, siblings are adjacent */
	struct part_node *nodes;
	uint32_t nr, cap;
	struct holder *holders;
	uint32_t nr_holders, cap_holders;
	uint32_t *numbers;
	uint32_t nr_numbers, cap_numbers;
	/* if all trees are included: root processes with a known start, as a range of holders */
	uint32_t first_root, nr_roots;
	struct frame *frames;
	uint32_t nr_frames, cap_frames;
	struct beside *besides;
	uint32_t nr_besides, cap_besides;
	struct beside_piece *beside_pieces;
	uint32_t nr_beside_pieces, cap_beside_pieces;
	bool has_pipe;
};

/* Create the nodes and holders; set the wall time, start and state of `parts`. */
void parts_tree_make(struct parts *parts, const struct analysis *what, const struct parts_of *of);

/*
 * Return the holder, of `nr` from `first` on, that gets the time before `t`; NULL: none. Sets
 * `*runs` to true if the holder runs just before `t`, to false if the holder ended before. `t` must
 * not increase from call to call.
 */
struct holder *holder_before(struct holder *first, uint32_t nr, ns_t t, bool *runs);

/*
 * The regions of pipes in parallel with a worker are collected in a list, going backward in time,
 * before the worker's own time is assigned. `outer` is the list of a worker that contains this
 * worker, or NO_NODE. beside_add() ignores pieces that are not regions.
 */
uint32_t beside_new(struct parts_tree *t, uint32_t outer);
void beside_add(struct parts_tree *t, uint32_t list, const struct part_key *key, ns_t begin,
		ns_t end);
/*
 * Return the region just before `end`, in the innermost list that has one; NULL: none. Raises
 * `*begin` to the start of the time for which the result holds. `end` must not increase from call
 * to call.
 */
const struct beside_piece *beside_before(struct parts_tree *t, uint32_t list, ns_t *begin,
					 ns_t end);

/*
 * After parts_make(): assign the time from `begin` to `end` of the run to a child of a node, given
 * by its holder, as if it had that time. Calls `give` for each piece, going backward. Call
 * parts_walk_again() first; the windows of each child must then go backward in time.
 */
typedef void (*part_give_fn)(void *data, const struct part_key *key, ns_t begin, ns_t end);
void parts_walk_again(struct parts *parts);
void parts_walk_child(struct parts *parts, const struct analysis *what, const struct parts_of *of,
		      uint32_t node, uint32_t holder, ns_t begin, ns_t end, part_give_fn give,
		      void *data);

void parts_give(struct parts *parts, const struct part_key *key, ns_t begin, ns_t end);
void parts_clear(struct parts *parts);
void parts_finish(struct parts *parts);
/* Return the number of a text in `parts`, a new one if needed; 0 is the empty text. */
uint32_t parts_string_of(struct parts *parts, struct tr2_buf *text);

#endif
