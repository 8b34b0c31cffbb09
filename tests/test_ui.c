/* SPDX-License-Identifier: MIT */
/* Tests of the screen as text, with golden screens. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/app/option_tables.h"
#include "monitor/filter/filter_process.h"
#include "tests/screen_fixture.h"
#include "views/registry/registry.h"
#include "views/ui/setup.h"
#include "views/ui/view.h"
#include "views/ui/wrap.h"

static const struct golden {
	const char *name, *keys;
	int cols, rows;
	bool ascii;
} goldens[] = {
	{ "four-120x40", "", 120, 40, false },
	{ "four-100x30", "", 100, 30, false },
	{ "four-200x60", "", 200, 60, false },
	{ "tabs-80x24", "", 80, 24, false },
	{ "tabs-40x10", "", 40, 10, false },
	{ "ascii-120x40", "", 120, 40, true },
	{ "threads-80x24", "Down Down 2", 80, 24, false },
	{ "timings-80x24", "3", 80, 24, false },
	{ "timings-process-80x24", "End 3 a", 80, 24, false },
	{ "children-80x24", "4", 80, 24, false },
	{ "commands-80x24", "5", 80, 24, false },
	{ "commands-100x30", "5 b d", 100, 30, false },
	{ "group-by-80x24", "5 b", 80, 24, false },
	{ "timings-groups-80x24", "3 b n", 80, 24, false },
	{ "timings-groups-120x40", "3 b w F7 s", 120, 40, false },
	{ "timings-groups-menu-40x10", "3 b", 40, 10, false },
	{ "commands-120x40", "5 s s", 120, 40, false },
	{ "commands-200x60", "5", 200, 60, false },
	{ "command-100x30", "5 Enter", 100, 30, false },
	{ "errors-80x24", "E", 80, 24, false },
	{ "errors-100x30", "E b", 100, 30, false },
	{ "errors-120x40", "E", 120, 40, false },
	{ "errors-40x10", "E", 40, 10, false },
	{ "sort-80x24", "F6 Down Down Down Down", 80, 24, false },
	{ "sort-100x30", "3 F6", 100, 30, false },
	{ "sort-120x40", "Down F6 Home Down Enter F6", 120, 40, false },
	{ "sort-200x60", "5 F6 End", 200, 60, false },
	{ "sort-ascii-40x10", "F6 End", 40, 10, true },
	{ "copy-80x24", "Down y", 80, 24, false },
	{ "filtered-80x24", "F4 d e p t h = 1 Enter", 80, 24, false },
	{ "filtered-100x30", "F4 d e p t h = 1 Enter", 100, 30, false },
	{ "filtered-120x40", "F4 n a m e = r e v - p a r s e Enter", 120, 40, false },
	{ "filtered-200x60", "F4 d e p t h = 1 Enter", 200, 60, false },
	{ "filtered-flat-80x24", "F5 F4 d e p t h = 1 Enter", 80, 24, false },
	{ "folded-80x24", "u", 80, 24, false },
	{ "folded-100x30", "Down Down Down u", 100, 30, false },
	{ "folded-120x40", "u Down u", 120, 40, false },
	{ "folded-200x60", "u", 200, 60, false },
	{ "errors-log-100x30", "E e", 100, 30, false },
	{ "summary-failed-100x30", "Down Down Down S", 100, 30, false },
	{ "process-failed-80x24", "Down Down Down Enter", 80, 24, false },
	{ "four-100x30", "", 100, 30, false },
	{ "zoom-120x40", "3 z", 120, 40, false },
	{ "process-80x24", "Enter", 80, 24, false },
	{ "process-status-120x40", "End Enter", 120, 40, false },
	{ "region-120x40", "3 Down Enter", 120, 40, false },
	{ "child-process-120x40", "4 Down Enter", 120, 40, false },
	{ "child-process-80x24", "4 Down Enter", 80, 24, false },
	{ "process-100x30", "Enter", 100, 30, false },
	{ "process-200x60", "Enter", 200, 60, false },
	{ "region-80x24", "3 Down Enter", 80, 24, false },
	{ "region-100x30", "3 Down Enter", 100, 30, false },
	{ "region-200x60", "3 Down Enter", 200, 60, false },
	{ "threads-100x30", "Down Down 2 z", 100, 30, false },
	{ "threads-120x40", "Down Down 2 z", 120, 40, false },
	{ "threads-200x60", "Down Down 2 z", 200, 60, false },
	{ "timings-100x30", "3 z", 100, 30, false },
	{ "timings-120x40", "3 z", 120, 40, false },
	{ "timings-200x60", "3 z", 200, 60, false },
	{ "children-100x30", "4 z", 100, 30, false },
	{ "children-120x40", "4 z", 120, 40, false },
	{ "children-200x60", "4 z", 200, 60, false },
	{ "command-80x24", "5 Enter", 80, 24, false },
	{ "command-120x40", "5 Enter", 120, 40, false },
	{ "command-200x60", "5 Enter", 200, 60, false },
	{ "errors-200x60", "E", 200, 60, false },
	{ "events-100x30", "e a", 100, 30, false },
	{ "events-200x60", "e a", 200, 60, false },
	{ "timeline-100x30", "t", 100, 30, false },
	{ "timeline-120x40", "t", 120, 40, false },
	{ "flame-100x30", "F", 100, 30, false },
	{ "setup-80x24", "F2", 80, 24, false },
	{ "setup-100x30", "F2", 100, 30, false },
	{ "setup-200x60", "F2", 200, 60, false },
	{ "sources-80x24", "o", 80, 24, false },
	{ "sources-100x30", "o", 100, 30, false },
	{ "sources-200x60", "o", 200, 60, false },
	{ "help-80x24", "?", 80, 24, false },
	{ "help-120x40", "F1", 120, 40, false },
	{ "help-timeline-200x60", "t ?", 200, 60, false },
	{ "help-flame-100x30", "F ?", 100, 30, false },
	{ "search-120x40", "/ r e v", 120, 40, false },
	{ "search-help-80x24", "? / l i m i t Enter n", 80, 24, false },
	{ "search-40x10", "/ - - s h o r t", 40, 10, false },
	{ "search-flame-80x24", "F a a / t r a v", 80, 24, false },
	{ "time-wrong-80x24", "@ 1 2 : 2 8 : 4 x Enter", 80, 24, false },
	{ "time-wrong-40x10", "@ 2 5 : 0 0 Enter", 40, 10, false },
	{ "events-filter-120x40", "e a a F4 e v e n t = e r r o r Enter", 120, 40, false },
	{ "events-search-80x24", "e a a Home / t r a v Enter n", 80, 24, false },
	{ "record-line-40x10", "e Home Enter F5", 40, 10, false },
	{ "filter-timings-120x40", "3 F4 c o u n t > 3 Enter", 120, 40, false },
	{ "filter-tab-80x24", "F4 e r Tab", 80, 24, false },
	{ "filter-wrong-80x24", "3 F4 p i d = 5 Enter", 80, 24, false },
	{ "filter-40x10", "F4 f a i l e d Enter", 40, 10, false },
	{ "sources-120x40", "o", 120, 40, false },
	{ "nesting-120x40", "- - -", 120, 40, false },
	{ "depth-120x40", "d", 120, 40, false },
	{ "sorted-120x40", "> > > > r", 120, 40, false },
	{ "setup-40x10", "F2 Down Down Space", 40, 10, false },
	{ "setup-120x40", "C", 120, 40, false },
	{ "columns-120x40", "F2 PgDn Down Down Space Down Space Down < < < + + + + + Esc", 120, 40,
	  false },
	{ "sorted-unseen-40x10", "3 > > > > > >", 40, 10, false },
	{ "marks-120x40", "Down Down Down m End m", 120, 40, false },
	{ "marks-ascii-80x24", "3 Down Down m Up", 80, 24, true },
	{ "follow-40x10", "f d", 40, 10, false },
	{ "held-80x24", "Down Down f f d", 80, 24, false },
	{ "events-marked-80x24", "e Home Down m Down Down m Up", 80, 24, false },
	{ "events-columns-120x40",
	  "F2 End Up Up Up Up Up Up Up Up Up Up Up Up Up Up Up Up "
	  "Up Up Up Up Up Up Up Up Up Up Up Space Down > > "
	  "+ + + + + + + + Esc e Home",
	  120, 40, false },
	{ "timeline-40x10", "t", 40, 10, false },
	{ "timeline-80x24", "t", 80, 24, false },
	{ "timeline-zoomed-120x40", "t Left Left Left Left Left + + + Down", 120, 40, false },
	{ "timeline-all-200x60", "t a", 200, 60, false },
	{ "timeline-ascii-80x24", "t", 80, 24, true },
	{ "flame-40x10", "F", 40, 10, false },
	{ "flame-80x24", "End F", 80, 24, false },
	{ "flame-tree-120x40", "F a Down Right", 120, 40, false },
	{ "flame-all-200x60", "F a a", 200, 60, false },
	{ "flame-zoomed-80x24", "F Down Enter", 80, 24, false },
	{ "flame-region-80x24", "3 Down F", 80, 24, false },
	{ "flame-thread-80x24", "F a a a", 80, 24, false },
	{ "events-120x40", "e", 120, 40, false },
	{ "events-80x24", "e Home Down Down Down", 80, 24, false },
	{ "events-40x10", "e", 40, 10, false },
	{ "events-record-80x24", "e Home Down Enter", 80, 24, false },
	{ "events-tree-120x40", "e a Home", 120, 40, false },
	{ "events-all-120x40", "e a a", 120, 40, false },
	{ "flame-ascii-80x24", "End F", 80, 24, true },
	{ "summary-80x24", "End S", 80, 24, false },
	{ "summary-path-100x30", "S p", 100, 30, false },
	{ "waiting-120x20", "W", 120, 20, false },
	{ "summary-120x40", "S", 120, 40, false },
	{ "summary-all-200x60", "S a", 200, 60, false },
	{ "summary-40x10", "S", 40, 10, false },
	{ "summary-ascii-80x24", "S", 80, 24, true },
	{ "difference-marked-120x40", "Down m End m D", 120, 40, false },
	{ "difference-ascii-80x24", "Down m End m D", 80, 24, true },
	{ "difference-40x10", "Down m End m D", 40, 10, false },
	{ "difference-marked-200x60", "Down m End m D", 200, 60, false },
	{ "difference-none-80x24", "D", 80, 24, false },
};

static void compare_golden(const struct golden *golden, struct screen *screen)
{
	struct tr2_buf out;

	tr2_buf_init(&out, 1 << 24);
	surface_dump_styles(screen->surface, &out);
	golden_compare(golden->name, &out);
	tr2_buf_release(&out);
}

static void golden_screens_are_as_they_were(void **state)
{
	static const char *const specs[] = { "af_unix:dgram:/tmp/t2.sock" };

	(void)state;
	for (size_t i = 0; i < sizeof(goldens) / sizeof(*goldens); i++) {
		struct ui_config config = { .ascii = goldens[i].ascii,
					    .nesting = -1,
					    .depth = -1,
					    .specs = specs,
					    .nr_specs = 1 };
		struct screen screen;

		screen_open(&screen, goldens[i].cols, goldens[i].rows, &config);
		screen_frame(&screen);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, goldens[i].keys);
		compare_golden(&goldens[i], &screen);
		if (goldens[i].ascii)
			for (const char *c = screen_text(&screen); *c; c++)
				assert_true(*c == '\n' || (*c >= ' ' && *c < 0x7f) ||
					    (signed char)*c < 0);
		screen_close(&screen);
	}
}

static void every_key_of_the_table_does_something(void **state)
{
	struct screen screen;

	(void)state;
	for (int action = 1; action < NR_ACTIONS; action++) {
		const char *keys = key_rows[action].keys;
		bool bad = false;
		uint32_t key;

		while ((key = key_script_next(&keys, &bad))) {
			screen_open(&screen, 120, 40, NULL);
			screen_scene(&screen);
			screen_frame(&screen);
			assert_true(key_rows[action].scope & KEY_SCOPE_PANES);
			assert_int_equal(key_action(key, KEY_SCOPE_PANES), action);
			assert_true(ui_key(screen.ui, &(struct key_event){ .key = key }) !=
				    UI_NOTHING);
			screen_frame(&screen);
			screen_close(&screen);
		}
		assert_false(bad);
	}
}

static void keys_request_their_action_from_the_loop(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_true(screen_keys(&screen, "Space") & UI_PAUSE);
	assert_true(screen_keys(&screen, "q") & UI_QUIT);
	assert_true(screen_keys(&screen, "F10") & UI_QUIT);
	assert_false(screen_keys(&screen, "? q") & UI_QUIT);
	assert_non_null(strstr(screen_text(&screen), "1 Processes"));
	assert_true(screen_keys(&screen, "? C-c") & UI_QUIT);
	screen_keys(&screen, "q");
	screen.in.command_state = "running";
	screen_frame(&screen);
	assert_false(screen_keys(&screen, "q x F10") & UI_QUIT);
	assert_non_null(strstr(screen_text(&screen), "y stops it and quits"));
	assert_true(screen_keys(&screen, "y") & UI_QUIT);
	assert_true(screen_keys(&screen, "q") & UI_QUIT);
	screen.in.command_state = NULL;
	assert_true(screen_keys(&screen, "C-c") & UI_QUIT);
	assert_true(screen_keys(&screen, "w") & UI_WRITE_REPORT);
	assert_true(screen_keys(&screen, "C-z") & UI_SUSPEND);
	assert_true(screen_keys(&screen, "C-l") & UI_REPAINT);
	screen_close(&screen);
}

static void log_opens_the_process_of_an_event_and_returns(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "e a a Home");
	assert_non_null(strstr(screen_text(&screen), "Events · all processes · event 1 of "));
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "\"time\": "));
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "> Events > Record > Process"));
	screen_keys(&screen, "Backspace Backspace");
	assert_non_null(strstr(screen_text(&screen), "event 1 of "));
	screen_close(&screen);
}

static void type_line(struct screen *screen, const char *line)
{
	for (; *line; line++)
		ui_key(screen->ui, &(struct key_event){ .key = (unsigned char)*line });
	screen_keys(screen, "Enter");
}

static bool any_below(const struct filter *filter, const struct model *model, uint32_t of)
{
	for (uint32_t slot = model_first_slot(model); slot != SLOT_NONE;
	     slot = model_next_slot(model, slot)) {
		uint32_t up = model_slot(model, slot)->parent;

		while (up != SLOT_NONE && up != of)
			up = model_slot(model, up)->parent;
		if (up == of && filter_process((struct filter *)filter, model, slot))
			return true;
	}
	return false;
}

/* The flat table shows only the matches; the tree also shows their ancestors. */
static void filter_shows(const char *expression, bool flat)
{
	struct filter_error error;
	struct filter *filter = filter_new(expression, FILTER_ROWS_PROCESS, SCENE_NOW_NS, &error);
	struct screen screen;
	char hidden[64];
	uint32_t nr = 0, nr_all = 0;

	screen_open(&screen, 200, 60, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, flat ? "z F5 F4" : "z F4");
	type_line(&screen, expression);
	assert_non_null(strstr(screen_text(&screen), expression));
	for (uint32_t slot = model_first_slot(screen.model); slot != SLOT_NONE;
	     slot = model_next_slot(screen.model, slot)) {
		bool matches = filter_process(filter, screen.model, slot);
		bool is_shown = matches || (!flat && any_below(filter, screen.model, slot));

		snprintf(hidden, sizeof(hidden), " %lld ",
			 (long long)model_slot(screen.model, slot)->pid);
		assert_int_equal(!!strstr(screen_text(&screen), hidden), is_shown);
		nr += matches;
		nr_all++;
	}
	snprintf(hidden, sizeof(hidden), " %u of %u ", nr, nr_all);
	assert_non_null(strstr(screen_text(&screen), hidden));
	filter_free(filter);
	screen_close(&screen);
}

