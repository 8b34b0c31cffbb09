/* SPDX-License-Identifier: MIT */
/* Tests of the PERF reader. */
#include "config.h"

#include "monitor/read/text/text_process.h"
#include "tests/text_fixture.h"

#define NOON 43200000000

static void put_begin(struct text_fixture *f, int64_t us, unsigned depth, const char *argv)
{
	perf_put(f, us + 100, depth, "main", "version", -1, -1, "", "2.50");
	perf_put(f, us + 150, depth, "main", "start", 140, -1, "", argv);
}

static void put_end(struct text_fixture *f, int64_t us, int64_t elapsed, unsigned depth)
{
	perf_put(f, us + elapsed + 5, depth, "main", "exit", elapsed, -1, "", "code:0");
	perf_put(f, us + elapsed + 15, depth, "main", "atexit", elapsed + 10, -1, "", "code:0");
}

static void perf_test_expect_whose(struct text_fixture *f, const char *want)
{
	assert_string_equal(text_whose(f), want);
}

static const char *told_of(const char *line)
{
	static char text[8192];
	struct text_fixture f;

	text_open(&f, READER_PERF, "t", true);
	text_line(&f, line);
	assert_int_equal(f.counts.nr_malformed, 0);
	assert_int_equal(f.counts.nr_events, 1);
	snprintf(text, sizeof(text), "%s", text_told(&f));
	text_close(&f);
	return text;
}

#define HEAD "12:00:00.000001 some/file.c:77               | d0 | main                     | "
#define HEAD_TOLD(kind)                                                                            \
	kind " sid=[perf:t#1] thread=[main] time=1795262400000001000 file=[some/file.c] "          \
	     "line=77"
#define NO_TIMES "     |           |           |              | "
#define ABS_ONLY "     |  0.000338 |           |              | "
#define BOTH     " r1  |  0.010859 |  0.000167 | fetch-pack   | "

