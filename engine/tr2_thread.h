/* SPDX-License-Identifier: MIT */
/*
 * Context of a thread, such as its name, stack of open regions, timers and line buffers. Threads
 * share none of this, so it needs no lock.
 *
 * A context is created by trace2_thread_start() or at the thread's first API call, for the main
 * thread by trace2_initialize(). It is freed by trace2_thread_exit(), by another
 * trace2_thread_start() or when the thread ends.
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

/* Maximum length of a thread name in bytes. Truncation may cut a UTF-8 character in two. */
#define TR2_THREAD_NAME_MAX 24

/* Length of `event` in struct tr2_clock_text, the cached date and time up to the second. */
#define TR2_CLOCK_EVENT_LEN 29

struct tr2_clock_text {
	int64_t sec;    /* second of the wall clock whose text is cached; INT64_MIN: none */
	char event[32]; /* the cached text of that second: ,"time":"YYYY-MM-DDTHH:MM:SS. */
	/* monotonic time at which the destinations and clocks are checked next */
	ns_t check_at;
	ns_t ahead;       /* wall clock minus monotonic clock, in ns */
	ns_t ahead_until; /* monotonic time until which `ahead` is valid */
	/* second of the wall clock whose local time is cached, for the text targets; INT64_MIN:
	 * none */
	int64_t local_sec;
	char local[9];  /* cached text of local time: HH:MM:SS */
	int64_t offset; /* local time minus UTC, in seconds */
	/* quarter of an hour since the epoch for which `offset` holds; TR2_OFFSET_KEPT: all */
	int64_t offset_slot;
};

#define TR2_OFFSET_KEPT INT64_MAX

/*
 * Marks a call of this thread that is in progress. A signal handler may jump out of the call
 * (siglongjmp), which leaves `frame` set although the call is over; tr2_thread_end_call() detects
 * that.
 */
struct tr2_busy {
	/* stack address of the call in progress; NULL: none */
	const char *frame;
	unsigned nr;
	unsigned suspected; /* `nr` of the call that a signal handler may have abandoned */
	/* monotonic time at which the call `suspected` was first suspected to be over */
	ns_t suspected_at;
};

/* Context of a thread. Members that event lines use come first, to share cache lines. */
struct tr2_thread {
	int *errno_at;
	struct tr2_busy busy;
	/* start of each open region, monotonic; 0: unknown, or the region is not printed */
	ns_t *starts;
	unsigned nr_open; /* number of open regions, including the thread itself */
	unsigned cap_open;
	/* text ","sid":"...","thread":"..." of this thread's events, followed by TR2_LINE_SLACK
	 * bytes */
	char *prefix;
	size_t prefix_len;
	struct tr2_line line;
	/* the ring that this thread writes to, if the ring's `owner` is this thread; NULL: none */
	struct tr2_ring *ring;
	bool stale; /* in a forked child with its own session: the context must be updated */
	struct tr2_ticks ticks;
	struct tr2_clock_text clock;
	int id; /* number of the thread; 0: the main thread */
	char name[TR2_THREAD_NAME_MAX + 1];
	struct tr2_line message;
	struct tr2_sums sums;
};

/* Context of the calling thread, or NULL if it has none. */
extern __thread struct tr2_thread *tr2_thread_current __attribute__((tls_model("initial-exec")));

/* Create a context named "thNN:unknown" for the calling thread, which has none. Returns NULL on
 * failure. */
struct tr2_thread *tr2_thread_make_unknown(void);

/* Create the context of the main thread. `start` is the monotonic start of the process. Call before
 * any other context is created. Returns false if out of memory. */
bool tr2_thread_init_main(ns_t start);

/* True if the API call in progress seems to be over, because a signal handler jumped out of it. The
 * memory that the call uses is kept if the call might resume nevertheless. */
bool tr2_thread_end_call(struct tr2_thread *self, const char *frame);

/*
 * Create a new context for the calling thread, which replaces the current one. Returns NULL on
 * failure, and in a signal handler that interrupted an API call, or the creation or freeing of a
 * context.
 */
struct tr2_thread *tr2_thread_begin(const char *base, ns_t now);

void tr2_thread_end(void);

/* Make a name, "thNN:unknown" with the next number, for a thread without a context. For use in a
 * signal handler. */
void tr2_thread_name_next(char out[TR2_THREAD_NAME_MAX + 1]);

/* Append the text of struct tr2_thread's member `prefix` for a thread called `name`. */
void tr2_thread_add_prefix(struct tr2_line *out, const char *name);

/* Set the thread's name, and its `prefix` with the current session id. Returns false if out of
 * memory. */
bool tr2_thread_rename(struct tr2_thread *self, int id, const char name[TR2_THREAD_NAME_MAX + 1]);

/* Reset the thread's regions and sums, as if the thread had started at `start`. */
void tr2_thread_restart(struct tr2_thread *self, ns_t start);

/* Make space for the start times of more open regions. Returns false on failure. */
bool tr2_thread_grow(struct tr2_thread *self);

/* Open a region that began at `start`. If out of memory, the region is counted without its
 * start. */
static inline void tr2_thread_push(struct tr2_thread *self, ns_t start)
{
	if (__builtin_expect(self->nr_open < self->cap_open, 1) || tr2_thread_grow(self))
		self->starts[self->nr_open] = start;
	self->nr_open++;
}

/* Return the start of the innermost open region; `now` if it is unknown or no region is open. */
static inline ns_t tr2_thread_top(const struct tr2_thread *self, ns_t now)
{
	if (!self->nr_open || self->nr_open > self->cap_open)
		return now;
	return self->starts[self->nr_open - 1] ? self->starts[self->nr_open - 1] : now;
}

/* Close all open regions except the thread itself. */
void tr2_thread_unwind(struct tr2_thread *self);

#endif
