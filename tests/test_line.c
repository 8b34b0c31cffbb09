/* SPDX-License-Identifier: MIT */
/* Tests of the line mode without a loop, with a simulated clock. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>

#include "engine/base/utf8.h"
#include "tests/screen_fixture.h"
#include "views/line/line.h"
#include "views/line/pace.h"

#define OUT_BYTES (1u << 22)

static struct screen scene;
static struct line *line;
static struct tr2_buf out;

static void begin(int64_t depth)
{
	screen_open(&scene, 80, 24, NULL);
	line = line_new(&(struct line_config){ .ui = scene.ui, .depth = depth });
	tr2_buf_init(&out, OUT_BYTES);
}

static void finish(void)
{
	line_free(line);
	screen_close(&scene);
	tr2_buf_release(&out);
}

static void feed(const char *lines)
{
	screen_feed(&scene, lines, strlen(lines));
}

/* `ms`: milliseconds after SCENE_NOW_NS */
static void event(const char *sid, const char *name, int ms, const char *more)
{
	char text[2000];

	snprintf(text, sizeof(text),
		 "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":\"2026-01-02T12:28:"
		 "%02d.%03d"
		 "000Z\",\"file\":\"x.c\",\"line\":1%s}\n",
		 name, sid, 42 + ms / 1000, ms % 1000, more);
	feed(text);
}

static void start(const char *sid, int ms, const char *argv)
{
	char more[1000];

	event(sid, "version", ms, ",\"evt\":\"3\",\"exe\":\"2.39\"");
	snprintf(more, sizeof(more), ",\"t_abs\":0.001,\"argv\":[%s]", argv);
	event(sid, "start", ms, more);
}

static void leave(const char *sid, int ms, int code, double t_abs)
{
	char more[200];

	snprintf(more, sizeof(more), ",\"t_abs\":%.3f,\"code\":%d", t_abs, code);
	event(sid, "exit", ms, more);
	event(sid, "atexit", ms, more);
}

/* `ms`: milliseconds after SCENE_NOW_NS */
static void look(int ms, bool blocked)
{
	scene.in.wall_ns = SCENE_NOW_NS + ms * NS_PER_MS;
	scene.in.monotonic_ns = 200 * NS_PER_SEC + ms * NS_PER_MS;
	journal_stats(scene.journal, &scene.in.journal_stats);
	line_check(line, &scene.in, blocked, &out);
}

static void ask(const char *text)
{
	tr2_buf_addf(&out, "> %s\n", text);
	line_command(line, &scene.in, text, strlen(text), &out);
}

static void assert_said(const char *wanted)
{
	assert_string_equal(tr2_buf_cstr(&out), wanted);
	tr2_buf_clear(&out);
}

#define LISTENING "following af_unix:dgram:/tmp/t2.sock\n"

static unsigned nr_lines(void)
{
	unsigned nr = 0;

	for (size_t i = 0; i < out.len; i++)
		nr += out.data[i] == '\n';
	return nr;
}

#define A "20260102T122842.000000Z-H00000001-P00000001"
#define B A "/20260102T122842.000001Z-H00000001-P00000002"
#define C B "/20260102T122842.000002Z-H00000001-P00000003"

static void reports_each_change_in_one_sentence(void **state)
{
	(void)state;
	begin(1);
	look(0, false);
	assert_said(LISTENING);
	start(A, 0, "\"/usr/bin/git\",\"fetch\",\"--all\"");
	look(100, false);
	assert_said("1 started, git fetch --all\n");
	start(B, 200, "\"git\",\"index-pack\",\"--stdin\"");
	start(C, 200, "\"git\",\"deep\"");
	look(300, false);
	assert_said("2 started, under 1: git index-pack --stdin\n");
	leave(B, 1200, 0, 1.0);
	look(1300, false);
	assert_said("2 index-pack done after 1 second\n");
	event(A, "error", 2200, ",\"msg\":\"unable to access\\nthe rest\",\"fmt\":\"x\"");
	leave(A, 2300, 128, 2.312);
	look(2400, false);
	assert_said("1 fetch failed with code 128 after 2.3 seconds: unable to access\n");
	look(9000, false);
	assert_said("");
	finish();
}

