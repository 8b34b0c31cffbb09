/* SPDX-License-Identifier: MIT */
/* Tests of values by category and key. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/analysis/values.h"
#include "monitor/base/humanize.h"
#include "tests/screen_fixture.h"

static struct analysis analysis_of(const struct model *model)
{
	return (struct analysis){ .model = model,
				  .limits = { -1, -1 },
				  .process = HANDLE_NONE,
				  .category = SYM_NONE,
				  .label = SYM_NONE };
}

static void add_event(struct tr2_buf *text, const char *event, const char *sid, int second,
		      const char *more)
{
	tr2_buf_addf(text,
		     "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":"
		     "\"2026-01-02T12:%02d:%02d.000000Z\",\"t_abs\":%d.5,%s}\n",
		     event, sid, second / 60, second % 60, second % 10, more);
}

static void add_datum(struct tr2_buf *text, const char *sid, int second, const char *key,
		      const char *value)
{
	struct tr2_buf more;

	tr2_buf_init(&more, 1 << 12);
	tr2_buf_addf(&more, "\"nesting\":%d,\"category\":\"c\",\"key\":\"%s\",\"value\":%s",
		     second % 3 + 1, key, value);
	add_event(text, "data", sid, second, tr2_buf_cstr(&more));
	tr2_buf_release(&more);
}

static struct tr2_buf value_text_new(void)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 24);
	return text;
}

static void value_feed(struct screen *screen, struct tr2_buf *text)
{
	screen_feed(screen, tr2_buf_cstr(text), text->len);
	tr2_buf_release(text);
}

static const struct value_row *row_named(const struct screen *screen, const struct value_rows *v,
					 const char *name)
{
	for (uint32_t i = 0; i < v->nr; i++) {
		struct tr2_buf key;
		bool is;

		tr2_buf_init(&key, 1 << 12);
		value_row_format_key(screen->model, &v->rows[i], &key);
		is = !strcmp(tr2_buf_cstr(&key), name);
		tr2_buf_release(&key);
		if (is)
			return &v->rows[i];
	}
	fail_msg("no row %s", name);
	return NULL;
}

static void assert_top(const struct value_rows *v, const struct value_row *row, const char *wanted)
{
	struct tr2_buf line;

	tr2_buf_init(&line, 1 << 12);
	value_row_format_top(v, row, &line);
	assert_string_equal(tr2_buf_cstr(&line), wanted);
	tr2_buf_release(&line);
}

static void assert_formatted(enum value_unit unit, int64_t number, const char *wanted)
{
	struct tr2_buf line;

	tr2_buf_init(&line, 1 << 12);
	value_format(unit, number, &line);
	assert_string_equal(tr2_buf_cstr(&line), wanted);
	tr2_buf_release(&line);
}

static void only_whole_numbers_in_their_one_spelling_are_numbers(void **state)
{
	static const struct {
		const char *value;
		bool is_number;
		int64_t number;
	} cases[] = {
		{ "\"0\"", true, 0 },
		{ "\"-7\"", true, -7 },
		{ "\"9223372036854775807\"", true, INT64_MAX },
		{ "\"-9223372036854775807\"", true, -INT64_MAX },
		{ "\"-9223372036854775808\"", false, 0 },
		{ "\"9223372036854775808\"", false, 0 },
		{ "\"99999999999999999999999\"", false, 0 },
		{ "\"007\"", false, 0 },
		{ "\"-0\"", false, 0 },
		{ "\"-\"", false, 0 },
		{ "\"\"", false, 0 },
		{ "\"+1\"", false, 0 },
		{ "\" 1\"", false, 0 },
		{ "\"1.5\"", false, 0 },
		{ "\"1e3\"", false, 0 },
		{ "\"1\\u0000\"", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tr2_buf text = value_text_new();
		struct value_rows v = { 0 };
		struct screen screen;
		struct analysis what;

		screen_open(&screen, 80, 24, NULL);
		add_datum(&text, "p", 1, "k", cases[i].value);
		value_feed(&screen, &text);
		what = analysis_of(screen.model);
		value_rows_make(&v, &what);
		assert_int_equal(v.nr, 1);
		if ((v.rows[0].unit != VALUE_UNIT_TEXT) != cases[i].is_number)
			fail_msg("%s", cases[i].value);
		if (cases[i].is_number)
			assert_int_equal(v.rows[0].p50, cases[i].number);
		else
			assert_int_equal(v.rows[0].sum, NUM_NONE);
		value_rows_release(&v);
		screen_close(&screen);
	}
}

static void counts_texts_and_unknown_values_of_a_key(void **state)
{
	static const char *const values[] = { "\"7\"", "\"x\"", "\"7\"", "\"8\"", "\"x\"",
					      "\"7\"", "\"a\"", "\"b\"", "\"\"" };
	struct tr2_buf text = value_text_new();
	struct value_rows v = { 0 };
	struct screen screen;
	struct analysis what;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	for (int i = 0; i < 9; i++)
		add_datum(&text, "p", i, "k", values[i]);
	add_event(&text, "data", "p", 9, "\"category\":\"c\",\"key\":\"k\"");
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	value_rows_make(&v, &what);
	assert_int_equal(v.rows[0].count, 10);
	assert_int_equal(v.rows[0].unknown, 1);
	assert_int_equal(v.rows[0].nr_texts, 6);
	assert_top(&v, &v.rows[0], "7 (3), x (2), (empty) (1), 8 (1), a (1), and 1 others");
	value_rows_release(&v);
	screen_close(&screen);
}

static void units_follow_the_last_word_of_the_key(void **state)
{
	static const struct {
		const char *key;
		enum value_unit unit;
	} cases[] = {
		{ "read_bytes", VALUE_UNIT_BYTES }, { "bytes", VALUE_UNIT_BYTES },
		{ "wait/ms", VALUE_UNIT_MS },       { "wait ns", VALUE_UNIT_NS },
		{ "x.us", VALUE_UNIT_US },          { "t-seconds", VALUE_UNIT_SECONDS },
		{ "items", VALUE_UNIT_NONE },       { "bytes_read", VALUE_UNIT_NONE },
		{ "terms", VALUE_UNIT_NONE },
	};
	struct tr2_buf text = value_text_new();
	struct value_rows v = { 0 };
	struct screen screen;
	struct analysis what;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		add_datum(&text, "p", 1, cases[i].key, "\"2048\"");
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	value_rows_make(&v, &what);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char name[40];

		snprintf(name, sizeof(name), "c/%s", cases[i].key);
		assert_int_equal(row_named(&screen, &v, name)->unit, cases[i].unit);
	}
	value_rows_release(&v);
	screen_close(&screen);
	assert_formatted(VALUE_UNIT_BYTES, 2048, "2.00K");
	assert_formatted(VALUE_UNIT_MS, 1500, "1.50s");
	assert_formatted(VALUE_UNIT_NONE, -12400, "-12.4k");
	assert_formatted(VALUE_UNIT_NONE, NUM_NONE, "-");
	assert_formatted(VALUE_UNIT_SECONDS, INT64_MAX, human_duration(INT64_MAX).text);
}

static void counters_and_timers_of_threads_are_not_counted_twice(void **state)
{
	struct tr2_buf text = value_text_new();
	struct value_rows v = { 0 };
	struct screen screen;
	struct analysis what;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	add_event(&text, "th_counter", "p", 1, "\"category\":\"c\",\"name\":\"n\",\"count\":3");
	add_event(&text, "th_counter", "p", 1, "\"category\":\"c\",\"name\":\"n\",\"count\":4");
	add_event(&text, "counter", "p", 2, "\"category\":\"c\",\"name\":\"n\",\"count\":7");
	add_event(&text, "counter", "q", 2, "\"category\":\"c\",\"name\":\"n\",\"count\":5");
	add_event(&text, "timer", "q", 2,
		  "\"category\":\"c\",\"name\":\"n\",\"intervals\":2,\"t_total\":0.25,"
		  "\"t_min\":0.1,\"t_max\":0.15");
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	value_rows_make(&v, &what);
	assert_int_equal(v.nr, 2);
	assert_int_equal(v.rows[0].list, VALUES_COUNTER);
	assert_int_equal(v.rows[0].count, 2);
	assert_int_equal(v.rows[0].sum, 12);
	assert_int_equal(v.rows[0].max, 7);
	assert_int_equal(v.rows[1].list, VALUES_TIMER);
	assert_int_equal(v.rows[1].sum, 250 * NS_PER_MS);
	value_rows_release(&v);
	screen_close(&screen);
}

static void keys_beyond_the_limit_are_counted_as_other(void **state)
{
	struct tr2_buf text = value_text_new();
	struct value_rows v = { 0 };
	struct screen screen;
	struct analysis what;
	uint64_t sum = 0;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	for (unsigned i = 0; i < VALUES_MAX_ROWS + 50; i++) {
		char key[20], sid[20];

		snprintf(key, sizeof(key), "k%04u", i);
		snprintf(sid, sizeof(sid), "p%u", i / 1000);
		add_datum(&text, sid, 1, key, i % 2 ? "\"1\"" : "\"text\"");
		add_datum(&text, sid, 1, key, "\"1\"");
	}
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	value_rows_make(&v, &what);
	assert_int_equal(v.nr, VALUES_MAX_ROWS + 1);
	assert_true(v.rows[v.nr - 1].is_other);
	assert_int_equal(v.rows[v.nr - 1].count, 100);
	for (uint32_t i = 0; i < v.nr; i++)
		sum += v.rows[i].count;
	assert_int_equal(sum, 2 * (VALUES_MAX_ROWS + 50));
	value_rows_release(&v);
	screen_close(&screen);
}

static void texts_beyond_the_limit_are_counted_as_other(void **state)
{
	struct tr2_buf text = value_text_new();
	struct value_rows v = { 0 };
	struct screen screen;
	struct analysis what;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	for (unsigned i = 0; i < VALUES_MAX_TEXTS + 1000; i++) {
		char value[40], sid[20];

		snprintf(value, sizeof(value), "\"text %u\"", i);
		snprintf(sid, sizeof(sid), "p%u", i / 5000);
		add_datum(&text, sid, 1, "k", value);
	}
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	value_rows_make(&v, &what);
	assert_int_equal(v.rows[0].count, VALUES_MAX_TEXTS + 1000);
	assert_in_range(v.rows[0].nr_texts, VALUES_MAX_TEXTS - 2, VALUES_MAX_TEXTS);
	assert_in_range(v.rows[0].top[0].count, 1000, 1002);
	value_rows_release(&v);
	screen_close(&screen);
}

static int numbers_compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void slices_give_the_figures_of_sorted_values(void **state)
{
	static int64_t numbers[7][4000];
	uint32_t nr[7] = { 0 };
	uint64_t seed = 5;
	struct tr2_buf text = value_text_new();
	struct screen screen;
	struct analysis what;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	for (int i = 0; i < 8000; i++) {
		char sid[8], key[8], value[32];
		unsigned k, p;
		int64_t number;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		k = (unsigned)(seed >> 33) % 7;
		p = (unsigned)(seed >> 40) % 40;
		number = (int64_t)(seed >> 20) % (k ? 100000 / k : 3) - 500;
		snprintf(sid, sizeof(sid), "p%u", p);
		snprintf(key, sizeof(key), "k%u", k);
		snprintf(value, sizeof(value), "\"%lld\"", (long long)number);
		add_datum(&text, sid, i % 600, key, value);
		if (p < 20 && i % 600 % 3 + 1 <= 2)
			numbers[k][nr[k]++] = number;
	}
	for (int i = 0; i < 40; i++) {
		char sid[16];

		snprintf(sid, sizeof(sid), "p%d", i);
		add_event(&text, "cmd_name", sid, 1,
			  i < 20 ? "\"name\":\"a\",\"hierarchy\":\"a\""
				 : "\"name\":\"b\",\"hierarchy\":\"b\"");
	}
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	what.limits.nesting = 2;
	what.filter = filter_new("name = a", FILTER_ROWS_PROCESS, SCENE_NOW_NS,
				 &(struct filter_error){ 0 });
	assert_non_null(what.filter);
	for (int k = 0; k < 7; k++)
		qsort(numbers[k], nr[k], sizeof(int64_t), numbers_compare);
	for (uint32_t budget = 1; budget < 100000; budget *= 7) {
		struct value_rows v = { 0 };

		value_rows_begin(&v);
		while (!value_rows_continue(&v, &what, budget))
			assert_in_range(v.percent, 0, 99);
		assert_int_equal(v.percent, 100);
		assert_int_equal(v.nr, 7);
		for (int k = 0; k < 7; k++) {
			int64_t sum = 0;

			for (uint32_t i = 0; i < nr[k]; i++)
				sum += numbers[k][i];
			assert_int_equal(v.rows[k].count, nr[k]);
			assert_int_equal(v.rows[k].sum, sum);
			assert_int_equal(v.rows[k].min, numbers[k][0]);
			assert_int_equal(v.rows[k].max, numbers[k][nr[k] - 1]);
			assert_int_equal(v.rows[k].p50, numbers[k][(nr[k] + 1) / 2 - 1]);
			assert_int_equal(v.rows[k].p90, numbers[k][(nr[k] * 9 + 9) / 10 - 1]);
		}
		value_rows_release(&v);
	}
	filter_free(what.filter);
	screen_close(&screen);
}

static void occurrences_are_those_that_the_row_counts(void **state)
{
	struct tr2_buf text = value_text_new();
	struct value_occurrences found = { 0 };
	struct value_rows v = { 0 };
	struct screen screen;
	struct analysis what;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	for (int i = 0; i < 50; i++)
		add_datum(&text, "p", i, i % 4 ? "k" : "l", i % 5 ? "\"3\"" : "\"x\"");
	value_feed(&screen, &text);
	what = analysis_of(screen.model);
	value_rows_make(&v, &what);
	assert_true(v.nr >= 2);
	for (uint32_t i = 0; i < v.nr; i++) {
		value_occurrences_make(&found, &what, (enum value_list)v.rows[i].list,
				       v.rows[i].category, v.rows[i].key);
		assert_int_equal(found.nr, v.rows[i].count);
		for (uint32_t k = 1; k < found.nr; k++)
			assert_true(found.items[k - 1].time >= found.items[k].time);
	}
	value_occurrences_release(&found);
	value_rows_release(&v);
	screen_close(&screen);
}

/* Runs start every 2 s, with numbers, bytes, times and texts. */
static void feed_values(struct screen *screen)
{
	static const char *const branches[] = { "main", "topic/values", "release-2.1" };
	struct tr2_buf text = value_text_new();
	char value[80];

	for (int i = 0; i < 150; i++) {
		char sid[16];

		snprintf(sid, sizeof(sid), "r%03d", i);
		add_event(&text, "start", sid, 2 * i, "\"argv\":[\"git\",\"status\"]");
		add_event(&text, "cmd_name", sid, 2 * i,
			  "\"name\":\"status\",\"hierarchy\":\"status\"");
		snprintf(value, sizeof(value), "\"%d\"", 1000 + (i < 100 ? i : 30 * i) % 977);
		add_datum(&text, sid, 2 * i, "read/cache_nr", value);
		snprintf(value, sizeof(value), "\"%d\"", 4096 * (i % 40 + 1));
		add_datum(&text, sid, 2 * i, "pack_bytes", value);
		snprintf(value, sizeof(value), "\"%s\"", branches[i % 7 ? i % 2 : 2]);
		add_datum(&text, sid, 2 * i, "branch", value);
		if (i % 50 == 9)
			add_datum(&text, sid, 2 * i, "note", "\"\\u001b[31m umlaut \\u00fc\"");
		snprintf(value, sizeof(value),
			 "\"category\":\"fsync\",\"name\":\"hardware-flush\","
			 "\"count\":%d",
			 i % 3);
		add_event(&text, "counter", sid, 2 * i + 1, value);
		snprintf(value, sizeof(value),
			 "\"category\":\"lock\",\"name\":\"wait\","
			 "\"intervals\":2,\"t_total\":0.%03d",
			 i);
		add_event(&text, "timer", sid, 2 * i + 1, value);
		add_event(&text, "atexit", sid, 2 * i + 1, "\"code\":0");
	}
	value_feed(screen, &text);
	screen_frame(screen);
}

