/* SPDX-License-Identifier: MIT */
/*
 * Times of day become wall times. The first one is of the date of a reference (when the file was
 * last written, or the bytes arrived), or of the day before where it would be later than that; one
 * more than half a day before the last one is of the next day. The zone is the viewer's.
 *
 * Some microseconds a minute that no stream had, else a few nanoseconds. One thread.
 */
#ifndef MONITOR_TEXT_CLOCK_H
#define MONITOR_TEXT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "engine/base/clock.h"
#include "monitor/base/scan.h"

/* A minute of local time and when it began. */
#define TEXT_MINUTES 64u /* slots */
struct text_minute {
	int year, month, day, minute; /* as in struct tm, not normalized */
	bool is_set;
	ns_t wall;
};

/* The second that was asked for last: the files of a directory are of few. */
struct text_second {
	bool is_set;
	time_t at;
	struct tm local;
};

/* What all streams remember together; zeroed at first. */
struct text_clock_memo {
	struct text_minute minutes[TEXT_MINUTES];
	struct text_second second;
};

struct text_clock {
	struct text_clock_memo *memo; /* set before use */
	bool is_set;
	struct tm first; /* the day of the first time */
	int64_t day;     /* of the last time, counted from there */
	ns_t last;       /* the last time of day */
	ns_t last_arrival;
	int64_t minute; /* whose beginning is `minute_wall`; counted from `first` */
	ns_t minute_wall;
	uint64_t minute_text; /* `HH:MM:` of it; 0: not noted */
};

/*
 * The wall time of the next time of day, as it came. `reference` as in struct reader_stream;
 * NS_NONE: `arrival`, and that again where nothing arrived for half a day.
 */
ns_t text_clock_next(struct text_clock *clock, ns_t time_of_day, ns_t reference, ns_t arrival);

/* Note that the last time stood at `p`, as `HH:MM:SS.uuuuuu`: others of its minute are cheap. */
void text_clock_note(struct text_clock *clock, const char *p);

/*
 * The wall time in microseconds of the line that begins at `p`, if it is of the minute that was
 * noted; else INT64_MIN: ask text_clock_next(). Looks at 16 bytes.
 */
static inline int64_t text_clock_in_minute(struct text_clock *clock, const char *p, ns_t arrival)
{
	uint64_t micros = scan_load6(p + 9);

	if ((scan_load8(p) & 0xffffffffffffull) != clock->minute_text ||
	    arrival != clock->last_arrival || (unsigned char)(p[6] - '0') > 5 ||
	    !scan_is_digit(p[7]) || p[8] != '.' || !scan_is_digits8(micros) || p[15] != ' ')
		return INT64_MIN;
	return clock->minute_wall / NS_PER_US + ((p[6] - '0') * 10 + (p[7] - '0')) * 1000000 +
	       (int64_t)scan_digits8(micros);
}

#endif