static void filter_shows_the_rows_of_filter_process(void **state)
{
	static const char *const filters[] = { "name = fetch", "failed",
					       "depth >= 1",   "not live and elapsed > 1ms",
					       "state = lost", "rev" };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(filters) / sizeof(*filters); i++)
		filter_shows(filters[i / 2], i % 2);
}

#define DEAD(rest) "{\"event\":\"" rest "}\n"
#define OF_DEAD    "\",\"sid\":\"20260102T122840.000000Z-H00000001-P00000063\",\"thread\":\""

static void shows_where_a_process_died(void **state)
{
	static const char lines[] = DEAD("start" OF_DEAD
					 "main\",\"t_abs\":0.1,\"argv\":[\"crasher\"]")
		DEAD("region_enter" OF_DEAD "main\",\"nesting\":1,\"category\":\"load\","
		     "\"label\":\"parse\"") DEAD("thread_start" OF_DEAD "th01:w\"")
			DEAD("region_enter" OF_DEAD "th01:w\",\"nesting\":1,\"category\":\"work\","
			     "\"label\":\"deflate\"")
				DEAD("signal" OF_DEAD "main\",\"t_abs\":0.5,\"signo\":11");
	struct screen screen;

	(void)state;
	screen_open(&screen, 200, 40, NULL);
	screen_feed(&screen, lines, sizeof(lines) - 1);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "SIGSEGV"));
	assert_non_null(strstr(screen_text(&screen), "crasher"));
	assert_non_null(strstr(screen_text(&screen), "main  died in load/parse"));
	assert_non_null(strstr(screen_text(&screen), "th01:w  died in work/deflate"));
	assert_ptr_not_equal(strstr(screen_text(&screen), "died in load/parse"),
			     strstr(screen_text(&screen), "main  died in") + strlen("main  "));
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "SIGSEGV, died in load/parse"));
	screen_close(&screen);
}

