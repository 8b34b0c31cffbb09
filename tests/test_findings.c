/* SPDX-License-Identifier: MIT */
/* Tests of findings that are kept up to date in parts, one per frame, of their display, and of
 * other pages of the same trace. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

#include "monitor/analysis/findings_watch.h"
#include "views/registry/registry.h"
#include "views/ui/setup.h"

/* Longer than the rest between two rounds of findings_watch(). */
#define RESTED_NS (3600 * NS_PER_SEC)

/* A frame searches only for a short time. */
static void draw_until_found(struct screen *screen)
{
	do
		screen_frame(screen);
	while (ui_is_working(screen->ui));
}

static const char other[] = "{\"event\":\"printf\",\"sid\":\"x\",\"thread\":\"main\"}\n";

static void golden(struct screen *screen, const char *name)
{
	struct tr2_buf out;

	tr2_buf_init(&out, 1 << 20);
	surface_dump(screen->surface, &out);
	golden_compare(name, &out);
	tr2_buf_release(&out);
}

static void findings_match_their_golden_screens(void **state)
{
	static const struct {
		int cols, rows;
		const char *keys, *name;
	} rows[] = {
		{ 120, 40, "", "findings-four-120x40" }, { 120, 40, "i", "findings-120x40" },
		{ 80, 24, "i", "findings-80x24" },       { 80, 24, "S", "findings-summary-80x24" },
		{ 40, 10, "i", "findings-40x10" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct screen screen;

		screen_open(&screen, rows[i].cols, rows[i].rows, NULL);
		screen_feed_file(&screen, "screens/findings.event");
		screen_frame(&screen);
		screen_keys(&screen, rows[i].keys);
		golden(&screen, rows[i].name);
		screen_close(&screen);
	}
}

/* Return the text of the screen from the page's name on. */
static const char *page_text(struct screen *screen)
{
	const char *text = screen_text(screen), *page = strstr(text, "─ Findings");

	assert_non_null(page);
	return page;
}

static void nesting_limit_of_the_screen_keeps_findings(void **state)
{
	struct screen screen;
	char *before;

	(void)state;
	screen_open(&screen, 100, 30, NULL);
	screen_feed_file(&screen, "screens/findings.event");
	screen_frame(&screen);
	screen_keys(&screen, "i");
	assert_non_null(strstr(page_text(&screen), "every tracked file"));
	before = xstrdup(page_text(&screen));
	screen_keys(&screen, "Esc F7 F7 F7 F7 F7 F7 F7 F7 F7");
	screen.in.monotonic_ns += RESTED_NS;
	/* New events start another round of the search. */
	screen_feed(&screen, other, strlen(other));
	screen_frame(&screen);
	screen_keys(&screen, "i");
	assert_string_equal(page_text(&screen), before);
	free(before);
	screen_close(&screen);
}

/* ssh's message is not in the trace, but in the output of `-- COMMAND`, before Git's own error. */
static void failed_transport_shows_the_output_of_the_command(void **state)
{
	static const char output[] = "ssh: Could not resolve hostname h\r\n"
				     "fatal: Could not read from remote repository.\r\n\r\n"
				     "Please make sure you have the correct access rights\r\n";
	static const char trace[] =
		"{\"event\":\"version\",\"sid\":\"20260102T030400.000000Z-Habcdef01-P00000001\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T03:04:00.000001Z\",\"evt\":\"3\","
		"\"exe\":\"2\"}\n"
		"{\"event\":\"start\",\"sid\":\"20260102T030400.000000Z-Habcdef01-P00000001\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T03:04:00.000002Z\",\"t_abs\":0.000002,"
		"\"argv\":[\"git\",\"fetch\"]}\n"
		"{\"event\":\"child_start\",\"sid\":\"20260102T030400.000000Z-Habcdef01-"
		"P00000001\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T03:04:00.100000Z\",\"child_id\":0,"
		"\"child_class\":\"transport/ssh\",\"use_shell\":false,\"argv\":[\"ssh\",\"h\"]}\n"
		"{\"event\":\"error\",\"sid\":\"20260102T030400.000000Z-Habcdef01-P00000001\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T03:04:01.000000Z\","
		"\"msg\":\"Could not read from remote repository.\\n\\nPlease "
		"make\",\"fmt\":\"x\"}\n"
		"{\"event\":\"exit\",\"sid\":\"20260102T030400.000000Z-Habcdef01-P00000001\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T03:04:01.000000Z\",\"t_abs\":1.0,"
		"\"code\":128}\n";
	struct screen screen;

	(void)state;
	for (int own = 0; own < 2; own++) {
		screen_open(&screen, 140, 30, NULL);
		screen_feed(&screen, trace, strlen(trace));
		screen.in.own_command = own;
		screen.in.output = output;
		screen.in.output_len = strlen(output);
		screen_frame(&screen);
		screen_keys(&screen, "i");
		assert_non_null(
			strstr(page_text(&screen), "ssh: Could not read from remote repository."));
		assert_true(!!strstr(page_text(&screen),
				     "; output: ssh: Could not resolve hostname h") == own);
		screen_close(&screen);
	}
}

static void header_counts_urgent_findings(void **state)
{
	struct options options;
	struct screen screen;
	struct setup setup;

	(void)state;
	options_init(&options);
	setup_init(&setup, &options, view_table);
	screen_open(&screen, 140, 40,
		    &(struct ui_config){ .nesting = -1, .depth = -1, .setup = &setup });
	screen_scene(&screen);
	setup.options.findings_off = ~0ull;
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "! "));
	setup.options.findings_off = 0;
	screen_feed_file(&screen, "screens/findings.event");
	screen.in.monotonic_ns += RESTED_NS;
	draw_until_found(&screen);
	assert_non_null(strstr(screen_text(&screen), "4 findings could save "));
	setup.options.findings_off = 1ull << FINDING_LOCK_HELD;
	draw_until_found(&screen);
	assert_non_null(strstr(screen_text(&screen), "3 findings could save "));
	screen_close(&screen);
}

