/* SPDX-License-Identifier: MIT */
/* Data shared by all kinds of sources, and calls of the intake for them. Intake thread. */
#ifndef MONITOR_SOURCE_CONTEXT_H
#define MONITOR_SOURCE_CONTEXT_H

#include <ev.h>

#include <stdatomic.h>
#include <sys/resource.h>

#include "monitor/source/inodes.h"
#include "monitor/source/ring_file.h"
#include "monitor/source/source_config.h"
#include "monitor/stream/streams.h"

#define SOURCE_BUF_BYTES (256u << 10)

struct command_output;
struct listener;
struct traced_command;

/* The command that a relay runs. */
struct relay_command {
	_Atomic int state;       /* enum command_state */
	int status;              /* wait status, once COMMAND_ENDED */
	ns_t begun_ns, ended_ns; /* monotonic times at which the connection began and ended */
};

struct source_context {
	struct source_config config; /* ro */
	struct streams *streams;     /* ro: receive the bytes that sources read */
	struct ev_loop *loop;        /* ro: for watchers */
	char *buf;                   /* rw: read buffer: SOURCE_BUF_BYTES + SPLITTER_PAD */
	struct rlimit nr_files;      /* ro: RLIMIT_NOFILE at the start; zeros: unknown */
	struct inodes inodes;        /* files that sources read */
	struct ring_files rings;     /* private to ring_file.c */
	/* private to listener.c: open sockets, whose datagrams are read while other sources are
	 * read */
	struct listener **listeners;
	int nr_listeners;
	struct traced_command *command; /* the command that trace2top runs; NULL: none */
	struct relay_command relay;
	/* output of the command, here or at a relay; NULL: no command */
	struct command_output *output;
	/* schedules work() of the sources that are busy */
	void (*on_busy)(void *data);
	void *data;
	/* with --once, the command has ended */
	void (*on_ended)(void *ended_data);
	void *ended_data;
};

/* Notify the user's callback that statistics have changed. */
static inline void source_wake(const struct source_context *context)
{
	if (context->config.wake)
		context->config.wake(context->config.wake_data);
}

#endif
