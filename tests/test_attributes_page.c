/* SPDX-License-Identifier: MIT */
/* Tests of the page "What is different" with made runs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/rule_results.h"
#include "views/ui/rows.h"
#include "tests/look_fixture.h"
#include "tests/screen_fixture.h"

#define NR_RUNS 120

static void feed_base_runs(struct screen *screen)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 20);
	for (int i = 0; i < NR_RUNS; i++)
		tr2_buf_addf(&text,
			     "{\"event\":\"start\",\"sid\":\"b%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-01T12:%02d:00.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\","
			     "\"status\",\"--short\"]}\n"
			     "{\"event\":\"cmd_name\",\"sid\":\"b%03d\",\"name\":\"status\","
			     "\"hierarchy\":\"status\"}\n"
			     "{\"event\":\"def_repo\",\"sid\":\"b%03d\",\"repo\":1,\"worktree\":"
			     "\"/home/me/small\"}\n"
			     "{\"event\":\"atexit\",\"sid\":\"b%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-01T12:%02d:00.500000Z\",\"t_abs\":0.5,\"code\":0}\n",
			     i, i / 2, i, i, i, i / 2);
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
}

/* Runs of status, one every 2 s. Every third run has status.showUntrackedFiles = all; in the big
 * working tree these runs take about five times as long. Every tenth run fails. */
static void feed_attribute_runs(struct screen *screen, int nr)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 20);
	for (int i = 0; i < nr; i++) {
		bool all = i % 3 == 0, big = i % 2 == 0;
		int ms = 12 + i % 7 + (all && big ? 60 + i % 11 : 0), s = 2 * i;

		tr2_buf_addf(&text,
			     "{\"event\":\"start\",\"sid\":\"r%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-02T12:%02d:%02d.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\","
			     "\"status\",\"%s\"]}\n",
			     i, s / 60, s % 60, i % 4 ? "--short" : "--porcelain");
		tr2_buf_addf(&text,
			     "{\"event\":\"cmd_name\",\"sid\":\"r%03d\",\"name\":\"status\","
			     "\"hierarchy\":\"status\"}\n"
			     "{\"event\":\"def_repo\",\"sid\":\"r%03d\",\"repo\":1,\"worktree\":"
			     "\"/home/me/%s\"}\n",
			     i, i, big ? "big" : "small");
		tr2_buf_addf(&text,
			     "{\"event\":\"def_param\",\"sid\":\"r%03d\",\"scope\":\"local\","
			     "\"param\":\"status.showUntrackedFiles\",\"value\":\"%s\"}\n"
			     "{\"event\":\"data\",\"sid\":\"r%03d\",\"nesting\":1,\"category\":"
			     "\"status\",\"key\":\"count/untracked\",\"value\":\"%d\"}\n",
			     i, all ? "all" : "normal", i, all && big ? 6000 : i % 4 == 1);
		tr2_buf_addf(&text,
			     "{\"event\":\"atexit\",\"sid\":\"r%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-02T12:%02d:%02d.%03d000Z\",\"t_abs\":0.%03d,\"code\":%d}\n",
			     i, s / 60, s % 60, ms, ms, i % 10 == 9);
	}
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_frame(screen);
}

