/* SPDX-License-Identifier: MIT */
/* Tests of the window on a time axis. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "views/widget/time_window.h"

#define COLS 100

static struct time_window fitted(ns_t first, ns_t edge)
{
	struct time_window window = { 0 };

	window_reset(&window);
	window_fit(&window, first, edge);
	return window;
}

static void assert_within(const struct time_window *window)
{
	assert_true(window->width > 0);
	assert_true(window->from >= window->first);
	if (window->edge - window->first >= window->width)
		assert_true(window->from + window->width <= window->edge);
}

static void shows_the_whole_extent_at_first(void **state)
{
	struct time_window window = fitted(1000, 1000 + NS_PER_SEC);

	(void)state;
	assert_int_equal(window.from, 1000);
	assert_int_equal(window.width, NS_PER_SEC);
	assert_int_equal(window_cursor(&window), 1000 + NS_PER_SEC);
	assert_int_equal(window_cell(&window, 1000, COLS), 0);
	assert_int_equal(window_cell(&window, 999 - NS_PER_SEC, COLS), -1);
	assert_int_equal(window_cell(&window, 2 * NS_PER_SEC, COLS), COLS);
	assert_int_equal(window_cursor_cell(&window, COLS), COLS - 1);
}

static void zooming_keeps_the_cursor_where_it_is(void **state)
{
	struct time_window window = fitted(0, NS_PER_SEC);

	(void)state;
	window.cursor = NS_PER_SEC / 4;
	for (int i = 0; i < 12; i++) {
		window_zoom(&window, 0.5);
		assert_within(&window);
		assert_in_range(window_cursor_cell(&window, COLS), 24, 26);
	}
	for (int i = 0; i < 20; i++)
		window_zoom(&window, 2);
	window_fit(&window, 0, NS_PER_SEC);
	assert_false(window.zoomed);
	assert_int_equal(window.width, NS_PER_SEC);
}

/* The first time of the axis grows if the first process is evicted or a filter excludes it. */
static void window_stays_within_an_extent_that_shrinks(void **state)
{
	struct time_window window = fitted(0, NS_PER_SEC);

	(void)state;
	window.cursor = NS_PER_SEC / 10;
	window_zoom(&window, 0.1);
	window_pan(&window, 0);
	window_fit(&window, NS_PER_SEC / 2, 2 * NS_PER_SEC);
	assert_within(&window);
	assert_true(window.zoomed);
}

static void following_window_stays_at_the_edge(void **state)
{
	struct time_window window = fitted(0, NS_PER_SEC);

	(void)state;
	window_zoom(&window, 0.1);
	for (ns_t edge = NS_PER_SEC; edge < 3 * NS_PER_SEC; edge += NS_PER_SEC / 7) {
		window_fit(&window, 0, edge);
		assert_int_equal(window.from + window.width, edge);
		assert_within(&window);
	}
	window_pan(&window, -window.width);
	ns_t from = window.from;

	window_fit(&window, 0, 5 * NS_PER_SEC);
	assert_int_equal(window.from, from);
	window_follow(&window);
	window_fit(&window, 0, 5 * NS_PER_SEC);
	assert_int_equal(window.from + window.width, 5 * NS_PER_SEC);
}

static void keeps_keys_before_the_first_extent(void **state)
{
	struct time_window early = { 0 }, late = fitted(0, NS_PER_SEC);

	(void)state;
	window_reset(&early);
	window_zoom(&early, 0.5);
	window_zoom(&early, 0.5);
	window_fit(&early, 0, NS_PER_SEC);
	window_zoom(&late, 0.5);
	window_zoom(&late, 0.5);
	assert_int_equal(early.width, late.width);
	assert_int_equal(early.from, late.from);
}

static void cursor_moves_the_window(void **state)
{
	struct time_window window = fitted(0, NS_PER_SEC);

	(void)state;
	window_zoom(&window, 0.01);
	for (int i = 0; i < 20000; i++) {
		window_move_cursor(&window, i < 15000 ? -1 : 1, COLS);
		assert_within(&window);
		assert_true(window.cursor >= window.from &&
			    window.cursor <= window.from + window.width);
	}
}

static void handles_empty_and_instant_extents(void **state)
{
	static const ns_t ends[][2] = {
		{ 0, 0 }, { 5, 5 }, { 7, 3 }, { INT64_MAX - 5, INT64_MAX }, { 0, 1 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct time_window window = fitted(ends[i][0], ends[i][1]);

		assert_true(window.width > 0);
		assert_in_range(window_cursor_cell(&window, COLS), 0, COLS - 1);
		assert_in_range(window_cursor_cell(&window, 1), 0, 0);
		assert_in_range(window_cell(&window, INT64_MIN, COLS) + 1, 0, COLS + 1);
		assert_in_range(window_cell(&window, INT64_MAX, COLS) + 1, 0, COLS + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_the_whole_extent_at_first),
		cmocka_unit_test(zooming_keeps_the_cursor_where_it_is),
		cmocka_unit_test(window_stays_within_an_extent_that_shrinks),
		cmocka_unit_test(following_window_stays_at_the_edge),
		cmocka_unit_test(keeps_keys_before_the_first_extent),
		cmocka_unit_test(cursor_moves_the_window),
		cmocka_unit_test(handles_empty_and_instant_extents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
