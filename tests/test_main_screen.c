/* SPDX-License-Identifier: MIT */
/* Tests of the main screen and of pages such as the help. */
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

static const char *last_line(struct screen *screen)
{
	static struct tr2_buf line = { .max = 4096 };

	tr2_buf_clear(&line);
	surface_row_text(screen->surface, screen->surface->rows - 1, &line);
	return tr2_buf_cstr(&line);
}

static int nr_cells_over(const struct screen *screen, enum style style)
{
	const struct surface *surface = screen->surface;
	int nr = 0;

	for (int i = 0; i < surface->cols * surface->rows; i++)
		nr += surface->cells[i].over == style;
	return nr;
}

static void type_text(struct screen *screen, const char *text)
{
	for (; *text; text++)
		ui_key(screen->ui, &(struct key_event){ .key = (unsigned char)*text });
}

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

static void failed_row_flashes_for_a_moment(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	feed_run(&screen, 0, "status", 10, 1);
	screen_frame(&screen);
	assert_int_equal(nr_cells_over(&screen, STYLE_FLASH), 0);
	feed_run(&screen, 2, "fetch", 10, 0);
	screen_frame(&screen);
	assert_int_equal(nr_cells_over(&screen, STYLE_FLASH), 0);
	feed_run(&screen, 4, "push", 10, 128);
	screen.in.monotonic_ns += NS_PER_SEC / 10;
	screen_frame(&screen);
	assert_int_equal(nr_cells_over(&screen, STYLE_FLASH), 117);
	assert_true(ui_needs_ticks(screen.ui));
	screen.in.monotonic_ns += NS_PER_SEC;
	screen_frame(&screen);
	assert_int_equal(nr_cells_over(&screen, STYLE_FLASH), 0);
	assert_false(ui_needs_ticks(screen.ui));
	screen_close(&screen);
}

static void states_of_the_sources_are_words(void **state)
{
	struct source_stats files[3] = { { 0 } };
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen.source.kind = "nats";
	screen_frame(&screen);
	assert_true(is_shown(&screen, "● FLEET  12:28:42"));
	screen.source.old_bytes = 200;
	screen.source.old_bytes_read = 90;
	screen_frame(&screen);
	assert_true(is_shown(&screen, " READING 45 %  12:28:42"));
	screen.source.old_bytes_read = screen.source.bytes = 200;
	screen_frame(&screen);
	assert_true(is_shown(&screen, " FILE  12:28:42"));
	screen.source.state = SOURCE_DONE;
	screen_frame(&screen);
	assert_true(is_shown(&screen, " DONE  12:28:42"));
	for (int i = 0; i < 3; i++)
		files[i] = (struct source_stats){ .spec = "a.event", .kind = "file" };
	screen.in.sources = files;
	screen.in.nr_sources = 3;
	screen_frame(&screen);
	assert_true(is_shown(&screen, "trace2top  3 files  "));
	files[1].kind = "fifo";
	screen.in.sources = files;
	screen.in.nr_sources = 3;
	screen_frame(&screen);
	assert_true(is_shown(&screen, "trace2top  3 sources  "));
	screen_close(&screen);
}

static void attached_screen_shows_what_is_traced(void **state)
{
	struct ui_config config = {
		.nesting = -1, .depth = -1, .attached = true, .title = "all Git commands of me@here"
	};
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &config);
	screen_frame(&screen);
	assert_true(is_shown(&screen, "trace2top  all Git commands of me@here  "));
	assert_true(is_shown(&screen, "Tracing all Git commands of me@here since 12:25:30."));
	assert_true(is_shown(&screen, "No Git command has run yet."));
	assert_false(is_shown(&screen, "git config"));
	screen_close(&screen);
}

/* By default a screen of less than 30 rows has one line of figures. */
static void low_screen_has_one_line_of_figures(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	for (int i = 0; i < 8; i++)
		feed_run(&screen, i, "status", 10, 0);
	screen.in.monotonic_ns += 4 * NS_PER_SEC;
	screen_frame(&screen);
	assert_true(is_shown(&screen, "\n2 running · 12 ended · 0/s · 1 failed: E"));
	screen.in.monotonic_ns += NS_PER_SEC;
	screen_frame(&screen);
	assert_true(is_shown(&screen, "\n2 running · 12 ended · 1.6/s · 1 failed: E"));
	screen_close(&screen);
}

