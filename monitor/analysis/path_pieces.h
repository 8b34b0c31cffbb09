/* SPDX-License-Identifier: MIT */
/*
 * Times when each process was on the critical path: the pieces of a tree's parts by process and
 * wall time, for drawing processes over time. A piece spent waiting for an untraced child belongs
 * to the parent. One thread.
 */
#ifndef MONITOR_HELD_H
#define MONITOR_HELD_H

#include "monitor/analysis/parts.h"

struct path_piece {
	uint32_t slot;
	ns_t begin, end; /* wall clock; adjacent pieces of a process are merged */
};

/* The pieces of a tree. Initially all zeros. */
struct path_pieces {
	struct path_piece *items; /* private, as the rest */
	uint32_t nr, cap;
	struct parts parts;
	const struct model *model; /* the model from which the pieces were made, */
	uint64_t version;
	uint32_t root;
	ns_t made; /* and when they were made */
};

/*
 * Compute the pieces for the tree of `root` again if something changed; for a large tree at most
 * once per second. The result is empty if `root` is SLOT_NONE, if positions are guesses, or if no
 * event has a time.
 */
void path_pieces_make(struct path_pieces *held, const struct analysis *what, uint32_t root,
		      bool own_command);
void path_pieces_release(struct path_pieces *held);

/*
 * Return the first piece of the process that ends after `wall`, and the next piece; NULL if none.
 * O(log n), O(1).
 */
const struct path_piece *path_pieces_from(const struct path_pieces *held, uint32_t slot, ns_t wall);
const struct path_piece *path_pieces_next(const struct path_pieces *held,
					  const struct path_piece *piece);

#endif
