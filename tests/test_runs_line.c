/* SPDX-License-Identifier: MIT */
/* Tests of runs as lines of a baseline file. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/runs_script.h"

#define WHOLE                                                                                      \
	"{\"schema\": \"trace2top-runs/1\", \"sid\": \"s\\u0001\\\"1\", "                          \
	"\"start\": \"2026-01-02T03:04:05.000006Z\", \"wall\": 1500, "                             \
	"\"name\": \"status\", \"hierarchy\": \"status\", \"argv\": [\"git\", "                    \
	"\"status\"], \"worktree\": \"/w\xc3\xa9\", \"exe\": \"2.39.5\", "                         \
	"\"failed\": true, \"parts\": [[\"region\", \"index\", \"refresh\", "                      \
	"\"status\", 1000], [\"none\", null, null, \"status\", 500]], "                            \
	"\"durations\": [[\"status\", \"index\", \"refresh\", [700, 300]], "                       \
	"[\"status\", null, null, [1500]]]}"                                                       \
	"\n"

static void reads_back_written_runs(void **state)
{
	static const char whole[sizeof(WHOLE) + SCAN_PAD] = WHOLE;
	struct runs runs;
	struct tr2_buf out;
	const char *why;
	const struct run *run;

	(void)state;
	runs_init(&runs);
	assert_int_equal(runs_line_read(&runs, whole, &why), RUNS_LINE_ADDED);
	assert_null(why);
	run = &runs.items[0];
	assert_true(run->failed && run->wall == 1500000);
	assert_int_equal(run->nr_parts, 2);
	assert_int_equal(run->nr_durations, 2);
	assert_int_equal(runs.durations[runs.things[0].first + 1], 300000);
	tr2_buf_init(&out, SIZE_MAX / 2);
	runs_line_write(&runs, 0, &out);
	assert_string_equal(tr2_buf_cstr(&out), WHOLE);
	tr2_buf_release(&out);
	runs_release(&runs);
}

static void hides_only_secrets(void **state)
{
	struct runs runs;
	struct tr2_buf out;
	const char *why;

	(void)state;
	runs_init(&runs);
	runs_script(
		&runs, &why,
		"{'schema':'trace2top-runs/1','sid':'s','start':'2026-01-02T03:04:05Z','wall':0,"
		"'argv':['git','https://me:secret@host/x','third'],'parts':[]}");
	assert_null(why);
	tr2_buf_init(&out, SIZE_MAX / 2);
	runs_line_write(&runs, 0, &out);
	assert_null(strstr(tr2_buf_cstr(&out), "secret"));
	assert_null(strstr(tr2_buf_cstr(&out), "third"));
	assert_non_null(strstr(tr2_buf_cstr(&out), "host/x"));
	tr2_buf_release(&out);
	runs_release(&runs);
}

static void reports_the_reason_of_invalid_lines(void **state)
{
#define BEGIN "{'schema':'trace2top-runs/1','sid':'s','start':'2026-01-02T03:04:05Z'"
	static const struct {
		const char *line, *why;
	} rows[] = {
		{ "[]", "not a JSON object" },
		{ "x", "not a JSON object" },
		{ "{'schema':", "truncated record" },
		{ BEGIN ",'wall':0,'parts':[]} x", "not a JSON object" },
		{ "{}", "its schema is not trace2top-runs/1" },
		{ "{'schema':'trace2top-runs/2','sid':'s'}", "its schema is not trace2top-runs/1" },
		{ "{'schema':'trace2top-runs/1'}", "it has no \"sid\"" },
		{ "{'schema':'trace2top-runs/1','sid':''}", "it has no \"sid\"" },
		{ "{'schema':'trace2top-runs/1','sid':7}", "it has no \"sid\"" },
		{ "{'schema':'trace2top-runs/1','sid':'s'}", "it has no \"start\"" },
		{ "{'schema':'trace2top-runs/1','sid':'s','start':'now'}",
		  "\"start\" is not a time" },
		{ "{'schema':'trace2top-runs/1','sid':'s','start':5}", "\"start\" is not a time" },
		{ BEGIN "}", "it has no \"wall\"" },
		{ BEGIN ",'wall':-1}", "a time is not a whole number of microseconds" },
		{ BEGIN ",'wall':1.5}", "a time is not a whole number of microseconds" },
		{ BEGIN ",'wall':'1'}", "a time is not a whole number of microseconds" },
		{ BEGIN ",'wall':1e30}", "a time is not a whole number of microseconds" },
		{ BEGIN ",'wall':9223372036854776}",
		  "a time is not a whole number of microseconds" },
		{ BEGIN ",'wall':1}", "the parts do not add up to \"wall\"" },
		{ BEGIN ",'wall':1,'wall':1}", "a key is repeated" },
		{ BEGIN ",'wall':1,'parts':{}}", "\"parts\" is not a list" },
		{ BEGIN ",'wall':1,'parts':[['none',null,null,null,2]]}",
		  "the parts do not add up to \"wall\"" },
		{ BEGIN ",'wall':1,'parts':[['none',null,null,null,9223372036854775],"
			"['none',null,null,null,9223372036854775]]}",
		  "the parts do not add up to \"wall\"" },
		{ BEGIN ",'wall':1,'parts':[['none',null,null,1]]}",
		  "a part is not [kind, category, label, name, microseconds]" },
		{ BEGIN ",'wall':1,'parts':[7]}",
		  "a part is not [kind, category, label, name, microseconds]" },
		{ BEGIN ",'wall':1,'parts':[[null,null,null,null,1]]}",
		  "a part is not [kind, category, label, name, microseconds]" },
		{ BEGIN ",'wall':0,'durations':7}", "\"durations\" is not a list" },
		{ BEGIN ",'wall':0,'durations':[['a','b','c',5]]}",
		  "a duration is not [hierarchy, category, label, [microseconds]]" },
		{ BEGIN ",'wall':0,'durations':[['a','b',[5]]]}",
		  "a duration is not [hierarchy, category, label, [microseconds]]" },
	};
	struct runs runs;
	const char *why;

	(void)state;
	runs_init(&runs);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(runs_script(&runs, &why, "%s", rows[i].line), RUNS_LINE_BAD);
		assert_string_equal(why, rows[i].why);
		assert_true(!runs.nr && !runs.nr_parts && !runs.nr_things && !runs.nr_durations);
	}
	assert_int_equal(runs_script(&runs, &why, " \t\r"), RUNS_LINE_BLANK);
	assert_int_equal(runs_script(&runs, &why, BEGIN ",'wall':0,'later':[{'a':[]}]}"),
			 RUNS_LINE_ADDED);
	runs_release(&runs);
}

static void rejects_more_than_the_newest_durations(void **state)
{
	char list[1000] = "";
	struct runs runs;
	const char *why;

	(void)state;
	for (int i = 0; i < 65; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d", i ? "," : "", i);
	runs_init(&runs);
	assert_int_equal(
		runs_script(&runs, &why, BEGIN ",'wall':0,'durations':[['a','b','c',[%s]]]}", list),
		RUNS_LINE_BAD);
	runs_release(&runs);
}

static void counts_a_repeated_run_once(void **state)
{
	struct runs runs;
	const char *why;

	(void)state;
	runs_init(&runs);
	for (int i = 0; i < 3; i++)
		assert_int_equal(runs_script(&runs, &why,
					     BEGIN ",'wall':2,'parts':[['none',null,null,'x',2]]}"),
				 i ? RUNS_LINE_KNOWN : RUNS_LINE_ADDED);
	assert_true(runs.nr == 1 && runs.nr_parts == 1);
	runs_release(&runs);
}

static void detects_a_baseline_file(void **state)
{
	static const char *const yes[] = { "{\"schema\":\"trace2top-runs/1\"",
					   " \n{ \"schema\" : \"trace2top-runs/7" };
	static const char *const no[] = { "", "{", "{\"schema\":\"trace2top-report/1\"",
					  "{\"event\":\"version\"", "{\"schema\":\"trace2top-run" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(runs_line_seems(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(runs_line_seems(no[i], strlen(no[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_back_written_runs),
		cmocka_unit_test(hides_only_secrets),
		cmocka_unit_test(reports_the_reason_of_invalid_lines),
		cmocka_unit_test(rejects_more_than_the_newest_durations),
		cmocka_unit_test(counts_a_repeated_run_once),
		cmocka_unit_test(detects_a_baseline_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
