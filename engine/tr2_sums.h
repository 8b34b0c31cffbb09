/* SPDX-License-Identifier: MIT */
/*
 * Timers and counters. A thread adds to its own block without a lock. The block is added to the
 * totals in trace2_thread_exit() and, for the thread that exits the process, at exit. The sums of
 * other threads are lost.
 */
#ifndef TR2_SUMS_H
#define TR2_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define TR2_MAX_TIMERS   64
#define TR2_MAX_COUNTERS 64

struct tr2_timer {
	uint64_t total_ns, min_ns, max_ns;
	uint64_t nr_intervals;
	ns_t start;
	/* number of trace2_timer_start() calls without a stop */
	unsigned nr_running;
};

struct tr2_sums {
	struct tr2_timer timers[TR2_MAX_TIMERS];
	uint64_t counters[TR2_MAX_COUNTERS];
};

struct tr2_sum_desc {
	char *category, *name;
	bool per_thread; /* emit th_timer or th_counter events (per thread), too */
};

enum tr2_sum_family {
	TR2_SUM_TIMERS,
	TR2_SUM_COUNTERS,
};

/* Declare a timer or counter. Returns its id: 0, 1, ... in order of declaration; -1 on failure.
 * Copies the names. Any thread. */
int tr2_sum_declare(enum tr2_sum_family family, const char *category, const char *name,
		    bool per_thread);

/* Return the declaration of timer or counter `id`; NULL if it does not exist. Valid forever. */
const struct tr2_sum_desc *tr2_sum_desc(enum tr2_sum_family family, int id);

/* Add a thread's sums to those of the process. Any thread. */
void tr2_sums_add_to_totals(const struct tr2_sums *sums);

/* In a forked child: reset the totals inherited from the parent. Call with tr2_lock() held. */
void tr2_sums_clear_totals(void);

void tr2_sums_totals(struct tr2_sums *out);

#endif