static void parses_columns_and_messages_into_fields(void **state)
{
	static const struct {
		const char *line, *told;
	} cases[] = {
		{ HEAD "version      |" NO_TIMES "2.55.0\n",
		  HEAD_TOLD("version") " exe=[2.55.0]\n" },
		{ HEAD "start        |" ABS_ONLY
		       "git-upload-pack /tmp/o.git 'it'\\''s' 'a'\\!'b' ''\n",
		  HEAD_TOLD("start") " t_abs=338000 "
				     "argv=([git-upload-pack][/tmp/o.git][it's][a!b][])\n" },
		/* two lines as Git 2.23 writes them */
		{ HEAD "start        |" ABS_ONLY " git st\n",
		  HEAD_TOLD("start") " t_abs=338000 argv=([git][st])\n" },
		{ HEAD "child_start  |" ABS_ONLY "[ch0] class:dashed argv: git-st\n",
		  HEAD_TOLD("child_start") " t_abs=338000 child_id=0 child_class=[dashed] "
					   "argv=([git-st])\n" },
		{ HEAD "child_start  |" ABS_ONLY
		       "....[ch12] class:hook hook:pre-push cd:'a b' argv:[git push 'x]']\n",
		  HEAD_TOLD("child_start") " t_abs=338000 child_id=12 child_class=[hook] "
					   "hook_name=[pre-push] cd=[a b]"
					   " argv=([git][push][x]])\n" },
		{ HEAD "child_exit   |" BOTH "..[ch3] pid:-1 code:-1\n",
		  HEAD_TOLD("child_exit") " repo=1 t_abs=10859000 child_id=3 pid=-1 code=-1"
					  " t_rel=167000 category=[fetch-pack]\n" },
		{ HEAD "exec         |" ABS_ONLY "id:0 argv:[git-foo git-foo -x]\n",
		  HEAD_TOLD("exec") " exec_id=0 exe=[git-foo] t_abs=338000 "
				    "argv=([git-foo][-x])\n" },
		{ HEAD "exec_result  |" ABS_ONLY "id:0 code:2 err:No such file\n",
		  HEAD_TOLD("exec_result") " exec_id=0 t_abs=338000 code=2\n" },
		{ HEAD "cmd_ancestry |" NO_TIMES "ancestry:[sh 'a b']\n",
		  HEAD_TOLD("cmd_ancestry") " ancestry=([sh][a b])\n" },
		{ HEAD "cmd_name     |" NO_TIMES "upload-pack (fetch/upload-pack)\n",
		  HEAD_TOLD("cmd_name") " name=[upload-pack] hierarchy=[fetch/upload-pack]\n" },
		{ HEAD "alias        |" NO_TIMES "alias:st argv:[status -s]\n",
		  HEAD_TOLD("alias") " alias=[st] argv=([status][-s])\n" },
		{ HEAD "def_repo     | r12  |           |           |              | "
		       "worktree:'/a b'\n",
		  HEAD_TOLD("def_repo") " repo=12 worktree=[/a b]\n" },
		{ HEAD "def_param    |     |           |           | scope:comman | a.b:c:d\n",
		  HEAD_TOLD("def_param") " scope=[comman] param=[a.b] value=[c:d]\n" },
		{ HEAD "region_leave |" BOTH "....label:mark_complete rest of it\n",
		  HEAD_TOLD("region_leave") " repo=1 t_abs=10859000 t_rel=167000 nesting=3"
					    " category=[fetch-pack] label=[mark_complete] "
					    "msg=[rest of it]\n" },
		{ HEAD "region_enter |     |  0.010859 |           | progress     | "
		       "label:Counting objects\n",
		  HEAD_TOLD("region_enter") " t_abs=10859000 nesting=1 category=[progress] "
					    "label=[Counting objects]\n" },
		{ HEAD "data         |" BOTH "..read/version:2 | 3\n",
		  HEAD_TOLD("data") " repo=1 t_abs=10859000 t_rel=167000 nesting=2"
				    " category=[fetch-pack] key=[read/version] value=[2 | 3]\n" },
		{ HEAD "data_json    |" BOTH "info:{\"a\":[1]}\n",
		  HEAD_TOLD("data_json") " repo=1 t_abs=10859000 t_rel=167000 nesting=1"
					 " category=[fetch-pack] key=[info] "
					 "value=[{\"a\":[1]}]\n" },
		{ HEAD "data_json    |" BOTH "info:no \"JSON\"\n",
		  HEAD_TOLD("data_json") " repo=1 t_abs=10859000 t_rel=167000 nesting=1"
					 " category=[fetch-pack] key=[info] value=[\"no "
					 "\\\"JSON\\\"\"]\n" },
		{ HEAD "timer        |     |           |           | test         | "
		       "name:t intervals:5 total: 0.000029 min: 0.000001 max: 0.000010\n",
		  HEAD_TOLD("timer") " category=[test] name=[t] intervals=5 t_total=29000 "
				     "t_min=1000"
				     " t_max=10000\n" },
		{ HEAD "counter      |     |           |           | test         | name:c "
		       "value:7\n",
		  HEAD_TOLD("counter") " category=[test] name=[c] count=7\n" },
		/* A number that does not fit into int64 counts as absent. */
		{ HEAD "counter      |     |           |           | test         | "
		       "name:c value:18446744073709551615\n",
		  HEAD_TOLD("counter") " category=[test] name=[c]\n" },
		{ HEAD "error        |" NO_TIMES "\n", HEAD_TOLD("error") "\n" },
		{ HEAD "error        |" NO_TIMES "../x | y\n",
		  HEAD_TOLD("error") " msg=[../x | y]\n" },
		{ HEAD "brand_new    |" ABS_ONLY "x\n",
		  "? sid=[perf:t#1] thread=[main] time=1795262400000001000 file=[some/file.c]"
		  " line=77 t_abs=338000 msg=[x] event=[brand_new]\n" },
		{ "d3 | th01:x                   | thread_exit  |     |  0.5 |123456.000001 |  "
		  "            | \n",
		  "thread_exit sid=[?t#1/?t#1/?t#1/perf:t#1] thread=[th01:x] t_abs=500000000"
		  " t_rel=123456000001000\n" },
		/* The source location is truncated, or longer than its column. */
		{ "12:00:00.000001 ...g/name/of/a/dir/file.c:1234 | d0 | main | atexit | | 0.1 "
		  "| | | code:3\n",
		  "atexit sid=[perf:t#1] thread=[main] time=1795262400000001000"
		  " file=[...g/name/of/a/dir/file.c] line=1234 t_abs=100000000 code=3\n" },
		{ "12:00:00.000001 a/very/long/name/of/a/file/in/git/2.23.c:1| d0 | main | "
		  "signal | | 0.1 | | | signo:15\n",
		  "signal sid=[perf:t#1] thread=[main] time=1795262400000001000"
		  " file=[a/very/long/name/of/a/file/in/git/2.23.c] line=1 t_abs=100000000 "
		  "signo=15\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(told_of(cases[i].line), cases[i].told);
}

static void strips_only_the_dots_of_open_regions(void **state)
{
	struct text_fixture f;

	(void)state;
	for (int many = 0; many < 2; many++) {
		text_open(&f, READER_PERF, "t", !many);
		put_begin(&f, NOON, 0, "git x");
		perf_put(&f, NOON + 1000, 0, "main", "region_enter", 990, -1, "c", "label:a");
		text_finish(&f, true);
		text_told(&f);
		perf_put(&f, NOON + 1100, 0, "main", "error", -1, -1, "", "...x");
		perf_put(&f, NOON + 1200, 0, "main", "printf", 1190, -1, "", "..");
		perf_put(&f, NOON + 1300, 0, "main", "region_leave", 1290, 300, "c", "label:a");
		perf_put(&f, NOON + 1400, 0, "main", "cmd_path", -1, -1, "", "../git");
		assert_non_null(strstr(text_told(&f), " msg=[.x]\nprintf"));
		assert_non_null(strstr(tr2_buf_cstr(&f.out), " t_abs=1190000\n"));
		assert_non_null(strstr(tr2_buf_cstr(&f.out), " path=[../git]\n"));
		text_close(&f);
	}
}

static void continues_lists_and_json_in_further_lines(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", true);
	text_line(&f, HEAD "start        |" ABS_ONLY "git 'a\n");
	text_line(&f, HEAD "start        |" ABS_ONLY "\n");
	assert_string_equal(text_told(&f), "");
	text_line(&f, "b'\n");
	assert_non_null(
		strstr(text_told(&f), "argv=([git][a\n" HEAD "start        |" ABS_ONLY "\nb])"));
	text_line(&f, HEAD "data_json    |" BOTH "k:{\n");
	text_line(&f, "  \"a\": \"}\",\n");
	text_line(&f, "  \"b\": [\n  ]\n}\n");
	assert_non_null(strstr(text_told(&f), "value=[{   \"a\": \"}\",   \"b\": [   ] }]"));
	/* Lines that are no records continue the message that was delivered. */
	text_line(&f, HEAD "error        |" NO_TIMES "ambiguous 'x\n");
	text_line(&f, "Use '--'\n\nlike this\n");
	assert_non_null(strstr(text_told(&f), "msg=[ambiguous 'x]\n"));
	assert_int_equal(f.counts.nr_continued, 3);
	assert_int_equal(f.counts.nr_malformed, 0);
	/* A record without an end is one malformed record. */
	text_line(&f, HEAD "start        |" ABS_ONLY "git 'a\nb\n");
	text_finish(&f, false);
	assert_string_equal(text_told(&f), "");
	assert_int_equal(f.counts.nr_malformed, 1);
	assert_string_equal(f.why, "it ends inside a quote or brace");
	text_close(&f);
}

static void counts_only_torn_lines_as_malformed(void **state)
{
	static const char whole[] = HEAD "cmd_name     |" NO_TIMES "gc (gc)\n";
	struct text_fixture f;
	char line[400];

	(void)state;
	for (size_t cut = 1; cut + 1 < sizeof(whole) - 1; cut++) {
		bool is_head = cut < strlen(HEAD "cmd_name     |" NO_TIMES) - 1;
		uint64_t nr;

		text_open(&f, READER_PERF, "t", true);
		/* The end of a line, which continues no record. */
		text_line(&f, whole + cut);
		nr = f.counts.nr_malformed + f.counts.nr_events;
		assert_int_equal(nr, 1);
		text_line(&f, whole);
		assert_int_equal(f.counts.nr_events, 1 + nr - f.counts.nr_malformed);
		/*
		 * The beginning of a line is not a record if columns are missing; otherwise it is
		 * one with a shorter message.
		 */
		snprintf(line, sizeof(line), "%.*s\n", (int)cut, whole);
		nr = f.counts.nr_events;
		text_line(&f, line);
		assert_int_equal(f.counts.nr_events - nr, !is_head);
		/* The beginning of a line is directly followed by a whole line. */
		snprintf(line, sizeof(line), "%.*s%s", (int)cut, whole, whole);
		nr = f.counts.nr_events + f.counts.nr_malformed + f.counts.nr_continued +
		     f.counts.nr_unknown;
		text_line(&f, line);
		assert_true(f.counts.nr_events + f.counts.nr_malformed + f.counts.nr_continued >
			    nr);
		text_told(&f);
		text_line(&f, whole);
		assert_non_null(strstr(text_told(&f), " name=[gc] hierarchy=[gc]"));
		text_close(&f);
	}
}

static void perf_counts_lines_that_are_not_records(void **state)
{
	static const char *const bad[] = {
		"On branch main\n",
		HEAD "start        |" ABS_ONLY "git\n{\"event\":\"exit\",\"sid\":\"s\"}\n",
		"12:00:00.000001 a.c:1                             start git\n",
		"12:00:00.000001 a.c:1 | d1001 | main | start | | 0.1 | | | git\n",
		"12:00:00.000001 a.c:1 | dx | main | start | | 0.1 | | | git\n",
		"12:00:00.000001 a.c:1 | d1 | main | start | | x | | | git\n",
		"12:00:00.000001 a.c:1 | d1 | main | | | | | | git\n",
		"25:00:00.000001 a.c:1 | d1 | main | start | | 0.1 | | | git\n",
	};
	struct text_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		text_open(&f, READER_PERF, "t", false);
		text_line(&f, bad[i]);
		assert_int_equal(f.counts.nr_malformed, 1);
		assert_int_equal(f.counts.nr_events, i == 1);
		text_close(&f);
	}
}

static void each_version_begins_a_process_below_its_parent(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "x.perf", false);
	put_begin(&f, NOON, 0, "git fetch");
	perf_put(&f, NOON + 1000, 0, "main", "child_start", 990, -1, "",
		 "[ch0] class:? argv:[git gc]");
	perf_put(&f, NOON + 1100, 0, "main", "child_start", 1090, -1, "",
		 "[ch1] class:? argv:['git-upload-pack '\\''/o.git'\\''']");
	put_begin(&f, NOON + 2000, 1, "git-upload-pack /o.git");
	put_begin(&f, NOON + 3000, 1, "/usr/lib/git-core/git gc");
	perf_put(&f, NOON + 3500, 1, "main", "cmd_name", -1, -1, "", "gc (fetch/gc)");
	perf_put(&f, NOON + 3600, 1, "main", "cmd_name", -1, -1, "",
		 "upload-pack (fetch/upload-pack)");
	put_end(&f, NOON + 3000, 1000, 1);
	put_end(&f, NOON + 2000, 3000, 1);
	put_end(&f, NOON, 9000, 0);
	put_begin(&f, NOON + 20000, 0, "git fetch");
	put_begin(&f, NOON + 30000, 2, "git lost");
	perf_test_expect_whose(
		&f, "1:version 1:start 1:child_start 1:child_start 1/2:version 1/2:start "
		    "1/3:version 1/3:start 1/3:cmd_name 1/2:cmd_name 1/3:exit 1/3:atexit "
		    "1/2:exit 1/2:atexit 1:exit 1:atexit 4:version 4:start "
		    "?5/?5/5:version ?5/?5/5:start");
	assert_int_equal(f.nr_processes, 5);
	text_close(&f);
}

