/* SPDX-License-Identifier: MIT */
/*
 * Keeps the findings of all roots up to date in the background, in rounds of several steps of some
 * milliseconds. A root is examined again only after new events of its tree, or while it is live.
 *
 *   each frame: findings_watch() -> `shown`, which is replaced when a round ends
 *
 * A round continues while the model changes, otherwise it would never end under load. Roots evicted
 * meanwhile are skipped. If nothing changed, a call costs one comparison. One thread.
 */
#ifndef MONITOR_FINDINGS_WATCH_H
#define MONITOR_FINDINGS_WATCH_H

#include "monitor/analysis/finding_kinds.h"

/* State of a root when it was last examined. */
struct watched {
	struct handle root;
	uint64_t tree;      /* hash of the state of the tree's processes; 0: it was live */
	uint32_t first, nr; /* index and number of its findings in `findings` */
};

struct watched_round {
	struct watched *roots;
	uint32_t nr, cap;
	struct findings findings; /* findings; those of a root are adjacent */
};

/* State of the background work. Initially all zeros. */
struct findings_watch {
	/* ro: sorted findings of the last complete round; slots refer to its model */
	struct findings shown;
	struct finding_kinds kinds; /* ro: the findings of `shown` by kind */
	uint64_t nr_rounds;         /* ro: completed rounds */
	/* ro: a round is in progress; it has examined `at` of `nr_roots` roots */
	bool begun;
	uint32_t at, nr_roots; /* ro: progress of the round */

	/* The next members are private. */
	struct handle *roots; /* roots to examine in this round */
	uint32_t cap_roots;
	struct watched_round last, next;
	uint32_t *by_slot; /* by slot of a root: its index in `last` */
	uint32_t nr_slots;
	/* roots that may repeat a command, among those examined so far */
	struct finding_loops loops;
	struct parts scratch;
	const struct model *model;
	/* input of the round: disabled ids, selection, version of the model */
	uint64_t off, choice, version;
	bool lives;      /* a root is live, so findings change with time */
	ns_t spent;      /* time that the round has taken so far */
	ns_t rest_until; /* monotonic: earliest start of the next round */
};

/*
 * Continue the round for about `budget` ns (0: one root). `monotonic`: the current time. `off` as
 * in struct findings; `choice` identifies the `keep` function and its data.
 */
void findings_watch(struct findings_watch *watch, const struct findings_of *of, uint64_t off,
		    uint64_t choice, ns_t monotonic, ns_t budget);
void findings_watch_release(struct findings_watch *watch);

#endif
