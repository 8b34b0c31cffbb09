/* SPDX-License-Identifier: MIT */
/*
 * Divide the wall time of a run into blocks of few kinds, in order of time, for a stacked bar.
 *
 *   parts (parts.h) -> blocks_make() -> kinds, the largest first; blocks, contiguous
 *
 * A kind is a child (of all processes: a root) with its descendants, a part of the run's process
 * itself, or the sum of all others. A child with nearly all of the time is replaced by its own
 * children and parts, to a limited depth. One thread.
 */
#ifndef MONITOR_BLOCKS_H
#define MONITOR_BLOCKS_H

#include "monitor/analysis/parts.h"

/* maximum number of kinds besides BLOCK_OTHER, the sum of all others */
#define BLOCK_KINDS 6
#define BLOCK_OTHER BLOCK_KINDS

struct block_kind {
	uint32_t slot; /* process of this kind; SLOT_NONE: the kind is a part, or BLOCK_OTHER */
	uint32_t part; /* index of the part of this kind; SLOT_NONE: none */
	ns_t time;     /* sum of the kind's blocks, in ns */
};

struct block {
	ns_t begin, time; /* begin in ns since the start of the run; duration in ns */
	/* index of the block's kind in `kinds`; adjacent blocks have different kinds */
	uint8_t kind;
};

/* Initially all zeros. */
struct blocks {
	/* ro: blocks in order of time */
	struct block *items;
	uint32_t nr, cap;
	struct block_kind kinds[BLOCK_KINDS + 1]; /* ro */
	uint32_t nr_kinds;                        /* ro: without BLOCK_OTHER */
	uint32_t *of_piece, cap_of_piece;         /* private, as are all members after it */
	struct block_kind *all;
	uint32_t nr_all, cap_all;
	struct tr2_hash_index by_kind;
};

/* Compute the blocks of `parts`, which must just have been made from `model` for the process in
 * `slot` (SLOT_NONE: all processes). */
void blocks_make(struct blocks *blocks, const struct model *model, const struct parts *parts,
		 uint32_t slot);
void blocks_release(struct blocks *blocks);

/*
 * Divide the wall time `wall` of the run (> 0) into `nr` equal cells. Set each cell to the index of
 * the kind with the most time in the cell; of equal kinds, the first.
 */
void blocks_cells(const struct blocks *blocks, ns_t wall, uint8_t *cells, int nr);

void block_format(const struct model *model, const struct parts *parts, const struct blocks *blocks,
		  uint32_t kind, struct tr2_buf *out);

#endif
