/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/forward.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/thread_signals.h"
#include "monitor/send/forward_priv.h"

/* Pause while lines arrive: a wakeup per line would burden the producer. */
#define REST_MS 20
/* Time for sending the rest at the end. */
#define END_NS (5 * NS_PER_SEC)
/* Default limit of a message; a connected server reports its own. */
#define MAX_PACKED ((1u << 20) - WIRE_MAX_HEADERS)

/* ---- its thread: lines become messages ---- */

static void message_made(void *data, uint64_t events, char *bytes, size_t len)
{
	struct forward *f = data;
	struct wire_head head = { .events = events };

	pthread_mutex_lock(&f->lock);
	forward_queue_push(&f->queue, &f->next, &head, bytes, len);
	pthread_mutex_unlock(&f->lock);
	f->next.seq++;
}

/* Count lines that did not fit into the tap. */
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

static bool forward_drain(struct forward *f)
{
	ns_t now = tr2_clock_monotonic();
	struct tap_entry entry;
	bool any = false;

	while (tap_next(f->tap, &entry)) {
		if (entry.kind == TAP_BYTES)
			take_lines(f, entry.bytes, entry.len, now);
		tap_done(f->tap);
		any = true;
	}
	tap_give_back(f->tap);
	return any;
}

static ns_t due_of(struct forward *f)
{
	bool is_idle;

	pthread_mutex_lock(&f->lock);
	is_idle = !f->queue.first;
	pthread_mutex_unlock(&f->lock);
	return forward_batch_due(&f->batch, is_idle);
}

static void forward_rest(struct forward *f, bool flows)
{
	struct pollfd it = { .fd = tap_fd(f->tap), .events = POLLIN };
	ns_t due = due_of(f), left = due == NS_NONE ? -1 : due - tr2_clock_monotonic();
	int ms = due == NS_NONE ? -1 : left <= 0 ? 0 : (int)(left / NS_PER_MS) + 1;

	if (flows) {
		poll(NULL, 0, ms >= 0 && ms < REST_MS ? ms : REST_MS);
		return;
	}
	if (!tap_prepare_sleep(f->tap))
		return;
	poll(&it, 1, ms);
	tap_cancel_sleep(f->tap);
}

static void *forward_main(void *data)
{
	struct forward *f = data;
	bool stop, flows;
	ns_t due;

	trace2_thread_start("forward");
	do {
		stop = f->stop;
		flows = forward_drain(f);
		due = due_of(f);
		if (stop || (due != NS_NONE && due <= tr2_clock_monotonic()))
			batch_leave(f);
		if (!stop)
			forward_rest(f, flows);
	} while (!stop);
	tap_losses_take(f);
	trace2_thread_exit();
	return NULL;
}

/* ---- its owner ---- */

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
	sigset_t before;
	int error;

	nats_link_start(f->link, forward_send_run, link_changed, f);
	thread_signals_block(0, &before);
	error = pthread_create(&f->thread, NULL, forward_main, f);
	if (error)
		die("cannot start a thread: %s", strerror(error));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	f->running = true;
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
	out->waiting_bytes = f->queue.bytes;
	out->spooled = f->queue.spooled;
	snprintf(out->error, sizeof(out->error), "%s",
		 *out->link.error ? out->link.error : f->error);
	pthread_mutex_unlock(&f->lock);
}

/* True if waiting can help: not if a server was tried and is unreachable. */
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
	if (!f || !f->running)
		return;
	f->stop = true;
	tap_wake(f->tap);
	pthread_join(f->thread, NULL);
	f->running = false;
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
	tap_free(f->tap);
	pthread_cond_destroy(&f->cond);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
