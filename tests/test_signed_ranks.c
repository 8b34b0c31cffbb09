/* SPDX-License-Identifier: MIT */
/* Tests of signed ranks and rank sums against direct computations. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/rank_sum.h"
#include "monitor/analysis/signed_ranks.h"

#define NEAR(got, want, by) assert_true(fabs((got) - (want)) <= (by))

static uint64_t signed_ranks_test_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

static int signed_ranks_test_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of all ways to give signs to the ranks, the share of those at least as extreme as `positive`. */
static double p_by_trying(unsigned nr, unsigned positive)
{
	int all = (int)(nr * (nr + 1) / 2), off = abs(2 * (int)positive - all);
	unsigned far = 0;

	for (unsigned signs = 0; signs < 1u << nr; signs++) {
		int sum = 0;

		for (unsigned i = 0; i < nr; i++)
			sum += signs >> i & 1 ? (int)i + 1 : 0;
		far += abs(2 * sum - all) >= off;
	}
	return far / (double)(1u << nr);
}

static void p_is_exact_for_few(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		unsigned nr = 1 + (unsigned)(signed_ranks_test_next(&seed) % 12), positive = 0;
		double d[12];
		struct signed_ranks r;

		for (unsigned i = 0; i < nr; i++) {
			bool plus = signed_ranks_test_next(&seed) % 3 > 0;

			/* The sizes of the values are not their ranks; the largest comes first. */
			d[nr - 1 - i] = (plus ? 1 : -1) * (0.5 + i * 1.25);
			positive += plus ? i + 1 : 0;
		}
		signed_ranks(&r, d, nr);
		NEAR(r.p, p_by_trying(nr, positive), 1e-12);
	}
}

/* Another program computed the expected values. */
static void p_is_normal_with_ties_and_for_many(void **state)
{
	static const double ties[] = { 1, 2, 2, -3, 5, 5, -5, 8, 9, 10, 0, 0 };
	double many[30];
	struct signed_ranks r;

	(void)state;
	signed_ranks(&r, ties, 12);
	NEAR(r.p, 0.08213085320446505, 1e-12);
	for (int i = 0; i < 30; i++)
		many[i] = (i + 1) * ((i + 1) % 4 ? 1 : -1);
	signed_ranks(&r, many, 30);
	NEAR(r.p, 0.013579415038448952, 1e-12);
	for (int i = 0; i < 30; i++)
		many[i] = (i + 1) * ((i + 1) % 2 ? 1 : -1);
	signed_ranks(&r, many, 30);
	NEAR(r.p, 0.8855175455663536, 1e-12);
}

static void p_is_1_if_all_are_zero(void **state)
{
	static const double zeros[20] = { 0 };
	struct signed_ranks r;

	(void)state;
	for (uint32_t nr = 0; nr <= 20; nr++) {
		signed_ranks(&r, zeros, nr);
		assert_true(r.p == 1 && r.shift == 0 && r.low == 0 && r.high == 0);
		assert_false(signbit(r.shift));
	}
}

static void shift_is_the_median_of_all_averages(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int round = 0; round < 300; round++) {
		uint32_t nr = 1 + (uint32_t)(signed_ranks_test_next(&seed) % 60), averages = 0;
		double d[60], walsh[60 * 61 / 2], n = nr;
		double k = floor(n * (n + 1) / 4 -
				 2.5758293035489004 * sqrt(n * (n + 1) * (2 * n + 1) / 24));
		uint32_t cut = k > 0 ? (uint32_t)k : 0;
		struct signed_ranks r;

		/* Every other round uses few different values, so that there are many ties,
		 * including zeros. */
		for (uint32_t i = 0; i < nr; i++)
			d[i] = ((double)(signed_ranks_test_next(&seed) % (round % 2 ? 9 : 100000)) -
				4) /
			       3;
		for (uint32_t i = 0; i < nr; i++)
			for (uint32_t j = i; j < nr; j++)
				walsh[averages++] = (d[i] + d[j]) / 2;
		qsort(walsh, averages, sizeof(*walsh), signed_ranks_test_compare);
		signed_ranks(&r, d, nr);
		NEAR(r.shift, (walsh[(averages - 1) / 2] + walsh[averages / 2]) / 2, 1e-12);
		assert_true(r.low == walsh[cut]);
		assert_true(r.high == walsh[averages - 1 - cut]);
	}
}

