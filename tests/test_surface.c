/* SPDX-License-Identifier: MIT */
/* Tests of surfaces, and of the names of keys. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "views/widget/keys.h"
#include "views/draw/surface.h"
#include "views/draw/width.h"

static const char *dump(const struct surface *surface)
{
	static struct tr2_buf out = { .max = 1 << 20 };

	tr2_buf_clear(&out);
	surface_dump(surface, &out);
	return tr2_buf_cstr(&out);
}

static void no_control_character_reaches_a_cell(void **state)
{
	struct surface *surface = surface_new(80, 3, false);
	char text[256];

	(void)state;
	for (int i = 0; i < 256; i++)
		text[i] = (char)i;
	for (int from = 0; from < 256; from += 16) {
		surface_clear(surface);
		surface_text(surface, 0, 0, 80, STYLE_TEXT, text + from, 16);
		for (int x = 0; x < 80; x++)
			assert_true(surface->cells[x].ch[0] >= 0x20 &&
				    !(surface->cells[x].ch[0] >= 0x7f &&
				      surface->cells[x].ch[0] < 0xa0));
	}
	surface_clear(surface);
	surface_text(surface, 0, 0, 80, STYLE_TEXT, "\033[2J\r\n\xe2\x80\xae\xff|\0|", 13);
	assert_string_equal(dump(surface), "^[[2J^M^J<U+202E><FF>|^@|\n\n\n");
	surface_free(surface);
}

static void wide_and_combining_characters_keep_columns_aligned(void **state)
{
	struct surface *surface = surface_new(10, 1, false);

	(void)state;
	assert_int_equal(char_cells(0x76EE), 2);
	assert_int_equal(char_cells(0x301), 0);
	assert_int_equal(char_cells('x'), 1);
	assert_int_equal(surface_text(surface, 0, 0, 10, STYLE_TEXT, "目e\xcc\x81x", SIZE_MAX), 4);
	assert_int_equal(surface->cells[0].width, 2);
	assert_int_equal(surface->cells[1].width, 0);
	assert_int_equal(surface->cells[2].ch[1], 0x301);
	assert_int_equal(surface->cells[3].ch[0], 'x');
	surface_text(surface, 1, 0, 1, STYLE_TEXT, "y", 1);
	assert_string_equal(dump(surface), " ye\xcc\x81x\n");
	surface_clear(surface);
	surface_text(surface, 9, 0, 5, STYLE_TEXT, "目", SIZE_MAX);
	assert_string_equal(dump(surface), "\n");
	surface_free(surface);
}

static void leading_combining_mark_gets_a_blank(void **state)
{
	struct surface *surface = surface_new(4, 1, false);

	(void)state;
	surface_text(surface, 0, 0, 4, STYLE_TEXT, "\xcc\x81z", SIZE_MAX);
	assert_string_equal(dump(surface), " \xcc\x81z\n");
	surface_text(surface, 3, 0, 1, STYLE_TEXT, "z", SIZE_MAX);
	assert_int_equal(surface_text(surface, 2, 0, 1, STYLE_TEXT, "\xcc\x81zz", SIZE_MAX), 1);
	assert_string_equal(dump(surface), " \xcc\x81z…z\n");
	surface_free(surface);
}

static void marks_text_that_does_not_fit(void **state)
{
	struct surface *surface = surface_new(8, 1, false);

	(void)state;
	assert_int_equal(surface_text(surface, 0, 0, 5, STYLE_TEXT, "abcde", 5), 5);
	assert_string_equal(dump(surface), "abcde\n");
	assert_int_equal(surface_text(surface, 0, 0, 5, STYLE_TEXT, "abcdef", 6), 5);
	assert_string_equal(dump(surface), "abcd…\n");
	surface_clear(surface);
	surface_text(surface, 0, 0, 4, STYLE_TEXT, "ab目録", SIZE_MAX);
	assert_string_equal(dump(surface), "ab…\n");
	surface_clear(surface);
	surface_text_right(surface, 0, 0, 8, STYLE_TEXT, "12ms", SIZE_MAX);
	assert_string_equal(dump(surface), "    12ms\n");
	surface_free(surface);
}

static void shortens_text_in_the_middle(void **state)
{
	struct surface *surface = surface_new(12, 1, false);

	(void)state;
	assert_int_equal(surface_text_ends(surface, 0, 0, 8, STYLE_TEXT, "abcdefgh", 8, 3), 8);
	assert_string_equal(dump(surface), "abcdefgh\n");
	assert_int_equal(surface_text_ends(surface, 0, 0, 7, STYLE_TEXT, "abcdefgh", 8, 3), 7);
	assert_string_equal(dump(surface), "abc…fghh\n");
	surface_clear(surface);
	surface_text_ends(surface, 0, 0, 5, STYLE_TEXT, "> Log > Line", SIZE_MAX, 0);
	assert_string_equal(dump(surface), "…Line\n");
	surface_clear(surface);
	/* Characters are not cut in two. */
	assert_int_equal(
		surface_text_ends(surface, 0, 0, 6, STYLE_TEXT, "a目b\033録e\xcc\x81", SIZE_MAX, 2),
		5);
	assert_string_equal(dump(surface), "a…録e\xcc\x81\n");
	surface_clear(surface);
	assert_int_equal(surface_text_ends(surface, 0, 0, 1, STYLE_TEXT, "abc", 3, 4), 1);
	assert_string_equal(dump(surface), "…\n");
	assert_int_equal(surface_text_ends(surface, 0, 0, 0, STYLE_TEXT, "abc", 3, 0), 0);
	surface->ascii = true;
	surface_text_ends(surface, 0, 0, 4, STYLE_TEXT, "abcdef", 6, 1);
	assert_string_equal(dump(surface), "a~ef\n");
	surface_free(surface);
}

