/* SPDX-License-Identifier: MIT */
/*
 * What a viewer knows of one agent: which messages were received, and the difference of its clock
 * to the server's.
 *
 * The messages of a run of the agent are numbered from 0 and arrive in order. A number below the
 * next one is a repeat, and a gap means lost messages. One thread at a time.
 */
#ifndef MONITOR_NATS_RECEIVED_H
#define MONITOR_NATS_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/nats/wire.h"

/* Number of runs that are kept; a further one replaces the run whose last message is the oldest. */
#define RECEIVED_RUNS 4
/* Period in ns of which the smallest clock difference counts: messages may arrive late. */
#define RECEIVED_SKEW_NS (300 * NS_PER_SEC)
#define RECEIVED_SLOTS   10

/* All zeros: no message was received yet. */
struct received {
	struct received_run {
		int64_t run;
		uint64_t next; /* number of the run's next message */
	} runs[RECEIVED_RUNS]; /* private; the run of the last new message is first */
	unsigned nr_runs;
	struct received_least {
		/* number of the time slot since 1970, plus 1; 0: unused */
		int64_t slot;
		ns_t least;
	} least[RECEIVED_SLOTS]; /* private: smallest clock difference per time slot */
};

struct received_news {
	bool is_repeat;  /* drop the message: it was received before */
	bool are_two;    /* another agent uses the same name */
	uint64_t missed; /* number of messages lost before this message */
};

/* Record the id of a received message. */
void received_message(struct received *received, const struct wire_id *id,
		      struct received_news *out);

/* Record when a message was sent, by the agent's clock (`wall`), and stored, by the server's
 * (`stamp`). Also used for the clocks of the server (`wall`) and of this host (`stamp`). */
void received_clock(struct received *received, ns_t wall, ns_t stamp);
/*
 * Return by how many ns the agent's clock is behind the server's (negative: ahead), from messages
 * of the last RECEIVED_SLOTS time slots up to `now`, by the server's clock. NS_NONE: no messages.
 */
ns_t received_skew(const struct received *received, ns_t now);

#endif
