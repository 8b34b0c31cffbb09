/* SPDX-License-Identifier: MIT */
/* Tests of rules: which are accepted, errors and their position, and evaluation. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/humanize.h"
#include "monitor/analysis/rule_results.h"
#include "tests/journal_script.h"
#include "tests/runs_script.h"

static void parses_valid_rules(void **state)
{
	static const struct {
		const char *text;
		enum rule_subject subject;
		enum rule_stat stat;
		enum rule_op op;
		enum rule_unit unit;
		double limit;
	} rows[] = {
		{ "wall > 2s", RULE_WALL, RULE_P50, RULE_GT, RULE_US, 2e6 },
		{ "wall>2s", RULE_WALL, RULE_P50, RULE_GT, RULE_US, 2e6 },
		{ "  wall  p90>=100ms ", RULE_WALL, RULE_P90, RULE_GE, RULE_US, 1e5 },
		{ "wall min < 812ns", RULE_WALL, RULE_MIN, RULE_LT, RULE_US, 0.812 },
		{ "wall count = 0", RULE_WALL, RULE_COUNT, RULE_EQ, RULE_NUMBER, 0 },
		{ "region index/refresh max != 1.5ms", RULE_REGION, RULE_MAX, RULE_NE, RULE_US,
		  1500 },
		{ "region \"a b/c > \\\"d\\\"\" self <= 1s", RULE_REGION, RULE_SELF, RULE_LE,
		  RULE_US, 1e6 },
		{ "region ?/refresh > 1s", RULE_REGION, RULE_P50, RULE_GT, RULE_US, 1e6 },
		{ "part none share > 60%", RULE_PART, RULE_SHARE, RULE_GT, RULE_PERCENT, 60 },
		{ "part untraced total > 1m", RULE_PART, RULE_TOTAL, RULE_GT, RULE_US, 6e7 },
		{ "finding > 0", RULE_FINDING, RULE_COUNT, RULE_GT, RULE_NUMBER, 0 },
		{ "finding slow-hook count > 2", RULE_FINDING, RULE_COUNT, RULE_GT, RULE_NUMBER,
		  2 },
		{ "failed > 0", RULE_FAILED, RULE_COUNT, RULE_GT, RULE_NUMBER, 0 },
		{ "errors >= 12", RULE_ERRORS, RULE_COUNT, RULE_GE, RULE_NUMBER, 12 },
		{ "compare wall > +5%", RULE_WALL, RULE_P50, RULE_GT, RULE_PERCENT, 5 },
		{ "compare region a/b < -0.5%", RULE_REGION, RULE_P50, RULE_LT, RULE_PERCENT,
		  -0.5 },
		{ "compare part spawn > 5%", RULE_PART, RULE_P50, RULE_GT, RULE_PERCENT, 5 },
	};
	struct rules rules = { .nr = 0 };
	struct rule_error error;

	(void)state;
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rule *r;

		if (!rules_add(&rules, rows[i].text, &error))
			fail_msg("%s: %zu: %s", rows[i].text, error.column, error.message);
		r = &rules.items[i];
		if (r->subject == RULE_FINDING || r->subject == RULE_FAILED ||
		    r->subject == RULE_ERRORS || r->stat != RULE_P50)
			assert_int_equal(r->stat, rows[i].stat);
		assert_int_equal(r->subject, rows[i].subject);
		assert_int_equal(r->op, rows[i].op);
		assert_int_equal(r->unit, rows[i].unit);
		assert_true(fabs(r->limit - rows[i].limit) < 1e-9);
	}
	assert_string_equal(rules.items[2].text, "wall  p90>=100ms");
	assert_string_equal(rules.items[6].category, "a b");
	assert_string_equal(rules.items[6].label, "c > \"d\"");
	assert_null(rules.items[7].category);
	assert_true(rules.items[14].compare && !rules.items[0].compare);
	rules_release(&rules);
}

static void parses_the_name_and_absent_clauses(void **state)
{
	struct rules rules = { .nr = 0 };
	struct rule_error error;

	(void)state;
	assert_true(rules_add(&rules, "wall > 1s where name = status or absent", &error));
	assert_true(rules_add(&rules, "wall > 1s where name=\"a b\"", &error));
	assert_true(rules_add(&rules, "wall > 1s or absent", &error));
	assert_string_equal(rules.items[0].name, "status");
	assert_true(rules.items[0].or_absent && !rules.items[1].or_absent);
	assert_string_equal(rules.items[1].name, "a b");
	assert_true(!rules.items[2].name && rules.items[2].or_absent);
	rules_release(&rules);
}

#define SUBJECTS "expected wall, region, part, finding, failed or errors"
#define BEHIND   "expected where name = NAME, or absent, or the end of the rule"

static void reports_position_and_reason_of_errors(void **state)
{
	static const struct {
		const char *text;
		size_t column; /* column of the error from 1, as printed */
		const char *message;
	} rows[] = {
		{ "", 1, SUBJECTS },
		{ "   ", 4, SUBJECTS },
		{ "walls > 1s", 1, SUBJECTS },
		{ "> 1s", 1, SUBJECTS },
		{ "compare > 5%", 9, SUBJECTS " after compare" },
		{ "compare failed > 0", 9,
		  "'failed' cannot be compared; use wall, region or part" },
		{ "finding slow-hok > 0", 9,
		  "unknown finding 'slow-hok'; see man trace2top-findings" },
		{ "compare finding x > 0", 9,
		  "'finding' cannot be compared; use wall, region or part" },
		{ "compare wall p90 > 5%", 14, "compare uses the shift; remove 'p90'" },
		{ "compare wall > 5s", 16, "expected a percentage, such as 5% or +5%" },
		{ "compare wall > 5", 16, "expected a percentage, such as 5% or +5%" },
		{ "wall", 5, "expected one of < <= > >= = !=" },
		{ "wall p95 > 1s", 6, "expected one of < <= > >= = !=" },
		{ "wall self > 1s", 6, "'wall' has no 'self'" },
		{ "wall share > 1%", 6, "'wall' has no 'share'" },
		{ "region a/b share > 1%", 12, "'region' has no 'share'" },
		{ "part none self > 1s", 11, "'part' has no 'self'" },
		{ "failed p50 > 1", 8, "'failed' has no 'p50'" },
		{ "wall == 1s", 6, "expected one of < <= > >= = !=" },
		{ "wall =< 1s", 6, "expected one of < <= > >= = !=" },
		{ "wall ! 1s", 6, "expected one of < <= > >= = !=" },
		{ "wall >", 7, "expected a duration, such as 100ms or 2s" },
		{ "wall > 1", 8, "expected a duration, such as 100ms or 2s" },
		{ "wall > -1s", 8, "expected a duration, such as 100ms or 2s" },
		{ "wall > 1 s", 8, "expected a duration, such as 100ms or 2s" },
		{ "wall > 1%", 8, "expected a duration, such as 100ms or 2s" },
		{ "wall > 1e3s", 8, "expected a duration, such as 100ms or 2s" },
		{ "wall count > 1s", 14, "expected a number" },
		{ "failed > -1", 10, "expected a number" },
		{ "failed > nan", 10, "expected a number" },
		{ "failed > 1111111111111111", 10, "expected a number" },
		{ "part none share > 60", 19, "expected a percentage, such as 5% or +5%" },
		{ "part none share > %", 19, "expected a percentage, such as 5% or +5%" },
		{ "region > 1s", 8, "expected CATEGORY/LABEL" },
		{ "region index > 1s", 8, "expected CATEGORY/LABEL, such as index/refresh" },
		{ "region /refresh > 1s", 8, "expected CATEGORY/LABEL, such as index/refresh" },
		{ "region index/ > 1s", 8, "expected CATEGORY/LABEL, such as index/refresh" },
		{ "region \"\" > 1s", 8, "expected CATEGORY/LABEL, not \"\"" },
		{ "region \"a/b > 1s", 17, "expected a closing \"" },
		{ "part > 1s", 6, "expected a kind of part" },
		{ "part nothing > 1s", 6,
		  "unknown kind of part; expected one of region, none, init, spawn, reap, "
		  "untraced, "
		  "person, lost" },
		{ "part command > 1s", 6,
		  "unknown kind of part; expected one of region, none, init, spawn, reap, "
		  "untraced, "
		  "person, lost" },
		{ "wall > 1s where", 16, "expected name: where name = NAME" },
		{ "wall > 1s where names = x", 17, "expected name: where name = NAME" },
		{ "wall > 1s where name x", 22, "expected =: where name = NAME" },
		{ "wall > 1s where name != x", 22, "expected =: where name = NAME" },
		{ "wall > 1s where name =", 23, "expected the name of a command" },
		{ "wall > 1s or", 13, "expected absent: or absent" },
		{ "wall > 1s and", 11, BEHIND },
		{ "wall > 1s 2s", 11, BEHIND },
		{ "wall > 1s where name = a b", 26, "expected or absent, or the end of the rule" },
		{ "wall > 1s or absent where name = a", 21, "expected the end of the rule" },
		{ "wall\x01 > 1s", 1, SUBJECTS },
	};
	struct rules rules = { .nr = 0 };
	struct rule_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rules_add(&rules, rows[i].text, &error))
			fail_msg("'%s' was read", rows[i].text);
		if (error.column + 1 != rows[i].column || strcmp(error.message, rows[i].message))
			fail_msg("'%s': %zu: %s", rows[i].text, error.column + 1, error.message);
	}
	assert_int_equal(rules.nr, 0);
}

