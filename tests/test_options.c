/* SPDX-License-Identifier: MIT */
/* Tests of the command line: values that options store, and the one line that bad usage gets. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "monitor/app/option_tables.h"
#include "monitor/report/report.h"
#include "monitor/settings/options.h"

static struct options options;
static char why[256];

/* Parse a command line of the words, which end with NULL. */
static enum options_result parse(const char *first, ...)
{
	static char *argv[32];
	int argc = 0;
	va_list ap;

	options_release(&options);
	argv[argc++] = (char *)"trace2top";
	va_start(ap, first);
	for (const char *word = first; word; word = va_arg(ap, const char *))
		argv[argc++] = (char *)word;
	va_end(ap);
	argv[argc] = NULL;
	why[0] = '\0';
	return options_parse(&options, argc, argv, why, sizeof(why));
}

static void defaults_match_the_contract(void **state)
{
	(void)state;
	assert_int_equal(parse(NULL), OPTIONS_RUN);
	assert_int_equal(options.nesting, LIMIT_ALL);
	assert_int_equal(options.depth, LIMIT_ALL);
	assert_int_equal(options.format, EXPORTER_TEXT);
	assert_int_equal(options.top, 100);
	assert_int_equal(options.socket_mode, 0600);
	assert_int_equal(options.interval_ms, 100);
	assert_int_equal(options.history_bytes, -1);
	assert_int_equal(options.max_processes, -1);
	assert_true(options.mouse);
	assert_int_equal(options.nr_sources, 0);
	assert_null(options.command);
}

static void options_and_sources_may_be_mixed(void **state)
{
	(void)state;
	assert_int_equal(parse("/tmp/a", "--once", "-n", "2", "b", "--format=json", "-d0",
			       "--history=64M", "--max-processes=1000", "-o", "out", NULL),
			 OPTIONS_RUN);
	assert_int_equal(options.nr_sources, 2);
	assert_string_equal(options.sources[0], "/tmp/a");
	assert_string_equal(options.sources[1], "b");
	assert_true(options.once);
	assert_int_equal(options.nesting, 2);
	assert_int_equal(options.depth, 0);
	assert_int_equal(options.format, EXPORTER_JSON);
	assert_int_equal(options.history_bytes, 64 << 20);
	assert_int_equal(options.max_processes, 1000);
	assert_string_equal(options.output, "out");
}

static void accepts_a_dash_as_source(void **state)
{
	(void)state;
	assert_int_equal(parse("-", NULL), OPTIONS_RUN);
	assert_int_equal(options.nr_sources, 1);
	assert_string_equal(options.sources[0], "-");
}

static void keeps_the_options_of_a_command(void **state)
{
	(void)state;
	assert_int_equal(parse("--once", "--", "git", "-n", "--", "x", NULL), OPTIONS_RUN);
	assert_int_equal(options.nesting, LIMIT_ALL);
	assert_string_equal(options.command[0], "git");
	assert_string_equal(options.command[1], "-n");
	assert_string_equal(options.command[2], "--");
	assert_string_equal(options.command[3], "x");
	assert_null(options.command[4]);
}

