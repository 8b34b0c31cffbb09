/* SPDX-License-Identifier: MIT */
/* Tests of the lanes of commands on the timeline. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/analysis/lane_groups.h"
#include "tests/look_fixture.h"
#include "tests/screen_fixture.h"

/* Read the trace that tests/hour.awk writes; the caller releases it. */
static struct tr2_buf hour_read(void)
{
	struct tr2_buf text = { .max = 1 << 24 };
	char command[4200], chunk[4096];
	FILE *pipe;
	size_t len;

	snprintf(command, sizeof(command), "awk -f '%s/tests/hour.awk' </dev/null",
		 getenv("abs_top_srcdir"));
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((len = fread(chunk, 1, sizeof(chunk), pipe)))
		tr2_buf_add(&text, chunk, len);
	assert_int_equal(pclose(pipe), 0);
	assert_true(text.len > 100000);
	return text;
}

static void hour_open(struct screen *screen, int cols, int rows, bool ascii)
{
	struct ui_config config = { .nesting = -1, .depth = -1, .ascii = ascii };
	struct tr2_buf text = hour_read();

	screen_open(screen, cols, rows, &config);
	screen_feed(screen, text.data, text.len);
	tr2_buf_release(&text);
	/* Each frame does a part of the search for findings. */
	for (int i = 0; i < 60; i++)
		screen_frame(screen);
}

static bool lanes_are_shown(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

static void lanes_of_an_hour_match_their_golden_screens(void **state)
{
	static const struct {
		const char *name, *keys;
		int cols, rows;
		bool ascii, mono;
	} rows[] = {
		{ "lanes-40x10", "t a", 40, 10, false, false },
		{ "lanes-80x24", "t a", 80, 24, false, false },
		{ "lanes-120x40", "t a", 120, 40, false, false },
		{ "lanes-200x60", "t a", 200, 60, false, false },
		{ "lanes-ascii-80x24", "t a Down", 80, 24, true, false },
		{ "lanes-mono-120x40", "t a Down", 120, 40, false, true },
		{ "lanes-open-120x40", "t a Down Enter", 120, 40, false, false },
		{ "lanes-zoomed-80x24", "t a Down + + + < <", 80, 24, false, false },
	};
	struct tr2_buf out;

	(void)state;
	tr2_buf_init(&out, 1 << 22);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct screen screen;

		hour_open(&screen, rows[i].cols, rows[i].rows, rows[i].ascii);
		screen_keys(&screen, rows[i].keys);
		tr2_buf_clear(&out);
		if (rows[i].mono)
			dump_looks(screen.surface, THEME_MONO, &out);
		else
			surface_dump_styles(screen.surface, &out);
		golden_compare(rows[i].name, &out);
		screen_close(&screen);
	}
	tr2_buf_release(&out);
}

static uint32_t lanes_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

#define NR_RANDOM 200

/* Random commands and times within 60 s; every seventh process fails. */
static void feed_random(struct screen *screen, uint64_t seed)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 20);
	for (int i = 0; i < NR_RANDOM; i++) {
		uint32_t start = lanes_random(&seed) % 50000;
		uint32_t ms = lanes_random(&seed) % 3 ? lanes_random(&seed) % 200
						      : lanes_random(&seed) % 9000;
		uint32_t end = start + ms;

		tr2_buf_addf(
			&text,
			"{\"event\":\"start\",\"sid\":\"p%03d\",\"thread\":\"main\",\"time\":"
			"\"2026-01-02T12:28:%02u.%03u000Z\",\"t_abs\":0.0,\"argv\":[\"git\"]}\n"
			"{\"event\":\"cmd_name\",\"sid\":\"p%03d\",\"thread\":\"main\","
			"\"name\":\"c%u\",\"hierarchy\":\"c\"}\n",
			i, start / 1000, start % 1000, i, lanes_random(&seed) % 5);
		tr2_buf_addf(&text,
			     "{\"event\":\"atexit\",\"sid\":\"p%03d\",\"thread\":\"main\",\"time\":"
			     "\"2026-01-02T12:28:%02u.%03u000Z\",\"t_abs\":%u.%03u,\"code\":%d}\n",
			     i, end / 1000, end % 1000, ms / 1000, ms % 1000, i % 7 == 6);
	}
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_frame(screen);
}

/* Return the largest number of lanes that contain the same instant of [from, end): there is one at
 * `from` or at the start of a lane. */
static uint32_t at_once_slowly(const struct lanes *lanes, ns_t from, ns_t end)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i <= lanes->nr; i++) {
		ns_t at = i < lanes->nr ? lanes->items[i].start : from;
		uint32_t nr = 0;

		if (at < from || at >= end)
			continue;
		for (uint32_t k = 0; k < lanes->nr; k++) {
			const struct lane *lane = &lanes->items[k];

			nr += lane->start <= at &&
			      (lane->end > at || (lane->end == lane->start && lane->start == at));
		}
		most = nr > most ? nr : most;
	}
	return most;
}

