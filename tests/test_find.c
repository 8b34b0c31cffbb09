/* SPDX-License-Identifier: MIT */
/* Tests of the search on panes and pages. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

static void open_scene(struct screen *screen, int cols, int rows)
{
	screen_open(screen, cols, rows, NULL);
	screen_scene(screen);
	screen_frame(screen);
}

/* Type a text, with a frame after each letter. */
static void type(struct screen *screen, const char *text)
{
	for (; *text; text++) {
		ui_key(screen->ui, &(struct key_event){ .key = (unsigned char)*text });
		screen_frame(screen);
	}
}

static bool is_said(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

static int nr_marks(const struct screen *screen)
{
	const struct surface *surface = screen->surface;
	int nr = 0;

	for (int i = 0; i < surface->cols * surface->rows; i++)
		nr += surface->cells[i].over == STYLE_FOUND &&
		      (!(i % surface->cols) || surface->cells[i - 1].over != STYLE_FOUND);
	return nr;
}

static void typing_selects_the_first_hit_and_marks_all(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	assert_true(is_said(&screen, "regions · fetch 14707"));
	screen_keys(&screen, "/");
	type(&screen, "rev");
	assert_true(is_said(&screen, "Search: rev"));
	assert_true(is_said(&screen, "hit 1 of 2"));
	assert_true(is_said(&screen, "regions · fetch > rev-list 14708"));
	assert_int_equal(nr_marks(&screen), 2);
	type(&screen, "x");
	assert_true(is_said(&screen, "no hit"));
	assert_true(is_said(&screen, "regions · fetch 14707"));
	screen_keys(&screen, "Backspace");
	assert_true(is_said(&screen, "hit 1 of 2"));
	screen_close(&screen);
}

static void esc_restores_the_selection(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "f F3");
	type(&screen, "status");
	assert_true(is_said(&screen, "regions · status 14600"));
	screen_keys(&screen, "Esc");
	assert_true(is_said(&screen, "regions · fetch > gc 14709"));
	assert_true(is_said(&screen, "following the newest"));
	assert_int_equal(nr_marks(&screen), 0);
	screen_close(&screen);
}

static void n_wraps_around_in_both_directions(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "n");
	assert_true(is_said(&screen, "no search yet"));
	screen_keys(&screen, "/ r e v Enter");
	assert_true(is_said(&screen, "/rev: hit 1 of 2"));
	screen_keys(&screen, "n");
	assert_true(is_said(&screen, "/rev: hit 2 of 2"));
	assert_false(is_said(&screen, "went round"));
	screen_keys(&screen, "n");
	assert_true(is_said(&screen, "/rev: hit 1 of 2, went round"));
	screen_keys(&screen, "N");
	assert_true(is_said(&screen, "/rev: hit 2 of 2, went round"));
	screen_keys(&screen, "N");
	assert_true(is_said(&screen, "/rev: hit 1 of 2"));
	assert_false(is_said(&screen, "went round"));
	/* Keys may arrive faster than frames. */
	for (int i = 0; i < 3; i++)
		ui_key(screen.ui, &(struct key_event){ .key = 'n' });
	screen_frame(&screen);
	assert_true(is_said(&screen, "/rev: hit 2 of 2, went round"));
	screen_keys(&screen, "Esc");
	assert_int_equal(nr_marks(&screen), 0);
	assert_true(is_said(&screen, "regions · push > rev-parse"));
	screen_close(&screen);
}

static void upper_case_makes_the_search_case_sensitive(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "/");
	type(&screen, "delta");
	assert_true(is_said(&screen, "hit 1 of 1"));
	screen_keys(&screen, "C-u");
	type(&screen, "DELTA");
	assert_true(is_said(&screen, "no hit"));
	screen_keys(&screen, "C-u");
	type(&screen, "Delta");
	assert_true(is_said(&screen, "hit 1 of 1"));
	screen_close(&screen);
}