static void short_processes_get_one_sentence(void **state)
{
	(void)state;
	begin(1);
	look(0, false);
	start(A, 0, "\"git\",\"commit\"");
	start(B, 1, "\"git\",\"maintenance\"");
	leave(B, 9, 1, 0.008);
	leave(A, 10, 1, 0.010);
	tr2_buf_clear(&out);
	look(100, false);
	assert_said("1, git commit, failed with code 1 after 10 milliseconds\n"
		    "2, under 1: git maintenance, failed with code 1 after 8 milliseconds\n");
	finish();
}

static void reports_a_reason_once(void **state)
{
	(void)state;
	begin(1);
	look(0, false);
	start(A, 0, "\"git\",\"fetch\"");
	start(B, 1, "\"git\",\"remote-https\"");
	start(C, 2, "\"git\",\"remote-curl\"");
	event(C, "error", 3, ",\"msg\":\"no such host\",\"fmt\":\"%s\"");
	leave(C, 4, 128, 0.002);
	leave(B, 5, 128, 0.004);
	tr2_buf_clear(&out);
	look(100, false);
	assert_said(
		"1 started, git fetch\n"
		"2, under 1: git remote-https, failed with code 128 after 4 milliseconds: no such "
		"host\n");
	leave(A, 200, 128, 0.2);
	look(300, false);
	assert_said("1 fetch failed with code 128 after 200 milliseconds\n");
	finish();
}

static void long_processes_are_reported_three_times(void **state)
{
	(void)state;
	begin(1);
	look(0, false);
	start(A, 0, "\"git\",\"fetch\"");
	look(10, false);
	tr2_buf_clear(&out);
	event(A, "region_enter", 1000,
	      ",\"nesting\":1,\"category\":\"fetch\",\"label\":\"negotiation\"");
	for (int ms = 1100; ms < 200000; ms += 100)
		look(ms, false);
	assert_said("1 fetch: in fetch/negotiation for 5 seconds\n"
		    "1 fetch: in fetch/negotiation for 30 seconds\n"
		    "1 fetch: in fetch/negotiation for 2 minutes\n");
	finish();
}

static void sid_of(char *sid, size_t bytes, int number)
{
	snprintf(sid, bytes, "20260102T122842.%06dZ-H00000001-P%08x", number, number + 1);
}

/* At most ten lines are printed in any second. */
static void counts_suppressed_lines(void **state)
{
	char sid[64];
	int began = 0;
	unsigned in_tick[60] = { 0 }, merged = 0, named = 0;

	(void)state;
	begin(1);
	look(0, false);
	tr2_buf_clear(&out);
	for (int tick = 0; tick < 60; tick++) {
		for (int i = 0; i < 5 && tick < 40; i++, began++) {
			sid_of(sid, sizeof(sid), began);
			start(sid, tick * 100, "\"git\",\"status\"");
			leave(sid, tick * 100, 0, 0.004);
		}
		look(2000 + tick * 100, false);
		in_tick[tick] = nr_lines();
		for (const char *at = tr2_buf_cstr(&out); *at; at = strchr(at, '\n') + 1) {
			unsigned started, done;

			if (sscanf(at, "%u more started, %u done", &started, &done) == 2) {
				assert_int_equal(started, done);
				merged += started;
			} else {
				assert_non_null(
					strstr(at, ", git status, done after 4 milliseconds"));
				named++;
			}
		}
		tr2_buf_clear(&out);
	}
	assert_int_equal(merged + named, began);
	assert_true(merged > 100);
	for (int tick = 0; tick + 10 <= 60; tick++) {
		unsigned nr = 0;

		for (int i = 0; i < 10; i++)
			nr += in_tick[tick + i];
		assert_true(nr <= PACE_LINES);
	}
	finish();
}

static void failures_are_never_suppressed(void **state)
{
	char sid[64];

	(void)state;
	begin(1);
	look(0, false);
	for (int i = 0; i < 40; i++) {
		sid_of(sid, sizeof(sid), i);
		start(sid, 0, "\"git\",\"status\"");
		leave(sid, 0, i == 30 ? 3 : 0, 0.004);
	}
	tr2_buf_clear(&out);
	look(2000, false);
	assert_non_null(strstr(tr2_buf_cstr(&out), ", git status, failed with code 3 after"));
	finish();
}

