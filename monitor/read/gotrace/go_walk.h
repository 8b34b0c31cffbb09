/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces: a scan of a generation's batches for facts that are needed before its events
 * are processed: the names of goroutines (the outermost function of one of their stacks), and
 * goroutines, Ps and ranges that existed before the generation. If the state before the generation
 * is known, the scan is done only if a name is requested.
 */
#ifndef MONITOR_GO_WALK_H
#define MONITOR_GO_WALK_H

#include "monitor/read/gotrace/go_order.h"

struct go_walk_g {
	uint64_t id;
	/* id of a stack whose outermost function is known: that of the status event, or else the
	 * first one; 0: none */
	uint64_t stack;
	/* private: `stack` is that of the status event */
	bool is_named;
	uint8_t status; /* first status in this generation; GO_GONE: none */
	/* in an assist of the garbage collector that began before this generation */
	bool in_assist;
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
	/*
	 * ro, set by go_walk_first(): indexes of the goroutines with a status event, sorted by id
	 */
	uint32_t *before, nr_before, cap_before;
	struct ids g_ids, p_ids;
	/* a mark phase of the garbage collector began before this generation */
	bool in_gc;
	/* time of the last event, if requested; otherwise the generation's earliest time */
	int64_t last_ns;
	/* Private. */
	const struct go_generation *gen;
	bool is_due;
	struct go_guesses g_guesses;
};

void go_walk_release(struct go_walk *walk);
/* Prepare to scan `gen`, which must not change. Discards earlier results. */
void go_walk_begin(struct go_walk *walk, const struct go_generation *gen);
/* Scan the generation at once. Also sets `before` and, if `wants_last`, `last_ns`. */
void go_walk_first(struct go_walk *walk, bool wants_last);
/* Return the facts about goroutine `id`; NULL: none. Valid until go_walk_begin(). */
const struct go_walk_g *go_walk_find(struct go_walk *walk, uint64_t id);

/* Return the name of a stack's outermost function; `text` is NULL if there is none. */
struct go_text go_outermost(const struct go_generation *gen, uint64_t stack);

#endif