static void up_recalls_earlier_patterns(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "/ g c Enter / p u s h Enter / Up Up");
	assert_true(is_said(&screen, "Search: gc"));
	assert_true(is_said(&screen, "hit 1 of 2"));
	screen_keys(&screen, "Down");
	assert_true(is_said(&screen, "Search: push"));
	assert_true(is_said(&screen, "hit 1 of 1"));
	screen_close(&screen);
}

/* Each row: keys that open a view, a pattern, and text about its hits. */
static void every_view_can_be_searched(void **state)
{
	static const struct {
		const char *keys, *pattern, *said;
	} table[] = {
		{ "1", "push", "hit 1 of 1" },          { "Down 2", "traverse", "hit 1 of 1" },
		{ "3", "index", "hit 1 of 1" },         { "4", "rev-list", "hit 1 of 1" },
		{ "Enter", "worktree", "hit 1 of " },   { "3 Enter", "rev-list", "hit 1 of 11" },
		{ "?", "nesting", "hit 1 of 4" },       { "o", "following", "hit 1 of 1" },
		{ "t a", "push", "hit 1 of 1" },        { "F", "traverse", "hit 1 of 1" },
		{ "e a a", "traverse", "hit 1 of 18" }, { "e Enter", "event", "hit 1 of 1" },
	};
	static const int sizes[][2] = { { 120, 40 }, { 80, 24 }, { 40, 10 } };
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		for (int size = 0; size < 3; size++) {
			open_scene(&screen, sizes[size][0], sizes[size][1]);
			screen_keys(&screen, table[i].keys);
			screen_keys(&screen, "/");
			type(&screen, table[i].pattern);
			if (!is_said(&screen, table[i].said) || !nr_marks(&screen))
				print_error("%s /%s:\n%s\n", table[i].keys, table[i].pattern,
					    screen_text(&screen));
			assert_true(is_said(&screen, table[i].said));
			assert_true(nr_marks(&screen) > 0);
			screen_keys(&screen, "Enter n N Esc");
			assert_int_equal(nr_marks(&screen), 0);
			screen_close(&screen);
		}
}

static void marks_the_row_of_a_clipped_hit(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 40, 10);
	screen_keys(&screen, "/");
	type(&screen, "--stdin");
	assert_false(is_said(&screen, "--stdin -"));
	assert_true(is_said(&screen, "hit 1 of 1"));
	assert_int_equal(nr_marks(&screen), 1);
	screen_close(&screen);
}

static void marks_are_visible_without_colour(void **state)
{
	(void)state;
	for (int theme = 0; theme < NR_THEMES; theme++) {
		const struct look *found = style_look((enum theme)theme, STYLE_FOUND);

		assert_true(found->attributes & LOOK_UNDERLINE);
		assert_int_not_equal(found->mono,
				     style_look((enum theme)theme, STYLE_SELECTED)->mono);
		assert_int_not_equal(found->mono,
				     style_look((enum theme)theme, STYLE_CHOSEN)->mono);
		assert_true(found->mono);
	}
}

#define NR_MANY 9000

static void feed_many(struct screen *screen)
{
	struct tr2_buf lines;

	tr2_buf_init(&lines, 1 << 24);
	for (int i = 0; i < NR_MANY; i++)
		tr2_buf_addf(&lines,
			     "{\"event\":\"start\",\"sid\":\"20260102T122850.%06dZ-H1-P%08x\","
			     "\"thread\":\"main\",\"time\":\"2026-01-02T12:28:50.%06dZ\",\"t_"
			     "abs\":0.1,"
			     "\"argv\":[\"git\",\"%s\"]}\n",
			     i, 100000 + i, i, i == 1 ? "needle" : "hay");
	screen_feed(screen, lines.data, lines.len);
	tr2_buf_release(&lines);
	screen_frame(screen);
}

