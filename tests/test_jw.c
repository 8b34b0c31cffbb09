/* SPDX-License-Identifier: MIT */
/* Tests of JSON strings, also against a plain byte-by-byte loop. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/base/jw.h"

enum { LONGEST = 40 };

/* Append the expected string. The input has only isolated bytes beyond ASCII, which are
 * ill-formed. */
static void expected(struct tr2_buf *out, const char *s, size_t len)
{
	tr2_buf_addch(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *named = strchr("\bb\tt\nn\ff\rr", c);

		if (c == '"' || c == '\\')
			tr2_buf_addf(out, "\\%c", c);
		else if (c && c < 0x20 && named)
			tr2_buf_addf(out, "\\%c", named[1]);
		else if (c < 0x20 || c == 0x7F)
			tr2_buf_addf(out, "\\u%04x", c);
		else if (c >= 0x80)
			tr2_buf_addstr(out, "\xEF\xBF\xBD");
		else
			tr2_buf_addch(out, (char)c);
	}
	tr2_buf_addch(out, '"');
}

static void check(struct tr2_buf *got, struct tr2_buf *want, const char *s, size_t len)
{
	struct tr2_jw jw;

	tr2_buf_clear(got);
	tr2_buf_clear(want);
	tr2_jw_init(&jw, got, 0);
	tr2_jw_string(&jw, s, len);
	expected(want, s, len);
	assert_int_equal(got->len, want->len);
	assert_memory_equal(got->data, want->data, want->len);
}

static void escapes_every_byte_at_every_position(void **state)
{
	struct tr2_buf got, want;
	char s[LONGEST];

	(void)state;
	tr2_buf_init(&got, SIZE_MAX / 2);
	tr2_buf_init(&want, SIZE_MAX / 2);
	for (size_t len = 0; len <= LONGEST; len++) {
		memset(s, 'a', sizeof(s));
		check(&got, &want, s, len);
		for (size_t at = 0; at < len; at++)
			for (unsigned c = 0; c < 0x100; c++) {
				/* Bytes after the string have no effect. */
				memset(s, at % 2 ? ' ' : '~', sizeof(s));
				s[at] = (char)c;
				check(&got, &want, s, len);
			}
	}
	tr2_buf_release(&got);
	tr2_buf_release(&want);
}

static void keeps_valid_utf8(void **state)
{
	static const char text[] = "d\xC3\xA9j\xC3\xA0 vu: \xE2\x9C\x93 \xF0\x9F\x8C\xB1 \"plain\"";
	struct tr2_buf out;
	struct tr2_jw jw;

	(void)state;
	tr2_buf_init(&out, SIZE_MAX / 2);
	tr2_jw_init(&jw, &out, 0);
	tr2_jw_cstring(&jw, text);
	assert_string_equal(tr2_buf_cstr(&out), "\"d\xC3\xA9j\xC3\xA0 vu: \xE2\x9C\x93 "
						"\xF0\x9F\x8C\xB1 \\\"plain\\\"\"");
	tr2_buf_release(&out);
}

static void escapes_del_and_c1_in_strings_and_raw_json(void **state)
{
	static const char text[] = "\"a\x7f\xC2\x80\xC2\x9f\xC2\xA0\xE2\x80\xAE\"";
	struct tr2_buf out;
	struct tr2_jw jw;

	(void)state;
	tr2_buf_init(&out, SIZE_MAX / 2);
	tr2_jw_init(&jw, &out, 0);
	tr2_jw_raw(&jw, text, strlen(text));
	assert_string_equal(tr2_buf_cstr(&out), "\"a\\u007f\\u0080\\u009f\xC2\xA0\xE2\x80\xAE\"");
	tr2_buf_clear(&out);
	tr2_jw_init(&jw, &out, 0);
	tr2_jw_string(&jw, text + 1, strlen(text) - 2);
	assert_string_equal(tr2_buf_cstr(&out), "\"a\\u007f\\u0080\\u009f\xC2\xA0\xE2\x80\xAE\"");
	tr2_buf_release(&out);
}

static void respects_the_maximum(void **state)
{
	struct tr2_buf out;
	struct tr2_jw jw;

	(void)state;
	for (size_t max = 12; max <= 13; max++) {
		tr2_buf_init(&out, max);
		tr2_jw_init(&jw, &out, 0);
		tr2_jw_cstring(&jw, "0123456789a");
		assert_int_equal(out.failed, max < 13);
		assert_true(out.len <= max);
		tr2_buf_release(&out);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_every_byte_at_every_position),
		cmocka_unit_test(keeps_valid_utf8),
		cmocka_unit_test(escapes_del_and_c1_in_strings_and_raw_json),
		cmocka_unit_test(respects_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
