/* SPDX-License-Identifier: MIT */
/* Tests of "What is different": Fisher's test, the sets, false alarms over random sets, and planted
 * causes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/rank_sum.h"
#include "monitor/analysis/set_difference_sets.h"
#include "tests/journal_script.h"

#define NR_RUNS   120
#define NR_PARAMS 20

static uint64_t random_state;

/* xorshift64: the same sequence everywhere. */
static uint32_t below_random(uint32_t most)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % most;
}

static double random_normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += below_random(1u << 20) / (double)(1u << 20);
	return sum - 6;
}

static double binomial(int n, int k)
{
	double result = 1;

	for (int i = 1; i <= k; i++)
		result = result * (n - k + i) / i;
	return result;
}

/* Return p of Fisher's test: twice the smaller tail, at most 1. */
static double fisher_by_sum(int slow_with, int slow, int others_with, int others)
{
	int with = slow_with + others_with;
	double low = 0, high = 0, p;

	for (int k = 0; k <= slow && k <= with; k++) {
		if (with - k > others)
			continue;
		p = binomial(slow, k) * binomial(others, with - k) / binomial(slow + others, with);
		low += k <= slow_with ? p : 0;
		high += k >= slow_with ? p : 0;
	}
	p = 2 * (low < high ? low : high);
	return p < 1 ? p : 1;
}

static void fisher_equals_the_sum_of_a_tail(void **state)
{
	(void)state;
	random_state = 1;
	for (int i = 0; i < 3000; i++) {
		int slow = 1 + (int)below_random(40), others = 1 + (int)below_random(60);
		int with = (int)below_random((uint32_t)slow + 1);
		int others_with = (int)below_random((uint32_t)others + 1);
		double want = fisher_by_sum(with, slow, others_with, others);
		double got = fisher_exact((uint32_t)with, (uint32_t)slow, (uint32_t)others_with,
					  (uint32_t)others);

		assert_true(fabs(want - got) <= 1e-9 * want);
	}
	assert_true(fisher_exact(0, 155, 1030, 1390) < 1e-81);
	assert_true(fisher_exact(50000, 100000, 500000, 1000000) == 1);
}

/* Runs of `status` with parameters p0, p1, ..., each of which is 1 in a random third of the runs,
 * else 0. A run takes about 20 ms; with p0 = 1 `factor` times as long. */
static struct model *make_runs(struct script *s, int nr, double factor)
{
	char sid[16], more[80];

	script_init(s);
	for (int i = 0; i < nr; i++) {
		double ms = 20 * exp(0.5 * random_normal());

		snprintf(sid, sizeof(sid), "r%d", i);
		script_event(s, "cmd_name", sid, i, "'name':'status','hierarchy':'status'");
		for (int p = 0; p < NR_PARAMS; p++) {
			bool set = !below_random(3);

			ms *= !p && set ? factor : 1;
			snprintf(more, sizeof(more), "'scope':'local','param':'t.p%d','value':'%d'",
				 p, set);
			script_event(s, "def_param", sid, i, more);
		}
		snprintf(more, sizeof(more), "'t_abs':%.6f,'code':%d", ms / 1000, i % 4 == 3);
		script_event(s, "atexit", sid, i + ms / 1000, more);
	}
	return script_model(s, -1, 0);
}

static bool all_runs(void *data, const struct model *m, uint32_t slot)
{
	(void)data;
	(void)m;
	(void)slot;
	return true;
}

static void compare_all(struct set_difference *d, const struct model *m, uint32_t units)
{
	while (!set_difference_continue(d, m, units))
		assert_true(d->percent < 100);
}

