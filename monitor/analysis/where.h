/* SPDX-License-Identifier: MIT */
/*
 * Where the wall time of a command or process went, as parts that add up to it: what its first
 * thread was in at each moment. The times are the model's, as the report has them.
 *
 *   wall = self times of regions                       of the processes that have no parent
 *        + self times of regions beyond the nesting limit
 *        + in no region while a child ran              as far as the journal tells
 *        + in no region
 *        + while nothing was traced                    before, between and behind them
 *        - what ran at the same time, or after the end
 *
 * Other threads and processes below run beside that, and are no parts. One thread. Costs some
 * microseconds a process.
 */
#ifndef MONITOR_WHERE_H
#define MONITOR_WHERE_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/spans.h"

#define WHERE_MAX_REGIONS 15 /* rows of their own; the others are one */

enum where_kind {
	WHERE_REGION,
	WHERE_OTHERS, /* regions that have no row of their own */
	WHERE_HIDDEN,
	WHERE_CHILDREN,
	WHERE_OUTSIDE,
	WHERE_UNTRACED,
	WHERE_TWICE, /* less than 0 */
	NR_WHERE_KINDS
};

struct where_part {
	uint8_t kind;          /* enum where_kind */
	sym_t category, label; /* WHERE_REGION */
	uint64_t count;        /* regions; WHERE_OTHERS: kinds of them; WHERE_CHILDREN: children */
	uint32_t nr_open;      /* regions that are open now, or were at the end */
	ns_t time;
};

struct where {
	struct where_part *parts; /* ro: largest first; they add up to `wall` */
	uint32_t nr, cap;
	ns_t wall;
	bool live;                /* ro: something in it is open and grows with `now` */
	uint32_t nr_processes;    /* that it is of: those without a parent, or the one */
	struct where_edge *edges; /* private: as is the rest */
	uint32_t nr_edges, cap_edges;
	uint32_t first_edge; /* of those that are worked on */
};

struct where_of {
	uint32_t slot; /* of the process; SLOT_NONE: all without a parent */
	ns_t begun;    /* all: wall time of the command's start, NS_NONE: the first one's */
	ns_t wall;     /* all: how long it ran, NS_NONE: up to the last one's end */
	const struct spans *spans; /* all that there is of them; NULL: not known */
};

void where_make(struct where *where, const struct analysis *what, const struct where_of *of);
void where_release(struct where *where);

#endif