static void drawing_outside_draws_nothing(void **state)
{
	struct surface *surface = surface_new(3, 2, false);

	(void)state;
	surface_text(surface, -1, 0, 5, STYLE_TEXT, "abcde", 5);
	surface_text(surface, 0, 7, 5, STYLE_TEXT, "abc", 3);
	surface_frame(surface, (struct rect){ -5, -5, 50, 50 }, STYLE_BORDER);
	surface_overlay(surface, (struct rect){ -5, -5, 50, 50 }, STYLE_SELECTED);
	surface_bar(surface, 2, 1, 99, STYLE_BAR, 1000);
	assert_string_equal(dump(surface), "bcd\n  █\n");
	surface_free(surface);
}

static void ascii_surfaces_hold_only_ascii(void **state)
{
	struct surface *surface = surface_new(40, 1, true);

	(void)state;
	surface_text(surface, 0, 0, 40, STYLE_TEXT, "größe 目 · ≤ \033", SIZE_MAX);
	assert_string_equal(dump(surface), "gr??e ?? - < ^[\n");
	for (int glyph = 0; glyph < NR_GLYPHS; glyph++) {
		surface_glyph(surface, glyph % 40, 0, STYLE_TEXT, (enum glyph)glyph);
		assert_in_range(surface->cells[glyph % 40].ch[0], 0x20, 0x7e);
	}
	surface_free(surface);
}

static void copies_are_equal_and_changes_are_counted(void **state)
{
	struct surface *a = surface_new(20, 4, false), *b = surface_new(1, 1, false);

	(void)state;
	surface_text(a, 3, 2, 10, STYLE_FAILED, "FAIL 128", SIZE_MAX);
	surface_copy(b, a);
	assert_int_equal(surface_diff(a, b), 0);
	surface_text(b, 3, 2, 10, STYLE_FAILED, "FAIL 127", SIZE_MAX);
	assert_int_equal(surface_diff(a, b), 1);
	surface_free(a);
	surface_free(b);
}

static void key_names_can_be_parsed(void **state)
{
	struct tr2_buf name;
	static const uint32_t keys[] = { 'a',
					 ' ',
					 '\r',
					 '\t',
					 0x1b,
					 3,
					 26,
					 KEY_CODE_UP,
					 KEY_CODE_F0 + 1,
					 KEY_CODE_F12,
					 KEY_CODE_BACKTAB,
					 0xfc };

	(void)state;
	tr2_buf_init(&name, 64);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		tr2_buf_clear(&name);
		key_text(keys[i], &name);
		assert_int_equal(key_by_name(tr2_buf_cstr(&name), name.len), keys[i]);
	}
	tr2_buf_release(&name);
	assert_int_equal(key_by_name("F13", 3), 0);
	assert_int_equal(key_by_name("Nonsense", 8), 0);
}

static void keys_are_unique_in_each_scope(void **state)
{
	(void)state;
	for (int i = 1; i < NR_ACTIONS; i++) {
		const char *keys = key_rows[i].keys;
		bool bad = false;

		for (uint32_t key; (key = key_script_next(&keys, &bad));)
			for (enum key_scope s = KEY_SCOPE_PANES; s <= KEY_SCOPE_PAGES; s++)
				if (key_rows[i].scope & s)
					assert_int_equal(key_action(key, s), i);
		assert_false(bad);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_control_character_reaches_a_cell),
		cmocka_unit_test(wide_and_combining_characters_keep_columns_aligned),
		cmocka_unit_test(leading_combining_mark_gets_a_blank),
		cmocka_unit_test(marks_text_that_does_not_fit),
		cmocka_unit_test(shortens_text_in_the_middle),
		cmocka_unit_test(drawing_outside_draws_nothing),
		cmocka_unit_test(ascii_surfaces_hold_only_ascii),
		cmocka_unit_test(copies_are_equal_and_changes_are_counted),
		cmocka_unit_test(key_names_can_be_parsed),
		cmocka_unit_test(keys_are_unique_in_each_scope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
