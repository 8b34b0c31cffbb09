/* SPDX-License-Identifier: MIT */
/*
 * fork(). Our lock is held across it, so that the child finds it free: from when we are loaded
 * on, since the lock is taken while tracing is off, too, and before the host's own handlers are
 * registered, so that they meet it free as well. Nothing else need be done for a child that goes
 * on as Git's does; one that is to be a session of its own becomes that at its first call, since
 * little may be done between fork() and exec().
 */
#include "config.h"
#include "engine/tr2_state.h"

#include <pthread.h>

#include "engine/tr2_call.h"
#include "engine/tr2_lock.h"
#include "engine/tr2_sid.h"
#include "engine/tr2_thread.h"

static sigset_t before_fork; /* whose lock is held may use it */

static void prepare(void)
{
	sigset_t before;

	tr2_lock(&before);
	before_fork = before;
}

static void in_parent(void)
{
	sigset_t before = before_fork;

	tr2_unlock(&before);
}

static void in_child(void)
{
	if (tr2_thread_current) {
		tr2_thread_current->stale = tr2_state.fork_sid;
		tr2_thread_current->clock.look_at = 0;
	}
	in_parent();
}

/* The first priority that is not the C library's. */
__attribute__((constructor(101))) static void watch_forks(void)
{
	pthread_atfork(prepare, in_parent, in_child);
}

/* In a directory each session has its own file; other destinations are shared with the parent. */
static void reopen(struct tr2_target *target, enum tr2_setting setting)
{
	if (!target->dst.in_directory || !target->dst.ours)
		return;
	tr2_dst_close(&target->dst);
	tr2_dst_open(&target->dst, &tr2_state.settings, setting, target->variable, tr2_sid_own);
}

void tr2_fork_renew(void)
{
	struct tr2_thread *self = tr2_thread_current;
	char variable[TR2_VARIABLE_BYTES];

	self->stale = false;
	tr2_sid_renew(tr2_variable(TR2_S_PARENT_SID, variable));
	tr2_state.sid = tr2_sid_get(variable);
	tr2_state.depth = tr2_sid_depth();
	tr2_state.start = tr2_clock_monotonic();
	tr2_state.nr_children = tr2_state.nr_execs = 0;
	tr2_state.exit_code = 0;
	tr2_thread_become_main(self, tr2_state.start);
	for (unsigned i = 0; i < TR2_NR_TARGETS; i++)
		reopen(&tr2_state.targets[i], tr2_target_ops[i]->setting);
	self->busy = false;
	tr2_emit_version(__FILE__, __LINE__);
	self->busy = true;
}
