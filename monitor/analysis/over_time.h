/* SPDX-License-Identifier: MIT */
/*
 * Counts of commands over time, for graphs: the strip of a model (model_strip.h) kept up to date,
 * and sums of its slots in columns of equal width.
 *
 *   over_time_update(t, model);                     once per frame
 *   if (over_time_last(t, 600, now, cells, &span))  or over_time_whole()
 *           columns = over_time_columns(t, &span);
 *
 * Times are in seconds since the epoch. One thread.
 */
#ifndef MONITOR_OVER_TIME_H
#define MONITOR_OVER_TIME_H

#include "monitor/base/humanize.h"
#include "monitor/model/model_strip.h"

struct over_time;

struct over_time *over_time_new(void);
void over_time_free(struct over_time *over_time);

/*
 * Update the counts from `model`, which must be settled. Returns true if the figures may have
 * changed. Takes some ns if the model is unchanged, and 10 ns per kept process if it has changed;
 * 0.1 us per process after evictions, for another model, and if a process took back a part of its
 * contribution.
 */
bool over_time_update(struct over_time *over_time, const struct model *model);

/* Return the strip as of the last update. */
const struct strip *over_time_strip(const struct over_time *over_time);

/* Columns 0 to nr - 1; column i covers [first + i * seconds, first + (i + 1) * seconds). */
struct over_time_span {
	int64_t first;   /* a multiple of `seconds` */
	int64_t seconds; /* width of a column; a multiple of the width of the strip's slots */
	uint32_t nr;
	bool recent; /* columns are sums of one-second slots; false: of the slots of all times */
};

/*
 * Set `span` to at most `max_columns` columns of equal width that end with the column of wall time
 * `now`, and cover the last `seconds` or slightly more. Uses the slots of one second.
 */
void over_time_last(const struct over_time *over_time, int64_t seconds, ns_t now,
		    uint32_t max_columns, struct over_time_span *span);

/*
 * Set `span` to at most `max_columns` columns, from the first slot to the last one, as narrow as
 * possible; at least 2 are assumed. Returns false if there is no slot.
 */
bool over_time_whole(const struct over_time *over_time, uint32_t max_columns,
		     struct over_time_span *span);

struct over_time_column {
	struct strip_slot sum; /* see strip_quantile() */
	ns_t p50, p90;         /* NS_NONE: no elapsed time is known */
	uint64_t running;      /* number of commands that run at the end of the column */
};

/*
 * Return the columns of a span, valid until the next call. They are recomputed, in about 20 us,
 * only if the strip or the span has changed.
 */
const struct over_time_column *over_time_columns(struct over_time *over_time,
						 const struct over_time_span *span);

/* First and last time of a column, in ns; the last one is a microsecond before the next column. */
ns_t over_time_column_begin(const struct over_time_span *span, uint32_t column);
ns_t over_time_column_end(const struct over_time_span *span, uint32_t column);
/* Column of a wall time; nr if it is outside. */
uint32_t over_time_column_of(const struct over_time_span *span, ns_t time);

/*
 * Iterates over the slots of a strip in order of time, without an over_time.
 *
 *   over_time_walk_begin(&walk, strip, &strip->all);
 *   while (over_time_walk_next(&walk)) ...
 */
struct over_time_walk {
	const struct strip_slots *slots; /* private */
	uint32_t next;                   /* private */
	int64_t sum;                     /* private: began minus ended */
	const struct strip_slot *slot; /* slot that the last call of over_time_walk_next() found */
	ns_t start;                    /* wall time of the begin of that slot */
	uint64_t running;              /* number of commands that run at the end of that slot */
};

/* A quantile of a slot for people: "~12ms", two digits, because a bucket is 41 % wide; "-" for
 * NS_NONE. */
struct human over_time_quantile_text(ns_t quantile);

/* `slots` is `all` or `recent` of `strip`. */
void over_time_walk_begin(struct over_time_walk *walk, const struct strip *strip,
			  const struct strip_slots *slots);
bool over_time_walk_next(struct over_time_walk *walk);

#endif