static void invalid_filter_is_reported_and_ignored(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "F4");
	type_line(&screen, "elapsed > soon");
	assert_non_null(strstr(screen_text(&screen), "▼ expected a duration"));
	screen_keys(&screen, "Esc");
	assert_null(strstr(screen_text(&screen), "filter:"));
	assert_null(strstr(screen_text(&screen), "hidden"));
	screen_keys(&screen, "F4");
	type_line(&screen, "fai\t");
	assert_non_null(strstr(screen_text(&screen), "filter: failed"));
	screen_close(&screen);
}

static void prompts_for_a_time_and_points_at_errors(void **state)
{
	struct screen screen;
	struct ui_past asked;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "@");
	type_line(&screen, "12:28:4x");
	assert_non_null(strstr(screen_text(&screen), "▼ expected the end, or Z"));
	assert_false(screen_keys(&screen, "C-u") & UI_PAST);
	for (const char *c = "12:28:39.5"; *c; c++)
		ui_key(screen.ui, &(struct key_event){ .key = (unsigned char)*c });
	assert_true(screen_keys(&screen, "Enter") & UI_PAST);
	asked = ui_past_asked(screen.ui);
	assert_int_equal(asked.kind, UI_PAST_TIME);
	assert_int_equal(asked.amount, SCENE_NOW_NS - 2500 * NS_PER_MS);
	/* While looking back, times are relative to the current position. */
	screen.in.past = true;
	screen.in.past_ns = asked.amount;
	screen_keys(&screen, "@ - 1 s");
	assert_true(screen_keys(&screen, "Enter") & UI_PAST);
	assert_int_equal(ui_past_asked(screen.ui).amount, SCENE_NOW_NS - 3500 * NS_PER_MS);
	screen_keys(&screen, "@ Up Up");
	assert_non_null(strstr(screen_text(&screen), "12:28:39.5"));
	assert_false(screen_keys(&screen, "Esc @ Enter") & UI_PAST);
	screen_close(&screen);
}

