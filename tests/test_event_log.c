/* SPDX-License-Identifier: MIT */
/* Tests of the event log. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

static void event_log_test_open_scene(struct screen *screen, int cols, int rows)
{
	screen_open(screen, cols, rows, NULL);
	screen_scene(screen);
	screen_frame(screen);
}

static void event_log_test_type(struct screen *screen, const char *text)
{
	for (; *text; text++) {
		ui_key(screen->ui, &(struct key_event){ .key = (unsigned char)*text });
		screen_frame(screen);
	}
}

static bool event_log_test_is_said(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

static void event_log_test_need(struct screen *screen, const char *text, const char *where)
{
	if (!event_log_test_is_said(screen, text))
		print_error("%s: no '%s' in\n%s\n", where, text, screen_text(screen));
	assert_true(event_log_test_is_said(screen, text));
}

static int nr_of(const char *text, const char *part)
{
	int nr = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		nr++;
	return nr;
}

static void filters_select_events_and_count_hidden_ones(void **state)
{
	static const struct {
		const char *filter, *seen, *unseen, *hidden;
	} table[] = {
		{ "event = error", "error", "region_enter", "+145 hidden" },
		{ "event = region_leave and t_rel >= 50ms", "region_leave", "region_enter",
		  "hidden" },
		{ "category = pack", "traverse", "do_read_index", "+128 hidden" },
		{ "name = push and not event ~ region", "push", "14709", "hidden" },
		{ "code > 0", "128", "region_enter", "hidden" },
		{ "thread ~ preload", "preload", "traverse", "hidden" },
		{ "rev-parse", "rev-parse", "traverse", "hidden" },
	};
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		event_log_test_open_scene(&screen, 120, 40);
		screen_keys(&screen, "e a a F4");
		event_log_test_type(&screen, table[i].filter);
		screen_keys(&screen, "Enter");
		event_log_test_need(&screen, "Events · filter: ", table[i].filter);
		event_log_test_need(&screen, table[i].seen, table[i].filter);
		event_log_test_need(&screen, table[i].hidden, table[i].filter);
		assert_null(strstr(strstr(screen_text(&screen), "┌"), table[i].unseen));
		screen_keys(&screen, "F4 C-u Enter");
		assert_false(event_log_test_is_said(&screen, "hidden"));
		screen_close(&screen);
	}
}

static void reports_a_filter_without_matches(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 80, 24);
	screen_keys(&screen, "e a a F4");
	event_log_test_type(&screen, "event = nothing");
	screen_keys(&screen, "Enter");
	event_log_test_need(&screen, "no event in the history matches the filter", "80x24");
	screen_keys(&screen, "Up Down Home End PgUp PgDn Enter n f a");
	screen_keys(&screen, "F4 C-u Enter");
	assert_false(event_log_test_is_said(&screen, "no event"));
	screen_close(&screen);
}

/* The name of an event's process may become known after its first events. */
static void later_events_change_the_result_of_a_filter(void **state)
{
#define LATE "20260102T122850.000000Z-H1-P00009999"
	static const char first[] =
		"{\"event\":\"start\",\"sid\":\"" LATE "\",\"thread\":\"main\","
		"\"time\":\"2026-01-02T12:28:50.000000Z\",\"t_abs\":0.1,\"argv\":[\"git\","
		"\"xx\"]}\n";
	static const char second[] =
		"{\"event\":\"cmd_name\",\"sid\":\"" LATE
		"\",\"thread\":\"main\",\"name\":\"late\","
		"\"time\":\"2026-01-02T12:28:51.000000Z\",\"hierarchy\":\"late\"}\n";
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 120, 40);
	screen_feed(&screen, first, sizeof(first) - 1);
	screen_keys(&screen, "e a a F4");
	event_log_test_type(&screen, "name = late");
	screen_keys(&screen, "Enter");
	event_log_test_need(&screen, "no event in the history", "before");
	screen_feed(&screen, second, sizeof(second) - 1);
	screen_frame(&screen);
	screen_frame(&screen);
	assert_int_equal(nr_of(screen_text(&screen), "9999"), 0);
	assert_int_equal(nr_of(screen_text(&screen), "39321 late"), 2);
	screen_close(&screen);
}