/* A finding without a process of its own is about the whole command. */
static void enter_opens_the_command_of_a_finding(void **state)
{
#define LINE(event, rest) "{\"event\":\"" event "\",\"sid\":\"s1\",\"thread\":\"main\"," rest "}\n"
	static const char trace[] = LINE("start", "\"t_abs\":0.001,\"argv\":[\"git\",\"status\"]")
		LINE("cmd_name", "\"name\":\"status\",\"hierarchy\":\"status\"")
			LINE("region_enter",
			     "\"nesting\":1,\"category\":\"dir\",\"label\":\"read_directory\"")
				LINE("region_leave",
				     "\"t_rel\":6.4,\"nesting\":1,\"category\":\"dir\","
				     "\"label\":\"read_directory\"")
					LINE("exit", "\"t_abs\":6.41,\"code\":0")
						LINE("atexit", "\"t_abs\":6.41,\"code\":0");
	struct screen screen;

	(void)state;
	screen_open(&screen, 100, 30, NULL);
	screen_feed(&screen, trace, sizeof(trace) - 1);
	screen_frame(&screen);
	screen_keys(&screen, "i");
	screen.in.monotonic_ns += RESTED_NS;
	screen_frame(&screen);
	assert_non_null(strstr(screen_text(&screen), "untracked files"));
	screen_keys(&screen, "Enter");
	assert_non_null(strstr(screen_text(&screen), "Why did it take 6.41s? git status"));
	screen_close(&screen);
#undef LINE
}

#define SECONDS(n) ((n)*NS_PER_SEC)

static void add_held(struct findings *found, uint8_t id, uint64_t root, ns_t held, ns_t wall)
{
	struct finding *items = realloc(found->items, (found->nr + 1) * sizeof(*items));

	assert_non_null(items);
	found->items = items;
	items[found->nr++] =
		(struct finding){ .id = id,
				  .root = root ? (struct handle){ root, (uint32_t)root }
					       : HANDLE_NONE,
				  .process = HANDLE_NONE,
				  .held = held,
				  .wall = wall,
				  .count = 1 };
}

