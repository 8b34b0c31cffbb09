/* SPDX-License-Identifier: MIT */
/*
 * List the contents and neighbours of a node of a flame graph: the processes, threads and regions
 * inside it, and its callers and callees in the whole graph, each summed up by name. One thread.
 */
#ifndef MONITOR_FLAME_AROUND_H
#define MONITOR_FLAME_AROUND_H

#include "monitor/analysis/flame.h"

enum flame_relation {
	FLAME_INSIDE, /* sums up nodes of one name among the given node and those below it */
	/* sums up the parents of all nodes that have the name of the given node */
	FLAME_CALLER,
	/* sums up the children of all nodes that have the name of the given node */
	FLAME_CALLEE,
};

enum flame_around_order { FLAME_BY_SELF, FLAME_BY_TOTAL, FLAME_BY_COUNT, NR_FLAME_ORDERS };

struct flame_around_row {
	uint8_t relation; /* enum flame_relation */
	/* of the nodes that are summed up, the node with the largest total */
	uint32_t node;
	uint64_t count;
	/* Sums over the nodes. For FLAME_INSIDE, `total` excludes a node inside another one of its
	 * name. For a caller, `total` is the time of the called nodes inside it, and `self` is
	 * 0. */
	ns_t total, self;
};

struct flame_around {
	/* ro: rows, sorted by relation, then in the requested order */
	struct flame_around_row *rows;
	uint32_t nr, cap;
};

void flame_around_make(struct flame_around *around, const struct flame *flame, uint32_t node,
		       enum flame_around_order order, bool reverse);
void flame_around_release(struct flame_around *around);

#endif