static void key_bar_has_help_and_keys_that_do_something(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
	struct ui_config config = { .nesting = -1, .depth = -1, .compares = true };
	struct screen screen;
	const char *bar;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		screen_open(&screen, sizes[i][0], sizes[i][1], NULL);
		screen_frame(&screen);
		assert_non_null(strstr(last_line(&screen), "? help"));
		assert_null(strstr(last_line(&screen), "Enter open"));
		screen_scene(&screen);
		screen_frame(&screen);
		bar = last_line(&screen);
		assert_int_equal(strncmp(bar, "Enter open  S summary", 21), 0);
		assert_non_null(strstr(bar, "? help"));
		assert_null(strstr(bar, "compare"));
		assert_null(strstr(bar, "output"));
		screen_keys(&screen, "t");
		assert_non_null(strstr(last_line(&screen), "Esc back  "));
		assert_non_null(strstr(last_line(&screen), "? help"));
		screen_close(&screen);
	}
	screen_open(&screen, 300, 60, &config);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_non_null(strstr(last_line(&screen), "D compare"));
	screen_close(&screen);
}

static void source_key_is_offered_for_rows_with_a_source_line(void **state)
{
	static const char lines[] =
		"{\"event\":\"start\",\"sid\":\"a\",\"thread\":\"main\",\"argv\":[\"git\"]}\n"
		"{\"event\":\"error\",\"sid\":\"a\",\"thread\":\"main\",\"file\":\"a.c\",\"line\":"
		"7,"
		"\"msg\":\"one\",\"fmt\":\"one\"}\n"
		"{\"event\":\"error\",\"sid\":\"a\",\"thread\":\"main\",\"msg\":\"two\","
		"\"fmt\":\"two\"}\n";
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines, sizeof(lines) - 1);
	screen_frame(&screen);
	assert_null(strstr(last_line(&screen), "v source"));
	screen_keys(&screen, "E Home");
	screen_keys(&screen, strstr(screen_text(&screen), "▸one") ? "Home" : "End");
	assert_non_null(strstr(last_line(&screen), "v source"));
	screen_keys(&screen,
		    strstr(screen_text(&screen), "one") < strstr(screen_text(&screen), "two")
			    ? "End"
			    : "Home");
	assert_null(strstr(last_line(&screen), "v source"));
	screen_close(&screen);
}

static void titles_count_the_rows_that_match(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 20, NULL);
	for (int i = 0; i < 60; i++)
		feed_run(&screen, i, i % 2 ? "status" : "fetch", 10, 0);
	screen_frame(&screen);
	screen_keys(&screen, "z");
	assert_true(is_shown(&screen, " newest first · 1-14 of 60 ┐"));
	screen_keys(&screen, "s");
	assert_true(is_shown(&screen, "─ 1-14 of 60 ┐"));
	screen_keys(&screen, "r s s s s s s s s s s s s s s s s s s s s \\");
	type_text(&screen, "name = fetch");
	screen_keys(&screen, "Enter");
	assert_true(is_shown(&screen, " 1-14, 30 of 60 ┐"));
	screen_close(&screen);
	screen_open(&screen, 120, 20, NULL);
	feed_run(&screen, 1, "status", 10, 0);
	feed_run(&screen, 2, "fetch", 10, 0);
	screen_frame(&screen);
	screen_keys(&screen, "\\");
	type_text(&screen, "name = fetch");
	screen_keys(&screen, "Enter z");
	assert_true(is_shown(&screen, "─ 1 of 2 ┐"));
	screen_close(&screen);
}

static void filter_prompt_shows_the_fields_that_fit(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "\\");
	assert_true(is_shown(&screen, "\n        name "));
	type_text(&screen, "re");
	screen_frame(&screen);
	assert_true(is_shown(&screen, "\n        repo regions\nFilter: re"));
	type_text(&screen, "po = x and el");
	screen_frame(&screen);
	assert_true(is_shown(&screen, "\n        elapsed\nFilter: repo = x and el"));
	screen_close(&screen);
}

static bool is_in_row(struct screen *screen, int y, const char *text)
{
	struct tr2_buf row = { .max = 4096 };
	bool found;

	surface_row_text(screen->surface, y, &row);
	found = strstr(tr2_buf_cstr(&row), text) != NULL;
	tr2_buf_release(&row);
	return found;
}

