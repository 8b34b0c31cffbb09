/* SPDX-License-Identifier: MIT */
/* The lines on top of the screen, at the widths that there are. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"

/* What is watched is known to who started it; where one is on the way is not. */
static void the_path_walked_is_readable_beside_a_long_source(void **state)
{
	static const char *const specs[] = {
		"/home/somebody/long/way/down/to/where/all/of/the/traces/are/written/t2.event"
	};
	static const struct {
		int cols;
		const char *keys, *title;
	} cases[] = {
		{ 120, "", "  /home/somebody/long/way/down/to/…/the/traces/are/written/t2.event LIVE" },
		{ 120, "3 Enter",
		  "  /home/somebody/long/way/dow…traces/are/written/t2.event  > Region LIVE" },
		{ 80, "3 Enter", "  /home/somebody/…ritten/t2.event  > Region LIVE" },
		{ 80, "3 Enter e", "  /home/someb…n/t2.event  > Region > Events LIVE" },
		{ 80, "3 Enter e Enter", "  /home/….event  > Region > Events > Record LIVE" },
		{ 40, "t", "  /home…vent  > Timeline LIVE" },
		{ 40, "3 Enter e", "  /home…vent  … > Events LIVE" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ui_config config = {
			.nesting = -1, .depth = -1, .specs = specs, .nr_specs = 1
		};
		struct screen screen;

		screen_open(&screen, cases[i].cols, 24, &config);
		screen_scene(&screen);
		screen_frame(&screen);
		screen_keys(&screen, cases[i].keys);
		if (!strstr(screen_text(&screen), cases[i].title))
			fail_msg("no '%s' in %.150s", cases[i].title, screen_text(&screen));
		screen_close(&screen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_path_walked_is_readable_beside_a_long_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
