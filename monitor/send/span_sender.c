/* SPDX-License-Identifier: MIT */
/*
 * Invariant while no thread holds the lock, for the numbers of spans: put = queued + taken + sent +
 * failed + dropped. Only the sender's thread moves spans from the queue to the request (`taken`).
 */
#include "config.h"
#include "monitor/send/span_sender.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "engine/base/buf.h"
#include "monitor/base/die.h"
#include "monitor/base/json.h"
#include "monitor/base/scan.h"
#include "monitor/send/consumer.h"

/* Maximum bytes of a request, before compression and without its end. A single entry may exceed
 * it. */
#define REQUEST_BYTES (4u << 20)
#define GATHER_NS     NS_PER_SEC
#define TIMEOUT_NS    (10 * NS_PER_SEC)
#define FIRST_WAIT_NS NS_PER_SEC
#define LAST_WAIT_NS  (30 * NS_PER_SEC)
#define MAX_RETRY_S   3600

struct span_sender_piece {
	struct span_sender_piece *next;
	size_t len;
	uint32_t spans;
	char json[];
};

struct span_sender {
	struct span_sender_config config;
	struct http_post *post;
	struct consumer consumer;

	pthread_mutex_t lock;
	/* signalled when spans are put, a request is answered or has failed, and when the sender
	 * must end; uses the monotonic clock */
	pthread_cond_t changed;
	struct span_sender_piece *first, **last;
	uint64_t queued; /* number of spans in the queue */
	size_t bytes;
	ns_t first_put;
	uint64_t taken; /* number of spans in the request */
	bool ending;
	bool fails; /* the last request had a temporary error */
	/* monotonic time at which to give up at the end; NS_NONE: not ending */
	ns_t deadline;
	struct span_sender_stats stats;

	/* the request, plain and compressed; for the sender's thread */
	struct tr2_buf text, packed;
};

/* `why`: the reason, unless a request has a temporary error. */
static void first_drop(struct span_sender *s, const char *why)
{
	struct span_sender_piece *piece = s->first;

	s->first = piece->next;
	if (!s->first)
		s->last = &s->first;
	s->queued -= piece->spans;
	s->bytes -= piece->len;
	s->stats.dropped += piece->spans;
	if (*s->stats.error)
		memcpy(s->stats.lost, s->stats.error, sizeof(s->stats.lost));
	else
		snprintf(s->stats.lost, sizeof(s->stats.lost), "%s", why);
	free(piece);
}