static int style_at(const struct screen *screen, int x, int y)
{
	return screen->surface->cells[y * screen->surface->cols + x].style;
}

static void help_fits_the_screen_in_columns(void **state)
{
	static const struct {
		int cols, rows, columns;
	} sizes[] = { { 80, 24, 2 }, { 120, 40, 3 }, { 200, 60, 5 } };
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int nr = 0, y = 0;

		screen_open(&screen, sizes[i].cols, sizes[i].rows, NULL);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, "3 ?");
		assert_true(is_shown(&screen, "Here: Timings"));
		assert_true(is_shown(&screen, "Help · ? all keys and the legend · / searches"));
		assert_true(is_shown(&screen, "? F1       all keys and the legend"));
		assert_true(is_shown(&screen, "x          export"));
		/* The third line begins each column with a key or a heading. */
		while (!is_in_row(&screen, y, "Here: "))
			y++;
		for (int x = 1; x < sizes[i].cols; x++)
			nr += style_at(&screen, x, y + 2) != style_at(&screen, x - 1, y + 2) &&
			      (style_at(&screen, x, y + 2) == STYLE_HINT ||
			       style_at(&screen, x, y + 2) == STYLE_TITLE);
		assert_in_range(nr, sizes[i].columns, 2 * sizes[i].columns);
		screen_keys(&screen, "?");
		assert_true(is_shown(&screen, "Help · all keys and the legend · / searches"));
		screen_keys(&screen, "?");
		assert_false(is_shown(&screen, "Help"));
		screen_close(&screen);
	}
}

static void help_search_finds_the_legend(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "? /");
	type_text(&screen, "critical path of a process");
	screen_frame(&screen);
	assert_true(is_shown(&screen, "hit 1 of 1"));
	screen_close(&screen);
}

static void briefs_fit_their_column(void **state)
{
	(void)state;
	for (int i = 1; i < NR_ACTIONS; i++)
		if (key_briefs[i] &&
		    surface_text_cells(key_briefs[i], SIZE_MAX, false) > KEY_BRIEF_CELLS)
			fail_msg("too long: %s", key_briefs[i]);
}

static bool is_at(const struct screen *screen, int x, int y, const char *text)
{
	const struct cell *cell = &screen->surface->cells[y * screen->surface->cols + x];

	for (; *text; text++, x++, cell++)
		if (x >= screen->surface->cols || cell->ch[0] != (unsigned char)*text)
			return false;
	return true;
}

static void flame_table_moves_the_flame(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "F a");
	assert_true(is_shown(&screen, "▸all processes"));
	assert_true(is_shown(&screen, "SELF▼"));
	assert_true(is_shown(&screen, "\n│ inside "));
	screen_keys(&screen, "Tab s");
	assert_true(is_shown(&screen, "TOTAL▼"));
	assert_true(is_shown(&screen, "│▸inside "));
	screen_keys(&screen, "s s Down r");
	assert_true(is_shown(&screen, "SELF▲"));
	screen_keys(&screen, "r Home Enter");
	assert_false(is_shown(&screen, "▸all processes"));
	assert_true(is_shown(&screen, "\n│ caller "));
	screen_keys(&screen, "Tab Esc");
	assert_true(is_shown(&screen, "> Flame"));
	screen_keys(&screen, "Esc");
	assert_false(is_shown(&screen, "> Flame"));
	screen_close(&screen);
}

static void flame_has_one_colour_per_category(void **state)
{
	struct ui_config config = { .nesting = -1, .depth = -1, .ascii = true };
	struct screen screen;
	int style = -1, nr = 0;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "F a");
	for (int y = 0; y < 40; y++)
		for (int x = 0; x < 120; x++) {
			const struct cell *cell = &screen.surface->cells[y * 120 + x];

			if (!is_at(&screen, x, y, "pack/traverse") &&
			    !is_at(&screen, x, y, " pack "))
				continue;
			assert_in_range(cell->style, STYLE_HUE_1, STYLE_HUE_6);
			assert_true(style < 0 || cell->style == style);
			style = cell->style;
			nr++;
		}
	assert_true(nr >= 2);
	screen_close(&screen);
	screen_open(&screen, 120, 40, &config);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "F a");
	assert_true(is_shown(&screen, "::"));
	screen_close(&screen);
}