static void slow_sets_have_the_designed_sizes(void **state)
{
	static const struct {
		int runs;
		enum set_difference_which which;
		uint32_t slow;
	} tests[] = {
		{ 120, SETS_SLOW, 40 },  { 120, SETS_TENTH, 12 }, { 120, SETS_FAILED, 30 },
		{ 50, SETS_TENTH, 8 },   { 50, SETS_SLOW, 17 },   { 12, SETS_TENTH, 4 },
		{ 400, SETS_SLOW, 100 },
	};

	(void)state;
	random_state = 2;
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		struct set_difference d = { 0 };
		struct script s;
		struct model *m = make_runs(&s, tests[i].runs, 1);
		struct set_difference_choice choice = {
			.model = m, .depth = -1, .which = tests[i].which, .in = all_runs
		};
		ns_t least = set_difference_choose(&d, &choice);

		assert_int_equal(d.runs[1], tests[i].slow);
		assert_int_equal(d.runs[0] + d.runs[1], tests[i].runs);
		assert_true((least == NS_NONE) == (tests[i].which == SETS_FAILED));
		assert_true(d.by_success == (tests[i].which == SETS_FAILED));
		compare_all(&d, m, UINT32_MAX);
		/* Success is not compared if it chose the sets. */
		for (uint32_t r = 0; d.by_success && r < d.nr_rows; r++)
			assert_true(attributes[d.columns[d.rows[r].value.column].attribute].test !=
				    ATTRIBUTE_TEST_OUTCOME);
		assert_true(set_difference_is_small(&d) == (d.runs[1] < SET_DIFFERENCE_RUNS));
		assert_true(!set_difference_is_small(&d) || !d.nr_rows);
		set_difference_release(&d);
		model_free(m);
		script_release(&s);
	}
}

static void format_test(const struct set_difference *d, uint32_t number, struct tr2_buf *out)
{
	const struct set_difference_row *row = &d->rows[number];
	struct attribute_ref ref = set_difference_ref(d, row->value.column);

	attribute_format(&ref, out);
	tr2_buf_addch(out, ' ');
	set_difference_format(d, &row->value, out);
	tr2_buf_addf(out, " %u/%u %u/%u p %.17g %.17g %.17g %.17g same %u\n", row->with[0],
		     row->runs[0], row->with[1], row->runs[1], row->p, row->higher, row->medians[0],
		     row->medians[1], row->nr_same);
}

static bool odd_runs(void *data, const struct model *m, uint32_t slot)
{
	const struct process *p = model_slot(m, slot);

	(void)data;
	return model_text(m, p->sid)[p->sid.len - 1] % 2;
}

/* The order of the parameters depends on `base`, so that symbols differ. */
static void add_base_run(struct script *s, int i, bool base)
{
	char sid[16], more[80];

	snprintf(sid, sizeof(sid), "r%d", i);
	script_event(s, "cmd_name", sid, i,
		     i % 10 == 9 ? "'name':'fetch','hierarchy':'fetch'"
				 : "'name':'status','hierarchy':'status'");
	for (int p = 0; p < NR_PARAMS; p++) {
		int key = base ? NR_PARAMS - 1 - p : p;

		/* Odd runs and a quarter of the even ones have p0 = 1. Only even runs have p1. */
		snprintf(more, sizeof(more), "'scope':'local','param':'t.p%d','value':'%d'", key,
			 key ? (i * (key + 3) >> 3) % 3 : i % 2 || i % 8 == 0);
		if (key != 1 || i % 2 == 0)
			script_event(s, "def_param", sid, i, more);
	}
	snprintf(more, sizeof(more), "'nesting':1,'category':'c','key':'n','value':'%d'",
		 i % 2 ? i : i / 4);
	script_event(s, "data", sid, i, more);
	script_event(s, "atexit", sid, i + 0.5, "'t_abs':0.5,'code':0");
}

