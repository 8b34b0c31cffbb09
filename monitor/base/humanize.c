/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/humanize.h"

#include <string.h>

#include "engine/base/digits.h"

struct unit {
	uint64_t size;
	const char *name;
};

static _Thread_local enum human_form form_of_thread;

enum human_form human_set_form(enum human_form form)
{
	enum human_form before = form_of_thread;

	form_of_thread = form;
	return before;
}

/* Append a text, which must fit. Returns the position of its NUL. */
static char *humanize_add(char *to, const char *text)
{
	size_t len = strlen(text);

	memcpy(to, text, len + 1);
	return to + len;
}

static char *humanize_put_number(char *to, uint64_t v, unsigned nr_digits)
{
	char text[TR2_DIGITS_BYTES];
	unsigned at = tr2_digits_padded(text, v, nr_digits);

	memcpy(to, text + at, sizeof(text) - at);
	to += sizeof(text) - at;
	*to = '\0';
	return to;
}

/* Format `value` in units of `unit`, with as many decimal places, at most 3, as `digits` digits
 * allow. */
static void scaled(struct human *out, const char *sign, uint64_t value, const struct unit *unit,
		   int digits)
{
	static const unsigned scales[] = { 1, 10, 100, 1000 };
	uint64_t whole = value / unit->size, rest = value % unit->size;
	int places = digits - (whole < 10 ? 1 : whole < 100 ? 2 : whole < 1000 ? 3 : 4);
	char *to;

	if (places > 3)
		places = 3;
	to = humanize_put_number(humanize_add(out->text, sign), whole, 1);
	if (places > 0) {
		*to++ = '.';
		/* Truncate: 59.9999 must not become 60.00. */
		to = humanize_put_number(to, rest * scales[places] / unit->size, (unsigned)places);
	}
	humanize_add(to, unit->name);
}

static void two_units(struct human *out, const char *sign, uint64_t seconds)
{
	static const struct {
		uint64_t below, big, small;
		char big_name, small_name;
	} forms[] = {
		{ 3600, 60, 1, 'm', 's' },
		{ 86400, 3600, 60, 'h', 'm' },
		{ UINT64_MAX, 86400, 3600, 'd', 'h' },
	};
	char *to;
	int i = 0;

	while (seconds >= forms[i].below)
		i++;
	to = humanize_put_number(humanize_add(out->text, sign), seconds / forms[i].big, 1);
	*to++ = forms[i].big_name;
	to = humanize_put_number(to, seconds % forms[i].big / forms[i].small, 2);
	*to++ = forms[i].small_name;
	*to = '\0';
}

/* Append a number and its unit, such as "3 minutes", but no 0 after another unit. */
static char *add_units(char *to, const char *text, uint64_t nr, const char *unit)
{
	if (!nr && to != text && to[-1] != '-')
		return to;
	if (to != text && to[-1] != '-')
		to = humanize_add(to, " ");
	to = humanize_add(humanize_add(humanize_put_number(to, nr, 1), " "), unit);
	return nr == 1 ? to : humanize_add(to, "s");
}

static void format_two_units(struct human *out, char *to, uint64_t seconds)
{
	if (seconds < 3600)
		add_units(add_units(to, out->text, seconds / 60, "minute"), out->text, seconds % 60,
			  "second");
	else if (seconds < 86400)
		add_units(add_units(to, out->text, seconds / 3600, "hour"), out->text,
			  seconds % 3600 / 60, "minute");
	else
		add_units(add_units(to, out->text, seconds / 86400, "day"), out->text,
			  seconds % 86400 / 3600, "hour");
}

/* Format a duration in words, with truncated fractions: 9.99 becomes 9.9, 59.9 becomes 59. */
static struct human duration_words(const char *sign, uint64_t abs)
{
	static const struct unit units[] = {
		{ 1000000000, "second" },
		{ 1000000, "millisecond" },
		{ 1000, "microsecond" },
		{ 1, "nanosecond" },
	};
	struct human out;
	char *to = humanize_add(out.text, sign);
	unsigned i = 0;
	uint64_t whole, tenth;