static void negated_differences_negate_only_the_shift(void **state)
{
	double d[25];
	struct signed_ranks there, back;
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 25; i++)
		d[i] = (double)(signed_ranks_test_next(&seed) % 1000) - 300.5 - i / 64.0;
	signed_ranks(&there, d, 25);
	for (int i = 0; i < 25; i++)
		d[i] = -d[i];
	signed_ranks(&back, d, 25);
	assert_true(there.p == back.p);
	assert_true(there.shift == -back.shift && there.low == -back.high);
}

/* Twenty billion pairwise averages would not fit into memory. */
static void many_pairs_are_fast(void **state)
{
	enum { NR = 200000 };
	double *d = malloc(NR * sizeof(*d));
	struct signed_ranks r;

	(void)state;
	for (int i = 0; i < NR; i++)
		d[i] = i - NR / 4;
	signed_ranks(&r, d, NR);
	NEAR(r.shift, NR / 4 - 0.5, 1e-6);
	assert_true(r.low < r.shift && r.shift < r.high);
	assert_true(r.p < 1e-300);
	free(d);
}

static void holm_steps_down(void **state)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, one = 0.2, big[] = { 0.9, 0.5, 0.6 };

	(void)state;
	holm_adjust(p, 4);
	NEAR(p[3], 0.02, 1e-15);
	NEAR(p[0], 0.03, 1e-15);
	NEAR(p[2], 0.06, 1e-15);
	NEAR(p[1], 0.06, 1e-15);
	holm_adjust(&one, 1);
	assert_true(one == 0.2);
	holm_adjust(big, 3);
	assert_true(big[0] == 1 && big[1] == 1 && big[2] == 1);
	holm_adjust(NULL, 0);
}

static void rank_sums_of_separate_samples(void **state)
{
	const double low[] = { 8, 3, 1, 7, 2, 6, 5, 4 };
	const double high[] = { 16, 9, 15, 10, 14, 11, 13, 12 };
	struct rank_sum test;

	(void)state;
	rank_sum(&test, low, 8, high, 8);
	assert_true(test.higher == 0);
	assert_true(fabs(test.p - erfc(31.5 / sqrt(64 / 12.0 * 17) / sqrt(2))) < 1e-15);
	rank_sum(&test, high, 8, low, 8);
	assert_true(test.higher == 1);
	assert_true(fabs(test.p / 0.00093914 - 1) < 1e-3);
}

static void rank_sums_with_ties(void **state)
{
	const double a[] = { 1, 2, 2, 3 }, b[] = { 2, 3, 3, 4, 4 };
	const double equal[] = { 7, 7, 7, 7, 7, 7, 7 };
	struct rank_sum test;

	(void)state;
	rank_sum(&test, a, 4, b, 5);
	/* Two pairs of 2 and two pairs of 3 are equal; 3 is higher than 2 once. */
	assert_true(fabs(test.higher - 3.0 / 20) < 1e-12);
	/* There are ties of 3, 3 and 2 values: 24 + 24 + 6. */
	assert_true(fabs(test.p - erfc(6.5 / sqrt(20 / 12.0 * (10 - 54 / 72.0)) / sqrt(2))) <
		    1e-12);
	rank_sum(&test, equal, 3, equal + 3, 4);
	assert_true(test.p == 1 && test.higher == 0.5);
	rank_sum(&test, a, 4, b, 0);
	assert_true(test.p == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_is_exact_for_few),
		cmocka_unit_test(p_is_normal_with_ties_and_for_many),
		cmocka_unit_test(p_is_1_if_all_are_zero),
		cmocka_unit_test(shift_is_the_median_of_all_averages),
		cmocka_unit_test(negated_differences_negate_only_the_shift),
		cmocka_unit_test(many_pairs_are_fast),
		cmocka_unit_test(holm_steps_down),
		cmocka_unit_test(rank_sums_of_separate_samples),
		cmocka_unit_test(rank_sums_with_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