static void reports_invalid_usage(void **state)
{
	static const char *const cases[][4] = {
		{ "--nesting=-1", NULL, "--nesting", "whole number" },
		{ "--nesting=2x", NULL, "--nesting", "'all'" },
		{ "-n", NULL, "-n", "argument" },
		{ "--format=xml", NULL, "--format", "text|json" },
		{ "--frob", NULL, "--frob", "--help" },
		{ "--once=3", NULL, "--once takes no argument", "'--once=3'" },
		{ "--help=3", NULL, "--help", "'all'" },
		{ "--clock=x", NULL, "--clock", "use EVENTS" },
		{ "--output=", NULL, "--output", "not empty" },
		{ "-Z", NULL, "-Z", "--help" },
		{ "--history=12Q", NULL, "--history", "64M" },
		{ "--history=99999999999999999999", NULL, "--history", "64M" },
		{ "--max-processes=0", NULL, "--max-processes", "from 1" },
		{ "--interval=1", NULL, "--interval", "10 to 60000" },
		{ "--socket-mode=9", NULL, "--socket-mode", "octal" },
		{ "--since=yesterday", NULL, "--since", "duration" },
		{ "--size=80", NULL, "--size", "COLSxROWS" },
		{ "x", "--", "--", "command" },
		{ "--", NULL, "--", "git status" },
		{ "-o", "x", "-o", "--once" },
		{ "", NULL, "''", "a file" },
		{ "x", "", "''", "a file" },
		{ "af_unix:", NULL, "'af_unix:'", "af_unix:/tmp/t2.sock" },
		{ "af_unix:stream:", NULL, "'af_unix:stream:'", "af_unix:stream:/tmp/t2.sock" },
		{ "--once", "af_unix:dgram:", "'af_unix:dgram:'", "af_unix:dgram:/tmp/t2.sock" },
		{ "--color=\033[31m", NULL, "--color", "auto|always|never" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i][0], cases[i][1], NULL), OPTIONS_BAD);
		assert_non_null(strstr(why, cases[i][2]));
		assert_non_null(strstr(why, cases[i][3]));
		for (const char *p = why; *p; p++)
			assert_true((unsigned char)*p >= 0x20);
	}
}

static void sources_may_have_odd_names(void **state)
{
	(void)state;
	assert_int_equal(parse(":", "af_unix:x:", "af_unix:dgram", "stream:", "-", NULL),
			 OPTIONS_RUN);
	assert_int_equal(options.nr_sources, 5);
}

static void empty_filter_is_ignored(void **state)
{
	(void)state;
	assert_int_equal(parse("--filter=", NULL, NULL), OPTIONS_RUN);
	assert_null(options.filter);
	assert_int_equal(parse("--filter=failed", NULL, NULL), OPTIONS_RUN);
	assert_string_equal(options.filter, "failed");
}

static void list_prints_the_words_of_an_option(void **state)
{
	char text[4096] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_int_equal(parse("--format=list", NULL, NULL), OPTIONS_WORDS);
	options_print_words(file, options.words_of);
	fclose(file);
	assert_memory_equal(text, "text ", 5);
	assert_non_null(strstr(text, "\nsqlite "));
	assert_int_equal(parse("--no-finding", "list", NULL), OPTIONS_WORDS);
	assert_int_equal(parse("--config", "list", NULL), OPTIONS_RUN);
	assert_int_equal(parse("--redact", NULL, NULL), OPTIONS_RUN);
}

static void help_and_version_take_precedence(void **state)
{
	(void)state;
	assert_int_equal(parse("--help", "--frob", NULL), OPTIONS_HELP);
	assert_int_equal(options.help, HELP_SHORT);
	assert_int_equal(parse("--help=all", "--frob", NULL), OPTIONS_HELP);
	assert_int_equal(options.help, HELP_ALL);
	assert_int_equal(parse("--version", NULL), OPTIONS_VERSION);
}

static void help_names_every_option_that_is_not_for_tests(void **state)
{
	static const struct {
		const char *name;
		bool testing;
	} rows[] = {
#define OPTION(member, type, long_, ...)  { "--" long_, false },
#define TESTING(member, type, long_, ...) { "--" long_, true },
#include "monitor/settings/options.def"
	};

	(void)state;
	for (int help = HELP_SHORT; help <= HELP_ALL; help++) {
		char *text = NULL;
		size_t len = 0;
		FILE *to = open_memstream(&text, &len);

		options_help(to, help);
		fclose(to);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			assert_int_equal(!strstr(text, rows[i].name), rows[i].testing);
		free(text);
	}
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		ns_t ns;
	} good[] = { { "812ns", 812 },
		     { "5us", 5000 },
		     { "5µs", 5000 },   /* U+00B5, micro sign */
		     { "6.5μs", 6500 }, /* U+03BC, Greek mu */
		     { "1.5ms", 1500000 },
		     { "2s", 2 * NS_PER_SEC },
		     { "3m", 180 * NS_PER_SEC },
		     { "1h", 3600 * NS_PER_SEC },
		     { "1d", 86400 * NS_PER_SEC } };
	static const char *const wrong[] = { "", "5", "s", "-1s", "5 s", "99999999999d", "1.2.3s" };
	ns_t got;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(duration_parse(good[i].text, &got));
		assert_int_equal(got, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(duration_parse(wrong[i], &got));
}

