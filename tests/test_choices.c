/* SPDX-License-Identifier: MIT */
/* Tests of menus, of opening a source line, and of a command that may wait for input. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/screen_fixture.h"
#include "views/widget/menu.h"

static void open_scene(struct screen *screen, int cols, int rows)
{
	screen_open(screen, cols, rows, NULL);
	screen_scene(screen);
	screen_frame(screen);
}

static bool shows(struct screen *screen, const char *text)
{
	return strstr(screen_text(screen), text) != NULL;
}

static const char *key_line(struct screen *screen)
{
	const char *line = screen_text(screen);

	for (const char *next = line; next && next[1]; next = strchr(next + 1, '\n'))
		line = next;
	return line;
}

/* While a menu is open, keys have other effects than in the pane, so the key bar lists the menu's
 * keys. */
static void menus_have_their_own_keys(void **state)
{
	struct key_event press = { .key = KEY_CODE_MOUSE, .button = MOUSE_PRESS, .y = 39 };
	static const char *const menus[] = { "F6", "y", "+", "5 b" };
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	for (size_t i = 0; i < sizeof(menus) / sizeof(*menus); i++) {
		screen_keys(&screen, menus[i]);
		assert_non_null(strstr(key_line(&screen), "Enter choose  Esc close"));
		assert_null(strstr(key_line(&screen), "findings"));
		assert_null(strstr(key_line(&screen), "help"));
		press.x = 1;
		if (i % 2)
			press.x = (int)strlen("Enter choose  ");
		ui_key(screen.ui, &press);
		screen_frame(&screen);
		assert_null(strstr(key_line(&screen), "Enter choose"));
		screen_keys(&screen, "1");
		assert_non_null(strstr(key_line(&screen), "? help"));
	}
	screen_close(&screen);
}

static void items_with_long_values_are_whole(void **state)
{
	static const char text[] = "data transfer/negotiated-version = \"2\"";
	struct menu menu;

	(void)state;
	menu_open(&menu, "Show only");
	menu_add(&menu, 0, 0, text, true);
	assert_string_equal(menu.items[0].text, text);
}

static void list_sorts_by_any_column(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "Down F6");
	assert_true(shows(&screen, " Sort by "));
	assert_true(shows(&screen, "▸(own order)"));
	screen_keys(&screen, "Down Down Down Down Down Down Enter");
	assert_false(shows(&screen, "Sort by"));
	assert_true(shows(&screen, "TIME▼"));
	screen_keys(&screen, "F6");
	assert_true(shows(&screen, "▸TIME"));
	screen_keys(&screen, "Down Esc");
	assert_false(shows(&screen, "Sort by"));
	assert_true(shows(&screen, "TIME▼"));
	/* The sort column is not visible, so the title names it. */
	screen_keys(&screen, "F6 End Up Up Up Enter");
	assert_true(shows(&screen, "· by LIVE"));
	screen_keys(&screen, "F6 Home Enter");
	assert_false(shows(&screen, "· by"));
	screen_close(&screen);
}

static void lists_the_columns_of_the_view_in_front(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "3 F6");
	assert_true(shows(&screen, " CATEGORY"));
	assert_false(shows(&screen, " WORKTREE"));
	screen_keys(&screen, "q t F6");
	assert_true(shows(&screen, "These rows cannot be sorted"));
	screen_close(&screen);
}

static void list_scrolls_and_accepts_the_mouse(void **state)
{
	struct screen screen;
	struct key_event press = { .key = KEY_CODE_MOUSE, .button = MOUSE_PRESS };

	(void)state;
	open_scene(&screen, 40, 10);
	screen_keys(&screen, "F6");
	assert_true(shows(&screen, "(own order)"));
	screen_keys(&screen, "End");
	assert_false(shows(&screen, "(own order)"));
	assert_true(shows(&screen, "▸DOING"));
	screen_keys(&screen, "Esc F6");
	press.x = 5;
	press.y = 6;
	ui_key(screen.ui, &press);
	screen_frame(&screen);
	assert_false(shows(&screen, "Sort by"));
	assert_true(shows(&screen, "by START"));
	screen_keys(&screen, "F6");
	press.x = 39;
	ui_key(screen.ui, &press);
	screen_frame(&screen);
	assert_false(shows(&screen, "Sort by"));
	screen_close(&screen);
}

static void copies_a_row_with_two_keys(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	screen_keys(&screen, "y");
	assert_true(shows(&screen, "c  the command line"));
	assert_true(screen_keys(&screen, "c") & UI_COPY);
	assert_string_equal(ui_copied(screen.ui), "git fetch origin");
	assert_true(screen_keys(&screen, "Down y s") & UI_COPY);
	assert_string_equal(ui_copied(screen.ui), "20260102T122836.000000Z-H6b1a4c2e-P00003973/"
						  "20260102T122836.200000Z-H6b1a4c2e-P00003974");
	assert_true(screen_keys(&screen, "y r") & UI_COPY);
	assert_non_null(strstr(ui_copied(screen.ui), "14708 exit 0"));
	assert_true(shows(&screen, "printed after quitting"));
	assert_false(screen_keys(&screen, "y Esc") & UI_COPY);
	/* A row of Timings has no command line to copy; an event has that of its process. */
	screen_keys(&screen, "3 y");
	assert_false(shows(&screen, "the command line"));
	assert_true(screen_keys(&screen, "r") & UI_COPY);
	assert_non_null(strstr(ui_copied(screen.ui), "traverse"));
	assert_true(screen_keys(&screen, "1 Home e Home Down y c") & UI_COPY);
	assert_string_equal(ui_copied(screen.ui), "git fetch origin");
	assert_true(screen_keys(&screen, "Enter y s") & UI_COPY);
	assert_string_equal(ui_copied(screen.ui), "20260102T122836.000000Z-H6b1a4c2e-P00003973");
	screen_close(&screen);
}

