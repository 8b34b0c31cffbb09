/* SPDX-License-Identifier: MIT */
/*
 * The span sender is a thread that sends spans to an OpenTelemetry collector: OTLP/JSON over HTTP,
 * gzipped unless the program is built without zlib.
 *
 *   span_sender_put() --> queue (if full, the oldest are dropped) --> request --> collector
 *
 * One request is sent at a time: when SENDER_SPANS spans are queued, about a second after the first
 * one was put or the previous request began, or when the sender ends. Answers:
 *
 *   2xx                  the spans were sent, except those that the answer rejects
 *   429 502 503 504      sent again after Retry-After, else after about 1 s, 2 s ... 30 s
 *   no answer            sent again in the same way
 *   any other            refused: the spans are not sent again
 *
 * Each span is finally counted once: as sent, as failed (refused or rejected) or as dropped.
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
	/* configuration of the requests; the sender sets its `stops` and `data` */
	struct http_post_config http;
	size_t queue_bytes;
	/* beginning and end of a request's body; between them are entries, joined by commas */
	const char *head, *tail;
};

struct span_sender_stats {
	uint64_t put, sent, failed, dropped; /* spans */
	uint64_t requests;                   /* number of requests that were answered with 2xx */
	/* temporary error of the last request; "": none */
	char error[200];
	char lost[200]; /* why spans were lost most recently; "": no loss */
};

/* Create a sender. Returns NULL with one line in `why` on error. Call the functions from the
 * creating thread, unless stated otherwise. */
struct span_sender *span_sender_new(const struct span_sender_config *config, char *why,
				    size_t why_bytes);
const char *span_sender_shown(const struct span_sender *sender);
/* True if the sender sends a user name or given headers, which may be credentials, to another host
 * without encryption. */
bool span_sender_is_open(const struct span_sender *sender);
void span_sender_start(struct span_sender *sender);
/* Queue a copy of a JSON value with `spans` spans. Any thread. */
void span_sender_put(struct span_sender *sender, const char *json, size_t len, uint32_t spans);
/* Wait until half of the queue is free, for at most `at_most` ns. Returns early if the last
 * request had a temporary error. */
void span_sender_wait(struct span_sender *sender, ns_t at_most);
/* Get counters and status. Any thread. */
void span_sender_stats(struct span_sender *sender, struct span_sender_stats *out);
/* Send the remaining spans for at most about `at_most` ns, drop the others, and end the thread.
 * Call it after the last span. */
void span_sender_end(struct span_sender *sender, ns_t at_most);
void span_sender_free(struct span_sender *sender);

/* Return the number of spans that a 2xx answer rejects, with the reason in `why`. Public only for
 * tests. */
uint64_t span_sender_rejected(const char *body, size_t len, char *why, size_t why_bytes);

#endif
