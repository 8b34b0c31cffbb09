/* SPDX-License-Identifier: MIT */
/*
 * State of one agent: received messages, and the difference of its clock to the
 * server's.
 *
 * Messages of a RUN are numbered from 0 and arrive in order, so an earlier number is a repeat, and
 * a gap means lost messages. A greater RUN is a restarted agent. If an earlier run continues after
 * another one, two agents have the same name. Messages before the first are not counted as lost.
 * Pure functions, no clock; one thread.
 */
#ifndef MONITOR_NATS_RECEIVED_H
#define MONITOR_NATS_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/wire.h"

/* Remembered runs; with more agents of one name the oldest is forgotten. */
#define RECEIVED_RUNS 4
/* The skew is the minimum over this time: a message may be late, never early. */
#define RECEIVED_SKEW_NS (300 * NS_PER_SEC)
#define RECEIVED_SLOTS   10

/* All zeros: no message so far. */
struct received {
	struct received_run {
		int64_t run;
		uint64_t next; /* number of the next message */
	} runs[RECEIVED_RUNS]; /* private: most recent first */
	unsigned nr_runs;
	struct received_least {
		int64_t slot; /* number of the slot since 1970, + 1; 0: unused */
		ns_t least;
	} least[RECEIVED_SLOTS]; /* private */
};

struct received_news {
	bool is_repeat;  /* already received: drop it */
	bool are_two;    /* another agent has the same name */
	uint64_t missed; /* lost messages before it */
};

/* Handle a message. */
void received_message(struct received *received, const struct wire_id *id,
		      struct received_news *out);

/* Handle its times: sent at `wall` by the agent's clock, stored at `stamp` by the server's. */
void received_clock(struct received *received, ns_t wall, ns_t stamp);
/* Return how much the agent's clock is slow against the server's (negative: fast), from the
 * messages of the HEARD_SKEW_NS before `now`, a server's time. NS_NONE without messages. */
ns_t received_skew(const struct received *received, ns_t now);

#endif
