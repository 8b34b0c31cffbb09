/* SPDX-License-Identifier: MIT */
/* Tests of the growable buffer and its maximum, and of the size of the hash index. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"

static void appends_with_largest_maximum(void **state)
{
	struct tr2_buf buf;

	(void)state;
	tr2_buf_init(&buf, SIZE_MAX);
	for (int i = 0; i < 1000; i++)
		assert_true(tr2_buf_addstr(&buf, "abc"));
	assert_int_equal(buf.len, 3000);
	assert_memory_equal(buf.data + 2997, "abc", 3);
	assert_int_equal(strlen(tr2_buf_cstr(&buf)), 3000);
	tr2_buf_release(&buf);
}

static void refuses_sizes_that_overflow(void **state)
{
	static const size_t maxima[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 };
	struct tr2_buf buf;

	(void)state;
	for (size_t i = 0; i < sizeof(maxima) / sizeof(maxima[0]); i++) {
		tr2_buf_init(&buf, maxima[i]);
		assert_true(tr2_buf_addstr(&buf, "abc"));
		for (size_t less = 0; less < 8; less++) {
			tr2_buf_clear(&buf);
			assert_true(tr2_buf_addstr(&buf, "abc"));
			assert_false(tr2_buf_reserve(&buf, SIZE_MAX - less));
			assert_true(buf.failed);
			assert_string_equal(tr2_buf_cstr(&buf), "abc");
		}
		tr2_buf_release(&buf);
	}
}

static void holds_exactly_its_maximum(void **state)
{
	struct tr2_buf buf;

	(void)state;
	tr2_buf_init(&buf, 100);
	assert_true(tr2_buf_fill(&buf, 'x', 100));
	assert_false(tr2_buf_addch(&buf, 'y'));
	assert_true(buf.failed);
	assert_int_equal(strlen(tr2_buf_cstr(&buf)), 100);
	tr2_buf_clear(&buf);
	assert_false(buf.failed);
	assert_false(tr2_buf_fill(&buf, 'x', 101));
	assert_int_equal(buf.len, 0);
	tr2_buf_release(&buf);
}

static uint32_t hash_of_number(const void *data, uint32_t number)
{
	(void)data;
	return number * 2654435761u;
}

static void hash_table_refuses_more_than_2_to_31_places(void **state)
{
	uint32_t none = 0;
	struct tr2_hash_index full = { .at = &none, .mask = UINT32_MAX / 2, .nr = UINT32_MAX / 4 };

	(void)state;
	assert_false(tr2_hash_index_put(&full, 0, 1, hash_of_number, NULL));
	assert_int_equal(full.nr, UINT32_MAX / 4);
}

static void hash_table_is_at_most_half_full(void **state)
{
	struct tr2_hash_index slots = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(tr2_hash_index_put(&slots, hash_of_number(NULL, i), i, hash_of_number,
					       NULL));
		assert_true(slots.nr * 2 <= slots.mask + 1);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t at = tr2_hash_index_place(&slots, hash_of_number(NULL, i), i);

		assert_int_equal(slots.at[at], i + 1);
	}
	tr2_hash_index_release(&slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_with_largest_maximum),
		cmocka_unit_test(refuses_sizes_that_overflow),
		cmocka_unit_test(holds_exactly_its_maximum),
		cmocka_unit_test(hash_table_refuses_more_than_2_to_31_places),
		cmocka_unit_test(hash_table_is_at_most_half_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