void span_sender_put(struct span_sender *s, const char *json, size_t len, uint32_t spans)
{
	struct span_sender_piece *piece = xmalloc(sizeof(*piece) + len);

	*piece = (struct span_sender_piece){ .len = len, .spans = spans };
	memcpy(piece->json, json, len);
	pthread_mutex_lock(&s->lock);
	if (!s->first)
		s->first_put = tr2_clock_monotonic();
	*s->last = piece;
	s->last = &piece->next;
	s->queued += spans;
	s->bytes += len;
	s->stats.put += spans;
	while (s->bytes > s->config.queue_bytes)
		first_drop(s, "queue full");
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* Write a request with entries of the queue, up to SENDER_SPANS and REQUEST_BYTES, to `text`. An
 * entry above a limit is sent alone. Returns the number of spans. The caller holds the sender's
 * lock. */
static uint64_t request_take(struct span_sender *s)
{
	uint64_t spans = 0;

	tr2_buf_clear(&s->text);
	tr2_buf_addstr(&s->text, s->config.head);
	while (s->first && (!spans || (spans + s->first->spans <= SENDER_SPANS &&
				       s->text.len + 1 + s->first->len <= REQUEST_BYTES))) {
		struct span_sender_piece *piece = s->first;

		if (spans)
			tr2_buf_addch(&s->text, ',');
		tr2_buf_add(&s->text, piece->json, piece->len);
		spans += piece->spans;
		s->queued -= piece->spans;
		s->bytes -= piece->len;
		s->first = piece->next;
		free(piece);
	}
	if (!s->first)
		s->last = &s->first;
	tr2_buf_addstr(&s->text, s->config.tail);
	if (s->text.failed)
		die_of_memory(s->text.len);
	s->taken = spans;
	return spans;
}

static const char *member(const struct json_check *check, const char *p, const char *word)
{
	struct json_members m = json_members(check, p, 1);

	if (*p != '{')
		return NULL;
	while (json_members_next(&m))
		if ((size_t)(m.key_end - m.key) == strlen(word) &&
		    !memcmp(m.key, word, strlen(word)))
			return m.value;
	return NULL;
}

uint64_t span_sender_rejected(const char *body, size_t len, char *why, size_t why_bytes)
{
	struct diag diag = { 0 };
	char *text = xcalloc(len + 1 + SCAN_PAD, 1), *decoded;
	struct json_check check = { .base = text, .why = &diag };
	const char *whole, *partial, *number, *message, *end;
	uint64_t rejected = 0;
	size_t nr;

	*why = '\0';
	for (size_t i = 0; i < len; i++) /* json.h expects one line */
		text[i] = body[i] == '\n' || !body[i] ? ' ' : body[i];
	text[len] = '\n'; /* json.h expects LF and SCAN_PAD readable bytes */
	whole = text + strspn(text, " \t\r");
	if (!json_skip(&check, whole, 0) || !(partial = member(&check, whole, "partialSuccess"))) {
		free(text);
		return 0;
	}
	/* 64-bit numbers are strings in OTLP/JSON, but some servers write numbers. */
	number = member(&check, partial, "rejectedSpans");
	if (number)
		rejected = strtoull(number + (*number == '"'), NULL, 10);
	message = member(&check, partial, "errorMessage");
	if (message && *message == '"' && (end = json_skip_string(&check, message + 1))) {
		decoded = xmalloc(len + 1);
		nr = json_decode(message + 1, end - 1, decoded);
		snprintf(why, why_bytes, "%.*s", (int)(nr < why_bytes ? nr : why_bytes), decoded);
		free(decoded);
	}
	free(text);
	return rejected;
}

static bool is_retried(int status)
{
	return !status || status == 429 || status == 502 || status == 503 || status == 504;
}

/* The caller holds the sender's lock. */
static void request_sent(struct span_sender *s, const struct http_answer *answer)
{
	char why[150];
	uint64_t rejected = span_sender_rejected(answer->body, answer->body_len, why, sizeof(why));

	if (rejected > s->taken)
		rejected = s->taken;
	s->stats.requests++;
	s->stats.sent += s->taken - rejected;
	s->stats.failed += rejected;
	s->fails = false;
	*s->stats.error = '\0';
	if (rejected)
		snprintf(s->stats.lost, sizeof(s->stats.lost), "%" PRIu64 " spans rejected: %s",
			 rejected, *why ? why : "no reason given");
}

static void request_refused(struct span_sender *s, const struct http_answer *answer)
{
	s->stats.failed += s->taken;
	s->fails = false;
	*s->stats.error = '\0';
	snprintf(s->stats.lost, sizeof(s->stats.lost), "rejected with HTTP status %d%s",
		 answer->status,
		 answer->status == 401 || answer->status == 403 ? "; check --otlp-headers"
		 : answer->status == 404 ? "; check that this is the collector's OTLP/HTTP port"
					 : "");
}

/* The caller holds the sender's lock. */
static void sleep_until(struct span_sender *s, ns_t until)
{
	struct timespec ts = { .tv_sec = (time_t)(until / NS_PER_SEC),
			       .tv_nsec = (long)(until % NS_PER_SEC) };

	pthread_cond_timedwait(&s->changed, &s->lock, &ts);
}

/* Wait until the monotonic time `until`. Returns false at once if the deadline for ending is
 * earlier. The caller holds the sender's lock. */
static bool wait_until(struct span_sender *s, ns_t until)
{
	while (tr2_clock_monotonic() < until) {
		if (s->ending && s->deadline < until)
			return false;
		sleep_until(s, until);
	}
	return true;
}

static bool stops(void *data)
{
	struct span_sender *s = data;
	bool stop;

	pthread_mutex_lock(&s->lock);
	stop = s->ending && tr2_clock_monotonic() >= s->deadline;
	pthread_mutex_unlock(&s->lock);
	return stop;
}

#ifdef HAVE_ZLIB

static void pack(struct span_sender *s)
{
	z_stream z = { 0 };
	uLong room;

	/* 15: zlib's largest window; 16: a gzip header */
	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		die_of_memory(1 << 18);
	room = deflateBound(&z, (uLong)s->text.len);
	tr2_buf_clear(&s->packed);
	if (!tr2_buf_reserve(&s->packed, room))
		die_of_memory(room);
	z.next_in = (Bytef *)s->text.data;
	z.avail_in = (uInt)s->text.len;
	z.next_out = (Bytef *)s->packed.data;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		bug("a compressed request exceeds deflateBound()");
	s->packed.len = room - z.avail_out;
	deflateEnd(&z);
}

#else

static void pack(struct span_sender *s)
{
	tr2_buf_clear(&s->packed);
	if (!tr2_buf_add(&s->packed, s->text.data, s->text.len))
		die_of_memory(s->text.len);
}

#endif

/* The caller holds the sender's lock. */
static long timeout_ms(const struct span_sender *s)
{
	ns_t left = s->ending ? s->deadline - tr2_clock_monotonic() : TIMEOUT_NS;

	if (left > TIMEOUT_NS)
		left = TIMEOUT_NS;
	return left > NS_PER_MS ? (long)(left / NS_PER_MS) : 1;
}

/*
 * Return the pause before a request is sent again: as the answer requests, but at most MAX_RETRY_S;
 * else up to LAST_WAIT_NS, doubled each time, minus a varying part of up to a quarter.
 */
static ns_t wait_of(const struct http_answer *answer, unsigned tries)
{
	ns_t wait = FIRST_WAIT_NS << (tries < 5 ? tries : 5);

	if (answer->retry_after > 0)
		return (answer->retry_after < MAX_RETRY_S ? answer->retry_after : MAX_RETRY_S) *
		       NS_PER_SEC;
	if (wait > LAST_WAIT_NS)
		wait = LAST_WAIT_NS;
	return wait - (tr2_clock_monotonic() / NS_PER_US) % (wait / 4);
}

/* Send the request until the collector accepts or refuses it, or until the deadline for ending.
 * The caller holds the sender's lock, which is released meanwhile. */
static void request_send(struct span_sender *s)
{
	struct http_answer answer;

	for (unsigned tries = 0;; tries++) {
		long timeout = timeout_ms(s);

		pthread_mutex_unlock(&s->lock);
		if (!tries)
			pack(s);
		http_post_send(s->post, s->packed.data, s->packed.len, timeout, &answer);
		pthread_mutex_lock(&s->lock);
		if (!is_retried(answer.status))
			break;
		s->fails = true;
		if (answer.status)
			snprintf(s->stats.error, sizeof(s->stats.error),
				 "the collector is busy (HTTP status %d)", answer.status);
		else
			snprintf(s->stats.error, sizeof(s->stats.error), "%s", answer.error);
		pthread_cond_broadcast(&s->changed);
		if (!wait_until(s, tr2_clock_monotonic() + wait_of(&answer, tries)) ||
		    (s->ending && tr2_clock_monotonic() >= s->deadline)) {
			s->stats.dropped += s->taken;
			memcpy(s->stats.lost, s->stats.error, sizeof(s->stats.lost));
			s->taken = 0;
			return;
		}
	}
	if (answer.status / 100 == 2)
		request_sent(s, &answer);
	else
		request_refused(s, &answer);
	s->taken = 0;
	pthread_cond_broadcast(&s->changed);
}

/* The caller holds the sender's lock. */
static bool span_sender_is_due(const struct span_sender *s)
{
	return s->first && (s->ending || s->queued >= SENDER_SPANS ||
			    tr2_clock_monotonic() >= s->first_put + GATHER_NS);
}

static void *span_sender_run(void *data)
{
	struct span_sender *s = data;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		if (s->ending && (!s->first || tr2_clock_monotonic() >= s->deadline))
			break;
		if (!span_sender_is_due(s)) {
			if (s->first)
				sleep_until(s, s->first_put + GATHER_NS);
			else
				pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		request_take(s);
		s->first_put = tr2_clock_monotonic();
		request_send(s);
	}
	while (s->first)
		first_drop(s, "not sent before the end");
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct span_sender *span_sender_new(const struct span_sender_config *config, char *why,
				    size_t why_bytes)
{
	struct span_sender *s = xcalloc(1, sizeof(*s));
	pthread_condattr_t monotonic;

	s->config = *config;
	s->config.http.stops = stops;
	s->config.http.data = s;
	s->post = http_post_new(&s->config.http, why, why_bytes);
	if (!s->post) {
		free(s);
		return NULL;
	}
	s->last = &s->first;
	s->deadline = NS_NONE;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	tr2_buf_init(&s->text, SIZE_MAX / 2);
	tr2_buf_init(&s->packed, SIZE_MAX / 2);
	return s;
}

const char *span_sender_shown(const struct span_sender *s)
{
	return http_post_shown(s->post);
}

bool span_sender_is_open(const struct span_sender *s)
{
	return http_post_is_open(s->post);
}

void span_sender_start(struct span_sender *s)
{
	consumer_start_run(&s->consumer, span_sender_run, s);
}

void span_sender_wait(struct span_sender *s, ns_t at_most)
{
	ns_t until = tr2_clock_monotonic() + at_most;

	pthread_mutex_lock(&s->lock);
	while (s->consumer.running && !s->fails && s->bytes > s->config.queue_bytes / 2 &&
	       tr2_clock_monotonic() < until)
		sleep_until(s, until);
	pthread_mutex_unlock(&s->lock);
}

void span_sender_stats(struct span_sender *s, struct span_sender_stats *out)
{
	pthread_mutex_lock(&s->lock);
	*out = s->stats;
	pthread_mutex_unlock(&s->lock);
}

void span_sender_end(struct span_sender *s, ns_t at_most)
{
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	s->deadline = tr2_clock_monotonic() + at_most;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	consumer_stop(&s->consumer);
	while (s->first)
		first_drop(s, "not sent before the end");
}

void span_sender_free(struct span_sender *s)
{
	if (!s)
		return;
	if (s->consumer.running)
		span_sender_end(s, 0);
	while (s->first)
		first_drop(s, "not sent before the end");
	http_post_free(s->post);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	tr2_buf_release(&s->text);
	tr2_buf_release(&s->packed);
	free(s);
}
