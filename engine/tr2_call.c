/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/trace2.h"
#include "engine/tr2_lock.h"
#include "engine/tr2_ring.h"

/* Source file and lines that events about warnings and bugs report, as in Git. */
#define USAGE_FILE   "usage.c"
#define WARNING_LINE 99
#define BUG_LINE     346

int trace2_flag;

const struct tr2_target_ops *const tr2_target_ops[TR2_NR_TARGETS] = {
	[TR2_NORMAL] = &tr2_normal_ops,
	[TR2_PERF] = &tr2_perf_ops,
	[TR2_EVENT] = &tr2_event_ops,
};

struct tr2_thread *tr2_call_first(void)
{
	int saved_errno = errno;
	struct tr2_thread *self = tr2_thread_make_unknown();

	errno = saved_errno;
	return self;
}

bool tr2_call_enter_last(struct tr2_call *call)
{
	struct tr2_thread *self = tr2_thread_current;

	if (self && self->busy.frame) {
		self->busy.frame = NULL;
		self->line.fixed = true;
	}
	return tr2_call_enter(call);
}

bool tr2_call_begin(struct tr2_call *call, enum tr2_event_kind kind, const char *file, int line)
{
	if (!tr2_call_enter(call))
		return false;
	tr2_call_record(call, kind, file, line);
	return true;
}

static int format_message(struct tr2_line *out, const char *fmt, va_list ap)
{
	va_list copy;
	int need;

	va_copy(copy, ap);
	need = vsnprintf(out->data, out->cap, fmt, copy);
	va_end(copy);
	return need;
}

void tr2_call_message(struct tr2_call *call, const char *fmt, va_list ap)
{
	struct tr2_line *message = &call->self->message;
	int need;

	if (!fmt || !*fmt)
		return;
	message->len = 0;
	message->failed = false;
	if (!tr2_line_reserve(message, 256))
		return;
	/* errno is restored for the formatting, because `fmt` may contain %m */
	errno = call->saved_errno;
	need = format_message(message, fmt, ap);
	if (need >= 0 && (size_t)need >= message->cap)
		need = tr2_line_reserve(message, (size_t)need + 1)
			       ? format_message(message, fmt, ap)
			       : -1;
	tr2_record_text(&call->rec, TR2_F_MSG, need >= 0 ? message->data : "");
}

/* If DST_DEBUG is on, print to standard error why `target` failed, and emit an error event. */
static void report_failure(struct tr2_call *call, const struct tr2_target *target, int error)
{
	const char *fmt = "unable to write trace to '%s': %s";
	struct tr2_call other;
	char text[512];

	if (tr2_settings_int(&tr2_state.settings, TR2_S_DST_DEBUG) <= 0)
		return;
	snprintf(text, sizeof(text), fmt, target->variable, strerror(error));
	dprintf(STDERR_FILENO, "warning: %s\n", text);
	other.self = call->self;
	tr2_call_record(&other, TR2_E_ERROR, USAGE_FILE, WARNING_LINE);
	tr2_record_text(&other.rec, TR2_F_MSG, text);
	tr2_record_text(&other.rec, TR2_F_FMT, fmt);
	tr2_call_emit(&other);
}

static TR2_HOT_PART void target_write_line(struct tr2_call *call, struct tr2_target *target,
					   struct tr2_line *line)
{
	size_t len = line->len;
	int error;

	if (line->failed || !len)
		return;
	if (line->data[len - 1] != '\n')
		/* no space check: a formatted line has free bytes of its slack */
		line->data[len++] = '\n';
	error = tr2_dst_write(&target->dst, line->data, len);
	if (__builtin_expect(error, 0))
		report_failure(call, target, error);
}

/* Find a ring for a thread that has none. Returns false if the event must be written as a line;
 * true with NULL in `*ring` if it must be dropped. */
static bool thread_find_ring(struct tr2_call *call, struct tr2_target *target,
			     struct tr2_ring **ring)
{
	sigset_t before;

	*ring = NULL;
	if (!tr2_ring_is_alive()) {
		if (call->rec.kind == TR2_E_SIGNAL)
			/* a signal handler must not take the lock that tr2_ring_renew() needs */
			return true;
		tr2_lock(&before);
		tr2_ring_renew(target);
		tr2_unlock(&before);
		if (!target->rings)
			return false;
	}
	*ring = tr2_ring_claim(call->self);
	return true;
}

/* Write the record to the thread's ring, or drop it if the thread gets none. Returns false if the
 * record must be written as a line. */
