/* SPDX-License-Identifier: MIT */
/*
 * Count commands over time: keep the strip of a model (model_strip.h) up to date, and add up its
 * slots in columns of equal width.
 *
 *   over_time_update(t, model);                     once per frame
 *   over_time_last(t, 600, now, cells, &span);      or over_time_whole()
 *   columns = over_time_columns(t, &span);
 *
 * Spans are in seconds since the epoch. One thread.
 */
#ifndef MONITOR_OVER_TIME_H
#define MONITOR_OVER_TIME_H

#include "monitor/base/humanize.h"
#include "monitor/model/model_strip.h"

struct over_time;

struct over_time *over_time_new(void);
void over_time_free(struct over_time *over_time);

/* Update the counts from a settled model. Returns true if the counts may have changed. */
bool over_time_update(struct over_time *over_time, const struct model *model);

const struct strip *over_time_strip(const struct over_time *over_time);

/* Columns 0 to nr - 1; column i covers the seconds [first + i * seconds, first + (i + 1) *
 * seconds). */
struct over_time_span {
	/* second since the epoch at which the first column begins; a multiple of `seconds` */
	int64_t first;
	/* width of a column in seconds; a multiple of the width of the strip's slots */
	int64_t seconds;
	uint32_t nr;
	/* columns are sums of one-second slots; false: of the slots of all times */
	bool recent;
};

/*
 * Set `span` to at most `max_columns` columns, together `seconds` long or slightly longer. The last
 * one contains the wall time `now`. Uses one-second slots.
 */
void over_time_last(const struct over_time *over_time, int64_t seconds, ns_t now,
		    uint32_t max_columns, struct over_time_span *span);

/*
 * Set `span` to columns for all slots of the strip: at most max(2, `max_columns`), as narrow as
 * possible, a power of two of seconds wide. Returns false if the strip has no slots.
 */
bool over_time_whole(const struct over_time *over_time, uint32_t max_columns,
		     struct over_time_span *span);

struct over_time_column {
	struct strip_slot sum; /* see strip_quantile() */
	/* median and 90 % quantile of elapsed times, in ns; NS_NONE: unknown */
	ns_t p50, p90;
	uint64_t running; /* number of running commands at the end of the column */
};

/* Return the columns of a span, valid until the next call. */
const struct over_time_column *over_time_columns(struct over_time *over_time,
						 const struct over_time_span *span);

/* Return the first and the last time of a column, in ns. The last time is a microsecond before the
 * next column. */
ns_t over_time_column_begin(const struct over_time_span *span, uint32_t column);
ns_t over_time_column_end(const struct over_time_span *span, uint32_t column);
/* Return the column that contains a wall time; nr if none does. */
uint32_t over_time_column_of(const struct over_time_span *span, ns_t time);

struct over_time_walk {
	const struct strip_slots *slots; /* private */
	uint32_t next;                   /* private */
	/* private: commands that began minus those that ended so far */
	int64_t sum;
	const struct strip_slot *slot; /* slot that over_time_walk_next() found last */
	ns_t start;                    /* wall time at which `slot` begins */
	/* number of running commands at the end of `slot` */
	uint64_t running;
};

/* Return a quantile of a slot as text, such as "~12ms", rounded to two digits, because a bucket of
 * the histogram is 41 % wide; "-" for NS_NONE. */
struct human over_time_quantile_text(ns_t quantile);

/* Start a walk. `slots` is `all` or `recent` of `strip`. */
void over_time_walk_begin(struct over_time_walk *walk, const struct strip *strip,
			  const struct strip_slots *slots);
bool over_time_walk_next(struct over_time_walk *walk);

#endif
