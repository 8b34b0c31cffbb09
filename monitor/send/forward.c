/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/forward.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/send/forward_priv.h"

#define REST_MS 20
/* Maximum time to send the remaining messages at the end. */
#define END_NS (5 * NS_PER_SEC)
/* Maximum payload of a message until a server reports its own limit. */
#define MAX_PACKED ((1u << 20) - WIRE_MAX_HEADERS)

static void message_made(void *data, uint64_t events, char *bytes, size_t len)
{
	struct forward *f = data;
	struct wire_head head = { .events = events };

	pthread_mutex_lock(&f->lock);
	forward_queue_push(&f->queue, &f->next, &head, bytes, len);
	pthread_mutex_unlock(&f->lock);
	f->next.seq++;
}

static void tap_losses_take(struct forward *f)
{
	uint64_t lost = tap_lost(f->tap).lines;

	if (lost == f->tap_lost)
		return;
	pthread_mutex_lock(&f->lock);
	forward_queue_lose(&f->queue, lost - f->tap_lost);
	pthread_mutex_unlock(&f->lock);
	f->tap_lost = lost;
}

static void batch_leave(struct forward *f)
{
	uint64_t lost = 0;

	if (!f->batch.lines.len)
		return;
	tap_losses_take(f);
	forward_pack(f->packer, f->batch.lines.data, f->batch.lines.len, f->max_packed,
		     message_made, f, &lost);
	if (lost)
		forward_count(f, lost, 0);
	forward_batch_left(&f->batch, tr2_clock_monotonic());
	nats_link_wake(f->link);
}

static void take_lines(struct forward *f, const char *bytes, size_t len, ns_t now)
{
	while (len) {
		const char *lf = memchr(bytes, '\n', len);
		size_t nr = lf ? (size_t)(lf + 1 - bytes) : len;

		if (nr > WIRE_MAX_UNPACKED) {
			forward_count(f, 1, 0);
		} else {
			if (!forward_batch_takes(&f->batch, nr))
				batch_leave(f);
			forward_batch_add(&f->batch, bytes, nr, now);
		}
		bytes += nr;
		len -= nr;
	}
}

static void forward_take_entry(void *data, const struct tap_entry *entry)
{
	struct forward *f = data;

	if (entry->kind == TAP_BYTES)
		take_lines(f, entry->bytes, entry->len, f->round_ns);
}

static bool forward_drain(void *data)
{
	struct forward *f = data;

	f->round_ns = tr2_clock_monotonic();
	return consumer_drain(f->tap, forward_take_entry, f);
}

static ns_t due_of(struct forward *f)
{
	bool is_idle;

	pthread_mutex_lock(&f->lock);
	is_idle = !f->queue.first;
	pthread_mutex_unlock(&f->lock);
	return forward_batch_due(&f->batch, is_idle);
}

static bool forward_turn(void *data, struct consumer_round *round)
{
	struct forward *f = data;
	ns_t due = due_of(f), left;

	if (round->stopping || (due != NS_NONE && due <= tr2_clock_monotonic())) {
		batch_leave(f);
		due = due_of(f);
	}
	left = due == NS_NONE ? 0 : due - tr2_clock_monotonic();
	if (due != NS_NONE)
		round->wait_ms = left <= 0 ? 0 : (int)(left / NS_PER_MS) + 1;
	return !round->stopping;
}

static void forward_finish(void *data)
{
	tap_losses_take(data);
}

static const struct consumer_ops forward_ops = {
	.name = "forward",
	.rest_ms = REST_MS,
	.drain = forward_drain,
	.turn = forward_turn,
	.finish = forward_finish,
};

static void link_changed(void *data)
{
	struct forward *f = data;

	pthread_mutex_lock(&f->lock);
	pthread_cond_broadcast(&f->cond);
	pthread_mutex_unlock(&f->lock);
	if (f->config.changed)
		f->config.changed(f->config.data);
}

