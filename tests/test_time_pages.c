/* SPDX-License-Identifier: MIT */
/* Tests of the pages Timeline and Flame. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

#define SID "20260102T122836.000000Z-H1-P00000001"

/* A process of 5 seconds that has ended; regions "a" to "c" of 1, 0.5 and 1.5 seconds. */
static const char honest[] =
	"{\"event\":\"start\",\"sid\":\"" SID "\",\"thread\":\"main\","
	"\"time\":\"2026-01-02T12:28:36.000000Z\",\"t_abs\":0.0,\"argv\":[\"git\",\"x\"]}\n"
#define REGION(label, from, to, t_rel)                                                             \
	"{\"event\":\"region_enter\",\"sid\":\"" SID "\",\"thread\":\"main\",\"nesting\":1,"       \
	"\"time\":\"2026-01-02T12:28:" from "Z\",\"category\":\"k\","                              \
	"\"label\":\"" label "\"}\n"                                                               \
	"{\"event\":\"region_leave\",\"sid\":\"" SID "\",\"thread\":\"main\",\"nesting\":1,"       \
	"\"time\":\"2026-01-02T12:28:" to "Z\",\"t_rel\":" t_rel ",\"category\":\"k\","            \
	"\"label\":\"" label "\"}\n"
	REGION("a", "36.500000", "37.500000", "1.0") REGION("b", "38.000000", "38.500000", "0.5")
		REGION("c", "39.200000", "40.700000",
		       "1.5") "{\"event\":\"exit\",\"sid\":\"" SID "\",\"thread\":\"main\","
			      "\"time\":\"2026-01-02T12:28:41.000000Z\",\"t_abs\":5.0,"
			      "\"code\":0}\n";

static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 200, 60 } };

#define NR_SIZES ((int)(sizeof(sizes) / sizeof(*sizes)))

static void open_honest(struct screen *screen, int cols, int rows)
{
	screen_open(screen, cols, rows, NULL);
	screen->in.live = NULL; /* the header has two rows at every size */
	screen_feed(screen, honest, sizeof(honest) - 1);
	screen_frame(screen);
}

static uint32_t char_at(const struct screen *screen, int x, int y)
{
	return screen->surface->cells[y * screen->surface->cols + x].ch[0];
}

static enum style time_pages_style_at(const struct screen *screen, int x, int y)
{
	return (enum style)screen->surface->cells[y * screen->surface->cols + x].style;
}

static int bars_x(const struct screen *screen)
{
	for (int x = 0; x < screen->surface->cols - 4; x++)
		if (char_at(screen, x, 3) == 'O' && char_at(screen, x + 1, 3) == 'V' &&
		    char_at(screen, x + 2, 3) == 'E')
			return x;
	fail();
	return 0;
}

static bool is_line(const struct screen *screen, int x)
{
	return char_at(screen, x, 4) == 0x2500 || char_at(screen, x, 4) == 0x2501;
}

