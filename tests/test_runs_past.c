/* SPDX-License-Identifier: MIT */
/*
 * Tests that runs of a base become past durations of a model, as if the model had seen them, with
 * or without a file in between.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/runs_line.h"
#include "monitor/analysis/runs_of_model.h"
#include "monitor/app/rule_eval.h"
#include "monitor/base/scan.h"
#include "tests/journal_script.h"

/* A run of status of `ms` milliseconds, half of them in a region that occurs twice, then a hook and
 * another child. */
static void runs_past_test_run_script(struct script *script, int number, int ms)
{
	double at = number * 10.0, half = ms / 2000.0;
	char sid[20], more[200];

	snprintf(sid, sizeof(sid), "s%d", number);
	script_event(script, "version", sid, at, "");
	script_event(script, "start", sid, at, "'t_abs':0,'argv':['git','status']");
	script_event(script, "def_repo", sid, at, "'repo':1,'worktree':'/w'");
	script_event(script, "cmd_name", sid, at, "'name':'status','hierarchy':'status'");
	for (int i = 0; i < 2; i++) {
		script_event(script, "region_enter", sid, at,
			     "'nesting':1,'category':'index','label':'refresh'");
		snprintf(more, sizeof(more),
			 "'nesting':1,'category':'index','label':'refresh','t_rel':%.6f", half / 2);
		script_event(script, "region_leave", sid, at + half / 2 * (i + 1), more);
	}
	script_event(script, "child_start", sid, at + half,
		     "'child_id':0,'child_class':'hook','hook_name':'pre-commit','argv':['h']");
	script_event(script, "child_start", sid, at + half,
		     "'child_id':1,'child_class':'?','argv':['git','gc','--auto']");
	for (int i = 0; i < 2; i++) {
		snprintf(more, sizeof(more), "'child_id':%d,'pid':7,'code':0,'t_rel':%.6f", i,
			 half / (4 + i));
		script_event(script, "child_exit", sid, at + half + half / (4 + i), more);
	}
	snprintf(more, sizeof(more), "'t_abs':%.6f,'code':0", 2 * half);
	script_event(script, "exit", sid, at + 2 * half, more);
	script_event(script, "atexit", sid, at + 2 * half, more);
}

static struct model *runs_past_test_model_of(struct script *script,
					     const struct model_config *config)
{
	struct model *model = model_new(&script->syms, config);

	script_cut(script);
	for (unsigned i = 0; i < script->nr_batches; i++)
		model_apply(model, script->batches[i]);
	model_settle(model);
	return model;
}