static void groups_have_all_runs_and_count_those_at_the_same_time(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct lane_groups groups = { 0 };
		struct lanes lanes = { 0 };
		uint32_t nr = 0, failed = 0, most[40];
		struct screen screen;

		screen_open(&screen, 80, 24, NULL);
		feed_random(&screen, seed);
		lanes_gather(&lanes,
			     &(struct analysis){ .model = screen.model,
						 .journal = screen.journal,
						 .limits = { -1, -1 },
						 .now = SCENE_NOW_NS },
			     SLOT_NONE);
		for (int again = 0; again < 2; again++)
			lane_groups_make(&groups, screen.model, &lanes);
		assert_int_equal(groups.nr, 5);
		for (uint32_t i = 0; i < groups.nr; i++) {
			const struct lane_group *group = &groups.items[i];

			assert_int_equal(group->first >= NR_RANDOM, false);
			assert_true(!i || group->nr <= groups.items[i - 1].nr);
			nr += group->nr;
			failed += group->failed;
			for (uint32_t k = 1; k < group->nr; k++)
				assert_true(lanes.items[groups.runs[group->first + k]].start <=
					    lanes.items[groups.runs[group->first + k - 1]].start);
		}
		assert_int_equal(nr, NR_RANDOM);
		assert_int_equal(failed, NR_RANDOM / 7);
		for (uint32_t columns = 1; columns <= 40; columns += 13) {
			ns_t from = lanes.first - NS_PER_SEC;
			ns_t width = (lanes.edge - from) / columns * columns;

			lane_groups_at_once(&groups, from, width, columns, most);
			for (uint32_t i = 0; i < columns; i++)
				assert_int_equal(most[i],
						 at_once_slowly(&lanes, from + width / columns * i,
								from + width / columns * (i + 1)));
		}
		lane_groups_release(&groups);
		lanes_release(&lanes);
		screen_close(&screen);
	}
}

static void lanes_appear_if_there_are_more_processes_than_rows(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "t a");
	assert_true(lanes_are_shown(&screen, "PROCESS / THREAD"));
	screen_keys(&screen, "b");
	assert_true(lanes_are_shown(&screen, "running at once"));
	screen_keys(&screen, "b");
	assert_true(lanes_are_shown(&screen, "PROCESS / THREAD"));
	screen_close(&screen);
	hour_open(&screen, 80, 24, false);
	screen_keys(&screen, "t");
	assert_true(lanes_are_shown(&screen, "PROCESS / THREAD"));
	screen_keys(&screen, "a");
	assert_true(lanes_are_shown(&screen, "all 640 processes"));
	assert_true(lanes_are_shown(&screen, "COMMAND "));
	screen_keys(&screen, "b");
	assert_true(lanes_are_shown(&screen, "└ pack-objects 4639"));
	screen_close(&screen);
}

static void feed_tree(struct screen *screen, int nr, int names)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 20);
	for (int i = 0; i <= nr; i++)
		tr2_buf_addf(
			&text,
			"{\"event\":\"start\",\"sid\":\"t%s%.0d\",\"thread\":\"main\",\"time\":"
			"\"2026-01-02T12:28:10.%03d000Z\",\"t_abs\":0.0,\"argv\":[\"git\"]}\n"
			"{\"event\":\"cmd_name\",\"sid\":\"t%s%.0d\",\"thread\":\"main\","
			"\"name\":\"c%d\",\"hierarchy\":\"c\"}\n",
			i ? "/c" : "", i, i, i ? "/c" : "", i, i % names);
	screen_feed(screen, tr2_buf_cstr(&text), text.len);
	tr2_buf_release(&text);
	screen_frame(screen);
}

static void tree_keeps_its_rows_unless_lanes_are_far_fewer(void **state)
{
	struct screen screen;

	(void)state;
	for (int names = 5; names <= 40; names += 35) {
		screen_open(&screen, 80, 24, NULL);
		feed_tree(&screen, 40, names);
		screen_keys(&screen, "t");
		assert_int_equal(lanes_are_shown(&screen, "running at once"), names == 5);
		assert_int_equal(lanes_are_shown(&screen, "PROCESS / THREAD"), names == 40);
		screen_keys(&screen, "b");
		assert_int_equal(lanes_are_shown(&screen, "running at once"), names == 40);
		screen_close(&screen);
	}
}

