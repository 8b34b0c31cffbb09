/* SPDX-License-Identifier: MIT */
/* Private interface of intake.c and the sources. Intake thread. */
#ifndef MONITOR_INTAKE_PRIV_H
#define MONITOR_INTAKE_PRIV_H

#include <ev.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "monitor/intake/inodes.h"
#include "monitor/intake/intake.h"
#include "monitor/intake/ring_file.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

struct traced_command;
struct command_output;
struct listener;
struct source;

struct intake {
	/*
	 * Command of a relay: its state (enum command_state), wait status once COMMAND_ENDED, and
	 * monotonic times at which the connection began and ended.
	 */
	_Atomic int relay_command;
	int relay_status;
	ns_t relay_begun_ns, relay_ended_ns;
	struct intake_config config;
	struct streams streams;
	ev_timer silence; /* runs while `streams.waiting` is not empty */
	struct ev_loop *loop;
	struct source **sources;
	int nr_sources;
	int nr_inner; /* number of hidden sources, the last ones, each owned by another */
	char *buf;    /* read buffer: INTAKE_BUF_BYTES + SPLITTER_PAD */

	ev_async order;
	ev_idle idle;
	ev_timer hold;
	pthread_t thread;
	bool stopped;
	_Atomic bool stop, done;
	_Atomic bool drain_wanted, leave_wanted;
	bool draining;
	ns_t drain_until_ns;
	ev_timer drain_timer;

	pthread_mutex_t lock; /* guards `shown` of the sources, and the next members */
	pthread_cond_t served;
	int suspend_wanted; /* order: 1: suspend, -1: resume, 0: none */
	ns_t suspended_at;  /* wall time; NS_NONE: not suspended */

	ev_timer due; /* expires when the next entry of a replayed recording is due */

	struct ring_files rings;

	struct traced_command *command; /* the command that trace2top runs; NULL: none */
	/* output of the command, here or at a relay; NULL: no command */
	struct command_output *output;
	struct rlimit nr_files; /* RLIMIT_NOFILE at the start; zeros: unknown */
	/* open sockets, whose datagrams are read while other sources are read */
	struct listener **listeners;
	int nr_listeners;
	struct inodes inodes; /* files that sources read */
};

#define INTAKE_BUF_BYTES (256u << 10)

#endif
