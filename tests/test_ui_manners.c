/* SPDX-License-Identifier: MIT */
/* Tests of usability, such as cut words and unused space. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include "tests/screen_fixture.h"

static void type_line(struct screen *screen, const char *line)
{
	for (; *line; line++)
		ui_key(screen->ui, &(struct key_event){ .key = (unsigned char)*line });
	screen_keys(screen, "Enter");
}

/* On pages that are opened from a row of Timings of all processes, one process is still
 * selected. */
static void scope_belongs_to_the_selected_process(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "End 3 S");
	assert_non_null(strstr(screen_text(&screen), "All processes: "));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "git status --short ──"));
	screen_keys(&screen, "Esc t");
	assert_non_null(strstr(screen_text(&screen), "Timeline · all processes"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "Timeline · tree of status 14600"));
	screen_close(&screen);
}

static void summary_counts_one_child(void **state)
{
	static const char lines[] =
		"{\"event\":\"start\",\"sid\":\"20260821T122842.000000Z-H1-P00000007\","
		"\"thread\":"
		"\"main\",\"time\":\"2026-08-21T12:28:42.000000Z\",\"t_abs\":0.1,\"argv\":["
		"\"git\"]}\n"
		"{\"event\":\"child_start\",\"sid\":\"20260821T122842.000000Z-H1-P00000007\","
		"\"thread\":\"main\",\"time\":\"2026-08-21T12:28:42.000000Z\",\"child_id\":0,"
		"\"child_class\":\"?\",\"argv\":[\"sh\"]}\n";
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines, sizeof(lines) - 1);
	screen_frame(&screen);
	screen_keys(&screen, "S");
	assert_non_null(strstr(screen_text(&screen), "Median      needs 8 other runs of git"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "1 child, 0 failed"));
	screen_close(&screen);
}

static void instructions_are_not_cut(void **state)
{
	static const int sizes[][2] = { { 120, 40 }, { 80, 24 }, { 40, 20 } };
	struct ui_config config = { .wait_hint = "To trace every Git command:\n"
						 "  git config --global trace2.eventTarget \\\n"
						 "    af_unix:stream:/run/t.sock" };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
		struct screen screen;

		screen_open(&screen, sizes[i / 2][0], sizes[i / 2][1], i % 2 ? &config : NULL);
		screen_frame(&screen);
		assert_non_null(strstr(screen_text(&screen), "trace2.eventTarget"));
		assert_non_null(strstr(screen_text(&screen), i % 2 ? "/run/t.sock" : " path."));
		screen_close(&screen);
	}
}

/* An error and a SID are whole if there is space. */
static void text_uses_the_space_of_a_missing_time(void **state)
{
	static const char lines[] =
		"{\"event\":\"start\",\"sid\":\"20260821T122842.000000Z-H00000001-P00000007\","
		"\"thread\":"
		"\"main\",\"time\":\"2026-08-21T12:28:42.000000Z\",\"t_abs\":0.1,\"argv\":["
		"\"git\"]}\n"
		"{\"event\":\"error\",\"sid\":\"20260821T122842.000000Z-H00000001-P00000007\","
		"\"thread\":\"main\",\"time\":\"2026-08-21T12:28:42.000000Z\",\"msg\":"
		"\"not a git repository (or any of the parent directories)\"}\n";
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_feed(&screen, lines, sizeof(lines) - 1);
	screen_frame(&screen);
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "Z-H00000001-P00000007 "));
	assert_non_null(strstr(screen_text(&screen), "parent directories) "));
	screen_close(&screen);
}

static void nesting_limit_beyond_the_deepest_means_all(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "F7 F7 F7 F7");
	assert_non_null(strstr(screen_text(&screen), "nesting ≤ 1"));
	for (unsigned i = model_max_nesting(screen.model); i > 1; i--)
		screen_keys(&screen, "F8");
	assert_non_null(strstr(screen_text(&screen), "nesting ≤ "));
	screen_keys(&screen, "F8");
	assert_null(strstr(screen_text(&screen), "nesting ≤"));
	screen_close(&screen);
}

static void reports_a_command_without_a_trace(void **state)
{
	struct ui_config config = { .has_command = true };
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &config);
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "git config"));
	assert_non_null(strstr(screen_text(&screen), "O shows its output"));
	screen_close(&screen);
}

static void log_fills_the_page(void **state)
{
	struct screen screen;
	const char *at;
	int nr = 0;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "e a a Up");
	screen_keys(&screen, "F4");
	type_line(&screen, "event = start");
	screen_frame(&screen);
	at = screen_text(&screen);
	while ((at = strstr(at, " start  "))) {
		at++;
		nr++;
	}
	assert_int_equal(nr, 6);
	screen_close(&screen);
}

