/* SPDX-License-Identifier: MIT */
/*
 * Helpers for API calls that emit events. Between begin and end the thread is marked busy: an API
 * call of a signal handler then emits nothing, because it could corrupt the line being formatted.
 * Process exit is an exception.
 *
 * 	struct tr2_call call;
 *
 * 	if (!tr2_call_begin(&call, TR2_E_CMD_MODE, file, line))
 * 		return;
 * 	tr2_record_text(&call.rec, TR2_F_NAME, mode);
 * 	tr2_call_end(&call);
 */
#ifndef TR2_CALL_H
#define TR2_CALL_H

#include <stdarg.h>
#include <stdbool.h>

#include "engine/trace2.h"
#include "engine/tr2_state.h"
#include "engine/tr2_target.h"
#include "engine/tr2_thread.h"

/* Attributes of functions on the hot path of regions and data: the linker places TR2_HOT functions
 * together; TR2_HOT_PART functions are inlined. */
#define TR2_HOT      __attribute__((hot))
#define TR2_HOT_PART inline __attribute__((always_inline))

struct tr2_call {
	struct tr2_thread *self;
	ns_t now; /* monotonic time of the event; 0: not read */
	int saved_errno;
	struct tr2_record rec;
};

/* Events for which each target reports a source file and line of its own. */
enum tr2_own {
	TR2_OWN_SIGNAL,
	TR2_OWN_ATEXIT,
	TR2_OWN_TIMER,
	TR2_OWN_COUNTER,
};

/*
 * Begin an API call at process exit, in the thread that exits. An interrupted API call of the
 * thread never resumes, so the thread's context may be used; but the memory of its line is kept,
 * because the heap may be inconsistent. Returns false like tr2_call_enter().
 */
bool tr2_call_enter_last(struct tr2_call *call);

/*
 * In a forked child that gets its own session id: create the session if there is none yet, and
 * update the thread's context. On failure, ends the call and returns false; the next API call tries
 * again.
 */
bool tr2_fork_renew(struct tr2_call *call);

/* True if tracing is on. The caller then sees what trace2_initialize() wrote before it set
 * trace2_flag. */
static inline bool tr2_is_on(void)
{
	return __atomic_load_n(&trace2_flag, __ATOMIC_ACQUIRE);
}

/* Create the context of the calling thread, which has none. Returns NULL on failure. Preserves
 * errno. */
struct tr2_thread *tr2_call_first(void);

/*
 * Begin an API call. Returns false if tracing is off, if the thread has no context and none can be
 * created, if the thread is in an API call already, or if tr2_fork_renew() fails. Otherwise end the
 * call with tr2_call_leave().
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
	if (__builtin_expect(!self || (self->busy.frame && !tr2_thread_end_call(self, frame)), 0))
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

static inline void tr2_call_at(struct tr2_call *call, ns_t now)
{
	struct tr2_record *rec = &call->rec;

	call->now = now;
	rec->abs_us = now / NS_PER_US - tr2_state.start / NS_PER_US;
	rec->v[TR2_F_T_ABS].num = rec->abs_us;
	rec->mask |= TR2_BIT(T_ABS);
}

static inline void tr2_call_since(struct tr2_call *call, ns_t since)
{
	struct tr2_record *rec = &call->rec;

	rec->rel_us = call->now / NS_PER_US - since / NS_PER_US;
	rec->v[TR2_F_T_REL].num = rec->rel_us;
	rec->mask |= TR2_BIT(T_REL);
}

/* Begin a record of an event kind, after tr2_call_enter(). Sets the record's time if the event kind
 * has times. */
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

/* tr2_call_enter(), then tr2_call_record(). */
bool tr2_call_begin(struct tr2_call *call, enum tr2_event_kind kind, const char *file, int line);

/* Format the host program's message into the record. Does nothing if `fmt` is NULL or empty. On
 * failure, the record has no message or an empty one. `ap` is copied. */
void tr2_call_message(struct tr2_call *call, const char *fmt, va_list ap);

/* Write the record to the targets of its event kind that are on; tr2_call_emit_to(): to those in
 * `targets` (bits of enum tr2_targets) that are on. */
void tr2_call_emit_to(struct tr2_call *call, unsigned targets);
void tr2_call_emit(struct tr2_call *call);
/* Like tr2_call_emit(), but each target reports its own source file and line for `own`. */
void tr2_call_emit_own(struct tr2_call *call, enum tr2_own own);

/* tr2_call_emit(), then tr2_call_leave(). */
void tr2_call_end(struct tr2_call *call);

/*
 * tr2_emit_thread_sums(): emit th_timer and th_counter events and add the calling thread's sums to
 * those of the process. tr2_emit_totals(): emit timer and counter events. Call after
 * tr2_call_enter().
 */
void tr2_emit_thread_sums(struct tr2_call *call);
void tr2_emit_totals(struct tr2_call *call);

/* Report that the host program misuses the API: emit an `error` event, then call the handler of
 * trace2_set_bug_handler(), if any. Call after tr2_call_enter(); ends the API call. */
void tr2_call_bug(struct tr2_call *call, const char *fmt, const char *arg);

#endif
