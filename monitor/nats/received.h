/* SPDX-License-Identifier: MIT */
/*
 * State of one agent: its received messages, and the difference of its clock to the server's.
 *
 * A run is one run of the agent program. Its messages are numbered from 0 and arrive in order, so
 * an earlier number is a repeat, and a gap means lost messages. If messages of an earlier run
 * follow those of a later one, two agents have the same name. Messages before the first one
 * received are not counted as lost. Pure functions, no clock; one thread.
 */
#ifndef MONITOR_NATS_RECEIVED_H
#define MONITOR_NATS_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/wire.h"

/* Number of runs of an agent that are remembered; the oldest is forgotten. */
#define RECEIVED_RUNS 4
/* Time over which the clock difference is the minimum of all messages: a message may be late,
 * never early. */
#define RECEIVED_SKEW_NS (300 * NS_PER_SEC)
#define RECEIVED_SLOTS   10

/* State of an agent. All zeros: no message was received. */
struct received {
	struct received_run {
		int64_t run;
		uint64_t next; /* number of the run's next message */
	} runs[RECEIVED_RUNS]; /* private: most recent run first */
	unsigned nr_runs;
	struct received_least {
		int64_t slot; /* number of the time slot since 1970, + 1; 0: unused */
		ns_t least;
	} least[RECEIVED_SLOTS]; /* private: least delay per time slot */
};

struct received_news {
	bool is_repeat;  /* the message was received before: drop it */
	bool are_two;    /* another agent has the same name */
	uint64_t missed; /* number of messages lost before this one */
};

/* Record the id of a received message. */
void received_message(struct received *received, const struct wire_id *id,
		      struct received_news *out);

/* Record the times of a received message: sent at `wall` by the agent's clock, stored at `stamp`
 * by the server's. */
void received_clock(struct received *received, ns_t wall, ns_t stamp);
/* Return how far the agent's clock is behind the server's (negative: ahead), from the messages
 * of the RECEIVED_SKEW_NS before `now`, a time of the server. NS_NONE without messages. */
ns_t received_skew(const struct received *received, ns_t now);

#endif