static struct script script;
static struct model *model;
static struct rule_results v;

/* Two runs of status (one of which failed), a fetch with a child that failed, a push that still
 * runs. */
static int rules_test_setup(void **state)
{
	struct model_config config = { .nesting = -1, .samples = true };
	static const struct {
		const char *sid, *name;
		double at, took;
		int code;
	} rows[] = {
		{ "a", "status", 0, 0.1, 0 },
		{ "b", "status", 1, 0.3, 1 },
		{ "c", "fetch", 2, 2, 0 },
		{ "c/d", "gc", 2.5, 1, 128 },
	};

	(void)state;
	script_init(&script);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *sid = rows[i].sid;
		double at = rows[i].at, took = rows[i].took;
		char more[200];

		script_event(&script, "version", sid, at, "");
		script_event(&script, "start", sid, at, "'t_abs':0,'argv':['git']");
		snprintf(more, sizeof(more), "'name':'%s','hierarchy':'%s'", rows[i].name,
			 rows[i].name);
		script_event(&script, "cmd_name", sid, at, more);
		script_event(&script, "region_enter", sid, at + 0.01,
			     "'nesting':1,'category':'c','label':'l'");
		script_event(&script, "region_enter", sid, at + 0.02,
			     "'nesting':2,'category':'c','label':'in'");
		script_event(&script, "region_leave", sid, at + 0.03,
			     "'nesting':2,'category':'c','label':'in','t_rel':0.01");
		snprintf(more, sizeof(more), "'nesting':1,'category':'c','label':'l','t_rel':%.2f",
			 took / 2);
		script_event(&script, "region_leave", sid, at + 0.01 + took / 2, more);
		if (rows[i].code)
			script_event(&script, "error", sid, at + took / 2 + 0.02, "'msg':'m'");
		snprintf(more, sizeof(more), "'t_abs':%.2f,'code':%d", took, rows[i].code);
		script_event(&script, "exit", sid, at + took, more);
		script_event(&script, "atexit", sid, at + took, more);
	}
	script_event(&script, "version", "e", 5, "");
	script_event(&script, "start", "e", 5, "'t_abs':0,'argv':['git']");
	script_event(&script, "cmd_name", "e", 5, "'name':'push','hierarchy':'push'");
	script_event(&script, "error", "e", 5.5, "'msg':'m'");
	model = model_new(&script.syms, &config);
	script_cut(&script);
	for (unsigned i = 0; i < script.nr_batches; i++)
		model_apply(model, script.batches[i]);
	model_settle(model);
	rule_results_init(&v);
	return 0;
}