static const char newer[] = "{\"event\":\"start\",\"sid\":\"20260102T122850.000000Z-H1-"
			    "P00009999\",\"thread\":\"main\","
			    "\"time\":\"2026-01-02T12:28:50.000000Z\",\"t_abs\":0.1,\"argv\":["
			    "\"git\",\"newer\"]}\n";

static void setup_applies_at_once_and_is_saved_on_request(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "▸"));
	assert_int_equal(
		screen_keys(&screen, "F2 Down Down Down Down Down") & (UI_SETTINGS | UI_SAVE), 0);
	assert_true(screen_keys(&screen, "Space") & UI_SETTINGS);
	assert_null(strstr(screen_text(&screen), "─")); /* the setup page has ascii = yes */
	assert_true(screen_keys(&screen, "w") & UI_SAVE);
	assert_false(screen_keys(&screen, "Space Esc") & UI_SAVE);
	assert_non_null(strstr(screen_text(&screen), "1 Processes"));
	/* The limits on the setup page are those that keys change. */
	screen_keys(&screen, "F2 Home Down + Esc");
	assert_non_null(strstr(screen_text(&screen), "depth ≤ 0"));
	screen_keys(&screen, "d F2");
	assert_non_null(strstr(screen_text(&screen), "depth             1"));
	screen_close(&screen);
}

