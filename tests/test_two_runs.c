/* SPDX-License-Identifier: MIT */
/* Tests of the difference of two single runs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "monitor/analysis/two_runs.h"
#include "tests/screen_fixture.h"

/* `ms`: time after 12:28:00; `more` has ' for ". */
static void add_event(struct tr2_buf *out, unsigned pid, const char *event, double ms,
		      const char *more)
{
	tr2_buf_addf(out,
		     "{\"event\":\"%s\",\"sid\":\"20260102T122800.%06uZ-Habcdef01-P%08x\","
		     "\"thread\":\"main\",\"time\":\"2026-01-02T12:28:%09.6fZ\",",
		     event, pid, pid, ms / 1e3);
	for (const char *c = more; *c; c++)
		tr2_buf_addch(out, *c == '\'' ? '"' : *c);
	tr2_buf_addstr(out, "}\n");
}

/* A run of `git NAME ARGUMENT` starts at second `pid` and lasts `ms`; its region lasts 10 ms
 * less. */
static void add_run(struct tr2_buf *out, unsigned pid, const char *name, const char *argument,
		    const char *worktree, const char *label, double ms)
{
	double at = pid * 1e3;
	char more[200];

	snprintf(more, sizeof(more), "'t_abs':0,'argv':['git','%s','%s']", name, argument);
	add_event(out, pid, "start", at, more);
	snprintf(more, sizeof(more), "'name':'%s','hierarchy':'%s'", name, name);
	add_event(out, pid, "cmd_name", at, more);
	snprintf(more, sizeof(more), "'repo':1,'worktree':'%s'", worktree);
	add_event(out, pid, "def_repo", at, more);
	snprintf(more, sizeof(more), "'nesting':1,'category':'c','label':'%s'", label);
	add_event(out, pid, "region_enter", at, more);
	snprintf(more, sizeof(more), "'nesting':1,'category':'c','label':'%s','t_rel':%.6f", label,
		 (ms - 10) / 1e3);
	add_event(out, pid, "region_leave", at + ms - 10, more);
	snprintf(more, sizeof(more), "'t_abs':%.6f,'code':0", ms / 1e3);
	add_event(out, pid, "exit", at + ms, more);
	add_event(out, pid, "atexit", at + ms, more);
}

static void add_scene(struct tr2_buf *out)
{
	add_run(out, 1, "fetch", "one", "/a", "old", 50);
	add_run(out, 2, "fetch", "one", "/a", "same", 100);
	add_run(out, 3, "fetch", "two", "/a", "same", 20);
	add_run(out, 4, "fetch", "one", "/b", "same", 30);
	add_run(out, 5, "push", "one", "/a", "same", 40);
	add_run(out, 6, "fetch", "one", "/a", "same", 400);
}

static void open_scene(struct screen *screen, const struct tr2_buf *events, int cols, int rows,
		       const char *keys)
{
	screen_open(screen, cols, rows, NULL);
	screen_feed(screen, events->data, events->len);
	screen_frame(screen);
	screen_keys(screen, keys);
}

static void assert_shows(struct screen *screen, const char *text)
{
	if (!strstr(screen_text(screen), text))
		fail_msg("no %s:\n%s", text, strstr(screen_text(screen), "┌"));
}