static int rules_test_teardown(void **state)
{
	(void)state;
	rule_results_release(&v);
	model_free(model);
	script_release(&script);
	return 0;
}

static uint64_t found(void *data, uint32_t root, const char *id, const char *name)
{
	(void)data;
	if (root == SLOT_NONE)
		return (!id || !strcmp(id, "command-in-a-loop")) &&
		       (!name || !strcmp(name, "status"));
	return !id || !strcmp(id, "slow-hook");
}

static void rules_test_judge(const struct runs_choice *choice)
{
	struct analysis what = { .model = model,
				 .limits = { -1, -1 },
				 .now = script_seconds(SCRIPT_T0_SECONDS + 100.0),
				 .process = HANDLE_NONE };

	rule_results_make(&v, &what, choice, 0, found, NULL);
}

static void rules_test_take(const char *text)
{
	struct rule_error error;

	if (!rules_add(&v.rules, text, &error))
		fail_msg("%s: %s", text, error.message);
}

static void evaluates_rules(void **state)
{
	static const struct {
		const char *rule;
		enum rule_result result;
		double value; /* NAN: the rule has no value */
		uint64_t samples;
		const char *worst;
	} rows[] = {
		{ "wall > 2s", RULE_OK, 2e6, 1, "c" },
		{ "wall max >= 2s", RULE_BROKEN, 2e6, 1, "c" },
		{ "wall < 1s", RULE_BROKEN, 1e5, 2, "a" },
		{ "wall < 50ms", RULE_OK, 1e5, 2, "a" },
		{ "wall count != 3", RULE_OK, 3, 3, "c" },
		{ "wall mean = 200ms", RULE_BROKEN, 2e5, 2, "b" },
		{ "wall total > 2s", RULE_BROKEN, 2.4e6, 3, "c" },
		{ "wall total > 1s where name = status", RULE_OK, 4e5, 2, "b" },
		{ "wall p90 > 1s where name = push", RULE_UNJUDGED, NAN, 0, NULL },
		{ "wall p90 > 1s where name = push or absent", RULE_OK, NAN, 0, NULL },
		{ "region c/l count > 3", RULE_BROKEN, 4, 4, "c" },
		{ "region c/l max > 100ms where name = status", RULE_BROKEN, 1.5e5, 2, "b" },
		{ "region c/l p50 > 1s", RULE_OK, 1.5e5, 4, "c" },
		{ "region c/l self > 1s", RULE_BROKEN, 1.66e6, 4, "c" },
		{ "region c/in total > 1s", RULE_OK, 4e4, 4, "c" },
		/* The count includes the regions of the child, whose root is fetch. */
		{ "region c/l count > 1 where name = fetch", RULE_BROKEN, 2, 2, "c" },
		{ "region c/l count > 1 where name = gc", RULE_UNJUDGED, NAN, 0, NULL },
		{ "region no/such count > 0", RULE_UNJUDGED, NAN, 0, NULL },
		{ "region no/such count > 0 or absent", RULE_OK, NAN, 0, NULL },
		{ "part lost > 1s", RULE_OK, 0, 3, "c" },
		{ "part lost count > 0", RULE_OK, 0, 3, "c" },
		{ "part region count < 1", RULE_OK, 3, 3, NULL },
		{ "part lost count > 0 where name = push", RULE_UNJUDGED, NAN, 0, NULL },
		{ "finding slow-hook > 2", RULE_BROKEN, 3, 0, NULL },
		{ "finding lock-held > 0", RULE_OK, 0, 0, NULL },
		{ "finding > 3 where name = status", RULE_OK, 3, 0, NULL },
		{ "finding command-in-a-loop > 0", RULE_BROKEN, 1, 0, NULL },
		{ "finding command-in-a-loop > 0 where name = fetch", RULE_OK, 0, 0, NULL },
		{ "failed > 1", RULE_BROKEN, 2, 0, NULL },
		{ "failed > 0 where name = fetch", RULE_BROKEN, 1, 0, "c" },
		{ "failed > 0 where name = push", RULE_UNJUDGED, NAN, 0, NULL },
		{ "errors > 2", RULE_BROKEN, 3, 0, NULL },
		{ "errors > 1 where name = status", RULE_OK, 1, 0, "b" },
		{ "compare wall > 5%", RULE_UNJUDGED, NAN, 0, NULL },
	};
	const struct runs_choice all = { .all_over = true };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		rules_test_take(rows[i].rule);
	rules_test_judge(&all);
	for (uint32_t i = 0; i < v.rules.nr; i++) {
		const struct rule *r = &v.rules.items[i];
		const struct process *worst = model_process(model, r->worst);

		if (r->result != rows[i].result || r->has_value == isnan(rows[i].value) ||
		    (r->has_value && fabs(r->value - rows[i].value) > 1e-6) ||
		    r->samples != rows[i].samples)
			fail_msg("%s: %s %f %d", r->text, rule_results[r->result], r->value,
				 (int)r->samples);
		if (rows[i].worst &&
		    (!worst || worst->sid.len != strlen(rows[i].worst) ||
		     memcmp(model_text(model, worst->sid), rows[i].worst, worst->sid.len)))
			fail_msg("%s: another is the worst", r->text);
	}
	assert_int_equal(rules_fail(&v.rules), 19);
	assert_string_equal(v.rules.items[0].why, "1 sample of fetch");
	assert_string_equal(v.rules.items[8].why, "no data matched");
}

