/* SPDX-License-Identifier: MIT */
/*
 * What was heard of one agent: which of its messages came, and how its clock stands to its
 * server's.
 *
 * Messages of a RUN are numbered from 0 and come in that order, so a number that was there is a
 * repeat, and one that is left out is a message that was lost. A run that is greater is the agent
 * begun anew. Where one that was there goes on behind another, two agents have one name. Of what
 * came before the first message nothing is known. Pure functions, no clock; one thread.
 */
#ifndef MONITOR_NATS_HEARD_H
#define MONITOR_NATS_HEARD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/wire.h"

/* Runs that are remembered: of more agents of one name the oldest is forgotten. */
#define HEARD_RUNS 4
/* The skew is the least of so long: a message may be late, never early. */
#define HEARD_SKEW_NS (300 * NS_PER_SEC)
#define HEARD_SLOTS   10

/* All zeros: nothing was heard yet. */
struct heard {
	struct heard_run {
		int64_t run;
		uint64_t next; /* number of its next message */
	} runs[HEARD_RUNS];    /* private: the one that spoke last first */
	unsigned nr_runs;
	struct heard_least {
		int64_t slot; /* which one since 1970, + 1; 0: none */
		ns_t least;
	} least[HEARD_SLOTS]; /* private */
};

struct heard_news {
	bool is_repeat;  /* it was there: drop it */
	bool are_two;    /* another agent has the same name */
	uint64_t missed; /* so many messages before it did not come */
};

/* A message came. */
void heard_message(struct heard *heard, const struct wire_id *id, struct heard_news *out);

/* It was sent at `wall` by its agent's clock, and stored at `stamp` by its server's. */
void heard_clock(struct heard *heard, ns_t wall, ns_t stamp);
/* By how much the agent's clock is behind the server's (less than 0: before it), as heard in the
 * HEARD_SKEW_NS before `now`, a server's time; NS_NONE: nothing was. */
ns_t heard_skew(const struct heard *heard, ns_t now);

#endif