static void times_are_points_or_durations_before_now(void **state)
{
	ns_t now = 1795250096 * NS_PER_SEC, got; /* 2026-11-21T08:34:56Z */

	(void)state;
	setenv("TZ", "UTC", 1);
	assert_true(time_parse("15m", now, &got));
	assert_int_equal(got, now - 900 * NS_PER_SEC);
	assert_true(time_parse("2026-11-21T08:34:56Z", now, &got));
	assert_int_equal(got, now);
	assert_true(time_parse("2026-11-21 08:34", now, &got));
	assert_int_equal(got, now - 56 * NS_PER_SEC);
	assert_true(time_parse("08:30", now, &got));
	assert_int_equal(got, now - 296 * NS_PER_SEC);
	assert_true(time_parse("-15m", now, &got));
	assert_int_equal(got, now - 900 * NS_PER_SEC);
	assert_true(time_parse("+1.5s", now, &got));
	assert_int_equal(got, now + 1500 * NS_PER_MS);
	assert_true(time_parse("08:34:55.123456", now, &got));
	assert_int_equal(got, now - NS_PER_SEC + 123456 * NS_PER_US);
	assert_true(time_parse("2026-11-21T08:34:56.5Z", now, &got));
	assert_int_equal(got, now + 500 * NS_PER_MS);
	assert_true(time_parse("2024-02-29T00:00Z", now, &got));
	assert_int_equal(got, 1709164800 * NS_PER_SEC);
	assert_false(time_parse("2026-11-21", now, &got));
	assert_false(time_parse("08:30x", now, &got));
}

static void invalid_time_reports_position_and_expected_form(void **state)
{
	static const struct {
		const char *text;
		size_t column;
		const char *expected;
	} table[] = {
		{ "", 0, "expected a time such as" },
		{ "noon", 0, "expected a time such as" },
		{ "25:00", 0, "an hour" },
		{ "12:61", 3, "minutes" },
		{ "12:", 3, "minutes" },
		{ "12:28:", 6, "seconds" },
		{ "12:28:99", 6, "seconds" },
		{ "12:28:42.5x", 10, "the end, or Z" },
		{ "2026-13-01T00:00", 5, "a month" },
		{ "2026-02-29T00:00", 8, "a day" },
		{ "2026-04-31T00:00", 8, "a day" },
		{ "2026-11-21", 10, "T or a blank" },
		{ "2026-11-21T", 11, "an hour" },
		{ "-30", 3, "a unit" },
		{ "-30 s", 3, "a unit" },
		{ "-", 1, "a number" },
		{ "-99999999999999999999s", 19, "a smaller number" },
		{ "-99999999999d", 12, "a shorter duration" },
		{ "9999-12-31T23:59", 16, "between" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct time_error error = { 0, "" };
		ns_t got;

		assert_false(time_parse_why(table[i].text, 0, &got, &error));
		if (error.column != table[i].column || !strstr(error.expected, table[i].expected))
			print_error("%s: %zu: %s\n", table[i].text, error.column, error.expected);
		assert_int_equal(error.column, table[i].column);
		assert_non_null(strstr(error.expected, table[i].expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_match_the_contract),
		cmocka_unit_test(options_and_sources_may_be_mixed),
		cmocka_unit_test(accepts_a_dash_as_source),
		cmocka_unit_test(keeps_the_options_of_a_command),
		cmocka_unit_test(sources_may_have_odd_names),
		cmocka_unit_test(reports_invalid_usage),
		cmocka_unit_test(empty_filter_is_ignored),
		cmocka_unit_test(list_prints_the_words_of_an_option),
		cmocka_unit_test(help_and_version_take_precedence),
		cmocka_unit_test(help_names_every_option_that_is_not_for_tests),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(invalid_time_reports_position_and_expected_form),
		cmocka_unit_test(times_are_points_or_durations_before_now),
	};

	option_tables_init();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	options_release(&options);
	return failed;
}
