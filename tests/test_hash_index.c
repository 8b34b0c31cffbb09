/* SPDX-License-Identifier: MIT */
/* Compares a hash index with a plain set of numbers. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/base/hash_index.h"

#define NUMBERS 3000u

/* Return one of `*data` hashes. Few hashes make runs of used slots long, high ones make the runs
 * wrap around. */
static uint32_t hash_of(const void *data, uint32_t number)
{
	const uint32_t *hashes = data;

	return UINT32_MAX - number % *hashes;
}

static uint32_t find(const struct tr2_hash_index *slots, uint32_t hashes, uint32_t number)
{
	TR2_HASH_INDEX_EACH(slots, hash_of(&hashes, number), at)
	if (slots->at[at] == number + 1)
		return at;
	return UINT32_MAX;
}

static void finds_stored_items(void **state)
{
	static const uint32_t spreads[] = { 1, 7, 64, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
		uint32_t hashes = spreads[i], nr = 0, random = 1;
		bool in[NUMBERS] = { false };
		struct tr2_hash_index slots;

		slots = (struct tr2_hash_index){ 0 };
		tr2_hash_index_clear(&slots);
		assert_true(i % 2 ? tr2_hash_index_init(&slots, 2)
				  : tr2_hash_index_put(&slots, hash_of(&hashes, 5), 5, hash_of,
						       &hashes));
		nr = i % 2 ? 0 : 1;
		in[5] = nr;
		for (int step = 0; step < 4000; step++) {
			uint32_t number;

			random = random * 1664525u + 1013904223u;
			number = (random >> 8) % (hashes == 1 ? 200 : NUMBERS);
			if (in[number]) {
				uint32_t at = find(&slots, hashes, number);

				assert_int_equal(at, tr2_hash_index_place(&slots,
									  hash_of(&hashes, number),
									  number));
				tr2_hash_index_remove(&slots, at, hash_of, &hashes);
				nr--;
			} else {
				assert_true(tr2_hash_index_put(&slots, hash_of(&hashes, number),
							       number, hash_of, &hashes));
				nr++;
			}
			in[number] = !in[number];
			assert_int_equal(slots.nr, nr);
			if (step % 100)
				continue;
			for (uint32_t n = 0; n < NUMBERS; n++)
				assert_true((find(&slots, hashes, n) != UINT32_MAX) == in[n]);
		}
		assert_true(slots.nr * 2 <= slots.mask + 1);
		tr2_hash_index_clear(&slots);
		assert_int_equal(find(&slots, hashes, 3), UINT32_MAX);
		tr2_hash_index_release(&slots);
		assert_int_equal(tr2_hash_index_bytes(&slots), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(finds_stored_items) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
