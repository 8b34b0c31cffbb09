/* SPDX-License-Identifier: MIT */
/*
 * The contents and neighbours of a node of a flame graph: regions and processes inside it, and its
 * callers and callees, each summed up over the graph. One thread. Takes some milliseconds for the
 * largest graph.
 */
#ifndef MONITOR_FLAME_AROUND_H
#define MONITOR_FLAME_AROUND_H

#include "monitor/analysis/flame.h"

enum flame_relation {
	FLAME_INSIDE, /* the node itself and everything below it */
	FLAME_CALLER, /* what contains nodes of the same name */
	FLAME_CALLEE, /* what is directly inside nodes of the same name */
};

enum flame_around_order { FLAME_BY_SELF, FLAME_BY_TOTAL, FLAME_BY_COUNT, NR_FLAME_ORDERS };

struct flame_around_row {
	uint8_t relation; /* enum flame_relation */
	uint32_t node;    /* the one with the largest total of those that were summed up */
	uint64_t count;
	/* `total` does not count a node inside another one of the same name. Of callers, `total` is
	 * the time of the called nodes in them and `self` is 0. */
	ns_t total, self;
};

struct flame_around {
	struct flame_around_row *rows; /* ro: by relation, then in the order */
	uint32_t nr, cap;
};

/* Compute the rows for a node of the graph, in place of those before. */
void flame_around_make(struct flame_around *around, const struct flame *flame, uint32_t node,
		       enum flame_around_order order, bool reverse);
void flame_around_release(struct flame_around *around);

#endif