/* The user may paste text of a trace into a shell. */
static void quotes_copied_text_for_a_shell(void **state)
{
	static const struct {
		const char *argv, *wanted;
	} cases[] = {
		{ "[\"git\",\"log\",\"--format=%h %s\",\"\"]", "git log '--format=%h %s' ''" },
		{ "[\"git\",\"x; rm -rf ~\",\"$(id)\",\"it's\",\"`id`\"]",
		  "git 'x; rm -rf ~' '$(id)' 'it'\\''s' '`id`'" },
		{ "[\"A=b\",\"a=b\"]", "'A=b' a=b" },
		{ "[\"git\",\"a\\nid\\n\",\"\\u001b]52;c;x\\u0007'\"]",
		  "git $'a\\012id\\012' $'\\033]52;c;x\\007\\''" },
		{ "[\"git\",\"clone\",\"https://me:pw@host/x\"]",
		  "git clone 'https://me:<REDACTED>@host/x'" },
		{ "[\"git\",\"ä\",\"\\u202e\"]", "git 'ä' '<U+202E>'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct screen screen;
		char line[512];
		int len = snprintf(line, sizeof(line),
				   "{\"event\":\"start\",\"sid\":\"20260821T122842.000000Z-H1-P7\","
				   "\"thread\":\"main\",\"time\":\"2026-01-02T12:28:42.000000Z\","
				   "\"t_abs\":0.1,\"argv\":%s}\n",
				   cases[i].argv);

		screen_open(&screen, 120, 40, NULL);
		screen_feed(&screen, line, (size_t)len);
		screen_frame(&screen);
		assert_true(screen_keys(&screen, "y c") & UI_COPY);
		assert_string_equal(ui_copied(screen.ui), cases[i].wanted);
		assert_true(screen_keys(&screen, "y r") & UI_COPY);
		assert_null(strpbrk(ui_copied(screen.ui), "\n\r\033\007"));
		screen_close(&screen);
	}
}

static void other_keys_close_the_list(void **state)
{
	struct screen screen;

	(void)state;
	open_scene(&screen, 120, 40);
	assert_int_equal(screen_keys(&screen, "y q"), UI_REDRAW);
	assert_false(shows(&screen, "┌ Copy"));
	screen_keys(&screen, "y");
	ui_key(screen.ui, &(struct key_event){ .key = 'c', .pasted = true });
	screen_frame(&screen);
	assert_true(shows(&screen, "the command line"));
	screen_close(&screen);
}

static void opens_the_source_line_of_events_errors_and_occurrences(void **state)
{
	static const char *const with[] = { "e Home", "e Home Enter", "E", "3 Enter End" };
	static const char *const without[] = { "1", "3", "4", "S" };
	struct screen screen;
	int64_t line;

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
		open_scene(&screen, 120, 40);
		screen_keys(&screen, with[i]);
		if (!(screen_keys(&screen, "v") & UI_OPEN))
			fail_msg("%s:\n%s", with[i], screen_text(&screen));
		assert_string_equal(ui_place(screen.ui, &line), "git.c");
		assert_int_equal(line, 1);
		screen_close(&screen);
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++) {
		open_scene(&screen, 120, 40);
		screen_keys(&screen, without[i]);
		assert_false(screen_keys(&screen, "v") & UI_OPEN);
		assert_true(shows(&screen, "This row has no source line"));
		screen_close(&screen);
	}
}

/* A click on a key that a note shows presses that key. */
static void reports_a_waiting_command_and_hands_over_the_terminal(void **state)
{
	static const char told[] = "The command may wait for input: ";
	struct ui_config config = { .nesting = -1, .depth = -1, .has_command = true };
	struct key_event press = {
		.key = KEY_CODE_MOUSE, .button = MOUSE_PRESS, .x = sizeof(told) - 1, .y = 23
	};
	struct screen screen;

	(void)state;
	screen_open(&screen, 80, 24, &config);
	screen_scene(&screen);
	screen.in.command_state = "running";
	screen.in.output = "Enter passphrase: ";
	screen.in.output_len = 18;
	screen_frame(&screen);
	assert_false(shows(&screen, told));
	screen.in.command_may_wait = true;
	screen_frame(&screen);
	assert_true(shows(&screen, "The command may wait for input: O  Enter open"));
	ui_key(screen.ui, &press);
	screen_frame(&screen);
	assert_true(shows(&screen, "> Output of the command"));
	assert_true(shows(&screen, "The command may wait for input: Enter  "));
	assert_true(ui_key(screen.ui, &press) & UI_TYPE);
	assert_true(screen_keys(&screen, "Enter") & UI_TYPE);
	screen_keys(&screen, "q F10");
	assert_false(shows(&screen, told));
	assert_true(shows(&screen, "The command is still running"));
	screen_close(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(menus_have_their_own_keys),
		cmocka_unit_test(items_with_long_values_are_whole),
		cmocka_unit_test(list_sorts_by_any_column),
		cmocka_unit_test(lists_the_columns_of_the_view_in_front),
		cmocka_unit_test(list_scrolls_and_accepts_the_mouse),
		cmocka_unit_test(copies_a_row_with_two_keys),
		cmocka_unit_test(quotes_copied_text_for_a_shell),
		cmocka_unit_test(other_keys_close_the_list),
		cmocka_unit_test(opens_the_source_line_of_events_errors_and_occurrences),
		cmocka_unit_test(reports_a_waiting_command_and_hands_over_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
