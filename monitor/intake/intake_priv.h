/* SPDX-License-Identifier: MIT */
/* Private to the intake, and to tests: its thread, its sources, and what they share. */
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
	ev_async order;   /* another thread gives an order: one of the next members, or `stop` */
	ev_timer hold;    /* runs while a batch waits to be handed over */
	ev_timer silence; /* runs while `streams.waiting` is not empty */
	pthread_t thread;
	bool stopped;
	_Atomic bool stop, done;
	_Atomic bool drain_wanted, leave_wanted;

	pthread_mutex_t lock; /* guards `shown` of the sources, and the next members */
	pthread_cond_t served;
	int suspend_wanted; /* order: 1: suspend, -1: resume, 0: none */
	ns_t suspended_at;  /* wall time; NS_NONE: not suspended */
};

#endif