static void search_covers_the_whole_history(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 80, 24);
	screen_keys(&screen, "e a a");
	event_log_test_need(&screen, "following", "before");
	screen_keys(&screen, "/");
	event_log_test_type(&screen, "fetch origin");
	event_log_test_need(&screen, "hit 1 of 1", "typed");
	event_log_test_need(&screen, "event 2 of 146", "typed");
	screen_keys(&screen, "Esc");
	event_log_test_need(&screen, "following", "put back");
	screen_keys(&screen, "Home /");
	event_log_test_type(&screen, "traverse");
	event_log_test_need(&screen, "hit 1 of 18", "typed");
	screen_keys(&screen, "Enter n n");
	event_log_test_need(&screen, "hit 3 of 18", "n");
	screen_keys(&screen, "N N N");
	event_log_test_need(&screen, "hit 18 of 18, went round", "N");
	screen_keys(&screen, "F4");
	event_log_test_type(&screen, "event = region_leave");
	screen_keys(&screen, "Enter n");
	event_log_test_need(&screen, "of 9", "filtered");
	screen_close(&screen);
}

#define ODD                                                                                        \
	"{\"event\":\"error\",\"sid\":\"20260102T122850.000000Z-H1-P00009999\",\"thread\":"        \
	"\"main\","                                                                                \
	"\"time\":\"2026-01-02T12:28:50.123456Z\",\"msg\":\"a \\u001b[31mred\\u0007 "              \
	"\\\"x\\\"\","                                                                             \
	"\"fmt\":\"%s\"}\n"
#define DATUM                                                                                      \
	"{\"event\":\"data_json\",\"sid\":\"20260102T122850.000000Z-H1-P00009999\","               \
	"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:51.000000Z\",\"t_abs\":1.25,\"t_"         \
	"rel\":0.5,"                                                                               \
	"\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":{\"a\":[1,2]}}\n"

static void enter_shows_the_raw_record(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 120, 40);
	screen_feed(&screen, ODD DATUM, sizeof(ODD DATUM) - 1);
	screen_keys(&screen, "e a a Up Enter");
	event_log_test_need(&screen, "Record · event 147 · ", "title");
	event_log_test_need(&screen, "\"msg\": \"a \\u001b[31mred\\u0007 \\\"x\\\"\"",
			    "control characters");
	event_log_test_need(&screen, "\"time\": \"2026-01-02T12:28:50.123456Z\"", "time");
	screen_keys(&screen, "F5");
	event_log_test_need(
		&screen,
		"{\"event\": \"error\", \"sid\": \"20260102T122850.000000Z-H1-P00009999\", ", "F5");
	screen_keys(&screen, "Esc");
	event_log_test_need(&screen, "event 147 of 148", "back");
	screen_keys(&screen, "Down Enter");
	event_log_test_need(&screen, "\"value\": {\"a\":[1,2]}", "data_json");
	event_log_test_need(&screen, "\"t_abs\": 1.250000", "t_abs");
	screen_keys(&screen, "Enter");
	event_log_test_need(&screen, "> Events > Record > Process", "process");
	screen_keys(&screen, "Backspace e");
	event_log_test_need(&screen, "> Events > Record > Events", "e");
	event_log_test_need(&screen, "event 148 of 148", "e");
	screen_close(&screen);
}

/* An event of an unknown kind, with unknown keys and a value of a wrong type. Its control
 * characters must not reach the screen. */
#define NEWER                                                                                      \
	"{\"event\":\"newest\",\"sid\":\"20260102T122850.000000Z-H1-P00009999\","                  \
	"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:50.123456Z\",\"line\":\"x\","             \
	"\"a\\u001bb\":{\"deep\":[1,\t{\"s\":\"\xff\x7f\xc2\x9b"                                   \
	"31m\"}]},\"after\":true}\n"

static void enter_shows_unknown_keys(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 200, 40);
	screen_feed(&screen, NEWER, sizeof(NEWER) - 1);
	screen_keys(&screen, "e a a Enter");
	event_log_test_need(&screen, "\"event\": \"newest\"", "event");
	event_log_test_need(&screen, "\"a\\u001bb\": {\"deep\":[1,^I{\"s\":\"\xef\xbf\xbd\\u007f",
			    "hostile");
	event_log_test_need(&screen, "\"after\": true", "after");
	event_log_test_need(&screen, "\"line\": \"x\"", "of a wrong type");
	assert_null(strstr(screen_text(&screen), "\xc2\x9b"));
	screen_keys(&screen, "F5");
	event_log_test_need(&screen, "Z\", \"a\\u001bb\": {\"deep\":", "F5");
	screen_keys(&screen, "/");
	event_log_test_type(&screen, "after");
	event_log_test_need(&screen, "hit 1 of 1", "it can be searched");
	screen_close(&screen);
}

