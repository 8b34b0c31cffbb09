/* SPDX-License-Identifier: MIT */
/* Tests of heat maps on pages, and of commands over time, with made runs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/look_fixture.h"
#include "tests/screen_fixture.h"

#define NR_RUNS 300

/* Runs, one every 2 s: status, and every fifth time fetch. A status among the last 60 runs takes
 * about ten times as long. Every 50th run fails. */
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
		bool ascii, mono;
	} rows[] = {
		{ "heat-120x40", "H", 120, 40, false, false },
		{ "heat-200x60", "H", 200, 60, false, false },
		{ "heat-80x24", "H", 80, 24, false, false },
		{ "heat-40x10", "H", 40, 10, false, false },
		{ "heat-status-200x60", "5 Home H", 200, 60, false, false },
		{ "heat-box-80x24", "H m Down Down Left Left m", 80, 24, false, false },
		{ "heat-ascii-80x24", "H", 80, 24, true, false },
		{ "heat-mono-80x24", "H m Down Left", 80, 24, false, true },
		{ "commands-heat-120x40", "5", 120, 40, false, false },
		{ "commands-heat-200x60", "5 Down", 200, 60, false, false },
		{ "commands-heat-80x24", "5", 80, 24, false, false },
		{ "commands-heat-40x10", "5", 40, 10, false, false },
		{ "commands-heat-ascii-120x40", "5", 120, 40, true, false },
		{ "commands-heat-mono-120x40", "5", 120, 40, false, true },
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
		if (rows[i].mono)
			dump_looks(screen.surface, THEME_MONO, &out);
		else
			surface_dump_styles(screen.surface, &out);
		golden_compare(rows[i].name, &out);
		tr2_buf_release(&out);
		screen_close(&screen);
	}
}

static int runs_of_box(struct screen *screen)
{
	const char *text = screen_text(screen), *at = strstr(text, ": ");

	while (at && !(strspn(at + 2, "0123456789") &&
		       !strncmp(at + 2 + strspn(at + 2, "0123456789"), " run", 4)))
		at = strstr(at + 2, ": ");
	assert_non_null(at);
	return atoi(at + 2);
}

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

static bool heat_says(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

static void feed_region(struct screen *screen)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 20);
	tr2_buf_addstr(&text,
		       "{\"event\":\"start\",\"sid\":\"g\",\"thread\":\"main\",\"time\":"
		       "\"2026-01-02T12:20:00.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\"]}\n");
	for (int i = 0; i < 60; i++) {
		int ms = i < 50 ? 3 + i % 3 : 400;

		tr2_buf_addf(
			&text,
			"{\"event\":\"region_enter\",\"sid\":\"g\",\"thread\":\"main\",\"time\":"
			"\"2026-01-02T12:20:%02d.000000Z\",\"nesting\":1,\"category\":\"k\","
			"\"label\":\"l\"}\n",
			i);
		tr2_buf_addf(
			&text,
			"{\"event\":\"region_leave\",\"sid\":\"g\",\"thread\":\"main\",\"time\":"
			"\"2026-01-02T12:20:%02d.%03d000Z\",\"t_rel\":0.%03d,\"nesting\":1,"
			"\"category\":\"k\",\"label\":\"l\"}\n",
			i, ms, ms);
	}
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_frame(screen);
}

static void past_shows_the_runs_that_had_ended(void **state)
{
	struct screen screen;
	struct model *past;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_region(&screen);
	past = model_copy(screen.model);
	feed_runs(&screen);
	screen_keys(&screen, "H");
	assert_true(heat_says(&screen, "Heat · all commands · 300 runs"));
	screen.in.past = true;
	screen.in.past_ns = SCENE_NOW_NS - 600 * NS_PER_SEC;
	screen.in.model = past;
	screen_frame(&screen);
	assert_true(heat_says(&screen, "no command with a known duration has ended"));
	screen.in.past = false;
	screen.in.model = screen.model;
	screen_frame(&screen);
	assert_true(heat_says(&screen, "Heat · all commands · 300 runs"));
	model_free(past);
	screen_close(&screen);
}

static void keep_few(struct screen *screen, uint32_t max)
{
	model_free(screen->model);
	screen->model = model_new(&screen->syms,
				  &(struct model_config){ .nesting = -1, .max_processes = max });
	screen->in.model = screen->in.live = screen->model;
}

static int evicted_cells(const struct screen *screen)
{
	const struct surface *surface = screen->surface;
	int nr = 0;

	for (int y = 5; y < surface->rows; y++)
		for (int x = 10; x < surface->cols - 8; x++) {
			const struct cell *cell = &surface->cells[y * surface->cols + x];

			nr += cell->style == STYLE_DIM &&
			      (cell->ch[0] == 0xb7 || cell->ch[0] == ':');
		}
	return nr;
}