static void base_runs_count_like_runs_of_one_model(void **state)
{
	struct set_difference one = { 0 }, two = { 0 };
	struct script scripts[3];
	struct model *models[3]; /* all, new, base */
	struct set_difference_choice choice = { .depth = -1, .which = SETS_CHOSEN, .in = odd_runs };
	struct tr2_buf want, got;

	(void)state;
	for (int i = 0; i < 3; i++)
		script_init(&scripts[i]);
	for (int i = 0; i < NR_RUNS; i++) {
		add_base_run(&scripts[0], i, false);
		add_base_run(&scripts[i % 2 ? 1 : 2], i, i % 2 == 0);
	}
	/* No new run has this name, so this run of the base does not count. */
	script_event(&scripts[2], "cmd_name", "x", 1, "'name':'gc','hierarchy':'gc'");
	script_event(&scripts[2], "atexit", "x", 2, "'t_abs':1.0,'code':0");
	for (int i = 0; i < 3; i++)
		models[i] = script_model(&scripts[i], -1, 0);
	choice.model = models[0];
	set_difference_choose(&one, &choice);
	compare_all(&one, models[0], UINT32_MAX);
	choice.model = models[1];
	choice.which = SETS_BASE;
	/* The base is given twice; its runs count once. */
	choice.bases = (const struct model *const[]){ models[2], models[2] };
	choice.nr_bases = 2;
	set_difference_choose(&two, &choice);
	compare_all(&two, models[1], 1000);
	assert_int_equal(two.runs[0], one.runs[0]);
	assert_int_equal(two.runs[1], one.runs[1]);
	assert_true(one.nr_rows > 3);
	assert_int_equal(two.nr_rows, one.nr_rows);
	tr2_buf_init(&want, 1 << 16);
	tr2_buf_init(&got, 1 << 16);
	for (uint32_t i = 0; i < one.nr_rows; i++) {
		format_test(&one, i, &want);
		format_test(&two, i, &got);
	}
	assert_string_equal(tr2_buf_cstr(&got), tr2_buf_cstr(&want));
	tr2_buf_release(&want);
	tr2_buf_release(&got);
	set_difference_release(&one);
	set_difference_release(&two);
	for (int i = 0; i < 3; i++) {
		model_free(models[i]);
		script_release(&scripts[i]);
	}
}

static void parts_of_any_size_give_the_same_rows(void **state)
{
	struct set_difference whole = { 0 }, parts = { 0 };
	struct script s;
	struct model *m;
	struct set_difference_choice choice = { .depth = -1, .which = SETS_SLOW, .in = all_runs };

	(void)state;
	random_state = 3;
	choice.model = m = make_runs(&s, NR_RUNS, 2);
	set_difference_choose(&whole, &choice);
	compare_all(&whole, m, UINT32_MAX);
	assert_true(whole.nr_rows >= NR_PARAMS);
	for (uint32_t units = 1; units < 3000; units = units * 3 + 1) {
		set_difference_choose(&parts, &choice);
		compare_all(&parts, m, units);
		assert_int_equal(parts.nr_rows, whole.nr_rows);
		for (uint32_t i = 0; i < whole.nr_rows; i++) {
			assert_true(parts.rows[i].p == whole.rows[i].p);
			assert_int_equal(parts.rows[i].value.column, whole.rows[i].value.column);
		}
	}
	set_difference_release(&whole);
	set_difference_release(&parts);
	model_free(m);
	script_release(&s);
}

/* One set has 8 to 59 random runs. */
static void random_sets(struct set_difference *d, const struct model *m)
{
	uint32_t slow = SET_DIFFERENCE_RUNS + below_random(52), left = NR_RUNS;

	set_difference_clear(d, false);
	for (uint32_t slot = model_first_slot(m); slot != SLOT_NONE;
	     slot = model_next_slot(m, slot)) {
		bool is_slow = below_random(left--) < slow;

		slow -= is_slow;
		set_difference_add(d, model_handle(m, slot), is_slow);
	}
}

static uint32_t nr_yes(const struct set_difference *d)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < d->nr_rows; i++)
		nr += d->rows[i].significant;
	return nr;
}