static void feed_own(struct screen *screen)
{
	struct batch *batch = journal_take(screen->journal);
	struct event gap = { .kind = REC_GAP }, dropped = { .kind = REC_DROPPED };
	const struct batch *next;

	event_set(&gap, FLD_ARRIVAL, SCENE_NOW_NS);
	event_set(&gap, FLD_T_GAP, 1500 * NS_PER_MS);
	event_set(&gap, TR2_F_MSG, batch_add_text(batch, "stopped", 7));
	batch_add(batch, &gap);
	event_set(&dropped, FLD_ARRIVAL, SCENE_NOW_NS);
	event_set(&dropped, FLD_DROPS, 1234);
	batch_add(batch, &dropped);
	journal_push(screen->journal, batch);
	while ((next = journal_next(screen->journal)))
		model_apply(screen->model, next);
	model_settle(screen->model);
}

static void search_matches_displayed_text(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 120, 40);
	screen_feed(&screen, ODD, sizeof(ODD) - 1);
	screen_keys(&screen, "e a a /");
	event_log_test_type(&screen, "a ^[[31mred^G");
	event_log_test_need(&screen, "hit 1 of 1", "visible");
	/* the hit is in the selected row */
	assert_false(event_log_test_is_said(&screen, "went round"));
	screen_keys(&screen, "Esc");
	event_log_test_need(&screen, "following", "put back");
	screen_close(&screen);
}

static void missing_data_has_rows(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 120, 40);
	feed_own(&screen);
	screen_feed(&screen, DATUM, sizeof(DATUM) - 1);
	screen_keys(&screen, "e a a");
	event_log_test_need(&screen, "gap          nothing was received for 1.50s: stopped", "gap");
	event_log_test_need(&screen,
			    "dropped      1234 events were dropped here: the history was full",
			    "dropped");
	screen_keys(&screen, "Up Enter");
	event_log_test_need(&screen, "\"dropped\": 1234", "record");
	screen_keys(&screen, "Enter");
	event_log_test_need(&screen, "this row has no page", "no process");
	screen_keys(&screen, "Esc F4");
	event_log_test_type(&screen, "event = gap");
	screen_keys(&screen, "Enter");
	event_log_test_need(&screen, "for 1.50s", "filtered");
	assert_false(event_log_test_is_said(&screen, "1234"));
	screen_close(&screen);
}

/* For each row: the keys that select it, the title of the page that `e` opens, and text that Esc,
 * or `e` again, brings back. */
static void e_opens_the_events_of_every_row_and_esc_returns(void **state)
{
	static const struct {
		const char *keys, *title, *back;
	} table[] = {
		{ "Down", "Events · fetch > rev-list", "1 Processes" },
		{ "Down 2 Down",
		  "Events · filter: thread = \"main\" and category = \"pack\" and label = "
		  "\"traverse\"",
		  "2 Threads" },
		{ "3", "Events · filter: category = \"pack\" and label = \"traverse\" · all",
		  "3 Timings" },
		{ "4 Down", "Events · fetch > rev-list", "4 Children" },
		{ "4", "Events · filter: event ~ \"^child_\" · fetch", "4 Children" },
		{ "3 Enter End", "Events · fetch > rev-list · event ", "Region · " },
		{ "t a Down", "Events · fetch > rev-list", "Timeline · " },
		{ "F a Down Down", "Events · fetch", "Flame · " },
		{ "Enter", "Events · fetch ", "Process · " },
		{ "e Enter", "Events · fetch ", "Record · " },
	};
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		event_log_test_open_scene(&screen, 120, 40);
		screen_keys(&screen, table[i].keys);
		screen_keys(&screen, "e");
		event_log_test_need(&screen, table[i].title, table[i].keys);
		assert_false(event_log_test_is_said(&screen, "no event"));
		screen_keys(&screen, i % 2 ? "e" : "Esc");
		event_log_test_need(&screen, table[i].back, table[i].keys);
		screen_close(&screen);
	}
}

