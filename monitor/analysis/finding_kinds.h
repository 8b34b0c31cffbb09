/* SPDX-License-Identifier: MIT */
/*
 * Findings grouped by kind (row of findings.def). A run is a root process; findings about all
 * processes together are one run.
 *
 *   findings (findings.h) -> finding_kinds_make() -> kinds, each with its runs
 *
 * One thread.
 */
#ifndef MONITOR_FINDING_KINDS_H
#define MONITOR_FINDING_KINDS_H

#include "monitor/analysis/findings.h"

/* findings of one kind in one run */
struct finding_run {
	uint8_t id;       /* enum finding_id */
	uint32_t finding; /* index of the run's largest finding in the list of findings */
	/* root process of the run; HANDLE_NONE: the findings are about all roots together */
	struct handle root;
	/* sum of the findings' times in ns, limited to the wall time if that is known; 0: none */
	ns_t cost;
	ns_t wall;  /* wall time of the run; 0: unknown or none */
	ns_t start; /* wall time at which the run started; NS_NONE: unknown */
};

struct finding_kind {
	uint8_t id; /* enum finding_id */
	/* range of the kind's runs in `runs`, the most costly one first */
	uint32_t first, nr;
	ns_t cost, wall; /* sums over the runs of the kind; 0: none */
	ns_t last;       /* start of the newest run; NS_NONE: unknown */
};

/* All zeros: empty. */
struct finding_kinds {
	/* ro: kinds, sorted by level: cost and trouble first, then notes, then findings for authors
	 * of programs; then by cost, the largest first */
	struct finding_kind *items;
	uint32_t nr;
	struct finding_run *runs;
	uint32_t nr_runs;
	uint32_t nr_urgent; /* ro: number of kinds of level cost or trouble */
	/*
	 * ro: wall time that can be saved. Findings of one run may overlap, so this is the sum,
	 * over all runs, of the cost of the run's most costly kind of level cost.
	 */
	ns_t could_save;
	/* ro: number of runs (root processes) with a finding */
	uint32_t nr_finding_roots;
	uint32_t cap_runs; /* private */
};

/* Replace the kinds by those of `findings`. */
void finding_kinds_make(struct finding_kinds *kinds, const struct findings *findings,
			const struct model *model);
void finding_kinds_release(struct finding_kinds *kinds);

/* NULL: no finding has this id */
const struct finding_kind *finding_kinds_find(const struct finding_kinds *kinds, uint8_t id);

/* Append the commands of the runs of a kind, the most frequent first, such as "commit 59x, add
 * 29x", then the worktree, or that there are several. At most `max` commands are named. */
void finding_kind_format_where(const struct finding_kinds *kinds, const struct finding_kind *kind,
			       const struct model *model, int max, struct tr2_buf *out);

/* Append a text such as "2 findings could save 31.2s"; without the time if `could_save` is 0. */
void finding_kinds_format_sum(const struct finding_kinds *kinds, struct tr2_buf *out);

#endif
