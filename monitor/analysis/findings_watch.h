/* SPDX-License-Identifier: MIT */
/*
 * What is found in all roots, kept up to date beside other work: in rounds, some milliseconds at a
 * time. A root is looked through anew only where something came of its tree, or while it lives.
 *
 *   each frame: findings_watch() -> `shown`, which stays until the next round has ended
 *
 * A round goes on though the model changes, or it would never end where much happens: who has left
 * it meanwhile is passed over. Where nothing changes it costs a comparison. One thread.
 */
#ifndef MONITOR_FINDINGS_WATCH_H
#define MONITOR_FINDINGS_WATCH_H

#include "monitor/analysis/findings.h"

/* A root as it was looked through. */
struct watched {
	struct handle root;
	uint64_t tree;      /* a hash of what its processes were; 0: it lives */
	uint32_t first, nr; /* its findings */
};

struct watched_round {
	struct watched *roots;
	uint32_t nr, cap;
	struct findings findings; /* a root's stand together */
};

/* All zeros at first. */
struct findings_watch {
	struct findings shown; /* ro: of the last round, in order; slots are those of its model */
	uint32_t nr_urgent;    /* ro: of them, see finding_is_urgent() */
	uint64_t nr_rounds;    /* ro: that have ended */
	bool begun;            /* ro: one goes on: it has come to `at` of `nr_roots` */
	uint32_t at, nr_roots; /* ro */

	/* Private: */
	struct handle *roots; /* to look at in this round */
	uint32_t cap_roots;
	struct watched_round last, next;
	uint32_t *by_slot; /* index in `last` of the root there */
	uint32_t nr_slots;
	struct finding_loops loops; /* of the roots that were looked at */
	struct parts scratch;
	const struct model *model;
	uint64_t off, choice, version; /* what the round is of */
	bool lives;                    /* a root of it does: it changes with the time */
	ns_t spent;                    /* by it */
	ns_t rest_until;               /* monotonic: no other one begins before */
};

/*
 * Go on for about `budget` (0: with one root), at `monotonic` by the caller's clock. `off` as in
 * struct findings; `choice` tells one `keep` from another.
 */
void findings_watch(struct findings_watch *watch, const struct findings_of *of, uint64_t off,
		    uint64_t choice, ns_t monotonic, ns_t budget);
void findings_watch_release(struct findings_watch *watch);

#endif
