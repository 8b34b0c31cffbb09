/* SPDX-License-Identifier: MIT */
/* Tests of filters on the screen, which titles show. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "monitor/filter/filter_process.h"
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

/* Keys that open a view, its filter, text that must and must not be shown, and a part of the
 * title. */
static void every_pane_has_its_own_filter(void **state)
{
	static const struct {
		const char *keys, *filter, *seen, *hidden, *title;
	} table[] = {
		{ "z", "name = fetch", "fetch origin", "status", " 1 of 6 " },
		{ "Down z 2 F5", "elapsed < 1s", "pack/traverse", "main  done", " 1 of 3 " },
		{ "Down z 2 F5", "category = pack and count >= 9", "pack/traverse", "main  done",
		  " 1 of 3 " },
		{ "Down z 2", "thread", "THREAD", "pack/traverse", " 0 of 3 " },
		{ "3 z", "category = dir or total < 1ms", "read_directory", "traverse",
		  " 2 of 4 " },
		{ "3 z", "untracked", "58.1ms", "read_directory", " 1 of 4 " },
		{ "3 z", "failed", "nothing matches the filter; press \\", "traverse", " 0 of 4 " },
		{ "4 z", "not live and code = 0", "rev-list", "gc --auto", " of " },
		{ "4 z", "argv ~ gc", "gc", "rev-list", " of " },
		{ "3 Enter", "elapsed > 1s or name = push", "nothing matches", "12:28:36.900",
		  " 0 of 12 " },
		{ "t a", "name = fetch", "fetch 14707", "status", " 1 of 6 " },
		{ "F a", "name = status", "status", "rev-list", "+5 hidden" },
		{ "?", "nesting", "lower the nesting limit", "one row up", " of " },
		{ "o", "nothing-like-it", "nothing matches the filter", "nothing is unread",
		  " 0 of 1 " },
		{ "Enter", "worktree", "worktree", "started", " of " },
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
		screen_keys(&screen, "F4 C-u Enter");
		assert_false(is_said(&screen, " · filter:"));
		assert_true(is_said(&screen, table[i].hidden));
		screen_close(&screen);
	}
}

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
	assert_true(is_said(&screen, " 1 of 3 ")); /* one row is time outside regions */
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
	assert_true(is_said(&screen, "Filter: error_format"));
	type(&screen, "\t");
	assert_true(is_said(&screen, "Filter: errors"));
	assert_true(is_said(&screen, "[errors] error"));
	type(&screen, "\t");
	assert_true(is_said(&screen, "errors [error]"));
	type(&screen, "\t");
	assert_true(is_said(&screen, "[error_format] errors"));
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

static uint32_t selected_slot(struct screen *screen)
{
	const char *line = strstr(screen_text(screen), "▸");
	int64_t pid = NUM_NONE;

	assert_non_null(line);
	for (const char *at = line; pid == NUM_NONE && *at != '\n'; at++)
		if (at[0] == ' ' && strtol(at, NULL, 10) >= 1000)
			pid = strtol(at, NULL, 10);
	for (uint32_t slot = model_first_slot(screen->model); slot != SLOT_NONE;
	     slot = model_next_slot(screen->model, slot))
		if (model_slot(screen->model, slot)->pid == pid)
			return slot;
	fail_msg("no process in %.80s", line);
	return SLOT_NONE;
}

static void chips_keep_or_hide_the_row_that_they_are_from(void **state)
{
	const char *letters = "nruwhaxosmcfvtdypieDC";
	int nr_kept = 0;

	(void)state;
	for (size_t i = 0; i < 6 * strlen(letters) * 2; i++) {
		char keys[] = { i % 2 ? '-' : '+', ' ', letters[i / 2 % strlen(letters)], 0 };
		struct screen screen;
		uint32_t slot;

		screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
		screen_scene(&screen);
		screen_feed_file(&screen, "screens/findings.event");
		screen_frame(&screen);
		screen_keys(&screen, "F5");
		for (size_t down = 0; down < i / 2 / strlen(letters); down++)
			screen_keys(&screen, "Down");
		slot = selected_slot(&screen);
		screen_keys(&screen, keys);
		if (ui_filter(screen.ui)) {
			nr_kept += keys[0] == '+';
			assert_int_equal(filter_process(ui_filter(screen.ui), screen.model, slot),
					 keys[0] == '+');
			screen_keys(&screen, "Backspace");
			assert_null(ui_filter(screen.ui));
		}
		screen_close(&screen);
	}
	assert_true(nr_kept >= 25);
}

