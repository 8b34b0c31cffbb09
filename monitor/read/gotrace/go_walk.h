/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces: a walk over a generation's batches before its events are put in order.
 * It finds what a viewer wants to know earlier than the events say it: the goroutines' names
 * (the outermost function of a stack of theirs), when the last event was; and of a generation
 * that is read as the first what was there before: its goroutines, Ps and open ranges. Of the
 * others it is made where a name is asked for.
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

struct go_walk {
	struct go_walk_g *gs; /* ro */
	struct go_walk_p *ps;
	uint32_t nr_gs, cap_gs, nr_ps, cap_ps;
	/* ro, of go_walk_first(): of those of `gs` that have a status, by id. */
	uint32_t *before, nr_before, cap_before;
	struct ids g_ids, p_ids;
	bool in_gc;      /* a mark phase goes on from before */
	int64_t last_ns; /* of the last event, where that was wanted */
	/* Private. */
	const struct go_generation *gen;
	bool is_due; /* it was not made yet */
	struct go_guesses g_guesses;
};

void go_walk_release(struct go_walk *walk);
/* What follows is of `gen`, which stays as it is; what an earlier walk found is forgotten. */
void go_walk_begin(struct go_walk *walk, const struct go_generation *gen);
/* Make the walk, of a generation that is read as the first. */
void go_walk_first(struct go_walk *walk, bool wants_last);
/* NULL: the generation does not name it. Valid until the next call. */
const struct go_walk_g *go_walk_find(struct go_walk *walk, uint64_t id);

/* The outermost function of a stack that has a name; `text` NULL: there is none. */
struct go_text go_outermost(const struct go_generation *gen, uint64_t stack);

#endif
