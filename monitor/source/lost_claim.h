/* SPDX-License-Identifier: MIT */
/* Limits how many lost events an agent may claim: a burst plus a rate times the time since its
 * first message. A forged message could claim any number. */
#ifndef MONITOR_INTAKE_LOST_CLAIM_H
#define MONITOR_INTAKE_LOST_CLAIM_H

#include <stdint.h>

#include "engine/base/clock.h"

#define LOST_CLAIM_BURST   10000000u
#define LOST_CLAIM_PER_SEC 1000000u
#define LOST_CLAIM_MESSAGE 100u /* number of events that the limit counts a missing message as */

/* Return `claim`, reduced so that its sum with `before`, the earlier results, is at most the
 * limit. Both count items of `unit` events each. `seen`: ns since the agent's first message. */
static inline uint64_t lost_claim_bound(ns_t seen, uint64_t unit, uint64_t claim, uint64_t before)
{
	uint64_t seconds = seen > 0 ? (uint64_t)(seen / NS_PER_SEC) : 0;
	uint64_t most = (LOST_CLAIM_BURST + seconds * LOST_CLAIM_PER_SEC) / unit;

	if (before >= most)
		return 0;
	return claim < most - before ? claim : most - before;
}

#endif