static void kinds_sum_runs_and_save_the_largest_cost_of_each(void **state)
{
	struct finding_kinds kinds = { 0 };
	struct findings found = { 0 };
	const struct finding_kind *kind;
	struct tr2_buf text;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	add_held(&found, FINDING_LOCK_HELD, 1, SECONDS(50),
		 SECONDS(100)); /* trouble: saves nothing */
	add_held(&found, FINDING_SLOW_HOOK, 1, SECONDS(60), SECONDS(100));
	add_held(&found, FINDING_SLOW_HOOK, 1, SECONDS(70), SECONDS(100));
	add_held(&found, FINDING_INDEX_REFRESH, 1, SECONDS(30), SECONDS(100));
	add_held(&found, FINDING_INDEX_REFRESH, 2, SECONDS(8), SECONDS(10));
	add_held(&found, FINDING_NESTING_LIMIT, 2, 0, 0);
	add_held(&found, FINDING_COMMAND_IN_A_LOOP, 0, SECONDS(5), 0);
	finding_kinds_make(&kinds, &found, screen.model);
	assert_int_equal(kinds.nr, 5);
	assert_int_equal(kinds.nr_urgent, 4);
	assert_int_equal(kinds.nr_finding_roots, 2);
	assert_int_equal(kinds.could_save, SECONDS(100 + 8 + 5));
	kind = finding_kinds_find(&kinds, FINDING_SLOW_HOOK);
	assert_ptr_equal(kind, &kinds.items[0]);
	assert_int_equal(kind->nr, 1);
	assert_int_equal(kind->cost, SECONDS(100));
	kind = finding_kinds_find(&kinds, FINDING_INDEX_REFRESH);
	assert_int_equal(kind->nr, 2);
	assert_int_equal(kind->cost, SECONDS(38));
	assert_int_equal(kind->wall, SECONDS(110));
	assert_int_equal(kinds.runs[kind->first].cost, SECONDS(30));
	assert_int_equal(kinds.items[4].id, FINDING_NESTING_LIMIT);
	tr2_buf_init(&text, 4096);
	finding_kinds_format_sum(&kinds, &text);
	assert_string_equal(tr2_buf_cstr(&text), "4 findings could save 1m53s");
	found.nr = 0;
	finding_kinds_make(&kinds, &found, screen.model);
	assert_int_equal(kinds.nr + kinds.nr_runs + kinds.nr_urgent + kinds.could_save, 0);
	tr2_buf_release(&text);
	findings_release(&found);
	finding_kinds_release(&kinds);
	screen_close(&screen);
}

static void page_lists_kinds_their_runs_and_ignores_one(void **state)
{
	struct options options;
	struct screen screen;
	struct setup setup;

	(void)state;
	options_init(&options);
	setup_init(&setup, &options, view_table);
	screen_open(&screen, 120, 40,
		    &(struct ui_config){ .nesting = -1, .depth = -1, .setup = &setup });
	screen_feed_file(&screen, "screens/findings.event");
	screen_frame(&screen);
	screen_keys(&screen, "i");
	for (int i = 0;
	     i < 10 && !strstr(screen_text(&screen), "finding   Git checks every tracked file");
	     i++)
		screen_keys(&screen, "Down");
	assert_non_null(strstr(screen_text(&screen), "--no-finding=index-refresh"));
	screen_keys(&screen, "y a");
	assert_non_null(strstr(ui_copied(screen.ui), "git config core.fsmonitor true"));
	screen_keys(&screen, "Delete");
	assert_non_null(strstr(screen_text(&screen), "until trace2top ends"));
	/* There is no configuration file. */
	assert_null(strstr(screen_text(&screen), "always"));
	screen_keys(&screen, "n");
	assert_int_equal(setup.options.findings_off, 1ull << FINDING_INDEX_REFRESH);
	screen.in.monotonic_ns += RESTED_NS;
	screen_frame(&screen);
	assert_null(strstr(screen_text(&screen), "every tracked file"));
	screen_close(&screen);
}

struct watching {
	struct findings_watch watch;
	struct analysis what;
	struct findings_of of;
};

static void watching_open(struct watching *w, struct screen *screen)
{
	*w = (struct watching){ .what = { .model = screen->model,
					  .limits = { -1, -1 },
					  .now = SCENE_NOW_NS,
					  .process = HANDLE_NONE } };
	w->of.what = &w->what;
}

static void findings_test_say(const struct findings *found, struct tr2_buf *out)
{
	tr2_buf_clear(out);
	for (uint32_t i = 0; i < found->nr; i++) {
		const struct finding *finding = &found->items[i];
		size_t len;
		const char *evidence = finding_evidence(found, finding, &len);

		tr2_buf_addf(out, "%s %llx %llx %lld of %lld: %.*s, %llu times\n",
			     finding_rows[finding->id].word,
			     (unsigned long long)finding->root.sid_hash,
			     (unsigned long long)finding->process.sid_hash,
			     (long long)finding->held, (long long)finding->wall, (int)len, evidence,
			     (unsigned long long)finding->count);
	}
}

static void say_from_scratch(const struct findings_of *of, struct tr2_buf *out)
{
	const struct model *m = of->what->model;
	struct findings found = { 0 };
	struct parts scratch = { 0 };

	for (uint32_t slot = model_first_root(m); slot != SLOT_NONE;
	     slot = model_next_sibling(m, slot))
		findings_of_root(&found, of, slot, &scratch);
	findings_of_all(&found, of);
	findings_sort(&found);
	findings_test_say(&found, out);
	findings_release(&found);
	parts_release(&scratch);
}

