/* SPDX-License-Identifier: MIT */
/*
 * The reason why a running process waits now, down to the end of the chain: the current end of parts
 * (parts.h), by the same rules. A process is assumed to wait for a running child that began inside
 * the current innermost region; of several for the eldest. Trace2 does not report this.
 *
 * One thread; a struct may be reused. O(children) per process in the chain.
 */
#ifndef MONITOR_WAITING_H
#define MONITOR_WAITING_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum wait_kind {
	WAIT_REGION,   /* in a region */
	WAIT_CHILD,    /* for a child with a running process, which is the next item */
	WAIT_UNTRACED, /* for an untraced child */
	WAIT_PERSON,   /* the same for an editor or a pager */
	WAIT_CHILDREN, /* for several; the next item is the eldest, of the same process */
	WAIT_THINKING, /* nothing is open */
	NR_WAIT_KINDS
};

/* Names for the report: "region", "child", ... */
extern const char *const wait_kind_names[NR_WAIT_KINDS];

struct wait {
	uint8_t kind;          /* enum wait_kind */
	uint32_t slot;         /* of the waiting process */
	sym_t category, label; /* WAIT_REGION */
	uint32_t child;        /* index in its children: for child, untraced and person */
	uint32_t nr;           /* WAIT_CHILDREN: their number */
	ns_t since;            /* time since it began to wait; NS_NONE: unknown */
};

struct waits {
	struct wait *items; /* ro: outermost first */
	uint32_t nr, cap;
};

/*
 * Compute for the process in `slot` at the time `now`; empty if it does not run. `model` of `what`
 * must be settled; only that and `now` are used.
 */
void waits_make(struct waits *waits, const struct analysis *what, uint32_t slot);
void waits_release(struct waits *waits);

/* True if the process runs and none of its ancestors does. */
bool waits_begin_at(const struct model *model, uint32_t slot);

/* Append what it waits for: "index/refresh", "git gc", "3 children", "no known reason". */
void wait_format(const struct model *model, const struct wait *wait, struct tr2_buf *out);

#endif