static void keys_without_a_frame_move_the_log_from_its_end(void **state)
{
	struct screen screen;
	unsigned at = 0, end = 0;
	const char *title;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "e a a Home");
	/* two keys without a frame between them */
	ui_key(screen.ui, &(struct key_event){ .key = 'G' });
	ui_key(screen.ui, &(struct key_event){ .key = 'k' });
	screen_frame(&screen);
	title = strstr(screen_text(&screen), "· event ");
	assert_non_null(title);
	assert_int_equal(sscanf(title, "· event %u of %u", &at, &end), 2);
	assert_true(end > 2);
	assert_int_equal(at, end - 1);
	screen_close(&screen);
}

static void shows_100_000_levels_at_once(void **state)
{
	const int nr = 100000;
	struct tr2_buf lines = { .max = 1 << 26 };
	struct screen screen;
	clock_t begun;

	(void)state;
	for (int i = 0; i < 2 * nr; i++) {
		int level = i < nr ? i + 1 : 2 * nr - i;

		tr2_buf_addf(&lines,
			     "{\"event\":\"region_%s\",\"sid\":\"s\",\"thread\":\"main\","
			     "\"t_abs\":%d,\"t_rel\":1,\"nesting\":%d,\"category\":\"c\","
			     "\"label\":\"l%d\"}\n",
			     i < nr ? "enter" : "leave", i, level, level % 7);
	}
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, lines.data, lines.len);
	screen_frame(&screen);
	begun = clock();
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "Completed regions"));
	screen_keys(&screen, "/ n o n e Enter");
	assert_true(clock() - begun < 5 * CLOCKS_PER_SEC);
	screen_close(&screen);
	tr2_buf_release(&lines);
}

static void ended_processes_are_not_live(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " LIVE "));
	screen.source.bytes = screen.source.old_bytes = screen.source.old_bytes_read = 1000;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " FILE "));
	screen.source.old_bytes_read = 500;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " READING "));
	screen.source.old_bytes_read = 1000;
	screen.in.monotonic_ns += 3 * NS_PER_SEC;
	screen.source.bytes = 1001;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " LIVE "));
	assert_null(strstr(screen_text(&screen), "read at "));
	screen.source.state = SOURCE_DONE;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " DONE "));
	screen_close(&screen);
}

static void times_of_another_day_have_a_date(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "e");
	assert_null(strstr(screen_text(&screen), "2026-01-02 "));
	screen.in.wall_ns += 24 * 3600 * NS_PER_SEC;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " · 2026-01-02 "));
	screen_keys(&screen, "Esc t");
	assert_non_null(strstr(screen_text(&screen), " · 2026-01-02 "));
	screen_keys(&screen, "Esc Enter");
	assert_non_null(strstr(screen_text(&screen), "2026-01-02 12:28:"));
	screen_keys(&screen, "Esc e Home Enter");
	assert_non_null(strstr(screen_text(&screen), "─ Record · event "));
	assert_non_null(strstr(screen_text(&screen), " · 2026-01-02 ─"));
	screen_keys(&screen, "Esc Esc E");
	assert_non_null(strstr(screen_text(&screen), "─ Errors · by format · 1 · 2026-01-02 ─"));
	screen_keys(&screen, "Esc 5 Enter");
	assert_non_null(strstr(screen_text(&screen), "─ Command · rev-list · 2026-01-02 ─"));
	screen.in.wall_ns -= 24 * 3600 * NS_PER_SEC;
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "· 2026-01-02 "));
	screen_close(&screen);
}

static void list_of_two_days_shows_both_dates(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	for (int day = 2; day <= 3; day++) {
		char line[300];

		snprintf(line, sizeof(line),
			 "{\"event\":\"cmd_name\",\"sid\":\"d%d\",\"thread\":\"main\","
			 "\"time\":\"2026-01-%02dT12:00:00.000000Z\",\"name\":\"fetch\"}\n"
			 "{\"event\":\"error\",\"sid\":\"d%d\",\"thread\":\"main\","
			 "\"time\":\"2026-01-%02dT12:00:00.000000Z\",\"msg\":\"no\",\"fmt\":\"no\"}"
			 "\n",
			 day, day, day, day);
		screen_feed(&screen, line, strlen(line));
	}
	screen_frame(&screen);
	screen_keys(&screen, "E");
	assert_non_null(strstr(screen_text(&screen), " · 2 · 2026-01-02 to 2026-01-03 ─"));
	screen_keys(&screen, "Esc 5 Enter");
	assert_non_null(
		strstr(screen_text(&screen), "─ Command · fetch · 2026-01-02 to 2026-01-03 ─"));
	screen_close(&screen);
}

static void reports_a_screen_that_is_too_small(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 39, 10, NULL);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "too small: at least 40x10"));
	ui_resize(screen.ui, 40, 9);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "too small: at least 40x10"));
	ui_resize(screen.ui, 40, 10);
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "too small"));
	screen_close(&screen);
}