static void separates_interleaved_processes_by_start_time(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	put_begin(&f, NOON, 0, "git a");
	put_begin(&f, NOON + 400, 0, "git a");
	text_told(&f);
	for (int i = 1; i < 50; i++) {
		perf_put(&f, NOON + i * 1000, 0, "main", "region_enter", i * 1000 - 3, -1, "c",
			 "label:l");
		perf_put(&f, NOON + i * 1000 + 10, 0, "main", "region_enter", i * 1000 - 393, -1,
			 "c", "label:l");
		perf_put(&f, NOON + i * 1000 + 20, 0, "main", "region_leave", i * 1000 - 383, 10,
			 "c", "label:l");
		perf_put(&f, NOON + i * 1000 + 30, 0, "main", "region_leave", i * 1000 + 27, 30,
			 "c", "label:l");
		perf_test_expect_whose(
			&f, "1:region_enter 2:region_enter 2:region_leave 1:region_leave");
	}
	text_close(&f);
}

/* Start times are too close, so the content of a line decides. */
static void separates_equal_start_times_by_content(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	put_begin(&f, NOON, 0, "git a");
	put_begin(&f, NOON + 1, 0, "git b");
	perf_put(&f, NOON + 500, 0, "main", "cmd_name", -1, -1, "", "b (b)");
	perf_put(&f, NOON + 510, 0, "main", "cmd_name", -1, -1, "", "a (a)");
	perf_put(&f, NOON + 520, 0, "main", "def_param", -1, -1, "scope:x", "p:v");
	perf_put(&f, NOON + 600, 0, "main", "child_start", 590, -1, "", "[ch7] class:? argv:[x]");
	perf_put(&f, NOON + 700, 0, "main", "region_enter", 699, -1, "c", "label:l");
	text_told(&f);
	/* Process 1 has a child, process 2 an open region. */
	perf_put(&f, NOON + 800, 0, "main", "child_exit", 799, 100, "", "[ch7] pid:1 code:0");
	perf_put(&f, NOON + 900, 0, "main", "data", 890, 100, "c", "..k:v");
	perf_put(&f, NOON + 910, 0, "main", "region_leave", 905, 100, "c", "label:l");
	perf_test_expect_whose(&f, "1:child_exit 2:data 2:region_leave");
	perf_put(&f, NOON + 1000, 0, "th01:x", "thread_start", 990, -1, "", "");
	perf_put(&f, NOON + 1010, 0, "th01:x", "region_enter", 1009, -1, "c", "label:t");
	perf_put(&f, NOON + 1100, 0, "main", "exit", 1090, -1, "", "code:0");
	perf_put(&f, NOON + 1110, 0, "main", "timer", -1, -1, "c",
		 "name:t intervals:1 total: 0.000001 min: 0.000001 max: 0.000001");
	perf_put(&f, NOON + 1120, 0, "main", "atexit", 1110, -1, "", "code:0");
	perf_put(&f, NOON + 1200, 0, "main", "exit", 1190, -1, "", "code:0");
	perf_put(&f, NOON + 1210, 0, "main", "data_json", 1200, 1200, "c", "k:{}");
	perf_put(&f, NOON + 1220, 0, "main", "atexit", 1210, -1, "", "code:0");
	/* The first exit may be assigned to any process; the following lines may not. */
	perf_test_expect_whose(
		&f, "2:thread_start 2:region_enter 2:exit 2:timer 2:atexit 1:exit 1:data_json "
		    "1:atexit");
	text_close(&f);
}

