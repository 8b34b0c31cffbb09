/* SPDX-License-Identifier: MIT */
/*
 * A consumer is a thread that takes entries of a tap (monitor/base/tap.h) and writes or sends them.
 *
 *   tap --> drain() --> turn() --> pause: until an entry arrives, an fd is ready, or a timeout
 *
 * These steps repeat until turn() returns false. After consumer_stop() was called, `stopping` is
 * true; turn() then decides whether more calls are needed.
 *
 * Call the functions from the thread that created the consumer, unless stated otherwise.
 */
#ifndef MONITOR_CONSUMER_H
#define MONITOR_CONSUMER_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "monitor/base/tap.h"

/* State of one call of drain() and turn(). turn() may set the members after `flows`. */
struct consumer_round {
	bool stopping;
	/* drain() took entries, so more may follow soon */
	bool flows;
	/* queued entries must not end the pause, because the consumer cannot take them now */
	bool is_blocked;
	int wait_ms; /* maximum pause in ms; -1: no limit (default) */
};

/* Callbacks of a consumer; they run on its thread. */
struct consumer_ops {
	const char *name; /* name of the thread in traces of trace2top itself */
	/* maximum pause in ms after a drain() that took entries */
	int rest_ms;
	void (*begin)(void *data); /* called once before the first drain(); may be NULL */
	bool (*drain)(void *data); /* takes entries from the tap; returns true if there were any */
	/* writes or sends the entries; false ends the thread */
	bool (*turn)(void *data, struct consumer_round *round);
	void (*finish)(void *data); /* called once after the last turn(); may be NULL */
};

/* Initialise with zeros. */
struct consumer {
	const struct consumer_ops *ops;
	void *data;
	struct tap *tap; /* NULL: none */
	pthread_t thread;
	bool running;
	_Atomic bool stop;
	struct pollfd *polls; /* descriptors to poll; the first one is the tap's */
	uint32_t nr_polls, cap_polls;
};

/* Start the thread, with all signals but those of faults blocked (thread_signals.h). Exits the
 * program if that fails. */
void consumer_start(struct consumer *consumer, const struct consumer_ops *ops, struct tap *tap,
		    void *data);
/* Start a thread that calls `run` with `data` instead of drain() and turn(). */
void consumer_start_run(struct consumer *consumer, void *(*run)(void *data), void *data);
/* Request the end of the thread, and wait for it. Returns false if no thread was running. */
bool consumer_stop(struct consumer *consumer);
/* Free the consumer's memory after the end of the thread. */
void consumer_release(struct consumer *consumer);

/* For drain(): call `take` with each entry of the tap. Returns true if there were any. */
bool consumer_drain(struct tap *tap, void (*take)(void *data, const struct tap_entry *entry),
		    void *data);
/* For turn(): the next pause also ends when `fd` becomes writable. */
void consumer_poll(struct consumer *consumer, int fd);

#endif