static void double_click_in_the_setup_changes_the_row(void **state)
{
	struct key_event twice = {
		.key = KEY_CODE_MOUSE, .x = 10, .y = 11, .button = MOUSE_DOUBLE
	};
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "C");
	assert_non_null(strstr(screen_text(&screen), "ascii             no"));
	assert_true(ui_key(screen.ui, &twice) & UI_SETTINGS);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "ascii             yes"));
	twice.y = 1; /* not a row */
	assert_false(ui_key(screen.ui, &twice) & UI_SETTINGS);
	screen_close(&screen);
}

static void moves_a_column_once_per_key(void **state)
{
	static struct setup setups[2];
	struct tr2_buf said[2] = { { .max = 1000 }, { .max = 1000 } };
	struct options options;
	struct screen screen;

	(void)state;
	options_init(&options);
	for (int i = 0; i < 2; i++) {
		struct ui_config config = { .setup = &setups[i], .nesting = -1, .depth = -1 };

		setup_init(&setups[i], &options, view_table);
		screen_open(&screen, 120, 40, &config);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, "F2 End");
		for (int key = 0; key < 3; key++) {
			ui_key(screen.ui, &(struct key_event){ .key = "<<+"[key] });
			if (!i)
				screen_frame(&screen);
		}
		setup_say(&setups[i], "sources.columns", &said[i]);
		screen_close(&screen);
	}
	assert_string_not_equal(tr2_buf_cstr(&said[0]), "auto");
	assert_string_equal(tr2_buf_cstr(&said[0]), tr2_buf_cstr(&said[1]));
	tr2_buf_release(&said[0]);
	tr2_buf_release(&said[1]);
}

static void click_does_nothing_on_a_screen_too_narrow_for_tabs(void **state)
{
	struct key_event press = { .key = KEY_CODE_MOUSE, .button = MOUSE_PRESS };
	struct screen screen;

	(void)state;
	for (int cols = 1; cols <= 8; cols++) {
		screen_open(&screen, cols, 10, NULL);
		screen_scene(&screen);
		screen_frame(&screen);
		for (press.y = 0; press.y < 10; press.y++)
			for (press.x = 0; press.x < cols; press.x++) {
				ui_key(screen.ui, &press);
				screen_frame(&screen);
			}
		screen_close(&screen);
	}
}

static void setup_contains_the_order_of_a_table(void **state)
{
	static const char *const specs[] = { "trace.event" };
	static struct setup setup;
	struct ui_config config = {
		.setup = &setup, .nesting = -1, .depth = -1, .specs = specs, .nr_specs = 1
	};
	struct tr2_buf said = { .max = 100 };
	struct options options;
	struct screen screen;

	(void)state;
	options_init(&options);
	setup_init(&setup, &options, view_table);
	screen_open(&screen, 120, 40, &config);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "> > > > > r 3 <");
	setup_say(&setup, "processes.sort", &said);
	assert_string_equal(tr2_buf_cstr(&said), "-time");
	tr2_buf_clear(&said);
	setup_say(&setup, "timings.sort", &said);
	assert_string_equal(tr2_buf_cstr(&said), "fail");
	tr2_buf_release(&said);
	screen_close(&screen);
}