static void continuing_fork_is_the_ended_process(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	put_begin(&f, NOON, 0, "git gc --auto");
	put_end(&f, NOON, 5000, 0);
	text_told(&f);
	perf_put(&f, NOON + 900000, 0, "main", "child_start", 899990, -1, "",
		 "[ch0] class:? argv:[x]");
	perf_test_expect_whose(&f, "1:child_start");
	/* A line with another start time belongs to an unknown process. */
	perf_put(&f, NOON + 990000, 0, "main", "region_enter", 10, -1, "c", "label:l");
	perf_test_expect_whose(&f, "2:region_enter");
	text_close(&f);
}

static void version_waits_for_its_start_within_limits(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	perf_put(&f, NOON, 0, "main", "version", -1, -1, "", "2.50");
	perf_put(&f, NOON + 10, 0, "main", "error", -1, -1, "", "x");
	perf_test_expect_whose(&f, "");
	text_finish(&f, true);
	perf_test_expect_whose(&f, "1:version 1:error");
	perf_put(&f, NOON + 200, 0, "main", "start", 190, -1, "", "git a");
	perf_test_expect_whose(&f, "1:start");
	perf_put(&f, NOON + 300, 0, "main", "version", -1, -1, "", "2.50");
	perf_put(&f, NOON + 200000, 0, "main", "exit", 199990, -1, "", "code:0");
	perf_test_expect_whose(&f, "2:version 1:exit");
	for (int i = 0; i < 80; i++)
		perf_put(&f, NOON + 200001, 1, "main", "version", -1, -1, "", "2.50");
	assert_true(f.batch->nr_events >= 80 - 64);
	text_close(&f);
}