static void reports_an_unreadable_source(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 200, 60, NULL);
	screen.source.bytes = 100;
	screen.source.foreign = 1;
	snprintf(screen.source.seems, sizeof(screen.source.seems),
		 "it seems to be a tar archive: unpack it");
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "No source could be read."));
	assert_non_null(strstr(screen_text(&screen), "a tar archive: unpack it"));
	assert_null(strstr(screen_text(&screen), "git config"));
	screen_close(&screen);
}

static void evicted_rows_are_reported(void **state)
{
	struct screen screen;
	char line[512];

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	model_free(screen.model);
	screen.model = model_new(&screen.syms,
				 &(struct model_config){ .nesting = -1, .max_processes = 4 });
	screen.in.model = screen.in.live = screen.model;
	for (int i = 0; i < 20; i++) {
		int len = snprintf(
			line, sizeof(line),
			"{\"event\":\"start\",\"sid\":\"s%d\",\"thread\":\"main\",\"argv\":"
			"[\"git\"]}\n{\"event\":\"exit\",\"sid\":\"s%d\",\"thread\":\"main\","
			"\"code\":0,\"t_abs\":0.1}\n",
			i, i);

		screen_feed(&screen, line, (size_t)len);
	}
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "20 ended · 4 kept · "));
	screen_keys(&screen, "z");
	assert_non_null(
		strstr(screen_text(&screen), "4 of 20; 16 finished were evicted: --max-pro"));
	screen_close(&screen);
}

static void children_of_a_killed_process_are_lost(void **state)
{
	static const char lines[] =
		"{\"event\":\"start\",\"sid\":\"s\",\"thread\":\"main\",\"argv\":[\"git\"]}\n"
		"{\"event\":\"child_start\",\"sid\":\"s\",\"thread\":\"main\",\"child_id\":0,"
		"\"argv\":[\"sh\"]}\n";
	static const char dies[] = "{\"event\":\"signal\",\"sid\":\"s\",\"thread\":\"main\","
				   "\"signo\":9,\"t_abs\":1}\n";
	struct screen screen;

	(void)state;
	screen_open(&screen, 40, 20, NULL);
	screen_feed(&screen, lines, sizeof(lines) - 1);
	screen_frame(&screen);
	screen_keys(&screen, "4");
	assert_null(strstr(screen_text(&screen), " lost "));
	screen_feed(&screen, dies, sizeof(dies) - 1);
	screen_keys(&screen, "3 4");
	assert_non_null(strstr(screen_text(&screen), " lost "));
	screen_keys(&screen, "\\");
	type_line(&screen, "state = lost");
	assert_non_null(strstr(screen_text(&screen), "sh  "));
	screen_close(&screen);
}

static void pages_outlive_their_process(void **state)
{
	static const char *const pages[] = { "S", "Enter", "t", "F", "e", "H" };

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct screen screen;

		screen_open(&screen, 120, 40, NULL);
		model_free(screen.model);
		screen.model = model_new(
			&screen.syms, &(struct model_config){ .nesting = -1, .max_processes = 2 });
		screen.in.model = screen.in.live = screen.model;
		for (int process = 0; process < 9; process++) {
			char text[400];
			int len = snprintf(
				text, sizeof(text),
				"{\"event\":\"start\",\"sid\":\"p%d\",\"thread\":\"main\",\"time\":"
				"\"2026-01-02T12:28:3%d.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\"]}"
				"\n"
				"{\"event\":\"atexit\",\"sid\":\"p%d\",\"thread\":\"main\","
				"\"time\":"
				"\"2026-01-02T12:28:3%d.500000Z\",\"t_abs\":0.5,\"code\":0}\n",
				process, process, process, process);

			screen_feed(&screen, text, (size_t)len);
			screen_frame(&screen);
			if (!process)
				screen_keys(&screen, pages[i]);
		}
		assert_int_equal(model_nr_processes(screen.model), 2);
		screen_close(&screen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scope_belongs_to_the_selected_process),
		cmocka_unit_test(summary_counts_one_child),
		cmocka_unit_test(instructions_are_not_cut),
		cmocka_unit_test(text_uses_the_space_of_a_missing_time),
		cmocka_unit_test(nesting_limit_beyond_the_deepest_means_all),
		cmocka_unit_test(reports_a_command_without_a_trace),
		cmocka_unit_test(log_fills_the_page),
		cmocka_unit_test(keys_without_a_frame_move_the_log_from_its_end),
		cmocka_unit_test(shows_100_000_levels_at_once),
		cmocka_unit_test(ended_processes_are_not_live),
		cmocka_unit_test(times_of_another_day_have_a_date),
		cmocka_unit_test(list_of_two_days_shows_both_dates),
		cmocka_unit_test(reports_a_screen_that_is_too_small),
		cmocka_unit_test(reports_an_unreadable_source),
		cmocka_unit_test(evicted_rows_are_reported),
		cmocka_unit_test(children_of_a_killed_process_are_lost),
		cmocka_unit_test(pages_outlive_their_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