static void selected_run_is_compared_with_the_one_before(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_scene(&events);
	open_scene(&screen, &events, 120, 40, "Home D");
	assert_shows(&screen, "Difference · base fetch 2 12:28:02, new fetch 6 12:28:06");
	assert_shows(&screen, "fetch one");
	assert_shows(&screen, "100ms  400ms +300ms");
	assert_shows(&screen, "c/same             90.0ms  390ms +300ms ███");
	assert_shows(&screen, "outside any region 10.0ms 10.0ms    0ns");
	assert_shows(&screen, "1 run each: differences may be chance");
	assert_null(strstr(screen_text(&screen), "significant"));
	screen_keys(&screen, "Enter");
	assert_shows(&screen, "Why did it take 400ms?");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void messages_do_not_distinguish_commands(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_run(&events, 1, "commit", "-qm','one", "/a", "same", 50);
	add_run(&events, 2, "commit", "-qm','two", "/a", "same", 100);
	open_scene(&screen, &events, 120, 40, "Home D");
	assert_shows(&screen, "Difference · base commit 1 12:28:01, new commit 2 12:28:02");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void two_marked_runs_are_compared(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_scene(&events);
	/* The newest row comes first, so these keys mark push 5, then fetch 1; the older run is the
	 * base. */
	open_scene(&screen, &events, 120, 40, "Home Down m End m D");
	assert_shows(&screen, "Difference · base fetch 1 12:28:01, new push 5 12:28:05");
	assert_shows(&screen, "c/old");
	assert_shows(&screen, "only in base");
	assert_shows(&screen, "only in new");
	/* The selected part is longer in the base, so Enter opens that run. */
	screen_keys(&screen, "Down Enter");
	assert_shows(&screen, "Why did it take 50.0ms?");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void shows_why_nothing_is_compared(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_run(&events, 1, "fetch", "one", "/a", "same", 100);
	for (int narrow = 0; narrow < 2; narrow++) {
		open_scene(&screen, &events, narrow ? 40 : 120, narrow ? 10 : 40, "D");
		assert_shows(&screen, "No earlier run of fetch one in");
		assert_null(strstr(screen_text(&screen), "Enter open"));
		if (!narrow)
			assert_shows(&screen, "Mark two processes with m and press D;");
		screen_close(&screen);
	}
	screen_open(&screen, 120, 40, NULL);
	screen_frame(&screen);
	screen_keys(&screen, "D");
	assert_shows(&screen, "or start with --compare=BASE, see --save-runs.");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void running_runs_are_compared_up_to_now(void **state)
{
	struct tr2_buf events = { .max = 1 << 20 };
	struct screen screen;

	(void)state;
	add_run(&events, 1, "fetch", "one", "/a", "same", 100);
	add_event(&events, 41, "start", 41000, "'t_abs':0,'argv':['git','fetch','one']");
	add_event(&events, 41, "cmd_name", 41000, "'name':'fetch','hierarchy':'fetch'");
	add_event(&events, 41, "def_repo", 41000, "'repo':1,'worktree':'/a'");
	open_scene(&screen, &events, 120, 40, "Home D");
	assert_shows(&screen, "100ms 1.00s  +900ms");
	assert_true(ui_needs_ticks(screen.ui));
	screen.in.wall_ns += NS_PER_SEC;
	screen_frame(&screen);
	assert_shows(&screen, "100ms 2.00s  +1.90s");
	screen_close(&screen);
	tr2_buf_release(&events);
}

static void parts_add_up_for_any_two_processes(void **state)
{
	static const char *const files[] = { "screens/scene.event", "screens/findings.event" };
	struct two_runs two = { 0 };
	unsigned pairs = 0;

	(void)state;
	for (int file = 0; file < 2; file++) {
		struct analysis what = { .limits = { -1, -1 }, .now = SCENE_NOW_NS };
		struct screen screen;
		struct model *m;

		screen_open(&screen, 80, 24, NULL);
		screen_feed_file(&screen, files[file]);
		what.model = m = screen.model;
		for (uint32_t a = model_first_slot(m); a != SLOT_NONE; a = model_next_slot(m, a)) {
			for (uint32_t b = model_first_slot(m); b != SLOT_NONE;
			     b = model_next_slot(m, b), pairs++) {
				ns_t base = 0, change = 0, last = INT64_MAX;

				two_runs_make(&two, &what, a, b);
				for (uint32_t i = 0; i < two.nr; i++) {
					ns_t size = two.parts[i].change;

					size = size < 0 ? -size : size;
					assert_true(size <= last);
					assert_true(a != b || !size);
					base += two.parts[i].base;
					change += two.parts[i].change;
					last = size;
				}
				assert_int_equal(base, two.base_wall);
				assert_int_equal(base + change, two.new_wall);
			}
		}
		screen_close(&screen);
	}
	assert_true(pairs >= 100);
	two_runs_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selected_run_is_compared_with_the_one_before),
		cmocka_unit_test(messages_do_not_distinguish_commands),
		cmocka_unit_test(two_marked_runs_are_compared),
		cmocka_unit_test(shows_why_nothing_is_compared),
		cmocka_unit_test(running_runs_are_compared_up_to_now),
		cmocka_unit_test(parts_add_up_for_any_two_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