static void prints_a_sum_longer_than_any_duration(void **state)
{
	struct rule sum = { .has_value = true, .unit = RULE_US, .value = 1e17 };
	struct tr2_buf out;

	(void)state;
	tr2_buf_init(&out, 100);
	rule_format_value(&sum, &out);
	assert_string_equal(tr2_buf_cstr(&out), human_duration(INT64_MAX).text);
	tr2_buf_release(&out);
}

static bool is_b(void *data, const struct model *m, uint32_t root)
{
	(void)data;
	return *model_text(m, model_slot(m, root)->sid) == 'b';
}

static void only_chosen_roots_count(void **state)
{
	const struct runs_choice choice = { .all_over = true, .keep = is_b };

	(void)state;
	rules_test_take("wall count = 1");
	rules_test_take("region c/l count = 1");
	rules_test_take("failed = 1");
	rules_test_take("errors = 1");
	rules_test_judge(&choice);
	for (uint32_t i = 0; i < v.rules.nr; i++)
		assert_int_equal(v.rules.items[i].result, RULE_BROKEN);
}

static void finding_rules_need_findings(void **state)
{
	struct analysis what = { .model = model, .process = HANDLE_NONE };

	(void)state;
	rules_test_take("finding > 0");
	rule_results_make(&v, &what, &(struct runs_choice){ .all_over = true }, 0, NULL, NULL);
	assert_int_equal(v.rules.items[0].result, RULE_UNJUDGED);
}