static void separates_brief_lines_by_t_abs_and_content(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	text_line(&f, "d0 | main | version |     |     |     |     | 2.50\n"
		      "d0 | main | start |     | 0.001 |     |     | git a\n"
		      "d0 | main | child_start |     | 0.002 |     |     | [ch0] class:? argv:[git "
		      "b]\n"
		      "d1 | main | version |     |     |     |     | 2.50\n"
		      "d1 | main | start |     | 0.001 |     |     | git b\n"
		      "d1 | main | exit |     | 0.002 |     |     | code:0\n"
		      "d1 | main | atexit |     | 0.003 |     |     | code:0\n"
		      "d0 | main | child_exit |     | 0.008 | 0.006 |     | [ch0] pid:1 code:0\n"
		      "d0 | main | version |     |     |     |     | 2.50\n"
		      "d0 | main | start |     | 0.001 |     |     | git c\n"
		      "d0 | main | exit |     | 0.009 |     |     | code:0\n"
		      "d0 | main | data | r1 | 0.001 | 0.001 | c   | k:v\n");
	perf_test_expect_whose(
		&f, "1:version 1:start 1:child_start 1/2:version 1/2:start 1/2:exit 1/2:atexit "
		    "1:child_exit 3:version 3:start 3:exit 3:data");
	text_close(&f);
}

static void session_of(const char *name, bool one_process, uint32_t number, const char *want)
{
	struct text_fixture f;

	text_open(&f, READER_PERF, name, one_process);
	f.nr_processes = number - 1;
	perf_put(&f, NOON, 0, "main", "exit", 10, -1, "", "code:0");
	assert_non_null(strstr(text_told(&f), want));
	text_close(&f);
}

static void derives_session_ids_from_names(void **state)
{
#define GIT_NAME "20260102T122842.123456Z-H0123abcd-P00001234"
	(void)state;
	session_of("x.perf", false, 1, "exit sid=[perf:x.perf#1]");
	session_of("a.sock", true, 7, "exit sid=[perf:a.sock#7]");
	session_of(GIT_NAME, true, 1, "exit sid=[" GIT_NAME "]");
	session_of(GIT_NAME ".3", true, 1, "exit sid=[" GIT_NAME "]");
	session_of(GIT_NAME, true, 2, "exit sid=[perf#2:" GIT_NAME "]");
	session_of(GIT_NAME, false, 1, "exit sid=[perf:" GIT_NAME "#1]");
	session_of("20260102T122842.123456Z-P0000", true, 1,
		   "exit sid=[perf:20260102T122842.123456Z-P0000#1]");
}

/* Return the pid of the writer in its ABOUT records; NUM_NONE: none. */
static int64_t pid_of(bool one_process, int64_t peer_pid)
{
	struct batch_cursor cursor;
	int64_t pid = NUM_NONE;
	struct text_fixture f;
	struct event ev;

	text_open(&f, READER_PERF, "a.sock", one_process);
	f.stream.peer_pid = peer_pid;
	perf_put(&f, NOON, 0, "main", "exit", 10, -1, "", "code:0");
	for (cursor = batch_begin(f.batch); batch_next(&cursor, &ev);)
		if (ev.kind == REC_ABOUT)
			pid = event_get(&ev, TR2_F_PID, NUM_NONE);
	text_close(&f);
	return pid;
}

static void uses_the_pid_of_the_peer(void **state)
{
	(void)state;
	assert_int_equal(pid_of(true, 4711), 4711);
	assert_int_equal(pid_of(true, 0), NUM_NONE);
	assert_int_equal(pid_of(false, 4711), NUM_NONE);
}

static void expect_time(struct text_fixture *f, int64_t of_day, const char *want)
{
	perf_put(f, of_day, 0, "main", "data", 10, -1, "c", "k:v");
	assert_non_null(strstr(text_told(f), want));
}

static void dates_follow_the_reference_and_midnights(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", true);
	expect_time(&f, NOON - 1, " time=1795262399999999000 ");
	text_close(&f);
	/* A time later than the reference, by more than clocks differ, is of the day before. */
	text_open(&f, READER_PERF, "t", true);
	expect_time(&f, NOON + 2000000, " time=1795176002000000000 ");
	expect_time(&f, 86399999999, " time=1795219199999999000 ");
	expect_time(&f, 1, " time=1795219200000001000 "); /* midnight */
	/* a line that was written late */
	expect_time(&f, 86399999998, " time=1795219199999998000 ");
	expect_time(&f, 2, " time=1795219200000002000 ");
	text_close(&f);
	/* Live data gets the date of its arrival, also after days without data. */
	text_open(&f, READER_PERF, "t", true);
	f.stream.reference_ns = NS_NONE;
	f.stream.arrival_ns = 1795262400 * NS_PER_SEC;
	expect_time(&f, NOON, " time=1795262400000000000 ");
	f.stream.arrival_ns += 3 * 86400 * NS_PER_SEC;
	expect_time(&f, NOON - 1, " time=1795521599999999000 ");
	text_close(&f);
	/* Times are in the time zone of the user, here at the change to summer time. */
	text_open(&f, READER_PERF, "t", true);
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	f.stream.reference_ns = 1774753200 * NS_PER_SEC;            /* 2026-03-29T03:00Z */
	expect_time(&f, 7199000000, " time=1774745999000000000 ");  /* 01:59:59 +01:00 */
	expect_time(&f, 10800000000, " time=1774746000000000000 "); /* 03:00:00 +02:00 */
	text_close(&f);
	setenv("TZ", "UTC", 1);
}

