/* SPDX-License-Identifier: MIT */
/* The page of the heat map, and the maps below the commands, with some hundred made runs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/screen_fixture.h"

#define NR_RUNS 300

/* Runs of status every 2 s: the last 60 take ten times as long; each 50th fails. Each fifth run is a
 * fetch of 200 ms. */
static void feed_runs(struct screen *screen)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 20);
	for (int i = 0; i < NR_RUNS; i++) {
		const char *name = i % 5 ? "status" : "fetch";
		int ms = i % 5 ? (i < NR_RUNS - 60 ? 12 + i % 7 : 120 + i % 70) : 200;
		int s = 2 * i, end = s * 1000 + ms;

		tr2_buf_addf(&text,
			     "{\"event\":\"start\",\"sid\":\"r%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-02T12:%02d:%02d.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\","
			     "\"%s\"]}\n",
			     i, s / 60, s % 60, name);
		tr2_buf_addf(&text,
			     "{\"event\":\"cmd_name\",\"sid\":\"r%03d\",\"thread\":\"main\","
			     "\"name\":\"%s\",\"hierarchy\":\"%s\"}\n",
			     i, name, name);
		tr2_buf_addf(
			&text,
			"{\"event\":\"atexit\",\"sid\":\"r%03d\",\"thread\":\"main\",\"time\":"
			"\"2026-01-02T12:%02d:%02d.%03d000Z\",\"t_abs\":%d.%03d,\"code\":%d}\n",
			i, end / 60000, end / 1000 % 60, end % 1000, ms / 1000, ms % 1000,
			i % 50 == 49);
	}
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_frame(screen);
}

static void heat_pages_match_their_golden_screens(void **state)
{
	static const struct {
		const char *name, *keys;
		int cols, rows;
		bool ascii;
	} rows[] = {
		{ "heat-120x40", "H", 120, 40, false },
		{ "heat-status-200x60", "5 Home H", 200, 60, false },
		{ "heat-box-80x24", "H m Down Down Left Left m", 80, 24, false },
		{ "heat-40x10", "H", 40, 10, false },
		{ "heat-ascii-80x24", "H", 80, 24, true },
		{ "commands-heat-120x40", "5", 120, 40, false },
		{ "commands-heat-200x60", "5 Down", 200, 60, false },
		{ "commands-heat-80x24", "5", 80, 24, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ui_config config = { .nesting = -1, .depth = -1, .ascii = rows[i].ascii };
		struct screen screen;
		struct tr2_buf out;

		screen_open(&screen, rows[i].cols, rows[i].rows, &config);
		feed_runs(&screen);
		screen_keys(&screen, rows[i].keys);
		tr2_buf_init(&out, 1 << 20);
		surface_dump(screen.surface, &out);
		golden_compare(rows[i].name, &out);
		tr2_buf_release(&out);
		screen_close(&screen);
	}
}

/* Return the number of runs that the page shows for the chosen cells. */
static int runs_of_box(struct screen *screen)
{
	const char *text = screen_text(screen), *at = strstr(text, ": ");

	while (at && !(strspn(at + 2, "0123456789") &&
		       !strncmp(at + 2 + strspn(at + 2, "0123456789"), " run", 4)))
		at = strstr(at + 2, ": ");
	assert_non_null(at);
	return atoi(at + 2);
}

/* Return the number of processes that the page of the command lists. */
static int runs_listed(struct screen *screen)
{
	const char *text = strstr(screen_text(screen), "─ Command · "), *range;
	int nr = 0;

	assert_non_null(text);
	range = strstr(text, " of ");
	if (range && atoi(range + 4))
		return atoi(range + 4);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		nr += !strncmp(at, "\n│ 12:", 8) || !strncmp(at, "\n│▸12:", 10);
	return nr;
}

static void boxes_open_the_runs_that_they_count(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct screen screen;
		int nr;

		screen_open(&screen, 120, 60, &(struct ui_config){ .nesting = -1, .depth = -1 });
		feed_runs(&screen);
		screen_keys(&screen, i % 2 ? "5 Home H" : "H");
		for (int corner = 0; corner < 2; corner++) {
			for (int k = 0; k < 12; k++) {
				static const char *const keys[] = { "Left", "Left", "Left",
								    "Down", "Up",   "Right" };

				seed = seed * 6364136223846793005u + 1442695040888963407u;
				for (int n = (int)(seed >> 40) % 9; n > 0; n--)
					screen_keys(&screen, keys[(seed >> 33) % 6]);
			}
			screen_keys(&screen, "m");
		}
		nr = runs_of_box(&screen);
		screen_keys(&screen, "Enter");
		if (!nr)
			assert_non_null(strstr(screen_text(&screen), "this row has no page"));
		else if (nr == 1)
			assert_non_null(strstr(screen_text(&screen), "─ Process · "));
		else
			assert_int_equal(runs_listed(&screen), nr);
		screen_close(&screen);
	}
}