static TR2_HOT_PART bool emit_to_ring(struct tr2_call *call, struct tr2_target *target)
{
	struct tr2_thread *self = call->self;
	struct tr2_ring *ring = self->ring;

	if (__builtin_expect(!ring || __atomic_load_n(&ring->owner, __ATOMIC_RELAXED) != self, 0) &&
	    !thread_find_ring(call, target, &ring))
		return false;
	if (__builtin_expect(ring != NULL, 1))
		tr2_ring_write(ring, self, &call->rec, target->brief);
	return true;
}

static TR2_HOT_PART void emit_to(struct tr2_call *call, unsigned i)
{
	struct tr2_target *target = &tr2_state.targets[i];
	struct tr2_line *line = &call->self->line;

	if (target->rings && emit_to_ring(call, target))
		return;
	line->len = 0;
	line->failed = false;
	tr2_target_ops[i]->format(line, &call->rec, call->self, target->brief);
	target_write_line(call, target, line);
	if (__builtin_expect(line->cap > TR2_LINE_KEEP_BYTES, 0) && !line->fixed)
		tr2_line_release(line);
}

static bool target_prints(unsigned i, unsigned targets)
{
	return targets & (4u >> i) && tr2_dst_is_on(&tr2_state.targets[i].dst);
}

static void check_destinations(struct tr2_call *call)
{
	for (unsigned i = 0; i < TR2_NR_TARGETS; i++) {
		struct tr2_target *target = &tr2_state.targets[i];
		bool look = tr2_dst_is_on(&target->dst) && !target->rings;
		int error = look ? tr2_dst_check(&target->dst) : 0;

		if (error)
			report_failure(call, target, error);
	}
}

/* After this interval, a thread's next event checks the destinations. */
#define CHECK_INTERVAL_NS (250 * NS_PER_US)

static TR2_HOT_PART void record_set_times(struct tr2_call *call)
{
	struct tr2_clock_text *clock = &call->self->clock;
	ns_t now = call->now ? call->now : tr2_ticks_now(&call->self->ticks);

	call->rec.at = now;
	if (__builtin_expect(now < clock->check_at, 1)) {
		call->rec.wall = now + clock->ahead;
		return;
	}
	clock->check_at = now + CHECK_INTERVAL_NS;
	check_destinations(call);
	call->rec.wall = tr2_clock_text_wall(clock, now);
}

static void emit_to_texts(struct tr2_call *call, unsigned targets)
{
	for (unsigned i = 0; i < TR2_EVENT; i++)
		if (target_prints(i, targets))
			emit_to(call, i);
}

TR2_HOT void tr2_call_emit_to(struct tr2_call *call, unsigned targets)
{
	const struct tr2_target *target = tr2_state.targets;

	record_set_times(call);
	/* Both text targets are usually off, so a single branch tests both. */
	if ((unsigned)tr2_dst_is_on(&target[TR2_NORMAL].dst) |
	    (unsigned)tr2_dst_is_on(&target[TR2_PERF].dst))
		emit_to_texts(call, targets);
	if (target_prints(TR2_EVENT, targets))
		emit_to(call, TR2_EVENT);
}

void tr2_call_emit(struct tr2_call *call)
{
	tr2_call_emit_to(call, tr2_events[call->rec.kind].targets);
}

void tr2_call_emit_own(struct tr2_call *call, enum tr2_own own)
{
	unsigned targets = tr2_events[call->rec.kind].targets;

	call->rec.at = tr2_clock_monotonic();
	call->rec.wall = tr2_clock_wall();
	check_destinations(call);
	for (unsigned i = 0; i < TR2_NR_TARGETS; i++) {
		const struct tr2_target_ops *ops = tr2_target_ops[i];
		const int lines[] = {
			[TR2_OWN_SIGNAL] = ops->own_line.signal,
			[TR2_OWN_ATEXIT] = ops->own_line.atexit,
			[TR2_OWN_TIMER] = ops->own_line.timer,
			[TR2_OWN_COUNTER] = ops->own_line.counter,
		};

		call->rec.file = ops->own_file;
		call->rec.line = lines[own];
		if (target_prints(i, targets))
			emit_to(call, i);
	}
}

void tr2_call_end(struct tr2_call *call)
{
	tr2_call_emit(call);
	tr2_call_leave(call);
}

void tr2_call_bug(struct tr2_call *call, const char *fmt, const char *arg)
{
	char text[256];

	/* -Wformat-nonliteral: the formats are the engine's own, each with one %s. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), fmt, arg);
#pragma GCC diagnostic pop
	tr2_call_record(call, TR2_E_ERROR, USAGE_FILE, BUG_LINE);
	tr2_record_text(&call->rec, TR2_F_MSG, text);
	tr2_record_text(&call->rec, TR2_F_FMT, fmt);
	tr2_call_emit(call);
	tr2_call_leave(call);
	if (tr2_state.bug)
		tr2_state.bug(text);
}
