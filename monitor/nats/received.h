/* SPDX-License-Identifier: MIT */
/*
 * State of one agent, as the viewer records it: which messages were received, and the difference of
 * the agent's clock to the server's clock.
 *
 * A run is one run of the agent program. The messages of a run are numbered from 0 and arrive in
 * order. A number that was received before is a repeat, and a gap in the numbers means lost
 * messages. If messages of an earlier run follow those of a later one, two agents have the same
 * name. Messages before the first one received of the first run are not counted as lost. Pure
 * functions, which read no clock; one thread.
 */
#ifndef MONITOR_NATS_RECEIVED_H
#define MONITOR_NATS_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/wire.h"

/* Number of runs of an agent that are kept; another run replaces the one whose last message was
 * received first. */
#define RECEIVED_RUNS 4
/* Period, in ns, over which the clock difference is the minimum of all messages: messages arrive
 * late, never early. */
#define RECEIVED_SKEW_NS (300 * NS_PER_SEC)
#define RECEIVED_SLOTS   10

/* State of an agent. All zeros: no message was received yet. */
struct received {
	struct received_run {
		int64_t run;
		uint64_t next; /* number of the next message of the run, counting from 0 */
	} runs[RECEIVED_RUNS]; /* private: runs of the agent, that of the last message first */
	unsigned nr_runs;
	struct received_least {
		/* number of the time slot, counted from 1970 and plus 1; 0: this entry is unused */
		int64_t slot;
		ns_t least;
	} least[RECEIVED_SLOTS]; /* private: smallest clock difference in each time slot, in ns */
};

struct received_news {
	bool is_repeat;  /* the message was received before, so drop it */
	bool are_two;    /* another agent uses the same name */
	uint64_t missed; /* number of messages lost before this one */
};

/* Record the id of a received message. */
void received_message(struct received *received, const struct wire_id *id,
		      struct received_news *out);

/* Record the times of a received message: `wall` is when it was sent, by the agent's clock; `stamp`
 * is when the server stored it, by the server's clock. */
void received_clock(struct received *received, ns_t wall, ns_t stamp);
/*
 * Return by how many ns the agent's clock is behind the server's clock (negative: ahead), computed
 * from the messages in the last RECEIVED_SLOTS time slots up to `now`, a time of the server's
 * clock. NS_NONE if there were no messages.
 */
ns_t received_skew(const struct received *received, ns_t now);

#endif
