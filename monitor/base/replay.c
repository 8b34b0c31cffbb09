/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/replay.h"

#include <pthread.h>
#include <stdlib.h>

#include "monitor/base/die.h"

struct replay {
	pthread_mutex_t lock; /* protects all other members of the struct */
	bool began, held, exact;
	double speed;
	/* at the monotonic time `since` the replay was at time `at` of the recording */
	ns_t at, since;
	/* times of the recording's first and last entry so far; NS_NONE: unknown */
	ns_t from, until;
	ns_t reached; /* latest arrival time of a delivered entry; NS_NONE: none */
};

struct replay *replay_new(struct replay_pace pace)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	pthread_mutex_init(&r->lock, NULL);
	r->speed = pace.speed;
	r->exact = pace.exact;
	r->from = r->until = r->reached = NS_NONE;
	return r;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void replay_set_bounds(struct replay *r, ns_t first, ns_t last)
{
	pthread_mutex_lock(&r->lock);
	if (r->from == NS_NONE || first < r->from)
		r->from = first;
	if (r->until == NS_NONE || last > r->until)
		r->until = last;
	pthread_mutex_unlock(&r->lock);
}

static ns_t replay_moment(const struct replay *r, ns_t now)
{
	double passed = (double)ns_sub(now, r->since) * r->speed;

	if (!r->began || r->held || passed <= 0)
		return r->at;
	return passed > (double)(INT64_MAX / 2) ? INT64_MAX : ns_add(r->at, (ns_t)passed);
}

static void set(struct replay *r, ns_t at, ns_t now)
{
	r->at = at;
	r->since = now;
}

static void replay_begin(struct replay *r, ns_t arrival, ns_t now)
{
	r->began = true;
	if (r->from == NS_NONE || arrival < r->from)
		r->from = arrival;
	set(r, arrival, now);
}

bool replay_is_due(struct replay *r, ns_t arrival, ns_t now, ns_t *due)
{
	ns_t at, left, begun;
	double real;

	pthread_mutex_lock(&r->lock);
	if (!r->began)
		replay_begin(r, arrival, now);
	at = replay_moment(r, now);
	/* A pause of the recording begins at the last delivered entry. */
	begun = r->reached == NS_NONE ? at : r->reached;
	left = ns_sub(arrival, at);
	if (!r->exact && !r->held && ns_sub(arrival, begun) > REPLAY_PAUSE_NS &&
	    (double)left > REPLAY_SHORT_NS * r->speed) {
		at = ns_sub(arrival, (ns_t)(REPLAY_SHORT_NS * r->speed));
		set(r, at, now);
		left = ns_sub(arrival, at);
	}
	real = (double)left / r->speed;
	*due = r->held || real > (double)(INT64_MAX / 2) ? INT64_MAX : ns_add(now, (ns_t)real + 1);
	if (left <= 0 && (r->reached == NS_NONE || arrival > r->reached))
		r->reached = arrival;
	if (left <= 0 && r->until != NS_NONE && arrival > r->until)
		r->until = arrival;
	pthread_mutex_unlock(&r->lock);
	return left <= 0;
}

void replay_set_speed(struct replay *r, double speed, ns_t now)
{
	pthread_mutex_lock(&r->lock);
	set(r, replay_moment(r, now), now);
	r->speed = speed < REPLAY_SLOWEST   ? REPLAY_SLOWEST
		   : speed > REPLAY_FASTEST ? REPLAY_FASTEST
					    : speed;
	pthread_mutex_unlock(&r->lock);
}

void replay_hold(struct replay *r, bool held, ns_t now)
{
	pthread_mutex_lock(&r->lock);
	set(r, replay_moment(r, now), now);
	r->held = held;
	pthread_mutex_unlock(&r->lock);
}

void replay_skip(struct replay *r, ns_t by, ns_t now)
{
	pthread_mutex_lock(&r->lock);
	if (r->began)
		set(r, ns_add(replay_moment(r, now), by), now);
	pthread_mutex_unlock(&r->lock);
}

struct replay_view replay_get(struct replay *r, ns_t now)
{
	struct replay_view view;

	pthread_mutex_lock(&r->lock);
	view = (struct replay_view){ .began = r->began,
				     .held = r->held,
				     .speed = r->speed,
				     .at = replay_moment(r, now),
				     .from = r->from,
				     .until = r->until };
	pthread_mutex_unlock(&r->lock);
	if (view.began && view.until != NS_NONE && view.at > view.until)
		view.at = view.until;
	return view;
}
