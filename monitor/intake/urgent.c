/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/urgent.h"

#include <stdlib.h>
#include <time.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/intake/deputy.h"
#include "monitor/intake/dgram_queue.h"
#include "monitor/intake/listener.h"
#include "monitor/intake/realtime.h"

void urgent_expect(struct urgent *u)
{
	u->expected = true;
}

int urgent_thread(const struct urgent *u, pthread_t *thread, void *(*run)(void *data), void *data)
{
	if (u->expected && realtime_thread(thread, run, data))
		return 0;
	return pthread_create(thread, NULL, run, data);
}

/* What was read is handed over by the thread itself, once it is there. */
static uint64_t stand_in(void *data)
{
	struct urgent *u = data;
	uint64_t before = u->bytes;

	urgent_read(u);
	for (int i = 0; i < u->nr_open; i++)
		listener_take_connections(u->open[i]);
	if (u->bytes != before)
		ev_async_send(u->loop, u->taken);
	return u->bytes - before;
}

static void waiting_begins(struct ev_loop *loop)
{
	deputy_release(((struct urgent *)ev_userdata(loop))->deputy);
}

static void waiting_ends(struct ev_loop *loop)
{
	deputy_acquire(((struct urgent *)ev_userdata(loop))->deputy);
}

void urgent_begin(struct urgent *u, struct ev_loop *loop, ev_async *taken)
{
	bool granted;

	if (!u->expected)
		return;
	granted = realtime_begin();
	trace2_data_intmax("intake", NULL, "realtime", granted);
	if (!granted)
		return;
	u->loop = loop;
	u->taken = taken;
	u->deputy = deputy_new(stand_in, u);
	if (!u->deputy)
		return;
	ev_set_userdata(loop, u);
	ev_set_loop_release_cb(loop, waiting_begins, waiting_ends);
}

/*
 * Two rounds that follow each other closely mean that events flow. The queues are then let fill
 * for a moment; that it is none too long the deputy sees to, which may read meanwhile. A queue of
 * eleven datagrams is full too soon.
 */
static void nap(struct urgent *u)
{
	static const struct timespec moment = { .tv_nsec = URGENT_NAP_NS };
	ns_t now = tr2_clock_monotonic();
	bool flows = u->bytes != u->napped_bytes && now - u->round_ns < URGENT_NAP_NS &&
		     !dgram_queue_is_short();

	if (flows) {
		deputy_release(u->deputy);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
		deputy_acquire(u->deputy);
		now = tr2_clock_monotonic();
	}
	u->napped_bytes = u->bytes;
	u->round_ns = now;
}

void urgent_watch(struct urgent *u)
{
	if (!u->deputy)
		return;
	deputy_watch(u->deputy, u->bytes, (ns_t)(ev_now(u->loop) * NS_PER_SEC));
	nap(u);
}

void urgent_end(struct urgent *u)
{
	deputy_free(u->deputy);
}

void urgent_add(struct urgent *u, struct listener *listener)
{
	u->open = xreallocarray(u->open, (size_t)u->nr_open + 1, sizeof(*u->open));
	u->open[u->nr_open++] = listener;
}

void urgent_remove(struct urgent *u, struct listener *listener)
{
	for (int i = 0; i < u->nr_open; i++)
		if (u->open[i] == listener)
			u->open[i--] = u->open[--u->nr_open];
}

void urgent_read(struct urgent *u)
{
	for (int i = 0; i < u->nr_open; i++)
		listener_take_datagrams(u->open[i]);
}

void urgent_release(struct urgent *u)
{
	free(u->open);
}