struct forward *forward_new(const struct forward_config *config, char *why, size_t why_bytes)
{
	struct forward *f = xcalloc(1, sizeof(*f));
	struct nats_link_config link = config->link;
	char name[sizeof(f->shown) + 16];
	struct spool *spool = NULL;
	pthread_condattr_t attr;

	f->config = *config;
	wire_subject(WIRE_EVENTS, &config->name, f->subject);
	wire_name_show(&config->name, f->shown, sizeof(f->shown));
	snprintf(name, sizeof(name), "trace2top %s",
		 f->subject + strlen(WIRE_SUBJECT_ROOT ".events."));
	link.name = name;
	f->link = nats_link_new(&link, why, why_bytes);
	if (f->link && config->spool)
		spool = spool_open(config->spool, why, why_bytes);
	if (!f->link || (config->spool && !spool)) {
		nats_link_free(f->link);
		free(f);
		return NULL;
	}
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->cond, &attr);
	pthread_condattr_destroy(&attr);
	forward_queue_init(&f->queue, config->buffer_bytes, spool);
	forward_batch_init(&f->batch, config->hold_ns);
	f->packer = forward_packer_new();
	f->tap = tap_new(FORWARD_TAP_BYTES);
	f->max_packed = MAX_PACKED;
	f->next.run = tr2_clock_wall();
	return f;
}

struct tap *forward_tap(struct forward *f)
{
	return f->tap;
}

void forward_start(struct forward *f)
{
	nats_link_start(f->link, forward_send_run, link_changed, f);
	consumer_start(&f->consumer, &forward_ops, f->tap, f);
}

void forward_count(struct forward *f, uint64_t lost, uint64_t filtered)
{
	pthread_mutex_lock(&f->lock);
	forward_queue_lose(&f->queue, lost);
	f->queue.filtered += filtered;
	f->filtered_ever += filtered;
	pthread_mutex_unlock(&f->lock);
}

void forward_stats(struct forward *f, struct forward_stats *out)
{
	*out = (struct forward_stats){ .events = 0 };
	nats_link_status(f->link, &out->link);
	pthread_mutex_lock(&f->lock);
	out->events = f->events;
	out->messages = f->messages;
	out->bytes = f->bytes;
	out->lost = f->queue.lost_ever;
	out->filtered = f->filtered_ever;
	out->repeats = f->repeats;
	out->waiting = f->queue.nr;
	out->spooled = f->queue.spooled;
	snprintf(out->error, sizeof(out->error), "%s",
		 *out->link.error ? out->link.error : f->error);
	pthread_mutex_unlock(&f->lock);
}

static bool may_send(struct forward *f)
{
	struct nats_link_status status;

	nats_link_status(f->link, &status);
	return status.state == NATS_LINK_UP || !*status.error;
}

static void wait_for_the_rest(struct forward *f)
{
	ns_t until = tr2_clock_monotonic() + END_NS;
	struct timespec at = { .tv_sec = (time_t)(until / NS_PER_SEC),
			       .tv_nsec = (long)(until % NS_PER_SEC) };

	pthread_mutex_lock(&f->lock);
	while (f->queue.first && tr2_clock_monotonic() < until) {
		bool may;

		pthread_mutex_unlock(&f->lock);
		may = may_send(f);
		pthread_mutex_lock(&f->lock);
		if (!may || *f->error)
			break;
		if (f->queue.first)
			pthread_cond_timedwait(&f->cond, &f->lock, &at);
	}
	pthread_mutex_unlock(&f->lock);
}

void forward_end(struct forward *f)
{
	if (!f || !consumer_stop(&f->consumer))
		return;
	wait_for_the_rest(f);
	nats_link_stop(f->link);
	forward_queue_end(&f->queue);
}

void forward_free(struct forward *f)
{
	if (!f)
		return;
	forward_end(f);
	nats_link_free(f->link);
	forward_queue_release(&f->queue);
	forward_batch_release(&f->batch);
	forward_packer_free(f->packer);
	consumer_release(&f->consumer);
	tap_free(f->tap);
	pthread_cond_destroy(&f->cond);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
