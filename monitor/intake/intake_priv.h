/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_INTAKE_PRIV_H
#define MONITOR_INTAKE_PRIV_H

#include <ev.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "monitor/intake/intake.h"
#include "monitor/source/sources.h"
#include "monitor/stream/streams.h"

struct intake {
	struct streams streams;
	struct sources sources;
	struct ev_loop *loop;
	/* wakes the intake thread, for example for an order (`stop` or `*_wanted`) */
	ev_async order;
	ev_timer hold; /* hands the batch over when it expires */
	/* timer of streams_check(), while `streams.waiting` is not empty */
	ev_timer silence;
	pthread_t thread;
	bool stopped;
	_Atomic bool stop, done;
	_Atomic bool drain_wanted, leave_wanted;

	pthread_mutex_t lock; /* protects `shown` of all sources, `served` and `suspend_wanted` */
	pthread_cond_t served;
	/* order: 1: suspend sockets, -1: resume sockets, 0: none */
	int suspend_wanted;
	ns_t suspended_at; /* wall time of the last suspension; NS_NONE: none */
};

#endif
