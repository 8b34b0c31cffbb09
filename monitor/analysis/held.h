/* SPDX-License-Identifier: MIT */
/*
 * Times when each process was on the critical path: the pieces of a tree's parts, by process and wall
 * time, for drawing processes over time. A piece spent waiting for an untraced child belongs to its
 * parent. One thread.
 */
#ifndef MONITOR_HELD_H
#define MONITOR_HELD_H

#include "monitor/analysis/parts.h"

struct held_piece {
	uint32_t slot;
	ns_t begin, end; /* wall clock; adjacent pieces are merged */
};

/* All zero at first. */
struct held {
	struct held_piece *items; /* private, as the rest */
	uint32_t nr, cap;
	struct parts parts;
	const struct model *model; /* the model it was made from, */
	uint64_t version;
	uint32_t root;
	ns_t made; /* and when */
};

/*
 * Update for the tree of `root` if something changed; for a large tree at most once per second.
 * Empty if `root` is SLOT_NONE, if positions are guessed, or if nothing has a time.
 */
void held_make(struct held *held, const struct analysis *what, uint32_t root, bool own_command);
void held_release(struct held *held);

/*
 * The first piece of the process that ends after `wall`, and the next piece; NULL if none. O(log
 * n), O(1).
 */
const struct held_piece *held_from(const struct held *held, uint32_t slot, ns_t wall);
const struct held_piece *held_next(const struct held *held, const struct held_piece *piece);

#endif
