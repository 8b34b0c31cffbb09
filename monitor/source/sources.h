/* SPDX-License-Identifier: MIT */
/* The set of all sources of an intake: adds sources, reads from them in turns and ends them. */
#ifndef MONITOR_SOURCES_H
#define MONITOR_SOURCES_H

#include "monitor/source/source.h"
#include "monitor/source/source_context.h"

/* Maximum ms for which --once reads sockets and pipes while it ends. */
#define SOURCES_DRAIN_MS 1000

struct relay;

struct sources {
	struct source_context context; /* ro */
	struct source **items;         /* ro */
	int nr;                        /* ro: number of sources, hidden ones included */
	/* ro: number of hidden sources, which are the last items */
	int nr_hidden;
	ev_idle idle; /* private: reads busy sources and ring files */
	/* private: expires when the next entry of a replayed recording is due, or earlier */
	ev_timer due;
	ev_timer drain; /* private: checks for empty sources while --once is ending */
	bool is_draining;
	ns_t drain_until_ns;
};

/* ---- not while the intake thread runs ---- */

/* Initialise the set, and raise the soft limit of open files. `config` is copied; `streams` and
 * `loop` must outlive the sources. */
void sources_init(struct sources *sources, const struct source_config *config,
		  struct streams *streams, struct ev_loop *loop);
void sources_release(struct sources *sources);

/* See intake_add(), intake_add_command() and intake_add_relay(). */
bool sources_add(struct sources *sources, const char *spec, char *why, size_t why_bytes);
bool sources_add_command(struct sources *sources, char **argv, int cols, int rows, char *why,
			 size_t why_bytes);
void sources_add_relay(struct sources *sources, const char *spec, const struct relay *relay);
/* Add a hidden source for each source with a ring directory. */
void sources_add_hidden(struct sources *sources);
/* Close all sources, after reading data that has arrived at sockets and in known ring files. */
void sources_close(struct sources *sources);

/* True if a source names or reads the file, directory, FIFO or socket at `path`. */
bool sources_have_path(const struct sources *sources, const char *path);

/* ---- functions for the intake thread ---- */

/* Start the watchers of all sources that have not failed. */
void sources_start(struct sources *sources);
/* Continue to read busy and replayed sources, for instance after the journal got space. */
void sources_continue(struct sources *sources);
/* True if every source that is not hidden is done or failed. Then ends the hidden sources. */
bool sources_are_done(struct sources *sources);
/* sources_suspend() closes the sockets, except the command's, and their connections;
 * sources_resume() opens the sockets again. */
void sources_suspend(struct sources *sources);
void sources_resume(struct sources *sources);
/* Begin to end --once: when all sources are empty, or after SOURCES_DRAIN_MS, those with a function
 * `drain` end. No effect if called again. */
void sources_drain(struct sources *sources);
/* Skip unread old data, such as data that existed before trace2top started. */
void sources_leave_old(struct sources *sources);

/* Return the number of sources that are not hidden. Any thread. */
static inline int sources_nr_shown(const struct sources *sources)
{
	return sources->nr - sources->nr_hidden;
}

#endif