static void random_sets_rarely_differ(void **state)
{
	struct set_difference d = { 0 };
	struct script s;
	struct model *m;
	int alarms = 0;

	(void)state;
	random_state = 4;
	m = make_runs(&s, NR_RUNS, 1);
	for (int i = 0; i < 1000; i++) {
		random_sets(&d, m);
		compare_all(&d, m, UINT32_MAX);
		assert_true(d.nr_rows >= NR_PARAMS);
		alarms += nr_yes(&d) > 0;
	}
	print_message("%d of 1,000 random sets differ\n", alarms);
	assert_true(alarms <= 10);
	set_difference_release(&d);
	model_free(m);
	script_release(&s);
}

static bool finds_cause(struct set_difference *d, const struct model *m)
{
	struct set_difference_choice choice = {
		.model = m, .depth = -1, .which = SETS_SLOW, .in = all_runs
	};
	struct attribute_ref ref;

	set_difference_choose(d, &choice);
	compare_all(d, m, UINT32_MAX);
	if (!d->nr_rows || !d->rows[0].significant)
		return false;
	ref = set_difference_ref(d, d->rows[0].value.column);
	return ref.attribute == ATTRIBUTE_PARAM_VALUE && ref.key_len == 4 &&
	       !memcmp(ref.key, "t.p0", 4);
}

static void finds_a_cause_of_twice_the_time(void **state)
{
	struct set_difference d = { 0 };
	int found = 0, invented = 0;

	(void)state;
	random_state = 5;
	for (int i = 0; i < 100; i++) {
		struct script s;
		struct model *m = make_runs(&s, NR_RUNS, 2);

		found += finds_cause(&d, m);
		for (uint32_t r = 0; r < d.nr_rows; r++) {
			struct attribute_ref ref = set_difference_ref(&d, d.rows[r].value.column);

			invented += d.rows[r].significant &&
				    (ref.key_len != 4 || memcmp(ref.key, "t.p0", 4) != 0);
		}
		model_free(m);
		script_release(&s);
	}
	print_message("found in %d of 100, %d other rows\n", found, invented);
	assert_true(found >= 90);
	assert_true(invented <= 2);
	set_difference_release(&d);
}

static void keeps_a_bounded_number_of_texts(void **state)
{
	const int nr = 20, values = 4000; /* distinct texts: 80,000 */
	struct set_difference d = { 0 };
	struct script s;
	struct model *m;
	char sid[16], more[120];
	uint64_t texts = 0;

	(void)state;
	script_init(&s);
	for (int i = 0; i < nr; i++) {
		snprintf(sid, sizeof(sid), "r%d", i);
		script_event(&s, "cmd_name", sid, i, "'name':'x','hierarchy':'x'");
		for (int v = 0; v < values; v++) {
			snprintf(more, sizeof(more), "'alias':'a%d-%d','argv':['x']", i, v);
			script_event(&s, "alias", sid, i, more);
		}
		snprintf(more, sizeof(more), "'t_abs':%d,'code':0", i);
		script_event(&s, "atexit", sid, i, more);
	}
	m = script_model(&s, -1, 0);
	set_difference_clear(&d, false);
	for (uint32_t slot = model_first_slot(m), i = 0; slot != SLOT_NONE;
	     slot = model_next_slot(m, slot), i++)
		set_difference_add(&d, model_handle(m, slot), i % 2);
	compare_all(&d, m, 1000);
	for (uint32_t i = 0; i < (uint32_t)nr; i++)
		texts += (uint64_t)values;
	assert_true(d.nr_other > texts - SET_DIFFERENCE_PAIRS - 1000);
	assert_true(d.nr_other <= texts - SET_DIFFERENCE_PAIRS + 1000);
	set_difference_release(&d);
	model_free(m);
	script_release(&s);
}

