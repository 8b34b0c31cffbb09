/* SPDX-License-Identifier: MIT */
/* Calendar time. Any thread. */
#ifndef TR2_TIME_H
#define TR2_TIME_H

#include <stdint.h>
#include <time.h>

#include "engine/base/platform.h"

struct tr2_civil {
	int year;
	unsigned month, day; /* numbered from 1 */
	unsigned hour, minute, second;
};

/* Convert `sec` seconds since 1970 to a UTC date and time. */
static inline struct tr2_civil tr2_civil_of(int64_t sec)
{
	/* Days are counted from 0000-03-01, so that a leap day is the last day of its year. An era
	 * is 400 years. */
	int64_t day_sec = sec % 86400;
	int64_t days = sec / 86400 - (day_sec < 0) + 719468;
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	unsigned of_era = (unsigned)(days - era * 146097), year, of_year, month;
	unsigned s = (unsigned)(day_sec < 0 ? day_sec + 86400 : day_sec);

	year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	month = (5 * of_year + 2) / 153;
	return (struct tr2_civil){
		.year = (int)(year + era * 400) + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = of_year - (153 * month + 2) / 5 + 1,
		.hour = s / 3600,
		.minute = s / 60 % 60,
		.second = s % 60,
	};
}

/* Return local time minus UTC in seconds, as it is at the time `sec` since the epoch; 0 if
 * unknown. */
static inline int64_t tr2_utc_offset(int64_t sec)
{
	time_t t = (time_t)sec;
	struct tm tm;

	return localtime_r(&t, &tm) ? tr2_platform_utc_offset(t, &tm) : 0;
}

#endif
