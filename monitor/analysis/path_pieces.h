/* SPDX-License-Identifier: MIT */
/*
 * When each process was on the critical path: the pieces of a tree's parts (parts.h), by process
 * and wall time. A piece of an untraced child belongs to the parent. One thread.
 */
#ifndef MONITOR_PATH_PIECES_H
#define MONITOR_PATH_PIECES_H

#include "monitor/analysis/parts.h"

struct path_piece {
	uint32_t slot;
	ns_t begin, end; /* wall times in ns; adjacent pieces of one process are merged */
};

/* initially all zeros */
struct path_pieces {
	struct path_piece *items; /* private, as are all members after it */
	uint32_t nr, cap;
	struct parts parts;
	const struct model *model;
	uint64_t version;
	uint32_t root;
	ns_t made;
};

/*
 * Recompute the pieces of the tree of `root` if the model or `root` changed or the run is live; for
 * a large tree at most once per second.
 */
void path_pieces_make(struct path_pieces *held, const struct analysis *what, uint32_t root,
		      bool own_command);
void path_pieces_release(struct path_pieces *held);

/*
 * Return the first piece of the process that ends after `wall`, and the next piece of the same
 * process; NULL: none.
 */
const struct path_piece *path_pieces_from(const struct path_pieces *held, uint32_t slot, ns_t wall);
const struct path_piece *path_pieces_next(const struct path_pieces *held,
					  const struct path_piece *piece);

#endif
