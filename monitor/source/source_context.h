/* SPDX-License-Identifier: MIT */
/* Data that all sources share. Intake thread while that runs, except `command`, `relay` and
 * `output`. */
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

/* The command that a relay runs on another host. */
struct relay_command {
	_Atomic int state; /* enum command_state */
	/* wait status, valid if `state` is COMMAND_ENDED */
	int status;
	/* monotonic times at which the source was opened and the relay ended */
	ns_t begun_ns, ended_ns;
};

struct source_context {
	struct source_config config; /* ro */
	struct streams *streams;     /* ro: receive the bytes that sources read */
	struct ev_loop *loop;        /* ro: for watchers */
	char *buf;                   /* rw: read buffer of SOURCE_BUF_BYTES + SPLITTER_PAD bytes */
	/* ro: limit of open files before sources_init() raised it; zeros: unknown */
	struct rlimit nr_files;
	/* files and FIFOs that sources read */
	struct inodes inodes;
	struct ring_files rings; /* private to ring_file.c */
	/* set by listener.c: the started listeners */
	struct listener **listeners;
	int nr_listeners;
	struct traced_command *command; /* NULL: none */
	struct relay_command relay;
	/* output of the command that runs here or at a relay; NULL: none */
	struct command_output *output;
	/* called when a source or ring file has more data */
	void (*on_busy)(void *data);
	void *data;
	/* called with --once when the traced command has ended */
	void (*on_ended)(void *ended_data);
	void *ended_data;
};

static inline void source_wake(const struct source_context *context)
{
	if (context->config.wake)
		context->config.wake(context->config.wake_data);
}

#endif
