/* SPDX-License-Identifier: MIT */
/*
 * The wall time of a run as few blocks in order of time, for a stacked bar: which process had it.
 *
 *   parts (parts.h) -> blocks_make() -> kinds, the largest first; blocks, contiguous
 *
 * A kind is a child process of the run's process including all its descendants, or a part of the
 * run's process itself. If one child process has nearly all of the time, its children are shown
 * instead. One thread; O(pieces x levels).
 */
#ifndef MONITOR_BLOCKS_H
#define MONITOR_BLOCKS_H

#include "monitor/analysis/parts.h"

#define BLOCK_KINDS 6 /* further kinds are one, `BLOCK_OTHER` */
#define BLOCK_OTHER BLOCK_KINDS

struct block_kind {
	uint32_t slot; /* process; SLOT_NONE: the kind is a part, or BLOCK_OTHER */
	uint32_t part; /* index of the part; SLOT_NONE: none */
	ns_t time;     /* sum of its blocks */
};

struct block {
	ns_t begin, time; /* relative to the start of the run; time > 0 */
	uint8_t kind;     /* index in `kinds`. Neighbours differ. */
};

/* Initially all zeros. */
struct blocks {
	struct block *items; /* ro: in order of time, without gaps, from 0 to the wall time */
	uint32_t nr, cap;
	struct block_kind kinds[BLOCK_KINDS + 1]; /* ro */
	uint32_t nr_kinds;                        /* ro: without BLOCK_OTHER */
	uint32_t *of_piece, cap_of_piece;         /* private, as the rest */
	struct block_kind *all;
	uint32_t nr_all, cap_all;
	struct tr2_hash_index by_kind;
};

/* Compute the blocks of `parts`, which were just made from `model` for `slot` (SLOT_NONE: all). */
void blocks_make(struct blocks *blocks, const struct model *model, const struct parts *parts,
		 uint32_t slot);
void blocks_release(struct blocks *blocks);

/*
 * Divide the wall time into `nr` cells, and set each to the kind that has the most of its time; of
 * equal ones the first in `kinds`. `wall` is that of the parts, > 0.
 */
void blocks_cells(const struct blocks *blocks, ns_t wall, uint8_t *cells, int nr);

/* Append the name of a kind. */
void block_format(const struct model *model, const struct parts *parts, const struct blocks *blocks,
		  uint32_t kind, struct tr2_buf *out);

#endif
