/* SPDX-License-Identifier: MIT */
/*
 * Sources, as intake sees them. A source pushes bytes of streams; it never interprets them. One
 * kind of source is one file that ends in a const struct source_ops, and one row of sources.def.
 *
 * Everything here runs on the intake thread, but for `open`, which runs before it is started.
 */
#ifndef MONITOR_SOURCE_H
#define MONITOR_SOURCE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "monitor/intake/intake.h"
#include "monitor/intake/stream.h"
#include "monitor/read/framer.h"
#include "monitor/read/reader.h"

struct intake;
struct ring_dir;
struct source;

struct source_ops {
	const char *kind;  /* as the report says it */
	const char *waits; /* with --once: what is waited for, and what ends that; NULL: nothing */
	bool is_target;    /* Git writes to what is named so, too: see trace2.eventTarget */
	/* Is what its spec names one of these? `st` is stat() of the path, NULL where nothing is
	 * there. NULL: every such spec is. */
	bool (*claims)(const struct stat *st);
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

extern const struct source_ops *const source_kinds[NR_SOURCES];

struct source {
	struct intake *intake;
	const struct source_ops *ops;
	char *spec;       /* as given */
	const char *path; /* within `spec`; NULL: it has none */
	int number;
	struct ring_dir *rings; /* beside its socket, for those who write rings; NULL. Owned */
	struct source *owner;   /* whose counters it adds to, and nobody sees it; NULL: its own */
	const struct source_ops *become; /* its path is of another kind now; NULL */
	void *priv;                      /* the kind's own */
	bool busy;                       /* work() has something to do */
	bool can_wait;                   /* its bytes stay where they are while they are not read */
	bool is_stored;                  /* and behind that: files */
	bool follows;                    /* with --once, too: its end is not that of its bytes */
	bool is_relay;                   /* what it brings was recorded just now, elsewhere */
	bool incomplete;                 /* some of it could not be read: it ends as failed */
	struct source_stats live;        /* the intake thread's; copied to `shown` */
	struct source_stats shown;       /* under the intake's lock */
	int format; /* what it is read as, an index into `readers`; -1: its first bytes tell */
	uint32_t formats_seen;         /* a bit for each */
	uint32_t refused[READERS_MAX]; /* foreign streams that are of a format, by format */
	struct framer_counts framed;
	struct read_counts read;
	uint32_t tapped; /* private to taps.c: the epoch in which it was told of */
	bool not_due;    /* by playback.c: what comes next has its time in `due_ns` */
	ns_t due_ns;     /* monotonic */
};

/* ---- for sources ---- */

/* Is what it has looked at again, and again, for more? */
bool source_follows(const struct source *source);
/* There is work() to do. */
void source_busy(struct source *source);
/* It listens at `path`: make the directory for rings beside it. */
void source_make_rings(struct source *source, const char *path);
/* Within work(): what its path means is of another kind now: close it, open it as that. */
void source_become(struct source *source, enum source_kind kind);
/* It has come to its end or failed; with --once the last one ends the run. */
void source_set_state(struct source *source, enum source_state state);
/* Note an error for people to see. */
void source_error(struct source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for one by which something is lost. */
void source_loss(struct source *source, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- for the intake ---- */

/* The kind that `spec` names, and the path within it; NULL where it has none. */
enum source_kind source_kind_of(const char *spec, const char **path);

/* Bring `live` up to date. */
void source_refresh(struct source *source);
/* Do what source_become() asked for; where that fails, it is waited for as a file. Returns whether
 * there is work() to do. */
bool source_convert(struct source *source);
/* What is in the ring_dir of another source, `owner`; named by no spec. */
extern const struct source_ops source_rings;
/* What a program of ours sends; named by no spec (intake_add_relay()). */
extern const struct source_ops source_relay;
void source_relay_open(struct source *source, const struct relay *relay);
/* Open the command's source and run it. */
bool source_command_run(struct source *source, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

#endif
