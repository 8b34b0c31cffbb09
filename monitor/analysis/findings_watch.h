/* SPDX-License-Identifier: MIT */
/*
 * Keeps the findings of all roots up to date in the background, in rounds of some milliseconds per
 * step. A root is examined again only after new events of its tree, or while it is live.
 *
 *   each frame: findings_watch() -> `shown`, which is replaced when a round ends
 *
 * A round continues while the model changes, otherwise it would never end under load. Roots evicted
 * meanwhile are skipped. If nothing changed, a call costs one comparison. One thread.
 */
#ifndef MONITOR_FINDINGS_WATCH_H
#define MONITOR_FINDINGS_WATCH_H

#include "monitor/analysis/findings.h"

/* State of a root when it was last examined. */
struct watched {
	struct handle root;
	uint64_t tree;      /* hash of the state of its processes; 0: live */
	uint32_t first, nr; /* index and number of its findings */
};

struct watched_round {
	struct watched *roots;
	uint32_t nr, cap;
	struct findings findings; /* findings of a root are adjacent */
};

/* All zero at first. */
struct findings_watch {
	struct findings shown; /* ro: of the last round, sorted; slots refer to its model */
	uint32_t nr_urgent;    /* ro: number of urgent ones, see finding_is_urgent() */
	uint64_t nr_rounds;    /* ro: completed rounds */
	bool begun;            /* ro: a round is in progress, at `at` of `nr_roots` */
	uint32_t at, nr_roots; /* ro */

	/* Private: */
	struct handle *roots; /* roots to examine in this round */
	uint32_t cap_roots;
	struct watched_round last, next;
	uint32_t *by_slot; /* index in `last` of the root there */
	uint32_t nr_slots;
	struct finding_loops loops; /* of the roots examined so far */
	struct parts scratch;
	const struct model *model;
	uint64_t off, choice, version; /* input of the round */
	bool lives;                    /* one of its roots is live, so results change with time */
	ns_t spent;                    /* time spent on the round */
	ns_t rest_until;               /* monotonic: earliest start of the next round */
};

/*
 * Continue for about `budget` ns (0: one root). `monotonic`: the caller's clock. `off` as in struct
 * findings; `choice` identifies the `keep` function and its data.
 */
void findings_watch(struct findings_watch *watch, const struct findings_of *of, uint64_t off,
		    uint64_t choice, ns_t monotonic, ns_t budget);
void findings_watch_release(struct findings_watch *watch);

#endif
