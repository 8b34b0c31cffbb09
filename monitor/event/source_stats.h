/* SPDX-License-Identifier: MIT */
/* State and counters of one source. */
#ifndef MONITOR_SOURCE_STATS_H
#define MONITOR_SOURCE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_state {
	SOURCE_WAITING, /* the source is not available at the moment */
	SOURCE_READING,
	SOURCE_FOLLOWING, /* waiting for more data */
	SOURCE_DONE,
	SOURCE_FAILED, /* see `error` */
	/* the socket is closed while trace2top is stopped by Ctrl-Z */
	SOURCE_SUSPENDED,
	NR_SOURCE_STATES
};

/* maximum number of samples of malformed records per source */
#define BAD_SAMPLES      8
#define BAD_SAMPLE_BYTES 160
struct bad_sample {
	char bytes[BAD_SAMPLE_BYTES]; /* first bytes of the record */
	uint32_t len;
	uint32_t record_len; /* length of the malformed record */
	/* number of the record among the source's malformed ones, from 1 */
	uint64_t number;
	const char *why; /* error text; static */
	size_t offset;   /* offset of the error in the record, in bytes */
};

enum figure { FIGURE_BYTES, FIGURE_EVENTS, FIGURE_TROUBLE };

/* Pointers to texts are borrowed. */
struct source_stats {
	const char *spec;
	/* kind of the source, such as "file" or "af_unix:stream" */
	const char *kind;
	/* names of the formats found, joined by commas; before: the given one, else "event" */
	char format[64];
	enum source_state state;
	char error[160]; /* text of the source's error; "": none */
	char hint[160];  /* advice for reading data that the source left out; "": none */
	char seems[200]; /* what unreadable data seems to be; "": unknown */
#define COUNTED(member, ...)         uint64_t member;
#define COUNTED_SOME(member, ...)    uint64_t member;
#define NOTED(member, ...)           uint64_t member;
#define NOTED_OF(member, bytes, ...) uint64_t member, bytes;
#include "monitor/event/source_counters.def"
	uint64_t nr_streams; /* number of streams so far */
	uint64_t nr_open;
	/* Data to be read before the source is up to date, and the part that was read. Data that is
	 * left out counts as read. */
	uint64_t old_bytes, old_bytes_read, old_files, old_files_read;
	/* text: for what --once waits, and how the user can end the wait; static; NULL: none */
	const char *waits;
	bool plays;       /* the source is a recording or contains one */
	bool listing;     /* the source is a directory that is being listed for the first time */
	char agents[200]; /* notes about agents that need attention; "": none */
	char skewed[64];  /* SITE.HOST of the agent with the largest clock error; "": none */
	/* ns by which the clock of the agent `skewed` is behind the server's; negative: ahead */
	int64_t skew_ns;
	int64_t away_ns; /* ns for which the server has been unreachable; 0: reachable or unknown */
	/* ns by which the display is behind the server's data; 0: little or nothing */
	int64_t lag_ns;
	bool discard; /* the directory has a file git-trace2-discard, so Git may drop traces */
	uint32_t nr_bad;
	struct bad_sample bad[BAD_SAMPLES];
};

/* Return the source's error, or else the word for its state, valid as long as `stats`. */
const char *source_stats_word(const struct source_stats *stats);
/* True if the source had data, but none could be read. */
bool source_stats_is_unread(const struct source_stats *stats);
/* If source_stats_is_unread(), write the reason to `out`; otherwise write "". */
void source_stats_format_unread(const struct source_stats *stats, char *out, size_t bytes);
static inline uint64_t source_stats_unreadable(const struct source_stats *stats)
{
	return stats->malformed + stats->oversized;
}
static inline bool source_stats_is_failed(const struct source_stats *stats)
{
	return stats->state == SOURCE_FAILED || *stats->error;
}

#endif