static void every_column_sorts_both_ways(void **state)
{
	(void)state;
	for (int pane = 0; pane < NR_PANES; pane++)
		for (int column = 0; column < view_table[pane]->nr_columns; column++) {
			if (!*view_table[pane]->columns[column].title)
				continue;
			assert_false(view_table[pane]->columns[column].no_sort);
		}
	static const char *const panes[NR_PANES] = { "F5 1", "F5 2", "3", "4", "5" };

	for (int pane = 0; pane < NR_PANES; pane++) {
		struct screen screen;
		int nr_orders = 0;

		screen_open(&screen, 200, 60, NULL);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, panes[pane]);
		for (int column = 0; column < view_table[pane]->nr_columns; column++) {
			char *up, *down;

			screen_keys(&screen, ">");
			up = strdup(screen_text(&screen));
			screen_keys(&screen, "r");
			down = strdup(screen_text(&screen));
			nr_orders += strcmp(up, down) != 0;
			free(up);
			free(down);
		}
		assert_true(nr_orders >= view_table[pane]->nr_columns - 1);
		screen_close(&screen);
	}
}

static void hidden_rows_are_always_counted(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
	static const struct {
		const char *keys, *wanted;
	} cases[] = {
		{ "d", " 3 of 6 " },             /* hidden by depth */
		{ "3 F7 F7 F7 F7", " 3 of 4 " }, /* hidden by nesting */
		/* hidden by nesting, in one process */
		{ "End 3 a F7 F7 F7 F7", " 2 of 3 " },
		{ "1 F4 n a m e = p u s h Enter", " 1 of 6 " }, /* hidden by a filter */
		{ "1 f d", " 3 of 6 " },                        /* next to a long title */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t size = 0; size < sizeof(sizes) / sizeof(*sizes); size++) {
			struct screen screen;

			screen_open(&screen, sizes[size][0], sizes[size][1], NULL);
			screen_scene(&screen);
			screen_frame(&screen);
			screen_keys(&screen, cases[i].keys);
			if (!strstr(screen_text(&screen), cases[i].wanted))
				fail_msg("no '%s' after %s at %dx%d:\n%s", cases[i].wanted,
					 cases[i].keys, sizes[size][0], sizes[size][1],
					 screen_text(&screen));
			screen_close(&screen);
		}
}

static void selection_follows_the_newest_until_used(void **state)
{
	static const char *const acts[] = { "Tab", "2", "Enter Esc", "e Esc", "m", "a", "t Esc" };
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		screen_open(&screen, 120, 40, NULL);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, acts[i]);
		screen_feed(&screen, newer, sizeof(newer) - 1);
		screen_frame(&screen);
		if (!strstr(screen_text(&screen), "regions · fetch 14707"))
			fail_msg("%s does not hold its row:\n%s", acts[i], screen_text(&screen));
		screen_close(&screen);
	}
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "F8");
	screen_feed(&screen, newer, sizeof(newer) - 1);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "regions · newer"));
	screen_close(&screen);
}

/* The wrapped lines are joined by '|'. */
static void assert_wrapped(const char *text, int cols, const char *wanted)
{
	char got[256] = "";

	for (uint32_t i = 0; i < wrapped_lines(text, strlen(text), cols); i++) {
		size_t shown;
		const char *line = wrapped_line(text, strlen(text), cols, i, &shown);

		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%.*s", i ? "|" : "",
			 (int)shown, line);
	}
	assert_string_equal(got, wanted);
}

static void messages_are_wrapped_between_words(void **state)
{
	(void)state;
	assert_wrapped("", 10, "");
	assert_wrapped("short", 10, "short");
	assert_wrapped("two words", 5, "two|words");
	assert_wrapped("a b c d e f", 5, "a b c|d e f");
	assert_wrapped("abcdefghij", 4, "abcd|efgh|ij");
	assert_wrapped("one\ntwo\n\nthree", 10, "one|two||three");
	assert_wrapped("ends\n", 10, "ends");
}

