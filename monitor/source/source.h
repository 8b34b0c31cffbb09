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

#include "monitor/source/source_context.h"
#include "monitor/source/source_kind.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/stream.h"

struct relay;
struct ring_dir;
struct source;

struct source_ops {
	const char *kind; /* name of the kind in reports */
	/* what --once waits for at this kind and how to end that; NULL: nothing */
	const char *waits;
	bool is_target; /* a spec of this kind is also valid as trace2.eventTarget */
	/*
	 * True if the spec names a source of this kind. `st` is stat() of the path, NULL if it does
	 * not exist. NULL: always true.
	 */
	bool (*claims)(const struct stat *st);
	/* Open the source. Returns false with an error in `why`. */
	bool (*open)(struct source *source, char *why, size_t why_bytes);
	/* Start the source's watchers; called when the intake thread starts. */
	void (*start)(struct source *source);
	/*
	 * Read about `budget` bytes of data that can wait. Returns true if there is more. Called
	 * repeatedly while source_busy() is in effect. NULL for sockets.
	 */
	bool (*work)(struct source *source, size_t budget);
	/* Skip data from before trace2top started. NULL: not applicable. */
	void (*leave_old)(struct source *source);
	/* Close the socket and open it again later; NULL: the source has no socket. */
	void (*suspend)(struct source *source);
	void (*resume)(struct source *source);
	/* --once is ending: accept no new connections. NULL: nothing to do. */
	void (*drain)(struct source *source);
	/* True if the source has nothing to read now, to end --once. NULL: always true. */
	bool (*is_empty)(struct source *source);
	/*
	 * --once has ended reading, because the source is empty or time is up: data held back is
	 * incomplete. NULL: nothing to do.
	 */
	void (*finish)(struct source *source);
	void (*close)(struct source *source);
};

extern const struct source_ops *const source_kinds[NR_SOURCES];

struct source {
	struct origin origin;
	struct source_context *context; /* ro */
	const struct source_ops *ops;
	char *spec;             /* the source as the user gave it */
	const char *path;       /* path within `spec`; NULL: none */
	struct ring_dir *rings; /* ring directory of its socket; NULL: none. Owned */
	/* source that owns this hidden one and shows its counters; NULL: it is not hidden */
	struct source *owner;
	enum source_kind become; /* new kind, if its path is of another kind now; else NR_SOURCES */
	void *priv;              /* data of this kind of source */
	bool follows;            /* continues to read new data even with --once */
	struct source_stats shown; /* copy of origin.stats, protected by the intake */
};

/* ---- functions for sources ---- */

/* True if the source waits for more data after reading what exists. */
bool source_follows(const struct source *source);
/* Schedule calls of work() for the source. */
void source_busy(struct source *source);
/* Create the ring directory that belongs to the source's socket at `path`. */
void source_make_rings(struct source *source, const char *path);
/* Call in work() if the path is of another kind now: the source is closed and opened as that
 * kind. */
void source_become(struct source *source, enum source_kind kind);
/* Set the state of the source. With --once the run ends when the last source is done or failed. */
void source_set_state(struct source *source, enum source_state state);

/* ---- functions for sources.c ---- */

/* Kind of a hidden source that reads the ring directory of another source, its `owner`; has no
 * spec. */
extern const struct source_ops source_rings;
/* Kind of a source that reads data of a relay; has no spec (sources_add_relay()). */
extern const struct source_ops source_relay;
void source_relay_open(struct source *source, const struct relay *relay);
/* Open the source of the command and start the command. */
bool source_command_run(struct source *source, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

#endif
