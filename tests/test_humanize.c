/* SPDX-License-Identifier: MIT */
/* Tests of text for people, such as times, counts and sizes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "engine/base/buf.h"
#include "engine/base/jw.h"
#include "monitor/base/humanize.h"
#include "monitor/base/visible.h"

static void durations_have_four_digits_below_a_minute(void **state)
{
	static const struct {
		ns_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" },
		{ 812, "812ns" },
		{ 999, "999ns" },
		{ 1000, "1us" },
		{ 14500000, "14.5ms" },
		{ 76350000, "76.3ms" },
		{ 110200000, "110ms" },
		{ 5199000000, "5.19s" },
		{ 59999999999, "59.9s" },
		{ 60000000000, "1m00s" },
		{ 192000000000, "3m12s" },
		{ 3599999999999, "59m59s" },
		{ 7500000000000, "2h05m" },
		{ 356400000000000, "4d03h" },
		{ -14500000, "-14.5ms" },
		{ NS_NONE, "-" },
		{ INT64_MAX, "106751d23h" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(human_duration(cases[i].ns).text, cases[i].text);
}

static void formats_durations_in_words(void **state)
{
	static const struct {
		ns_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 nanoseconds" },
		{ 1, "1 nanosecond" },
		{ 999, "999 nanoseconds" },
		{ 1000, "1 microsecond" },
		{ 14500000, "14 milliseconds" },
		{ 2312000000, "2.3 seconds" },
		{ 1000000000, "1 second" },
		{ 1099999999, "1 second" },
		{ 1100000000, "1.1 seconds" },
		{ 5000000001, "5 seconds" },
		{ 9999999999, "9.9 seconds" },
		{ 59999999999, "59 seconds" },
		{ 60000000000, "1 minute" },
		{ 61000000000, "1 minute 1 second" },
		{ 3599999999999, "59 minutes 59 seconds" },
		{ 7500000000000, "2 hours 5 minutes" },
		{ 356400000000000, "4 days 3 hours" },
		{ -3599000000000, "-59 minutes 59 seconds" },
		{ -60000000000, "-1 minute" },
		{ NS_NONE, "-" },
		{ INT64_MAX, "106751 days 23 hours" },
	};

	(void)state;
	assert_int_equal(human_set_form(HUMAN_WORDS), HUMAN_ASCII);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(human_duration(cases[i].ns).text, cases[i].text);
	assert_int_equal(human_set_form(HUMAN_ASCII), HUMAN_WORDS);
	assert_string_equal(human_duration(1000).text, "1us");
}

static void formats_durations_of_the_screen_with_a_micro_sign(void **state)
{
	(void)state;
	assert_int_equal(human_set_form(HUMAN_SCREEN), HUMAN_ASCII);
	assert_string_equal(human_duration(65500).text, "65.5µs");
	assert_string_equal(human_duration(-82000).text, "-82µs");
	assert_string_equal(human_mark(200000).text, "200µs");
	assert_string_equal(human_mark(12500).text, "12.5µs");
	assert_string_equal(human_duration(14500000).text, "14.5ms");
	assert_int_equal(human_set_form(HUMAN_ASCII), HUMAN_SCREEN);
}

static void axis_marks_are_round_numbers(void **state)
{
	static const struct {
		ns_t least, is;
	} steps[] = { { -1, 1 },  { 0, 1 },     { 1, 1 },
		      { 2, 2 },   { 3, 5 },     { 6, 10 },
		      { 10, 10 }, { 11, 20 },   { 135300000, 200000000 },
		      { 45, 50 }, { 500, 500 }, { 501, 1000 } };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		assert_int_equal(human_step(steps[i].least), steps[i].is);
	assert_true(human_step(INT64_MAX) > INT64_MAX / 1000);
	assert_string_equal(human_mark(0).text, "0ns");
	assert_string_equal(human_mark(5000000).text, "5ms");
	assert_string_equal(human_mark(1500000000).text, "1.5s");
	assert_string_equal(human_mark(200000).text, "200us");
	assert_string_equal(human_mark(10020000).text, "10.02ms");
	assert_string_equal(human_mark(100 * NS_PER_SEC).text, "1m40s");
}

static void counts_and_sizes_are_exact_while_they_are_short(void **state)
{
	(void)state;
	assert_string_equal(human_count(0).text, "0");
	assert_string_equal(human_count(1203).text, "1203");
	assert_string_equal(human_count(9999).text, "9999");
	assert_string_equal(human_count(12400).text, "12.4k");
	assert_string_equal(human_count(999999).text, "999k");
	assert_string_equal(human_count(3510000).text, "3.51M");
	assert_string_equal(human_count(UINT64_MAX).text, "18446744073G");
	assert_string_equal(human_bytes(900).text, "900");
	assert_string_equal(human_bytes(1536).text, "1.50K");
	assert_string_equal(human_bytes(31u << 20).text, "31.0M");
	assert_string_equal(human_bytes(UINT64_MAX).text, "16777215T");
}

static void assert_visible(const char *bytes, size_t len, const char *expected)
{
	struct tr2_buf buf;

	tr2_buf_init(&buf, 1000);
	text_visible(&buf, bytes, len);
	assert_string_equal(tr2_buf_cstr(&buf), expected);
	tr2_buf_release(&buf);
}

static void control_sequences_are_removed(void **state)
{
	(void)state;
	assert_visible("plain \xC3\xA9 \xE6\xBC\xA2", 12, "plain \xC3\xA9 \xE6\xBC\xA2");
	assert_visible("\033[31m\r\n\t\0\x7F", 10, "^[[31m^M^J^I^@^?");
	assert_visible("\xC2\x9B", 2, "<U+009B>");
	assert_visible("a\x9B"
		       "b",
		       3, "a<9B>b");
	assert_visible("\xE2\x80\xAE"
		       "gnp",
		       6, "<U+202E>gnp");
	assert_visible("\xE2\x81\xA6\xEF\xBB\xBF", 6, "<U+2066><U+FEFF>");
	assert_visible("\xF3\xA0\x80\x81", 4, "<U+E0001>");
	assert_visible("\xF4\x8F\xBF\xBF", 4, "<U+10FFFF>");
	assert_visible("\xEF\xBF\xBD", 3, "\xEF\xBF\xBD");
	assert_visible("\xE2\x80", 2, "<E2><80>");
	assert_visible("", 0, "");
}

static void every_byte_alone_becomes_printable(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		char byte = (char)c, form[VISIBLE_BYTES];
		size_t len;

		assert_int_equal(visible_next(&byte, 1, form, &len), 1);
		for (size_t i = 0; i < len; i++)
			assert_in_range(form[i], 0x20, 0x7E);
	}
}

static void formats_numbers_like_printf(void **state)
{
	struct tr2_buf got;
	char want[40];

	(void)state;
	tr2_buf_init(&got, 1000);
	for (uint64_t power = 1; power; power = power > UINT64_MAX / 10 ? 0 : power * 10)
		for (uint64_t v = power - 1; v != power + 2; v++)
			for (int digits = 1; digits <= 20; digits++) {
				tr2_buf_clear(&got);
				tr2_buf_addu(&got, v, (unsigned)digits);
				snprintf(want, sizeof(want), "%0*" PRIu64, digits, v);
				assert_string_equal(tr2_buf_cstr(&got), want);
			}
	tr2_buf_clear(&got);
	tr2_buf_addu(&got, UINT64_MAX, 1);
	assert_string_equal(tr2_buf_cstr(&got), "18446744073709551615");
	tr2_buf_release(&got);
}

/* Compare two instants of every day in the range of ns_t, one of them just before midnight, with
 * the C library. */
static void wall_time_matches_the_calendar(void **state)
{
	struct tr2_buf got;
	char want[64];

	(void)state;
	tr2_buf_init(&got, 100);
	for (int64_t day = -106751; day <= 106750; day++)
		for (int64_t second = -1; second <= 45296; second += 45297) {
			time_t at = (time_t)(day * 86400 + second);
			struct tm tm;

			gmtime_r(&at, &tm);
			strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S.000789Z", &tm);
			tr2_buf_clear(&got);
			tr2_buf_add_wall_time(&got, (int64_t)at * NS_PER_SEC + 789999);
			assert_string_equal(tr2_buf_cstr(&got), want);
		}
	tr2_buf_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_have_four_digits_below_a_minute),
		cmocka_unit_test(formats_durations_in_words),
		cmocka_unit_test(formats_durations_of_the_screen_with_a_micro_sign),
		cmocka_unit_test(axis_marks_are_round_numbers),
		cmocka_unit_test(counts_and_sizes_are_exact_while_they_are_short),
		cmocka_unit_test(control_sequences_are_removed),
		cmocka_unit_test(formats_numbers_like_printf),
		cmocka_unit_test(wall_time_matches_the_calendar),
		cmocka_unit_test(every_byte_alone_becomes_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
