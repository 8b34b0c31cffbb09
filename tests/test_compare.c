/* SPDX-License-Identifier: MIT */
/* Tests of pairing and comparing runs, and of verdicts. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "monitor/analysis/compare.h"
#include "tests/runs_script.h"

struct sets {
	struct runs a, b;
	struct comparison c;
};

static void sets_begin(struct sets *s)
{
	runs_init(&s->a);
	runs_init(&s->b);
}

static void sets_end(struct sets *s)
{
	compare_release(&s->c);
	runs_release(&s->a);
	runs_release(&s->b);
}

static const struct compare_group *compared(struct sets *s)
{
	compare_make(&s->c, &s->a, &s->b);
	assert_int_equal(s->c.nr_groups, 1);
	return &s->c.groups[0];
}

/* One letter per run, in order of time: A (base) or B (new). */
static void letters(struct sets *s, const char *order, int64_t a, int64_t b)
{
	for (int i = 0; order[i]; i++) {
		bool in_b = order[i] == 'B';

		runs_script_run(in_b ? &s->b : &s->a, "status", in_b, i, (in_b ? b : a) + i % 3,
				100);
	}
}

static void pairs_adjacent_runs_of_different_sets(void **state)
{
	static const struct {
		const char *order;
		uint32_t pairs;
		bool apart;
	} rows[] = {
		{ "ABBAABBAABBAABBAABBA", 10, false },
		{ "ABBAABBAABBAABBAABB", 9, true },
		{ "AABBAABBAABBAABBAABBAABBAABBAABBAABBAABB", 19, false },
		{ "AABABABABABABABABABAB", 10, false },
		{ "AAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBBBBB", 1, true },
		/* In the next row more than half of the smaller set can be paired; in the row after
		 * it less, which is too little. */
		{ "ABABABABABABABABABABAAAAAAAAAABBBBBBBBB", 11, false },
		{ "ABABABABABABABABABABAAAAAAAAAAAAAAABBBBBBBBBBBBBBB", 11, true },
		{ "AB", 1, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct compare_group *g;
		struct sets s;

		sets_begin(&s);
		letters(&s, rows[i].order, 1000, 1000);
		g = compared(&s);
		assert_int_equal(g->nr_pairs, rows[i].pairs);
		assert_int_equal(g->verdict == COMPARE_APART, rows[i].apart);
		assert_int_equal(g->a.runs + g->b.runs, strlen(rows[i].order));
		assert_true(!rows[i].apart || (g->shift == 0 && !g->nr_parts));
		sets_end(&s);
	}
}

static void verdicts_need_an_interval_without_0_and_a_minimum_change(void **state)
{
	static const struct {
		int64_t b;
		enum compare_verdict verdict;
	} rows[] = {
		{ 1000000, COMPARE_SAME },   { 1010000, COMPARE_SAME },
		{ 1030000, COMPARE_SLOWER }, { 970000, COMPARE_FASTER },
		{ 2000000, COMPARE_SLOWER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct compare_group *g;
		struct sets s;

		sets_begin(&s);
		letters(&s, "ABBAABBAABBAABBAABBAABBA", 1000000, rows[i].b);
		g = compared(&s);
		assert_int_equal(g->verdict, rows[i].verdict);
		assert_true(fabs(g->shift - ((double)rows[i].b / 1e6 - 1)) < 1e-4);
		assert_true(g->low <= g->shift && g->shift <= g->high);
		sets_end(&s);
	}
}

static void verdicts_follow_the_interval_at_the_limit(void **state)
{
	static const int64_t by[] = { -500,   100000, 110000, 120000, 130000, 140000,
				      150000, 160000, 170000, -20000, 180000 };
	const struct compare_group *g;
	struct sets s;

	(void)state;
	for (int faster = 0; faster < 2; faster++) {
		sets_begin(&s);
		for (int i = 0; i < 11; i++) {
			int64_t other = 1000000 + by[i] - (i == 9 ? 82000 : 0);

			runs_script_run(faster ? &s.b : &s.a, "status", faster, 2 * i, 1000000, 10);
			runs_script_run(faster ? &s.a : &s.b, "status", !faster, 2 * i + 1, other,
					10);
		}
		g = compared(&s);
		assert_int_equal(g->nr_pairs, 11);
		assert_true(g->p < 0.01 && fabs(g->shift) > 0.05);
		assert_true(g->low < 0 && g->high > 0);
		assert_int_equal(g->verdict, COMPARE_SAME);
		sets_end(&s);
	}
}

static void verdict_and_interval_never_contradict(void **state)
{
	uint64_t seed = 11;
	int different = 0, same = 0;

	(void)state;
	for (int trial = 0; trial < 600; trial++) {
		int nr = 10 + trial % 30;
		const struct compare_group *g;
		struct sets s;

		sets_begin(&s);
		for (int i = 0; i < 2 * nr; i++) {
			int64_t wall;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			/* Few different values, so that there are ties. */
			wall = 1000 + (int64_t)(seed >> 33) % 40 * 10;
			runs_script_run(i % 2 ? &s.b : &s.a, "status", i % 2, i,
					wall + (i % 2) * trial / 2, 10);
		}
		g = compared(&s);
		if (g->verdict == COMPARE_SAME) {
			assert_true((g->low <= 0 && g->high >= 0) || fabs(g->shift) < 0.02);
			same++;
		} else {
			assert_true(g->verdict == COMPARE_SLOWER ? g->low > 0 : g->high < 0);
			different++;
		}
		sets_end(&s);
	}
	assert_true(same > 100 && different > 100);
}

static void differences_of_parts_add_up_to_the_wall_time(void **state)
{
	const struct compare_group *g;
	double sum;
	struct sets s;

	(void)state;
	sets_begin(&s);
	for (int i = 0; i < 24; i++)
		runs_script_run(i % 2 ? &s.b : &s.a, "status", i % 2, i,
				100000 + i * 17 + i % 2 * 20000, 40000 + i % 2 * 19000);
	g = compared(&s);
	assert_int_equal(g->nr_parts, 2);
	sum = g->other;
	for (uint32_t i = 0; i < g->nr_parts; i++)
		sum += s.c.parts[g->first_part + i].mean;
	assert_true(fabs(sum - (g->b.mean - g->a.mean)) < 1e-3);
	assert_true(s.c.parts[g->first_part].differs);
	assert_false(s.c.parts[g->first_part + 1].differs);
	assert_true(fabs(s.c.parts[g->first_part].mean - 19000e3) < 1);
	sets_end(&s);
}

static void compares_each_command_separately(void **state)
{
	struct sets s;
	struct tr2_buf line;

	(void)state;
	sets_begin(&s);
	for (int i = 0; i < 24; i++) {
		runs_script_run(i % 2 ? &s.b : &s.a, "status", i % 2, i, 1000 + i, 10);
		runs_script_run(i % 2 ? &s.b : &s.a, "fetch", i % 2, i, i % 2 ? 3000 : 1000 + i,
				10);
	}
	runs_script_run(&s.a, "gc", 0, 1, 1000, 10);
	runs_script_run(&s.b, "push", 1, 1, 1000, 10);
	runs_script_run(&s.b, "zero", 1, 1, 0, 0);
	for (uint32_t i = 0; i < s.a.nr; i++)
		s.a.items[i].failed = i % 3 == 0;
	compare_make(&s.c, &s.a, &s.b);
	assert_int_equal(s.c.nr_groups, 2);
	assert_int_equal(s.c.groups[0].verdict, COMPARE_APART);
	tr2_buf_init(&line, SIZE_MAX / 2);
	for (uint32_t i = 0; i < s.c.nr_only; i++) {
		compare_format_name(&s.c, s.c.only[i].name, s.c.only[i].failed, &line);
		tr2_buf_addstr(&line, s.c.only[i].in_b ? " B;" : " A;");
	}
	assert_string_equal(tr2_buf_cstr(&line),
			    "fetch (failed) A;gc (failed) A;push B;status (failed) A;");
	tr2_buf_release(&line);
	sets_end(&s);
}

static void comparison_ignores_the_order_of_lines(void **state)
{
	struct sets there, back;
	const struct compare_group *x, *y;

	(void)state;
	sets_begin(&there);
	sets_begin(&back);
	letters(&there, "ABBAABBAABBAABBAABBAABBA", 1000, 1100);
	for (int set = 0; set < 2; set++) {
		const struct runs *from = set ? &there.b : &there.a;
		struct runs *to = set ? &back.b : &back.a;

		for (uint32_t i = from->nr; i--;) {
			char line[4096 + SCAN_PAD] = "";
			struct tr2_buf buf;
			const char *why;

			tr2_buf_init(&buf, SIZE_MAX / 2);
			runs_line_write(from, i, &buf);
			assert_true(buf.len < 4096);
			memcpy(line, buf.data, buf.len);
			assert_int_equal(runs_line_read(to, line, &why), RUNS_LINE_ADDED);
			tr2_buf_release(&buf);
		}
	}
	x = compared(&there);
	y = compared(&back);
	assert_true(x->p == y->p && x->shift == y->shift && x->low == y->low);
	assert_true(x->nr_parts == y->nr_parts && x->other == y->other);
	sets_end(&there);
	sets_end(&back);
}

static void formats_verdicts_as_text(void **state)
{
	static const struct {
		struct compare_group group;
		const char *verdict, *why;
	} rows[] = {
		{ { .verdict = COMPARE_FASTER, .nr_pairs = 30 }, "faster (30 pairs)", "" },
		{ { .verdict = COMPARE_SAME, .nr_pairs = 30, .p = 0.5, .low = -0.1, .high = 0.17 },
		  "not significant (30 pairs)",
		  "no significant difference; a change of more than 14 % would "
		  "have "
		  "shown" },
		{ { .verdict = COMPARE_SAME,
		    .nr_pairs = 30,
		    .p = 0.001,
		    .shift = 0.01,
		    .low = 0.005,
		    .high = 0.015 },
		  "not significant (30 pairs)",
		  "a difference of less than 2 %, too small to matter" },
		{ { .verdict = COMPARE_APART, .nr_pairs = 1, .p = 1 },
		  "not comparable (1 pair)",
		  "recorded one after the other, or too few: changes of the machine's load look "
		  "like a change of the command. Record them alternately: see man "
		  "trace2top-compare" },
	};
	struct tr2_buf line;

	(void)state;
	tr2_buf_init(&line, SIZE_MAX / 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		tr2_buf_clear(&line);
		compare_format_verdict(&rows[i].group, &line);
		assert_string_equal(tr2_buf_cstr(&line), rows[i].verdict);
		tr2_buf_clear(&line);
		compare_format_why(&rows[i].group, &line);
		assert_string_equal(tr2_buf_cstr(&line), rows[i].why);
	}
	tr2_buf_clear(&line);
	compare_format_percent(&line, 0.0416);
	compare_format_percent(&line, -0.1755);
	compare_format_percent(&line, -0.0001);
	compare_format_percent(&line, 0);
	assert_string_equal(tr2_buf_cstr(&line), "+4.2-17.6-0.00.0");
	tr2_buf_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_adjacent_runs_of_different_sets),
		cmocka_unit_test(verdicts_need_an_interval_without_0_and_a_minimum_change),
		cmocka_unit_test(verdicts_follow_the_interval_at_the_limit),
		cmocka_unit_test(verdict_and_interval_never_contradict),
		cmocka_unit_test(differences_of_parts_add_up_to_the_wall_time),
		cmocka_unit_test(compares_each_command_separately),
		cmocka_unit_test(comparison_ignores_the_order_of_lines),
		cmocka_unit_test(formats_verdicts_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
