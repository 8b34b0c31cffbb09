/* SPDX-License-Identifier: MIT */
/*
 * A consumer: a thread that takes entries of a tap (monitor/base/tap.h) and writes or sends them:
 * recorder, tee, forwarder. The span sender is one, too, with a queue of its own instead of a tap.
 *
 *   tap --> drain() --> turn() --> pause: until an entry arrives, an fd is ready, or a timeout
 *
 * This repeats until turn() returns false. After consumer_stop() was called, `stopping` is set:
 * turn() decides whether the remaining input needs further calls.
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

/* State of one call of drain() and turn(). turn() sets the members after `flows`. */
struct consumer_round {
	bool stopping;
	/* drain() took entries, so more may follow: pause for a moment instead of sleeping */
	bool flows;
	bool is_blocked; /* entries cannot be taken now: a queued entry does not end the pause */
	int wait_ms;     /* maximum pause; -1: no limit (default) */
};

/* Callbacks of a consumer. All run on the consumer's thread. */
struct consumer_ops {
	const char *name; /* name of the thread, in traces */
	/* length of the pause while entries arrive: waking up for each entry is expensive */
	int rest_ms;
	void (*begin)(void *data); /* called before the first drain(); may be NULL */
	bool (*drain)(void *data); /* takes entries; returns true if there were any */
	/* writes or sends; returns false to end the thread */
	bool (*turn)(void *data, struct consumer_round *round);
	void (*finish)(void *data); /* called after the last turn(); may be NULL */
};

/* A consumer and its thread. Initialise with zeros. */
struct consumer {
	const struct consumer_ops *ops;
	void *data;
	struct tap *tap; /* the tap whose entries it takes; NULL: none */
	pthread_t thread;
	bool running;
	_Atomic bool stop;
	struct pollfd *polls; /* the first one is the tap's */
	uint32_t nr_polls, cap_polls;
};

/* Start the consumer's thread, with signals blocked. If that is impossible, the program exits. */
void consumer_start(struct consumer *consumer, const struct consumer_ops *ops, struct tap *tap,
		    void *data);
/* Start a thread that calls `run` with `data` instead of drain() and turn(). */
void consumer_start_run(struct consumer *consumer, void *(*run)(void *data), void *data);
/* Stop the consumer's thread and wait for its end. Returns false if it was not running. */
bool consumer_stop(struct consumer *consumer);
/* Free the memory of the consumer. Its thread must have ended. */
void consumer_release(struct consumer *consumer);

/* For drain(): call `take` with each entry of the tap. Returns true if there were any. */
bool consumer_drain(struct tap *tap, void (*take)(void *data, const struct tap_entry *entry),
		    void *data);
/* For turn(): `fd` becoming writable also ends the pause after this call. */
void consumer_poll(struct consumer *consumer, int fd);

#endif
