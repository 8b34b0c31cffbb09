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
#include "engine/tr2_ring.h"
#include "engine/tr2_sums.h"
#include "engine/tr2_ticks.h"

/* Longest thread name, in bytes; the cut may split a character. */
#define TR2_THREAD_NAME_MAX 24

/* A second as text, so that only the microseconds are made for each event. */
#define TR2_CLOCK_EVENT_LEN 29

struct tr2_clock_text {
	int64_t sec;       /* which second; INT64_MIN: none yet */
	char event[32];    /* ,"time":"YYYY-MM-DDTHH:MM:SS. */
	ns_t look_at;      /* monotonic; until then destinations and clocks are believed */
	ns_t ahead;        /* how far the wall clock is ahead of the monotonic one */
	ns_t ahead_until;  /* monotonic; believed until then */
	int64_t local_sec; /* which second of local time, which the text targets show */
	char local[9];     /* HH:MM:SS */
	int64_t offset;    /* seconds that local time is ahead */
	int64_t offset_slot;
};

/*
 * Whether a call of this thread is under way: what a signal handler emits then is left out. The
 * handler may jump out of that call (siglongjmp), which leaves `frame` set for ever though nothing
 * is there any more; tr2_busy_is_over() finds that out.
 */
struct tr2_busy {
	const char *frame; /* where on the stack the call is; NULL: none is under way */
	unsigned nr;       /* calls so far */
	unsigned doubted;  /* the call that was doubted last ... */
	ns_t doubted_at;   /* ... and since when; monotonic */
};

/* What every event line touches stands in front: the kernel leaves little of it in the caches. */
struct tr2_thread {
	int *errno_at; /* where this thread's errno is */
	struct tr2_busy busy;
	ns_t *starts; /* of the open regions; monotonic; 0 where nobody prints it or it is lost */
	unsigned nr_open; /* open regions, the thread itself being the first */
	unsigned cap_open;
	char *prefix; /* ","sid":"...","thread":"..." as it stands in an event; the
			 line's slack lies behind it */
	size_t prefix_len;
	struct tr2_line line;  /* the line being made */
	struct tr2_ring *ring; /* that this thread writes into, if it is the owner; NULL: none */
	bool stale;            /* of a forked session: name and prefix must be made anew */
	struct tr2_ticks ticks;
	struct tr2_clock_text clock;
	int id; /* 0: the main thread */
	char name[TR2_THREAD_NAME_MAX + 1];
	struct tr2_line message; /* the host's formatted message */
	struct tr2_sums sums;
};

/* The calling thread's, or NULL. */
extern __thread struct tr2_thread *tr2_thread_current __attribute__((tls_model("initial-exec")));

/* The calling thread's; made as "thNN:unknown" where there is none. NULL: no memory. */
struct tr2_thread *tr2_thread_make_unknown(void);

/* Make the main thread's context; `start` is the process's. Once, before any other. */
bool tr2_thread_init_main(ns_t start);

/*
 * Whether the call that is noted cannot be under way any more, seen from `frame` of the same
 * thread: its place on the stack is in use again, or it was doubted for a second. Never on an
 * alternate stack, where a handler runs. If it is after all, it finds its memory where it was.
 */
bool tr2_busy_is_over(struct tr2_busy *busy, const char *frame);

/* Take over from such a call; false where it may be under way. */
bool tr2_thread_take_over(struct tr2_thread *self, const char *frame);

/* A new context for the calling thread, in place of one that it may have; where memory is short
 * that one stays, and NULL is returned. Nothing inside itself (a handler's call): NULL. */
struct tr2_thread *tr2_thread_begin(const char *base, ns_t now);

/* Free the calling thread's context. */
void tr2_thread_end(void);

/* The next thread's name without a context: for a signal handler. */
void tr2_thread_name_next(char out[TR2_THREAD_NAME_MAX + 1]);

/* What a context's `prefix` is made of. */
void tr2_thread_add_prefix(struct tr2_line *out, const char *name);

/* Of another name, and of the present session id; false where memory is short. */
bool tr2_thread_rename(struct tr2_thread *self, int id, const char name[TR2_THREAD_NAME_MAX + 1]);

/* Nothing open, nothing summed up: as if it had begun at `start`. */
void tr2_thread_restart(struct tr2_thread *self, ns_t start);

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
	return self->starts[self->nr_open - 1] ? self->starts[self->nr_open - 1] : now;
}

/* Close all but the thread itself. */
void tr2_thread_unwind(struct tr2_thread *self);

#endif
