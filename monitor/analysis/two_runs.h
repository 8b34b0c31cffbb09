/* SPDX-License-Identifier: MIT */
/*
 * The difference of two runs, by parts (parts.h): new minus base. One run each proves nothing: see
 * compare.h for sets of runs. A run may be any process with its descendants.
 *
 * One thread; a struct may be reused. O(n log n) in the parts.
 */
#ifndef MONITOR_TWO_RUNS_H
#define MONITOR_TWO_RUNS_H

#include "monitor/analysis/parts.h"

/* A part by kind and name, summed over processes. */
struct two_runs_part {
	uint8_t kind;      /* enum part_kind */
	uint32_t at, len;  /* private: its text, see two_runs_label() */
	ns_t base, change; /* time in the base run; new minus base */
};

/* Initially all zeros. */
struct two_runs {
	struct two_runs_part *parts; /* ro: the largest change first; they add up to the walls */
	uint32_t nr, cap;
	ns_t base_wall, new_wall; /* ro */
	bool live;                /* ro: a run has not ended */
	struct parts made;        /* private */
	struct tr2_buf texts;     /* private */
};

/* Compare the processes in two slots of the model of `what`, which must be in use. */
void two_runs_make(struct two_runs *two, const struct analysis *what, uint32_t base_slot,
		   uint32_t new_slot);
void two_runs_release(struct two_runs *two);

/* Return the name of a part as in part_format(), not NUL-terminated. Never NULL. */
const char *two_runs_label(const struct two_runs *two, const struct two_runs_part *part,
			   size_t *len);

/*
 * Return the latest run before the process in `slot`: of the same command (name and first
 * argument, without a message), in the same worktree, a root if the process is one, and ended.
 * SLOT_NONE: none. O(processes).
 */
uint32_t two_runs_before(const struct model *model, uint32_t slot);

#endif
