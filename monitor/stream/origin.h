/* SPDX-License-Identifier: MIT */
/*
 * The part of a source that its streams use, such as its counters and its last error. For the
 * intake thread, or others while it does not run.
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
	int number;              /* rw: number of the source; if it is hidden, that of its owner */
	/* rw: index of the source's format in `readers`; -1: detect the format */
	int format;
	bool can_wait;  /* rw: data is not lost if it is read later */
	bool is_stored; /* rw: the data is already stored in files */
	/* rw: another trace2top records the data now */
	bool is_relay;
	bool is_busy; /* rw: there is unread data that may be read now */
	/* rw: a part of the source could not be read, so the source ends as failed */
	bool is_incomplete;
	/* rw: the next entry of a recording must not be delivered before `due_ns` */
	bool is_not_due;
	/* rw: monotonic time at which the next entry of the recording may be delivered; INT64_MAX:
	 * not before the replay is resumed or its speed changes */
	ns_t due_ns;
	struct source_stats stats; /* rw */
	struct splitter_counts framed;
	struct read_counts read;
	uint32_t formats_seen; /* private: mask of formats */
	/* private, per format: number of streams that were skipped although they match this format,
	 * which was not requested */
	uint32_t refused[READERS_MAX];
	/* private to taps.c: value of taps.epoch when the source was last announced to the taps; 0:
	 * never */
	uint32_t tapped;
};

/* Initialise an origin and add it to the batcher. `spec` is borrowed. */
void origin_init(struct origin *origin, struct streams *streams, const char *spec, int format);
/* Update `stats` from the counters of splitters and readers. */
void origin_refresh(struct origin *origin);
/* Store the text of an error of the source for the user. */
void origin_error(struct origin *origin, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Like origin_error(), for an error that lost data: also sets `is_incomplete`. */
void origin_loss(struct origin *origin, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