static void counts_lines_while_the_reader_blocks(void **state)
{
	char sid[64];

	(void)state;
	begin(1);
	look(0, false);
	tr2_buf_clear(&out);
	for (int i = 0; i < 1000; i++) {
		sid_of(sid, sizeof(sid), i);
		start(sid, 0, "\"git\",\"status\"");
		leave(sid, 0, i == 7, 0.004);
		if (i % 50 == 0)
			look(i * 10, true);
	}
	look(20000, true);
	assert_said("");
	look(20100, false);
	assert_said("1000 more started, 999 done, 1 failed\n");
	finish();
}

static void limits_lines_in_any_second(void **state)
{
	struct pace pace;
	unsigned said = 0;

	(void)state;
	pace_init(&pace);
	for (ns_t now = 950 * NS_PER_MS; now < 1050 * NS_PER_MS; now += NS_PER_MS)
		if (pace_has_room(&pace, now, PACE_TROUBLE)) {
			pace_said(&pace, now);
			said++;
		}
	assert_int_equal(said, PACE_LINES - 1);
	assert_false(pace_has_room(&pace, 1900 * NS_PER_MS, PACE_BELOW));
	assert_true(pace_has_room(&pace, 1960 * NS_PER_MS, PACE_TROUBLE));
}

/* The trace has terminal control sequences in names, messages and commands. */
static void prints_only_printable_lines(void **state)
{
	static const char *const asked[] = {
#define LINE_VIEW(word, VIEW, of, doc)     word,
#define LINE_ACT(word, act, argument, doc) word,
#include "views/line/commands.def"
		"\x1b]0;x\a", "list\r"
	};
	static const char *const arguments[] = { "", " 1", " \x1b[2J", " \x01" };
	char text[80];
	uint32_t ch;

	(void)state;
	begin(1);
	look(0, false);
	start(A, 0, "\"git\\u001b[2J\",\"a\\u0000b\\nc\",\"\\u202e\\u009b31m\"");
	event(A, "cmd_name", 1, ",\"name\":\"\\u001b[31mfetch\\u0007\",\"hierarchy\":\"\\u0007\"");
	event(A, "region_enter", 1, ",\"nesting\":1,\"category\":\"\\u001b\",\"label\":\"a\\nb\"");
	event(A, "child_start", 1,
	      ",\"child_id\":0,\"child_class\":\"\\u001bc\",\"use_shell\":false,\"argv\":["
	      "\"\\u001b\\n\"]");
	look(7000, false);
	event(A, "error", 2, ",\"msg\":\"\\u001b]2;title\\u0007\\r\\nnext\",\"fmt\":\"\\u001b\"");
	leave(A, 7000, 1, 7.0);
	look(8000, false);
	for (size_t i = 0; i < 4 * sizeof(asked) / sizeof(*asked); i++) {
		snprintf(text, sizeof(text), "%s%s", asked[i / 4], arguments[i % 4]);
		line_command(line, &scene.in, text, strlen(text), &out);
	}
	for (size_t at = 0; at < out.len;) {
		at += tr2_utf8_decode(out.data + at, out.len - at, &ch);
		assert_true(ch == '\n' || (ch >= ' ' && ch < 0x7f) || ch >= 0xa0);
		assert_true(ch != 0x202e && ch != 0x2028);
	}
	assert_int_equal(out.data[out.len - 1], '\n');
	assert_non_null(strstr(tr2_buf_cstr(&out), "1 running for 7 seconds, git^[[2J"));
	finish();
}

