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
#include "monitor/intake/taps.h"
#include "monitor/read/splitter.h"
#include "monitor/read/reader.h"

struct traced_command;
struct command_output;
struct listener;
struct source;
struct stream;

struct intake {
	/*
	 * Command of a relay: its state (enum command_state), wait status once COMMAND_ENDED, and
	 * monotonic times at which the connection began and ended.
	 */
	_Atomic int relay_command;
	int relay_status;
	ns_t relay_begun_ns, relay_ended_ns;
	/* clock of the relay's host minus this host's; NS_NONE: unknown */
	_Atomic int64_t relay_skew_ns;
	struct intake_config config;
	struct journal *journal;
	struct tr2_intern *syms;
	struct splitter_pool pool;
	/* one reader per format that has no state per stream; NULL: not used yet */
	struct reader *readers[READERS_MAX];
	/* data that the readers of a format share; NULL: none */
	void *shared[READERS_MAX];
	/* List of streams that must be checked when they are silent: their format is undecided,
	 * or their reader holds records back. */
	struct stream *waiting;
	ev_timer silence;  /* runs while `waiting` is not empty */
	size_t held_bytes; /* memory of the readers that each belong to one stream */
	/* memory of the decoders of packed files that wait for more data */
	size_t packed_held;
	struct tr2_intern names; /* names of streams, as passed to readers of one stream */
	struct stream_name {
		uint32_t nr_processes;
		char text[];
	} * *named; /* by symbol of `names` */
	uint32_t nr_named;
	struct ev_loop *loop;
	struct source **sources;
	int nr_sources;
	int nr_inner; /* number of hidden sources, the last ones, each owned by another */
	char *buf;    /* read buffer: INTAKE_BUF_BYTES + SPLITTER_PAD */

	/* which agent sent each process; NULL if no agent sent events yet. Owned */
	struct sid_owners *owners;
	struct batch *batch;   /* the batch that is being filled */
	uint32_t batch_stream; /* stream of the last events in the batch */
	bool batch_live;       /* the last events in the batch are live */
	uint32_t nr_streams;
	ns_t last_push_ns;

	ev_async order;
	ev_idle idle;
	ev_timer hold;
	pthread_t thread;
	bool running, stopped;
	_Atomic bool stop, done;
	/* Contents of the recordings that were read: commands that trace2top ran, other
	 * sources. */
	_Atomic bool recorded_commands, recorded_others;
	_Atomic bool drain_wanted, leave_wanted;
	bool draining;
	ns_t drain_until_ns;
	ev_timer drain_timer;

	pthread_mutex_t lock; /* guards `shown` of the sources, and the next members */
	pthread_cond_t served;
	int suspend_wanted; /* order: 1: suspend, -1: resume, 0: none */
	ns_t suspended_at;  /* wall time; NS_NONE: not suspended */

	struct taps taps;
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

/* Hand the current batch over to the journal. */
void intake_push(struct intake *intake);

/*
 * True if journal and taps have space for one read of a source that can wait. If false, reading
 * continues when they have.
 */
bool intake_has_room(struct intake *intake);

#endif