static bool is_said(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

/* Cells of regions are neither blank nor the line of the process. */
static void timeline_bars_match_the_regions_within_a_cell(void **state)
{
	static const struct {
		double from, to;
	} regions[] = { { 0.5, 1.5 }, { 2.0, 2.5 }, { 3.2, 4.7 } };
	struct screen screen;

	(void)state;
	for (int size = 0; size < NR_SIZES; size++) {
		open_honest(&screen, sizes[size][0], sizes[size][1]);
		screen_keys(&screen, "t");
		int left = bars_x(&screen), x = left;
		int cols = sizes[size][0] - 1 - left;

		for (int i = 0; i < 3; i++) {
			while (x < left + cols && is_line(&screen, x))
				x++;
			int from = x - left;

			while (x < left + cols && !is_line(&screen, x))
				x++;
			double wanted = (regions[i].to - regions[i].from) / 5 * cols;

			assert_true(from > regions[i].from / 5 * cols - 1.001);
			assert_true(from < regions[i].from / 5 * cols + 1.001);
			assert_true(x - left - from < wanted + 1.001);
			assert_true(x - left - from > wanted - 1.001);
		}
		screen_close(&screen);
	}
}

/* A process of ten seconds with one region per two seconds, of random length and position. */
struct random_trace {
	double from[5], to[5];
	struct tr2_buf lines;
};

static double random_share(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (double)(*state >> 8) / (1 << 24);
}

static void random_line(struct random_trace *trace, const char *event, double time,
			const char *more)
{
	tr2_buf_addf(&trace->lines,
		     "{\"event\":\"%s\",\"sid\":\"" SID "\",\"thread\":\"main\","
		     "\"time\":\"2026-01-02T12:28:%09.6fZ\",%s}\n",
		     event, 20 + time, more);
}

static void random_make(struct random_trace *trace, uint32_t seed)
{
	char more[200];

	tr2_buf_init(&trace->lines, 1 << 20);
	random_line(trace, "start", 0, "\"t_abs\":0.0,\"argv\":[\"git\",\"x\"]");
	for (int i = 0; i < 5; i++) {
		double length = 0.8 + 0.4 * random_share(&seed);

		trace->from[i] = i * 2 + random_share(&seed) * (1.2 - length);
		trace->to[i] = trace->from[i] + length;
		snprintf(more, sizeof(more), "\"nesting\":1,\"category\":\"k\",\"label\":\"l%d\"",
			 i);
		random_line(trace, "region_enter", trace->from[i], more);
		snprintf(more, sizeof(more),
			 "\"nesting\":1,\"category\":\"k\",\"label\":\"l%d\",\"t_rel\":%.6f", i,
			 length);
		random_line(trace, "region_leave", trace->to[i], more);
	}
	random_line(trace, "exit", 10, "\"t_abs\":10.0,\"code\":0");
}

/* Return the total time of region `i` in the timings, in seconds. */
static double reported(struct screen *screen, int i)
{
	struct timing_limits all = { -1, -1 };
	struct timing timing;
	char label[16];
	uint32_t row;

	snprintf(label, sizeof(label), "l%d", i);
	row = model_timing_row(screen->model, tr2_intern(&screen->syms, "k", 1),
			       tr2_intern(&screen->syms, label, strlen(label)));
	assert_true(row != SLOT_NONE && model_timing(screen->model, row, &all, &timing));
	return (double)timing.total / 1e9;
}

static void random_timelines_match_the_report_within_a_cell(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 60; seed++) {
		const int *size = sizes[seed % NR_SIZES];
		struct random_trace trace;
		struct screen screen;

		random_make(&trace, seed * 7919);
		screen_open(&screen, size[0], size[1], NULL);
		screen.in.live = NULL;
		screen_feed(&screen, trace.lines.data, trace.lines.len);
		screen_frame(&screen);
		screen_keys(&screen, "t");
		int left = bars_x(&screen), x = left, cols = size[0] - 1 - left;

		for (int i = 0; i < 5; i++) {
			double wanted = reported(&screen, i) / 10 * cols;

			while (x < left + cols && is_line(&screen, x))
				x++;
			int from = x - left;

			while (x < left + cols && !is_line(&screen, x))
				x++;
			assert_true(from > trace.from[i] / 10 * cols - 1.001);
			assert_true(from < trace.from[i] / 10 * cols + 1.001);
			assert_true(x - left - from < wanted + 1.001);
			assert_true(x - left - from > wanted - 1.001);
		}
		tr2_buf_release(&trace.lines);
		screen_close(&screen);
	}
}

static void flame_bars_match_the_report_within_a_cell(void **state)
{
	/* expected shares of the width, widest first */
	static const double wanted[] = { 1.5 / 5, 1.0 / 5, 0.5 / 5 };
	struct screen screen;

	(void)state;
	for (int size = 0; size < NR_SIZES; size++) {
		int cols = sizes[size][0] - 3, x = 1;

		open_honest(&screen, sizes[size][0], sizes[size][1]);
		screen_keys(&screen, "F");
		for (int i = 0; i < 3; i++) {
			int cells = 0;

			while (char_at(&screen, x, 4) != 0x2502)
				x++;
			do {
				x++;
				cells++;
			} while (x < sizes[size][0] - 1 && char_at(&screen, x, 4) != 0x2502 &&
				 time_pages_style_at(&screen, x, 4) ==
					 time_pages_style_at(&screen, x - 1, 4));
			assert_true(cells < wanted[i] * cols + 1.001);
			assert_true(cells > wanted[i] * cols - 1.001);
		}
		screen_close(&screen);
	}
}

static void cursor_shows_its_exact_time(void **state)
{
	struct screen screen;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "t");
	assert_true(is_said(&screen, "12:28:41.000000 · +5.00s · the end"));
	assert_true(is_said(&screen, "outside any region"));
	for (int i = 0; i < 8; i++)
		screen_keys(&screen, "Left");
	assert_true(is_said(&screen, "k/c · 1.50s · 12:28:39.200000 to 12:28:40.700000"));
	assert_false(is_said(&screen, "the end"));
	screen_keys(&screen, "Enter");
	assert_true(is_said(&screen, "Region · k/c"));
	screen_keys(&screen, "Backspace f");
	assert_true(is_said(&screen, "12:28:41.000000 · +5.00s · the end"));
	screen_close(&screen);
}

