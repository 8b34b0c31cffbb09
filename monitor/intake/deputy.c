/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/deputy.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/pi_mutex.h"
#include "monitor/intake/realtime.h"

/*
 * The lock is the protocol. Who holds it may touch what the owner reads into, and the owner holds
 * it from deputy_new() to deputy_free() but between deputy_release() and deputy_acquire(). So:
 *
 *   - The deputy only ever tries the lock: it gets it exactly while the owner waits or is on its
 *     way back, and else has nothing to do. The owner, coming back, waits for one stand_in() at
 *     most.
 *   - What it looks at without the lock (nr_rounds, taken_bytes, processor) decides only whether
 *     it tries, and from where: an old value costs a tick or a try, never a byte.
 *   - `awake` is false exactly while it waits for a call or is about to. The owner alone makes it
 *     true, and only with a call; the deputy alone makes it false, before it waits. So a call that
 *     comes between the two ends the wait at once, and calls do not pile up.
 */
struct deputy {
	pthread_mutex_t lock;
	pthread_t thread;
	uint64_t (*stand_in)(void *data);
	void *data;
	sem_t call;
	/* Is it called, and not asleep again? Set by the owner, taken back by the deputy. */
	_Atomic bool awake;
	_Atomic bool stop;

	/* The owner's; looked at by the deputy without the lock, and nothing depends on when. */
	_Atomic uint64_t nr_rounds; /* how often it came back from waiting */
	_Atomic uint64_t taken_bytes;
	_Atomic int processor; /* where it was then */

	/* The owner's alone: of the window that runs. */
	uint64_t window_bytes;
	ns_t window_ns;

	/* The deputy's alone. */
	int avoided;
	uint64_t nr_stood_in, stood_in_bytes;
};

#define GLANCE(field)      atomic_load_explicit(&(field), memory_order_relaxed)
#define SHOW(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

/* ---- the deputy's thread ---- */

static void keep_away(struct deputy *d)
{
	int processor = GLANCE(d->processor);

	if (processor == d->avoided)
		return;
	d->avoided = processor;
	realtime_avoid(processor);
}

/* How many bytes were taken in the owner's place. */
static uint64_t step_in(struct deputy *d)
{
	uint64_t bytes;

	if (pthread_mutex_trylock(&d->lock))
		return 0;
	bytes = d->stand_in(d->data);
	pthread_mutex_unlock(&d->lock);
	d->nr_stood_in += bytes > 0;
	d->stood_in_bytes += bytes;
	return bytes;
}

static void burst(struct deputy *d)
{
	static const struct timespec tick = { .tv_nsec = DEPUTY_TICK_NS };

	for (int quiet = 0; quiet < DEPUTY_QUIET_TICKS && !d->stop;) {
		uint64_t rounds = GLANCE(d->nr_rounds), bytes = GLANCE(d->taken_bytes);

		keep_away(d);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL);
		bytes = GLANCE(d->taken_bytes) - bytes;
		if (GLANCE(d->nr_rounds) == rounds)
			bytes += step_in(d);
		quiet = bytes > DEPUTY_QUIET_BYTES ? 0 : quiet + 1;
	}
}

static void *deputy_main(void *data)
{
	struct deputy *d = data;

	trace2_thread_start("deputy");
	while (!d->stop) {
		d->awake = false;
		while (sem_wait(&d->call))
			;
		burst(d);
	}
	trace2_data_intmax("deputy", NULL, "stood_in", (intmax_t)d->nr_stood_in);
	trace2_data_intmax("deputy", NULL, "bytes", (intmax_t)d->stood_in_bytes);
	trace2_thread_exit();
	return NULL;
}

/* ---- the owner's ---- */

static void release(struct deputy *d)
{
	pthread_mutex_unlock(&d->lock);
	pthread_mutex_destroy(&d->lock);
	sem_destroy(&d->call);
	free(d);
}

struct deputy *deputy_new(uint64_t (*stand_in)(void *data), void *data)
{
	struct deputy *d = xcalloc(1, sizeof(*d));

	d->stand_in = stand_in;
	d->data = data;
	d->awake = true;
	d->processor = d->avoided = -1;
	sem_init(&d->call, 0, 0);
	pi_mutex_init(&d->lock);
	pthread_mutex_lock(&d->lock);
	if (realtime_thread(&d->thread, deputy_main, d))
		return d;
	release(d);
	return NULL;
}

void deputy_free(struct deputy *d)
{
	if (!d)
		return;
	d->stop = true;
	sem_post(&d->call);
	pthread_join(d->thread, NULL);
	release(d);
}

void deputy_release(struct deputy *d)
{
	pthread_mutex_unlock(&d->lock);
}

void deputy_acquire(struct deputy *d)
{
	pthread_mutex_lock(&d->lock);
	SHOW(d->nr_rounds, GLANCE(d->nr_rounds) + 1);
	SHOW(d->processor, realtime_processor());
}

void deputy_watch(struct deputy *d, uint64_t taken_bytes, ns_t now)
{
	SHOW(d->taken_bytes, taken_bytes);
	if (GLANCE(d->awake))
		return;
	/* A clock that was set back begins a window, too. */
	if ((uint64_t)now - (uint64_t)d->window_ns > DEPUTY_WINDOW_NS) {
		d->window_ns = now;
		d->window_bytes = taken_bytes;
	} else if (taken_bytes - d->window_bytes >= DEPUTY_BURST_BYTES) {
		d->awake = true;
		sem_post(&d->call);
	}
}
