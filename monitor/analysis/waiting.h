/* SPDX-License-Identifier: MIT */
/*
 * What a process that runs waits for now, down to the end of the chain: the live end of parts
 * (parts.h), by the same rules. A process is taken to wait for a child that runs, and began while
 * the region that is innermost now was so; of several for the eldest. Trace2 says none of it.
 *
 * One thread; a struct may be used again and again. O(children) of each process on the way.
 */
#ifndef MONITOR_WAITING_H
#define MONITOR_WAITING_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum wait_kind {
	WAIT_REGION,   /* it is in a region */
	WAIT_CHILD,    /* for a child of which a process runs: that one's is the next */
	WAIT_UNTRACED, /* for a child of which nothing is known */
	WAIT_PERSON,   /* the same of an editor or a pager */
	WAIT_CHILDREN, /* for several: the eldest is the next, of the same process */
	WAIT_THINKING, /* nothing is open */
	NR_WAIT_KINDS
};

/* "region", "child", ... as the report says them. */
extern const char *const wait_kind_names[NR_WAIT_KINDS];

struct wait {
	uint8_t kind;          /* enum wait_kind */
	uint32_t slot;         /* of the process that waits */
	sym_t category, label; /* WAIT_REGION */
	uint32_t child;        /* in its children: of child, untraced and person */
	uint32_t nr;           /* WAIT_CHILDREN: how many */
	ns_t since;            /* how long already; NS_NONE: not known */
};

struct waits {
	struct wait *items; /* ro: outermost first */
	uint32_t nr, cap;
};

/* Of the process in `slot` at what->now; none where it does not run. `model` of `what` must be
 * settled; only that and `now` are read. */
void waits_make(struct waits *waits, const struct analysis *what, uint32_t slot);
void waits_release(struct waits *waits);

/* Does the process run, and nobody who runs above it? */
bool waits_begin_at(const struct model *model, uint32_t slot);

/* Append what is waited for: "index/refresh", "git gc", "3 children", "nothing that it tells". */
void wait_say(const struct model *model, const struct wait *wait, struct tr2_buf *out);

#endif