static void zooming_and_panning_stay_within_the_trace(void **state)
{
	struct screen screen;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "t +");
	assert_true(is_said(&screen, "2.50s of 5.00s"));
	screen_keys(&screen, "+");
	assert_true(is_said(&screen, "1.25s of 5.00s"));
	assert_true(is_said(&screen, "in sight +3.75s to +5.00s"));
	screen_keys(&screen, "< < < < < < < < <");
	assert_true(is_said(&screen, "│+0ns"));
	screen_keys(&screen, "> > > > > > > > > > >");
	assert_true(is_said(&screen, "in sight +3.75s to +5.00s"));
	screen_keys(&screen, "- - - -");
	assert_true(is_said(&screen, "x 1 · 5.00s ─"));
	for (int i = 0; i < 60; i++)
		screen_keys(&screen, "+");
	assert_true(is_said(&screen, "10µs of 5.00s"));
	assert_true(is_said(&screen, "│12:28:40.999990"));
	screen_close(&screen);
}

/* Keys may arrive faster than frames are drawn. */
static void keys_between_frames_act_on_the_next_frame(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "End t"); /* a tree of 62 ms; the whole trace is 6 s */
	assert_true(is_said(&screen, "tree of status 14600 · 62.0ms"));
	ui_key(screen.ui, &(struct key_event){ .key = 'a' });
	ui_key(screen.ui, &(struct key_event){ .key = '+' });
	ui_key(screen.ui, &(struct key_event){ .key = '+' });
	screen_frame(&screen);
	assert_true(is_said(&screen, "all processes · 1.50s of 6.00s"));
	screen_keys(&screen, "Esc");
	ui_key(screen.ui, &(struct key_event){ .key = 't' });
	ui_key(screen.ui, &(struct key_event){ .key = 'a' });
	ui_key(screen.ui, &(struct key_event){ .key = KEY_CODE_LEFT });
	ui_key(screen.ui, &(struct key_event){ .key = '+' });
	screen_frame(&screen);
	assert_true(is_said(&screen, "all processes · 3.00s of 6.00s"));
	screen_keys(&screen, "Esc");
	ui_key(screen.ui, &(struct key_event){ .key = 'F' });
	ui_key(screen.ui, &(struct key_event){ .key = 'a' });
	ui_key(screen.ui, &(struct key_event){ .key = KEY_CODE_DOWN });
	screen_frame(&screen);
	assert_true(is_said(&screen, "Flame · all processes"));
	screen_close(&screen);
}

static void mouse(struct screen *screen, int button, int x, int y)
{
	ui_key(screen->ui, &(struct key_event){ .key = KEY_CODE_MOUSE,
						.x = (int16_t)x,
						.y = (int16_t)y,
						.button = (uint8_t)button });
	screen_frame(screen);
}

static void mouse_sets_the_cursor_and_drags_the_window(void **state)
{
	struct screen screen;
	int left, cols;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "t");
	left = bars_x(&screen);
	cols = 79 - left;
	mouse(&screen, MOUSE_PRESS, left + cols / 5, 4);
	assert_true(is_said(&screen, "k/a · 1.00s · 12:28:36.500000 to 12:28:37.500000"));
	screen_keys(&screen, "f + +");
	assert_true(is_said(&screen, "in sight +3.75s to +5.00s"));
	mouse(&screen, MOUSE_PRESS, left + 2, 4);
	mouse(&screen, MOUSE_DRAG, left + 2 + cols, 4);
	mouse(&screen, MOUSE_RELEASE, left + 2 + cols, 4);
	assert_true(is_said(&screen, "in sight +2.50s"));
	screen_close(&screen);
}

static void live_window_follows_the_time(void **state)
{
	struct screen screen;
	size_t len = strstr(honest, "{\"event\":\"exit\"") - honest;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_feed(&screen, honest, len);
	screen_frame(&screen);
	screen_keys(&screen, "t");
	assert_true(ui_needs_ticks(screen.ui));
	assert_true(is_said(&screen, "12:28:42.000000 · +6.00s · live"));
	screen_keys(&screen, "+");
	assert_true(is_said(&screen, "3.00s of 6.00s"));
	screen.in.wall_ns += NS_PER_SEC;
	screen_frame(&screen);
	assert_true(is_said(&screen, "3.00s of 7.00s"));
	assert_true(is_said(&screen, "in sight +4.00s"));
	assert_true(is_said(&screen, "●"));
	screen_keys(&screen, "F");
	assert_true(is_said(&screen, "▸●"));
	assert_true(is_said(&screen, "7.00s"));
	assert_true(ui_needs_ticks(screen.ui));
	screen_close(&screen);
}

static void looking_back_shows_no_later_events(void **state)
{
	struct screen screen;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "t");
	assert_true(is_said(&screen, "│k/c░"));
	screen.in.past = true;
	screen.in.past_ns = SCENE_NOW_NS - 3 * NS_PER_SEC; /* 39.0 s: b has ended, c not begun */
	screen_frame(&screen);
	assert_true(is_said(&screen, "│k/b░"));
	assert_false(is_said(&screen, "│k/c░"));
	screen_close(&screen);
}