static void watch_finds_the_same_as_a_complete_search(void **state)
{
	struct tr2_buf kept, anew;
	struct watching w;
	struct screen screen;
	unsigned seed = 7;
	ns_t now = NS_PER_SEC;
	size_t len, at = 0;
	char *text = test_file("screens/findings.event", &len);

	(void)state;
	tr2_buf_init(&kept, 1 << 20);
	tr2_buf_init(&anew, 1 << 20);
	screen_open(&screen, 80, 24, NULL);
	watching_open(&w, &screen);
	while (at < len) {
		size_t end = at;

		for (unsigned lines = 1 + (seed = seed * 1103515245 + 12345) / 65536 % 9;
		     lines && end < len; lines--)
			end += strcspn(text + end, "\n") + 1;
		screen_feed(&screen, text + at, end - at);
		at = end;
		now += 10 * NS_PER_SEC;
		/* Without a time budget, a step examines one root. */
		do
			findings_watch(&w.watch, &w.of, 0, 0, now, 0);
		while (w.watch.begun);
		findings_test_say(&w.watch.shown, &kept);
		say_from_scratch(&w.of, &anew);
		assert_string_equal(tr2_buf_cstr(&kept), tr2_buf_cstr(&anew));
	}
	assert_non_null(strstr(tr2_buf_cstr(&kept), "ssh-setup"));
	assert_non_null(strstr(tr2_buf_cstr(&kept), "index-refresh"));
	assert_int_equal(w.watch.kinds.nr_urgent, 3);
	assert_int_equal(w.watch.shown.nr, w.watch.kinds.nr + 1);
	findings_watch_release(&w.watch);
	screen_close(&screen);
	tr2_buf_release(&kept);
	tr2_buf_release(&anew);
	free(text);
}

static void watch_skips_unchanged_roots(void **state)
{
	struct watching w;
	struct screen screen;
	ns_t now = NS_PER_SEC;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_feed_file(&screen, "screens/findings.event");
	watching_open(&w, &screen);
	findings_watch(&w.watch, &w.of, 0, 0, now, NS_PER_SEC);
	assert_false(w.watch.begun);
	assert_int_equal(w.watch.nr_rounds, 1);
	findings_watch(&w.watch, &w.of, 0, 0, now + 3600 * NS_PER_SEC, NS_PER_SEC);
	assert_int_equal(w.watch.nr_rounds, 1);
	/* Soon after a round, new events do not start another one. */
	screen_feed(&screen, other, strlen(other));
	findings_watch(&w.watch, &w.of, 0, 0, now + NS_PER_SEC / 2, NS_PER_SEC);
	assert_int_equal(w.watch.nr_rounds, 1);
	findings_watch(&w.watch, &w.of, 0, 0, now + 3600 * NS_PER_SEC, NS_PER_SEC);
	assert_int_equal(w.watch.nr_rounds, 2);
	findings_watch_release(&w.watch);
	screen_close(&screen);
}

/* A hook that keeps running is found without new events. */
static void watch_examines_live_roots_again(void **state)
{
	static const char lines[] =
		"{\"event\":\"version\",\"sid\":\"20260102T122836.000001Z-Hc0ffee00-P00000007\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:41.000000Z\",\"evt\":\"3\","
		"\"exe\":\"2.45.0\"}\n"
		"{\"event\":\"start\",\"sid\":\"20260102T122836.000001Z-Hc0ffee00-P00000007\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:41.000000Z\",\"t_abs\":0.0,"
		"\"argv\":[\"git\",\"commit\"]}\n"
		"{\"event\":\"child_start\",\"sid\":\"20260102T122836.000001Z-Hc0ffee00-"
		"P00000007\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:41.900000Z\",\"child_id\":0,"
		"\"child_class\":\"hook\",\"hook_name\":\"pre-commit\",\"use_shell\":false,"
		"\"argv\":[\".git/hooks/pre-commit\"]}\n";
	static const char ended[] =
		"{\"event\":\"atexit\",\"sid\":\"20260102T122836.000001Z-Hc0ffee00-P00000007\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:47.000000Z\",\"t_abs\":6.0,"
		"\"code\":0}\n";
	struct watching w;
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_feed(&screen, lines, strlen(lines));
	watching_open(&w, &screen);
	findings_watch(&w.watch, &w.of, 0, 0, NS_PER_SEC, NS_PER_SEC);
	assert_int_equal(w.watch.kinds.nr_urgent, 0);
	w.what.now += 5 * NS_PER_SEC;
	findings_watch(&w.watch, &w.of, 0, 0, RESTED_NS, NS_PER_SEC);
	assert_int_equal(w.watch.kinds.nr_urgent, 1);
	assert_int_equal(w.watch.shown.items[0].id, FINDING_SLOW_HOOK);
	/* The process ended, so the next round begins without delay. */
	screen_feed(&screen, ended, strlen(ended));
	findings_watch(&w.watch, &w.of, 0, 0, RESTED_NS + 1, NS_PER_SEC);
	assert_int_equal(w.watch.nr_rounds, 3);
	findings_watch(&w.watch, &w.of, 0, 0, RESTED_NS + 2, NS_PER_SEC);
	assert_int_equal(w.watch.nr_rounds, 3);
	findings_watch_release(&w.watch);
	screen_close(&screen);
}