static void chips_are_added_and_removed_in_order(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40,
		    &(struct ui_config){
			    .nesting = -1, .depth = -1, .filter = "name = x or not name = y" });
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "+ n");
	assert_non_null(strstr(filter_text(ui_filter(screen.ui)),
			       "(name = x or not name = y) and name = \""));
	assert_true(is_said(&screen, "filter: [name = x or not name = y] [name = "));
	screen_keys(&screen, "- h");
	assert_non_null(strstr(filter_text(ui_filter(screen.ui)), "\" and not host = \""));
	screen_keys(&screen, "Backspace");
	assert_null(strstr(filter_text(ui_filter(screen.ui)), "host"));
	screen_keys(&screen, "Backspace");
	assert_string_equal(filter_text(ui_filter(screen.ui)), "name = x or not name = y");
	screen_keys(&screen, "Backspace");
	assert_null(ui_filter(screen.ui));
	screen_keys(&screen, "Backspace");
	/* The same chip twice is one chip; there are at most 8 chips. */
	screen_keys(&screen, "+ n + n Backspace");
	assert_null(ui_filter(screen.ui));
	screen_keys(&screen, "+ n + u + h + c + x + w + r + v + a + o + f + t");
	for (int i = 0; i < 8; i++)
		screen_keys(&screen, "Backspace");
	assert_null(ui_filter(screen.ui));
	screen_keys(&screen, "+ n Esc");
	assert_non_null(ui_filter(screen.ui));
	screen_close(&screen);
}

/* A filter on a replaced value would hide the row that offers it. */
static void only_the_newest_value_of_a_key_is_offered(void **state)
{
	static const char lines[] =
		"{\"event\":\"start\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,"
		"\"argv\":[\"git\",\"gc\"]}\n"
		"{\"event\":\"def_param\",\"sid\":\"s\",\"thread\":\"main\","
		"\"param\":\"gc.auto\",\"value\":\"1\"}\n"
		"{\"event\":\"def_param\",\"sid\":\"s\",\"thread\":\"main\","
		"\"param\":\"gc.window\",\"value\":\"3\"}\n"
		"{\"event\":\"def_param\",\"sid\":\"s\",\"thread\":\"main\","
		"\"param\":\"gc.auto\",\"value\":\"2\"}\n";
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	screen_feed(&screen, lines, strlen(lines));
	screen_frame(&screen);
	screen_keys(&screen, "+");
	assert_true(is_said(&screen, "param gc.auto = \"2\""));
	assert_true(is_said(&screen, "param gc.window = \"3\""));
	assert_false(is_said(&screen, "param gc.auto = \"1\""));
	screen_close(&screen);
}

static void rows_of_commands_and_regions_offer_their_own_terms(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "5 + n");
	assert_non_null(strstr(filter_text(ui_filter(screen.ui)), "name = \""));
	screen_keys(&screen, "Backspace 3 + g");
	assert_non_null(strstr(filter_text(ui_filter(screen.ui)), "category = \""));
	screen_keys(&screen, "+ l");
	assert_non_null(strstr(filter_text(ui_filter(screen.ui)), "\" and label = \""));
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
		cmocka_unit_test(chips_keep_or_hide_the_row_that_they_are_from),
		cmocka_unit_test(chips_are_added_and_removed_in_order),
		cmocka_unit_test(only_the_newest_value_of_a_key_is_offered),
		cmocka_unit_test(rows_of_commands_and_regions_offer_their_own_terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
