/* SPDX-License-Identifier: MIT */
/*
 * The difference of two runs, by parts (parts.h): new minus base. A run may be any process with its
 * descendants. One thread.
 */
#ifndef MONITOR_TWO_RUNS_H
#define MONITOR_TWO_RUNS_H

#include "monitor/analysis/parts.h"

/* a part, identified by kind and name, summed over processes */
struct two_runs_part {
	uint8_t kind; /* enum part_kind */
	/* private: see two_runs_label() */
	uint32_t at, len;
	/* time in the base run; time in the new run minus that; in ns */
	ns_t base, change;
};

/* initially all zeros */
struct two_runs {
	/* ro: parts, the largest change first; they add up to the wall times */
	struct two_runs_part *parts;
	uint32_t nr, cap;
	ns_t base_wall, new_wall; /* ro */
	bool live;                /* ro: one of the runs lasts until now */
	struct parts made;        /* private */
	struct tr2_buf texts;     /* private */
};

void two_runs_make(struct two_runs *two, const struct analysis *what, uint32_t base_slot,
		   uint32_t new_slot);
void two_runs_release(struct two_runs *two);

/* Return the name of a part as from part_format(), not NUL-terminated and never NULL. */
const char *two_runs_label(const struct two_runs *two, const struct two_runs_part *part,
			   size_t *len);

/*
 * Return the latest run before the process in `slot` that has ended and has the same command (name
 * and first argument, without a message) and worktree; both are roots, or neither is. SLOT_NONE:
 * none.
 */
uint32_t two_runs_before(const struct model *model, uint32_t slot);

#endif
