/* SPDX-License-Identifier: MIT */
/* Tests of the NORMAL reader. */
#include "config.h"

#include "monitor/read/text/text_process.h"
#include "tests/text_fixture.h"

static void normal_test_put(struct text_fixture *f, int ms, const char *message)
{
	char line[512];

	snprintf(line, sizeof(line), "12:00:%02d.%03d000 a.c:7%29s%s\n", ms / 1000 % 60, ms % 1000,
		 "", message);
	text_line(f, line);
}

static void normal_test_expect_whose(struct text_fixture *f, const char *want)
{
	assert_string_equal(text_whose(f), want);
}

static void parses_messages_into_fields(void **state)
{
	static const struct {
		const char *message, *told;
	} cases[] = {
		{ "version 2.55.0", "version | exe=[2.55.0]" },
		{ "start git 'a b'", "start | argv=([git][a b])" },
		{ "start  git fetch", "start | argv=([git][fetch])" },
		{ "exit elapsed:0.004031 code:128", "exit | t_abs=4031000 code=128" },
		{ "atexit elapsed:12.000001 code:0", "atexit | t_abs=12000001000 code=0" },
		{ "signal elapsed:0.1 code:15", "signal | t_abs=100000000 signo=15" },
		{ "error", "error |" },
		{ "error not | a 'x", "error | msg=[not | a 'x]" },
		{ "cmd_path /usr/bin/git", "cmd_path | path=[/usr/bin/git]" },
		{ "cmd_ancestry sh <- a b <- c", "cmd_ancestry | ancestry=([sh][a b][c])" },
		{ "cmd_name gc (fetch/gc)", "cmd_name | name=[gc] hierarchy=[fetch/gc]" },
		{ "cmd_mode branch", "cmd_mode | name=[branch]" },
		{ "alias st -> status -s", "alias | alias=[st] argv=([status][-s])" },
		{ "child_start[3] git gc", "child_start | child_id=3 argv=([git][gc])" },
		{ "child_start[3] cd 'a b'; git gc",
		  "child_start | child_id=3 cd=[a b] argv=([git][gc])" },
		{ "child_start[3] cd gc", "child_start | child_id=3 argv=([cd][gc])" },
		{ "child_exit[3] pid:1362 code:0 elapsed:0.026023",
		  "child_exit | child_id=3 pid=1362 code=0 t_rel=26023000" },
		{ "child_ready[1] pid:5 ready:timeout elapsed:1.5",
		  "child_ready | child_id=1 pid=5 ready=[timeout] t_rel=1500000000" },
		{ "exec[0] git-x git-x '-y'", "exec | exec_id=0 exe=[git-x] argv=([git-x][-y])" },
		{ "exec_result[0] code:2 err:No such", "exec_result | exec_id=0 code=2" },
		{ "def_param scope:command a.b=c=d",
		  "def_param | scope=[command] param=[a.b] value=[c=d]" },
		{ "def_param a.b=c", "def_param | param=[a.b] value=[c]" },
		{ "worktree '/a b'", "def_repo | worktree=[/a b]" },
		{ "timer test/t intervals:5 total: 0.000029 min: 0.000001 max: 0.000010",
		  "timer | category=[test] name=[t] intervals=5 t_total=29000 t_min=1000 "
		  "t_max=10000" },
		{ "th_counter test/c value:7", "th_counter | category=[test] name=[c] count=7" },
		{ "Hello, world", "printf | msg=[Hello, world]" },
	};
	struct text_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *bar = strstr(cases[i].told, " |");
		char want[512];

		text_open(&f, READER_NORMAL, "t", true);
		normal_test_put(&f, 0, cases[i].message);
		snprintf(want, sizeof(want),
			 "%.*s sid=[normal:t#1] time=1795262400000000000 file=[a.c] line=7",
			 (int)(bar - cases[i].told), cases[i].told);
		assert_memory_equal(text_told(&f), want, strlen(want));
		snprintf(want, sizeof(want), "line=7%s\n", bar + 2);
		assert_string_equal(strstr(tr2_buf_cstr(&f.out), "line=7"), want);
		text_close(&f);
	}
}

static void parses_messages_after_long_places(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_NORMAL, "t", true);
	text_line(&f, "12:00:00.000001 a/directory/with/a/long/name/file.c:1234 exit "
		      "elapsed:0.1 code:3\n"
		      "12:00:00.000001                                   cmd_mode x\n");
	assert_non_null(strstr(text_told(&f), "file=[a/directory/with/a/long/name/file.c] line=1234"
					      " t_abs=100000000 code=3\n"));
	assert_non_null(strstr(tr2_buf_cstr(&f.out), "cmd_mode sid=[normal:t#1]"
						     " time=1795262400000001000 name=[x]\n"));
	text_close(&f);
}