static void long_errors_are_whole(void **state)
{
	static const char event[] =
		"{\"event\":\"error\",\"sid\":\"s\",\"thread\":\"main\","
		"\"time\":\"2026-01-02T12:28:40Z\",\"msg\":\"begin 1 2 3 4 5 6 7 8 9 "
		"and so on and so on and so on and so on and so on and so on until finis\"}\n"
		"{\"event\":\"exit\",\"sid\":\"s\",\"thread\":\"main\",\"code\":1}\n";
	static const char *const keys[] = { "E", "1 Enter", "1 S" };
	static const int cols[] = { 40, 60, 80 };

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		struct screen screen;

		screen_open(&screen, cols[i % 3], 24, NULL);
		screen_feed(&screen, event, sizeof(event) - 1);
		screen_frame(&screen);
		screen_keys(&screen, keys[i / 3]);
		if (!strstr(screen_text(&screen), "begin 1") ||
		    !strstr(screen_text(&screen), "finis"))
			fail_msg("%s:\n%s", keys[i / 3], screen_text(&screen));
		screen_close(&screen);
	}
}

/* Regions of a thread with a long name widen the column before the lines of the error. */
static void wrapped_lines_fit_beside_long_keys(void **state)
{
	static const char lines[] = DEAD(
		"error" OF_DEAD "main\",\"msg\":\"w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 "
		"w20 w21 w22 w23 w24 w25 w26 w27 w28 w29 w30 w31 w32 w33\"")
		DEAD("thread_start" OF_DEAD "th01:preload_index_worker\"") DEAD(
			"region_enter" OF_DEAD "th01:preload_index_worker\",\"nesting\":1,"
			"\"category\":\"a\",\"label\":\"b\"")
			DEAD("region_leave" OF_DEAD "th01:preload_index_worker\",\"nesting\":1,"
			     "\"category\":\"a\",\"label\":\"b\",\"t_rel\":0.1");

	(void)state;
	for (int cols = 60; cols <= 100; cols++) {
		struct screen screen;

		screen_open(&screen, cols, 24, NULL);
		screen_feed(&screen, lines, sizeof(lines) - 1);
		screen_keys(&screen, "1 Enter");
		assert_non_null(strstr(screen_text(&screen), "th01:preload_index_worker"));
		assert_non_null(strstr(screen_text(&screen), "Completed regions"));
		for (int word = 10; word <= 33; word++) {
			char text[16];

			snprintf(text, sizeof(text), "w%d", word);
			if (!strstr(screen_text(&screen), text))
				fail_msg("%d columns:\n%s", cols, screen_text(&screen));
		}
		screen_close(&screen);
	}
}

static void new_rows_never_steal_the_selection(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "regions · fetch 14707"));
	screen_keys(&screen, "Down Up");
	screen_feed(&screen, newer, sizeof(newer) - 1);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " newer"));
	assert_non_null(strstr(screen_text(&screen), "regions · fetch 14707"));
	screen_keys(&screen, "f");
	assert_non_null(strstr(screen_text(&screen), "regions · newer"));
	screen_close(&screen);
}

static void log_follows_until_a_row_is_selected(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "e a a");
	screen_feed(&screen, newer, sizeof(newer) - 1);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), " newer"));
	screen_keys(&screen, "Home");
	assert_null(strstr(screen_text(&screen), " newer"));
	screen_feed(&screen, newer, sizeof(newer) - 1);
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), " newer"));
	assert_non_null(strstr(screen_text(&screen), "event 1 of "));
	screen_close(&screen);
}

static void selection_survives_another_shape_and_size(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "End");
	assert_non_null(strstr(screen_text(&screen), "regions · status 14600"));
	screen_keys(&screen, "F5 F5");
	ui_resize(screen.ui, 40, 10);
	screen_frame(&screen);
	ui_resize(screen.ui, 121, 41);
	screen_frame(&screen);
	assert_int_equal(screen.surface->cols, 121);
	assert_non_null(strstr(screen_text(&screen), "regions · status 14600"));
	screen_close(&screen);
}

static void drilling_opens_the_child_and_returns(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "4 Down Enter");
	assert_non_null(strstr(screen_text(&screen), "Process · fetch > rev-list 14708"));
	screen_keys(&screen, "Backspace");
	assert_null(strstr(screen_text(&screen), "Process · fetch > rev-list"));
	assert_non_null(strstr(screen_text(&screen), "4 Children"));
	screen_close(&screen);
}

static void only_live_durations_tick(void **state)
{
	struct screen screen;
	struct surface *before;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	assert_true(ui_needs_ticks(screen.ui));
	before = surface_new(1, 1, false);
	surface_copy(before, screen.surface);
	screen.in.wall_ns += 100 * NS_PER_MS;
	screen_frame(&screen);
	assert_in_range(surface_diff(before, screen.surface), 1, 60);
	assert_non_null(strstr(screen_text(&screen), "6.10s"));
	surface_free(before);
	screen_close(&screen);
}

static void pages_with_running_times_are_redrawn(void **state)
{
	static const char *const keys[] = { "W", "t a", "F a" };
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		screen_open(&screen, 120, 40, NULL);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, keys[i]);
		assert_true(ui_needs_ticks(screen.ui));
		screen_close(&screen);
	}
}