/* The rule reports that a bounded model keeps a limited number of regions. */
static void keeps_the_newest_of_many_regions(void **state)
{
	struct model_config config = { .nesting = -1, .samples = true, .max_processes = 10 };
	struct analysis what = { .process = HANDLE_NONE };
	char more[100];

	(void)state;
	script_init(&script);
	script_event(&script, "version", "a", 0, "");
	script_event(&script, "start", "a", 0, "'t_abs':0,'argv':['git']");
	for (uint32_t i = 0; i < MAX_REGION_SAMPLES + 5; i++) {
		script_event(&script, "region_enter", "a", 1,
			     "'nesting':1,'category':'c','label':'l'");
		snprintf(more, sizeof(more), "'nesting':1,'category':'c','label':'l','t_rel':%.6f",
			 (i + 1) / 1e6);
		script_event(&script, "region_leave", "a", 1, more);
	}
	script_event(&script, "exit", "a", 2, "'t_abs':2,'code':0");
	what.model = model = model_new(&script.syms, &config);
	script_cut(&script);
	for (unsigned i = 0; i < script.nr_batches; i++)
		model_apply(model, script.batches[i]);
	model_settle(model);
	assert_int_equal(model_nr_samples(model), MAX_REGION_SAMPLES);
	assert_int_equal(model_dropped(model)->samples, 5);
	assert_int_equal(model_sample(model, 0)->duration, 6 * NS_PER_US);
	assert_int_equal(model_sample(model, MAX_REGION_SAMPLES - 1)->duration,
			 (MAX_REGION_SAMPLES + 5) * NS_PER_US);
	rule_results_init(&v);
	rules_test_take("region c/l min < 6us");
	rule_results_make(&v, &what, &(struct runs_choice){ .all_over = true }, 0, NULL, NULL);
	assert_int_equal(v.rules.items[0].result, RULE_OK);
	assert_string_equal(v.rules.items[0].why, "the newest 65536 samples");
	rules_test_teardown(NULL);
}

