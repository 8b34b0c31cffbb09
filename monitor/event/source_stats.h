/* SPDX-License-Identifier: MIT */
/*
 * source_stats: state and counters of one source. Intake fills it in; reports and the screen show
 * it. A new counter is one row of source_counters.def.
 */
#ifndef MONITOR_SOURCE_STATS_H
#define MONITOR_SOURCE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_state {
	SOURCE_WAITING,   /* its path does not exist yet */
	SOURCE_READING,   /* more data can be read now */
	SOURCE_FOLLOWING, /* everything available was read */
	SOURCE_DONE,      /* ended: no more data will come */
	SOURCE_FAILED,    /* see `error` */
	SOURCE_SUSPENDED, /* its socket is closed during Ctrl-Z */
	NR_SOURCE_STATES
};

/* Samples of malformed records. */
#define BAD_SAMPLES      8
#define BAD_SAMPLE_BYTES 160
struct bad_sample {
	char bytes[BAD_SAMPLE_BYTES]; /* first bytes of the record */
	uint32_t len;                 /* of `bytes` */
	uint32_t record_len;          /* of the record */
	uint64_t number;              /* number among the source's malformed records, from 1 */
	const char *why;              /* static */
	size_t offset;                /* offset in the record */
};

/* Kind of a counter; controls how it is shown. */
enum figure { FIGURE_BYTES, FIGURE_EVENTS, FIGURE_TROUBLE };

/* Texts are borrowed. */
struct source_stats {
	const char *spec; /* as given */
	const char *kind; /* "file", "directory", "fifo", "stdin", "af_unix:stream" ... */
	char format[64];  /* formats read, joined by commas: "event" */
	enum source_state state;
	char error[160]; /* last error; "": none */
	char hint[160];  /* how to read data that was left out; "" */
	char seems[200]; /* what the first unreadable data seems to be, and what to do; "" */
#define COUNTED(member, ...)         uint64_t member;
#define COUNTED_SOME(member, ...)    uint64_t member;
#define NOTED(member, ...)           uint64_t member;
#define NOTED_OF(member, bytes, ...) uint64_t member, bytes;
#include "monitor/event/source_counters.def"
	uint64_t nr_streams; /* files or connections so far */
	uint64_t nr_open;    /* open now */
	/*
	 * Data from before we started. The counters only grow; data left unread counts as read.
	 */
	uint64_t old_bytes, old_bytes_read, old_files, old_files_read;
	const char *waits; /* what --once waits for and how to end that; static; NULL: nothing */
	bool plays;        /* is a recording or contains one */
	bool listing;      /* a directory's files are still being listed */
	char agents[200];  /* notes about some agents; "" */
	char skewed[64];   /* agent with the largest clock error, SITE.HOST; "": none */
	int64_t skew_ns;   /* how far its clock is behind the server's; negative: ahead */
	int64_t away_ns;   /* how long the server has been unreachable; 0: reachable */
	int64_t lag_ns;    /* how far the display is behind the server's data; 0: up to date */
	bool discard;      /* a git-trace2-discard file exists: Git drops traces */
	uint32_t nr_bad;   /* samples in `bad` */
	struct bad_sample bad[BAD_SAMPLES];
};

/* Text for its error, else for its state; borrowed from `stats`. */
const char *source_stats_word(const struct source_stats *stats);
/* True if it had data but none could be read. */
bool source_stats_is_unread(const struct source_stats *stats);
/* If so, write to `out` what the data seems to be and what to do; else "". */
void source_stats_format_unread(const struct source_stats *stats, char *out, size_t bytes);
/* Number of malformed and oversized records. */
static inline uint64_t source_stats_unreadable(const struct source_stats *stats)
{
	return stats->malformed + stats->oversized;
}
/* True if the source failed or has an error. */
static inline bool source_stats_is_failed(const struct source_stats *stats)
{
	return stats->state == SOURCE_FAILED || *stats->error;
}

#endif
