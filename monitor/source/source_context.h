/* SPDX-License-Identifier: MIT */
/* Data that all kinds of sources share, and functions of the intake that they call. Intake thread,
 * or others before it starts or after it has ended. */
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

/* State of the command that a relay program runs on another host. */
struct relay_command {
	_Atomic int state; /* enum command_state */
	/* wait status of the command, valid after `state` is COMMAND_ENDED */
	int status;
	/* monotonic times at which the source was opened and the relay program ended */
	ns_t begun_ns, ended_ns;
};

struct source_context {
	struct source_config config; /* ro */
	struct streams *streams;     /* ro: streams that receive the bytes that sources read */
	struct ev_loop *loop;        /* ro: for watchers */
	char *buf;                   /* rw: read buffer of SOURCE_BUF_BYTES + SPLITTER_PAD bytes */
	struct rlimit nr_files;      /* ro: RLIMIT_NOFILE when trace2top started; zeros: unknown */
	/* set of the files and FIFOs that sources read, so that none is read twice */
	struct inodes inodes;
	struct ring_files rings; /* private to ring_file.c */
	/* set by listener.c: sockets that are being read; waiting datagrams are read between reads
	 * of other sources */
	struct listener **listeners;
	int nr_listeners;
	struct traced_command *command; /* the command that trace2top runs and traces; NULL: none */
	struct relay_command relay;
	/* output of the command that runs here or at a relay; NULL: there is no command */
	struct command_output *output;
	/* callback: some source is busy, so its work() must be called */
	void (*on_busy)(void *data);
	void *data;
	/* callback: with --once, the traced command has ended */
	void (*on_ended)(void *ended_data);
	void *ended_data;
};

/* Call the callback `wake` of the configuration, if there is one. */
static inline void source_wake(const struct source_context *context)
{
	if (context->config.wake)
		context->config.wake(context->config.wake_data);
}

#endif
