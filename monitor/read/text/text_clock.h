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

#include "engine/base/clock.h"

/* A minute of local time and when it began: what all streams remember together. */
#define TEXT_MINUTES 64u /* slots */
struct text_minute {
	int year, month, day, minute; /* as in struct tm, not normalized */
	bool is_set;
	ns_t wall;
};

struct text_clock {
	struct text_minute *minutes; /* TEXT_MINUTES of them, zeroed at first; set before use */
	bool is_set;
	struct tm first; /* the day of the first time */
	int64_t day;     /* of the last time, counted from there */
	ns_t last;       /* the last time of day */
	ns_t last_arrival;
	int64_t minute; /* whose beginning is `minute_wall`; counted from `first` */
	ns_t minute_wall;
};

/*
 * The wall time of the next time of day, as it came. `reference` as in struct reader_stream;
 * NS_NONE: `arrival`, and that again where nothing arrived for half a day.
 */
ns_t text_clock_next(struct text_clock *clock, ns_t time_of_day, ns_t reference, ns_t arrival);

#endif
