/* SPDX-License-Identifier: MIT */
/* Tests of the header and its graphs, and of keys and the prompt for the past. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

static void breadcrumb_is_readable_with_a_long_source(void **state)
{
	static const char *const specs[] = {
		"/home/somebody/long/way/down/to/where/all/of/the/traces/are/written/t2.event"
	};
	static const struct {
		int cols;
		const char *keys, *title;
	} cases[] = {
		{ 120, "",
		  "  /home/somebody/long/way/down/to/where…l/of/the/traces/are/written/t2.event ● "
		  "LIVE" },
		{ 120, "3 Enter",
		  "  /home/somebody/long/way/down/to/…the/traces/are/written/t2.event  > Region ● "
		  "LIVE" },
		{ 80, "3 Enter", "  /home/somebody/long/…re/written/t2.event  > Region ● LIVE" },
		{ 80, "3 Enter e", "  /home/somebody/…ritten/t2.event  > Region > Events ● LIVE" },
		{ 80, "3 Enter e Enter",
		  "  /home/someb…n/t2.event  > Region > Events > Record ● LIVE" },
		{ 40, "t", "  /home…vent  …imeline ● LIVE" },
		{ 40, "3 Enter e", "  /home…vent  … Events ● LIVE" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ui_config config = {
			.nesting = -1, .depth = -1, .specs = specs, .nr_specs = 1
		};
		struct screen screen;

		screen_open(&screen, cases[i].cols, 24, &config);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, cases[i].keys);
		if (!strstr(screen_text(&screen), cases[i].title))
			fail_msg("no '%s' in %.150s", cases[i].title, screen_text(&screen));
		screen_close(&screen);
	}
}

static void pause_freezes_the_time_and_counts_pending_events(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen.in.paused = true;
	screen.in.paused_events = 1204;
	screen.in.paused_ns = 41 * NS_PER_SEC;
	screen.in.wall_ns += 41 * NS_PER_SEC;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "PAUSED +1,204 events · 00:41"));
	assert_non_null(strstr(screen_text(&screen), "6.00s"));
	assert_false(ui_needs_ticks(screen.ui));
	screen_close(&screen);
}

static void shows_speed_and_progress_of_a_replay(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen.in.replays = true;
	screen.in.replay_speed = 0.5;
	screen.in.replay_from = screen.in.wall_ns - 748 * NS_PER_SEC;
	screen.in.replay_until = screen.in.replay_from + 2400 * NS_PER_SEC;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " REPLAY 0.5x 00:12:28 of 00:40:00 "));
	screen.in.replay_held = true;
	screen.in.replay_speed = 2;
	screen.in.replay_until = NS_NONE;
	screen.in.record_stopped = true;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " HELD 2x 00:12:28  "));
	assert_non_null(strstr(screen_text(&screen), "recording stopped"));
	screen.in.record_stopped = false;
	screen.in.record_restarted = true;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "recording restarted"));
	screen_close(&screen);
}

static void shows_reading_progress_and_esc_skips_the_rest(void **state)
{
	static const struct {
		int cols;
		const char *line;
	} widths[] = {
		{ 120, "reading ▕████████▋           ▏ 43% 43.0M of 100M · 7 of 12 files · Esc "
		       "skips the rest" },
		{ 80,
		  "reading ▕█████▏      ▏ 43% 43.0M of 100M · 7 of 12 files · Esc skips the rest" },
		{ 40, "reading ▕███▌    ▏ 43% Esc: leave" },
	};
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		screen_open(&screen, widths[i].cols, 24, NULL);
		screen_scene(&screen);
		screen.source.old_bytes = 100 << 20;
		screen.source.old_bytes_read = 43 << 20;
		screen.source.old_files = 12;
		screen.source.old_files_read = 7;
		screen_frame(&screen);
		if (!strstr(screen_text(&screen), widths[i].line))
			fail_msg("%s is not in\n%s", widths[i].line, screen_text(&screen));
		assert_true(ui_needs_ticks(screen.ui));
		screen_close(&screen);
	}
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen.source.old_bytes = 10;
	screen_frame(&screen);
	/* On a page, or if a pane is zoomed, Esc does not skip the rest of the old data. */
	assert_int_equal(screen_keys(&screen, "Enter"), UI_REDRAW);
	assert_null(strstr(screen_text(&screen), "Esc leaves"));
	assert_int_equal(screen_keys(&screen, "Esc z Esc Backspace"), UI_REDRAW);
	assert_int_equal(screen_keys(&screen, "Esc"), UI_REDRAW | UI_LEAVE_OLD);
	screen.source.old_bytes_read = 10;
	screen.source.left_bytes = 8 << 20;
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "reading ▕"));
	assert_non_null(strstr(screen_text(&screen), "unread 8.00M"));
	assert_int_equal(screen_keys(&screen, "Esc"), UI_REDRAW);
	screen.source.listing = true;
	screen.source.old_files = 1234;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "reading listing: 1234 files"));
	screen_close(&screen);
}

static void graphs_need_a_high_screen_or_a_key(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "\ncommands "));
	assert_non_null(strstr(screen_text(&screen), "\nfailed "));
	assert_non_null(strstr(screen_text(&screen), "\np90 "));
	screen_close(&screen);
	screen_open(&screen, 120, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "\ncommands "));
	screen_keys(&screen, ";");
	assert_non_null(strstr(screen_text(&screen), "\ncommands "));
	assert_null(strstr(screen_text(&screen), "\np90 "));
	screen_keys(&screen, ";");
	assert_non_null(strstr(screen_text(&screen), "/min  max "));
	assert_non_null(strstr(screen_text(&screen), "\np90 "));
	screen_keys(&screen, ";");
	assert_null(strstr(screen_text(&screen), "/min  max "));
	assert_non_null(strstr(screen_text(&screen), "\np90 "));
	screen_keys(&screen, ";");
	assert_null(strstr(screen_text(&screen), "\ncommands "));
	assert_int_equal(screen_keys(&screen, ","), UI_REDRAW);
	assert_non_null(strstr(screen_text(&screen), "; shows the graphs"));
	screen_close(&screen);
}

