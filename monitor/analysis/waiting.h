/* SPDX-License-Identifier: MIT */
/*
 * Why a running process waits now, why the process that it waits for waits, and so on. A process is
 * assumed to wait for a running child that began inside the current innermost region, unless
 * child_is_beside() is true for it or the process's format has tasks (formats.def); of several, for
 * the one that started first, and for a transport only if it is the only one.
 *
 * One thread.
 */
#ifndef MONITOR_WAITING_H
#define MONITOR_WAITING_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

enum wait_kind {
	WAIT_REGION, /* the process is in a region and does not wait for a child */
	/* the process waits for a child in which a traced process runs or was replaced by exec;
	 * that process or its exec successor, if it runs, is the next item */
	WAIT_CHILD,
	WAIT_UNTRACED, /* the process waits for a child in which no traced process runs */
	WAIT_PERSON,   /* like WAIT_UNTRACED, if child_is_person() is true for the child */
	/* the process waits for several children; the next item is about the child that started
	 * first, and has the same `slot` */
	WAIT_CHILDREN,
	WAIT_THINKING, /* the process is outside any region and does not wait for a child */
	NR_WAIT_KINDS
};

/* names of kinds for the report, such as "region" */
extern const char *const wait_kind_names[NR_WAIT_KINDS];

struct wait {
	uint8_t kind;          /* enum wait_kind */
	uint32_t slot;         /* process that waits */
	sym_t category, label; /* for WAIT_REGION */
	/* for WAIT_CHILD, WAIT_UNTRACED and WAIT_PERSON: index in the process's children */
	uint32_t child;
	uint32_t nr; /* for WAIT_CHILDREN: number of the children */
	ns_t since;  /* how long the process has been waiting, in ns; NS_NONE: unknown */
};

struct waits {
	/* ro: the process that waits, then the process that it waits for, and so on */
	struct wait *items;
	uint32_t nr, cap;
};

/*
 * Find why the process in `slot` waits at the time `now`. The result is empty if neither the
 * process nor its exec successor is running. Uses only `model` (settled) and `now` of `what`.
 */
void waits_make(struct waits *waits, const struct analysis *what, uint32_t slot);
void waits_release(struct waits *waits);

/* True if the process is running and its parent is not. A parent that was replaced by exec does not
 * count, but its own parent does. */
bool waits_begin_at(const struct model *model, uint32_t slot);

/* Append why a process waits, such as "index/refresh", "git gc" or "no known reason". */
void wait_format(const struct model *model, const struct wait *wait, struct tr2_buf *out);

#endif
