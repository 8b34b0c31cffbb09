/* SPDX-License-Identifier: MIT */
/* Tests of detecting the terminal's background, such as that its answer is separated from keys. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "views/terminal/background.h"

#define LIGHT "\033]11;rgb:ffff/ffff/f0f0\033\\"

static ns_t now;
static char got[256]; /* the keys that were returned */

static void give(const uint32_t *keys, int nr)
{
	size_t len = strlen(got);

	assert_in_range(nr, 0, BACKGROUND_MAX_KEYS);
	for (int i = 0; i < nr; i++)
		got[len++] = (char)keys[i];
	got[len] = 0;
}

static void come(struct background *background, const char *bytes, size_t len)
{
	uint32_t keys[BACKGROUND_MAX_KEYS];

	for (size_t i = 0; i < len; i++)
		give(keys, background_take(background, (uint8_t)bytes[i], now, keys));
}

static void pass(struct background *background, ns_t ns)
{
	uint32_t keys[BACKGROUND_MAX_KEYS];

	now += ns;
	give(keys, background_late(background, now, keys));
}

static void begin(struct background *background)
{
	now = NS_PER_SEC;
	got[0] = 0;
	background_begin(background, NULL);
	assert_string_equal(background_ask(background, now), "\033]11;?\033\\");
}

static void parses_light_and_dark_answers(void **state)
{
	static const struct {
		const char *answer;
		bool light;
	} rows[] = {
		{ LIGHT, true },
		{ "\033]11;rgb:fdf6/f6e3/e3e3\007", true },
		{ "\033]11;rgb:1e1e/1e1e/1e1e\007", false },
		{ "\033]11;rgb:ff/ff/ff\033\\", true },
		{ "\033]11;rgb:f/f/f\033\\", true },
		{ "\033]11;rgb:0/2b/36\033\\", false },
		{ "\033]11;rgba:ffff/ffff/ffff/8000\033\\", true },
		{ "\033]11;\033\\", false },
		{ "\033]11;rgb:\033\\", false },
		{ "\033]11;rgb:fffff/ffff/ffff\033\\", false },
		{ "\033]11;rgb:ffff/ffff\033\\", false },
		{ "\033]11;nonsense that is far longer than any answer ever was\007", false },
	};
	struct background background;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(&background);
		come(&background, "j", 1);
		come(&background, rows[i].answer, strlen(rows[i].answer));
		come(&background, "k", 1);
		assert_string_equal(got, "jk");
		assert_int_equal(background.light, rows[i].light);
		assert_false(background.awaited);
		assert_int_equal(background_wait_ms(&background, now), -1);
	}
}

/* The second piece of an answer arrives after 0, 1 or 40 ms. */
static void swallows_an_answer_in_pieces(void **state)
{
	static const ns_t pauses[] = { 0, NS_PER_MS, 40 * NS_PER_MS };
	struct background background;

	(void)state;
	for (size_t p = 0; p < sizeof(pauses) / sizeof(*pauses); p++)
		for (size_t cut = 1; cut < strlen(LIGHT); cut++) {
			begin(&background);
			now += 3600 * NS_PER_SEC;
			come(&background, LIGHT, cut);
			pass(&background, pauses[p]);
			come(&background, &LIGHT[cut], strlen(LIGHT) - cut);
			come(&background, "k", 1);
			assert_string_equal(got, "k");
			assert_true(background.light);
		}
	/* After BACKGROUND_ESC_NS an Esc is a key; the rest of the answer is not. */
	begin(&background);
	come(&background, LIGHT, 1);
	pass(&background, BACKGROUND_ESC_NS);
	come(&background, &LIGHT[1], strlen(LIGHT) - 1);
	assert_string_equal(got, "\033");
	assert_true(background.light);
}

static void returns_keys_unchanged(void **state)
{
	static const char *const typed[] = { "\033", "\033\033", "]",          "\033x", "\033]1x",
					     "]11;", "\033]12;", "\033\033]x", "\033[A" };
	struct background background;

	(void)state;
	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		begin(&background);
		come(&background, typed[i], strlen(typed[i]));
		pass(&background, BACKGROUND_PREFIX_NS);
		assert_string_equal(got, typed[i]);
		assert_int_equal(background_wait_ms(&background, now), -1);
		come(&background, LIGHT, strlen(LIGHT));
		assert_string_equal(got, typed[i]);
		assert_true(background.light);
	}
	begin(&background);
	for (const char *at = "\033]j"; *at; at++) {
		come(&background, at, 1);
		pass(&background, 10 * NS_PER_SEC);
	}
	assert_string_equal(got, "\033]j");
}

static void delays_a_key_only_as_long_as_necessary(void **state)
{
	struct background background;

	(void)state;
	background_begin(&background, NULL);
	now = 0;
	got[0] = 0;
	come(&background, "\033", 1);
	assert_string_equal(got, "\033"); /* no query was sent, so Esc is a key */
	begin(&background);
	assert_int_equal(background_wait_ms(&background, now), -1);
	come(&background, "\033", 1);
	assert_string_equal(got, "");
	assert_in_range(background_wait_ms(&background, now), 1, BACKGROUND_ESC_NS / NS_PER_MS + 1);
	pass(&background, BACKGROUND_ESC_NS - 1);
	assert_string_equal(got, "");
	pass(&background, 1);
	assert_string_equal(got, "\033");
	begin(&background);
	come(&background, LIGHT, 9);
	now += BACKGROUND_REST_NS + 1;
	come(&background, "k", 1);
	assert_string_equal(got, "k");
}

static void uses_colorfgbg_without_a_query(void **state)
{
	static const struct {
		const char *text;
		bool light;
	} rows[] = {
		{ NULL, false },   { "", false },    { "15;0", false },        { "0;15", true },
		{ "0;7", true },   { "7;8", false }, { "0;default;15", true }, { "0;", false },
		{ "0;1x", false }, { "15", false },  { "0;-7", false },        { "12;256", false },
	};
	struct background background;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		background_begin(&background, rows[i].text);
		assert_int_equal(background.light, rows[i].light);
		assert_false(background.awaited);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_light_and_dark_answers),
		cmocka_unit_test(swallows_an_answer_in_pieces),
		cmocka_unit_test(returns_keys_unchanged),
		cmocka_unit_test(delays_a_key_only_as_long_as_necessary),
		cmocka_unit_test(uses_colorfgbg_without_a_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