static void graphs_show_counts_of_all_commands(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	/* The filter does not apply to the graphs. Of two commands that ended, one failed. */
	screen_keys(&screen, "\\ f e t c h Enter");
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "1 of 2 (50 %)"));
	assert_non_null(strstr(screen_text(&screen), "✗"));
	screen_close(&screen);
}

static void slow_phase_is_seen_in_the_graph(void **state)
{
	static const int usual[] = { 2, 20, 200 };

	(void)state;
	for (size_t u = 0; u < sizeof(usual) / sizeof(*usual); u++) {
		struct tr2_buf text;
		struct screen screen;

		tr2_buf_init(&text, 1 << 20);
		for (int i = 0; i < 120; i++) {
			int at = 5 * i, ms = i >= 60 && i < 72 ? 3 * usual[u] : usual[u];
			int end = at * 1000 + ms;

			tr2_buf_addf(&text,
				     "{\"event\":\"start\",\"sid\":\"r%03d\",\"thread\":\"main\","
				     "\"time\":\"2026-01-02T12:%02d:%02d.000000Z\",\"t_abs\":0.0,"
				     "\"argv\":[\"git\"]}\n",
				     i, at / 60, at % 60);
			tr2_buf_addf(
				&text,
				"{\"event\":\"atexit\",\"sid\":\"r%03d\",\"thread\":\"main\","
				"\"time\":\"2026-01-02T12:%02d:%02d.%03d000Z\",\"t_abs\":%d.%03d,"
				"\"code\":0}\n",
				i, end / 60000, end / 1000 % 60, end % 1000, ms / 1000, ms % 1000);
		}
		screen_open(&screen, 120, 40, NULL);
		screen_feed(&screen, text.data, text.len);
		screen_frame(&screen);
		assert_non_null(strstr(screen_text(&screen), "▂▂▅▅▅"));
		assert_non_null(strstr(screen_text(&screen), "▅▅▅▂▂"));
		screen_close(&screen);
		tr2_buf_release(&text);
	}
}

static void keys_and_clicks_go_to_the_end_of_a_column(void **state)
{
	struct key_event click = { .key = KEY_CODE_MOUSE, .button = MOUSE_PRESS, .y = 1 };
	struct screen screen;
	ns_t one, two;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_true(screen_keys(&screen, ",") & UI_PAST);
	assert_int_equal(ui_past_asked(screen.ui).kind, UI_PAST_TIME);
	one = ui_past_asked(screen.ui).amount;
	assert_true(one < SCENE_NOW_NS && one > SCENE_NOW_NS - 60 * NS_PER_SEC);
	assert_int_equal((one + NS_PER_SEC / 1000000) % NS_PER_SEC, 0);
	screen.in.past = true;
	screen.in.past_ns = one;
	screen_frame(&screen);
	screen_keys(&screen, ",");
	two = ui_past_asked(screen.ui).amount;
	assert_true(two < one);
	screen_keys(&screen, ".");
	assert_int_equal(ui_past_asked(screen.ui).kind, UI_PAST_TIME);
	assert_true(ui_past_asked(screen.ui).amount > one);
	screen.in.past_ns = ui_past_asked(screen.ui).amount;
	screen_frame(&screen);
	screen_keys(&screen, ".");
	assert_int_equal(ui_past_asked(screen.ui).kind, UI_PAST_LIVE);
	click.x = 9;
	assert_true(ui_key(screen.ui, &click) & UI_PAST);
	assert_true(ui_past_asked(screen.ui).amount < two);
	click.x = 8; /* the label left of the graph */
	assert_false(ui_key(screen.ui, &click) & UI_PAST);
	screen_close(&screen);
}

static void key_bar_returns_from_the_past(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "End live"));
	screen.in.past = true;
	screen.in.past_ns = SCENE_NOW_NS - NS_PER_SEC;
	for (int page = 0; page < 2; page++) {
		screen_frame(&screen);
		assert_non_null(strstr(screen_text(&screen), "End live"));
		assert_true(screen_keys(&screen, "End") & UI_PAST);
		assert_int_equal(ui_past_asked(screen.ui).kind, UI_PAST_LIVE);
		screen_keys(&screen, "t");
	}
	screen_close(&screen);
}

static void time_prompt_shows_accepted_times(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "@");
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "12:28:42.5  2026-11-21T12:28Z  -30s"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_need_a_high_screen_or_a_key),
		cmocka_unit_test(graphs_show_counts_of_all_commands),
		cmocka_unit_test(slow_phase_is_seen_in_the_graph),
		cmocka_unit_test(keys_and_clicks_go_to_the_end_of_a_column),
		cmocka_unit_test(key_bar_returns_from_the_past),
		cmocka_unit_test(time_prompt_shows_accepted_times),
		cmocka_unit_test(shows_speed_and_progress_of_a_replay),
		cmocka_unit_test(shows_reading_progress_and_esc_skips_the_rest),
		cmocka_unit_test(pause_freezes_the_time_and_counts_pending_events),
		cmocka_unit_test(breadcrumb_is_readable_with_a_long_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
