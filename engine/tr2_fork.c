/* SPDX-License-Identifier: MIT */
/*
 * Handling of fork(). The handlers that hold the engine's lock during fork() are registered when
 * the library is loaded, so that handlers that the host program registers later find the lock free.
 * A child that continues its parent's session gets rings of its own, nothing else. A child with its
 * own session creates the session at its first API call, because few functions may be called
 * between fork() and exec().
 */
#include "config.h"
#include "engine/tr2_state.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "engine/tr2_call.h"
#include "engine/tr2_lock.h"
#include "engine/tr2_ring.h"
#include "engine/tr2_sid.h"
#include "engine/tr2_sums.h"
#include "engine/tr2_thread.h"

/* State of the session in a forked child that gets its own session id. */
enum { SETTLED, UNSETTLED, VERSION_DUE };

static void on_fork_child(void)
{
	struct tr2_thread *self = tr2_thread_current;

	if (tr2_is_on() && tr2_state.fork_sid) {
		__atomic_store_n(&tr2_state.forked, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&tr2_state.unsettled, UNSETTLED, __ATOMIC_RELEASE);
	}
	tr2_ring_forked();
	if (self) {
		self->stale = tr2_state.forked;
		self->clock.check_at = 0;
	}
	tr2_lock_fork_child();
}

/* 101 is the first constructor priority not reserved for the C library. */
__attribute__((constructor(101))) static void watch_forks(void)
{
	pthread_atfork(tr2_lock_fork_prepare, tr2_lock_fork_parent, on_fork_child);
}

/* Open the forked child's own file if the destination is a directory, and its own ring file if the
 * parent has rings. */
static void reopen_target(struct tr2_target *target, enum tr2_setting setting)
{
	if (target->rings)
		tr2_ring_renew(target);
	if (!target->dst.in_directory || !target->dst.ours)
		return;
	tr2_dst_close(&target->dst);
	tr2_dst_open(&target->dst, &tr2_state.settings, setting, target->variable, tr2_sid_own);
}

bool tr2_fork_has_session(void)
{
	return __atomic_load_n(&tr2_state.unsettled, __ATOMIC_RELAXED) != UNSETTLED;
}

/* In a forked child: create its session id and reset the process-wide state. Under tr2_lock().
 * Returns false and changes nothing if out of memory. */
static bool renew_process(void)
{
	char variable[TR2_VARIABLE_BYTES];

	if (!tr2_sid_renew(tr2_variable(TR2_S_PARENT_SID, variable)))
		return false;
	__atomic_store_n(&tr2_state.sid, tr2_sid_get(variable), __ATOMIC_RELEASE);
	tr2_state.depth = tr2_sid_depth();
	tr2_state.start = tr2_clock_monotonic();
	tr2_state.nr_children = tr2_state.nr_execs = 0;
	tr2_state.exit_code = 0;
	tr2_sums_clear_totals();
	for (unsigned i = 0; i < TR2_NR_TARGETS; i++)
		reopen_target(&tr2_state.targets[i], tr2_target_ops[i]->setting);
	return true;
}

static bool process_is_renewed(void)
{
	sigset_t before;
	bool renewed;

	tr2_lock(&before);
	renewed = tr2_fork_has_session();
	if (!renewed && renew_process()) {
		__atomic_store_n(&tr2_state.unsettled, VERSION_DUE, __ATOMIC_RELAXED);
		renewed = true;
	}
	tr2_unlock(&before);
	return renewed;
}

static const char main_name[TR2_THREAD_NAME_MAX + 1] = "main";

/* Update the context of a thread of the forked child. The main thread gets the name "main" and only
 * one open region. Returns false if out of memory. */
static bool renew_thread(struct tr2_thread *self)
{
	if (!tr2_platform_is_main_thread())
		return tr2_thread_rename(self, self->id, self->name);
	tr2_thread_restart(self, tr2_state.start);
	return tr2_thread_rename(self, 0, main_name);
}

/* Emit the forked child's `version` event under the main thread's name. Returns false if the
 * calling thread's own name could not be restored. */
static bool emit_version_as_main(struct tr2_call *call)
{
	char own_name[TR2_THREAD_NAME_MAX + 1];
	int id = call->self->id;

	memcpy(own_name, call->self->name, sizeof(own_name));
	tr2_thread_rename(call->self, 0, main_name);
	tr2_emit_version(call, __FILE__, __LINE__);
	return !id || tr2_thread_rename(call->self, id, own_name);
}

bool tr2_fork_renew(struct tr2_call *call)
{
	struct tr2_thread *self = call->self;
	int due = VERSION_DUE;

	self->stale = !process_is_renewed() || !renew_thread(self);
	if (!self->stale && __atomic_compare_exchange_n(&tr2_state.unsettled, &due, SETTLED, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		self->stale = !emit_version_as_main(call);
	if (self->stale)
		tr2_call_leave(call);
	return !self->stale;
}

void tr2_fork_start_session(void)
{
	struct tr2_thread *self = tr2_thread_current;
	struct tr2_call call;

	if (!__atomic_load_n(&tr2_state.forked, __ATOMIC_RELAXED) ||
	    (self ? !self->stale : !tr2_platform_is_main_thread()))
		return;
	if (tr2_call_enter(&call))
		tr2_call_leave(&call);
}
