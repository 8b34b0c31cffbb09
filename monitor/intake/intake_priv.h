/* SPDX-License-Identifier: MIT */
/* The intake itself, for its own thread: what intake.c and the sources share. */
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
#include "monitor/read/framer.h"
#include "monitor/read/reader.h"

struct command;
struct command_output;
struct listener;
struct source;
struct stream;

struct intake {
	/* Of a command elsewhere: its state, what is known once that is COMMAND_ENDED, and since when
	 * the other end has been there (monotonic). */
	_Atomic int relay_command;
	int relay_status;
	ns_t relay_begun_ns, relay_ended_ns;
	_Atomic int64_t relay_skew_ns; /* the clock there less ours; NS_NONE: not known */
	struct intake_config config;
	struct journal *journal;
	struct tr2_intern *syms;
	struct framer_pool pool;
	struct reader *readers[READERS_MAX]; /* of formats that keep no state a stream; NULL */
	void *shared[READERS_MAX];           /* of a format's readers; NULL */
	struct stream *waiting;  /* undecided, or held back: whose silence means something */
	ev_timer silence;        /* runs while there are such */
	size_t held_bytes;       /* what readers of single streams hold together */
	size_t packed_held;      /* what the unpacking of files takes together, while they wait */
	struct tr2_intern names; /* of streams that such readers were told */
	struct stream_name {
		uint32_t nr_processes;
		char text[];
	} * *named; /* by symbol */
	uint32_t nr_named;
	struct ev_loop *loop;
	struct source **sources;
	int nr_sources;
	int nr_inner; /* of them, the last ones: those that have an owner */
	char *buf;    /* what is read into: INTAKE_BUF_BYTES + FRAMER_PAD */

	struct batch *batch;   /* being filled */
	uint32_t batch_stream; /* whose events come last in it */
	bool batch_live;       /* and whether they are live ones */
	uint32_t nr_streams;
	ns_t last_push_ns;

	ev_async order;
	ev_idle idle;
	ev_timer hold;
	pthread_t thread;
	bool running, stopped;
	_Atomic bool stop, done;
	_Atomic bool drain_wanted, leave_wanted;
	bool draining;
	ns_t drain_until_ns;
	ev_timer drain_timer;

	pthread_mutex_t lock; /* guards the sources' `shown`, and the requests below */
	pthread_cond_t served;
	int suspend_wanted; /* 1: suspend, -1: resume, 0: nothing */
	ns_t suspended_at;  /* wall, NS_NONE */

	struct taps taps;
	ev_timer due; /* the next entry of a recording that is replayed */

	struct ring_files rings;

	struct command *command;       /* NULL: none */
	struct command_output *output; /* of that, or of a relay's; NULL */
	struct rlimit nr_files;        /* as we were started; zeroes: unknown */
	struct listener **listeners; /* open sockets, whose datagrams are read between other work */
	int nr_listeners;
	struct inodes inodes; /* that are being read */
};

#define INTAKE_BUF_BYTES (256u << 10)

/* Hand over what was read so far. */
void intake_push(struct intake *intake);

/* Have the journal and the taps room for what one turn of something that can wait brings? Where
 * not, work goes on once they have. */
bool intake_has_room(struct intake *intake);

#endif