static void esc_clears_the_box_before_it_leaves(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_runs(&screen);
	screen_keys(&screen, "H m");
	assert_non_null(strstr(screen_text(&screen), "m sets the opposite corner"));
	screen_keys(&screen, "Esc");
	assert_null(strstr(screen_text(&screen), "m sets the opposite corner"));
	assert_non_null(strstr(screen_text(&screen), "─ Heat · "));
	screen_keys(&screen, "Esc");
	assert_null(strstr(screen_text(&screen), "─ Heat · "));
	screen_close(&screen);
}

static void zooming_keeps_the_time_of_the_cursor(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_runs(&screen);
	screen_keys(&screen, "H");
	assert_non_null(strstr(screen_text(&screen), " · 8s per column"));
	screen_keys(&screen, "+ + +");
	assert_non_null(strstr(screen_text(&screen), " · 1s per column"));
	/* All points stay in the rows' counts only while they are visible. */
	screen_keys(&screen, "f");
	assert_non_null(strstr(screen_text(&screen), " · 8s per column"));
	for (int i = 0; i < 70; i++)
		screen_keys(&screen, i % 2 ? "- <" : "+ >");
	for (int i = 0; i < 70; i++)
		screen_keys(&screen, i < 20 ? "+" : "-");
	screen_keys(&screen, "f End");
	assert_non_null(strstr(screen_text(&screen), " · 8s per column"));
	screen_close(&screen);
}

static void commands_show_that_the_newest_runs_are_slower(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 140, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_runs(&screen);
	screen_keys(&screen, "5");
	assert_non_null(strstr(screen_text(&screen), "P90 OVER TIME"));
	assert_non_null(strstr(screen_text(&screen), "↑ 8.9x"));
	assert_non_null(strstr(screen_text(&screen), "▂▂▅▅"));
	screen_close(&screen);
}

static void click_moves_the_cursor_and_dragging_sets_a_box(void **state)
{
	struct screen screen;
	struct key_event event = { .key = KEY_CODE_MOUSE, .x = 60, .y = 8, .button = MOUSE_PRESS };
	const char *before;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_runs(&screen);
	screen_keys(&screen, "H");
	ui_key(screen.ui, &event);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "12:0"));
	event.button = MOUSE_DRAG;
	event.x = 20;
	event.y = 14;
	ui_key(screen.ui, &event);
	screen_frame(&screen);
	before = strstr(screen_text(&screen), " runs");
	assert_non_null(before);
	assert_true(runs_of_box(&screen) > 20);
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heat_pages_match_their_golden_screens),
		cmocka_unit_test(boxes_open_the_runs_that_they_count),
		cmocka_unit_test(esc_clears_the_box_before_it_leaves),
		cmocka_unit_test(zooming_keeps_the_time_of_the_cursor),
		cmocka_unit_test(commands_show_that_the_newest_runs_are_slower),
		cmocka_unit_test(click_moves_the_cursor_and_dragging_sets_a_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
