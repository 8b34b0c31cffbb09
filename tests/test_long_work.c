/* SPDX-License-Identifier: MIT */
/* Tests of looking back, reports and exports, which keys start and cancel. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/session_run.h"

static void wait_done(struct session_run *r)
{
	ns_t until = tr2_clock_monotonic() + RUN_DEADLINE_MS * NS_PER_MS;

	while (!intake_is_done(r->session.intake))
		run_wait(r, until);
	session_apply(&r->session, 0);
}

static int setup(void **state)
{
	struct session_run *r = calloc(1, sizeof(*r));

	*state = r;
	snprintf(r->spec, sizeof(r->spec), "%s/tests/screens/scene.event",
		 getenv("abs_top_srcdir"));
	snprintf(r->dir, sizeof(r->dir), "/tmp/work-XXXXXX");
	if (!mkdtemp(r->dir) || chdir(r->dir) || !run_open(r, true))
		return -1;
	wait_done(r);
	return 0;
}

static int teardown(void **state)
{
	struct session_run *r = *state;

	run_close(r);
	if (chdir("/") || rmdir(r->dir))
		return -1;
	free(r);
	return 0;
}

static void looking_back_shows_progress_and_can_be_cancelled(void **state)
{
	struct session_run *r = *state;

	run_press(r, '[');
	assert_string_equal(r->what, "Looking back");
	assert_int_equal(lookback_position(r->screen.past), 0);
	assert_non_null(strstr(run_text(r), " 0 of "));
	assert_non_null(strstr(run_text(r), "Cancelled"));
	r->allowed = UINT32_MAX;
	run_press(r, ']');
	assert_int_equal(lookback_position(r->screen.past), 1);
	assert_null(strstr(run_text(r), "Cancelled"));
}

static unsigned nr_files(void)
{
	DIR *dir = opendir(".");
	unsigned nr = 0;

	for (struct dirent *ent; (ent = readdir(dir));)
		if (ent->d_name[0] != '.' && ++nr)
			assert_int_equal(unlink(ent->d_name), 0);
	closedir(dir);
	return nr;
}

static void cancelled_report_leaves_no_file(void **state)
{
	struct session_run *r = *state;

	r->allowed = 3;
	run_press(r, 'w');
	assert_string_equal(r->what, "Writing the report");
	assert_int_equal(r->nr_asked, 4);
	assert_non_null(strstr(run_text(r), "Cancelled: no report written"));
	assert_int_equal(nr_files(), 0);
	r->allowed = UINT32_MAX;
	run_press(r, 'w');
	assert_non_null(strstr(run_text(r), "Report written to "));
	assert_int_equal(nr_files(), 1);
}

/* Read and remove the files of the working directory that are not hidden. Returns the text of the
 * last one; the caller frees it. */
static char *file_text(void)
{
	char *text = calloc(1, 1 << 20);
	DIR *dir = opendir(".");

	for (struct dirent *ent; (ent = readdir(dir));) {
		FILE *from = ent->d_name[0] == '.' ? NULL : fopen(ent->d_name, "r");

		if (!from)
			continue;
		text[fread(text, 1, (1 << 20) - 1, from)] = '\0';
		fclose(from);
		unlink(ent->d_name);
	}
	closedir(dir);
	return text;
}

static void press_all(struct session_run *r, const char *keys)
{
	for (; *keys; keys++)
		run_press(r, (unsigned char)*keys);
}

static void cancelled_export_leaves_no_file(void **state)
{
	static const char *const formats[] = { "events", "csv", "", "folded", "sqlite", "json" };
	struct session_run *r = *state;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		for (unsigned allowed = 0; allowed < (i < 2 ? 1 : 5); allowed++) {
			r->allowed = allowed;
			r->nr_asked = 0;
			press_all(r, "x");
			press_all(r, formats[i]);
			press_all(r, "\r");
#ifndef HAVE_SQLITE
			if (!strcmp(formats[i], "sqlite"))
				continue;
#endif
			assert_string_equal(r->what, "Exporting");
			assert_non_null(strstr(run_text(r), "Cancelled: no export written"));
			assert_int_equal(nr_files(), 0);
		}
	r->allowed = UINT32_MAX;
	press_all(r, "xevents  a b.event \r");
	assert_non_null(strstr(run_text(r), "Export written to a b.event"));
	press_all(r, "xcsv a b.event\r");
	assert_non_null(strstr(run_text(r), "a b.event exists"));
	press_all(r, "xevents nowhere/e\r");
	assert_non_null(strstr(run_text(r), "Cannot write nowhere/e: No such file"));
	assert_int_equal(nr_files(), 1); /* only the first file exists */
}

