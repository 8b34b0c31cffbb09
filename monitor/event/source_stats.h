/* SPDX-License-Identifier: MIT */
/*
 * State and counters of one source. The intake thread updates them; reports and the screen show
 * them.
 */
#ifndef MONITOR_SOURCE_STATS_H
#define MONITOR_SOURCE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_state {
	SOURCE_WAITING,   /* the source's path does not exist, or its server is not connected */
	SOURCE_READING,   /* more data can be read now */
	SOURCE_FOLLOWING, /* all available data of the source was read */
	SOURCE_DONE,      /* no more data of the source will come */
	SOURCE_FAILED,    /* see `error` */
	/* the socket is closed while trace2top is stopped by Ctrl-Z */
	SOURCE_SUSPENDED,
	NR_SOURCE_STATES
};

/* maximum number of samples of malformed records per source */
#define BAD_SAMPLES      8
#define BAD_SAMPLE_BYTES 160
struct bad_sample {
	char bytes[BAD_SAMPLE_BYTES]; /* first bytes of the record, as the reader gives it */
	uint32_t len;                 /* number of bytes stored in `bytes` */
	uint32_t record_len;          /* length of the malformed record */
	/* number of the record among the source's malformed ones, from 1 */
	uint64_t number;
	const char *why; /* error text; static */
	size_t offset;   /* byte offset of the error in the record */
};

/* how a counter of a source is shown */
enum figure { FIGURE_BYTES, FIGURE_EVENTS, FIGURE_TROUBLE };

/* Texts to which pointers refer are borrowed. */
struct source_stats {
	const char *spec; /* name of the source, as the user gave it */
	/* kind of the source: "file", "directory", "fifo", "stdin", "af_unix:stream" ... */
	const char *kind;
	/* names of the formats found, joined by commas, such as "event" */
	char format[64];
	enum source_state state;
	char error[160]; /* text of the source's last error; "": none */
	char hint[160];  /* advice for reading data that the source left out; "": none */
	char seems[200]; /* guess of the format of the first malformed data, and advice; "": none */
#define COUNTED(member, ...)         uint64_t member;
#define COUNTED_SOME(member, ...)    uint64_t member;
#define NOTED(member, ...)           uint64_t member;
#define NOTED_OF(member, bytes, ...) uint64_t member, bytes;
#include "monitor/event/source_counters.def"
	uint64_t nr_streams; /* number of files or connections so far */
	uint64_t nr_open;    /* number of files or connections that are open */
	/*
	 * Data to be read before the source is up to date, such as data from before trace2top
	 * started, and the part of it that was read. Data that is left out counts as read.
	 */
	uint64_t old_bytes, old_bytes_read, old_files, old_files_read;
	/* text: for what --once waits and how the user can end the wait; static; NULL: none */
	const char *waits;
	bool plays;       /* the source is a recording or contains one */
	bool listing;     /* a directory's files are being listed for the first time */
	char agents[200]; /* notes for the user about agents that need attention; "": none */
	char skewed[64];  /* the agent with the largest clock error, SITE.HOST; "": none */
	int64_t skew_ns;  /* how far that agent's clock is behind the server's; negative: ahead */
	int64_t away_ns;  /* how long the server has been unreachable, in ns; 0: reachable */
	/* how far the display is behind the server's data, in ns; 0: up to date */
	int64_t lag_ns;
	bool discard; /* the directory contains a file git-trace2-discard, so Git may drop traces */
	uint32_t nr_bad; /* number of samples in `bad` */
	struct bad_sample bad[BAD_SAMPLES];
};

/* Return the text of the source's error, or else the word for its state. Valid as long as
 * `stats`. */
const char *source_stats_word(const struct source_stats *stats);
/* True if the source had data but none of it could be read. */
bool source_stats_is_unread(const struct source_stats *stats);
/*
 * If source_stats_is_unread(), write the reason to `out`, such as a guess of the data's format with
 * advice, or the first error; otherwise write "".
 */
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
