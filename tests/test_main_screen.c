/* SPDX-License-Identifier: MIT */
/* Tests of the main screen: columns, header, key bar, titles. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "tests/screen_fixture.h"

#define FED_BYTES 2000

/* Feed a process of `ms` milliseconds that began `second` seconds after 12:00:00. */
static void feed_run(struct screen *screen, int second, const char *command, int ms, int code)
{
	char lines[FED_BYTES], sid[80];
	int len;

	snprintf(sid, sizeof(sid), "20260102T12%02d%02d.000000Z-H1-P%08x", second / 60, second % 60,
		 100 + second);
	len = snprintf(
		lines, sizeof(lines),
		"{\"event\":\"start\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":"
		"\"2026-01-02T12:%02d:%02d.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\",\"%s\"]}\n"
		"{\"event\":\"cmd_name\",\"sid\":\"%s\",\"thread\":\"main\",\"name\":\"%s\","
		"\"hierarchy\":\"%s\"}\n"
		"{\"event\":\"atexit\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":"
		"\"2026-01-02T12:%02d:%02d.%03d000Z\",\"t_abs\":%d.%03d,\"code\":%d}\n",
		sid, second / 60, second % 60, command, sid, command, command, sid,
		(second + ms / 1000) / 60, (second + ms / 1000) % 60, ms % 1000, ms / 1000,
		ms % 1000, code);
	assert_in_range(len, 1, FED_BYTES - 1);
	screen_feed(screen, lines, (size_t)len);
}

static bool is_shown(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

/* Nine runs take 10 ms, the last one 4.5 s. */
static void slow_run_is_compared_with_its_median(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	for (int i = 0; i < 7; i++)
		feed_run(&screen, i, "status", 10, 0);
	feed_run(&screen, 8, "fetch", 4500, 0);
	screen_frame(&screen);
	assert_false(is_shown(&screen, "its median"));
	for (int i = 9; i < 12; i++)
		feed_run(&screen, i, "status", 10, 0);
	feed_run(&screen, 13, "status", 4500, 0);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "450x its median"));
	assert_null(strstr(strstr(screen_text(&screen), "450x its median") + 8, "its median"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_run_is_compared_with_its_median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
