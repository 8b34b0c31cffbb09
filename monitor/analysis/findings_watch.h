/* SPDX-License-Identifier: MIT */
/*
 * Keeps the findings of the selected roots up to date in rounds, with one step per frame. A root of
 * the last round is examined again only if its tree has changed or is live, or if another model is
 * shown or other findings are disabled.
 *
 *   each frame: findings_watch() -> `shown`, which is replaced when a round ends
 *
 * A round continues if events arrive, otherwise it would never end under load. One thread.
 */
#ifndef MONITOR_FINDINGS_WATCH_H
#define MONITOR_FINDINGS_WATCH_H

#include "monitor/analysis/finding_kinds.h"

/* state of a root process in a round */
struct watched {
	struct handle root;
	uint64_t tree;      /* hash of the tree's state; 0: the tree was live */
	uint32_t first, nr; /* range of the root's findings in struct watched_round */
};

struct watched_round {
	struct watched *roots;
	uint32_t nr, cap;
	struct findings findings; /* findings; those of one root are adjacent */
};

/* Initially all zeros. */
struct findings_watch {
	/* ro: sorted findings of the last complete round; their slots refer to the model at that
	 * time */
	struct findings shown;
	struct finding_kinds kinds;
	uint64_t nr_rounds; /* ro: completed rounds */
	/* ro: a round is in progress */
	bool begun;
	/* ro: number of roots that this round has passed, and number of all its roots */
	uint32_t at, nr_roots;

	/* private, as are all members after it: roots to examine in this round */
	struct handle *roots;
	uint32_t cap_roots;
	struct watched_round last, next;
	uint32_t *by_slot; /* index of each root in `last`, by slot */
	uint32_t nr_slots;
	struct finding_loops loops;
	struct parts scratch;
	const struct model *model;
	/* input of this round: disabled findings, selection of roots, version of the model */
	uint64_t off, choice, version;
	bool lives; /* a tree is live, so findings change with time */
	ns_t spent; /* time in ns spent on this round so far */
	/* monotonic time before which a round usually does not begin */
	ns_t rest_until;
};

/*
 * Begin a round if one is due; continue it for about `budget` ns (0: one root). `monotonic`: the
 * time now. `off`: disabled findings, as in struct findings. `choice`: a number that identifies the
 * `keep` function and its data.
 */
void findings_watch(struct findings_watch *watch, const struct findings_of *of, uint64_t off,
		    uint64_t choice, ns_t monotonic, ns_t budget);
void findings_watch_release(struct findings_watch *watch);

#endif
