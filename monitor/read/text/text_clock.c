/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/text_clock.h"

#define HALF_NS   (43200 * NS_PER_SEC)
#define MINUTE_NS (60 * NS_PER_SEC)
/* Maximum ns by which a file's mtime may be earlier than its last write. */
#define SLACK_NS NS_PER_SEC

static void anchor(struct text_clock *clock, ns_t time_of_day, ns_t reference)
{
	time_t seconds = (time_t)((reference + SLACK_NS) / NS_PER_SEC);
	ns_t rest = (reference + SLACK_NS) % NS_PER_SEC, of_day;
	struct text_second *last = &clock->memo->second;
	struct tm tm;

	if (!last->is_set || last->at != seconds) {
		*last = (struct text_second){ .at = seconds, .is_set = true };
		if (!localtime_r(&seconds, &last->local))
			last->local = (struct tm){ .tm_year = 70, .tm_mday = 1 };
	}
	tm = last->local;
	of_day = ((tm.tm_hour * 60 + tm.tm_min) * 60LL + tm.tm_sec) * NS_PER_SEC + rest;
	clock->first = (struct tm){ .tm_year = tm.tm_year,
				    .tm_mon = tm.tm_mon,
				    .tm_mday = tm.tm_mday - (time_of_day > of_day) };
	clock->day = 0;
	clock->last = time_of_day;
	clock->minute = INT64_MIN;
	clock->is_set = true;
}

/* Return the wall time of a minute, which is cached because mktime() is slow. */
static ns_t minute_wall(const struct text_clock *clock, int64_t day, int of_day)
{
	struct tm tm = clock->first;
	struct text_minute *known =
		&clock->memo->minutes[(uint32_t)(tm.tm_mday + day + of_day) % TEXT_MINUTES];

	tm.tm_mday += (int)day;
	if (known->is_set && known->minute == of_day && known->day == tm.tm_mday &&
	    known->month == tm.tm_mon && known->year == tm.tm_year)
		return known->wall;
	*known = (struct text_minute){ tm.tm_year, tm.tm_mon, tm.tm_mday, of_day, true, 0 };
	tm.tm_hour = of_day / 60;
	tm.tm_min = of_day % 60;
	tm.tm_isdst = -1;
	known->wall = (ns_t)mktime(&tm) * NS_PER_SEC;
	return known->wall;
}

ns_t text_clock_next(struct text_clock *clock, ns_t time_of_day, ns_t reference, ns_t arrival)
{
	int64_t day, minute;

	if (!clock->is_set ||
	    (reference == NS_NONE && ns_sub(arrival, clock->last_arrival) > HALF_NS))
		anchor(clock, time_of_day, reference == NS_NONE ? arrival : reference);
	clock->last_arrival = arrival;
	day = clock->day;
	if (time_of_day < clock->last - HALF_NS)
		day++;
	else if (time_of_day > clock->last + HALF_NS)
		day--;
	/* A late line does not move the clock back. */
	if (day >= clock->day) {
		clock->day = day;
		clock->last = time_of_day;
	}
	minute = day * 1440 + time_of_day / MINUTE_NS;
	if (minute != clock->minute) {
		clock->minute = minute;
		clock->minute_wall = minute_wall(clock, day, (int)(time_of_day / MINUTE_NS));
	}
	clock->minute_text = 0;
	return clock->minute_wall + time_of_day % MINUTE_NS;
}

void text_clock_note(struct text_clock *clock, const char *p)
{
	if (clock->minute == clock->day * 1440 + clock->last / MINUTE_NS)
		clock->minute_text = scan_load8(p) & 0xffffffffffffull;
}
