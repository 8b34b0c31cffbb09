/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_state.h"

#include <errno.h>
#include <stdio.h>

#include "engine/trace2.h"
#include "engine/tr2_sums.h"

struct tr2_state tr2_state = { .sid = "", .read_config = -1 };

void(trace2_set_version)(const char *version)
{
	tr2_state.version = version;
}

void(trace2_set_prefix)(const char *prefix)
{
	tr2_state.prefix = prefix;
}

void(trace2_set_git_config)(int on)
{
	tr2_state.read_config = on != 0;
}

void(trace2_set_fork_sid)(int on)
{
	tr2_state.fork_sid = on;
}

void(trace2_set_ring)(size_t bytes)
{
	tr2_state.ring_bytes = bytes;
}

void(trace2_set_bug_handler)(void (*handler)(const char *))
{
	tr2_state.bug = handler;
}

static int sum_declare(enum tr2_sum_family family, const char *category, const char *name,
		       int per_thread)
{
	int saved_errno = errno, id = tr2_sum_declare(family, category, name, per_thread);

	errno = saved_errno;
	return id;
}

int(trace2_timer_declare)(const char *category, const char *name, int per_thread)
{
	return sum_declare(TR2_SUM_TIMERS, category, name, per_thread);
}

int(trace2_counter_declare)(const char *category, const char *name, int per_thread)
{
	return sum_declare(TR2_SUM_COUNTERS, category, name, per_thread);
}

const char *tr2_variable(enum tr2_setting id, char out[TR2_VARIABLE_BYTES])
{
	snprintf(out, TR2_VARIABLE_BYTES, "%s%s",
		 tr2_state.prefix ? tr2_state.prefix : TR2_DEFAULT_PREFIX,
		 tr2_setting_descs[id].suffix);
	return out;
}