static void compare_rules_need_a_significant_change(void **state)
{
	static const struct {
		const char *rule;
		enum rule_result result;
		double value;
		const char *why;
	} rows[] = {
		{ "compare wall > +5%", RULE_BROKEN, 20, "fetch: +20.0 %" },
		{ "compare wall > +5% where name = status", RULE_OK, 0.5,
		  "+0.5 %, which is noise" },
		{ "compare wall > +0.1% where name = status", RULE_OK, 0.5,
		  "+0.5 %, which is noise" },
		{ "compare wall < -5%", RULE_OK, 0.5, "status: +0.5 %, which is noise" },
		{ "compare wall > 5% where name = gc", RULE_UNJUDGED, NAN,
		  "recorded one after the other, or too few pairs" },
		{ "compare wall > 5% where name = push", RULE_UNJUDGED, NAN, "no data matched" },
		{ "compare wall > 5% where name = push or absent", RULE_OK, NAN,
		  "no data matched" },
		{ "compare region index/refresh > 5% where name = status", RULE_OK, NAN,
		  "below 1 % of the wall time" },
		{ "compare region index/refresh > 5% where name = fetch", RULE_BROKEN, 19,
		  "+19.0 %" },
		{ "compare region no/such > 5% where name = fetch", RULE_UNJUDGED, NAN,
		  "no data matched" },
		{ "compare part none > 5% where name = fetch", RULE_OK, 1,
		  "+1.0 %, which is noise" },
		{ "compare part region > 5% where name = fetch", RULE_BROKEN, 19, "+19.0 %" },
	};
	struct rules rules = { .nr = 0 };
	struct rules_of of = { .model = model };
	struct runs a, b;
	struct comparison c;
	struct rule_error error;

	(void)state;
	runs_init(&a);
	runs_init(&b);
	for (int i = 0; i < 24; i++) {
		struct runs *runs = i % 2 ? &b : &a;

		runs_script_run(runs, "status", i % 2, i, 100000 + i % 2 * 500, 100);
		runs_script_run(runs, "fetch", i % 2, i, 100000 + i % 2 * 20000,
				50000 + i % 2 * 19000);
	}
	runs_script_run(&a, "gc", 0, 1, 1000, 10);
	runs_script_run(&b, "gc", 1, 2, 1000, 10);
	compare_make(&c, &a, &b);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(rules_add(&rules, rows[i].rule, &error));
	of.runs = &b;
	of.comparison = &c;
	rules_evaluate(&rules, &of);
	for (uint32_t i = 0; i < rules.nr; i++) {
		const struct rule *r = &rules.items[i];

		/* If some groups cannot be evaluated, a passing result for the others is not
		 * enough. */
		if (i == 3) {
			assert_int_equal(r->result, RULE_UNJUDGED);
			continue;
		}
		if (r->result != rows[i].result || strcmp(r->why, rows[i].why) ||
		    r->has_value == isnan(rows[i].value) ||
		    (r->has_value && fabs(r->value - rows[i].value) > 1e-6))
			fail_msg("%s: %s %f %s", r->text, rule_results[r->result], r->value,
				 r->why);
	}
	rules_release(&rules);
	compare_release(&c);
	runs_release(&a);
	runs_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_valid_rules),
		cmocka_unit_test(parses_the_name_and_absent_clauses),
		cmocka_unit_test(reports_position_and_reason_of_errors),
		cmocka_unit_test_setup_teardown(evaluates_rules, rules_test_setup,
						rules_test_teardown),
		cmocka_unit_test(prints_a_sum_longer_than_any_duration),
		cmocka_unit_test_setup_teardown(only_chosen_roots_count, rules_test_setup,
						rules_test_teardown),
		cmocka_unit_test_setup_teardown(finding_rules_need_findings, rules_test_setup,
						rules_test_teardown),
		cmocka_unit_test(keeps_the_newest_of_many_regions),
		cmocka_unit_test_setup_teardown(compare_rules_need_a_significant_change,
						rules_test_setup, rules_test_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
