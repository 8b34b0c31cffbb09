/* SPDX-License-Identifier: MIT */
/*
 * What is known of one source: the intake fills it in, and the reports and the screen show it.
 * A figure more is a row of source_counters.def.
 */
#ifndef MONITOR_SOURCE_STATS_H
#define MONITOR_SOURCE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum source_state {
	SOURCE_WAITING,   /* its path is not there yet */
	SOURCE_READING,   /* there is more that could be read now */
	SOURCE_FOLLOWING, /* all that is there was read */
	SOURCE_DONE,      /* ended: nothing more will come */
	SOURCE_FAILED,    /* see `error` */
	SOURCE_SUSPENDED, /* its socket was taken away for Ctrl-Z */
	NR_SOURCE_STATES
};

/* A record that was malformed, for a person to look at. */
#define BAD_SAMPLES      8
#define BAD_SAMPLE_BYTES 160
struct bad_sample {
	char bytes[BAD_SAMPLE_BYTES]; /* the record's beginning, as it came */
	uint32_t len;                 /* of `bytes` */
	uint32_t record_len;          /* of the record */
	uint64_t number;              /* of the malformed record within its source, from 1 */
	const char *why;              /* static */
	size_t offset;                /* where in the record */
};

/* What a counter counts: how it is shown. */
enum figure { FIGURE_BYTES, FIGURE_EVENTS, FIGURE_TROUBLE };

/* Texts are borrowed. */
struct source_stats {
	const char *spec; /* as given */
	const char *kind; /* "file", "directory", "fifo", "stdin", "af_unix:stream" ... */
	char format[64];  /* "event": the formats that were read, joined by commas */
	enum source_state state;
	char error[160]; /* the last one, "" where there was none */
	char hint[160];  /* of what is left out, how it would be read; "" */
	char seems[200]; /* what the first seems to be that no reader takes, and what to do; "" */
#define COUNTED(member, ...)         uint64_t member;
#define COUNTED_SOME(member, ...)    uint64_t member;
#define NOTED(member, ...)           uint64_t member;
#define NOTED_OF(member, bytes, ...) uint64_t member, bytes;
#include "monitor/event/source_counters.def"
	uint64_t nr_streams; /* files or connections ever */
	uint64_t nr_open;    /* open now */
	/* Of what was there before we came. They only grow; what is left counts as read. */
	uint64_t old_bytes, old_bytes_read, old_files, old_files_read;
	const char *waits; /* what --once waits for, and what ends that; static; NULL: nothing */
	bool plays;        /* it is a recording, or one is in it */
	bool listing;      /* a directory's files are still being listed */
	char agents[200];  /* what is to be known of some of its agents; "" */
	char skewed[64];   /* the agent whose clock is most wrong, SITE.HOST; "": none is */
	int64_t skew_ns;   /* by so much that is behind its server's; less than 0: before it */
	int64_t away_ns;   /* for so long its server cannot be had; 0: it can */
	int64_t lag_ns;  /* by so much what is shown is behind what its server has; 0: it is not */
	bool discard;    /* a git-trace2-discard file is there: traces are being lost */
	uint32_t nr_bad; /* samples in `bad` */
	struct bad_sample bad[BAD_SAMPLES];
};

/* What is wrong with it, else its state, in words; borrowed from it. */
const char *source_stats_word(const struct source_stats *stats);
/* Had it bytes of which nothing could be read? */
bool source_stats_is_unread(const struct source_stats *stats);
/* Then what it seems to be and what to do, in words, into `out`; else "". */
void source_stats_say_unread(const struct source_stats *stats, char *out, size_t bytes);
/* How many lines or records no reader understood. */
static inline uint64_t source_stats_unreadable(const struct source_stats *stats)
{
	return stats->malformed + stats->oversized;
}
/* Is that a problem? */
static inline bool source_stats_is_failed(const struct source_stats *stats)
{
	return stats->state == SOURCE_FAILED || *stats->error;
}

#endif
