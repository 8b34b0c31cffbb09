/* SPDX-License-Identifier: MIT */
/*
 * Count commands over time, for graphs: keep the strip of a model (model_strip.h) up to date, and
 * add up its slots in columns of equal width.
 *
 *   over_time_update(t, model);                     once per frame
 *   if (over_time_last(t, 600, now, cells, &span))  or over_time_whole()
 *           columns = over_time_columns(t, &span);
 *
 * Spans are in seconds since the epoch, ns_t is in ns. Used by one thread.
 */
#ifndef MONITOR_OVER_TIME_H
#define MONITOR_OVER_TIME_H

#include "monitor/base/humanize.h"
#include "monitor/model/model_strip.h"

struct over_time;

struct over_time *over_time_new(void);
void over_time_free(struct over_time *over_time);

/*
 * Update the counts from `model`, for which model_settle() must have been called. Returns true if
 * the figures may have changed. Takes some ns if the model is unchanged, and 10 ns per kept process
 * if it has changed; 0.1 us per process after evictions, for another model, and if something that a
 * process added before is no longer valid.
 */
bool over_time_update(struct over_time *over_time, const struct model *model);

/* Return the strip of counts as of the last update. */
const struct strip *over_time_strip(const struct over_time *over_time);

/* A range of columns, 0 to nr - 1; column i covers the seconds [first + i * seconds, first + (i +
 * 1) * seconds). */
struct over_time_span {
	/* second since the epoch at which the first column begins; a multiple of `seconds` */
	int64_t first;
	/* width of a column in seconds; a multiple of the width of the strip's slots */
	int64_t seconds;
	uint32_t nr;
	/* true if columns are sums of the strip's one-second slots; false if they are sums of its
	 * slots of all times */
	bool recent;
};

/*
 * Set `span` to at most `max_columns` columns of equal width that are together `seconds` long or
 * slightly longer. The last one contains the wall clock time `now`, and may end after it. Uses the
 * one-second slots of the strip.
 */
void over_time_last(const struct over_time *over_time, int64_t seconds, ns_t now,
		    uint32_t max_columns, struct over_time_span *span);

/*
 * Set `span` to the columns that contain all slots of the strip: at most `max_columns`, or 2 if
 * that is less. A column is as narrow as possible, and a power of two of seconds wide. Returns
 * false if there is no slot.
 */
bool over_time_whole(const struct over_time *over_time, uint32_t max_columns,
		     struct over_time_span *span);

struct over_time_column {
	struct strip_slot sum; /* sum of the slots of the column; see strip_quantile() */
	/* median and 90 % quantile of elapsed times, in ns; NS_NONE: none is known */
	ns_t p50, p90;
	uint64_t running; /* number of commands that are running at the end of the column */
};

/*
 * Return the columns of a span, valid until the next call. They are recomputed only if the strip or
 * the span has changed, in about 20 us.
 */
const struct over_time_column *over_time_columns(struct over_time *over_time,
						 const struct over_time_span *span);

/* Return the first and the last time of a column, in ns. The last one is a microsecond before the
 * next column begins. */
ns_t over_time_column_begin(const struct over_time_span *span, uint32_t column);
ns_t over_time_column_end(const struct over_time_span *span, uint32_t column);
/* Return the column that contains a wall clock time; nr if it is outside the span. */
uint32_t over_time_column_of(const struct over_time_span *span, ns_t time);

/*
 * Iterates over the slots of a strip in order of time, without a struct over_time.
 *
 *   over_time_walk_begin(&walk, strip, &strip->all);
 *   while (over_time_walk_next(&walk)) ...
 */
struct over_time_walk {
	const struct strip_slots *slots; /* private */
	uint32_t next;                   /* private */
	/* private: number of commands that began minus number that ended so far */
	int64_t sum;
	const struct strip_slot *slot; /* slot that the last call of over_time_walk_next() found */
	ns_t start;                    /* wall clock time at which that slot begins */
	/* number of commands that are running at the end of that slot */
	uint64_t running;
};

/* Return a quantile of a slot as readable text: "~12ms", rounded to two digits, because a bucket of
 * the histogram is 41 % wide; "-" for NS_NONE. */
struct human over_time_quantile_text(ns_t quantile);

/* Start a walk. `slots` must be the member `all` or `recent` of `strip`. */
void over_time_walk_begin(struct over_time_walk *walk, const struct strip *strip,
			  const struct strip_slots *slots);
bool over_time_walk_next(struct over_time_walk *walk);

#endif
