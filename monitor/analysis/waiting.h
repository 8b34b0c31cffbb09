/* SPDX-License-Identifier: MIT */
/*
 * The reason why a running process waits now, and why the process that it waits for waits, and so
 * on. The rules are those of parts (parts.h): a process is assumed to wait for a running child that
 * began inside the current innermost region; of several for the one that started first. Trace2 does
 * not report this.
 *
 * One thread; a struct may be reused. O(children) per process.
 */
#ifndef MONITOR_WAITING_H
#define MONITOR_WAITING_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum wait_kind {
	WAIT_REGION,   /* in a region, not for a child */
	WAIT_CHILD,    /* for a child in which a traced process runs: the next item */
	WAIT_UNTRACED, /* for a child in which no traced process runs */
	WAIT_PERSON,   /* for child_is_person() */
	/* for several children; the next item is the one that started first, of the same process */
	WAIT_CHILDREN,
	WAIT_THINKING, /* no region or child is open */
	NR_WAIT_KINDS
};

/* Names of the kinds for the report: "region", "child", ... */
extern const char *const wait_kind_names[NR_WAIT_KINDS];

struct wait {
	uint8_t kind;          /* enum wait_kind */
	uint32_t slot;         /* slot of the process that waits */
	sym_t category, label; /* for WAIT_REGION: names of the region */
	/* index in the process's children, for WAIT_CHILD, WAIT_UNTRACED and WAIT_PERSON */
	uint32_t child;
	uint32_t nr; /* for WAIT_CHILDREN: their number */
	ns_t since;  /* how long it has been waiting; NS_NONE: unknown */
};

struct waits {
	struct wait *items; /* ro: the process first, then those that it waits for */
	uint32_t nr, cap;
};

/*
 * Compute why the process in `slot` waits at the time `now`; empty if it does not run. Uses only
 * `model` of `what`, which must be settled, and `now`.
 */
void waits_make(struct waits *waits, const struct analysis *what, uint32_t slot);
void waits_release(struct waits *waits);

/* True if the process runs and none of its ancestors runs. */
bool waits_begin_at(const struct model *model, uint32_t slot);

/* Append the reason why a process waits: "index/refresh", "git gc", "3 children", "no known
 * reason". */
void wait_format(const struct model *model, const struct wait *wait, struct tr2_buf *out);

#endif