static void value_pages_match_their_golden_screens(void **state)
{
	static const struct {
		const char *name, *keys;
		int cols, rows;
		bool ascii;
	} rows[] = {
		{ "values-40x10", "V", 40, 10, false },
		{ "values-80x24", "V", 80, 24, false },
		{ "values-120x40", "V", 120, 40, false },
		{ "values-200x60", "V Down", 200, 60, false },
		{ "values-ascii-80x24", "V End", 80, 24, true },
		{ "value-80x24", "V Down Down Down Enter", 80, 24, false },
		{ "value-text-120x40", "V Enter", 120, 40, false },
		{ "value-ascii-80x24", "V End Enter", 80, 24, true },
		{ "value-40x10", "V End Enter", 40, 10, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ui_config config = { .nesting = -1, .depth = -1, .ascii = rows[i].ascii };
		struct screen screen;
		struct tr2_buf out;

		screen_open(&screen, rows[i].cols, rows[i].rows, &config);
		feed_values(&screen);
		screen_keys(&screen, rows[i].keys);
		tr2_buf_init(&out, 1 << 20);
		surface_dump(screen.surface, &out);
		golden_compare(rows[i].name, &out);
		tr2_buf_release(&out);
		screen_close(&screen);
	}
}

static void the_empty_page_shows_why(void **state)
{
	struct tr2_buf text = value_text_new();
	struct screen screen;

	(void)state;
	screen_open(&screen, 100, 24, NULL);
	add_event(&text, "start", "p", 1, "\"argv\":[\"git\",\"x\"]");
	value_feed(&screen, &text);
	screen_frame(&screen);
	screen_keys(&screen, "V");
	assert_non_null(strstr(screen_text(&screen), "no data, counters or timers reported"));
	screen_close(&screen);
}

static void the_page_follows_filter_and_events(void **state)
{
	struct tr2_buf text = value_text_new();
	struct screen screen;

	(void)state;
	screen_open(&screen, 100, 24, NULL);
	feed_values(&screen);
	screen_keys(&screen, "V");
	assert_non_null(strstr(screen_text(&screen), "Values · 6 keys"));
	add_datum(&text, "late", 1, "late_key", "\"1\"");
	value_feed(&screen, &text);
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "Values · 7 keys"));
	screen_keys(&screen, "F4 s i d Space = Space l a t e Enter");
	assert_non_null(strstr(screen_text(&screen), "Values · filter: sid = late · 1 key ─"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_whole_numbers_in_their_one_spelling_are_numbers),
		cmocka_unit_test(counts_texts_and_unknown_values_of_a_key),
		cmocka_unit_test(units_follow_the_last_word_of_the_key),
		cmocka_unit_test(counters_and_timers_of_threads_are_not_counted_twice),
		cmocka_unit_test(keys_beyond_the_limit_are_counted_as_other),
		cmocka_unit_test(texts_beyond_the_limit_are_counted_as_other),
		cmocka_unit_test(slices_give_the_figures_of_sorted_values),
		cmocka_unit_test(occurrences_are_those_that_the_row_counts),
		cmocka_unit_test(value_pages_match_their_golden_screens),
		cmocka_unit_test(the_empty_page_shows_why),
		cmocka_unit_test(the_page_follows_filter_and_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
