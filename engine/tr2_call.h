/* SPDX-License-Identifier: MIT */
/*
 * The frame of every API call that emits: begin a record, fill its fields, end it. In between
 * the thread counts as busy, so that a signal handler which calls the API as well cannot spoil
 * the line being made; what it emits is left out.
 *
 *	struct tr2_call call;
 *
 *	if (!tr2_call_begin(&call, TR2_E_CMD_MODE, file, line))
 *		return;
 *	tr2_record_text(&call.rec, TR2_F_NAME, mode);
 *	tr2_call_end(&call);
 */
#ifndef TR2_CALL_H
#define TR2_CALL_H

#include <stdarg.h>
#include <stdbool.h>

#include "engine/trace2.h"
#include "engine/tr2_state.h"
#include "engine/tr2_target.h"
#include "engine/tr2_thread.h"

/*
 * What every line passes through. The kernel leaves little of our code in the caches and
 * nothing in the predictor of returns, so what belongs together lies together (HOT), and its
 * parts are part of their callers whatever the compiler thinks of their size (HOT_PART).
 */
#define TR2_HOT      __attribute__((hot))
#define TR2_HOT_PART inline __attribute__((always_inline))

struct tr2_call {
	struct tr2_thread *self;
	ns_t now; /* monotonic; 0 for an event without times */
	int saved_errno;
	struct tr2_record rec;
};

/* Which of a target's own places an event comes from. */
enum tr2_own {
	TR2_OWN_SIGNAL,
	TR2_OWN_ATEXIT,
	TR2_OWN_TIMER,
	TR2_OWN_COUNTER,
};

/*
 * The last frame of this thread: a call that a handler interrupted and which ended the process
 * will not go on, so its context is free; its heap may not be.
 */
bool tr2_call_enter_last(struct tr2_call *call);

/*
 * The first call of a thread in a forked child that is to have its own session id; leaves the
 * frame and returns false where memory is short. The next call tries again.
 */
bool tr2_fork_renew(struct tr2_call *call);

/* Whether tracing is on, seen with everything that trace2_initialize() did before. */
static inline bool tr2_is_on(void)
{
	return __atomic_load_n(&trace2_flag, __ATOMIC_ACQUIRE);
}

/* Make the context of a thread that has none; NULL where memory is short. Keeps errno. */
struct tr2_thread *tr2_call_first(void);

/*
 * The frame alone, without a record: false where tracing is off, memory is short, or the thread
 * is busy. Leave it with tr2_call_leave().
 */
static inline bool tr2_call_enter(struct tr2_call *call)
{
	const char *frame = __builtin_frame_address(0);
	struct tr2_thread *self;

	if (!tr2_is_on())
		return false;
	self = tr2_thread_current;
	if (__builtin_expect(!self, 0))
		self = tr2_call_first();
	if (__builtin_expect(!self || (self->busy.frame && !tr2_thread_take_over(self, frame)), 0))
		return false;
	self->busy.frame = frame;
	self->busy.nr++;
	call->self = self;
	call->saved_errno = *self->errno_at;
	return __builtin_expect(!self->stale, 1) || tr2_fork_renew(call);
}

static inline void tr2_call_leave(struct tr2_call *call)
{
	call->self->busy.frame = NULL;
	*call->self->errno_at = call->saved_errno;
}

/* Set the record's clock reading, and t_abs where the row has it. */
static inline void tr2_call_at(struct tr2_call *call, ns_t now)
{
	struct tr2_record *rec = &call->rec;

	call->now = now;
	rec->abs_us = now / NS_PER_US - tr2_state.start / NS_PER_US;
	rec->v[TR2_F_T_ABS].num = rec->abs_us;
	rec->mask |= TR2_BIT(T_ABS);
}

/* Set t_rel: from `since` to the clock reading. */
static inline void tr2_call_since(struct tr2_call *call, ns_t since)
{
	struct tr2_record *rec = &call->rec;

	rec->rel_us = call->now / NS_PER_US - since / NS_PER_US;
	rec->v[TR2_F_T_REL].num = rec->rel_us;
	rec->mask |= TR2_BIT(T_REL);
}

/* A record inside a frame; reads the clock where the row has times. */
static inline void tr2_call_record(struct tr2_call *call, enum tr2_event_kind kind,
				   const char *file, int line)
{
	struct tr2_record *rec = &call->rec;

	rec->kind = kind;
	rec->file = file;
	rec->line = line;
	rec->mask = 0;
	rec->git_cmd = false;
	rec->json_pretty = false;
	rec->redact = tr2_events[kind].redact && tr2_state.redact;
	call->now = 0;
	if (tr2_events[kind].times != TR2_TIMES_NONE)
		tr2_call_at(call, tr2_ticks_now(&call->self->ticks));
}

/* Both at once. */
bool tr2_call_begin(struct tr2_call *call, enum tr2_event_kind kind, const char *file, int line);

/* Format the host's message into the record; nothing where `fmt` is NULL or empty. `ap` is as it
 * was afterwards. */
void tr2_call_message(struct tr2_call *call, const char *fmt, va_list ap);

/* Write the record to the targets that print it; `targets` are bits of enum tr2_targets. */
void tr2_call_emit_to(struct tr2_call *call, unsigned targets);
void tr2_call_emit(struct tr2_call *call);
/* The same as coming from the target itself. */
void tr2_call_emit_own(struct tr2_call *call, enum tr2_own own);

/* Emit and leave. */
void tr2_call_end(struct tr2_call *call);

/*
 * th_timer and th_counter of the calling thread, whose sums then go into the totals; timer and
 * counter of the process. Inside a frame.
 */
void tr2_emit_thread_sums(struct tr2_call *call);
void tr2_emit_totals(struct tr2_call *call);

/* The host did what it must not: an `error` event, then the host's handler. Inside a frame. */
void tr2_call_bug(struct tr2_call *call, const char *fmt, const char *arg);

#endif
