/* SPDX-License-Identifier: MIT */
/*
 * source: the interface of sources. A source pushes bytes of streams and never parses them. Each
 * kind is one file that ends in a const struct source_ops, and one row of sources.def.
 *
 * Intake thread, except `open`, which runs before that thread starts.
 */
#ifndef MONITOR_SOURCE_H
#define MONITOR_SOURCE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "monitor/intake/intake.h"
#include "monitor/intake/stream.h"
#include "monitor/read/splitter.h"
#include "monitor/read/reader.h"

struct intake;
struct ring_dir;
struct source;

struct source_ops {
	const char *kind;  /* as in reports */
	const char *waits; /* what --once waits for and how to end that; NULL: nothing */
	bool is_target;    /* also valid as trace2.eventTarget */
	/*
	 * True if the spec names this kind. `st` is stat() of the path, NULL if it does not exist.
	 * NULL: always true.
	 */
	bool (*claims)(const struct stat *st);
	/* Open it. Returns false with an error in `why`. */
	bool (*open)(struct source *source, char *why, size_t why_bytes);
	/* Start watchers; called when the thread starts. */
	void (*start)(struct source *source);
	/*
	 * Read about `budget` bytes of data that can wait. Returns true if there is more. Called
	 * repeatedly while source_busy() is in effect. NULL for sockets.
	 */
	bool (*work)(struct source *source, size_t budget);
	/* Skip data from before we started. NULL: not applicable. */
	void (*leave_old)(struct source *source);
	/* Close the socket and open it again later; NULL: no socket. */
	void (*suspend)(struct source *source);
	void (*resume)(struct source *source);
	/* --once is ending: accept no new connections. NULL: nothing to do. */
	void (*drain)(struct source *source);
	/* True if there is nothing to read now, for drain. NULL: always true. */
	bool (*is_empty)(struct source *source);
	/*
	 * The drain ended, because the source is empty or time is up: data held back is
	 * incomplete. NULL: nothing to do.
	 */
	void (*finish)(struct source *source);
	void (*close)(struct source *source);
};

extern const struct source_ops *const source_kinds[NR_SOURCES];

struct source {
	struct intake *intake;
	const struct source_ops *ops;
	char *spec;       /* as given */
	const char *path; /* within `spec`; NULL: none */
	int number;
	struct ring_dir *rings; /* ring directory beside its socket; NULL. Owned */
	struct source *owner;   /* source to whose counters this one adds, itself hidden; NULL */
	const struct source_ops *become; /* new kind of its path; NULL */
	void *priv;                      /* data of the kind */
	bool busy;                       /* work() has something to do */
	bool can_wait;                   /* data that is not read is not lost */
	bool is_stored;                  /* files: data is stored */
	bool follows;                    /* follows even with --once */
	bool is_relay;                   /* data was recorded just now, elsewhere */
	bool incomplete;                 /* part could not be read: ends as failed */
	struct source_stats live;        /* intake thread; copied to `shown` */
	struct source_stats shown;       /* protected by the intake's lock */
	int format;                      /* format: index into `readers`; -1: detect */
	uint32_t formats_seen;           /* one bit per format */
	uint32_t refused[READERS_MAX];   /* foreign streams that match a format, by format */
	struct splitter_counts framed;
	struct read_counts read;
	uint32_t tapped; /* private to taps.c: epoch of the announcement */
	bool not_due;    /* set by playback.c: the next entry is due at `due_ns` */
	ns_t due_ns;     /* monotonic */
};

/* ---- for sources ---- */

/* True if the source polls for more data. */
bool source_follows(const struct source *source);
/* Schedule work(). */
void source_busy(struct source *source);
/* Create the ring directory beside its socket at `path`. */
void source_make_rings(struct source *source, const char *path);
/* From work(): the path is of another kind now; close it and open it as that kind. */
void source_become(struct source *source, enum source_kind kind);
/* Set the state. With --once the run ends when the last source is done or failed. */
void source_set_state(struct source *source, enum source_state state);
/* Record an error for the user. */
void source_error(struct source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Record an error that lost data. */
void source_loss(struct source *source, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- for the intake ---- */

/* Kind of `spec`; sets `*path` to the path within it, NULL if none. */
enum source_kind source_kind_of(const char *spec, const char **path);

/* Update `live`. */
void source_refresh(struct source *source);
/*
 * Perform source_become(). If that fails, waits for the path as a file. Returns true if there is
 * work() to do.
 */
bool source_convert(struct source *source);
/* Reads the ring_dir of another source, its `owner`; has no spec. */
extern const struct source_ops source_rings;
/* Reads a relay's data; has no spec (intake_add_relay()). */
extern const struct source_ops source_relay;
void source_relay_open(struct source *source, const struct relay *relay);
/* Open the command's source and start the command. */
bool source_command_run(struct source *source, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

#endif