static void event_log_test_feed_many(struct screen *screen, int from, int to)
{
	struct tr2_buf lines;

	tr2_buf_init(&lines, 1 << 26);
	for (int i = from; i < to; i++)
		tr2_buf_addf(&lines,
			     "{\"event\":\"data\",\"sid\":\"20260102T122850.000000Z-H1-P%08x\","
			     "\"thread\":\"main\",\"time\":\"2026-01-02T12:28:50.%06dZ\",\"t_"
			     "abs\":0.1,"
			     "\"category\":\"c\",\"key\":\"%s\",\"value\":\"%d\"}\n",
			     100 + i % 50, i % 1000000, i == 12345 ? "needle" : "hay", i);
	screen_feed(screen, lines.data, lines.len);
	tr2_buf_release(&lines);
	screen_frame(screen);
}

static int frames_until(struct screen *screen, const char *text, int most)
{
	int nr = 0;

	while (!event_log_test_is_said(screen, text) && nr < most) {
		assert_true(ui_is_working(screen->ui));
		screen_frame(screen);
		nr++;
	}
	event_log_test_need(screen, text, "in the end");
	return nr;
}

static void reads_a_long_history_in_parts(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	event_log_test_feed_many(&screen, 0, 200000);
	screen.in.paused = true; /* paused, but frames are still drawn */
	screen_keys(&screen, "e a a F4");
	event_log_test_type(&screen, "key = needle");
	screen_keys(&screen, "Enter");
	assert_false(event_log_test_is_said(&screen, "needle:12345"));
	assert_true(frames_until(&screen, "needle:12345", 20) > 0);
	frames_until(&screen, "+199999 hidden", 20);
	screen_frame(&screen);
	assert_false(ui_needs_ticks(screen.ui));
	screen_keys(&screen, "F4 C-u Enter Home /");
	event_log_test_type(&screen, ":150000");
	event_log_test_need(&screen, "searching ", "at first");
	frames_until(&screen, "hit 1 of 1", 30);
	event_log_test_need(&screen, "event 150001 of 200000", "found");
	screen_close(&screen);
}

static void keeps_the_position_while_old_events_are_evicted(void **state)
{
	struct screen screen;
	char line[128];

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	journal_free(screen.journal);
	screen.journal = journal_new(2 << 20, NULL, NULL);
	screen.in.journal = screen.journal;
	event_log_test_feed_many(&screen, 0, 50000);
	screen_keys(&screen, "e a a PgUp");
	assert_true(event_log_test_is_said(&screen, "event "));
	memcpy(line, strstr(screen_text(&screen), "event 4"), 11);
	line[11] = 0;
	for (int i = 0; i < 4; i++) {
		event_log_test_feed_many(&screen, 50000 + i * 2000, 52000 + i * 2000);
		journal_trim(screen.journal);
		screen_frame(&screen);
		event_log_test_need(&screen, line, "evicting");
	}
	assert_true(journal_first_seq(screen.journal) > 0);
	screen_keys(&screen, "Home");
	assert_false(event_log_test_is_said(&screen, "event 1 of"));
	for (int i = 0; i < 30; i++) {
		event_log_test_feed_many(&screen, 80000 + i * 5000, 85000 + i * 5000);
		journal_trim(screen.journal);
		screen_frame(&screen);
	}
	event_log_test_need(&screen, "hay:", "all that was there has left");
	screen_close(&screen);
}

static void log_ends_at_the_past_time_shown(void **state)
{
	struct screen screen;

	(void)state;
	event_log_test_open_scene(&screen, 120, 40);
	screen.in.past = true;
	screen.in.lookback_position = 20;
	screen.in.lookback_end = 146;
	screen.in.past_ns = SCENE_NOW_NS - 3 * NS_PER_SEC;
	screen_frame(&screen);
	screen_keys(&screen, "e a a Up Down");
	event_log_test_need(&screen, "event 20 of 20", "the last");
	screen_keys(&screen, "Down PgDn");
	event_log_test_need(&screen, "event 20 of 20", "no further");
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_select_events_and_count_hidden_ones),
		cmocka_unit_test(reports_a_filter_without_matches),
		cmocka_unit_test(later_events_change_the_result_of_a_filter),
		cmocka_unit_test(search_covers_the_whole_history),
		cmocka_unit_test(enter_shows_the_raw_record),
		cmocka_unit_test(enter_shows_unknown_keys),
		cmocka_unit_test(search_matches_displayed_text),
		cmocka_unit_test(missing_data_has_rows),
		cmocka_unit_test(e_opens_the_events_of_every_row_and_esc_returns),
		cmocka_unit_test(reads_a_long_history_in_parts),
		cmocka_unit_test(keeps_the_position_while_old_events_are_evicted),
		cmocka_unit_test(log_ends_at_the_past_time_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
