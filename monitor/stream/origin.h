/* SPDX-License-Identifier: MIT */
/*
 * origin: a source as its streams see it: its counters, its last error, and what its streams have
 * in common. Each source embeds one. Intake thread.
 */
#ifndef MONITOR_ORIGIN_H
#define MONITOR_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/event/source_stats.h"
#include "monitor/read/reader.h"
#include "monitor/read/splitter.h"

struct streams;

struct origin {
	struct streams *streams; /* ro */
	int number;              /* ro: number of the source */
	int format;         /* rw: format given by the user, index into `readers`; -1: detect */
	bool can_wait;      /* rw: data that is not read yet is not lost */
	bool is_stored;     /* rw: the source reads files, so data is stored elsewhere */
	bool is_relay;      /* rw: the data was recorded just now, on another host */
	bool is_busy;       /* rw: the source has unread data */
	bool is_incomplete; /* ro: a part could not be read: the source ends as failed */
	/* rw: set by playback.c: the next entry of a recording must wait until `due_ns` */
	bool is_not_due;
	ns_t due_ns;               /* ro: monotonic time; INT64_MAX: until the speed changes */
	struct source_stats stats; /* rw: for the user */
	struct splitter_counts framed;
	struct read_counts read;
	uint32_t formats_seen; /* private: formats that occurred, one bit per format */
	/* private, per format: streams that were skipped although they match it */
	uint32_t refused[READERS_MAX];
	uint32_t tapped; /* private to taps.c: epoch in which the source was announced */
};

/*
 * Begin. `spec` is borrowed; `format` as in struct origin. The number is that of the sources so
 * far.
 */
void origin_init(struct origin *origin, struct streams *streams, const char *spec, int format);
/* Update `stats` from the counters of the splitters and readers. */
void origin_refresh(struct origin *origin);
/* Record an error of the source for the user. */
void origin_error(struct origin *origin, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Record an error of the source that lost data. */
void origin_loss(struct origin *origin, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
