/* SPDX-License-Identifier: MIT */
/*
 * All sources of an intake: add them, read from them in turns, end them. Intake thread, except for
 * the functions that are called before that thread starts or after it has ended.
 */
#ifndef MONITOR_SOURCES_H
#define MONITOR_SOURCES_H

#include "monitor/source/source.h"
#include "monitor/source/source_context.h"

/* How long --once continues to read a socket at the end. */
#define SOURCES_DRAIN_MS 1000

struct relay;

struct sources {
	struct source_context context; /* ro */
	struct source **items;         /* ro */
	int nr;                        /* ro: number of sources */
	int nr_hidden;  /* ro: number of hidden sources, the last ones, each owned by another */
	ev_idle idle;   /* private: runs while a source is busy */
	ev_timer due;   /* private: expires when the next entry of a replayed recording is due */
	ev_timer drain; /* private: runs while --once is ending */
	bool is_draining;
	ns_t drain_until_ns;
};

/* ---- before the thread starts, or after it has ended ---- */

/*
 * Begin, and let streams read datagrams while they deliver many records. `config` is copied;
 * `streams` and `loop` must outlive the sources.
 */
void sources_init(struct sources *sources, const struct source_config *config,
		  struct streams *streams, struct ev_loop *loop);
void sources_release(struct sources *sources);

/* Implement intake_add(), intake_add_command() and intake_add_relay(), which have the contract. */
bool sources_add(struct sources *sources, const char *spec, char *why, size_t why_bytes);
bool sources_add_command(struct sources *sources, char **argv, int cols, int rows, char *why,
			 size_t why_bytes);
void sources_add_relay(struct sources *sources, const char *spec, const struct relay *relay);
/* Add hidden sources: sources that listen also read the ring directory that belongs to their
 * socket. */
void sources_add_hidden(struct sources *sources);
/* Close all sources, which reads the data that has arrived. */
void sources_close(struct sources *sources);

/* True if the file, directory or socket at `path` is a source. */
bool sources_have_path(const struct sources *sources, const char *path);

/* ---- the intake thread ---- */

/* Start the watchers of all sources. */
void sources_start(struct sources *sources);
/* Continue to read: there is space again, or the speed of the replay has changed. */
void sources_continue(struct sources *sources);
/* With --once: true if every source has ended. Ends the hidden ones then. */
bool sources_are_done(struct sources *sources);
/* Close the sockets, or open them again. */
void sources_suspend(struct sources *sources);
void sources_resume(struct sources *sources);
/* With --once: read sockets until they are empty, then end all sources. */
void sources_drain(struct sources *sources);
/* Skip data from before trace2top started. */
void sources_leave_old(struct sources *sources);

/* Return the number of sources that are not hidden. */
static inline int sources_nr_shown(const struct sources *sources)
{
	return sources->nr - sources->nr_hidden;
}

#endif