static void empty_screen_shows_what_to_do(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "trace2.eventTarget"));
	assert_false(ui_needs_ticks(screen.ui));
	screen_close(&screen);
}

static void any_size_draws_inside_its_surface(void **state)
{
	static const int sizes[][2] = { { 1, 1 },   { 2, 2 },   { 5, 3 },    { 39, 9 },
					{ 40, 10 }, { 99, 19 }, { 100, 20 }, { 500, 200 },
					{ 3, 200 }, { 500, 3 } };
	static const char *const keys[] = { "Down",  "2", "3",    "4", "Enter", "Backspace",
					    "?",     "o", "t",    "+", "Left",  "e",
					    "Enter", "F", "Down", "a", "1" };
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		ui_resize(screen.ui, sizes[i][0], sizes[i][1]);
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			screen_frame(&screen);
			screen_keys(&screen, keys[k]);
		}
		assert_int_equal(screen.surface->cols, sizes[i][0]);
	}
	screen_close(&screen);
}

static void end_of_the_command_shows_its_summary_once(void **state)
{
	struct screen screen;

	(void)state;
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		screen_open(&screen, 120, 40, NULL);
		screen_scene(&screen);
		screen.in.command_line = "git fetch origin";
		screen.in.command_state = "running for 6s";
		screen.in.command_begun_ns = SCENE_NOW_NS - 7 * NS_PER_SEC;
		screen.in.command_ran_ns = 7 * NS_PER_SEC;
		screen_frame(&screen);
		screen_keys(&screen, elsewhere ? "o" : "");
		screen.in.command_ended = screen.in.command_failed = true;
		screen.in.command_state = "exit 1 after 7s";
		screen_frame(&screen);
		assert_int_equal(strstr(screen_text(&screen), "exit 1 after 7s") == NULL,
				 elsewhere);
		assert_int_equal(strstr(screen_text(&screen), "has ended: S shows") == NULL,
				 !elsewhere);
		screen_keys(&screen, elsewhere ? "S" : "");
		assert_non_null(strstr(screen_text(&screen), "Why did it take 7.00s? git fetch"));
		assert_non_null(strstr(screen_text(&screen), "Total"));
		/* The summary does not come back by itself. */
		screen_keys(&screen, "Backspace Backspace");
		screen_frame(&screen);
		assert_null(strstr(screen_text(&screen), "Why did it take"));
		screen_close(&screen);
	}
}

static void summary_of_a_running_process_ticks(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "S");
	assert_non_null(strstr(screen_text(&screen), "Why does it take 6.00s?"));
	assert_true(ui_needs_ticks(screen.ui));
	screen.in.wall_ns += 2 * NS_PER_SEC;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "Why does it take 8.00s?"));
	screen_keys(&screen, "Backspace End S");
	assert_false(ui_needs_ticks(screen.ui));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prompts_for_a_time_and_points_at_errors),
		cmocka_unit_test(golden_screens_are_as_they_were),
		cmocka_unit_test(every_key_of_the_table_does_something),
		cmocka_unit_test(keys_request_their_action_from_the_loop),
		cmocka_unit_test(log_opens_the_process_of_an_event_and_returns),
		cmocka_unit_test(log_follows_until_a_row_is_selected),
		cmocka_unit_test(filter_shows_the_rows_of_filter_process),
		cmocka_unit_test(shows_where_a_process_died),
		cmocka_unit_test(invalid_filter_is_reported_and_ignored),
		cmocka_unit_test(setup_applies_at_once_and_is_saved_on_request),
		cmocka_unit_test(double_click_in_the_setup_changes_the_row),
		cmocka_unit_test(moves_a_column_once_per_key),
		cmocka_unit_test(click_does_nothing_on_a_screen_too_narrow_for_tabs),
		cmocka_unit_test(setup_contains_the_order_of_a_table),
		cmocka_unit_test(every_column_sorts_both_ways),
		cmocka_unit_test(hidden_rows_are_always_counted),
		cmocka_unit_test(selection_follows_the_newest_until_used),
		cmocka_unit_test(new_rows_never_steal_the_selection),
		cmocka_unit_test(messages_are_wrapped_between_words),
		cmocka_unit_test(long_errors_are_whole),
		cmocka_unit_test(wrapped_lines_fit_beside_long_keys),
		cmocka_unit_test(selection_survives_another_shape_and_size),
		cmocka_unit_test(drilling_opens_the_child_and_returns),
		cmocka_unit_test(only_live_durations_tick),
		cmocka_unit_test(pages_with_running_times_are_redrawn),
		cmocka_unit_test(empty_screen_shows_what_to_do),
		cmocka_unit_test(any_size_draws_inside_its_surface),
		cmocka_unit_test(end_of_the_command_shows_its_summary_once),
		cmocka_unit_test(summary_of_a_running_process_ticks),
	};

	option_tables_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