static int runs_past_test_compare(const void *a, const void *b)
{
	const ns_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Assert that two lists have the same durations, `wanted` in number, in any order. */
static void same(ns_t *x, uint32_t nr_x, ns_t *y, uint32_t nr_y, uint32_t wanted)
{
	assert_int_equal(nr_x, wanted);
	assert_int_equal(nr_y, wanted);
	qsort(x, nr_x, sizeof(*x), runs_past_test_compare);
	qsort(y, nr_y, sizeof(*y), runs_past_test_compare);
	for (uint32_t i = 0; i < nr_x; i++)
		assert_int_equal(x[i], y[i]);
}

static void through_a_file(struct runs *runs)
{
	struct runs read;
	struct tr2_buf line;
	const char *why;

	runs_init(&read);
	tr2_buf_init(&line, SIZE_MAX / 2);
	/* The order of lines does not decide which run is the newest, so write the last run
	 * first. */
	for (uint32_t i = runs->nr; i--;) {
		tr2_buf_clear(&line);
		runs_line_write(runs, i, &line);
		tr2_buf_fill(&line, '\0', SCAN_PAD);
		assert_int_equal(runs_line_read(&read, line.data, &why), RUNS_LINE_ADDED);
	}
	tr2_buf_release(&line);
	runs_release(runs);
	*runs = read;
}

static void runs_past_test_check(int nr_runs, bool file)
{
	struct model_config config = { .nesting = -1, .samples = true };
	struct script past_script, script;
	struct model *past, *model;
	struct past_durations *durations;
	struct analysis what = { .process = HANDLE_NONE };
	const struct process *p, *q;
	ns_t x[PAST_MEDIAN_DURATIONS], y[PAST_MEDIAN_DURATIONS];
	uint32_t wanted = nr_runs < 64 ? (uint32_t)nr_runs : 64;
	struct runs runs;

	script_init(&past_script);
	for (int i = 0; i < nr_runs; i++)
		runs_past_test_run_script(&past_script, i, 100 + 8 * i);
	what.model = past = runs_past_test_model_of(&past_script, &config);
	runs_init(&runs);
	runs_add_model(&runs, NULL, &what,
		       &(struct runs_choice){ .all_over = true, .durations = true });
	assert_int_equal(runs.nr, nr_runs);
	if (file)
		through_a_file(&runs);

	/* The second script has other symbols for the same texts. */
	script_init(&script);
	script_sym(&script, "something else");
	durations = rule_eval_past(&runs, &script.syms, &config.nr_past);
	config.past = durations;
	script_event(&script, "version", "now", 5, "");
	script_event(&script, "def_repo", "now", 5, "'repo':1,'worktree':'/w'");
	script_event(&script, "cmd_name", "now", 5, "'name':'status','hierarchy':'status'");
	script_event(&script, "child_start", "now", 5,
		     "'child_id':0,'child_class':'hook','hook_name':'pre-commit','argv':['x']");
	script_event(&script, "child_start", "now", 5,
		     "'child_id':1,'child_class':'?','argv':['git','gc']");
	model = runs_past_test_model_of(&script, &config);
	p = script_process(past, "s0");
	q = script_process(model, "now");
	same(x,
	     model_past_region(past, p, script_sym(&past_script, "index"),
			       script_sym(&past_script, "refresh"), x),
	     y,
	     model_past_region(model, q, script_sym(&script, "index"),
			       script_sym(&script, "refresh"), y),
	     2 * wanted < 64 ? 2 * wanted : 64);
	same(x, model_past_process(past, p, x), y, model_past_process(model, q, y), wanted);
	for (uint32_t i = 0; i < 2; i++)
		same(x, model_past_child(past, p, process_child(past, p, i), x), y,
		     model_past_child(model, q, process_child(model, q, i), y), wanted);
	model_free(model);
	free(durations);
	runs_release(&runs);
	model_free(past);
	script_release(&script);
	script_release(&past_script);
}

/* A file of --save-runs must not have more of a command, even if a shell runs it. */
static void two_words_identify_a_child(void **state)
{
	static const char *const rows[][2] = {
		{ "['git','gc','--auto']", "git gc" },
		{ "['git']", "git" },
		{ "['echo secret','x']", "echo secret" },
		{ "['  echo  one two; git log --grep=SECRET','x']", "echo one" },
		{ "['a\\tb\\nc']", "a b" },
		{ "['','a b']", "a b" },
		{ "[]", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct model_config config = { .nesting = -1 };
		char more[200], text[CHILD_KEY_BYTES];
		struct script script;
		struct model *model;

		script_init(&script);
		snprintf(more, sizeof(more), "'child_id':0,'child_class':'?','argv':%s",
			 rows[i][0]);
		script_event(&script, "child_start", "s", 1, more);
		model = runs_past_test_model_of(&script, &config);
		child_key_text(model, process_child(model, script_process(model, "s"), 0), text);
		assert_string_equal(text, rows[i][1]);
		model_free(model);
		script_release(&script);
	}
}

static void base_runs_become_past_durations(void **state)
{
	(void)state;
	runs_past_test_check(12, false);
}

static void baseline_files_become_past_durations(void **state)
{
	(void)state;
	runs_past_test_check(12, true);
}

static void keeps_the_newest_durations(void **state)
{
	(void)state;
	runs_past_test_check(100, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_words_identify_a_child),
		cmocka_unit_test(base_runs_become_past_durations),
		cmocka_unit_test(baseline_files_become_past_durations),
		cmocka_unit_test(keeps_the_newest_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
