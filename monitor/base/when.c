/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/when.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "monitor/base/platform.h"

static const struct {
	const char *unit;
	ns_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", NS_PER_US },
	{ "µs", NS_PER_US }, /* U+00B5, micro sign */
	{ "μs", NS_PER_US }, /* U+03BC, Greek mu */
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_SEC },
	{ "m", 60 * NS_PER_SEC },
	{ "min", 60 * NS_PER_SEC },
	{ "h", 3600 * NS_PER_SEC },
	{ "d", 24 * 3600 * NS_PER_SEC },
};

struct scan {
	const char *text, *at;
	struct time_error *error;
};

static bool wrong(struct scan *s, const char *expected)
{
	s->error->column = (size_t)(s->at - s->text);
	s->error->expected = expected;
	return false;
}

/* Parse a decimal point and digits, if any. Returns the fraction in billionths; digits after the
 * ninth are ignored. */
static ns_t fraction(struct scan *s)
{
	ns_t part = 0, scale = NS_PER_SEC;

	if (*s->at != '.')
		return 0;
	for (s->at++; isdigit((unsigned char)*s->at); s->at++)
		if (scale > 1) {
			scale /= 10;
			part += (*s->at - '0') * scale;
		}
	return part;
}

static bool duration(struct scan *s, ns_t *out)
{
	ns_t whole = 0, part;

	if (!isdigit((unsigned char)*s->at))
		return wrong(s, "expected a number");
	for (; isdigit((unsigned char)*s->at); s->at++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *s->at - '0', &whole))
			return wrong(s, "expected a smaller number");
	part = fraction(s);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(s->at, units[i].unit))
			continue;
		if (__builtin_mul_overflow(whole, units[i].ns, out))
			return wrong(s, "expected a shorter duration");
		part = (ns_t)((double)part / (double)NS_PER_SEC * (double)units[i].ns);
		if (__builtin_add_overflow(*out, part, out))
			return wrong(s, "expected a shorter duration");
		return true;
	}
	return wrong(s, "expected a unit: ns, us, ms, s, m, h or d");
}

bool duration_parse(const char *text, ns_t *out)
{
	struct time_error error;
	struct scan s = { text, text, &error };

	return duration(&s, out);
}

static bool when_number(struct scan *s, int width, int lowest, int highest, int *out,
			const char *expected)
{
	const char *from = s->at;

	*out = 0;
	while (s->at - from < width && isdigit((unsigned char)*s->at))
		*out = *out * 10 + (*s->at++ - '0');
	if (s->at > from && *out >= lowest && *out <= highest)
		return true;
	s->at = from;
	return wrong(s, expected);
}

static bool parse_char(struct scan *s, char c, const char *expected)
{
	if (*s->at != c)
		return wrong(s, expected);
	s->at++;
	return true;
}

static int days_of_month(int year, int month)
{
	static const char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

static bool date(struct scan *s, struct tm *tm)
{
	if (!when_number(s, 4, 1900, 9999, &tm->tm_year, "expected a year of four digits") ||
	    !parse_char(s, '-', "expected - and a month") ||
	    !when_number(s, 2, 1, 12, &tm->tm_mon, "expected a month, 01 to 12") ||
	    !parse_char(s, '-', "expected - and a day") ||
	    !when_number(s, 2, 1, days_of_month(tm->tm_year, tm->tm_mon), &tm->tm_mday,
			 "expected a day of that month"))
		return false;
	if (*s->at != 'T' && *s->at != ' ')
		return wrong(s, "expected T or a blank, and a time of day");
	s->at++;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return true;
}

static bool time_of_day(struct scan *s, struct tm *tm, ns_t *part)
{
	if (!when_number(s, 2, 0, 23, &tm->tm_hour, "expected an hour, 00 to 23") ||
	    !parse_char(s, ':', "expected : and minutes") ||
	    !when_number(s, 2, 0, 59, &tm->tm_min, "expected minutes, 00 to 59"))
		return false;
	if (*s->at == ':') {
		s->at++;
		if (!when_number(s, 2, 0, 60, &tm->tm_sec, "expected seconds, 00 to 59"))
			return false;
	}
	*part = fraction(s);
	return true;
}

static bool parse_moment(struct scan *s, ns_t now, ns_t *out)
{
	time_t now_s = (time_t)(now / NS_PER_SEC), t;
	struct tm tm = { 0 };
	ns_t part;

	if (strspn(s->at, "0123456789") == 4) {
		if (!date(s, &tm))
			return false;
	} else {
		localtime_r(&now_s, &tm);
	}
	tm.tm_sec = 0;
	if (!time_of_day(s, &tm, &part))
		return false;
	tm.tm_isdst = -1;
	errno = 0;
	if (!strcmp(s->at, "Z"))
		t = platform_time_of_utc(&tm);
	else if (!*s->at)
		t = mktime(&tm);
	else
		return wrong(s, "expected the end, or Z for UTC");
	/* mktime() may fail: a 32-bit time_t ends in 2038. */
	if ((t == -1 && errno == EOVERFLOW) || __builtin_mul_overflow((ns_t)t, NS_PER_SEC, out) ||
	    __builtin_add_overflow(*out, part, out))
		return wrong(s, "expected a time between 1900 and 2262");
	return true;
}

bool time_parse_why(const char *text, ns_t now, ns_t *out, struct time_error *error)
{
	struct scan s = { text, text, error };
	ns_t by;
	size_t digits;

	if (*text == '-' || *text == '+') {
		s.at++;
		if (!duration(&s, &by))
			return false;
		if (*text == '-' ? !__builtin_sub_overflow(now, by, out)
				 : !__builtin_add_overflow(now, by, out))
			return true;
		return wrong(&s, "expected a shorter duration");
	}
	if (!isdigit((unsigned char)*text))
		return wrong(&s, "expected a time such as 12:28:42.5, -30s or 2026-11-21T12:28Z");
	digits = strspn(text, "0123456789");
	if (text[digits] == ':' || text[digits] == '-')
		return parse_moment(&s, now, out);
	if (!duration(&s, &by))
		return false;
	return !__builtin_sub_overflow(now, by, out) || wrong(&s, "expected a shorter duration");
}

bool time_parse(const char *text, ns_t now, ns_t *out)
{
	struct time_error error;

	return time_parse_why(text, now, out, &error);
}
