/* SPDX-License-Identifier: MIT */
/* Tests of the region page, and of figures of regions. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

static struct tr2_buf lines = { .max = 1 << 28 };

static void line(const char *event, const char *sid, const char *thread, double time,
		 const char *more)
{
	tr2_buf_addf(&lines,
		     "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"%s\","
		     "\"time\":\"2026-01-02T12:00:%09.6fZ\"%s%s}\n",
		     event, sid, thread, time, *more ? "," : "", more);
}

static void enter(const char *sid, const char *thread, double time, int nesting, const char *label)
{
	char more[200];

	snprintf(more, sizeof(more), "\"nesting\":%d,\"category\":\"c\",\"label\":\"%s\"", nesting,
		 label);
	line("region_enter", sid, thread, time, more);
}

static void leave(const char *sid, const char *thread, double time, int nesting, const char *label,
		  double t_rel)
{
	char more[200];

	snprintf(more, sizeof(more),
		 "\"t_rel\":%.6f,\"nesting\":%d,\"category\":\"c\",\"label\":\"%s\"", t_rel,
		 nesting, label);
	line("region_leave", sid, thread, time, more);
}

static void data(const char *sid, double time, const char *key, const char *value)
{
	char more[200];

	snprintf(more, sizeof(more), "\"category\":\"d\",\"key\":\"%s\",\"value\":\"%s\"", key,
		 value);
	line("data", sid, "main", time, more);
}

static void write_two(void)
{
	tr2_buf_clear(&lines);
	line("start", "a", "main", 0, "\"t_abs\":0.0,\"argv\":[\"git\",\"a\"]");
	data("a", 0.05, "before", "0");
	enter("a", "main", 0.1, 1, "outer");
	enter("a", "main", 0.2, 2, "inner");
	data("a", 0.25, "n", "1");
	leave("a", "main", 0.3, 2, "inner", 0.1);
	enter("a", "main", 0.4, 2, "inner");
	leave("a", "main", 0.6, 2, "inner", 0.2);
	data("a", 0.65, "n", "2");
	data("a", 0.66, "m", "7");
	leave("a", "main", 0.7, 1, "outer", 0.6);
	data("a", 0.75, "after", "0");
	enter("a", "main", 0.8, 1, "inner");
	leave("a", "main", 0.85, 1, "inner", 0.05);
	line("start", "b", "main", 1, "\"t_abs\":0.0,\"argv\":[\"git\",\"b\"]");
	enter("b", "th01:x", 1.1, 1, "inner");
	leave("b", "th01:x", 1.5, 1, "inner", 0.4);
}

static void enter_opens_the_log_at_the_time(void **state)
{
	struct screen screen;

	(void)state;
	for (int with_e = 0; with_e < 2; with_e++) {
		write_two();
		screen_open(&screen, 120, 40, NULL);
		screen_feed(&screen, lines.data, lines.len);
		screen_frame(&screen);
		/* The slowest occurrence of c/outer in one process: its enter is the third
		 * event. */
		screen_keys(&screen, "3 Enter End");
		assert_non_null(strstr(screen_text(&screen), "Region · c/inner"));
		screen_keys(&screen, "Backspace Down Enter End");
		assert_non_null(strstr(screen_text(&screen), "Region · c/outer"));
		assert_non_null(strstr(screen_text(&screen), "│ 1 time · total 600ms"));
		screen_keys(&screen, with_e ? "e" : "Enter");
		if (!strstr(screen_text(&screen), "Events · a · event 3 of 17"))
			fail_msg("%s", screen_text(&screen));
		screen_keys(&screen, "Backspace");
		assert_non_null(strstr(screen_text(&screen), "Region · c/outer"));
		screen_close(&screen);
	}
}