static void report_is_of_the_displayed_time(void **state)
{
	struct session_run *r = *state;
	char *report;

	r->allowed = UINT32_MAX;
	run_press(r, '[');
	r->screen.past_model = lookback_seek(r->screen.past, 1, NULL);
	run_press(r, 'w');
	report = file_text();
	assert_non_null(strstr(report, "processes 1:"));
	free(report);
	/* With a filter, too, the report has no timings of later events. */
	for (const char *c = "\\pid > 0\r"; *c; c++)
		run_press(r, (uint32_t)*c);
	assert_non_null(ui_filter(r->screen.ui));
	run_press(r, 'w');
	report = file_text();
	assert_non_null(strstr(report, "processes 1:"));
	assert_null(strstr(report, "do_read_index"));
	free(report);
	run_press(r, KEY_CODE_END);
	run_press(r, 'w');
	report = file_text();
	assert_non_null(strstr(report, "processes 6:"));
	assert_non_null(strstr(report, "do_read_index"));
	free(report);
}

static void keys_between_frames_work_while_looking_back(void **state)
{
	static const uint32_t keys[] = { '[',     '\r', KEY_ESC, '[',          'e',
					 KEY_ESC, ']',  '\r',    KEY_CODE_END, '\r',
					 KEY_ESC, '[',  '{',     't',          KEY_ESC };
	struct session_run *r = *state;

	r->allowed = UINT32_MAX;
	run_press(r, '[');
	run_text(r);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		screen_key(&r->screen, &(struct key_event){ .key = keys[i] });
	assert_non_null(strstr(run_text(r), " of "));
}

/* If there are no events for more than a second, one step crosses that whole time. */
static void steps_of_a_second_reach_both_ends(void **state)
{
	struct session_run *r = *state;
	uint64_t at = lookback_end(r->screen.past), nr = 0;

	r->allowed = UINT32_MAX;
	for (; at; nr++) {
		run_press(r, '{');
		assert_true(lookback_position(r->screen.past) < at);
		at = lookback_position(r->screen.past);
	}
	assert_in_range(nr, 3, 40);
	for (nr = 0; at < lookback_end(r->screen.past); nr++) {
		run_press(r, '}');
		assert_true(lookback_position(r->screen.past) > at);
		at = lookback_position(r->screen.past);
	}
	assert_in_range(nr, 3, 40);
}

/* The page of a region caches its figures per model; looking back uses another model. */
static void figures_of_a_region_are_of_the_displayed_time(void **state)
{
	struct session_run *r = *state;

	r->allowed = UINT32_MAX;
	run_press(r, '3');
	run_press(r, '\r');
	assert_non_null(strstr(run_text(r), " Region · "));
	assert_non_null(strstr(run_text(r), "By process"));
	for (uint64_t position = lookback_end(r->screen.past); position--;) {
		run_press(r, '[');
		r->screen.past_model = lookback_seek(r->screen.past, position, NULL);
		run_text(r);
		run_press(r, KEY_CODE_END);
	}
	run_press(r, '[');
	r->screen.past_model = lookback_seek(r->screen.past, 1, NULL);
	assert_null(strstr(run_text(r), "By process"));
	run_press(r, KEY_CODE_END);
	assert_non_null(strstr(run_text(r), "By process"));
}

static void bottom_line_shows_work_with_its_share(void **state)
{
	struct session_run *r = *state;
	struct tr2_buf out;
	const char *line;

	run_text(r);
	ui_draw_work(r->screen.ui, r->screen.surface, "Looking back", 250, 1000);
	tr2_buf_init(&out, 1 << 20);
	surface_dump(r->screen.surface, &out);
	line = strstr(tr2_buf_cstr(&out), "Looking back ███████▌");
	assert_non_null(line);
	assert_non_null(strstr(line, "25% · Esc cancels\n"));
	assert_null(strstr(line, "Enter open"));
	tr2_buf_release(&out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(looking_back_shows_progress_and_can_be_cancelled),
		TEST(cancelled_report_leaves_no_file),
		TEST(cancelled_export_leaves_no_file),
		TEST(report_is_of_the_displayed_time),
		TEST(keys_between_frames_work_while_looking_back),
		TEST(steps_of_a_second_reach_both_ends),
		TEST(figures_of_a_region_are_of_the_displayed_time),
		TEST(bottom_line_shows_work_with_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
