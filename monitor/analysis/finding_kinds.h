/* SPDX-License-Identifier: MIT */
/*
 * Findings grouped by kind, that is by row of findings.def: one row for "Git is waiting for a hook"
 * in 118 runs. A run is a root process; findings about all processes together are one run.
 *
 *   findings (findings.h) -> finding_kinds_make() -> kinds, each with its runs
 *
 * One thread.
 */
#ifndef MONITOR_FINDING_KINDS_H
#define MONITOR_FINDING_KINDS_H

#include "monitor/analysis/findings.h"

/* The findings of one kind in one run. */
struct finding_run {
	uint8_t id;         /* enum finding_id */
	uint32_t finding;   /* index of the largest of them in the findings */
	struct handle root; /* HANDLE_NONE: all roots together */
	ns_t cost;          /* sum of their times, at most the wall time; 0: none */
	ns_t wall;          /* wall time of the run; 0: none */
	ns_t start;         /* wall clock time of its start; NS_NONE: unknown */
};

struct finding_kind {
	uint8_t id;         /* enum finding_id */
	uint32_t first, nr; /* its runs in struct finding_kinds, the most costly one first */
	ns_t cost, wall;    /* sums over its runs; 0: none */
	ns_t last;          /* start of its newest run; NS_NONE: unknown */
};

/* All zeros: empty. */
struct finding_kinds {
	/* ro: levels cost and trouble first, then notes, then findings for authors of programs;
	 * within a level by cost, the largest first */
	struct finding_kind *items;
	uint32_t nr;
	struct finding_run *runs; /* ro: the runs of all kinds */
	uint32_t nr_runs;
	uint32_t nr_urgent; /* ro: number of kinds of levels cost and trouble */
	/*
	 * ro: wall time that can be saved. Findings of one run may overlap, so only the largest
	 * cost of each run counts.
	 */
	ns_t could_save;
	uint32_t nr_finding_roots; /* ro: number of runs with a finding of any kind */
	uint32_t cap_runs;         /* private */
};

/* Group the findings, replacing the earlier kinds. O(n log n) for n findings. */
void finding_kinds_make(struct finding_kinds *kinds, const struct findings *findings,
			const struct model *model);
void finding_kinds_release(struct finding_kinds *kinds);

/* Return the kind with this id; NULL if there are no such findings. */
const struct finding_kind *finding_kinds_find(const struct finding_kinds *kinds, uint8_t id);

/* Append in which commands the kind was found, the most frequent first: "commit 59x, add 29x",
 * then the worktree, or how many there are. At most `max` commands are named. */
void finding_kind_format_where(const struct finding_kinds *kinds, const struct finding_kind *kind,
			       const struct model *model, int max, struct tr2_buf *out);

/* Append "2 findings could save 31.2s", without the time if there is none. */
void finding_kinds_format_sum(const struct finding_kinds *kinds, struct tr2_buf *out);

#endif
