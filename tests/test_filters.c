/* SPDX-License-Identifier: MIT */
/*
 * Tests of filters on the screen: each pane has its own, shown in its title with the number of
 * hidden rows.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "tests/screen_fixture.h"

static void open_scene(struct screen *screen, int cols, int rows)
{
	screen_open(screen, cols, rows, NULL);
	screen_scene(screen);
	screen_frame(screen);
}

static void type(struct screen *screen, const char *text)
{
	for (; *text; text++)
		ui_key(screen->ui, &(struct key_event){ .key = (unsigned char)*text });
	screen_frame(screen);
}

static bool is_said(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

/* Keys that open the filter's prompt, the input, and text that must and must not be shown. */
static void every_pane_has_its_own_filter(void **state)
{
	static const struct {
		const char *keys, *filter, *seen, *hidden, *title;
	} table[] = {
		{ "z", "name = fetch", "fetch origin", "status", "+5 hidden" },
		{ "Down z 2 F5", "elapsed < 1s", "pack/traverse", "main  done", "+2 hidden" },
		{ "Down z 2 F5", "category = pack and count >= 9", "pack/traverse", "main  done",
		  "+2 hidden" },
		{ "Down z 2", "thread", "THREAD", "pack/traverse", "+3 hidden" },
		{ "3 z", "category = dir or total < 1ms", "read_directory", "traverse",
		  "+2 hidden" },
		{ "3 z", "untracked", "58.1ms", "read_directory", "+3 hidden" },
		{ "3 z", "failed", "nothing matches the filter; press \\", "traverse",
		  "+4 hidden" },
		{ "4 z", "not live and code = 0", "rev-list", "gc --auto", "hidden" },
		{ "4 z", "argv ~ gc", "gc", "rev-list", "hidden" },
		{ "3 Enter", "elapsed > 1s or name = push", "nothing matches", "12:28:36.900",
		  "+12 hidden" },
		{ "t a", "name = fetch", "fetch 14707", "status", "+5 hidden" },
		{ "F a", "name = status", "status", "rev-list", "+5 hidden" },
		{ "?", "nesting", "lower the nesting limit", "one row up", "hidden" },
		{ "o", "nothing-like-it", "nothing matches the filter", "nothing is unread",
		  "+1 hidden" },
		{ "Enter", "worktree", "worktree", "started", "hidden" },
	};
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char title[128];
		bool ok;

		open_scene(&screen, 120, 40);
		screen_keys(&screen, table[i].keys);
		screen_keys(&screen, i % 2 ? "\\" : "F4");
		type(&screen, table[i].filter);
		screen_keys(&screen, "Enter");
		snprintf(title, sizeof(title), " · filter: %s", table[i].filter);
		ok = is_said(&screen, table[i].seen) && !is_said(&screen, table[i].hidden) &&
		     is_said(&screen, title) && is_said(&screen, table[i].title);
		if (!ok)
			print_error("%s \\ %s\n%s", table[i].keys, table[i].filter,
				    screen_text(&screen));
		assert_true(ok);
		/* The user can edit the filter, and an empty line removes it. */
		screen_keys(&screen, "F4 C-u Enter");
		assert_false(is_said(&screen, " · filter:"));
		assert_true(is_said(&screen, table[i].hidden));
		screen_close(&screen);
	}
}

/* In a tree the rows above a match must stay visible: the thread of a region. */
static void ancestors_of_a_match_stay_visible(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "Down z 2 F4");
	type(&screen, "elapsed < 1s");
	screen_keys(&screen, "Enter");
	assert_true(is_said(&screen, "·main  done"));
	assert_true(is_said(&screen, "▸└─ pack/traverse"));
	assert_true(is_said(&screen, "+1 hidden")); /* the time outside any region */
	screen_close(&screen);
}

static void error_points_at_a_field_of_other_rows(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "3 F4");
	type(&screen, "count > 1 and argv ~ x");
	screen_keys(&screen, "Enter");
	assert_true(
		is_said(&screen, "                      ▼ 'argv' is not a field of these rows"));
	screen_keys(&screen, "Esc ? F4");
	type(&screen, "name = x");
	screen_keys(&screen, "Enter");
	assert_true(is_said(&screen, "▼ these rows have no fields"));
	screen_close(&screen);
}

static void reports_an_expensive_filter(void **state)
{
	static const char line[] =
		"{\"event\":\"start\",\"sid\":\"a\",\"thread\":\"main\","
		"\"argv\":[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"]}\n";
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "F4");
	type(&screen, "argv ~ \"(a+)+$\"");
	screen_keys(&screen, "Enter");
	assert_true(is_said(&screen, " · filter: argv ~ "));
	screen_feed(&screen, line, sizeof(line) - 1);
	screen_frame(&screen);
	assert_true(is_said(&screen, " · filter (too slow): "));
	screen_close(&screen);
}

/*
 * Keys must be handled at once for any expression and number of rows. Matches with little
 * backtracking must still be found.
 */
