/* SPDX-License-Identifier: MIT */
/* The relocatable heap, and the arrays, texts and indices that live in it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "monitor/base/slab.h"

static void a_freed_piece_is_used_again(void **state)
{
	struct slab slab;
	uint32_t a, b;
	size_t used;

	(void)state;
	slab_init(&slab);
	a = slab_alloc(&slab, 100);
	used = slab.used_bytes;
	assert_int_not_equal(a, 0);
	slab_free(&slab, a, 100);
	assert_int_equal(slab.used_bytes, 0);
	b = slab_alloc(&slab, 97);
	assert_int_equal(a, b);
	assert_int_equal(slab.used_bytes, used);
	slab_free(&slab, 0, 5);
	slab_release(&slab);
}

/* Pieces of all sizes, filled with their own number: none may touch another. */
static void pieces_never_overlap(void **state)
{
	enum { NR = 3000 };
	static struct {
		uint32_t ref;
		size_t bytes;
	} pieces[NR];
	struct slab slab;
	uint64_t seed = 1;

	(void)state;
	slab_init(&slab);
	for (int round = 0; round < 4 * NR; round++) {
		int i = round % NR;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		for (size_t b = 0; b < pieces[i].bytes; b++)
			assert_int_equal(((unsigned char *)slab_at(&slab, pieces[i].ref))[b],
					 (unsigned char)i);
		slab_free(&slab, pieces[i].ref, pieces[i].bytes);
		pieces[i].bytes = 1 + (seed >> 33) % (round % 50 ? 300 : 9000);
		pieces[i].ref = slab_alloc(&slab, pieces[i].bytes);
		memset(slab_at(&slab, pieces[i].ref), i, pieces[i].bytes);
	}
	slab_release(&slab);
}

static void a_copy_means_the_same_and_lives_alone(void **state)
{
	struct slab slab, copy;
	struct text text;

	(void)state;
	slab_init(&slab);
	text = text_new(&slab, "hello", 5);
	slab_copy(&copy, &slab);
	memcpy(slab_at(&slab, text.ref), "jelly", 5);
	assert_memory_equal(text_bytes(&copy, text), "hello", 5);
	assert_int_not_equal(slab_alloc(&copy, 5), text.ref);
	slab_release(&slab);
	assert_memory_equal(text_bytes(&copy, text), "hello", 5);
	slab_release(&copy);
}

static void an_unbounded_array_keeps_everything(void **state)
{
	struct slab slab;
	struct vec vec = { 0 };

	(void)state;
	slab_init(&slab);
	for (int i = 0; i < 10000; i++)
		*(int *)vec_push(&slab, &vec, sizeof(int), 0, NULL) = i;
	assert_int_equal(vec.nr, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(*(int *)vec_at(&slab, &vec, (uint32_t)i, sizeof(int)), i);
	vec_release(&slab, &vec, sizeof(int));
	assert_int_equal(slab.used_bytes, 0);
	slab_release(&slab);
}

static void an_array_holds_little_more_than_its_items(void **state)
{
	struct slab slab;
	struct vec vec = { 0 };

	(void)state;
	slab_init(&slab);
	for (size_t nr = 1; nr <= 100000; nr++) {
		vec_push(&slab, &vec, 48, 0, NULL);
		if (nr > 2)
			assert_true(slab.used_bytes * 3 <= nr * 48 * 5);
	}
	slab_release(&slab);
}

static void a_bounded_array_keeps_the_newest_and_counts_the_rest(void **state)
{
	struct slab slab;
	struct vec vec = { 0 };
	uint64_t dropped = 0;

	(void)state;
	slab_init(&slab);
	for (int i = 0; i < 1234; i++)
		*(int *)vec_push(&slab, &vec, sizeof(int), 100, &dropped) = i;
	assert_int_equal(vec.nr, 100);
	assert_int_equal(dropped, 1134);
	for (int i = 0; i < 100; i++)
		assert_int_equal(*(int *)vec_at(&slab, &vec, (uint32_t)i, sizeof(int)), 1134 + i);
	slab_release(&slab);
}

static void an_index_finds_what_was_put(void **state)
{
	struct slab slab;
	struct index index = { 0 };

	(void)state;
	slab_init(&slab);
	assert_int_equal(index_get(&slab, &index, 1), INDEX_NONE);
	for (uint32_t i = 0; i < 5000; i++)
		index_put(&slab, &index, i * 4096ull, i);
	index_put(&slab, &index, 4096, 77);
	assert_int_equal(index.nr, 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(index_get(&slab, &index, i * 4096ull), i == 1 ? 77 : i);
	assert_int_equal(index_get(&slab, &index, 1), INDEX_NONE);
	index_release(&slab, &index);
	assert_int_equal(slab.used_bytes, 0);
	slab_release(&slab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_freed_piece_is_used_again),
		cmocka_unit_test(pieces_never_overlap),
		cmocka_unit_test(a_copy_means_the_same_and_lives_alone),
		cmocka_unit_test(an_unbounded_array_keeps_everything),
		cmocka_unit_test(an_array_holds_little_more_than_its_items),
		cmocka_unit_test(a_bounded_array_keeps_the_newest_and_counts_the_rest),
		cmocka_unit_test(an_index_finds_what_was_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