static void flame_zooms_in_and_out_and_closes(void **state)
{
	struct screen screen;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "F");
	assert_true(is_said(&screen, "Flame · tree of x 1") ||
		    is_said(&screen, "Flame · tree of git x 1"));
	assert_true(is_said(&screen, "total 5.00s · self 2.00s · 100.0% · 1 seen"));
	screen_keys(&screen, "Down Right");
	assert_true(is_said(&screen, "> k/a"));
	assert_true(is_said(&screen, "total 1.00s · self 1.00s · 20.0% · 1 time  "));
	screen_keys(&screen, "Enter");
	assert_true(is_said(&screen, "· 100.0% · 1 time  "));
	screen_keys(&screen, "Backspace");
	assert_true(is_said(&screen, "· 20.0% · 1 time  "));
	screen_keys(&screen, "Backspace");
	assert_false(is_said(&screen, "Flame · "));
	screen_close(&screen);
}

static void every_scope_of_the_flame_has_its_title(void **state)
{
	static const char *const titles[] = { "Flame · all processes", "Flame · region k/c",
					      "Flame · thread main", "Flame · process of ",
					      "Flame · tree of " };
	struct screen screen;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "F Down");
	for (int i = 0; i < 5; i++) {
		screen_keys(&screen, "a");
		assert_true(is_said(&screen, titles[i]));
		if (i < 1)
			screen_keys(&screen, "Down Down");
	}
	screen_close(&screen);
}

static void region_of_all_processes_reaches_every_scope(void **state)
{
	static const char *const titles[] = { "Flame · region k/c · all processes",
					      "Flame · thread main · ",
					      "Flame · process of ",
					      "Flame · tree of ",
					      "Flame · all processes",
					      "Flame · region k/c · " };
	struct screen screen;

	(void)state;
	open_honest(&screen, 100, 30);
	screen_keys(&screen, "3 F");
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
		if (!is_said(&screen, titles[i]))
			fail_msg("no %s:\n%s", titles[i], screen_text(&screen));
		screen_keys(&screen, "a");
	}
	screen_close(&screen);
}

static void click_selects_a_bar_and_second_click_zooms(void **state)
{
	struct screen screen;

	(void)state;
	open_honest(&screen, 80, 24);
	screen_keys(&screen, "F");
	mouse(&screen, MOUSE_PRESS, 10, 4);
	assert_true(is_said(&screen, "> k/c"));
	mouse(&screen, MOUSE_DOUBLE, 10, 4);
	assert_true(is_said(&screen, "· 100.0% · 1 time  "));
	screen_close(&screen);
}

static void empty_pages_show_what_to_do(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, NULL);
	screen_frame(&screen);
	screen_keys(&screen, "t");
	assert_true(is_said(&screen, "press o to show the state of the sources"));
	assert_false(ui_needs_ticks(screen.ui));
	screen_keys(&screen, "+ - Left < f a Enter Backspace F");
	assert_true(is_said(&screen, "press o to show the state of the sources"));
	screen_keys(&screen, "Down Left Enter a Backspace");
	screen_close(&screen);
}

static void failed_and_live_differ_by_shape(void **state)
{
	struct screen screen;

	(void)state;
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "t a");
	assert_true(is_said(&screen, "✗") && is_said(&screen, "●"));
	screen_keys(&screen, "Home F"); /* the newest root: push, which failed */
	assert_true(is_said(&screen, "✗") || is_said(&screen, "1 failed"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeline_bars_match_the_regions_within_a_cell),
		cmocka_unit_test(random_timelines_match_the_report_within_a_cell),
		cmocka_unit_test(flame_bars_match_the_report_within_a_cell),
		cmocka_unit_test(cursor_shows_its_exact_time),
		cmocka_unit_test(zooming_and_panning_stay_within_the_trace),
		cmocka_unit_test(keys_between_frames_act_on_the_next_frame),
		cmocka_unit_test(mouse_sets_the_cursor_and_drags_the_window),
		cmocka_unit_test(live_window_follows_the_time),
		cmocka_unit_test(looking_back_shows_no_later_events),
		cmocka_unit_test(flame_zooms_in_and_out_and_closes),
		cmocka_unit_test(every_scope_of_the_flame_has_its_title),
		cmocka_unit_test(region_of_all_processes_reaches_every_scope),
		cmocka_unit_test(click_selects_a_bar_and_second_click_zooms),
		cmocka_unit_test(empty_pages_show_what_to_do),
		cmocka_unit_test(failed_and_live_differ_by_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