static void attribute_pages_match_their_golden_screens(void **state)
{
	static const struct {
		const char *name, *keys;
		int cols, rows, runs;
		bool ascii, mono;
	} rows[] = {
		{ "attributes-120x40", "5 A", 120, 40, NR_RUNS, false, false },
		{ "attributes-200x60", "5 A a", 200, 60, NR_RUNS, false, false },
		{ "attributes-80x24", "5 A", 80, 24, NR_RUNS, false, false },
		{ "attributes-40x10", "5 A", 40, 10, NR_RUNS, false, false },
		{ "attributes-ascii-80x24", "5 A", 80, 24, NR_RUNS, true, false },
		{ "attributes-mono-80x24", "5 A", 80, 24, NR_RUNS, false, true },
		{ "attributes-few-80x24", "5 A", 80, 24, 14, false, false },
		{ "attributes-all-80x24", "5 A End Enter", 80, 24, NR_RUNS, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ui_config config = { .nesting = -1, .depth = -1, .ascii = rows[i].ascii };
		struct screen screen;
		struct tr2_buf out;

		screen_open(&screen, rows[i].cols, rows[i].rows, &config);
		feed_attribute_runs(&screen, rows[i].runs);
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

static void enter_filters_by_the_value(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_attribute_runs(&screen, NR_RUNS);
	screen_keys(&screen, "5 A Down Enter");
	assert_non_null(ui_filter(screen.ui));
	assert_non_null(strstr(filter_text(ui_filter(screen.ui)),
			       "param status.showUntrackedFiles = \"all\""));
	assert_non_null(strstr(screen_text(&screen), "5 Commands"));
	screen_close(&screen);
}

static void marks_and_boxes_are_sets(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_attribute_runs(&screen, NR_RUNS);
	screen_keys(&screen, "1 m Down m Down m Down m Down m Down m Down m Down m A");
	assert_non_null(strstr(screen_text(&screen),
			       "marked processes · these runs against the others · 120 runs"));
	screen_keys(&screen, "Esc M H m Down Down Left Left Left Left Left Left Left Left Left "
			     "Left Left Left Left Left Left Left Left Left Left Left Left Left "
			     "Left Left m A");
	assert_non_null(strstr(screen_text(&screen),
			       "box of the heat map · these runs against the others · 120 runs"));
	screen_close(&screen);
}

static void errors_are_sets(void **state)
{
	struct screen screen;
	struct tr2_buf text;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_attribute_runs(&screen, NR_RUNS);
	tr2_buf_init(&text, 1 << 20);
	for (int i = 0; i < NR_RUNS; i += i % 2 ? 5 : 1) /* 40 runs */
		tr2_buf_addf(&text,
			     "{\"event\":\"error\",\"sid\":\"r%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-02T12:00:00.000000Z\",\"msg\":\"cannot lock %d\",\"fmt\":"
			     "\"cannot lock %%d\"}\n",
			     i, i);
	tr2_buf_addstr(&text,
		       "{\"event\":\"error\",\"sid\":\"r003\",\"thread\":\"main\",\"time\":"
		       "\"2026-01-02T12:00:00.000000Z\",\"msg\":\"other\",\"fmt\":\"other\"}\n");
	screen_feed(&screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_keys(&screen, "E End A");
	assert_non_null(
		strstr(screen_text(&screen), "error other · these runs against the others"));
	assert_non_null(strstr(screen_text(&screen), "needs 8 runs in each set: has 1 and 119"));
	assert_null(strstr(screen_text(&screen), "press a"));
	screen_keys(&screen, "q Home A");
	assert_non_null(strstr(screen_text(&screen),
			       "error cannot lock %d · these runs against the others · 120 runs"));
	assert_non_null(strstr(screen_text(&screen), "these: 40 runs; others: 80"));
	assert_non_null(strstr(screen_text(&screen), "others: 80  ")); /* no "press a" */
	screen_keys(&screen, "End Enter");
	assert_non_null(strstr(screen_text(&screen), "no significant difference"));
	assert_null(strstr(screen_text(&screen), "error_format"));
	assert_null(strstr(screen_text(&screen), " errors "));
	assert_null(strstr(screen_text(&screen), " code "));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "these: 40 runs; others: 80"));
	screen_keys(&screen, "q Enter A");
	assert_non_null(strstr(screen_text(&screen), "status · the slow runs against the others"));
	screen_close(&screen);
}

static void a_changes_the_sets(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_attribute_runs(&screen, NR_RUNS);
	screen_keys(&screen, "5 A");
	assert_non_null(strstr(screen_text(&screen), "status · the slow runs against the others"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "the slowest tenth against the rest"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "failed runs against the others"));
	assert_non_null(strstr(screen_text(&screen), "failed: 12 runs; others: 108"));
	screen_keys(&screen, "a");
	assert_non_null(strstr(screen_text(&screen), "the slow runs against the others"));
	screen_close(&screen);
}

/* In line mode a page is gathered once, so its rows must be complete. */
static void rows_for_lines_are_complete(void **state)
{
	static const enum view_id ids[] = { VIEW_ATTRIBUTES, VIEW_VALUES };
	struct screen screen;
	const char *why;

	(void)state;
	screen_open(&screen, 80, 24, &(struct ui_config){ .nesting = -1, .depth = -1 });
	for (int i = 0; i < 25; i++) /* more than VALUES_FRAME_OCCURRENCES data events */
		feed_attribute_runs(&screen, 900);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct subject subject = subject_none();
		struct view *view;
		struct view_ctx ctx;

		ui_check(screen.ui, &screen.in);
		view = rows_open(screen.ui, ids[i], &subject, &why);
		assert_non_null(view);
		ctx = rows_gather(screen.ui, view);
		assert_true(ctx.view->table.nr_rows > 0);
		rows_close(view);
	}
	screen_close(&screen);
}

static void an_empty_page_offers_other_sets(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	for (int i = 0; i < 40; i++)
		for (int end = 0; end < 2; end++)
			tr2_buf_addf(&events,
				     "{\"event\":\"%s\",\"sid\":\"20260102T1228%02d.000000Z-"
				     "Habcdef01-P%08x\",\"thread\":\"main\",\"time\":\"2026-01-02T"
				     "12:28:%02d.%06dZ\",\"t_abs\":%.6f,\"code\":0,"
				     "\"argv\":[\"git\",\"status\"]}\n",
				     end ? "exit" : "start", i, i + 1, i,
				     end * (i < 20 ? 1000 : 500000), end * (i < 20 ? 0.001 : 0.5));
	screen_open(&screen, 120, 40, NULL);
	screen_feed(&screen, tr2_buf_cstr(&events), events.len);
	screen_keys(&screen, "5 A");
	assert_non_null(strstr(screen_text(&screen), "no attribute has a value that 5 runs"));
	assert_non_null(strstr(screen_text(&screen), "press a for other sets"));
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void b_compares_with_the_base(void **state)
{
	struct rule_results verdicts;
	struct screen screen, base;
	struct tr2_buf out;
	const struct model *models[1];
	char *before;

	(void)state;
	screen_open(&base, 80, 24, NULL);
	feed_base_runs(&base);
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	feed_attribute_runs(&screen, NR_RUNS);
	screen_keys(&screen, "5 A b");
	assert_non_null(strstr(screen_text(&screen), "there is no base: start trace2top with"));
	rule_results_init(&verdicts);
	verdicts.compares = true;
	screen.in.verdicts = &verdicts;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "it is a baseline file or too large"));
	models[0] = base.model;
	verdicts.base_models = models;
	verdicts.nr_base_models = 1;
	screen_keys(&screen, "b b");
	tr2_buf_init(&out, 1 << 20);
	surface_dump_styles(screen.surface, &out);
	golden_compare("attributes-base-120x40", &out);
	tr2_buf_release(&out);
	/* `a` on "What is different" must not change the scope of pane 3. */
	screen_keys(&screen, "q 1");
	before = xstrdup(screen_text(&screen));
	screen_keys(&screen, "5 A b a");
	assert_non_null(strstr(screen_text(&screen), "new: 120 runs; base of --compare: 120"));
	screen_keys(&screen, "q 1");
	assert_string_equal(screen_text(&screen), before);
	free(before);
	screen_keys(&screen, "5 A b");
	screen_keys(&screen, "b");
	assert_non_null(strstr(screen_text(&screen), "status · the slow runs against the others"));
	/* --difference-base sets attributes_of_base. */
	screen_keys(&screen, "q");
	verdicts.attributes_of_base = true;
	screen_keys(&screen, "A");
	assert_non_null(strstr(screen_text(&screen), "status · new runs against the base"));
	screen_keys(&screen, "b");
	assert_non_null(strstr(screen_text(&screen), "status · the slow runs against the others"));
	verdicts.base_models = NULL;
	rule_results_release(&verdicts);
	screen_close(&screen);
	screen_close(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attribute_pages_match_their_golden_screens),
		cmocka_unit_test(enter_filters_by_the_value),
		cmocka_unit_test(marks_and_boxes_are_sets),
		cmocka_unit_test(errors_are_sets),
		cmocka_unit_test(a_changes_the_sets),
		cmocka_unit_test(rows_for_lines_are_complete),
		cmocka_unit_test(an_empty_page_offers_other_sets),
		cmocka_unit_test(b_compares_with_the_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
