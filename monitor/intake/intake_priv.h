/* SPDX-License-Identifier: MIT */
/* Internals of the intake, shared by intake.c and the sources. Intake thread. */
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
	 * Remote command: its state (enum command_state), wait status once COMMAND_ENDED, and
	 * monotonic times of the connection's start and end.
	 */
	_Atomic int relay_command;
	int relay_status;
	ns_t relay_begun_ns, relay_ended_ns;
	_Atomic int64_t relay_skew_ns; /* remote clock minus ours; NS_NONE: unknown */
	struct intake_config config;
	struct journal *journal;
	struct tr2_intern *syms;
	struct splitter_pool pool;
	struct reader *readers[READERS_MAX]; /* of formats without per-stream state; NULL */
	void *shared[READERS_MAX];           /* shared by the readers of a format; NULL */
	/* Streams that are undecided or hold records back, and must be checked when silent. */
	struct stream *waiting;
	ev_timer silence;        /* runs while `waiting` is not empty */
	size_t held_bytes;       /* memory of readers that have one stream each */
	size_t packed_held;      /* memory of the decoders of waiting files */
	struct tr2_intern names; /* names of streams, as passed to such readers */
	struct stream_name {
		uint32_t nr_processes;
		char text[];
	} * *named; /* by symbol */
	uint32_t nr_named;
	struct ev_loop *loop;
	struct source **sources;
	int nr_sources;
	int nr_inner; /* of these, the last ones, which have an owner */
	char *buf;    /* read buffer: INTAKE_BUF_BYTES + SPLITTER_PAD */

	struct sid_owners *owners; /* NULL if no agent sent events yet. Owned */
	struct batch *batch;       /* being filled */
	uint32_t batch_stream;     /* stream of its last events */
	bool batch_live;           /* whether these are live */
	uint32_t nr_streams;
	ns_t last_push_ns;

	ev_async order;
	ev_idle idle;
	ev_timer hold;
	pthread_t thread;
	bool running, stopped;
	_Atomic bool stop, done;
	/* Kinds of the sources in the recordings that were read. */
	_Atomic bool recorded_commands, recorded_others;
	_Atomic bool drain_wanted, leave_wanted;
	bool draining;
	ns_t drain_until_ns;
	ev_timer drain_timer;

	pthread_mutex_t lock; /* guards `shown` of the sources, and the requests below */
	pthread_cond_t served;
	int suspend_wanted; /* 1: suspend, -1: resume, 0: nothing */
	ns_t suspended_at;  /* wall, NS_NONE */

	struct taps taps;
	ev_timer due; /* next entry of a replayed recording */

	struct ring_files rings;

	struct traced_command *command; /* NULL: none */
	struct command_output *output;  /* of the command or a relay's command; NULL */
	struct rlimit nr_files;         /* initial RLIMIT_NOFILE; zeros: unknown */
	struct listener **listeners; /* open sockets, whose datagrams are read between other work */
	int nr_listeners;
	struct inodes inodes; /* files being read */
};

#define INTAKE_BUF_BYTES (256u << 10)

/* Hand the current batch over to the journal. */
void intake_push(struct intake *intake);

/*
 * True if journal and taps have space for one turn of a source that can wait. If false, work
 * resumes once they have.
 */
bool intake_has_room(struct intake *intake);

#endif