static void evicted_commands_are_dotted(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	keep_few(&screen, 100);
	feed_runs(&screen);
	screen_keys(&screen, "H");
	assert_true(heat_says(&screen, " · 97 runs"));
	assert_true(heat_says(&screen, "· dotted: evicted"));
	assert_true(heat_says(&screen, "· evicted commands"));
	assert_true(evicted_cells(&screen) > 20);
	/* Evicted commands are counted, too, but have no runs to list. */
	screen_keys(&screen,
		    "Home m Down Down Down Down Down Down Down Down Down Down Down Down Down");
	for (int i = 0; i < 120; i++)
		screen_keys(&screen, "Left");
	screen_keys(&screen, "m");
	assert_true(heat_says(&screen, ": 97 runs, 2 failed, "));
	assert_true(heat_says(&screen, " evicted"));
	/* Counts over time have no names, so a single command has no evicted runs. */
	screen_keys(&screen, "Esc Esc 5 Home H");
	assert_false(heat_says(&screen, "· evicted commands"));
	assert_true(heat_says(&screen, "· of processes in memory"));
	screen_keys(&screen, "a");
	assert_true(heat_says(&screen, "Heat · all commands · 97 runs"));
	assert_true(heat_says(&screen, "· evicted commands"));
	screen_keys(&screen, "a");
	assert_false(heat_says(&screen, "· evicted commands"));
	screen_close(&screen);
}

static void box_of_a_region_lists_its_occurrences(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_region(&screen);
	screen_keys(&screen, "3 Enter");
	assert_true(heat_says(&screen, "Region · k/l"));
	assert_true(heat_says(&screen, "  256ms▏"));
	assert_true(heat_says(&screen, "─ median"));
	screen_keys(&screen, "H");
	assert_true(heat_says(&screen, "Heat · k/l · 60 runs"));
	screen_keys(&screen, "Home m");
	for (int i = 0; i < 120; i++)
		screen_keys(&screen, "Left");
	screen_keys(&screen, "m");
	assert_true(heat_says(&screen, ": 10 runs"));
	screen_keys(&screen, "Enter");
	assert_true(heat_says(&screen, "Region · k/l · all processes · 362ms to 512ms, 12:20:"));
	assert_true(heat_says(&screen, "12:20:50.000 git · main"));
	assert_true(heat_says(&screen, "12:20:59.000 git · main"));
	assert_false(heat_says(&screen, "12:20:49.000"));
	assert_false(heat_says(&screen, "Called from"));
	screen_keys(&screen, "Esc Esc Esc");
	assert_true(heat_says(&screen, "Called from"));
	screen_close(&screen);
}

static void heat_mouse_at(struct screen *screen, int button, int x, int y)
{
	ui_key(screen->ui, &(struct key_event){ .key = KEY_CODE_MOUSE,
						.x = (int16_t)x,
						.y = (int16_t)y,
						.button = (uint8_t)button });
	screen_frame(screen);
}

static void mouse_drags_a_box_on_the_map_of_a_region(void **state)
{
	struct screen screen;
	int y = 0;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_region(&screen);
	screen_keys(&screen, "3 Enter");
	for (const char *at = strstr(screen_text(&screen), "ms▏"); at > screen_text(&screen); at--)
		y += *at == '\n';
	heat_mouse_at(&screen, MOUSE_PRESS, 12, y);
	heat_mouse_at(&screen, MOUSE_DRAG, 70, y);
	assert_true(heat_says(&screen, "256ms to 512ms, 12:20:"));
	assert_false(heat_says(&screen, "Called from"));
	assert_true(heat_says(&screen, "all: 60 times"));
	screen_keys(&screen, "Esc");
	assert_true(heat_says(&screen, "Called from"));
	heat_mouse_at(&screen, MOUSE_PRESS, 12, y);
	heat_mouse_at(&screen, MOUSE_DRAG, 70, y + 1);
	assert_false(heat_says(&screen, "Called from"));
	heat_mouse_at(&screen, MOUSE_PRESS, 12, y);
	assert_true(heat_says(&screen, "Called from"));
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
		cmocka_unit_test(past_shows_the_runs_that_had_ended),
		cmocka_unit_test(evicted_commands_are_dotted),
		cmocka_unit_test(box_of_a_region_lists_its_occurrences),
		cmocka_unit_test(mouse_drags_a_box_on_the_map_of_a_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
