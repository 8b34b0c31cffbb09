/* SPDX-License-Identifier: MIT */
/*
 * Sources, as intake sees them. A source pushes bytes of streams; it never interprets them. One
 * kind of source is one file that ends in a const struct source_ops, and one row of sources.def.
 *
 * Everything here runs on the intake thread, but for `open`, which runs before it is started, and
 * listeners_stand_in(), which its deputy calls while that thread waits (deputy.h).
 */
#ifndef MONITOR_SOURCE_H
#define MONITOR_SOURCE_H

#include <ev.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "monitor/read/framer.h"
#include "monitor/intake/intake.h"
#include "monitor/read/reader.h"

struct source;

struct source_ops {
	const char *kind; /* as the report says it */
	const char *help;
	/* Is `spec` one of these? `st` is stat() of it, NULL where there is no such path. */
	bool (*claims)(const char *spec, const struct stat *st);
	/* Open it; false and `why` (of `why_bytes`) where it cannot be. */
	bool (*open)(struct source *source, char *why, size_t why_bytes);
	/* The thread begins: start watchers. */
	void (*start)(struct source *source);
	/*
	 * Read some of what can wait, about `budget` bytes; returns true while there is more.
	 * Called again and again while source_busy() is in force. NULL for sockets.
	 */
	bool (*work)(struct source *source, size_t budget);
	/* What was there before we came is not to be read on. NULL: nothing was. */
	void (*leave_old)(struct source *source);
	/* Give up the socket for a while, and make it anew; NULL where there is none. */
	void (*suspend)(struct source *source);
	void (*resume)(struct source *source);
	/* --once was told to finish: nobody may connect any more. NULL: nothing to do. */
	void (*drain)(struct source *source);
	/* Is there nothing more to read at this moment? For drain. NULL: always. */
	bool (*is_empty)(struct source *source);
	/* The drain is over, by emptiness or by time: what is held back of it is torn. NULL:
	 * nothing. */
	void (*finish)(struct source *source);
	void (*close)(struct source *source);
};

enum source_kind {
#define SOURCE(ID, ops) SOURCE_##ID,
#include "monitor/intake/sources.def"
	NR_SOURCES
};

extern const struct source_ops *const source_kinds[NR_SOURCES];

struct source {
	struct intake *intake;
	const struct source_ops *ops;
	char *spec;
	int number;
	const struct source_ops *become; /* its path is of another kind now; NULL */
	void *priv;		  /* the kind's own */
	bool busy;		  /* work() has something to do */
	bool can_wait;		  /* its bytes stay where they are while they are not read */
	bool incomplete;	  /* some of it could not be read: it ends as failed */
	struct source_stats live; /* the intake thread's; copied to `shown` */
	struct source_stats shown; /* under the intake's lock */
	struct framer_counts framed;
	struct read_counts read;
};

struct intake {
	struct intake_config config;
	struct journal *journal;
	struct tr2_intern *syms;
	struct reader *reader;
	struct framer_pool pool;
	struct ev_loop *loop;
	struct source **sources;
	int nr_sources;
	char *buf; /* what is read into: INTAKE_BUF_BYTES + FRAMER_PAD */

	struct batch *batch; /* being filled */
	uint32_t batch_stream; /* whose events come last in it */
	bool batch_live;       /* and whether they are live ones */
	uint32_t nr_streams;
	ns_t last_push_ns;
	bool hurried; /* intake_hurry() was called */
	struct deputy *deputy; /* reads sockets in the thread's place; NULL: nobody does */
	uint64_t socket_bytes; /* ever read from sockets */

	ev_async order;
	ev_idle idle;
	ev_timer hold;
	pthread_t thread;
	bool running;
	_Atomic bool stop, done;
	_Atomic bool drain_wanted, leave_wanted;
	bool draining;
	ns_t drain_until_ns;
	ev_timer drain_timer;

	pthread_mutex_t lock; /* guards the sources' `shown`, and the requests below */
	pthread_cond_t served;
	int suspend_wanted; /* 1: suspend, -1: resume, 0: nothing */
	ns_t suspended_at;  /* wall, NS_NONE */

	struct command *command;
	struct listener **urgent; /* sockets that are open */
	int nr_urgent;
	/* (device, inode) pairs that are being read. */
	struct inode_slot {
		dev_t dev;
		ino_t ino;
		const struct source *source;
		void *owner; /* within the source; NULL: a free slot */
	} *inodes;
	size_t nr_inodes, cap_inodes;
};

#define INTAKE_BUF_BYTES (256u << 10)

/* One file, connection or datagram socket. */
struct stream {
	struct source *source;
	struct framer framer;
	uint32_t number;
	int64_t peer_pid; /* by its credentials, or 0 */
	bool live;	  /* what comes arrived since we began to follow */
};

/* ---- for sources ---- */

/* By `open`: writers will wait where the thread is off its processor; see realtime.h. */
void intake_hurry(struct intake *intake);

void stream_init(struct stream *stream, struct source *source);
/* Bytes of it; FRAMER_PAD readable bytes must follow them. */
void stream_feed(struct stream *stream, const char *bytes, size_t len);
/* A datagram; bytes[len] is overwritten. */
void stream_datagram(struct stream *stream, char *bytes, size_t len, bool cut);
/* Its bytes have ended. `connection`: those that it told of can tell no more. */
void stream_end(struct stream *stream, bool connection);
/* Forget it without a word. */
void stream_release(struct stream *stream);

/* There is work() to do. */
void source_busy(struct source *source);
/* Within work(): what its path means is of another kind now: close it, open it as that. */
void source_become(struct source *source, enum source_kind kind);
/* It has come to its end or failed; with --once the last one ends the run. */
void source_set_state(struct source *source, enum source_state state);
/* Note an error for people to see. */
void source_error(struct source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for one by which something is lost. */
void source_loss(struct source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Take an inode for `owner` of `source`; false where somebody else has it. */
bool intake_inode_take(struct source *source, const struct stat *st, void *owner);
bool intake_inode_is_free(const struct source *source, const struct stat *st);
void intake_inode_drop(struct source *source, dev_t dev, ino_t ino, void *owner);
/* The owner within `source`; NULL where it is nobody's or another source's. */
void *intake_inode_owner(const struct source *source, const struct stat *st);

/* Hand over what was read so far. */
void intake_push(struct intake *intake);

/* ---- between socket sources and the command ---- */

struct listener;
/* A stream socket at `path` for `source`; NULL and `why`. */
struct listener *listener_open(struct source *source, const char *path, unsigned mode, char *why,
			       size_t why_bytes);
void listener_start(struct listener *listener);
/* Close the listening socket and remove its path; connections go on. */
void listener_stop(struct listener *listener);
bool listener_reopen(struct listener *listener, char *why, size_t why_bytes);
/* Take what its connections have sent, and close them. */
void listener_hang_up(struct listener *listener);
/* Read the datagrams that wait, of all listeners: their writers block after eleven. */
void listeners_urgent(struct intake *intake);
/* The same in the thread's place, and of the connections that were read last, too. What that
 * finds out about ends and errors is left to the thread. */
void listeners_stand_in(struct intake *intake);
/* Has it no connection with anything to read? */
bool listener_is_empty(const struct listener *listener);
void listener_close(struct listener *listener);

/* Open the command's source and run it. */
bool source_command_run(struct source *source, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

#endif
