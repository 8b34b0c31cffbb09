/* SPDX-License-Identifier: MIT */
/* Tests of histograms and their quantiles. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "monitor/base/hist.h"

enum { NR = 20000 };

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 11;
}

/* Return a random duration below 2^n, with a random n up to 52. */
static ns_t duration(uint64_t *seed)
{
	unsigned bits = (unsigned)(next(seed) % 53);

	return (ns_t)(next(seed) & ((1ull << bits) - 1));
}

static int compare(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void quantiles_are_at_most_one_percent_off(void **state)
{
	static ns_t values[NR];
	static uint64_t sums[HIST_BUCKETS];
	static const double qs[] = { 0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	struct heap heap;
	struct hist hist = { 0 };
	uint64_t seed = 42;

	(void)state;
	heap_init(&heap);
	for (int i = 0; i < NR; i++) {
		values[i] = duration(&seed);
		hist_add(&heap, &hist, values[i]);
	}
	memset(sums, 0, sizeof(sums));
	hist_sum(&heap, &hist, sums);
	qsort(values, NR, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		size_t rank = (size_t)(qs[i] * NR);
		ns_t exact, got = hist_quantile(sums, qs[i], values[0], values[NR - 1]);

		if ((double)rank < qs[i] * NR)
			rank++;
		exact = values[rank - 1];
		assert_true(llabs(got - exact) * 100 <= exact);
	}
	heap_release(&heap);
}

static void every_bucket_contains_its_midpoint(void **state)
{
	(void)state;
	for (unsigned b = 0; b < HIST_BUCKETS - 64; b++)
		assert_int_equal(hist_bucket(hist_bucket_ns(b)), b);
	assert_in_range(hist_bucket(INT64_MAX), 0, HIST_BUCKETS - 1);
	assert_int_equal(hist_bucket(-5), 0);
}

static void merging_does_not_depend_on_the_order(void **state)
{
	static uint64_t ab[HIST_BUCKETS], ba[HIST_BUCKETS], whole[HIST_BUCKETS];
	struct hist a = { 0 }, b = { 0 }, all = { 0 };
	struct heap heap;
	uint64_t seed = 7;

	(void)state;
	heap_init(&heap);
	for (int i = 0; i < NR; i++) {
		ns_t ns = duration(&seed);

		hist_add(&heap, i % 3 ? &a : &b, ns);
		hist_add(&heap, &all, ns);
	}
	hist_sum(&heap, &a, ab);
	hist_sum(&heap, &b, ab);
	hist_sum(&heap, &b, ba);
	hist_sum(&heap, &a, ba);
	hist_sum(&heap, &all, whole);
	assert_memory_equal(ab, ba, sizeof(ab));
	assert_memory_equal(ab, whole, sizeof(ab));
	heap_release(&heap);
}

static void the_extremes_bound_a_quantile(void **state)
{
	static uint64_t sums[HIST_BUCKETS];
	struct heap heap;
	struct hist hist = { 0 };

	(void)state;
	heap_init(&heap);
	assert_int_equal(hist_quantile(sums, 0.5, 0, 0), NS_NONE);
	hist_add(&heap, &hist, 1000003);
	hist_sum(&heap, &hist, sums);
	assert_int_equal(hist_quantile(sums, 0.5, 1000003, 1000003), 1000003);
	assert_int_equal(hist_quantile(sums, 1, 1000003, 1000003), 1000003);
	hist_add(&heap, &hist, INT64_MAX);
	hist_add(&heap, &hist, 0);
	memset(sums, 0, sizeof(sums));
	hist_sum(&heap, &hist, sums);
	assert_int_equal(hist_quantile(sums, 0.01, 0, INT64_MAX), 0);
	assert_true(hist_quantile(sums, 1, 0, INT64_MAX) > INT64_MAX / 100 * 99);
	heap_release(&heap);
}

static void ranks_are_exact(void **state)
{
	static const double qs[] = { 0.01, 0.5, 0.9, 0.99, 0.999, 1 };
	static const uint64_t permille[] = { 10, 500, 900, 990, 999, 1000 };

	(void)state;
	assert_int_equal(hist_rank(0, 0.5), 1);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++)
		for (uint64_t nr = 1; nr < 5000; nr++)
			assert_int_equal(hist_rank(nr, qs[i]), (nr * permille[i] + 999) / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_at_most_one_percent_off),
		cmocka_unit_test(every_bucket_contains_its_midpoint),
		cmocka_unit_test(merging_does_not_depend_on_the_order),
		cmocka_unit_test(the_extremes_bound_a_quantile),
		cmocka_unit_test(ranks_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
