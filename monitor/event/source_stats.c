/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/event/source_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/platform.h"

static const char *const state_names[NR_SOURCE_STATES] = {
	[SOURCE_WAITING] = "waiting for it", [SOURCE_READING] = "reading",
	[SOURCE_FOLLOWING] = "following",    [SOURCE_DONE] = "ended",
	[SOURCE_FAILED] = "failed",          [SOURCE_SUSPENDED] = "suspended",
};

const char *source_stats_word(const struct source_stats *stats)
{
	return *stats->error ? stats->error : state_names[stats->state];
}

static int source_stats_text_of(const struct bad_sample *bad)
{
	int len = 0;

	while (len < (int)bad->len && bad->bytes[len] >= ' ' && bad->bytes[len] <= '~')
		len++;
	return len;
}

bool source_stats_is_unread(const struct source_stats *stats)
{
	return stats->bytes && !stats->events && !stats->ignored && !stats->left_bytes &&
	       (stats->malformed || stats->oversized || stats->foreign);
}

/* True if the sample is a line of a baseline file, which is JSON, too. */
static bool is_runs(const struct bad_sample *bad)
{
	static const char schema[] = "\"trace2top-runs/";

	return platform_find(bad->bytes, bad->len, schema, sizeof(schema) - 1);
}

void source_stats_format_unread(const struct source_stats *stats, char *out, size_t bytes)
{
	out[0] = '\0';
	if (!source_stats_is_unread(stats))
		return;
	if (*stats->seems)
		snprintf(out, bytes, "nothing in it can be read: %s", stats->seems);
	else if (*stats->hint)
		snprintf(out, bytes, "nothing in it is read: %s", stats->hint);
	else if (stats->nr_bad && is_runs(&stats->bad[0]))
		snprintf(out, bytes,
			 "nothing in it can be read: it is a file of runs, which --compare=FILE "
			 "takes; what is compared with them is a trace");
	else if (stats->nr_bad)
		snprintf(out, bytes,
			 "nothing in it can be read: %" PRIu64 " record%s, the first: %s: %.*s",
			 stats->malformed, stats->malformed == 1 ? "" : "s", stats->bad[0].why,
			 source_stats_text_of(&stats->bad[0]), stats->bad[0].bytes);
	else
		snprintf(out, bytes, "nothing in it can be read: its records are too big");
}
