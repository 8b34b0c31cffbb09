/* SPDX-License-Identifier: MIT */
/*
 * What a thread has of its own: its name, its stack of open regions, its timers and counters,
 * and the memory in which its lines are made. Nothing here is shared, so nothing is locked.
 *
 * A context is made at thread_start or at the thread's first event, and freed at thread_exit or
 * when the thread ends.
 */
#ifndef TR2_THREAD_H
#define TR2_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/tr2_line.h"
#include "engine/tr2_sums.h"

/* Longest thread name, in bytes; the cut may split a character. */
#define TR2_THREAD_NAME_MAX 24

/* A second as text, so that only the microseconds are made for each event. */
#define TR2_CLOCK_EVENT_LEN 29

struct tr2_clock_text {
	int64_t sec;    /* which second; INT64_MIN: none yet */
	char event[32]; /* ,"time":"YYYY-MM-DDTHH:MM:SS. */
	int64_t local_sec; /* the same for what follows, which the text targets show */
	char local[9];	   /* HH:MM:SS */
	int64_t offset;	   /* seconds that local time is ahead */
	int64_t offset_slot;
	ns_t look_at;	   /* monotonic; until then destinations and clocks are believed */
	ns_t ahead;	   /* how far the wall clock is ahead of the monotonic one */
	ns_t ahead_until;  /* monotonic; believed until then */
};

struct tr2_thread {
	int id; /* 0: the main thread */
	char name[TR2_THREAD_NAME_MAX + 1];
	int *errno_at;    /* where this thread's errno is */
	bool busy;        /* inside an emission: what a signal handler emits then is left out */
	bool stale;       /* forked away: the name's prefix must be made anew */
	unsigned nr_open; /* open regions, the thread itself being the first */
	unsigned cap_open;
	ns_t *starts; /* of the open regions; monotonic; 0 where nobody prints it */
	char *prefix; /* ","sid":"...","thread":"..." as it stands in an event; the
			 line's slack lies behind it */
	size_t prefix_len;
	struct tr2_clock_text clock;
	struct tr2_line line;    /* the line being made */
	struct tr2_line message; /* the host's formatted message */
	struct tr2_sums sums;
};

/* The calling thread's, or NULL. */
extern __thread struct tr2_thread *tr2_thread_current
	__attribute__((tls_model("initial-exec")));

/* The calling thread's; made as "thNN:unknown" where there is none. NULL: no memory. */
struct tr2_thread *tr2_thread_make_unknown(void);

/* Make the main thread's context; `start` is the process's. Once, before any other. */
bool tr2_thread_init_main(ns_t start);

/* A new context for the calling thread, in place of one that it may have. */
struct tr2_thread *tr2_thread_begin(const char *base, ns_t now);

/* Free the calling thread's context. */
void tr2_thread_end(void);

/* The next thread's name without a context: for a signal handler. */
void tr2_thread_name_next(char out[TR2_THREAD_NAME_MAX + 1]);

/* What a context's `prefix` is made of. */
void tr2_thread_add_prefix(struct tr2_line *out, const char *name);

/* In a forked child that is a session of its own: the calling thread is its main thread. */
void tr2_thread_become_main(struct tr2_thread *self, ns_t start);

/* Room for more open regions; false where memory is short. */
bool tr2_thread_grow(struct tr2_thread *self);

/*
 * Open a region that began at `start`. Where memory is short the region is still counted; only
 * its beginning is forgotten.
 */
static inline void tr2_thread_push(struct tr2_thread *self, ns_t start)
{
	if (__builtin_expect(self->nr_open < self->cap_open, 1) || tr2_thread_grow(self))
		self->starts[self->nr_open] = start;
	self->nr_open++;
}

/* When the innermost open region began; `now` where none is open. */
static inline ns_t tr2_thread_top(const struct tr2_thread *self, ns_t now)
{
	if (!self->nr_open || self->nr_open > self->cap_open)
		return now;
	return self->starts[self->nr_open - 1];
}

/* Close all but the thread itself. */
void tr2_thread_unwind(struct tr2_thread *self);

#endif
