/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/tr2_state.h"

#define FIRST_OPEN 100

__thread struct tr2_thread *tr2_thread_current;

static pthread_key_t key;
static bool have_key;
static int last_id;

static void thread_context_free(struct tr2_thread *self)
{
	tr2_ring_release(self);
	tr2_line_release(&self->line);
	tr2_line_release(&self->message);
	free(self->starts);
	free(self->prefix);
	free(self);
}

static void on_thread_end(void *data)
{
	struct tr2_thread *self = tr2_thread_current;

	tr2_thread_current = NULL;
	if (self && self != data)
		thread_context_free(self);
	thread_context_free(data);
}

void tr2_thread_add_prefix(struct tr2_line *out, const char *name)
{
	const char *sid = __atomic_load_n(&tr2_state.sid, __ATOMIC_ACQUIRE);

	TR2_LINE_LIT(out, "\",\"sid\":\"");
	tr2_line_json(out, sid, strlen(sid));
	TR2_LINE_LIT(out, "\",\"thread\":\"");
	tr2_line_json(out, name, strlen(name));
	tr2_line_ch(out, '"');
}

static bool make_prefix(struct tr2_thread *self)
{
	struct tr2_line line = { 0 };
	char *old = self->prefix;

	tr2_thread_add_prefix(&line, self->name);
	if (line.failed) {
		tr2_line_release(&line);
		return false;
	}
	self->prefix = line.data;
	self->prefix_len = line.len;
	free(old);
	return true;
}

static struct tr2_thread *thread_context_new(int id, const char *name, ns_t start)
{
	struct tr2_thread *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->id = id;
	self->errno_at = &errno;
	self->stale = tr2_state.forked;
	self->line.home = &self->line;
	self->message.home = &self->message;
	memcpy(self->name, name, TR2_THREAD_NAME_MAX + 1);
	self->starts = malloc(FIRST_OPEN * sizeof(*self->starts));
	if (!self->starts || !make_prefix(self) || !tr2_line_reserve(&self->line, 0)) {
		thread_context_free(self);
		return NULL;
	}
	self->cap_open = FIRST_OPEN;
	self->nr_open = 1;
	self->starts[0] = start;
	self->clock.sec = self->clock.local_sec = INT64_MIN;
	self->clock.offset_slot = INT64_MIN;
	return self;
}

/* Make `self` the thread's context (NULL: none) and free the previous one. */
static void thread_install(struct tr2_thread *self)
{
	struct tr2_thread *before = tr2_thread_current;
	bool noted = !have_key || !pthread_setspecific(key, self);

	tr2_thread_current = self;
	/* If pthread_setspecific() failed, the previous context is freed when the thread ends. */
	if (before && noted)
		thread_context_free(before);
}

bool tr2_thread_init_main(ns_t start)
{
	char name[TR2_THREAD_NAME_MAX + 1] = "main";

	struct tr2_thread *self = thread_context_new(0, name, start);

	if (!self)
		return false;
	have_key = have_key || !pthread_key_create(&key, on_thread_end);
	thread_install(self);
	return true;
}

static int format_thread_name(char out[TR2_THREAD_NAME_MAX + 1], const char *base)
{
	int id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);

	memset(out, 0, TR2_THREAD_NAME_MAX + 1);
	/* snprintf() may truncate the name; that is intended. */
	if (snprintf(out, TR2_THREAD_NAME_MAX + 1, "th%02d:%s", id, base) < 0)
		out[0] = '\0';
	return id;
}

void tr2_thread_name_next(char out[TR2_THREAD_NAME_MAX + 1])
{
	format_thread_name(out, "unknown");
}

#define FRAME_SLACK 512

/*
 * True if the call that `busy` marks is assumed to be over, as seen from `frame` of the same
 * thread: the call's place on the stack is in use again, or a second has passed since the call was
 * first suspected to be over. False on an alternate stack.
 */
static bool busy_is_over(struct tr2_busy *busy, const char *frame)
{
	stack_t alternate;
	ns_t now;

	if (!sigaltstack(NULL, &alternate) && alternate.ss_flags & SS_ONSTACK)
		return false;
	if ((uintptr_t)frame + FRAME_SLACK >= (uintptr_t)busy->frame)
		return true;
	now = tr2_clock_monotonic();
	if (busy->suspected != busy->nr || !busy->suspected_at) {
		busy->suspected = busy->nr;
		busy->suspected_at = now;
	}
	return now - busy->suspected_at >= NS_PER_SEC;
}

bool tr2_thread_end_call(struct tr2_thread *self, const char *frame)
{
	if (!busy_is_over(&self->busy, frame))
		return false;
	if ((uintptr_t)frame < (uintptr_t)self->busy.frame)
		self->line.kept = self->message.kept = true;
	return true;
}

/* Marks the creation or freeing of a context in this thread: in a signal handler that interrupts
 * it, the heap may be inconsistent. */
static __thread struct tr2_busy changing __attribute__((tls_model("initial-exec")));

static bool change_begin(const char *frame)
{
	if (changing.frame && !busy_is_over(&changing, frame))
		return false;
	changing.frame = frame;
	changing.nr++;
	return true;
}

struct tr2_thread *tr2_thread_begin(const char *base, ns_t now)
{
	const char *frame = __builtin_frame_address(0);
	struct tr2_thread *self = tr2_thread_current;
	char name[TR2_THREAD_NAME_MAX + 1];

	if (self && self->busy.frame && !tr2_thread_end_call(self, frame))
		return NULL;
	if (!change_begin(frame))
		return NULL;
	self = thread_context_new(format_thread_name(name, base), name, now);
	if (self)
		thread_install(self);
	changing.frame = NULL;
	return self;
}

struct tr2_thread *tr2_thread_make_unknown(void)
{
	return tr2_thread_begin("unknown", tr2_clock_monotonic());
}

void tr2_thread_end(void)
{
	if (!change_begin(__builtin_frame_address(0)))
		return;
	thread_install(NULL);
	changing.frame = NULL;
}

bool tr2_thread_grow(struct tr2_thread *self)
{
	size_t cap = self->cap_open;
	ns_t *starts, *old = self->starts;

	while (cap <= self->nr_open)
		cap *= 2;
	if (cap > UINT_MAX || cap > SIZE_MAX / sizeof(*starts))
		return false;
	starts = calloc(cap, sizeof(*starts));
	if (!starts)
		return false;
	memcpy(starts, old, self->cap_open * sizeof(*starts));
	self->starts = starts;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->cap_open = (unsigned)cap;
	if (!self->line.kept)
		free(old);
	return true;
}

void tr2_thread_unwind(struct tr2_thread *self)
{
	if (self->nr_open > 1)
		self->nr_open = 1;
}

bool tr2_thread_rename(struct tr2_thread *self, int id, const char name[TR2_THREAD_NAME_MAX + 1])
{
	memmove(self->name, name, TR2_THREAD_NAME_MAX + 1);
	self->id = id;
	tr2_ring_renamed(self);
	return make_prefix(self);
}

void tr2_thread_restart(struct tr2_thread *self, ns_t start)
{
	self->nr_open = 1;
	self->starts[0] = start;
	memset(&self->sums, 0, sizeof(self->sums));
}
