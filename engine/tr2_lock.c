/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_lock.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "engine/base/clock.h"
#include "engine/base/platform.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool torn;

void tr2_lock(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
	pthread_mutex_lock(&mutex);
}

void tr2_unlock(const sigset_t *before)
{
	pthread_mutex_unlock(&mutex);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static __thread struct {
	sigset_t before;
	bool held;
} forking __attribute__((tls_model("initial-exec")));

/* Maximum time that fork() waits for the lock. */
#define FORK_WAITS_NS (100 * NS_PER_MS)

void tr2_lock_fork_prepare(void)
{
	ns_t until = tr2_clock_monotonic() + FORK_WAITS_NS;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &forking.before);
	for (;;) {
		forking.held = !pthread_mutex_trylock(&mutex);
		if (forking.held || tr2_clock_monotonic() >= until)
			return;
		sched_yield();
	}
}

void tr2_lock_fork_parent(void)
{
	if (forking.held)
		pthread_mutex_unlock(&mutex);
	pthread_sigmask(SIG_SETMASK, &forking.before, NULL);
}

/* A thread of the parent that held the lock does not exist in the child, so the lock is initialized
 * again. */
void tr2_lock_fork_child(void)
{
	tr2_platform_forked();
	if (!forking.held) {
		mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		torn = true;
	}
	tr2_lock_fork_parent();
}

bool tr2_lock_is_broken(void)
{
	return torn;
}