static void searches_a_long_list_in_parts_and_esc_cancels(void **state)
{
	struct screen screen;
	int frames = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	feed_many(&screen);
	screen.in.paused = true; /* paused, but frames are still drawn */
	screen_keys(&screen, "/ n e e d l e");
	assert_true(is_said(&screen, "searching "));
	while (is_said(&screen, "searching ")) {
		assert_true(ui_is_working(screen.ui));
		screen_frame(&screen);
		assert_true(++frames < 10);
	}
	assert_true(frames >= 2);
	assert_true(is_said(&screen, "hit 1 of 1"));
	/* Checking this many roots for findings takes several frames. */
	while (ui_is_working(screen.ui)) {
		screen_frame(&screen);
		assert_true(++frames < NR_MANY);
	}
	assert_false(ui_needs_ticks(screen.ui));
	screen_keys(&screen, "C-u o t h e r");
	assert_true(is_said(&screen, "searching "));
	assert_true(ui_needs_ticks(screen.ui));
	screen_keys(&screen, "Esc");
	assert_false(ui_needs_ticks(screen.ui));
	screen_close(&screen);
}

static void removed_rows_are_not_searched(void **state)
{
	static const char one[] =
		"{\"event\":\"start\",\"sid\":\"20260102T122850.000000Z-H1-P00009999\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:50.000000Z\",\"t_abs\":0.1,"
		"\"argv\":[\"git\",\"haystack\"]}\n";
	struct screen screen, other;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	feed_many(&screen);
	screen_keys(&screen, "End / h a y s");
	assert_true(is_said(&screen, "searching "));
	screen_open(&other, 80, 24, NULL);
	screen_feed(&other, one, sizeof(one) - 1);
	screen.in.model = other.model;
	screen.in.intern = &other.syms;
	for (int i = 0; i < 2; i++)
		screen_frame(&screen);
	assert_true(is_said(&screen, "hit 1 of 1"));
	screen_close(&screen);
	screen_close(&other);
}

static void keys_without_effect_keep_a_search_running(void **state)
{
	struct screen screen;
	int keys = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	feed_many(&screen);
	screen_keys(&screen, "/ n e e d l e");
	while (is_said(&screen, "searching ")) {
		screen_keys(&screen, keys % 2 ? "Left" : "Right");
		assert_true(++keys < 10);
	}
	assert_true(is_said(&screen, "hit 1 of 1"));
	screen_close(&screen);
}

static void esc_goes_back_without_marks(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "/ p u s h Enter ? Esc");
	assert_false(is_said(&screen, "> Help"));
	assert_int_equal(nr_marks(&screen), 2);
	screen_keys(&screen, "Esc");
	assert_int_equal(nr_marks(&screen), 0);
	screen_close(&screen);
}

static void new_rows_are_searched(void **state)
{
	static const char newer[] =
		"{\"event\":\"start\",\"sid\":\"20260102T122850.000000Z-H1-P00009999\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:50.000000Z\",\"t_abs\":0.1,"
		"\"argv\":[\"git\",\"rev-new\"]}\n";
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "/ r e v");
	assert_true(is_said(&screen, "hit 1 of 2"));
	screen_feed(&screen, newer, sizeof(newer) - 1);
	screen_frame(&screen);
	assert_true(is_said(&screen, "hit 2 of 3"));
	assert_int_equal(nr_marks(&screen), 3);
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_selects_the_first_hit_and_marks_all),
		cmocka_unit_test(esc_restores_the_selection),
		cmocka_unit_test(n_wraps_around_in_both_directions),
		cmocka_unit_test(upper_case_makes_the_search_case_sensitive),
		cmocka_unit_test(up_recalls_earlier_patterns),
		cmocka_unit_test(every_view_can_be_searched),
		cmocka_unit_test(marks_the_row_of_a_clipped_hit),
		cmocka_unit_test(marks_are_visible_without_colour),
		cmocka_unit_test(searches_a_long_list_in_parts_and_esc_cancels),
		cmocka_unit_test(removed_rows_are_not_searched),
		cmocka_unit_test(keys_without_effect_keep_a_search_running),
		cmocka_unit_test(esc_goes_back_without_marks),
		cmocka_unit_test(new_rows_are_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
