/* SPDX-License-Identifier: MIT */
/*
 * Timers and counters: what the host declared, and their values. A thread adds to its own block
 * without a lock; the block is added to the totals when the thread ends or the process does.
 */
#ifndef TR2_SUMS_H
#define TR2_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

/* How many of either a host may declare. */
#define TR2_MAX_TIMERS   64
#define TR2_MAX_COUNTERS 64

struct tr2_timer {
	uint64_t total_ns, min_ns, max_ns;
	uint64_t nr_intervals;
	ns_t start;
	unsigned nr_running; /* starts without their stop: only the outermost pair counts */
};

struct tr2_sums {
	struct tr2_timer timers[TR2_MAX_TIMERS];
	uint64_t counters[TR2_MAX_COUNTERS];
};

/* What a host declares. */
struct tr2_sum_desc {
	char *category, *name;
	bool per_thread; /* th_timer and th_counter events too */
};

enum tr2_sum_family {
	TR2_SUM_TIMERS,
	TR2_SUM_COUNTERS,
};

/* A new one; its number from 0 up in order of declaration, -1 where there are too many. The
 * names are copied. Any thread. */
int tr2_sum_declare(enum tr2_sum_family family, const char *category, const char *name,
		    bool per_thread);

/* Row `id`, or NULL where there is no such. Valid for ever. */
const struct tr2_sum_desc *tr2_sum_desc(enum tr2_sum_family family, int id);

/* Add a thread's block to the totals. Any thread. */
void tr2_sums_add_to_totals(const struct tr2_sums *sums);

/* Of a forked child: what its parent summed up is none of its own. Under
 * tr2_lock(). */
void tr2_sums_forget_totals(void);

/* A copy of the totals. */
void tr2_sums_totals(struct tr2_sums *out);

#endif
