/* SPDX-License-Identifier: MIT */
/*
 * Go execution traces: a scan of a generation's batches. It finds facts that are needed before the
 * events that contain them are processed: the names of goroutines (the outermost function of one of
 * their stacks) and, for a generation that is read as the first one, the existing goroutines, Ps
 * and open ranges and, if requested, the time of the last event. For other generations the scan is
 * done when a name is first requested.
 */
#ifndef MONITOR_GO_WALK_H
#define MONITOR_GO_WALK_H

#include "monitor/read/gotrace/go_order.h"

struct go_walk_g {
	uint64_t id;
	/* id of a stack of the goroutine: that of its status event, or else the first one whose
	 * outermost function is known; 0: none */
	uint64_t stack;
	/* private: the name comes from the goroutine's status event, so it is final */
	bool is_named;
	uint8_t status; /* first status of the goroutine in this generation; GO_GONE: none */
	/* the goroutine is in an assist of the garbage collector that began before this
	 * generation */
	bool in_assist;
};

struct go_walk_p {
	uint64_t id;
	uint8_t status;
	bool in_sweep;
};

struct go_walk {
	struct go_walk_g *gs; /* ro: the goroutines that the scan found */
	struct go_walk_p *ps;
	uint32_t nr_gs, cap_gs, nr_ps, cap_ps;
	/* ro, set by go_walk_first(): indexes of the goroutines that have a status event, sorted by
	 * id. */
	uint32_t *before, nr_before, cap_before;
	struct ids g_ids, p_ids;
	/* a mark phase of the garbage collector began before this generation and continues */
	bool in_gc;
	/* time of the generation's last event, if it was requested; otherwise its earliest time */
	int64_t last_ns;
	/* Private. */
	const struct go_generation *gen;
	bool is_due; /* true until the scan of the generation is done */
	struct go_guesses g_guesses;
};

void go_walk_release(struct go_walk *walk);
/* Prepare to scan `gen`, which must not change. Discards the results of an earlier scan. */
void go_walk_begin(struct go_walk *walk, const struct go_generation *gen);
/* Scan a generation that is read as the first one. If `wants_last`, also find the time of its last
 * event. */
void go_walk_first(struct go_walk *walk, bool wants_last);
/* Return the facts about goroutine `id`; NULL if the scan found none. Valid until the next call. */
const struct go_walk_g *go_walk_find(struct go_walk *walk, uint64_t id);

/* Return the name of the outermost function of a stack; `text` is NULL if it has none. */
struct go_text go_outermost(const struct go_generation *gen, uint64_t stack);

#endif
