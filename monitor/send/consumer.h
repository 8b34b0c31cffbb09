/* SPDX-License-Identifier: MIT */
/*
 * A consumer: a thread that takes the entries of a tap and writes or sends them (recorder, tee,
 * forwarder), or that has a queue of its own instead of a tap (span sender).
 *
 *   tap --> drain() --> turn() --> rest: until an entry arrives, a descriptor is ready, or a timeout
 *
 * The rounds repeat until turn() returns false. After consumer_stop() was called, a round is
 * `stopping`: turn() decides whether the remaining input needs further rounds.
 *
 * Call functions from the creating thread, unless stated otherwise.
 */
#ifndef MONITOR_CONSUMER_H
#define MONITOR_CONSUMER_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "monitor/base/tap.h"

/* One round. turn() sets the members after `flows`. */
struct consumer_round {
	bool stopping;
	bool flows;      /* entries were taken: rest a moment instead of sleeping */
	bool is_blocked; /* cannot take entries now: do not return because of a queued one */
	int wait_ms;     /* maximum rest; -1: no limit (default) */
};

/* All run on the consumer's thread. */
struct consumer_ops {
	const char *name;          /* of the thread, in traces */
	int rest_ms;               /* rest while entries arrive: waking up for each is expensive */
	void (*begin)(void *data); /* before the first round; may be NULL */
	bool (*drain)(void *data); /* take entries; returns true if there were any */
	bool (*turn)(void *data, struct consumer_round *round); /* false: this was the last round */
	void (*finish)(void *data); /* after the last round; may be NULL */
};

/* Initialise with zeros. */
struct consumer {
	const struct consumer_ops *ops;
	void *data;
	struct tap *tap; /* NULL: none */
	pthread_t thread;
	bool running;
	_Atomic bool stop;
	struct pollfd *polls; /* the first one is the tap's */
	uint32_t nr_polls, cap_polls;
};

/* Start the thread, with signals blocked. It ends the program if that is impossible. */
void consumer_start(struct consumer *consumer, const struct consumer_ops *ops, struct tap *tap,
		    void *data);
/* The same for a thread without rounds. `data` is passed to `run`. */
void consumer_start_run(struct consumer *consumer, void *(*run)(void *data), void *data);
/* Stop the thread and wait for its end. Returns false if it was not running. */
bool consumer_stop(struct consumer *consumer);
/* Release the memory. The thread must have ended. */
void consumer_release(struct consumer *consumer);

/* For drain(): take all entries of the tap. Returns true if there were any. */
bool consumer_drain(struct tap *tap, void (*take)(void *data, const struct tap_entry *entry),
		    void *data);
/* For turn(): also end the rest of this round if `fd` becomes writable. */
void consumer_poll(struct consumer *consumer, int fd);

#endif