static void skips_old_lines_but_keeps_their_state(void **state)
{
	struct text_fixture f;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	f.stream.is_skipped = true;
	put_begin(&f, NOON, 0, "git a");
	perf_put(&f, NOON + 500, 0, "main", "child_start", 490, -1, "",
		 "[ch0] class:? argv:[git b]");
	perf_test_expect_whose(&f, "");
	assert_int_equal(f.counts.nr_events, 0);
	f.stream.is_skipped = false;
	put_begin(&f, NOON + 1000, 1, "git b");
	put_end(&f, NOON, 9000, 0);
	perf_test_expect_whose(&f, "1/2:version 1/2:start 1:exit 1:atexit");
	text_close(&f);
}

static void perf_limits_hold_and_no_event_is_dropped(void **state)
{
	struct text_fixture f;
	char text[64];
	uint64_t nr = 0;

	(void)state;
	text_open(&f, READER_PERF, "t", false);
	for (unsigned i = 0; i < 6000; i++, nr += 2) {
		put_begin(&f, NOON + i * 200, 0, "git a");
		batch_clear(f.batch);
	}
	for (unsigned i = 0; i < 1000; i++, nr++) {
		snprintf(text, sizeof(text), "th%u", i);
		perf_put(&f, NOON + 1300000, 0, text, "region_enter", 100010, -1, "c", "label:l");
		batch_clear(f.batch);
	}
	for (unsigned i = 0; i < 2000; i++, nr++) {
		snprintf(text, sizeof(text), "%.*slabel:l", (int)(i < 20 ? 2 * i : 40),
			 "............................................");
		perf_put(&f, NOON + 1300000, 0, "main", "region_enter", 100011, -1, "c", text);
		batch_clear(f.batch);
	}
	for (unsigned i = 0; i < 3000; i++, nr++) {
		snprintf(text, sizeof(text), "[ch%u] class:? argv:[x]", i);
		perf_put(&f, NOON + 1300000, 0, "main", "child_start", 100012, -1, "", text);
		batch_clear(f.batch);
	}
	assert_int_equal(f.counts.nr_events, nr);
	assert_int_equal(f.counts.nr_malformed, 0);
	assert_true(reader_held(f.reader) < TEXT_MAX_APART_BYTES + (1u << 20));
	text_close(&f);
}

static void limits_an_open_record(void **state)
{
	static char filler[1 << 20];
	struct text_fixture f;

	(void)state;
	memset(filler, 'x', sizeof(filler));
	filler[sizeof(filler) - 1] = '\n';
	text_open(&f, READER_PERF, "t", true);
	text_line(&f, HEAD "start        |" ABS_ONLY "git 'a\n");
	for (int i = 0; i < 16; i++)
		text_feed(&f, filler, sizeof(filler));
	assert_int_equal(f.counts.nr_malformed, 1);
	assert_true(reader_held(f.reader) < 1 << 20);
	text_line(&f, HEAD "exit         |" ABS_ONLY "code:0\n");
	assert_int_equal(f.counts.nr_events, 1);
	text_close(&f);
}

static void probes(const char *text, bool is_all, int want)
{
	char copy[512 + READER_PAD] = "";
	int got;

	snprintf(copy, 512, "%s", text);
	got = reader_detect(FORMATS_ALL, copy, strlen(text), is_all);
	if (got != want)
		fail_msg("%d, not %d: %s", got, want, text);
}

static void detects_perf_and_normal(void **state)
{
	static const char perf[] = HEAD "version      |" NO_TIMES "2.55.0\n";
	static const char brief[] = "d12 | main | version |     |     |     |     | 2.50\n";
	static const char normal[] =
		"12:00:00.000001 common-init.c:77                  version 2.55\n";
	char cut[256];

	(void)state;
	probes(perf, false, READER_PERF);
	probes(brief, false, READER_PERF);
	probes(normal, false, READER_NORMAL);
	for (size_t len = 1; len < strlen(normal); len++) {
		snprintf(cut, sizeof(cut), "%.*s", (int)len, normal);
		probes(cut, false, DETECT_MORE);
	}
	for (size_t len = 1; len < 60; len++) {
		snprintf(cut, sizeof(cut), "%.*s", (int)len, perf);
		probes(cut, false, DETECT_MORE);
		snprintf(cut, sizeof(cut), "%.*s", (int)len, brief);
		if (len < 20)
			probes(cut, false, DETECT_MORE);
	}
	probes("12:00:00.000001 a.c:1                             hello\n", false, DETECT_MORE);
	probes("12:00:00.000001 a.c:1                             hello\n", true, READER_NORMAL);
	probes("12:00:00.000001 a.c:1            | d0 | ma", true, READER_PERF);
	probes("12:00:00.000001 a.c:1 | d0 | main | nothing | | | | | x\n", true, DETECT_NONE);
	probes("drwxr-xr-x 2 root | root\n", true, DETECT_NONE);
	probes("dog\n", true, DETECT_NONE);
	probes("d0 main\n", true, DETECT_NONE);
	probes("On branch main\n", true, DETECT_NONE);
	probes("12:00\n", true, DETECT_NONE);
}

