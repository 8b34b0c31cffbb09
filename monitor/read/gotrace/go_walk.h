/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces: one walk over a generation's batches before its events are put in order.
 * It finds what a viewer wants to know earlier than the events say it: the goroutines' names
 * (the outermost function of a stack of theirs), when the last event was; and of a generation
 * that is read as the first what was there before: its goroutines, Ps and open ranges.
 */
#ifndef MONITOR_GO_WALK_H
#define MONITOR_GO_WALK_H

#include "monitor/read/gotrace/go_order.h"

struct go_walk_g {
	uint64_t id;
	uint64_t stack; /* one of its own: of its status, else the first; 0: none */
	bool is_named;  /* private: by its status */
	uint8_t status; /* of its first status; GO_GONE: it has none */
	bool in_assist; /* goes on from before */
};

struct go_walk_p {
	uint64_t id;
	uint8_t status;
	bool in_sweep;
};

#define GO_WALK_NAMED 256u

struct go_walk {
	struct go_walk_g *gs; /* ro; by id once go_walk_sort() was called */
	struct go_walk_p *ps;
	uint32_t nr_gs, cap_gs, nr_ps, cap_ps;
	struct ids g_ids, p_ids;
	bool in_gc;      /* a mark phase goes on from before */
	int64_t last_ns; /* of the last event */
	/* Private: some that have a name, by the last bits of their ids. */
	uint64_t named[GO_WALK_NAMED];
};

void go_walk_release(struct go_walk *walk);
/* Walk over `gen`; what an earlier walk found is forgotten. */
void go_walk(struct go_walk *walk, const struct go_generation *gen);
/* Put `gs` in the order of their ids. */
void go_walk_sort(struct go_walk *walk);
/* NULL: the generation does not name it. Valid until the next go_walk(). */
const struct go_walk_g *go_walk_find(const struct go_walk *walk, uint64_t id);

/* The outermost function of a stack that has a name; `text` NULL: there is none. */
struct go_text go_outermost(const struct go_generation *gen, uint64_t stack);

#endif
