/* SPDX-License-Identifier: MIT */
/*
 * A thread that sends spans to an OpenTelemetry collector: OTLP/JSON over HTTP, gzipped unless the
 * program is built without zlib.
 *
 *   span_sender_put() --> queue (if full, the oldest are dropped) --> request --> collector
 *
 * One request is sent at a time, with SENDER_SPANS spans, or a second after its first span was put.
 * Answers:
 *
 *   2xx                  the spans were sent, except those that the answer rejects
 *   429 502 503 504      sent again after Retry-After, else after 1 s, 2 s ... 30 s
 *   no answer            the same
 *   any other            refused: the spans are dropped
 *
 * Each span is finally counted once: as sent, as failed (refused or rejected) or as dropped (the
 * queue was full, or the deadline at the end passed). Putting never blocks.
 */
#ifndef MONITOR_SPAN_SENDER_H
#define MONITOR_SPAN_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/send/http_post.h"

#define SENDER_SPANS       512u
#define SENDER_QUEUE_BYTES (64u << 20)

struct span_sender;

struct span_sender_config {
	struct http_post_config http; /* `stops` is set by the sender */
	size_t queue_bytes;
	/* beginning and end of the body of a request; its entries are between them, joined by
	 * commas */
	const char *head, *tail;
};

struct span_sender_stats {
	uint64_t put, sent, failed, dropped; /* numbers of spans */
	uint64_t requests;                   /* requests that were answered with 2xx */
	/* reason why the collector accepts nothing now; "": it does */
	char error[200];
	char lost[200]; /* reason why spans were lost last; "": none were */
};

/* Create a sender. Returns NULL with one line in `why` on error. Call functions from the
 * creating thread, unless stated otherwise. */
struct span_sender *span_sender_new(const struct span_sender_config *config, char *why,
				    size_t why_bytes);
const char *span_sender_shown(const struct span_sender *sender);
/* True if credentials are sent over the network unencrypted. */
bool span_sender_is_open(const struct span_sender *sender);
/* Start the sender's thread. */
void span_sender_start(struct span_sender *sender);
/* Queue a JSON value that contains `spans` spans; copied. Any thread. */
void span_sender_put(struct span_sender *sender, const char *json, size_t len, uint32_t spans);
/* Wait until half of the queue is free, for at most `at_most`. Returns early if the collector
 * does not answer. For producers that can wait. */
void span_sender_wait(struct span_sender *sender, ns_t at_most);
/* Get the sender's counters and status. Any thread. */
void span_sender_stats(struct span_sender *sender, struct span_sender_stats *out);
/* Call after the last span: send the rest for about `at_most`, drop what remains, end the
 * thread. */
void span_sender_end(struct span_sender *sender, ns_t at_most);
void span_sender_free(struct span_sender *sender);

/* Return the number of spans that a 2xx answer rejects, with the reason as one line. For tests. */
uint64_t span_sender_rejected(const char *body, size_t len, char *why, size_t why_bytes);

#endif
