/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/consumer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/thread_signals.h"

static void consumer_rest(struct consumer *c, const struct consumer_round *round)
{
	bool sleeps = !round->flows && !round->is_blocked;
	/* Do not poll the tap's descriptor while entries arrive or the thread is stopping: it may
	 * stay readable, which would end each pause at once. */
	uint32_t first = round->flows || round->stopping;
	int ms = round->wait_ms;

	if (round->flows && (ms < 0 || ms > c->ops->rest_ms))
		ms = c->ops->rest_ms;
	if (sleeps && !tap_prepare_sleep(c->tap))
		return;
	poll(c->polls + first, c->nr_polls - first, ms);
	if (sleeps)
		tap_cancel_sleep(c->tap);
}

void consumer_poll(struct consumer *c, int fd)
{
	GROW(c->polls, c->nr_polls, c->cap_polls, 4);
	c->polls[c->nr_polls++] = (struct pollfd){ .fd = fd, .events = POLLOUT };
}

static void *consumer_main(void *data)
{
	struct consumer *c = data;

	trace2_thread_start(c->ops->name);
	consumer_poll(c, tap_fd(c->tap));
	c->polls[0].events = POLLIN;
	if (c->ops->begin)
		c->ops->begin(c->data);
	for (;;) {
		struct consumer_round round = { .stopping = c->stop, .wait_ms = -1 };

		c->nr_polls = 1;
		round.flows = c->ops->drain(c->data);
		if (!c->ops->turn(c->data, &round))
			break;
		consumer_rest(c, &round);
	}
	if (c->ops->finish)
		c->ops->finish(c->data);
	trace2_thread_exit();
	return NULL;
}

void consumer_start_run(struct consumer *c, void *(*run)(void *data), void *data)
{
	sigset_t before;
	int error;

	thread_signals_block(0, &before);
	error = pthread_create(&c->thread, NULL, run, data);
	if (error)
		die("cannot start a thread: %s", strerror(error));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	c->running = true;
}

void consumer_start(struct consumer *c, const struct consumer_ops *ops, struct tap *tap, void *data)
{
	c->ops = ops;
	c->tap = tap;
	c->data = data;
	consumer_start_run(c, consumer_main, c);
}

bool consumer_stop(struct consumer *c)
{
	if (!c->running)
		return false;
	c->stop = true;
	if (c->tap)
		tap_wake(c->tap);
	pthread_join(c->thread, NULL);
	c->running = false;
	return true;
}

void consumer_release(struct consumer *c)
{
	free(c->polls);
	c->polls = NULL;
	c->nr_polls = c->cap_polls = 0;
}

bool consumer_drain(struct tap *tap, void (*take)(void *data, const struct tap_entry *entry),
		    void *data)
{
	struct tap_entry entry;
	bool any = false;

	while (tap_next(tap, &entry)) {
		take(data, &entry);
		tap_done(tap);
		any = true;
	}
	tap_give_back(tap);
	return any;
}
