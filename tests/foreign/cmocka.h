/* SPDX-License-Identifier: MIT */
/*
 * The part of cmocka that libtrace2's tests use, for C libraries without a cmocka package; see
 * foreign.sh. A failed assertion ends its test; the other tests run.
 */
#ifndef TESTS_FOREIGN_CMOCKA_H
#define TESTS_FOREIGN_CMOCKA_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*test)(void **state);
	int (*setup)(void **state);
	int (*teardown)(void **state);
};

enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED };

static jmp_buf cmocka_end;

#define cmocka_unit_test(f)                                                                        \
	{                                                                                          \
#f, f, NULL, NULL                                                                  \
	}
#define cmocka_unit_test_setup(f, setup)                                                           \
	{                                                                                          \
#f, f, setup, NULL                                                                 \
	}
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                        \
	{                                                                                          \
#f, f, setup, teardown                                                             \
	}

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...)   fprintf(stderr, __VA_ARGS__)
#define skip()             longjmp(cmocka_end, CMOCKA_SKIPPED)

#define fail_msg(...)                                                                              \
	do {                                                                                       \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                    \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fputc('\n', stderr);                                                               \
		longjmp(cmocka_end, CMOCKA_FAILED);                                                \
	} while (0)
#define fail() fail_msg("failed")

#define CMOCKA_HOLDS(holds, said)                                                                  \
	do {                                                                                       \
		if (!(holds))                                                                      \
			fail_msg("%s", said);                                                      \
	} while (0)
#define assert_true(a)     CMOCKA_HOLDS(a, #a " does not hold")
#define assert_false(a)    CMOCKA_HOLDS(!(a), #a " holds")
#define assert_null(a)     CMOCKA_HOLDS(!(a), #a " is not null")
#define assert_non_null(a) CMOCKA_HOLDS(a, #a " is null")

#define assert_int_equal(a, b)                                                                     \
	do {                                                                                       \
		unsigned long long cmocka_a = (unsigned long long)(a);                             \
		unsigned long long cmocka_b = (unsigned long long)(b);                             \
                                                                                                   \
		if (cmocka_a != cmocka_b)                                                          \
			fail_msg("%s is %llx, not %llx", #a, cmocka_a, cmocka_b);                  \
	} while (0)
#define assert_in_range(a, from, to)                                                               \
	do {                                                                                       \
		unsigned long long cmocka_a = (unsigned long long)(a);                             \
		unsigned long long cmocka_from = (unsigned long long)(from);                       \
                                                                                                   \
		if (cmocka_a < cmocka_from || cmocka_a > (unsigned long long)(to))                 \
			fail_msg("%s is %llu", #a, cmocka_a);                                      \
	} while (0)
#define assert_memory_equal(a, b, bytes) CMOCKA_HOLDS(!memcmp(a, b, bytes), #a " differs")
#define assert_string_equal(a, b)                                                                  \
	do {                                                                                       \
		const char *cmocka_a = (a), *cmocka_b = (b);                                       \
                                                                                                   \
		if (strcmp(cmocka_a, cmocka_b) != 0)                                               \
			fail_msg("%s is '%s', not '%s'", #a, cmocka_a, cmocka_b);                  \
	} while (0)

/* Returns 0, CMOCKA_FAILED or CMOCKA_SKIPPED. */
static inline int cmocka_run(const struct CMUnitTest *test, void **state)
{
	int ended = setjmp(cmocka_end);

	if (ended)
		return ended;
	if (test->setup && test->setup(state))
		return CMOCKA_FAILED;
	test->test(state);
	return 0;
}

static inline int cmocka_run_all(const struct CMUnitTest *tests, size_t nr,
				 int (*setup)(void **state), int (*teardown)(void **state))
{
	void *state = NULL;
	size_t nr_skipped = 0;
	int nr_failed = 0;

	if (setup && setup(&state))
		return 1;
	for (size_t i = 0; i < nr; i++) {
		void *own = state;
		int ended = cmocka_run(&tests[i], &own);

		if (tests[i].teardown)
			tests[i].teardown(&own);
		if (ended == CMOCKA_FAILED)
			fprintf(stderr, "FAIL: %s\n", tests[i].name);
		nr_failed += ended == CMOCKA_FAILED;
		nr_skipped += ended == CMOCKA_SKIPPED;
	}
	if (teardown)
		teardown(&state);
	printf("%zu tests, %d failed, %zu skipped\n", nr, nr_failed, nr_skipped);
	return nr_failed;
}

#define cmocka_run_group_tests(tests, setup, teardown)                                             \
	cmocka_run_all(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

#endif