static void timings_of_a_process_have_percentiles_of_its_own(void **state)
{
	struct screen screen;

	(void)state;
	write_two();
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	screen_keys(&screen, "End 3 z");
	assert_non_null(strstr(screen_text(&screen), " 400ms 400ms"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "3 Timings · a"));
	assert_non_null(strstr(screen_text(&screen), " 200ms 200ms"));
	assert_non_null(strstr(screen_text(&screen), "distribution "));
	/* The limit on nesting excludes regions inside others. */
	screen_keys(&screen, "F7 F7 F7 F7");
	assert_non_null(strstr(screen_text(&screen), "50.0ms 50.0ms 50.0ms"));
	screen_keys(&screen, "F8 F8 F8 F8 a 1 \\ \" g i t Space b \" Enter 3");
	screen_frame(&screen);
	if (!strstr(screen_text(&screen), "400ms 400ms 400ms"))
		fail_msg("%s", screen_text(&screen));
	screen.in.journal = NULL;
	screen_keys(&screen, "+ 1 Home 3 z");
	screen_frame(&screen);
	screen_close(&screen);
}

static void long_histories_are_read_further_without_new_events(void **state)
{
	struct screen screen;
	int nr_frames = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	/* 200 batches are more than are read in a frame. */
	for (int i = 0; i < 200; i++) {
		tr2_buf_clear(&lines);
		leave("a", "main", i * 0.1, 1, "l", 0.1);
		screen_feed(&screen, lines.data, lines.len);
	}
	screen_frame(&screen);
	screen_keys(&screen, "3 Enter");
	assert_non_null(strstr(screen_text(&screen), "reading "));
	for (; nr_frames < 20 && ui_needs_ticks(screen.ui); nr_frames++)
		screen_frame(&screen);
	assert_true(nr_frames > 1 && nr_frames < 20);
	assert_null(strstr(screen_text(&screen), "reading "));
	assert_non_null(strstr(screen_text(&screen), "200 times"));
	screen_close(&screen);
}

static void sections_open_and_order_reverses(void **state)
{
	struct screen screen;
	char sid[16];

	(void)state;
	tr2_buf_clear(&lines);
	for (int i = 0; i < 9; i++) {
		snprintf(sid, sizeof(sid), "p%d", i);
		line("start", sid, "main", i, "\"t_abs\":0.0,\"argv\":[\"git\",\"x\"]");
		leave(sid, "main", i + 0.5, 1, "l", 0.1 + (i ^ 5) * 0.01);
	}
	screen_open(&screen, 80, 24, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	screen_keys(&screen, "3 Enter");
	assert_non_null(strstr(screen_text(&screen), "8 more: Enter shows them"));
	screen_keys(&screen, "Down Down Enter");
	screen_keys(&screen, "PgDn PgDn");
	assert_non_null(strstr(screen_text(&screen), "slowest first"));
	assert_non_null(strstr(screen_text(&screen), "230ms"));
	screen_keys(&screen, "s");
	assert_non_null(strstr(screen_text(&screen), "newest first"));
	screen_close(&screen);
}

static void impossible_times_stay_within_bounds(void **state)
{
	struct screen screen;

	(void)state;
	tr2_buf_clear(&lines);
	for (int i = 0; i < 4; i++) {
		enter(i % 2 ? "a" : "b", "main", i, 1, "long");
		leave(i % 2 ? "a" : "b", "main", i + 0.5, 1, "long", 9223372036.0);
	}
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	screen_keys(&screen, "3 Enter");
	assert_non_null(strstr(screen_text(&screen), "4 times · total 106751d23h"));
	screen_keys(&screen, "Esc a");
	assert_non_null(strstr(screen_text(&screen), "106751d"));
	screen_keys(&screen, "S a");
	/* Parts of the wall time depend on start and end, not on reported durations. */
	assert_non_null(strstr(screen_text(&screen), "Total"));
	assert_null(strstr(screen_text(&screen), "106751d"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enter_opens_the_log_at_the_time),
		cmocka_unit_test(timings_of_a_process_have_percentiles_of_its_own),
		cmocka_unit_test(long_histories_are_read_further_without_new_events),
		cmocka_unit_test(sections_open_and_order_reverses),
		cmocka_unit_test(impossible_times_stay_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
