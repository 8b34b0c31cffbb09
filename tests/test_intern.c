/* SPDX-License-Identifier: MIT */
/* Tests of interning texts as symbols. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/base/intern.h"

static struct tr2_intern in;

static void empty_string_is_symbol_zero(void **state)
{
	size_t len = 1;

	(void)state;
	assert_true(tr2_intern_init(&in, 0, 0));
	assert_int_equal(tr2_intern(&in, "", 0), SYM_EMPTY);
	tr2_intern_text(&in, SYM_EMPTY, &len);
	assert_int_equal(len, 0);
	assert_int_not_equal(in.sym_other, SYM_EMPTY);
	tr2_intern_release(&in);
}

static void symbols_are_stable(void **state)
{
	char text[32];

	(void)state;
	assert_true(tr2_intern_init(&in, 0, 0));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 20000; i++) {
			int want = snprintf(text, sizeof(text), "text-%d", i);
			sym_t sym = tr2_intern(&in, text, (size_t)want);
			size_t len;
			const char *got = tr2_intern_text(&in, sym, &len);

			assert_int_equal(sym, i + 2);
			assert_int_equal(len, want);
			assert_memory_equal(got, text, len);
		}
	assert_int_equal(in.nr_syms, 20002);
	tr2_intern_release(&in);
}

static void beyond_the_limit_every_string_is_other(void **state)
{
	(void)state;
	assert_true(tr2_intern_init(&in, 3, 0));
	assert_int_equal(tr2_intern(&in, "a", 1), 2);
	assert_int_equal(tr2_intern(&in, "b", 1), in.sym_other);
	assert_int_equal(tr2_intern(&in, "a", 1), 2);
	assert_int_equal(in.nr_refused, 1);
	tr2_intern_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_string_is_symbol_zero),
		cmocka_unit_test(symbols_are_stable),
		cmocka_unit_test(beyond_the_limit_every_string_is_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
