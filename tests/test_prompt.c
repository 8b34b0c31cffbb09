/* SPDX-License-Identifier: MIT */
/* Tests of the line that a user types. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "views/widget/keys.h"
#include "views/widget/prompt.h"

static void type(struct prompt *prompt, const char *text)
{
	for (; *text; text++)
		assert_int_equal(prompt_key(prompt, (unsigned char)*text), PROMPT_GOES_ON);
}

static void keys_edit_the_line_by_characters(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	prompt_open(&p, "Filter: ", "na");
	type(&p, "me");
	prompt_key(&p, 0xf6);
	prompt_key(&p, KEY_CODE_LEFT);
	assert_int_equal(p.cursor, 4);
	prompt_key(&p, KEY_CODE_DELETE);
	assert_string_equal(p.text, "name");
	prompt_key(&p, 0xf6);
	prompt_key(&p, KEY_CODE_BACKSPACE);
	type(&p, " = x");
	prompt_key(&p, KEY_CTRL('w'));
	assert_string_equal(p.text, "name = ");
	prompt_replace(&p, 0, "argv");
	assert_string_equal(p.text, "argv");
	prompt_key(&p, KEY_CTRL('u'));
	assert_string_equal(p.text, "");
	assert_int_equal(prompt_key(&p, 0x1b), PROMPT_LEFT);
	assert_null(p.label);
}

static void history_is_recalled_newest_first(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	for (int i = 0; i < PROMPT_HISTORY + 3; i++) {
		char text[2] = { (char)('a' + i), 0 };

		prompt_open(&p, "", text);
		assert_int_equal(prompt_key(&p, '\r'), PROMPT_ENTERED);
		prompt_close(&p, true);
	}
	prompt_open(&p, "", "");
	prompt_key(&p, KEY_CODE_UP);
	assert_string_equal(p.text, "s");
	for (int i = 0; i < 100; i++)
		prompt_key(&p, KEY_CODE_UP);
	assert_string_equal(p.text, "d");
	for (int i = 0; i < 100; i++)
		prompt_key(&p, KEY_CODE_DOWN);
	assert_string_equal(p.text, "");
}

static void full_line_rejects_input(void **state)
{
	struct prompt p = { 0 };

	(void)state;
	prompt_open(&p, "", "");
	for (int i = 0; i < 2 * PROMPT_MAX_BYTES; i++)
		prompt_key(&p, 0x20ac);
	assert_in_range(p.len, PROMPT_MAX_BYTES - 3, PROMPT_MAX_BYTES - 1);
	assert_int_equal(p.len % 3, 0);
}

static void error_points_at_its_column(void **state)
{
	struct prompt p = { 0 };
	struct surface *surface = surface_new(40, 3, false);

	(void)state;
	prompt_open(&p, "F: ", "name ? x");
	strcpy(p.message, "wrong");
	p.message_column = 5;
	prompt_draw(&p, surface, 2);
	assert_int_equal(surface->cells[2 * 40 + 3].ch[0], 'n');
	assert_int_equal(surface->cells[1 * 40 + 8].ch[0], 0x25bc);
	assert_int_equal(surface->cells[1 * 40 + 10].ch[0], 'w');
	surface_free(surface);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_edit_the_line_by_characters),
		cmocka_unit_test(history_is_recalled_newest_first),
		cmocka_unit_test(full_line_rejects_input),
		cmocka_unit_test(error_points_at_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
