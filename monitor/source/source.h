/* SPDX-License-Identifier: MIT */
/*
 * The interface of all kinds of sources. A source reads bytes, for instance from a file, socket or
 * server, and pushes them into streams. A kind is a const struct source_ops in a file source_*.c.
 *
 * The functions run on the intake thread, except `claims` on any thread, `open`, which usually runs
 * before the intake thread starts, and `close`, which usually runs after it has ended.
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
	const char *kind; /* name in reports */
	/* text: what --once waits for, and how the user ends the wait; NULL: none */
	const char *waits;
	bool is_target; /* specs of this kind can be values of trace2.eventTarget */
	/* True if the path is of this kind; `st` is its stat, NULL if stat() fails. Without this
	 * function: always true. */
	bool (*claims)(const struct stat *st);
	/* Open the source. Returns false with an error in `why`. */
	bool (*open)(struct source *source, char *why, size_t why_bytes);
	/* Start the libev watchers. */
	void (*start)(struct source *source);
	/* Read at most about `budget` bytes. Returns true if it must be called again. NULL:
	 * callbacks of libev read the data. */
	bool (*work)(struct source *source, size_t budget);
	/* Skip unread old data, such as data that existed before trace2top started. NULL:
	 * impossible for this kind of source. */
	void (*leave_old)(struct source *source);
	/*
	 * suspend() closes the source's socket and its connections, resume() opens the socket
	 * again. NULL: nothing is closed.
	 */
	void (*suspend)(struct source *source);
	void (*resume)(struct source *source);
	/* Begin to end --once, for instance accept no new connections. NULL: sources_drain() does
	 * not end the source. */
	void (*drain)(struct source *source);
	/* True if the source has nothing to read, so that --once can end. NULL: always true. */
	bool (*is_empty)(struct source *source);
	/* End --once, for instance read pending data and end streams. NULL: nothing to do. */
	void (*finish)(struct source *source);
	void (*close)(struct source *source);
};

extern const struct source_ops *const source_kinds[NR_SOURCES];

struct source {
	struct origin origin;
	struct source_context *context; /* ro */
	const struct source_ops *ops;
	char *spec; /* text that names the source, without a password after open() */
	/* path, or the rest of a URL, within `spec`; NULL: neither */
	const char *path;
	/* ring directory of the socket, owned; NULL: none */
	struct ring_dir *rings;
	/* source that this hidden source belongs to; NULL: not hidden */
	struct source *owner;
	/* kind as which the source must be reopened; NR_SOURCES: none */
	enum source_kind become;
	void *priv;
	/* the source waits for new data even with --once, until finish() */
	bool follows;
	/* copy of origin.stats for other threads; protected by the intake's lock */
	struct source_stats shown;
};

/* True if the source waits for new data after the existing data. */
bool source_follows(const struct source *source);
/* Request calls of work() until it returns false. The state SOURCE_FOLLOWING becomes
 * SOURCE_READING. */
void source_busy(struct source *source);
/* Create or open the ring directory of the source's socket at `path`; on failure set the source's
 * error. */
void source_make_rings(struct source *source, const char *path);
/* Request that the source is closed and opened as another kind, after the current or next
 * work(). */
void source_become(struct source *source, enum source_kind kind);
/* Set the state of the source; SOURCE_DONE becomes SOURCE_FAILED if the source is incomplete. */
void source_set_state(struct source *source, enum source_state state);

/* ---- only for sources.c ---- */

extern const struct source_ops source_rings;
extern const struct source_ops source_relay;
void source_relay_open(struct source *source, const struct relay *relay);
/* Open the source for the command `argv` and start that command. */
bool source_command_run(struct source *source, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

#endif
