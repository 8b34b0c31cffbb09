/* SPDX-License-Identifier: MIT */
/* Tests of current reasons for waiting, and of past durations: traces worked out by hand. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/past_median.h"
#include "monitor/analysis/waiting.h"
#include "tests/journal_script.h"

#define MS NS_PER_MS
#define T0 ((ns_t)SCRIPT_T0_SECONDS * NS_PER_SEC)

struct waiting_test_fixture {
	struct script s;
	struct model *m;
	struct analysis what;
	struct waits waits;
	struct tr2_buf line;
};

static int waiting_test_setup(void **state)
{
	struct waiting_test_fixture *f = calloc(1, sizeof(*f));

	script_init(&f->s);
	script_stream(&f->s, 1, 0, true);
	tr2_buf_init(&f->line, 1 << 16);
	*state = f;
	return 0;
}

static int waiting_test_teardown(void **state)
{
	struct waiting_test_fixture *f = *state;

	waits_release(&f->waits);
	model_free(f->m);
	script_release(&f->s);
	tr2_buf_release(&f->line);
	free(f);
	return 0;
}

/* `name`: a file of tests/data/insight */
static void read_case(struct waiting_test_fixture *f, const char *name)
{
	char path[4096], line[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/insight/%s", getenv("abs_top_srcdir"), name);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (line[0] == '{')
			script_line(&f->s, "%s", line);
	fclose(file);
	f->m = script_model(&f->s, -1, 0);
	f->what.model = f->m;
}

static void at(struct waiting_test_fixture *f, double now)
{
	if (!f->m)
		f->m = script_model(&f->s, -1, 0);
	f->what.model = f->m;
	f->what.now = T0 + script_seconds(now);
}

static void wait_is(struct waiting_test_fixture *f, uint32_t nr, enum wait_kind kind,
		    const char *text, ns_t since)
{
	assert_true(nr < f->waits.nr);
	assert_int_equal(f->waits.items[nr].kind, kind);
	tr2_buf_clear(&f->line);
	wait_format(f->m, &f->waits.items[nr], &f->line);
	assert_string_equal(tr2_buf_cstr(&f->line), text);
	if (since != NS_NONE)
		assert_int_equal(f->waits.items[nr].since, since);
}

static void follows_a_chain_to_its_end(void **state)
{
	struct waiting_test_fixture *f = *state;
	static const char root[] = "20231114T221320.000000Z-H89e495e7-P00000001";
	uint32_t slot, below;

	read_case(f, "waiting_chain.event");
	/* 2023-11-14T22:13:21.205Z */
	f->what.now = 1700000001205 * MS;
	slot = model_find_sid(f->m, root, strlen(root));
	waits_make(&f->waits, &f->what, slot);
	assert_int_equal(f->waits.nr, 2);
	wait_is(f, 0, WAIT_CHILD, "git index-pack", 1202 * MS);
	wait_is(f, 1, WAIT_REGION, "progress/Resolving deltas", 1199 * MS);
	below = f->waits.items[1].slot;
	assert_int_equal(model_slot(f->m, below)->parent, slot);
	assert_true(waits_begin_at(f->m, slot));
	assert_false(waits_begin_at(f->m, below));
}

#define P "20260102T030400.000000Z-Habcdef01-P00000001"

static void waiting_test_begin(struct waiting_test_fixture *f)
{
	script_event(&f->s, "version", P, 0.001, "'evt':'3','exe':'2.39.5'");
	script_event(&f->s, "start", P, 0.001, "'t_abs':0.001,'argv':['git','commit']");
}

static void waiting_test_make(struct waiting_test_fixture *f, double now)
{
	at(f, now);
	waits_make(&f->waits, &f->what, model_find_sid(f->m, P, strlen(P)));
}

/* Git reaps the transport after index-pack: while index-pack runs, Git does not wait for the
 * transport. */
static void does_not_wait_for_a_pipe_beside_a_child(void **state)
{
	struct waiting_test_fixture *f = *state;

	waiting_test_begin(f);
	script_event(&f->s, "child_start", P, 0.002,
		     "'child_id':0,'child_class':'transport/ssh','argv':['ssh','host']");
	waiting_test_make(f, 0.005);
	assert_int_equal(f->waits.nr, 1);
	wait_is(f, 0, WAIT_UNTRACED, "ssh", 3 * MS);
	model_free(f->m);
	f->m = NULL;
	script_event(&f->s, "child_start", P, 0.006,
		     "'child_id':1,'child_class':'?','argv':['git','index-pack','--stdin']");
	waiting_test_make(f, 0.010);
	assert_int_equal(f->waits.nr, 1);
	wait_is(f, 0, WAIT_UNTRACED, "git index-pack", 4 * MS);
}

static void names_children(void **state)
{
	struct waiting_test_fixture *f = *state;
	static const struct {
		const char *fields, *name;
		enum wait_kind kind;
	} rows[] = {
		{ "'argv':['/usr/lib/ssh/ssh-askpass','Password']", "ssh-askpass", WAIT_PERSON },
		{ "'argv':['/home/u/ask','Username for \\u0027https://h\\u0027: ']", "ask",
		  WAIT_PERSON },
		{ "'argv':['/home/u/ask','Username for h']", "ask", WAIT_UNTRACED },
		{ "'use_shell':true,'argv':['git rev-parse HEAD; sleep 0.6']",
		  "git rev-parse HEAD; sleep 0.6", WAIT_UNTRACED },
		{ "'use_shell':true,'argv':['python3 filter.py']", "python3 filter.py",
		  WAIT_UNTRACED },
		{ "'use_shell':false,'argv':['python3','filter.py']", "python3", WAIT_UNTRACED },
	};

	waiting_test_begin(f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char fields[200];

		snprintf(fields, sizeof(fields), "'child_id':%zu,'child_class':'?',%s", i,
			 rows[i].fields);
		script_event(&f->s, "child_start", P, 0.002 + 0.002 * (double)i, fields);
		waiting_test_make(f, 0.003 + 0.002 * (double)i);
		wait_is(f, 0, rows[i].kind, rows[i].name, 1 * MS);
		snprintf(fields, sizeof(fields), "'child_id':%zu,'pid':7,'code':0", i);
		script_event(&f->s, "child_exit", P, 0.003 + 0.002 * (double)i, fields);
		model_free(f->m);
		f->m = NULL;
	}
}

static void waits_for_the_oldest_of_several_children(void **state)
{
	struct waiting_test_fixture *f = *state;

	waiting_test_begin(f);
	script_event(&f->s, "child_start", P, 0.002,
		     "'child_id':0,'child_class':'background','argv':['beside']");
	script_event(&f->s, "child_start", P, 0.003, "'child_id':1,'child_class':'?','argv':['a']");
	script_event(&f->s, "child_start", P, 0.004, "'child_id':2,'child_class':'?','argv':['b']");
	waiting_test_make(f, 0.010);
	assert_int_equal(f->waits.nr, 2);
	wait_is(f, 0, WAIT_CHILDREN, "2 children", 7 * MS);
	wait_is(f, 1, WAIT_UNTRACED, "a", 7 * MS);
}

static void region_takes_precedence_over_an_older_child(void **state)
{
	struct waiting_test_fixture *f = *state;

	waiting_test_begin(f);
	script_event(&f->s, "child_start", P, 0.003, "'child_id':1,'child_class':'?','argv':['a']");
	script_event(&f->s, "region_enter", P, 0.004, "'nesting':1,'category':'c','label':'l'");
	waiting_test_make(f, 0.010);
	assert_int_equal(f->waits.nr, 1);
	wait_is(f, 0, WAIT_REGION, "c/l", 6 * MS);
}

static void reports_interactive_and_unknown_reasons(void **state)
{
	struct waiting_test_fixture *f = *state;

	waiting_test_begin(f);
	script_event(&f->s, "child_start", P, 0.003,
		     "'child_id':0,'child_class':'editor','argv':['vi']");
	waiting_test_make(f, 0.010);
	wait_is(f, 0, WAIT_PERSON, "vi", 7 * MS);
	model_free(f->m);
	f->m = NULL;
	script_event(&f->s, "child_exit", P, 0.006, "'child_id':0,'pid':7,'code':0,'t_rel':0.003");
	waiting_test_make(f, 0.010);
	assert_int_equal(f->waits.nr, 1);
	wait_is(f, 0, WAIT_THINKING, "no known reason", 4 * MS);
	model_free(f->m);
	f->m = NULL;
	script_event(&f->s, "exit", P, 0.011, "'t_abs':0.011,'code':0");
	waiting_test_make(f, 0.020);
	assert_int_equal(f->waits.nr, 0);
}

static void reports_late_compared_with_past_durations(void **state)
{
	struct waiting_test_fixture *f = *state;
	const struct process *last = NULL;
	const struct open_region *open;
	struct past_median usual;
	ns_t elapsed;

	read_case(f, "past_late.event");
	for (uint32_t s = model_first_slot(f->m); s != SLOT_NONE; s = model_next_slot(f->m, s))
		if (model_slot(f->m, s)->nr_open)
			last = model_slot(f->m, s);
	assert_non_null(last);
	open = thread_open(f->m, process_thread(f->m, last, 0), 0);
	/* 2023-11-14T22:13:32.092Z */
	elapsed = 1700000012092 * MS - open->time;
	assert_int_equal(elapsed, 90 * MS);
	assert_true(
		past_median_of_region(f->m, last, open->category, open->label, elapsed, &usual));
	assert_int_equal(usual.n, 12);
	assert_int_equal(usual.p50, 15 * MS);
	assert_int_equal(usual.p90, 20 * MS);
	assert_int_equal(usual.slower_than, 12);
	assert_true(usual.late);
	assert_int_equal(usual.remaining, NS_NONE);
	/* 70 ms is not late: late means longer. */
	past_median_of_region(f->m, last, open->category, open->label, 70 * MS, &usual);
	assert_false(usual.late);
	past_median_of_region(f->m, last, open->category, open->label, 70 * MS + 1, &usual);
	assert_true(usual.late);
}

static void quantiles_use_the_nearest_rank(void **state)
{
	ns_t durations[PAST_MEDIAN_DURATIONS];
	struct past_median usual;

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		durations[i] = (20 - (ns_t)i) * 10 * MS;
	assert_false(past_median_make(durations, 7, 1, &usual));
	assert_false(past_median_make(durations, 20, NS_NONE, &usual));
	assert_true(past_median_make(durations, 20, 100 * MS, &usual));
	assert_int_equal(usual.p50, 100 * MS);
	assert_int_equal(usual.p90, 180 * MS);
	assert_int_equal(usual.slower_than, 9);
	assert_false(usual.late);
	/* The median of 110 to 200 ms is 150, so 50 ms remain. */
	assert_int_equal(usual.remaining, 50 * MS);
	past_median_make(durations, 20, 160 * MS, &usual);
	assert_int_equal(usual.remaining, NS_NONE);
	/* With very long past durations a short time is not late. */
	for (uint32_t i = 0; i < 20; i++)
		durations[i] = INT64_MAX / 4 * 3;
	past_median_make(durations, 20, 160 * MS, &usual);
	assert_false(usual.late);
}

static void evicts_old_keys_for_newer_ones(void **state)
{
	struct waiting_test_fixture *f = *state;
	ns_t out[PAST_MEDIAN_DURATIONS];
	const struct process *p;
	char more[120];

	waiting_test_begin(f);
	script_event(&f->s, "cmd_name", P, 0.001, "'name':'x','hierarchy':'x'");
	for (uint32_t i = 0; i < MAX_USUAL_KEYS + 100; i++) {
		/* The region l0 is used in every round, so it is not evicted. */
		for (int again = 0; again < 2; again++) {
			uint32_t number = again ? i : 0;

			snprintf(more, sizeof(more),
				 "'nesting':1,'t_rel':0.%06u,'category':'c','label':'l%u'", i,
				 number);
			script_event(&f->s, "region_enter", P, 0.001, more);
			script_event(&f->s, "region_leave", P, 0.001, more);
		}
	}
	f->m = script_model(&f->s, -1, 0);
	p = script_process(f->m, P);
	assert_int_equal(model_dropped(f->m)->usual, 100);
	assert_int_equal(
		model_past_region(f->m, p, script_sym(&f->s, "c"), script_sym(&f->s, "l1"), out),
		0);
	assert_int_equal(
		model_past_region(f->m, p, script_sym(&f->s, "c"), script_sym(&f->s, "l0"), out),
		PAST_MEDIAN_DURATIONS);
	/* Only the newest 64 durations count. */
	for (uint32_t i = 0; i < PAST_MEDIAN_DURATIONS; i++)
		assert_true(out[i] >= (MAX_USUAL_KEYS + 100 - 64) * NS_PER_US);
	assert_int_equal(
		model_past_region(f->m, p, script_sym(&f->s, "c"), script_sym(&f->s, "l4100"), out),
		1);
}

static void children_and_processes_have_past_durations(void **state)
{
	struct waiting_test_fixture *f = *state;
	char sid[80], more[100];
	ns_t out[PAST_MEDIAN_DURATIONS];
	const struct process *p = NULL;

	for (int i = 0; i < 10; i++) {
		snprintf(sid, sizeof(sid), "20260102T030400.00000%dZ-Habcdef01-P0000000%d", i, i);
		script_event(&f->s, "start", sid, i, "'t_abs':0.001,'argv':['git','commit']");
		script_event(&f->s, "cmd_name", sid, i, "'name':'commit','hierarchy':'commit'");
		script_event(&f->s, "def_repo", sid, i,
			     i & 1 ? "'repo':1,'worktree':'/a'" : "'repo':1,'worktree':'/b'");
		script_event(&f->s, "child_start", sid, i,
			     "'child_id':0,'child_class':'hook','hook_name':'h','argv':['x']");
		snprintf(more, sizeof(more), "'child_id':0,'pid':9,'code':0,'t_rel':0.00%d", i);
		script_event(&f->s, "child_exit", sid, i, more);
		snprintf(more, sizeof(more), "'t_abs':0.0%d,'code':0", i + 10);
		script_event(&f->s, "exit", sid, i, more);
		script_event(&f->s, "atexit", sid, i, more);
	}
	at(f, 20);
	p = script_process(f->m, sid);
	assert_int_equal(model_past_child(f->m, p, process_child(f->m, p, 0), out), 5);
	assert_int_equal(out[4], 9 * MS);
	assert_int_equal(model_past_process(f->m, p, out), 5);
	assert_int_equal(out[0], 11 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, waiting_test_setup, waiting_test_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(follows_a_chain_to_its_end),
		TEST(does_not_wait_for_a_pipe_beside_a_child),
		TEST(names_children),
		TEST(waits_for_the_oldest_of_several_children),
		TEST(region_takes_precedence_over_an_older_child),
		TEST(reports_interactive_and_unknown_reasons),
		TEST(reports_late_compared_with_past_durations),
		TEST(quantiles_use_the_nearest_rank),
		TEST(evicts_old_keys_for_newer_ones),
		TEST(children_and_processes_have_past_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