/* Numbers and texts of one key are compared as texts. */
static void mixed_values_are_texts_and_passwords_are_hidden(void **state)
{
	struct set_difference d = { 0 };
	struct script s;
	struct model *m;
	struct tr2_buf text;
	char sid[16], more[160];
	int nr_mixed = 0, nr_urls = 0;

	(void)state;
	script_init(&s);
	for (int i = 0; i < 40; i++) {
		snprintf(sid, sizeof(sid), "r%d", i);
		script_event(&s, "cmd_name", sid, i, "'name':'x','hierarchy':'x'");
		snprintf(more, sizeof(more), "'category':'c','key':'mixed','value':'%s'",
			 i % 3 == 0   ? "7"
			 : i % 3 == 1 ? "v2"
				      : "8");
		script_event(&s, "data", sid, i, more);
		snprintf(more, sizeof(more), "'scope':'l','param':'t.url','value':'%s'",
			 i % 2 ? "https://me:secret@h/x" : "https://h/y");
		script_event(&s, "def_param", sid, i, more);
		snprintf(more, sizeof(more), "'t_abs':%d,'code':0", i + 1);
		script_event(&s, "atexit", sid, i, more);
	}
	m = script_model(&s, -1, 0);
	set_difference_clear(&d, false);
	for (uint32_t slot = model_first_slot(m), i = 0; slot != SLOT_NONE;
	     slot = model_next_slot(m, slot), i++)
		set_difference_add(&d, model_handle(m, slot), i % 2);
	compare_all(&d, m, 50);
	tr2_buf_init(&text, 1 << 16);
	for (uint32_t i = 0; i < d.nr_rows; i++) {
		struct attribute_ref ref = set_difference_ref(&d, d.rows[i].value.column);

		tr2_buf_clear(&text);
		set_difference_format(&d, &d.rows[i].value, &text);
		nr_mixed += ref.attribute == ATTRIBUTE_DATA;
		nr_urls += ref.attribute == ATTRIBUTE_PARAM_VALUE;
		assert_null(strstr(tr2_buf_cstr(&text), "secret"));
		set_difference_format_filter(&d, &d.rows[i].value, &text);
		assert_null(strstr(tr2_buf_cstr(&text), "secret"));
	}
	assert_int_equal(nr_mixed, 3);
	assert_int_equal(nr_urls, 1);
	tr2_buf_release(&text);
	set_difference_release(&d);
	model_free(m);
	script_release(&s);
}

static void filters_match_the_runs_of_a_value(void **state)
{
	struct set_difference d = { 0 };
	struct script s;
	struct model *m;
	struct set_difference_choice choice = { .depth = -1, .which = SETS_SLOW, .in = all_runs };
	struct tr2_buf text;

	(void)state;
	random_state = 6;
	choice.model = m = make_runs(&s, NR_RUNS, 2);
	set_difference_choose(&d, &choice);
	compare_all(&d, m, UINT32_MAX);
	tr2_buf_init(&text, 1 << 16);
	for (uint32_t i = 0; i < d.nr_rows; i++) {
		const struct set_difference_row *row = &d.rows[i];
		struct filter_error error;
		struct filter *filter;
		uint32_t nr = 0;

		tr2_buf_clear(&text);
		set_difference_format_filter(&d, &row->value, &text);
		if (row->value.of == SET_DIFFERENCE_RANKS)
			continue;
		filter = filter_new(tr2_buf_cstr(&text), FILTER_ROWS_PROCESS, 0, &error);
		assert_non_null(filter);
		for (uint32_t slot = model_first_slot(m); slot != SLOT_NONE;
		     slot = model_next_slot(m, slot))
			nr += filter_process(filter, m, slot);
		assert_int_equal(nr, row->with[0] + row->with[1]);
		filter_free(filter);
	}
	tr2_buf_release(&text);
	set_difference_release(&d);
	model_free(m);
	script_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fisher_equals_the_sum_of_a_tail),
		cmocka_unit_test(slow_sets_have_the_designed_sizes),
		cmocka_unit_test(parts_of_any_size_give_the_same_rows),
		cmocka_unit_test(base_runs_count_like_runs_of_one_model),
		cmocka_unit_test(random_sets_rarely_differ),
		cmocka_unit_test(finds_a_cause_of_twice_the_time),
		cmocka_unit_test(keeps_a_bounded_number_of_texts),
		cmocka_unit_test(mixed_values_are_texts_and_passwords_are_hidden),
		cmocka_unit_test(filters_match_the_runs_of_a_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
