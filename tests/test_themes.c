/* SPDX-License-Identifier: MIT */
/* Tests of the looks of themes, and that states are visible without colour. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/look_fixture.h"
#include "tests/screen_fixture.h"

static void every_theme_matches_its_golden_file(void **state)
{
	struct tr2_buf out;
	struct screen screen;
	char name[64];

	(void)state;
	tr2_buf_init(&out, 1 << 24);
	screen_open(&screen, 120, 40, NULL);
	screen_scene(&screen);
	screen_frame(&screen);
	screen_keys(&screen, "Down Down m");
	/* The first theme (auto) stands for another one: see theme_for(). */
	for (int theme = 1; theme < NR_THEMES; theme++) {
		snprintf(name, sizeof(name), "theme-%s-120x40", theme_words[theme].word);
		tr2_buf_clear(&out);
		dump_looks(screen.surface, (enum theme)theme, &out);
		golden_compare(name, &out);
	}
	tr2_buf_release(&out);
	screen_close(&screen);
}

#define STATE_EVENT(event, rest)                                                                   \
	"{\"event\":\"" event                                                                      \
	"\",\"sid\":\"20260102T122836.000000Z-H1-P00000f00\",\"thread\":\"main\","                 \
	"\"time\":\"2026-01-02T12:28:37.000000Z\"," rest "}\n"
#define STATE_CHILD STATE_EVENT("child_start", "\"child_id\":0,\"argv\":[\"sleep\",\"1\"]")
#define STATE_ENTER STATE_EVENT("region_enter", "\"nesting\":1,\"category\":\"a\",\"label\":\"b\"")

static const struct {
	const char *what, *lines;
} states[] = {
	{ "running", "" },
	{ "exited", STATE_EVENT("exit", "\"t_abs\":1.0,\"code\":0") },
	{ "failed", STATE_EVENT("exit", "\"t_abs\":1.0,\"code\":1") },
	{ "signaled", STATE_EVENT("signal", "\"t_abs\":1.0,\"signo\":1") },
	{ "replaced", STATE_EVENT("exec", "\"exec_id\":0,\"exe\":\"x\",\"argv\":[\"x\"]") },
	{ "open region", STATE_ENTER },
	{ "closed region",
	  STATE_ENTER STATE_EVENT("region_leave", "\"t_rel\":0.0,\"nesting\":1,"
						  "\"category\":\"a\",\"label\":\"b\"") },
	{ "slow region",
	  STATE_ENTER STATE_EVENT("region_leave", "\"t_rel\":1.0,\"nesting\":1,"
						  "\"category\":\"a\",\"label\":\"b\"") },
	{ "child", STATE_CHILD },
	{ "child exited",
	  STATE_CHILD STATE_EVENT("child_exit", "\"child_id\":0,\"pid\":9,\"code\":0,"
						"\"t_rel\":0.0") },
	{ "child failed",
	  STATE_CHILD STATE_EVENT("child_exit", "\"child_id\":0,\"pid\":9,\"code\":1,"
						"\"t_rel\":0.0") },
	{ "child ready",
	  STATE_CHILD STATE_EVENT("child_ready", "\"child_id\":0,\"pid\":9,"
						 "\"ready\":\"ready\",\"t_rel\":0.0") },
};

#define NR_STATES (sizeof(states) / sizeof(*states))

static char *state_screen(size_t i, const char *keys, int cols, int rows)
{
	static const char begin[] = STATE_EVENT("start", "\"t_abs\":0.1,\"argv\":[\"git\",\"x\"]");
	struct screen screen;
	char *text, *row;

	screen_open(&screen, cols, rows, NULL);
	screen_feed(&screen, begin, strlen(begin));
	screen_feed(&screen, states[i].lines, strlen(states[i].lines));
	screen_frame(&screen);
	screen_keys(&screen, keys);
	text = strdup(screen_text(&screen));
	/* The header shows counts, which differ, so only the views are compared. */
	row = strchr(strchr(text, '\n') + 1, '\n') + 1;
	memmove(text, row, strlen(row) + 1);
	screen_close(&screen);
	return text;
}

static void states_differ_without_colour(void **state)
{
	static const struct {
		const char *keys;
		int cols, rows;
		size_t first, last;
	} views[] = {
		{ "", 120, 40, 0, NR_STATES - 1 },
		{ "", 40, 10, 0, 4 },
		{ "2", 40, 10, 5, 7 },
		{ "4", 40, 10, 8, 11 },
		{ "Enter", 120, 40, 0, NR_STATES - 1 },
	};

	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(*views); v++)
		for (size_t i = views[v].first; i <= views[v].last; i++)
			for (size_t k = views[v].first; k < i; k++) {
				char *one = state_screen(i, views[v].keys, views[v].cols,
							 views[v].rows);
				char *other = state_screen(k, views[v].keys, views[v].cols,
							   views[v].rows);

				if (!strcmp(one, other))
					fail_msg("%s and %s look the same:\n%s", states[i].what,
						 states[k].what, one);
				free(one);
				free(other);
			}
}

static void overlays_differ_by_attributes(void **state)
{
	static const enum style overlays[] = { STYLE_TEXT, STYLE_SELECTED, STYLE_CHOSEN,
					       STYLE_FOUND };
	const int nr = sizeof(overlays) / sizeof(*overlays);

	(void)state;
	for (int theme = 0; theme < NR_THEMES; theme++)
		for (int i = 0; i < nr; i++)
			for (int k = 0; k < i; k++)
				assert_int_not_equal(
					style_look((enum theme)theme, overlays[i])->mono,
					style_look((enum theme)theme, overlays[k])->mono);
	for (int theme = 0; theme < NR_THEMES; theme++)
		for (int style = 0; style < NR_STYLES; style++) {
			const struct look *look = style_look((enum theme)theme, (enum style)style);

			/* With 16 colours only the default and the eight normal colours are
			 * used. */
			assert_in_range(look->fg16 + 1, 0, 8);
			assert_in_range(look->bg16 + 1, 0, 8);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_theme_matches_its_golden_file),
		cmocka_unit_test(states_differ_without_colour),
		cmocka_unit_test(overlays_differ_by_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
