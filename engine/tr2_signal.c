/* SPDX-License-Identifier: MIT */
/*
 * Report death by SIGPIPE, the only signal that Git reports. The handler may interrupt anything,
 * including the formatting of a line, and may run on a small stack. It therefore uses a thread
 * context of its own in newly mapped memory, and borrows the thread's ring. It does not use the
 * heap or take a lock.
 */
#include "config.h"
#include "engine/tr2_state.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/base/platform.h"
#include "engine/tr2_call.h"

/* A temporary thread context for the signal handler; the thread's own may be inconsistent. */
struct stand_in {
	struct tr2_thread self;
	struct tr2_call call;
	size_t nr_bytes; /* size in bytes of the mapping that contains this struct */
	/* memory for the text of the thread's prefix, followed by memory for the line */
	char memory[];
};

/* Allocate the temporary context by mmap(). Its line must hold a session id in which every byte is
 * escaped, and in the perf target two dots per open region. */
static struct stand_in *stand_in_new(void)
{
	size_t id = strlen(tr2_state.sid) + TR2_THREAD_NAME_MAX;
	unsigned nr_open = tr2_thread_current ? tr2_thread_current->nr_open : 0;
	size_t prefix_cap = TR2_JSON_GROWTH * id + 2 * TR2_LINE_SLACK;
	size_t line_cap = prefix_cap + 2 * (size_t)nr_open + 2 * TR2_LINE_SLACK;
	size_t nr_bytes = sizeof(struct stand_in) + prefix_cap + line_cap;
	struct stand_in *in = tr2_platform_map_zeros(nr_bytes);

	if (!in)
		return NULL;
	in->nr_bytes = nr_bytes;
	in->self.prefix = in->memory;
	in->self.line = (struct tr2_line){ .data = in->memory + prefix_cap,
					   .cap = line_cap,
					   .fixed = true };
	return in;
}

static void copy_thread_state(struct tr2_thread *self)
{
	const struct tr2_thread *real = tr2_thread_current;
	struct tr2_line prefix = { .data = self->prefix, .fixed = true };

	prefix.cap = (size_t)(self->line.data - self->prefix);
	self->errno_at = &errno;
	self->clock.sec = self->clock.local_sec = INT64_MIN;
	/* The time zone must not be read: that takes the engine's lock. */
	self->clock.offset_slot = TR2_OFFSET_KEPT;
	if (real) {
		memcpy(self->name, real->name, sizeof(self->name));
		self->nr_open = real->nr_open;
		self->clock.offset = real->clock.offset;
	} else {
		tr2_thread_name_next(self->name);
		self->nr_open = 1;
	}
	tr2_thread_add_prefix(&prefix, self->name);
	self->prefix_len = prefix.len;
}

static void emit_signal(int signo)
{
	struct stand_in *in = stand_in_new();

	if (!in)
		return;
	copy_thread_state(&in->self);
	in->call.self = &in->self;
	tr2_call_record(&in->call, TR2_E_SIGNAL, NULL, 0);
	tr2_record_num(&in->call.rec, TR2_F_SIGNO, signo);
	tr2_ring_transfer(tr2_thread_current, &in->self);
	tr2_call_emit_own(&in->call, TR2_OWN_SIGNAL);
	tr2_ring_transfer(&in->self, tr2_thread_current);
	munmap(in, in->nr_bytes);
}

static void on_sigpipe(int signo)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	int saved_errno = errno;

	/* A forked child that gets its own session writes no signal event before the session
	 * exists. */
	if (tr2_is_on() && tr2_fork_has_session())
		emit_signal(signo);
	sigemptyset(&dfl.sa_mask);
	sigaction(signo, &dfl, NULL);
	raise(signo);
	errno = saved_errno;
}

void tr2_signal_watch(void)
{
	struct sigaction now, ours = { .sa_handler = on_sigpipe };

	sigemptyset(&ours.sa_mask);
	if (!sigaction(SIGPIPE, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
	    now.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &ours, NULL);
}