static void assigns_ends_to_the_process_that_began(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_NORMAL, "t", false);
	normal_test_put(&f, 0, "version 2.55");
	normal_test_put(&f, 1, "start git fetch");
	normal_test_put(&f, 5, "child_start[0] git-upload-pack /o.git");
	normal_test_put(&f, 10, "version 2.55");
	normal_test_put(&f, 11, "start git-upload-pack /o.git");
	normal_test_put(&f, 12, "child_start[0] git pack-objects");
	normal_test_put(&f, 20, "version 2.55");
	normal_test_put(&f, 22, "cmd_name pack-objects (fetch/upload-pack/pack-objects)");
	/* This exit is of the child that began at 5 ms. */
	normal_test_put(&f, 30, "child_exit[0] pid:1 code:0 elapsed:0.025");
	normal_test_put(&f, 31,
			/* this exit is of the child that began at 12 ms, the only one left */
			"child_exit[0] pid:1 code:0 elapsed:0.025");
	/* exit of the process that began at 10 ms */
	normal_test_put(&f, 32, "exit elapsed:0.022 code:0");
	normal_test_put(&f, 32, "atexit elapsed:0.022 code:0");
	normal_test_put(&f, 33, "exit elapsed:0.033 code:0");
	normal_test_put(&f, 33, "timer c/n intervals:1 total:0.1 min:0.1 max:0.1");
	normal_test_put(&f, 34, "error x");
	normal_test_put(&f, 35, "atexit elapsed:0.033 code:0");
	normal_test_put(&f, 36, "signal elapsed:0.016 code:9");
	normal_test_put(&f, 40, "version 2.55");
	normal_test_expect_whose(
		&f, "1:version 1:start 1:child_start 1/2:version 1/2:start 1/2:child_start "
		    "1/2/3:version 1/2/3:cmd_name 1:child_exit 1/2:child_exit 1/2:exit "
		    "1/2:atexit 1:exit 1:timer 1/2/3:error 1:atexit 1/2/3:signal 4:version");
	/* Process 4 ends. Ends of unknown processes are counted and create no process. */
	normal_test_put(&f, 41, "exit elapsed:0.001 code:0");
	normal_test_put(&f, 41, "atexit elapsed:0.001 code:0");
	normal_test_put(&f, 42, "exit elapsed:0.001 code:0");
	normal_test_put(&f, 42, "atexit elapsed:0.001 code:0");
	normal_test_put(&f, 42, "child_exit[9] pid:1 code:0 elapsed:0.1");
	normal_test_put(&f, 43, "error late");
	normal_test_expect_whose(&f, "4:exit 4:atexit 4:error");
	assert_int_equal(f.counts.nr_ignored, 3);
	assert_int_equal(f.nr_processes, 4);
	text_close(&f);
}

static void treats_a_stream_of_one_process_as_one(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_NORMAL, "s.sock", true);
	normal_test_put(&f, 0, "version 2.55");
	normal_test_put(&f, 1, "child_start[0] git gc");
	normal_test_put(&f, 2, "version 2.55");
	normal_test_put(&f, 3, "atexit elapsed:9.0 code:0");
	normal_test_expect_whose(&f, "1:version 1:child_start 1:version 1:atexit");
	text_close(&f);
}

/* A quoted argument may have the bars of a PERF line. */
static void accepts_quoted_lines_that_look_like_perf(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_NORMAL, "t", true);
	normal_test_put(&f, 0, "start git commit -m 'a\n | d0 | main | start | | | | | b'");
	assert_non_null(strstr(text_told(&f), "start"));
	assert_int_equal(f.counts.nr_events, 1);
	assert_int_equal(f.counts.nr_malformed, 0);
	text_close(&f);
}

static void accepts_brief_lines_with_a_known_word(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_NORMAL, "t", false);
	text_line(&f,
		  "version 2.55\nstart git x\nerror a\nOn branch main\nexit elapsed:0.1 code:0\n"
		  "atexit elapsed:0.1 code:0\nversion 2.55\n");
	normal_test_expect_whose(&f, "1:version 1:start 1:error 1:exit 1:atexit 2:version");
	assert_int_equal(f.counts.nr_continued, 1);
	text_close(&f);
	/* If other lines have times, a known word without a time continues the line before. */
	text_open(&f, READER_NORMAL, "t", false);
	normal_test_put(&f, 0, "error a");
	text_line(&f, "start again\n\n");
	normal_test_put(&f, 1, "start git 'a");
	text_line(&f, "12:00:00.000001 b'\n");
	normal_test_expect_whose(&f, "1:error 1:start");
	assert_int_equal(f.counts.nr_continued, 2);
	text_close(&f);
}

static void normal_counts_lines_that_are_not_records(void **state)
{
	static const char *const bad[] = {
		"On branch main\n",
		"{\"event\":\"exit\",\"sid\":\"s\"}\n",
		"12:00:00.000001 a.c:1 | d0 | main | start | | 0.1 | | | git\n",
	};
	struct text_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		text_open(&f, READER_NORMAL, "t", false);
		text_line(&f, bad[i]);
		assert_int_equal(f.counts.nr_malformed, 1);
		assert_int_equal(f.counts.nr_events, 0);
		text_close(&f);
	}
}

static void normal_limits_hold_and_no_event_is_dropped(void **state)
{
	struct text_fixture f;
	char text[64];
	uint64_t nr = 0;

	(void)state;
	text_open(&f, READER_NORMAL, "t", false);
	for (unsigned i = 0; i < 6000; i++, nr++) {
		normal_test_put(&f, (int)i, "version 2.55");
		batch_clear(f.batch);
	}
	for (unsigned i = 0; i < 3000; i++, nr++) {
		snprintf(text, sizeof(text), "child_start[%u] x", i);
		normal_test_put(&f, 6000, text);
		batch_clear(f.batch);
	}
	for (unsigned i = 0; i < 1200; i++, nr += 2) {
		normal_test_put(&f, 7000, "version 2.55");
		normal_test_put(&f, 7000, "child_start[0] x");
		batch_clear(f.batch);
	}
	assert_int_equal(f.counts.nr_events, nr);
	assert_true(reader_held(f.reader) < TEXT_MAX_APART_BYTES + (1u << 20));
	text_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_messages_into_fields),
		cmocka_unit_test(parses_messages_after_long_places),
		cmocka_unit_test(assigns_ends_to_the_process_that_began),
		cmocka_unit_test(treats_a_stream_of_one_process_as_one),
		cmocka_unit_test(accepts_quoted_lines_that_look_like_perf),
		cmocka_unit_test(accepts_brief_lines_with_a_known_word),
		cmocka_unit_test(normal_counts_lines_that_are_not_records),
		cmocka_unit_test(normal_limits_hold_and_no_event_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
