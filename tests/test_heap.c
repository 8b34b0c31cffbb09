/* SPDX-License-Identifier: MIT */
/* Tests of the relocatable heap, and of the arrays, texts and indexes in it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "monitor/base/heap.h"

static void reuses_freed_memory(void **state)
{
	struct heap heap;
	uint32_t a, b;
	size_t used;

	(void)state;
	heap_init(&heap);
	a = heap_allocate(&heap, 100);
	used = heap.used_bytes;
	assert_int_not_equal(a, 0);
	heap_free(&heap, a, 100);
	assert_int_equal(heap.used_bytes, 0);
	b = heap_allocate(&heap, 97);
	assert_int_equal(a, b);
	assert_int_equal(heap.used_bytes, used);
	heap_free(&heap, 0, 5);
	heap_release(&heap);
}

/* Fill pieces of many sizes with their own numbers, which show if they overlap. */
static void allocations_never_overlap(void **state)
{
	enum { NR = 3000 };
	static struct {
		uint32_t ref;
		size_t bytes;
	} pieces[NR];
	struct heap heap;
	uint64_t seed = 1;

	(void)state;
	heap_init(&heap);
	for (int round = 0; round < 4 * NR; round++) {
		int i = round % NR;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		for (size_t b = 0; b < pieces[i].bytes; b++)
			assert_int_equal(((unsigned char *)heap_get(&heap, pieces[i].ref))[b],
					 (unsigned char)i);
		heap_free(&heap, pieces[i].ref, pieces[i].bytes);
		pieces[i].bytes = 1 + (seed >> 33) % (round % 50 ? 300 : 9000);
		pieces[i].ref = heap_allocate(&heap, pieces[i].bytes);
		memset(heap_get(&heap, pieces[i].ref), i, pieces[i].bytes);
	}
	heap_release(&heap);
}

static void copy_is_equal_and_independent(void **state)
{
	struct heap heap, copy;
	struct text text;

	(void)state;
	heap_init(&heap);
	text = text_new(&heap, "hello", 5);
	heap_copy(&copy, &heap);
	memcpy(heap_get(&heap, text.ref), "jelly", 5);
	assert_memory_equal(text_bytes(&copy, text), "hello", 5);
	assert_int_not_equal(heap_allocate(&copy, 5), text.ref);
	heap_release(&heap);
	assert_memory_equal(text_bytes(&copy, text), "hello", 5);
	heap_release(&copy);
}

static void unbounded_array_keeps_everything(void **state)
{
	struct heap heap;
	struct vec vec = { 0 };

	(void)state;
	heap_init(&heap);
	for (int i = 0; i < 10000; i++)
		*(int *)vec_push(&heap, &vec, sizeof(int), 0, NULL) = i;
	assert_int_equal(vec.nr, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(*(int *)vec_at(&heap, &vec, (uint32_t)i, sizeof(int)), i);
	vec_release(&heap, &vec, sizeof(int));
	assert_int_equal(heap.used_bytes, 0);
	heap_release(&heap);
}

static void array_wastes_little_memory(void **state)
{
	struct heap heap;
	struct vec vec = { 0 };

	(void)state;
	heap_init(&heap);
	for (size_t nr = 1; nr <= 100000; nr++) {
		vec_push(&heap, &vec, 48, 0, NULL);
		if (nr > 2)
			assert_true(heap.used_bytes * 3 <= nr * 48 * 5);
	}
	heap_release(&heap);
}

static void bounded_array_keeps_the_newest_and_counts_the_rest(void **state)
{
	struct heap heap;
	struct vec vec = { 0 };
	uint64_t dropped = 0;

	(void)state;
	heap_init(&heap);
	for (int i = 0; i < 1234; i++)
		*(int *)vec_push(&heap, &vec, sizeof(int), 100, &dropped) = i;
	assert_int_equal(vec.nr, 100);
	assert_int_equal(dropped, 1134);
	for (int i = 0; i < 100; i++)
		assert_int_equal(*(int *)vec_at(&heap, &vec, (uint32_t)i, sizeof(int)), 1134 + i);
	heap_release(&heap);
}

static void index_finds_stored_numbers(void **state)
{
	struct heap heap;
	struct index index = { 0 };

	(void)state;
	heap_init(&heap);
	assert_int_equal(index_get(&heap, &index, 1), INDEX_NONE);
	for (uint32_t i = 0; i < 5000; i++)
		index_put(&heap, &index, i * 4096ull, i);
	index_put(&heap, &index, 4096, 77);
	assert_int_equal(index.nr, 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(index_get(&heap, &index, i * 4096ull), i == 1 ? 77 : i);
	assert_int_equal(index_get(&heap, &index, 1), INDEX_NONE);
	index_release(&heap, &index);
	assert_int_equal(heap.used_bytes, 0);
	heap_release(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reuses_freed_memory),
		cmocka_unit_test(allocations_never_overlap),
		cmocka_unit_test(copy_is_equal_and_independent),
		cmocka_unit_test(unbounded_array_keeps_everything),
		cmocka_unit_test(array_wastes_little_memory),
		cmocka_unit_test(bounded_array_keeps_the_newest_and_counts_the_rest),
		cmocka_unit_test(index_finds_stored_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