static int findings_test_column_of(const struct surface *surface, int y, const char *heading)
{
	for (int x = 0; x + (int)strlen(heading) <= surface->cols; x++) {
		size_t i = 0;

		while (heading[i] &&
		       surface->cells[y * surface->cols + x + (int)i].ch[0] == (uint32_t)heading[i])
			i++;
		if (!heading[i])
			return x;
	}
	return -1;
}

static void timeline_marks_the_critical_path(void **state)
{
	struct screen screen;
	int from, nr_held = 0, nr_index_pack = 0;

	(void)state;
	screen_open(&screen, 110, 24, NULL);
	screen_feed_file(&screen, "screens/findings.event");
	screen_frame(&screen);
	screen_keys(&screen, "Down Down t");
	assert_non_null(strstr(screen_text(&screen), "tree of clone"));
	from = findings_test_column_of(screen.surface, 3, "OVER TIME");
	assert_true(from > 0);
	for (int x = from; x < 107; x++) {
		bool held = false;

		for (int y = 4; y < 9; y++) {
			const struct cell *cell = &screen.surface->cells[y * 110 + x];

			held |= cell->style == STYLE_HELD;
			nr_held += cell->style == STYLE_HELD;
			nr_index_pack += y == 7 && cell->style == STYLE_HELD;
		}
		/* The mark of a child's start may cover the critical path. */
		if (!held && screen.surface->cells[4 * 110 + x].style != STYLE_TITLE)
			fail_msg("nothing is held at %d:\n%s", x, screen_text(&screen));
	}
	assert_in_range(nr_held, 50, 100);
	/* While the server has a region, index-pack only waits for it. */
	assert_in_range(nr_index_pack, 1, 15);
	screen_close(&screen);
}

static void small_parts_share_a_row(void **state)
{
	struct screen screen;
	int downs = 0;

	(void)state;
	screen_open(&screen, 110, 40, NULL);
	screen_feed_file(&screen, "screens/findings.event");
	screen_frame(&screen);
	screen_keys(&screen, "Down Down S");
	assert_non_null(strstr(screen_text(&screen), " smaller parts"));
	assert_null(strstr(screen_text(&screen), "unpack_trees/traverse_trees"));
	while (!strstr(screen_text(&screen), "\xe2\x96\xb8"
					     "21 smaller parts") &&
	       downs++ < 20)
		screen_keys(&screen, "Down");
	screen_keys(&screen, "Enter");
	assert_null(strstr(screen_text(&screen), " smaller parts"));
	assert_non_null(strstr(screen_text(&screen), "unpack_trees/traverse_trees"));
	screen_keys(&screen, "Esc");
	assert_non_null(strstr(screen_text(&screen), " smaller parts"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_match_their_golden_screens),
		cmocka_unit_test(small_parts_share_a_row),
		cmocka_unit_test(nesting_limit_of_the_screen_keeps_findings),
		cmocka_unit_test(failed_transport_shows_the_output_of_the_command),
		cmocka_unit_test(header_counts_urgent_findings),
		cmocka_unit_test(enter_opens_the_command_of_a_finding),
		cmocka_unit_test(kinds_sum_runs_and_save_the_largest_cost_of_each),
		cmocka_unit_test(page_lists_kinds_their_runs_and_ignores_one),
		cmocka_unit_test(watch_finds_the_same_as_a_complete_search),
		cmocka_unit_test(watch_skips_unchanged_roots),
		cmocka_unit_test(timeline_marks_the_critical_path),
		cmocka_unit_test(watch_examines_live_roots_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