static void limits_the_work_of_a_filter_per_frame(void **state)
{
	struct tr2_buf lines = { .max = 1 << 24 };
	struct screen screen;
	clock_t begun;

	(void)state;
	for (int i = 0; i < 10000; i++)
		tr2_buf_addf(&lines,
			     "{\"event\":\"start\",\"sid\":\"s%d\",\"thread\":\"main\","
			     "\"argv\":[\"%s\"]}\n",
			     i,
			     i == 5000 ? "git keep" : "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
	open_scene(&screen, 120, 40);
	screen_feed(&screen, lines.data, lines.len);
	screen_keys(&screen, "F4");
	type(&screen, "argv ~ \"keep|(a+)+$\"");
	begun = clock();
	screen_keys(&screen, "Enter");
	screen_keys(&screen, "j");
	assert_true(clock() - begun < 2 * CLOCKS_PER_SEC);
	assert_true(is_said(&screen, " · filter (too slow): "));
	assert_true(is_said(&screen, "git keep"));
	/* The event log continues to filter in the next frame. */
	screen_keys(&screen, "e a F4");
	type(&screen, "argv ~ \"keep|(a+)+$\"");
	begun = clock();
	screen_keys(&screen, "Enter");
	assert_true(clock() - begun < 2 * CLOCKS_PER_SEC);
	while (ui_is_working(screen.ui))
		screen_frame(&screen);
	assert_true(is_said(&screen, "git keep"));
	screen_close(&screen);
	tr2_buf_release(&lines);
}

static void tab_cycles_through_all_completions(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "F4");
	type(&screen, "er\t");
	assert_true(is_said(&screen, "Filter: errors"));
	assert_true(is_said(&screen, "[errors] error"));
	type(&screen, "\t");
	assert_true(is_said(&screen, "errors [error]"));
	type(&screen, "\t");
	assert_true(is_said(&screen, "[errors] error"));
	screen_keys(&screen, "S-Tab");
	assert_true(is_said(&screen, "errors [error]"));
	type(&screen, " and name = st\t");
	assert_true(is_said(&screen, "Filter: error and name = status"));
	screen_keys(&screen, "C-u");
	type(&screen, "category = \t");
	assert_true(is_said(&screen, "["));
	assert_true(is_said(&screen, "Filter: category = ") && is_said(&screen, "index"));
	screen_keys(&screen, "Esc 3 F4");
	type(&screen, "label = tr\t");
	assert_true(is_said(&screen, "Filter: label = traverse"));
	screen_keys(&screen, "Enter \\ C-u Up");
	assert_true(is_said(&screen, "Filter: label = traverse"));
	screen_close(&screen);
}

static void filters_use_current_values(void **state)
{
#define SID                                                                                        \
	"20260102T122836.000000Z-H6b1a4c2e-P00003973/"                                             \
	"20260102T122836.200000Z-H6b1a4c2e-P00003974"
	static const char fresh[] =
		"{\"event\":\"region_enter\",\"sid\":\"" SID "\",\"thread\":\"main\",\"nesting\":1,"
		"\"time\":\"2026-01-02T12:28:41.900000Z\",\"category\":"
		"\"fresh\",\"label\":\"l\"}\n";
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "Down 2 F4");
	for (const char *c = "category = f"; *c; c++)
		ui_key(screen.ui, &(struct key_event){ .key = (unsigned char)*c });
	screen_feed(&screen, fresh, sizeof(fresh) - 1);
	type(&screen, "\t");
	assert_true(is_said(&screen, "Filter: category = fresh"));
	screen_close(&screen);
}

static void starts_with_the_filter_of_the_command_line(void **state)
{
	static const char *const specs[] = { "x" };
	struct ui_config config = {
		.nesting = -1, .depth = -1, .specs = specs, .nr_specs = 1, .filter = "name = push"
	};
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &config);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_true(is_said(&screen, "1 Processes · filter: name = push"));
	assert_true(is_said(&screen, "push origin main"));
	assert_false(is_said(&screen, "fetch origin"));
	screen_close(&screen);
}

/* As with --filter --once, the timings are those of the matching processes. */
static void process_filter_selects_the_timings(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "F4");
	type(&screen, "name = status");
	screen_keys(&screen, "Enter");
	assert_true(is_said(&screen, "3 Timings · processes with name = status"));
	assert_true(is_said(&screen, "154ms"));
	assert_false(is_said(&screen, "traverse"));
	screen_keys(&screen, "F4 C-u Enter");
	assert_true(is_said(&screen, "3 Timings · all processes"));
	assert_true(is_said(&screen, "traverse"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pane_has_its_own_filter),
		cmocka_unit_test(ancestors_of_a_match_stay_visible),
		cmocka_unit_test(error_points_at_a_field_of_other_rows),
		cmocka_unit_test(reports_an_expensive_filter),
		cmocka_unit_test(limits_the_work_of_a_filter_per_frame),
		cmocka_unit_test(tab_cycles_through_all_completions),
		cmocka_unit_test(filters_use_current_values),
		cmocka_unit_test(starts_with_the_filter_of_the_command_line),
		cmocka_unit_test(process_filter_selects_the_timings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