#define AT(time, place, thread, event) time " " place " | d0 | " thread " | " event " | "
#define HERE                           "some/file.c:77              "
#define THERE                          "some/file.c:78              "
#define MAIN                           "main                    "
#define TH01                           "th01:x                  "
#define ENTER                          "region_enter"
#define LEAVE                          "region_leave"
#define DATA                           "data        "

/* Lines that have parts in common with others: equal parts must not make the rest equal. */
static const char *const similar[] = {
	AT("12:00:00.000001", HERE, MAIN,
	   "version     ") "    |           |           |              | 2.55.0\n",
	AT("12:00:00.000002", HERE, MAIN,
	   "start       ") "    |  0.000338 |           |              | git log '-a b'\n",
	AT("12:00:00.000003", HERE, MAIN,
	   "start       ") "    |  0.000339 |           |              | git log -a\n",
	AT("12:00:00.000004", HERE, MAIN,
	   "cmd_ancestry") "    |           |           |              | ancestry:[sh make]\n",
	AT("12:00:00.000005", HERE, MAIN,
	   "cmd_ancestry") "    |           |           |              | ancestry:[sh]\n",
	AT("12:00:00.000006", HERE, MAIN,
	   "cmd_name    ") "    |           |           |              | log (log)\n",
	AT("12:00:00.000007", HERE, MAIN,
	   "cmd_name    ") "    |           |           |              | log (alias/log)\n",
	AT("12:00:00.000008", HERE, MAIN,
	   "def_repo    ") "r1  |           |           |              | worktree:'/a b'\n",
	AT("12:00:00.000009", HERE, MAIN,
	   "def_repo    ") "r12|           |           |              | worktree:/a\n",
	AT("12:00:00.000010", HERE, MAIN,
	   "def_repo    ") "r12 |           |           |              | worktree:/a\n",
	AT("12:00:00.000011", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | label:x\n",
	AT("12:00:00.000012", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | label:xy\n",
	AT("12:00:00.000013", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | label:x of 5\n",
	AT("12:00:00.000014", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | label:x of 5 \n",
	AT("12:00:00.000015", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | label:x \n",
	AT("12:00:00.000016", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | ..label:x\n",
	AT("12:00:00.000017", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          |  only a message\n",
	AT("12:00:00.000017", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | cat          | a message\n",
	AT("12:00:00.000018", HERE, MAIN,
	   ENTER) "    |  0.010859 |           | progress     | label:x of 5\n",
	AT("12:00:00.000019", HERE, MAIN,
	   LEAVE) "    |  0.010859 |  0.000001 | cat          | label:x\r\n",
	AT("12:00:00.000020", HERE, TH01,
	   LEAVE) "    | 99.999999 | 12.000001 | cat          | label:x\n",
	AT("12:00:00.000021", HERE, TH01,
	   LEAVE) "    | 100.999999 | 12.000001 | cat          | label:x\n",
	AT("12:00:00.000022", THERE, MAIN,
	   LEAVE) "    |  0.010859 |  0.000001 | cat          | label:x\n",
	AT("12:00:00.000023", THERE, MAIN,
	   LEAVE) "    |  0.010859 |           | cat          | label:x\n",
	AT("12:00:00.000024", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | cat          | key:1\n",
	AT("12:00:00.000025", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | cat          | key:22\n",
	AT("12:00:00.000026", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | cat          | key:22\r\n",
	AT("12:00:00.000027", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | cat          | key:\n",
	AT("12:00:00.000028", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | cat          | key\n",
	AT("12:00:00.000029", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | cat          | ...key:1\n",
	AT("12:00:00.000030", THERE, MAIN,
	   DATA) "    |  0.010859 |  0.000001 | c|at         | key:1\n",
	AT("12:00:00.000031", THERE, MAIN,
	   "data_json   ") "    |  0.010859 |  0.000001 | cat          | key:{\"a\":1}\n",
	AT("12:00:00.000032", THERE, MAIN,
	   "child_start ") "    |  0.01085a |           |           "
			   "   | [ch0] class:? argv:[a 'b c']\n",
	AT("12:00:00.000033", THERE, MAIN,
	   "child_start ") "    |  0.010859 |           |              | [ch0] class:? cd:/tmp "
			   "argv:[a 'b c']\n",
	AT("12:00:00.000034", THERE, MAIN,
	   "child_exit  ") "    |  0.010859 |  0.000100 |              | [ch0] pid:7 code:0\n",
	AT("12:00:00.000035", THERE, MAIN,
	   "child_exit  ") "    |  0.010859 |  0.000100 |              | [ch0] pid:8 code:-1\n",
	AT("12:00:00.000036", THERE, MAIN,
	   "alias       ") "    |           |           |              | alias:l argv:[log -p]\n",
	AT("12:00:00.000037", THERE, MAIN,
	   "def_param   ") "    |           |           | scope:local  | a.b:true\n",
	AT("12:00:00.000038", THERE, MAIN,
	   "def_param   ") "    |           |           | scope:comman | a.b:true\n",
	AT("12:00:00.000039", THERE, MAIN,
	   "error       ") "    |           |           |              | gone\n",
	AT("12:00:00.000040", THERE, MAIN,
	   "timer       ") "    |           |           | t            | name:n intervals:2 "
			   "total:0.000002 min:0.000001 max:0.000001\n",
	AT("12:01:00.000041", "                            ", MAIN,
	   "exit        ") "    |  0.010859 |           |              | code:0\n",
	AT("12:01:00.000042", "no number                   ", MAIN,
	   "exit        ") "    |  0.010859 |           |              | code:1\n",
	AT("12:01:61.000043", "no number                   ", MAIN,
	   "exit        ") "    |  0.010859 |           |              | code:1\n",
	AT("11:59:00.000044", "no number                   ", MAIN,
	   "atexit      ") "    |  0.010859 |           |              | code:1\n",
	"d0 | main                     | exit         |     |  0.000338 |           |              "
	"| code:1\n",
	"12:00:00.000005 some/file.c:77               | d0 | main                     | "
	"cmd_ancestry ||    "
	"|           |           |              | ancestry:[sh make]\n",
	"12:00:00.000005 some/file.c:77               | d0 | main                     | "
	"cmd_ancestry | "
	"|    |           |           |              | ancestry:[sh make]\n",
	"12:00:00.000006 some/file.c:77               | d0 | main                     | exit       "
	"  | "
	"    |  0.010859 |           |cat          | code:1\n",
	"12:00:00.000006 some/file.c:77               | d0 | main                     | exit       "
	"  | "
	"    |  0.010859 |           | cat          | code:1\n",
	AT("12:00:00.000007", HERE, MAIN,
	   "child_start ") "    |  0.010859 |           |              | "
			   "[ch0] 'a\n b'\n",
	"some more\n",
};

#define NR_SIMILAR (sizeof(similar) / sizeof(similar[0]))

/* Compare a reader that has read similar lines in many orders with a new reader for each line. */
static void line_gives_the_same_event_after_any_other(void **state)
{
	struct text_fixture all;

	(void)state;
	text_open(&all, READER_PERF, "t", true);
	text_line(&all, similar[0]);
	text_told(&all);
	for (size_t round = 0; round < 4 * NR_SIMILAR * NR_SIMILAR; round++) {
		size_t i = round * (round / NR_SIMILAR / NR_SIMILAR + 1) % NR_SIMILAR;
		struct read_counts before = all.counts;
		struct text_fixture alone;

		if (round < 2 * NR_SIMILAR * NR_SIMILAR)
			i = round / 2 % 2 ? round / NR_SIMILAR % NR_SIMILAR : round % NR_SIMILAR;
		text_open(&alone, READER_PERF, "t", true);
		/* The fast path needs the clock of the batch, which the first line sets. */
		text_line(&alone, similar[0]);
		text_line(&alone, similar[i]);
		text_line(&all, similar[0]);
		text_line(&all, similar[i]);
		assert_string_equal(text_told(&all), text_told(&alone));
		assert_int_equal(all.counts.nr_malformed - before.nr_malformed,
				 alone.counts.nr_malformed);
		text_close(&alone);
	}
	text_close(&all);
}

static void file_gives_the_same_events_from_the_cache(void **state)
{
	char *lines = calloc(1, 1 << 20), *first;
	struct text_fixture f;
	void *shared = NULL;

	(void)state;
	assert_non_null(lines);
	for (size_t i = 0; i < 20 * NR_SIMILAR; i++)
		strcat(lines, similar[i * (i / NR_SIMILAR + 1) % NR_SIMILAR]);
	text_open(&f, READER_PERF, "t", false);
	f.stream.shared = &shared;
	reader_free(f.reader);
	f.reader = reader_new_of(READER_PERF, &f.syms, &f.stream);
	text_line(&f, lines);
	text_finish(&f, false);
	first = strdup(text_told(&f));
	for (int round = 0; round < 3; round++) {
		reader_free(f.reader);
		f.nr_processes = 0;
		f.reader = reader_new_of(READER_PERF, &f.syms, &f.stream);
		text_line(&f, lines);
		text_finish(&f, false);
		assert_string_equal(text_told(&f), first);
	}
	free(first);
	free(lines);
	text_close(&f);
	free(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_columns_and_messages_into_fields),
		cmocka_unit_test(strips_only_the_dots_of_open_regions),
		cmocka_unit_test(continues_lists_and_json_in_further_lines),
		cmocka_unit_test(counts_only_torn_lines_as_malformed),
		cmocka_unit_test(perf_counts_lines_that_are_not_records),
		cmocka_unit_test(each_version_begins_a_process_below_its_parent),
		cmocka_unit_test(separates_interleaved_processes_by_start_time),
		cmocka_unit_test(separates_equal_start_times_by_content),
		cmocka_unit_test(continuing_fork_is_the_ended_process),
		cmocka_unit_test(version_waits_for_its_start_within_limits),
		cmocka_unit_test(separates_brief_lines_by_t_abs_and_content),
		cmocka_unit_test(derives_session_ids_from_names),
		cmocka_unit_test(uses_the_pid_of_the_peer),
		cmocka_unit_test(dates_follow_the_reference_and_midnights),
		cmocka_unit_test(skips_old_lines_but_keeps_their_state),
		cmocka_unit_test(perf_limits_hold_and_no_event_is_dropped),
		cmocka_unit_test(limits_an_open_record),
		cmocka_unit_test(detects_perf_and_normal),
		cmocka_unit_test(line_gives_the_same_event_after_any_other),
		cmocka_unit_test(file_gives_the_same_events_from_the_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