static void accepts_unique_prefixes_of_commands(void **state)
{
	(void)state;
	begin(1);
	screen_scene(&scene);
	look(0, false);
	tr2_buf_clear(&out);
	ask("sour");
	assert_non_null(strstr(tr2_buf_cstr(&out), "> sour\nSources\n"));
	tr2_buf_clear(&out);
	ask("fi");
	assert_said("> fi\nunknown command fi: help lists them\n");
	ask("show");
	assert_said("> show\nshow needs the number of a process, for example show 1; list shows "
		    "the numbers\n");
	ask("show 99");
	assert_said("> show 99\nunknown process 99\n");
	ask("show -1");
	assert_said("> show -1\nshow needs the number of a process, for example show 1; list shows "
		    "the numbers\n");
	ask("list 1");
	assert_said("> list 1\nlist takes no argument\n");
	ask("");
	assert_said("> \n");
	ask("find");
	assert_said("> find\nfind needs a text, for example find fetch\n");
	ask("more");
	assert_non_null(strstr(tr2_buf_cstr(&out), "no more rows"));
	tr2_buf_clear(&out);
	ask("filter name =");
	assert_non_null(strstr(tr2_buf_cstr(&out), "value"));
	finish();
}

static void every_command_answers(void **state)
{
	static const struct {
		const char *word;
		bool is_view;
	} rows[] = {
#define LINE_VIEW(word, VIEW, of, doc)     { word, true },
#define LINE_ACT(word, act, argument, doc) { word, false },
#include "views/line/commands.def"
	};
	char text[80];

	(void)state;
	begin(1);
	screen_scene(&scene);
	look(0, false);
	tr2_buf_clear(&out);
	ask("help");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_non_null(strstr(tr2_buf_cstr(&out), rows[i].word));
	ask("list");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		tr2_buf_clear(&out);
		ask(rows[i].word);
		if (strstr(tr2_buf_cstr(&out), "needs the number")) {
			tr2_buf_clear(&out);
			snprintf(text, sizeof(text), "%s 1", rows[i].word);
			ask(text);
			assert_null(strstr(tr2_buf_cstr(&out), "needs the number"));
		}
		assert_null(strstr(tr2_buf_cstr(&out), "unknown command"));
		assert_true(!rows[i].is_view || nr_lines() > 1);
	}
	finish();
}

static void present_state_changes_are_reported(void **state)
{
	struct line_asked asked;

	(void)state;
	begin(1);
	screen_scene(&scene);
	look(0, false);
	asked = line_command(line, &scene.in, "quit", 4, &out);
	assert_int_equal(asked.reaction, UI_QUIT);
	asked = line_command(line, &scene.in, "live", 4, &out);
	assert_true(asked.live);
	asked = line_command(line, &scene.in, "at -5s", 6, &out);
	assert_true(asked.reaction & UI_PAST);
	asked = line_command(line, &scene.in, "write json /tmp/x", 17, &out);
	assert_int_equal(asked.reaction, UI_NOTHING);
	finish();
}

static void answers_match_the_golden_text(void **state)
{
	static const char *const asked[] = {
		"list",      "show 1",        "why 1",   "children 1", "threads 3", "timings",
		"timings 3", "commands",      "waiting", "errors",     "findings",  "sources",
		"find pack", "filter failed", "list",    "filter",     "find gc",   "help"
	};
	static const char *const grouped[] = {
		"group",      "group name", "timings",  "group name",   "group nosuch", "group",
		"commands",   "group host", "errors",   "group name",   "group",        "list",
		"group name", "sets",       "sets all", "attributes 3", "sets",         "group"
	};

	(void)state;
	begin(1);
	screen_scene(&scene);
	look(0, false);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		ask(asked[i]);
	golden_compare("lines", &out);
	finish();
	begin(1);
	screen_scene(&scene);
	look(0, false);
	for (size_t i = 0; i < sizeof(grouped) / sizeof(*grouped); i++)
		ask(grouped[i]);
	golden_compare("lines-groups", &out);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_each_change_in_one_sentence),
		cmocka_unit_test(short_processes_get_one_sentence),
		cmocka_unit_test(reports_a_reason_once),
		cmocka_unit_test(long_processes_are_reported_three_times),
		cmocka_unit_test(counts_suppressed_lines),
		cmocka_unit_test(failures_are_never_suppressed),
		cmocka_unit_test(counts_lines_while_the_reader_blocks),
		cmocka_unit_test(limits_lines_in_any_second),
		cmocka_unit_test(prints_only_printable_lines),
		cmocka_unit_test(accepts_unique_prefixes_of_commands),
		cmocka_unit_test(every_command_answers),
		cmocka_unit_test(present_state_changes_are_reported),
		cmocka_unit_test(answers_match_the_golden_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
