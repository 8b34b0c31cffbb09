/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/event/source_stats.h"

static const char *const state_names[NR_SOURCE_STATES] = {
	[SOURCE_WAITING] = "waiting for it", [SOURCE_READING] = "reading",
	[SOURCE_FOLLOWING] = "following",    [SOURCE_DONE] = "ended",
	[SOURCE_FAILED] = "failed",	     [SOURCE_SUSPENDED] = "suspended",
};

const char *source_stats_word(const struct source_stats *stats)
{
	return *stats->error ? stats->error : state_names[stats->state];
}
