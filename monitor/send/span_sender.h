/* SPDX-License-Identifier: MIT */
/*
 * A thread that sends spans to an OpenTelemetry collector: OTLP/JSON over HTTP, packed by gzip.
 *
 *   span_sender_put() -- queue, the oldest leaves a full one --> request --> one at a time
 *
 * A request leaves with SENDER_SPANS spans, or a second after the first of them was put. Answers, as
 * the protocol has them:
 *
 *   2xx                 sent, but for those that it says it rejected
 *   429 502 503 504     tried again, when Retry-After says, else after 1 s, 2 s ... 30 s
 *   no answer           the same
 *   any other           refused: they are dropped, and tried no more
 *
 * Each span that is put is counted once more in the end: as sent, as failed (refused or rejected) or
 * as dropped (the queue was full, or the end came). Who puts never waits.
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
	struct http_post_config http; /* `stops` is the sender's */
	size_t queue_bytes;
	const char *head, *tail; /* of a request, around what was put, with commas between it */
};

struct span_sender_stats {
	uint64_t put, sent, failed, dropped; /* spans */
	uint64_t requests;                   /* that were answered with 2xx */
	char error[200];                     /* why nothing is taken now; "" */
	char lost[200];                      /* why the last that was not sent was not; "" */
};

/* NULL, with a line of `why`. Calls are for the thread that made it, unless they say otherwise. */
struct span_sender *span_sender_new(const struct span_sender_config *config, char *why,
				    size_t why_bytes);
const char *span_sender_shown(const struct span_sender *sender);
/* Are there credentials that go over the network unencrypted? */
bool span_sender_is_open(const struct span_sender *sender);
/* Start the thread. */
void span_sender_start(struct span_sender *sender);
/* Put a JSON value of so many spans; copied. Any thread. */
void span_sender_put(struct span_sender *sender, const char *json, size_t len, uint32_t spans);
/* Who can wait does, until half of the queue is free, or for so long, or until nothing is taken:
 * a request was not answered. */
void span_sender_wait(struct span_sender *sender, ns_t at_most);
/* Any thread. */
void span_sender_stats(struct span_sender *sender, struct span_sender_stats *out);
/* Nothing is put any more: send what there is, for about so long, drop the rest, end the thread. */
void span_sender_end(struct span_sender *sender, ns_t at_most);
void span_sender_free(struct span_sender *sender);

/* Of an answer of 2xx: how many spans it says were rejected, and why, in a line. For tests. */
uint64_t span_sender_rejected(const char *body, size_t len, char *why, size_t why_bytes);

#endif
