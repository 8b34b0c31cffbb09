/* SPDX-License-Identifier: MIT */
/*
 * Convert times of day to wall times, in the local time zone. The first time gets the latest date
 * at which it is at most a second after a reference (mtime of the file, or arrival of the bytes). A
 * time more than half a day before the last one is on the next day; a time more than half a day
 * after the last one is a late line of the day before.
 *
 * Only one thread at a time may use the clocks of a memo.
 */
#ifndef MONITOR_TEXT_CLOCK_H
#define MONITOR_TEXT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "engine/base/clock.h"
#include "monitor/base/scan.h"

#define TEXT_MINUTES 64u
/* A minute of local time and its start in wall time. */
struct text_minute {
	/* date as in struct tm, not normalized, and minute of the day */
	int year, month, day, minute;
	bool is_set;
	ns_t wall;
};

/* The second that was last converted: files of a directory often have the same mtime. */
struct text_second {
	bool is_set;
	time_t at;
	struct tm local;
};

/* Cache shared by clocks; initially all zeros. */
struct text_clock_memo {
	struct text_minute minutes[TEXT_MINUTES];
	struct text_second second;
};

struct text_clock {
	/* the cache; must be set before the clock is used */
	struct text_clock_memo *memo;
	bool is_set;
	/* date of `day` 0 */
	struct tm first;
	int64_t day; /* day of `last`, in days after `first` */
	/* last time of day of text_clock_next(), in ns; not of late lines of the day before */
	ns_t last;
	ns_t last_arrival;
	/* minute that begins at `minute_wall`, in minutes after the start of the day `first` */
	int64_t minute;
	ns_t minute_wall;
	uint64_t minute_text; /* text `HH:MM:` of `minute`; 0: not noted */
};

/*
 * Get the wall time of the next time of day, in order of arrival. `reference` as in struct
 * reader_stream; if it is NS_NONE, `arrival` is the reference, again after more than half a day
 * without data.
 */
ns_t text_clock_next(struct text_clock *clock, ns_t time_of_day, ns_t reference, ns_t arrival);

/*
 * Note that the last converted time has the text `HH:MM:SS.uuuuuu` at `p`, so that
 * text_clock_in_minute() converts further times of the same minute quickly.
 */
void text_clock_note(struct text_clock *clock, const char *p);

/*
 * Return the wall time in microseconds of the line at `p` if it is in the noted minute and
 * `arrival` is that of the last line; otherwise INT64_MIN, and the caller must use
 * text_clock_next(). Reads 17 bytes.
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
