/* SPDX-License-Identifier: MIT */
/*
 * Death by SIGPIPE: the one signal of which Git tells. The handler may interrupt anything, the
 * making of a line included, so it takes nothing but names from the thread's context and makes
 * its lines on the stack; no memory is allocated and no lock taken.
 */
#include "config.h"
#include "engine/tr2_state.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "engine/tr2_call.h"

/* Room for a line with a long session id. */
#define SIGNAL_LINE_BYTES 4096

/* Stand in for the thread's own context, which may be half-way through a change. */
static void borrow(struct tr2_thread *self, char *line, char *prefix)
{
	const struct tr2_thread *real = tr2_thread_current;
	struct tr2_line out = { .data = prefix, .cap = SIGNAL_LINE_BYTES, .fixed = true };

	memset(self, 0, sizeof(*self));
	self->errno_at = &errno;
	self->line = (struct tr2_line){ .data = line, .cap = SIGNAL_LINE_BYTES, .fixed = true };
	self->clock.sec = INT64_MIN; /* no text yet */
	self->clock.offset_slot = tr2_clock_wall() / NS_PER_SEC / 900;
	if (real) {
		memcpy(self->name, real->name, sizeof(self->name));
		self->nr_open = real->nr_open;
		self->clock.offset = real->clock.offset;
	} else {
		tr2_thread_name_next(self->name);
		self->nr_open = 1;
	}
	tr2_thread_add_prefix(&out, self->name);
	self->prefix = prefix;
	self->prefix_len = out.failed ? 0 : out.len;
}

static void emit_signal(int signo)
{
	char line[SIGNAL_LINE_BYTES], prefix[SIGNAL_LINE_BYTES];
	struct tr2_thread self;
	struct tr2_call call;

	borrow(&self, line, prefix);
	if (!self.prefix_len)
		return;
	call.self = &self;
	tr2_call_record(&call, TR2_E_SIGNAL, NULL, 0);
	tr2_record_num(&call.rec, TR2_F_SIGNO, signo);
	tr2_call_emit_own(&call, TR2_OWN_SIGNAL);
}

static void on_sigpipe(int signo)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	int saved_errno = errno;

	if (tr2_is_on())
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