	if (abs >= 60ull * NS_PER_SEC) {
		format_two_units(&out, to, abs / NS_PER_SEC);
		return out;
	}
	while (i < 3 && abs < units[i].size)
		i++;
	whole = abs / units[i].size;
	tenth = abs % units[i].size * 10 / units[i].size;
	if (whole >= 10 || !tenth) {
		add_units(to, out.text, whole, units[i].name);
		return out;
	}
	to = humanize_put_number(humanize_add(humanize_put_number(to, whole, 1), "."), tenth, 1);
	humanize_add(humanize_add(humanize_add(to, " "), units[i].name), "s");
	return out;
}

/* A whole number of microseconds, below a millisecond, is shown as "82us", not "82.0us": the
 * trace's clock probably counts microseconds. */
static int known_digits(uint64_t abs, int digits)
{
	return abs < 1000000 && abs % 1000 == 0 ? 1 : digits;
}

static struct human duration_with(ns_t ns, int digits)
{
	const struct unit units[] = {
		{ 1000000000, "s" },
		{ 1000000, "ms" },
		{ 1000, form_of_thread == HUMAN_SCREEN ? "µs" : "us" },
	};
	struct human out = { "-" };
	const char *sign = ns < 0 ? "-" : "";
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns == NS_NONE)
		return out;
	if (form_of_thread == HUMAN_WORDS)
		return duration_words(sign, abs);
	if (abs >= 60ull * NS_PER_SEC) {
		two_units(&out, sign, abs / NS_PER_SEC);
		return out;
	}
	for (unsigned i = 0; i < 3; i++)
		if (abs >= units[i].size) {
			scaled(&out, sign, abs, &units[i], known_digits(abs, digits));
			return out;
		}
	humanize_add(humanize_put_number(humanize_add(out.text, sign), abs, 1), "ns");
	return out;
}

struct human human_duration(ns_t ns)
{
	return duration_with(ns, 3);
}

struct human human_mark(ns_t ns)
{
	/* four digits: with three, neighbouring marks of an axis may have the same text */
	struct human out = duration_with(ns, 4);
	char *point = strchr(out.text, '.'), *unit, *end;

	if (!point)
		return out;
	unit = point + 1 + strspn(point + 1, "0123456789");
	for (end = unit; end[-1] == '0'; end--)
		;
	if (end == point + 1)
		end = point;
	memmove(end, unit, strlen(unit) + 1);
	return out;
}

ns_t human_step(ns_t least_ns)
{
	ns_t decade = 1;

	while (decade < least_ns && decade <= INT64_MAX / 100)
		for (int i = 0; i < 3; i++) {
			static const int steps[] = { 1, 2, 5 };

			if (decade * steps[i] >= least_ns)
				return decade * steps[i];
			if (i == 2)
				decade *= 10;
		}
	return decade;
}

struct human human_count(uint64_t count)
{
	static const struct unit units[] = {
		{ 1000000000, "G" },
		{ 1000000, "M" },
		{ 1000, "k" },
	};
	struct human out;

	if (count < 10000) {
		humanize_put_number(out.text, count, 1);
		return out;
	}
	for (unsigned i = 0;; i++)
		if (count >= units[i].size) {
			scaled(&out, "", count, &units[i], 3);
			return out;
		}
}

struct human human_bytes(uint64_t bytes)
{
	static const struct unit units[] = {
		{ 1ull << 40, "T" },
		{ 1ull << 30, "G" },
		{ 1ull << 20, "M" },
		{ 1ull << 10, "K" },
	};
	struct human out;

	for (unsigned i = 0; i < 4; i++)
		if (bytes >= units[i].size) {
			scaled(&out, "", bytes, &units[i], 3);
			return out;
		}
	humanize_put_number(out.text, bytes, 1);
	return out;
}
