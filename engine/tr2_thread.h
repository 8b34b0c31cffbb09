/* SPDX-License-Identifier: MIT */
/*
 * Context of a thread: its name, stack of open regions, timers and counters, and line buffers.
 * Nothing is shared, so nothing is locked.
 *
 * A context is created at thread_start or at the thread's first event, and freed at thread_exit or
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

/* Maximum length of a thread name in bytes. Truncation may split a character. */
#define TR2_THREAD_NAME_MAX 24

/* A second as cached text, so that only the microseconds are formatted per event. */
#define TR2_CLOCK_EVENT_LEN 29

struct tr2_clock_text {
	int64_t sec;       /* the cached second; INT64_MIN: none */
	char event[32];    /* ,"time":"YYYY-MM-DDTHH:MM:SS. */
	ns_t check_at;     /* monotonic; check destinations and clocks at this time */
	ns_t ahead;        /* wall clock minus monotonic clock */
	ns_t ahead_until;  /* monotonic; `ahead` is valid until this time */
	int64_t local_sec; /* the cached second of local time, for the text targets */
	char local[9];     /* HH:MM:SS */
	int64_t offset;    /* local time minus UTC, in seconds */
	int64_t offset_slot;
};

/*
 * Marks a call of this thread that is in progress. Events that a signal handler emits meanwhile are
 * dropped. The handler may jump out of the call (siglongjmp), which leaves `frame` set although the
 * call is over; tr2_thread_end_call() detects that.
 */
struct tr2_busy {
	const char *frame;  /* stack address of the call; NULL: no call in progress */
	unsigned nr;        /* calls so far */
	unsigned suspected; /* the suspected call, a value of `nr` */
	ns_t suspected_at;  /* monotonic; when it was suspected first */
};

/*
 * Members that every event line uses come first: a system call evicts most of it from the caches.
 */
struct tr2_thread {
	int *errno_at; /* address of this thread's errno */
	struct tr2_busy busy;
	ns_t *starts;     /* start of each open region; monotonic; 0: not printed or unknown */
	unsigned nr_open; /* open regions; the thread itself is the first */
	unsigned cap_open;
	char *prefix; /* ","sid":"...","thread":"..." of an event; followed by the line's slack */
	size_t prefix_len;
	struct tr2_line line;  /* the line being formatted */
	struct tr2_ring *ring; /* the ring in use, if this thread is its owner; NULL: none */
	bool stale;            /* in a forked session: name and prefix must be updated */
	struct tr2_ticks ticks;
	struct tr2_clock_text clock;
	int id; /* 0: the main thread */
	char name[TR2_THREAD_NAME_MAX + 1];
	struct tr2_line message; /* the host's formatted message */
	struct tr2_sums sums;
};

/* Context of the calling thread, or NULL. */
extern __thread struct tr2_thread *tr2_thread_current __attribute__((tls_model("initial-exec")));

/*
 * Return the context of the calling thread. If it has none, create one named "thNN:unknown".
 * Returns NULL if out of memory.
 */
struct tr2_thread *tr2_thread_make_unknown(void);

/*
 * Create the context of the main thread. `start` is the start of the process. Call once, before
 * creating any other.
 */
bool tr2_thread_init_main(ns_t start);

/* End the recorded call if it cannot be in progress any more. Returns false if it may be. */
bool tr2_thread_end_call(struct tr2_thread *self, const char *frame);

/*
 * Create a new context for the calling thread, which replaces the current one. If out of memory,
 * keep the current one and return NULL. Within a call (from a handler), returns NULL.
 */
struct tr2_thread *tr2_thread_begin(const char *base, ns_t now);

/* Free the calling thread's context. */
void tr2_thread_end(void);

/* Get the name of the next thread without a context, for a signal handler. */
void tr2_thread_name_next(char out[TR2_THREAD_NAME_MAX + 1]);

/* Append the text of a context's `prefix`. */
void tr2_thread_add_prefix(struct tr2_line *out, const char *name);

/* Set the name, with the current session id. Returns false if out of memory. */
bool tr2_thread_rename(struct tr2_thread *self, int id, const char name[TR2_THREAD_NAME_MAX + 1]);

/* Close all regions and reset all sums, as if the thread had started at `start`. */
void tr2_thread_restart(struct tr2_thread *self, ns_t start);

/* Make space for more open regions. Returns false if out of memory. */
bool tr2_thread_grow(struct tr2_thread *self);

/*
 * Open a region that began at `start`. If out of memory, the region is counted, but its start is
 * not recorded.
 */
static inline void tr2_thread_push(struct tr2_thread *self, ns_t start)
{
	if (__builtin_expect(self->nr_open < self->cap_open, 1) || tr2_thread_grow(self))
		self->starts[self->nr_open] = start;
	self->nr_open++;
}

/* Return the start of the innermost open region; `now` if none is open. */
static inline ns_t tr2_thread_top(const struct tr2_thread *self, ns_t now)
{
	if (!self->nr_open || self->nr_open > self->cap_open)
		return now;
	return self->starts[self->nr_open - 1] ? self->starts[self->nr_open - 1] : now;
}

/* Close all regions except the thread itself. */
void tr2_thread_unwind(struct tr2_thread *self);

#endif
