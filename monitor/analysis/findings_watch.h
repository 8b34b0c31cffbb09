/* SPDX-License-Identifier: MIT */
/*
 * Keeps the findings of all roots up to date in rounds, with one step of a round per frame. A root
 * is only examined again if its tree has changed or is live (running), or if the model is another
 * one or other findings are disabled.
 *
 *   each frame: findings_watch() -> `shown`, which is replaced when a round ends
 *
 * A round continues even if events arrive, otherwise it would never end under load. It skips roots
 * that were evicted meanwhile. If nothing changed, a call costs some comparisons. One thread.
 */
#ifndef MONITOR_FINDINGS_WATCH_H
#define MONITOR_FINDINGS_WATCH_H

#include "monitor/analysis/finding_kinds.h"

/* State of a root process when it was last examined. */
struct watched {
	struct handle root;
	uint64_t tree;      /* hash of the state of the tree's processes; 0: the tree was live */
	uint32_t first, nr; /* range of the root's findings in the list of findings */
};

struct watched_round {
	struct watched *roots;
	uint32_t nr, cap;
	struct findings findings; /* list of findings; those of one root are adjacent */
};

/* State of the background search for findings. Initially all zeros. */
struct findings_watch {
	/* ro: sorted findings of the last complete round; their slots refer to the model of that
	 * round */
	struct findings shown;
	struct finding_kinds kinds; /* ro: the findings of `shown`, grouped by kind */
	uint64_t nr_rounds;         /* ro: completed rounds */
	/* ro: a round is in progress; it has examined `at` of `nr_roots` roots */
	bool begun;
	/* ro: progress of the round: number of roots examined, and of all roots to examine */
	uint32_t at, nr_roots;

	/* private, as are all members after it: roots to examine in this round */
	struct handle *roots;
	uint32_t cap_roots;
	struct watched_round last, next;
	uint32_t *by_slot; /* index that maps the slot of a root to its index in `last` */
	uint32_t nr_slots;
	/* roots examined so far in this round that may repeat a command */
	struct finding_loops loops;
	struct parts scratch;
	const struct model *model;
	/* input of this round: disabled finding ids, selection of roots, version of the model */
	uint64_t off, choice, version;
	bool lives; /* true if a root is live, so that findings change with time */
	ns_t spent; /* time in ns that the round has taken so far */
	/* monotonic time before which no round begins, except in the past, if the last running
	 * process has ended, or for another model or other input */
	ns_t rest_until;
};

/*
 * Begin a round if one is due; continue the round for about `budget` ns (0: examine one root).
 * `monotonic`: the current time by the monotonic clock. `off`: disabled findings, as in struct
 * findings. `choice`: a number that identifies the `keep` function and its data.
 */
void findings_watch(struct findings_watch *watch, const struct findings_of *of, uint64_t off,
		    uint64_t choice, ns_t monotonic, ns_t budget);
void findings_watch_release(struct findings_watch *watch);

#endif
