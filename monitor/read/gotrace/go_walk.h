/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces: a scan of a generation's batches before its events are ordered. It finds
 * data that is needed earlier than the events provide it: the names of goroutines (the outermost
 * function of one of their stacks) and the time of the last event. For a generation that is read
 * as the first one it also finds the existing goroutines, Ps and open ranges. For other
 * generations the scan is done when a name is first requested.
 */
#ifndef MONITOR_GO_WALK_H
#define MONITOR_GO_WALK_H

#include "monitor/read/gotrace/go_order.h"

struct go_walk_g {
	uint64_t id;
	uint64_t stack; /* one of its stacks: of its status, else the first; 0: none */
	bool is_named;  /* private: named by its status */
	uint8_t status; /* its first status; GO_GONE: none */
	bool in_assist; /* continues from before */
};

struct go_walk_p {
	uint64_t id;
	uint8_t status;
	bool in_sweep;
};

struct go_walk {
	struct go_walk_g *gs; /* ro */
	struct go_walk_p *ps;
	uint32_t nr_gs, cap_gs, nr_ps, cap_ps;
	/* ro, set by go_walk_first(): those of `gs` that have a status, by id. */
	uint32_t *before, nr_before, cap_before;
	struct ids g_ids, p_ids;
	bool in_gc;      /* a mark phase continues from before */
	int64_t last_ns; /* time of the last event, if requested */
	/* Private. */
	const struct go_generation *gen;
	bool is_due; /* not done yet */
	struct go_guesses g_guesses;
};

void go_walk_release(struct go_walk *walk);
/* Start with `gen`, which must not change. Discards the results of an earlier scan. */
void go_walk_begin(struct go_walk *walk, const struct go_generation *gen);
/* Scan a generation that is read as the first one. */
void go_walk_first(struct go_walk *walk, bool wants_last);
/* NULL: not in the generation. Valid until the next call. */
const struct go_walk_g *go_walk_find(struct go_walk *walk, uint64_t id);

/* The outermost named function of a stack; `text` is NULL if none exists. */
struct go_text go_outermost(const struct go_generation *gen, uint64_t stack);

#endif
