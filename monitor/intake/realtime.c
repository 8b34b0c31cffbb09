/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/realtime.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

static int nr_processors(void)
{
	cpu_set_t set;

	/* More processors than the set holds: an error, and certainly more than one. */
	return sched_getaffinity(0, sizeof(set), &set) ? CPU_SETSIZE : CPU_COUNT(&set);
}

/* Who is real-time for longer than RLIMIT_RTTIME without a wait is killed: a reader may be, where
 * much is written. */
static bool is_bearable(void)
{
	struct rlimit limit;

	return nr_processors() > 1 &&
	       !(getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY);
}

bool realtime_begin(void)
{
	struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	/* Of a thread, unlike pthread_setschedparam(), which knows no SCHED_RESET_ON_FORK. */
	return is_bearable() && !sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &param);
}

bool realtime_thread(pthread_t *thread, void *(*run)(void *data), void *data)
{
	struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_RR) };
	pthread_attr_t attr;
	bool ok;

	if (!is_bearable())
		return false;
	pthread_attr_init(&attr);
	ok = !pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) &&
	     !pthread_attr_setschedpolicy(&attr, SCHED_RR) &&
	     !pthread_attr_setschedparam(&attr, &param) &&
	     !pthread_create(thread, &attr, run, data);
	pthread_attr_destroy(&attr);
	return ok;
}

int realtime_processor(void)
{
	return sched_getcpu();
}

void realtime_avoid(int processor)
{
	cpu_set_t set;

	/* The caller's own set lacks the one that was avoided before. */
	if (processor < 0 || processor >= CPU_SETSIZE ||
	    sched_getaffinity(getpid(), sizeof(set), &set))
		return;
	CPU_CLR(processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
}