static void start_offers_what_to_trace(void **state)
{
	struct ui_config config = { .nesting = -1, .depth = -1, .offers_start = true };
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &config);
	screen_frame(&screen);
	assert_true(is_shown(&screen, "▸a  trace all Git commands from now on"));
	assert_true(is_shown(&screen, " r  run a command"));
	assert_true(is_shown(&screen, " o  open a trace file"));
	assert_true(screen_keys(&screen, "Enter") & UI_START);
	assert_int_equal(ui_start(screen.ui).kind, UI_START_ATTACH);
	screen_close(&screen);

	screen_open(&screen, 80, 24, &config);
	screen_frame(&screen);
	assert_false(screen_keys(&screen, "r") & UI_START);
	assert_true(is_shown(&screen, "Run COMMAND: git"));
	type_text(&screen, "fetch --all");
	assert_true(screen_keys(&screen, "Enter") & UI_START);
	assert_int_equal(ui_start(screen.ui).kind, UI_START_COMMAND);
	assert_string_equal(ui_start(screen.ui).text, "git fetch --all");
	screen_close(&screen);

	screen_open(&screen, 80, 24, &config);
	screen_frame(&screen);
	screen_keys(&screen, "Down Down Enter");
	assert_false(screen_keys(&screen, "Enter") & UI_START);
	screen_close(&screen);

	screen_open(&screen, 80, 24, &config);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_false(is_shown(&screen, "run a command"));
	screen_close(&screen);
}

static void start_choices_return_with_their_key(void **state)
{
	struct ui_config config = { .nesting = -1, .depth = -1, .offers_start = true };
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &config);
	screen_frame(&screen);
	assert_false(is_shown(&screen, "Nothing has been traced yet"));
	assert_false(is_shown(&screen, "PID STATE"));
	screen_keys(&screen, "Esc");
	assert_true(is_shown(&screen, "Nothing has been traced yet"));
	assert_true(is_shown(&screen, "T: trace all Git commands, run a command or open a file"));
	assert_true(is_shown(&screen, "\nT trace or read  "));
	screen_keys(&screen, "T");
	assert_true(is_shown(&screen, "▸a  trace all Git commands from now on"));
	assert_false(is_shown(&screen, "Nothing has been traced yet"));
	screen_keys(&screen, "Esc");
	screen_scene(&screen);
	screen_frame(&screen);
	assert_false(is_shown(&screen, "T trace or read"));
	screen_keys(&screen, "T");
	assert_true(is_shown(&screen, "start trace2top again to choose others"));
	screen_close(&screen);
}

static void findings_list_only_keys_that_act(void **state)
{
	struct ui_config config = { .nesting = -1, .depth = -1 };
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &config);
	screen_frame(&screen);
	screen_keys(&screen, "i");
	screen_frame(&screen);
	assert_true(is_shown(&screen, "Esc back"));
	assert_false(is_shown(&screen, "Delete ignore"));
	assert_false(is_shown(&screen, "y copy"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_run_is_compared_with_its_median),
		cmocka_unit_test(failed_row_flashes_for_a_moment),
		cmocka_unit_test(states_of_the_sources_are_words),
		cmocka_unit_test(attached_screen_shows_what_is_traced),
		cmocka_unit_test(low_screen_has_one_line_of_figures),
		cmocka_unit_test(key_bar_has_help_and_keys_that_do_something),
		cmocka_unit_test(source_key_is_offered_for_rows_with_a_source_line),
		cmocka_unit_test(titles_count_the_rows_that_match),
		cmocka_unit_test(filter_prompt_shows_the_fields_that_fit),
		cmocka_unit_test(help_fits_the_screen_in_columns),
		cmocka_unit_test(help_search_finds_the_legend),
		cmocka_unit_test(briefs_fit_their_column),
		cmocka_unit_test(start_offers_what_to_trace),
		cmocka_unit_test(start_choices_return_with_their_key),
		cmocka_unit_test(findings_list_only_keys_that_act),
		cmocka_unit_test(flame_table_moves_the_flame),
		cmocka_unit_test(flame_has_one_colour_per_category),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
