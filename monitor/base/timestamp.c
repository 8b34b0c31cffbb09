/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/timestamp.h"

#include <stdint.h>

static int timestamp_digits(const char **p, const char *end, int nr)
{
	int v = 0;

	if (end - *p < nr)
		return -1;
	for (int i = 0; i < nr; i++) {
		unsigned digit = (unsigned char)(**p - '0');

		if (digit > 9)
			return -1;
		v = v * 10 + (int)digit;
		++*p;
	}
	return v;
}

static bool skip(const char **p, const char *end, char c)
{
	if (*p >= end || **p != c)
		return false;
	++*p;
	return true;
}

/* Return the days since 1970-01-01 in the Gregorian calendar. A year begins in March, so that it
 * ends with the leap day. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - 719468;
}

static int days_in(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static bool parse_seconds(const char **p, const char *end, int64_t *seconds)
{
	int year = timestamp_digits(p, end, 4);
	int month = skip(p, end, '-') ? timestamp_digits(p, end, 2) : -1;
	int day = skip(p, end, '-') ? timestamp_digits(p, end, 2) : -1;
	int hour = skip(p, end, 'T') ? timestamp_digits(p, end, 2) : -1;
	int minute = skip(p, end, ':') ? timestamp_digits(p, end, 2) : -1;
	int second = skip(p, end, ':') ? timestamp_digits(p, end, 2) : -1;

	if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) ||
	    hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
		return false;
	*seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	return true;
}

static bool parse_fraction(const char **p, const char *end, int64_t *ns)
{
	int64_t unit = 100000000;
	int digit = 0, nr = 0;

	*ns = 0;
	if (!skip(p, end, '.'))
		return true;
	for (; *p < end && (digit = timestamp_digits(p, end, 1)) >= 0; nr++, unit /= 10)
		*ns += digit * unit;
	return nr > 0;
}

/* Parse a time zone; `*ahead`: seconds by which it is ahead of UTC. */
static bool parse_zone(const char **p, const char *end, int64_t *ahead)
{
	int hours, minutes, sign;

	*ahead = 0;
	if (skip(p, end, 'Z'))
		return *p == end;
	sign = skip(p, end, '+') ? 1 : skip(p, end, '-') ? -1 : 0;
	hours = timestamp_digits(p, end, 2);
	minutes = skip(p, end, ':') ? timestamp_digits(p, end, 2) : -1;
	if (!sign || hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
		return false;
	*ahead = sign * (hours * 3600 + minutes * 60);
	if (!*ahead)
		/* some releases of Android's repo tool write an offset and a Z */
		skip(p, end, 'Z');
	return *p == end;
}

bool timestamp_parse(const char *text, size_t len, ns_t *wall)
{
	const char *end = text + len;
	int64_t seconds, ns, ahead;

	return parse_seconds(&text, end, &seconds) && parse_fraction(&text, end, &ns) &&
	       parse_zone(&text, end, &ahead) &&
	       !__builtin_mul_overflow(seconds - ahead, NS_PER_SEC, wall) &&
	       !__builtin_add_overflow(*wall, ns, wall);
}
