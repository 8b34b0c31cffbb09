/* SPDX-License-Identifier: MIT */
/*
 * When each process was waited for: the pieces of the parts of a tree, by process and in wall time,
 * for who draws processes over time. A piece in which a child was waited for that is not traced is
 * its parent's. One thread.
 */
#ifndef MONITOR_HELD_H
#define MONITOR_HELD_H

#include "monitor/analysis/parts.h"

struct held_piece {
	uint32_t slot;
	ns_t begin, end; /* wall; those that touch are one */
};

/* All zeros at first. */
struct held {
	struct held_piece *items; /* private: as is the rest */
	uint32_t nr, cap;
	struct parts parts;
	const struct model *model; /* what it was made of, */
	uint64_t version;
	uint32_t root;
	ns_t made; /* and as of when */
};

/*
 * Anew where something changed, of a large tree at most once a second: of the tree of `root`;
 * SLOT_NONE: nothing is held. Nor is where places are guessed, or nothing has a time.
 */
void held_make(struct held *held, const struct analysis *what, uint32_t root, bool own_command);
void held_release(struct held *held);

/* The first piece of the process that ends after `wall`, and the one behind; NULL. O(log n), O(1). */
const struct held_piece *held_from(const struct held *held, uint32_t slot, ns_t wall);
const struct held_piece *held_next(const struct held *held, const struct held_piece *piece);

#endif