static void enter_opens_a_lane_into_its_runs_and_closes_it(void **state)
{
	struct screen screen;

	(void)state;
	hour_open(&screen, 120, 40, false);
	screen_keys(&screen, "t a Down Enter");
	assert_true(lanes_are_shown(&screen, "│    fetch 4631"));
	screen_keys(&screen, "Enter");
	assert_false(lanes_are_shown(&screen, "│    fetch 4631"));
	/* Enter opens the page of the region of the run under the cursor. */
	screen_keys(&screen, "Up Left Right Enter");
	assert_true(lanes_are_shown(&screen, "│▸   status 4637"));
	screen_keys(&screen, "Enter");
	assert_true(lanes_are_shown(&screen, "─ Region · dir/read_directory · status"));
	screen_close(&screen);
}

static void foot_shows_the_run_under_the_cursor(void **state)
{
	struct screen screen;

	(void)state;
	hour_open(&screen, 120, 40, false);
	screen_keys(&screen, "t a");
	assert_true(lanes_are_shown(&screen, "09:59:38.600 · status 4637 · 6.40s · exit 0 · "
					     "dir/read_directory 6.40s"));
	assert_true(lanes_are_shown(&screen, "Longest runs of status"));
	screen_keys(&screen, "Left Left");
	assert_false(lanes_are_shown(&screen, "status 4637 · 6.40s"));
	screen_keys(&screen, "f Down");
	assert_true(lanes_are_shown(&screen, "09:59:09.800 · fetch 4631 · 320ms · exit 0"));
	screen_keys(&screen, "Left");
	assert_true(lanes_are_shown(&screen, " · no run of fetch here"));
	for (int i = 0; i < 9 && !lanes_are_shown(&screen, " · 320ms · exit 0"); i++)
		screen_keys(&screen, "Left");
	assert_true(lanes_are_shown(&screen, " · 320ms · exit 0"));
	screen_keys(&screen, "e");
	assert_true(lanes_are_shown(&screen, "name = \"fetch\""));
	screen_close(&screen);
}

static void looking_back_hides_later_runs(void **state)
{
	struct screen screen;

	(void)state;
	hour_open(&screen, 120, 40, false);
	screen_keys(&screen, "t a");
	screen.in.past = true;
	screen.in.past_ns = SCENE_NOW_NS - 9550 * NS_PER_SEC; /* 09:49:32; later ends are unknown */
	screen_frame(&screen);
	assert_true(lanes_are_shown(&screen, "running at once"));
	assert_false(lanes_are_shown(&screen, "dir/read_directory 6.40s"));
	screen_close(&screen);
}

static int failures_above(const struct screen *screen, enum style style)
{
	const struct surface *surface = screen->surface;
	int nr = 0;

	for (int i = 7 * surface->cols; i < 8 * surface->cols; i++)
		nr += surface->cells[i].ch[0] == 0x2717 && surface->cells[i].style == style;
	return nr;
}

static void evicted_commands_are_shown_above_the_lanes(void **state)
{
	/* This process runs all the time, so the window begins before the evicted commands. */
	static const char server[] =
		"{\"event\":\"start\",\"sid\":\"d\",\"thread\":\"main\",\"time\":"
		"\"2026-01-02T09:00:00.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\",\"daemon\"]}\n";
	struct tr2_buf text = hour_read();
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, &(struct ui_config){ .nesting = -1, .depth = -1 });
	model_free(screen.model);
	screen.model = model_new(&screen.syms,
				 &(struct model_config){ .nesting = -1, .max_processes = 100 });
	screen.in.model = screen.in.live = screen.model;
	screen_feed(&screen, server, sizeof(server) - 1);
	screen_feed(&screen, text.data, text.len);
	screen_frame(&screen);
	screen_keys(&screen, "t a");
	assert_true(lanes_are_shown(&screen, "│ failed "));
	assert_in_range(failures_above(&screen, STYLE_DIM), 4, 10);
	assert_in_range(failures_above(&screen, STYLE_FAILED), 1, 4);
	/* A filter does not apply to evicted commands, so they are left out. */
	screen_keys(&screen, "F4 n a m e = s t a t u s Enter");
	assert_int_equal(failures_above(&screen, STYLE_DIM), 0);
	tr2_buf_release(&text);
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_of_an_hour_match_their_golden_screens),
		cmocka_unit_test(groups_have_all_runs_and_count_those_at_the_same_time),
		cmocka_unit_test(lanes_appear_if_there_are_more_processes_than_rows),
		cmocka_unit_test(tree_keeps_its_rows_unless_lanes_are_far_fewer),
		cmocka_unit_test(enter_opens_a_lane_into_its_runs_and_closes_it),
		cmocka_unit_test(foot_shows_the_run_under_the_cursor),
		cmocka_unit_test(looking_back_hides_later_runs),
		cmocka_unit_test(evicted_commands_are_shown_above_the_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
