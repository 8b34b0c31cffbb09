/* SPDX-License-Identifier: MIT */
/* Tests of the model against trace2top-formats(5). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/journal_script.h"

#define NONE SCRIPT_NO_TIME
#define ALL  (&(struct timing_limits){ -1, -1 })

struct fixture {
	struct script s;
	struct model *m;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	script_init(&f->s);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	model_free(f->m);
	script_release(&f->s);
	free(f);
	return 0;
}

static struct model *make(struct fixture *f)
{
	model_free(f->m);
	f->m = script_model(&f->s, -1, 0);
	return f->m;
}

static const struct process *process(struct fixture *f, const char *sid)
{
	const struct process *p = script_process(f->m, sid);

	assert_non_null(p);
	return p;
}

static struct timing timing(struct fixture *f, const char *category, const char *label,
			    const struct timing_limits *limits)
{
	struct timing t = { 0 };
	uint32_t row = model_timing_row(f->m, category ? script_sym(&f->s, category) : SYM_NONE,
					label ? script_sym(&f->s, label) : SYM_NONE);

	if (row != SLOT_NONE)
		model_timing(f->m, row, limits, &t);
	return t;
}

static void assert_ns(ns_t got, double seconds)
{
	assert_int_equal(got, script_seconds(seconds));
}

static uint64_t in_state(struct fixture *f, enum process_state state)
{
	return model_totals(f->m)->by_state[state];
}

static void every_event_makes_its_process_and_thread_known(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "no_such_event", "a/b", 0, "'thread':'th01:x'");
	make(f);
	assert_int_equal(model_totals(f->m)->processes, 1);
	assert_int_equal(model_totals(f->m)->threads, 1);
	assert_int_equal(process(f, "a/b")->threads.nr, 1);
	assert_int_equal(process(f, "a/b")->depth, 1);
	assert_null(script_process(f->m, "a"));
}

static void an_unknown_event_is_counted_by_its_name(void **state)
{
	struct fixture *f = *state;
	sym_t name;

	script_event(&f->s, "zap", "a", 0, "");
	script_event(&f->s, "zap", "a", 0, "");
	script_event(&f->s, "command", "a", 0, "'name':'x'");
	script_event(&f->s, "cmd_name", "a", 0, "'name':'y'");
	make(f);
	assert_int_equal(model_totals(f->m)->events, 4);
	assert_int_equal(model_nr_event_names(f->m), 2);
	assert_int_equal(model_event_name(f->m, 0, &name), 2);
	assert_true(script_sym_is(f->m, name, "zap"));
	assert_int_equal(model_event_name(f->m, 1, &name), 1);
	assert_true(script_sym_is(f->m, name, "command"));
	assert_int_equal(model_event_count(f->m, TR2_E_CMD_NAME), 1);
	assert_true(script_sym_is(f->m, process(f, "a")->name, "y"));
}

static void a_thread_without_a_name_is_a_thread(void **state)
{
	struct fixture *f = *state;

	script_line(&f->s, "{'event':'start','sid':'a','argv':[]}");
	script_event(&f->s, "start", "a", 0, "");
	make(f);
	assert_int_equal(process(f, "a")->threads.nr, 2);
	assert_int_equal(process_thread(f->m, process(f, "a"), 0)->name, SYM_NONE);
}

static void pid_and_host_come_from_the_last_component(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "x-P1/20260102T030405.678901Z-Habcdef01-P000004d2", 0, "");
	script_event(&f->s, "start", "20260102T030405.678901Z-Localhost-P0000000f", 0, "");
	script_event(&f->s, "start", "plain", 0, "");
	script_event(&f->s, "start", "tag-Pzz", 0, "");
	make(f);
	const struct process *p = process(f, "x-P1/20260102T030405.678901Z-Habcdef01-P000004d2");
	assert_int_equal(p->pid, 1234);
	assert_string_equal(p->host, "Habcdef01");
	assert_int_equal(p->depth, 1);
	p = process(f, "20260102T030405.678901Z-Localhost-P0000000f");
	assert_int_equal(p->pid, 15);
	assert_string_equal(p->host, "Localhost");
	assert_int_equal(process(f, "plain")->pid, NUM_NONE);
	assert_string_equal(process(f, "plain")->host, "");
	assert_int_equal(process(f, "tag-Pzz")->pid, NUM_NONE);
}

static void the_last_value_of_each_attribute_is_kept(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "version", "a", 0, "'evt':'3','exe':'2.30'");
	script_event(&f->s, "version", "a", 0, "'evt':'4','exe':'2.55'");
	script_event(&f->s, "start", "a", 0, "'argv':['git','one']");
	script_event(&f->s, "start", "a", 0, "'argv':['git','two','x']");
	script_event(&f->s, "cmd_name", "a", 0, "'name':'one','hierarchy':'one'");
	script_event(&f->s, "cmd_name", "a", 0, "'name':'two','hierarchy':'one/two'");
	script_event(&f->s, "cmd_path", "a", 0, "'path':'/usr/bin/git'");
	script_event(&f->s, "cmd_ancestry", "a", 0, "'ancestry':['bash','sshd']");
	script_event(&f->s, "cmd_mode", "a", 0, "'name':'branch'");
	script_event(&f->s, "cmd_mode", "a", 0, "'name':'clean'");
	script_event(&f->s, "alias", "a", 0, "'alias':'st','argv':['status']");
	script_event(&f->s, "def_repo", "a", 0, "'repo':1,'worktree':'/w'");
	make(f);
	const struct process *p = process(f, "a");
	struct strings_cursor cursor = strings_begin(f->m, &p->argv);
	const char *item;
	size_t len;

	assert_true(script_sym_is(f->m, p->evt, "4"));
	assert_true(script_sym_is(f->m, p->exe, "2.55"));
	assert_true(script_sym_is(f->m, p->name, "two"));
	assert_true(script_sym_is(f->m, p->hierarchy, "one/two"));
	assert_true(script_sym_is(f->m, p->path, "/usr/bin/git"));
	assert_int_equal(p->argv.nr, 3);
	strings_next(&cursor, &len);
	item = strings_next(&cursor, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(item, "two", 3);
	assert_non_null(strings_next(&cursor, &len));
	assert_null(strings_next(&cursor, &len));
	assert_int_equal(p->ancestry.nr, 2);
	assert_int_equal(p->modes.nr, 2);
	assert_int_equal(p->aliases.nr, 1);
	assert_int_equal(p->worktrees.nr, 1);
	assert_int_equal(PROCESS_ITEM(f->m, &p->worktrees, worktree_item, 0)->repo, 1);
}

static void the_last_of_exit_atexit_and_signal_sets_the_state(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "exit", "a", 1, "'t_abs':1.0,'code':1");
	script_event(&f->s, "atexit", "a", 1, "'t_abs':1.5,'code':0");
	script_event(&f->s, "exit", "b", 1, "'t_abs':1.0,'code':3");
	script_event(&f->s, "signal", "b", 1, "'t_abs':2.0,'signo':13");
	script_event(&f->s, "signal", "c", 1, "'t_abs':2.0,'signo':13");
	script_event(&f->s, "atexit", "c", 1, "'t_abs':3.0,'code':7");
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_EXITED);
	assert_int_equal(process(f, "a")->code, 0);
	assert_ns(process_elapsed(process(f, "a")), 1.5);
	assert_int_equal(process(f, "b")->state, STATE_SIGNALED);
	assert_int_equal(process(f, "b")->signo, 13);
	assert_int_equal(process(f, "b")->code, NUM_NONE);
	assert_ns(process_elapsed(process(f, "b")), 2.0);
	assert_int_equal(process(f, "c")->state, STATE_EXITED);
	assert_int_equal(process(f, "c")->code, 7);
	assert_int_equal(process(f, "c")->signo, 13); /* the signal stays known */
	assert_int_equal(in_state(f, STATE_EXITED), 2);
	assert_int_equal(in_state(f, STATE_SIGNALED), 1);
	assert_int_equal(model_totals(f->m)->failed, 1);
}

static void without_an_end_elapsed_is_last_time_minus_first(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "a", 1, "");
	script_event(&f->s, "cmd_name", "a", 3.25, "'name':'x'");
	script_event(&f->s, "start", "b", NONE, "");
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_RUNNING);
	assert_ns(process_elapsed(process(f, "a")), 2.25);
	assert_int_equal(process_elapsed(process(f, "b")), NS_NONE);
	assert_int_equal(process(f, "b")->start, NS_NONE);
}

static void an_exec_replaces_unless_it_fails(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "exec", "a", 0, "'exec_id':0,'exe':'git','argv':['git-x']");
	script_event(&f->s, "exec", "b", 0, "'exec_id':0,'argv':[]");
	script_event(&f->s, "exec_result", "b", 0, "'exec_id':0,'code':2");
	script_event(&f->s, "exec", "c", 0, "'exec_id':0,'argv':[]");
	script_event(&f->s, "exec_result", "c", 0, "'exec_id':0,'code':2");
	script_event(&f->s, "exec", "c", 0, "'exec_id':1,'argv':['y']");
	script_event(&f->s, "exec", "d", 0, "'exec_id':0,'argv':[]");
	script_event(&f->s, "exit", "d", 0, "'code':1");
	script_event(&f->s, "exec", "d", 0, "'exec_id':1,'argv':[]");
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_REPLACED);
	assert_int_equal(process(f, "b")->state, STATE_RUNNING);
	assert_int_equal(PROCESS_ITEM(f->m, &process(f, "b")->execs, exec_item, 0)->code, 2);
	assert_int_equal(process(f, "c")->state, STATE_REPLACED);
	assert_int_equal(process(f, "c")->execs.nr, 2);
	assert_int_equal(PROCESS_ITEM(f->m, &process(f, "c")->execs, exec_item, 1)->code, NUM_NONE);
	assert_int_equal(process(f, "d")->state, STATE_EXITED);
}

static void records_of_trace2top_create_no_process(void **state)
{
	struct fixture *f = *state;

	script_stream(&f->s, 3, 1, true);
	script_stream_end(&f->s, 3);
	script_stream_end(&f->s, 4000000000u);
	make(f);
	assert_int_equal(model_totals(f->m)->processes, 0);
	assert_int_equal(model_totals(f->m)->events, 0);
}

static void two_starts_with_one_sid_are_one_process(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "a", 0, "'argv':['git','one']");
	script_event(&f->s, "child_start", "a", 0, "'child_id':0,'argv':['x']");
	script_event(&f->s, "child_exit", "a", 1, "'child_id':0,'pid':5,'code':3,'t_rel':1.0");
	script_event(&f->s, "atexit", "a", 1, "'t_abs':1.0,'code':1");
	script_event(&f->s, "start", "a", 2, "'argv':['git','two']");
	script_event(&f->s, "child_start", "a", 2, "'child_id':0,'argv':['y','z']");
	make(f);
	const struct process *p = process(f, "a");

	assert_int_equal(model_totals(f->m)->processes, 1);
	assert_int_equal(p->state, STATE_EXITED);
	assert_int_equal(p->code, 1);
	assert_int_equal(model_totals(f->m)->failed, 1);
	assert_int_equal(p->children.nr, 1);
	assert_int_equal(process_child(f->m, p, 0)->argv.nr, 2);
	assert_int_equal(process_child(f->m, p, 0)->state, CHILD_RUNNING);
	assert_int_equal(process_child(f->m, p, 0)->code, NUM_NONE);
}

static void process_whose_connection_ended_is_lost(void **state)
{
	struct fixture *f = *state;

	script_stream(&f->s, 1, 0, true);
	script_event(&f->s, "start", "a", 0, "");
	script_event(&f->s, "start", "b", 0, "");
	script_event(&f->s, "atexit", "b", 0, "'code':0");
	script_stream(&f->s, 2, 0, true);
	script_event(&f->s, "start", "c", 0, "");
	script_stream_end(&f->s, 1);
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_LOST);
	assert_int_equal(process(f, "b")->state, STATE_EXITED);
	assert_int_equal(process(f, "c")->state, STATE_RUNNING);
	assert_true(process(f, "c")->live);
	assert_int_equal(in_state(f, STATE_LOST), 1);
}

static void process_that_reconnects_is_not_lost(void **state)
{
	struct fixture *f = *state;

	script_stream(&f->s, 1, 0, true);
	script_event(&f->s, "start", "a", 0, "");
	script_stream_end(&f->s, 1);
	script_stream(&f->s, 2, 0, true);
	script_event(&f->s, "cmd_name", "a", 0, "'name':'x'");
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_RUNNING);
	script_stream_end(&f->s, 2);
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_LOST);
}

static void about_has_the_format(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "e", 0, "");
	script_about_trace(&f->s, "a", "perf", CLOCK_TIME_OF_DAY | ABOUT_GUESSED, "main");
	script_about_trace(&f->s, "b", "go", 3, NULL);
	make(f);
	assert_int_equal(process(f, "e")->format, SYM_NONE);
	assert_true(script_sym_is(f->m, process(f, "a")->format, "perf"));
	assert_true(script_sym_is(f->m, process(f, "a")->main_thread, "main"));
	assert_string_equal(process_clock_names[process(f, "a")->clock], "time of day");
	assert_true(process(f, "a")->guessed);
	assert_int_equal(process(f, "a")->state, STATE_RUNNING);
	assert_int_equal(process(f, "a")->start, NS_NONE);
	assert_int_equal(process(f, "b")->clock, CLOCK_OWN);
	assert_int_equal(process(f, "b")->main_thread, SYM_NONE);
	assert_false(process(f, "b")->guessed);
}

static void process_whose_trace_ended_is_untraced(void **state)
{
	struct fixture *f = *state;

	script_stream(&f->s, 1, 0, true);
	script_event(&f->s, "start", "p", 0, "");
	script_event(&f->s, "child_start", "p", 0, "'child_id':1");
	script_event(&f->s, "start", "p/x-P0000000a", 0, "");
	script_event(&f->s, "start", "a", 0, "");
	script_event(&f->s, "start", "b", 0, "");
	script_event(&f->s, "atexit", "b", 1, "'code':0");
	script_event(&f->s, "start", "c", 0, "");
	for (const char *sid = "abc"; *sid; sid++)
		script_about_trace(&f->s, (char[]){ *sid, '\0' }, "go", ABOUT_ENDED, NULL);
	script_about_trace(&f->s, "p/x-P0000000a", "go", ABOUT_ENDED, NULL);
	/* The traces of a, b, c and x have ended, so the connection's end has no effect on them. */
	script_stream_end(&f->s, 1);
	script_stream(&f->s, 2, 0, true);
	script_event(&f->s, "child_exit", "p", 2, "'child_id':1,'pid':10,'code':0");
	script_event(&f->s, "cmd_name", "c", 2, "'name':'x'");
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_UNTRACED);
	assert_int_equal(process(f, "b")->state, STATE_EXITED);
	assert_int_equal(process(f, "c")->state, STATE_RUNNING);
	/* The parent has reported the exit of this process. */
	assert_int_equal(process(f, "p/x-P0000000a")->state, STATE_LOST);
	assert_int_equal(in_state(f, STATE_UNTRACED), 1);
	assert_int_equal(in_state(f, STATE_RUNNING), 2);
	assert_string_equal(process_state_names[STATE_UNTRACED], "untraced");
}

static void repeated_sums_replace_earlier_ones(void **state)
{
	struct fixture *f = *state;
	const struct process *p;

	script_about_trace(&f->s, "a", "tracelog", 0, NULL);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 40; i++) {
			char more[96];

			snprintf(more, sizeof(more),
				 "'thread':'t%u','category':'c','name':'n%u','count':%u", i % 4,
				 i / 4, 100 * round + i);
			script_event(&f->s, "th_counter", "a", 0, more);
		}
	script_event(&f->s, "counter", "a", 0,
		     "'thread':'t0','category':'c','name':'n0','count':7");
	for (unsigned round = 0; round < 3; round++)
		script_event(&f->s, "counter", "e", 0, "'category':'c','name':'n','count':1");
	make(f);
	p = process(f, "a");
	assert_int_equal(p->counters.nr, 41);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(PROCESS_ITEM(f->m, &p->counters, counter_item, i)->count, 200 + i);
	assert_int_equal(process(f, "e")->counters.nr, 3);
}

static void a_pid_counts_as_gone_only_if_it_was_seen(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "a", 0, "");
	script_event(&f->s, "start", "b", 0, "");
	script_pid(&f->s, true, "a", 7);
	script_pid(&f->s, false, "a", 7);
	script_pid(&f->s, false, "b", 8);
	script_pid(&f->s, false, "never", 9);
	make(f);
	assert_int_equal(process(f, "a")->state, STATE_LOST);
	assert_int_equal(process(f, "b")->state, STATE_RUNNING);
	assert_int_equal(model_totals(f->m)->processes, 2);
}

static void process_whose_pid_exited_for_its_parent_is_lost(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "p/x-P0000000a", 1, "");
	script_event(&f->s, "start", "p/y-P0000000b", 1, "");
	script_event(&f->s, "child_start", "p", 0, "'child_id':0,'argv':[]");
	script_event(&f->s, "child_exit", "p", 2, "'child_id':0,'pid':10,'code':1,'t_rel':2.0");
	script_event(&f->s, "child_start", "p", 0, "'child_id':1,'argv':[]");
	script_event(&f->s, "child_ready", "p", 2,
		     "'child_id':1,'pid':11,'ready':'ready','t_rel':2.0");
	make(f);
	assert_int_equal(process(f, "p/x-P0000000a")->state, STATE_LOST);
	assert_int_equal(process(f, "p/y-P0000000b")->state, STATE_RUNNING);
	assert_int_equal(process_child(f->m, process(f, "p"), 1)->state, CHILD_READY);
}

static void enter(struct fixture *f, const char *label, double at, int nesting)
{
	char more[128];

	snprintf(more, sizeof(more), "'nesting':%d,'category':'c','label':'%s'", nesting, label);
	script_event(&f->s, "region_enter", "a", at, more);
}

static void leave(struct fixture *f, const char *label, double at, double t_rel, int nesting)
{
	char more[160];

	if (t_rel > NONE / 2)
		snprintf(more, sizeof(more),
			 "'t_rel':%.6f,'nesting':%d,'category':'c','label':'%s'", t_rel, nesting,
			 label);
	else
		snprintf(more, sizeof(more), "'nesting':%d,'category':'c','label':'%s'", nesting,
			 label);
	script_event(&f->s, "region_leave", "a", at, more);
}

static void self_is_duration_minus_regions_directly_inside(void **state)
{
	struct fixture *f = *state;

	enter(f, "outer", 0, 1);
	enter(f, "inner", 1, 2);
	enter(f, "deep", 1, 3);
	leave(f, "deep", 2, 0.5, 3);
	leave(f, "inner", 3, 2.0, 2);
	enter(f, "inner", 3, 2);
	leave(f, "inner", 4, 1.0, 2);
	leave(f, "outer", 10, 10.0, 1);
	make(f);
	assert_ns(timing(f, "c", "outer", ALL).self, 7.0);
	assert_ns(timing(f, "c", "inner", ALL).self, 2.5);
	assert_ns(timing(f, "c", "inner", ALL).total, 3.0);
	assert_ns(timing(f, "c", "inner", ALL).min, 1.0);
	assert_ns(timing(f, "c", "inner", ALL).max, 2.0);
	assert_int_equal(timing(f, "c", "inner", ALL).count, 2);
	assert_int_equal(process(f, "a")->nr_regions, 4);
	assert_int_equal(process_thread(f->m, process(f, "a"), 0)->max_nesting, 3);
}

static void self_is_never_below_zero(void **state)
{
	struct fixture *f = *state;

	enter(f, "outer", 0, 1);
	enter(f, "inner", 0, 2);
	leave(f, "inner", 1, 5.0, 2);
	leave(f, "outer", 1, 1.0, 1);
	make(f);
	assert_ns(timing(f, "c", "outer", ALL).self, 0);
}

static void a_leave_closes_the_innermost_but_counts_under_its_own_label(void **state)
{
	struct fixture *f = *state;

	enter(f, "x", 0, 1);
	enter(f, "y", 1, 2);
	leave(f, "x", 2, 2.0, 1);
	leave(f, "y", 3, 2.5, 2);
	make(f);
	assert_int_equal(timing(f, "c", "x", ALL).count, 1);
	assert_ns(timing(f, "c", "x", ALL).total, 2.0);
	assert_ns(timing(f, "c", "y", ALL).total, 2.5);
	assert_ns(timing(f, "c", "y", ALL).self, 0.5);
	assert_int_equal(process_thread(f->m, process(f, "a"), 0)->open.nr, 0);
}

static void a_leave_with_none_open_counts_by_its_own_time(void **state)
{
	struct fixture *f = *state;

	leave(f, "x", 2, 2.0, 0);
	leave(f, "x", 2, NONE, 0);
	make(f);
	assert_int_equal(timing(f, "c", "x", ALL).count, 2);
	assert_ns(timing(f, "c", "x", ALL).total, 2.0);
	assert_ns(timing(f, "c", "x", ALL).min, 0);
}

static void without_t_rel_the_clock_is_used_and_negative_is_zero(void **state)
{
	struct fixture *f = *state;

	enter(f, "x", 1, 1);
	leave(f, "x", 3.5, NONE, 1);
	enter(f, "y", 3, 1);
	leave(f, "y", 1, NONE, 1);
	enter(f, "z", 3, 1);
	leave(f, "z", 4, -2.0, 1);
	make(f);
	assert_ns(timing(f, "c", "x", ALL).total, 2.5);
	assert_ns(timing(f, "c", "y", ALL).total, 0);
	assert_int_equal(timing(f, "c", "y", ALL).count, 1);
	assert_ns(timing(f, "c", "z", ALL).total, 0);
	assert_int_equal(timing(f, "c", "z", ALL).count, 1);
}

static void open_regions_stay_open_after_the_exit(void **state)
{
	struct fixture *f = *state;

	enter(f, "x", 1, 1);
	enter(f, "y", 2, 2);
	make(f);
	assert_int_equal(process(f, "a")->nr_open, 2);
	script_event(&f->s, "thread_exit", "a", 3, "'t_rel':3.0");
	script_event(&f->s, "atexit", "a", 3, "'t_abs':3.0,'code':0");
	make(f);
	const struct thread *t = process_thread(f->m, process(f, "a"), 0);

	assert_int_equal(t->open.nr, 2);
	assert_true(script_sym_is(f->m, thread_open(f->m, t, 0)->label, "x"));
	assert_true(script_sym_is(f->m, thread_open(f->m, t, 1)->label, "y"));
	assert_true(t->exited);
	assert_ns(t->elapsed, 3.0);
	assert_int_equal(model_totals(f->m)->regions, 0);
	assert_int_equal(timing(f, "c", "x", ALL).count, 0);
}

static void threads_have_stacks_of_their_own(void **state)
{
	struct fixture *f = *state;

	enter(f, "x", 0, 1);
	script_event(&f->s, "region_enter", "a", 1,
		     "'thread':'th01:w','nesting':1,'category':'c','label':'w'");
	leave(f, "x", 2, 2.0, 1);
	script_event(&f->s, "region_leave", "a", 4,
		     "'thread':'th01:w','nesting':1,'category':'c','label':'w'");
	make(f);
	assert_ns(timing(f, "c", "w", ALL).total, 3.0);
	assert_ns(timing(f, "c", "x", ALL).self, 2.0);
	assert_int_equal(model_totals(f->m)->threads, 2);
}

static void regions_without_names_have_a_row_of_their_own(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "region_enter", "a", 0, "'nesting':1");
	script_event(&f->s, "region_leave", "a", 1, "'nesting':1,'t_rel':1.0");
	script_event(&f->s, "region_enter", "a", 0, "'nesting':1,'category':'','label':''");
	script_event(&f->s, "region_leave", "a", 1,
		     "'nesting':1,'t_rel':2.0,'category':'','label':''");
	make(f);
	assert_ns(timing(f, NULL, NULL, ALL).total, 1.0);
	assert_ns(timing(f, "", "", ALL).total, 2.0);
}

static void the_nesting_limit_gives_the_figures_of_a_shallower_trace(void **state)
{
	struct fixture *f = *state;
	struct timing_limits two = { 2, -1 };

	enter(f, "one", 0, 1);
	enter(f, "two", 1, 2);
	enter(f, "three", 1, 3);
	script_event(&f->s, "data", "a", 1,
		     "'t_abs':1,'t_rel':1,'nesting':4,'category':'c','key':'k','value':'v'");
	leave(f, "three", 2, 0.5, 3);
	leave(f, "two", 3, 2.0, 2);
	leave(f, "one", 9, 9.0, 1);
	make(f);
	assert_ns(timing(f, "c", "two", &two).self, 2.0);
	assert_ns(timing(f, "c", "two", ALL).self, 1.5);
	assert_ns(timing(f, "c", "one", &two).self, 7.0);
	assert_int_equal(timing(f, "c", "three", &two).count, 0);
	model_free(f->m);
	f->m = script_model(&f->s, 2, 0);
	assert_ns(timing(f, "c", "two", ALL).self, 2.0);
	assert_int_equal(timing(f, "c", "three", ALL).count, 0);
	assert_int_equal(model_totals(f->m)->regions, 2);
	assert_int_equal(model_totals(f->m)->events, 7);
	assert_int_equal(model_event_count(f->m, TR2_E_REGION_ENTER), 3);
	assert_int_equal(process(f, "a")->data.nr, 0);
	assert_int_equal(process_thread(f->m, process(f, "a"), 0)->max_nesting, 2);
}

static void timings_are_limited_by_depth(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "region_leave", "r", 1, "'t_rel':1.0,'category':'c','label':'l'");
	script_event(&f->s, "region_leave", "r/s", 1, "'t_rel':2.0,'category':'c','label':'l'");
	make(f);
	assert_ns(timing(f, "c", "l", &(struct timing_limits){ -1, 0 }).total, 1.0);
	assert_ns(timing(f, "c", "l", ALL).total, 3.0);
}

static void failed_counts_regions_of_failed_processes(void **state)
{
	struct fixture *f = *state;

	leave(f, "x", 1, 1.0, 1);
	leave(f, "x", 1, 1.0, 1);
	script_event(&f->s, "region_leave", "b", 1, "'t_rel':1.0,'category':'c','label':'x'");
	script_event(&f->s, "exit", "a", 1, "'code':1");
	make(f);
	assert_int_equal(timing(f, "c", "x", ALL).failed, 2);
	leave(f, "x", 1, 1.0, 1); /* a late event, in a process that failed */
	script_event(&f->s, "atexit", "b", 1, "'code':2");
	make(f);
	assert_int_equal(timing(f, "c", "x", ALL).failed, 4);
	script_event(&f->s, "atexit", "a", 1, "'code':0");
	make(f);
	assert_int_equal(timing(f, "c", "x", ALL).failed, 1);
}

static void a_thread_keeps_a_tree_of_its_regions(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		enter(f, "outer", 0, 1);
		enter(f, "inner", 0, 2);
		leave(f, "inner", 1, 1.0, 2);
		leave(f, "outer", 2, 2.0, 1);
	}
	make(f);
	const struct thread *t = process_thread(f->m, process(f, "a"), 0);
	const struct region_node *outer = model_node(f->m, t->nodes);

	assert_int_equal(t->nr_nodes, 2);
	assert_int_equal(outer->count, 3);
	assert_int_equal(outer->sibling, 0);
	assert_int_equal(model_node(f->m, outer->child)->count, 3);
	assert_int_equal(model_node(f->m, outer->child)->parent, t->nodes);
	assert_ns(outer->self, 3.0);
}

static void children_are_linked_by_pid_before_time(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "child_start", "p", 0, "'child_id':0,'argv':['a']");
	script_event(&f->s, "child_exit", "p", 2, "'child_id':0,'pid':1,'code':0,'t_rel':2.0");
	script_event(&f->s, "child_start", "p", 5, "'child_id':1,'argv':['b']");
	script_event(&f->s, "child_exit", "p", 9, "'child_id':1,'pid':10,'code':0,'t_rel':4.0");
	/* The SID has pid 10, that of child 1, but the process starts during child 0. */
	script_event(&f->s, "start", "p/x-P0000000a", 1, "");
	/* the process starts during child 0 */
	script_event(&f->s, "start", "p/y-P000000ff", 1, "");
	/* the process starts during no child */
	script_event(&f->s, "start", "p/z-P000000fe", 3, "");
	make(f);
	const struct process *p = process(f, "p");

	assert_int_equal(process(f, "p/x-P0000000a")->link, 1);
	assert_int_equal(process(f, "p/y-P000000ff")->link, 0);
	assert_int_equal(process(f, "p/z-P000000fe")->link, SLOT_NONE);
	assert_int_equal(process_child(f->m, p, 1)->process,
			 model_find_sid(f->m, "p/x-P0000000a", 13));
	assert_int_equal(process_child(f->m, p, 0)->process, SLOT_NONE);
	assert_int_equal(process_child(f->m, p, 0)->nr_processes, 1);
}

static void two_children_at_one_time_are_not_linked_without_a_pid(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "child_start", "p", 0, "'child_id':0,'argv':[]");
	script_event(&f->s, "child_start", "p", 1, "'child_id':1,'argv':[]");
	script_event(&f->s, "start", "p/x", 2, "");
	script_event(&f->s, "start", "p/y", 0.5, "");
	make(f);
	assert_int_equal(process(f, "p/x")->link, SLOT_NONE);
	assert_int_equal(process(f, "p/y")->link, 0);
}

static void a_start_at_the_end_of_a_childs_time_is_inside(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "child_start", "p", 1, "'child_id':0,'argv':[]");
	script_event(&f->s, "child_exit", "p", 2, "'child_id':0,'pid':1,'code':0");
	script_event(&f->s, "start", "p/x", 1, "");
	script_event(&f->s, "start", "p/y", 2, "");
	make(f);
	assert_int_equal(process(f, "p/x")->link, 0);
	assert_int_equal(process(f, "p/y")->link, 0);
}

static void an_exit_without_a_start_makes_a_child(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "child_exit", "p", 1, "'child_id':4,'pid':3,'code':9,'t_rel':0.5");
	make(f);
	const struct child *c = process_child(f->m, process(f, "p"), 0);

	assert_int_equal(c->child_id, 4);
	assert_int_equal(c->state, CHILD_EXITED);
	assert_int_equal(c->code, 9);
	assert_ns(c->elapsed, 0.5);
	assert_false(c->argv.known);
	assert_int_equal(c->use_shell, -1);
	assert_int_equal(model_totals(f->m)->children, 1);
}

static void a_child_that_was_ready_may_exit(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "child_start", "p", 0,
		     "'child_id':0,'child_class':'hook','hook_name':'pre-commit','cd':'/d',"
		     "'use_shell':true,'argv':['h']");
	script_event(&f->s, "child_ready", "p", 1,
		     "'child_id':0,'pid':9,'ready':'timeout','t_rel':1.0");
	make(f);
	const struct child *c = process_child(f->m, process(f, "p"), 0);

	assert_int_equal(c->state, CHILD_READY);
	assert_true(script_sym_is(f->m, c->hook, "pre-commit"));
	assert_int_equal(c->use_shell, 1);
	assert_true(c->has_cd);
	script_event(&f->s, "child_exit", "p", 2, "'child_id':0,'pid':9,'code':0,'t_rel':2.0");
	make(f);
	c = process_child(f->m, process(f, "p"), 0);
	assert_int_equal(c->state, CHILD_EXITED);
	assert_true(c->has_ready);
	assert_ns(c->ready_elapsed, 1.0);
}

static void a_parent_that_comes_later_finds_its_children(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "p/x/deep", 1, "");
	script_event(&f->s, "start", "p/x", 1, "");
	script_event(&f->s, "start", "p/y", 1, "");
	make(f);
	assert_int_equal(process(f, "p/x")->parent, SLOT_NONE);
	script_event(&f->s, "start", "p", 0, "");
	make(f);
	uint32_t p = model_find_sid(f->m, "p", 1), x = model_find_sid(f->m, "p/x", 3);

	assert_int_equal(process(f, "p/x")->parent, p);
	assert_int_equal(process(f, "p/y")->parent, p);
	assert_int_equal(process(f, "p/x/deep")->parent, x);
	assert_int_equal(model_first_root(f->m), p);
	assert_int_equal(model_next_sibling(f->m, p), SLOT_NONE);
}

static void walks_a_tree_with_parents_before_children(void **state)
{
	static const char *const sids[] = { "p", "p/x", "p/x/deep", "p/x/deep/er", "p/y", "p/z" };
	static const uint32_t levels[] = { 0, 1, 2, 3, 1, 1 };
	struct fixture *f = *state;
	uint32_t root, level = 0, nr = 0;
	bool seen[6] = { false };

	for (int i = 0; i < 6; i++)
		script_event(&f->s, "start", sids[i], i, "");
	script_event(&f->s, "start", "other", 7, "");
	make(f);
	root = model_find_sid(f->m, "p", 1);
	for (uint32_t s = root; s != SLOT_NONE; s = model_tree_next(f->m, root, s, &level), nr++) {
		const struct process *p = model_slot(f->m, s);
		int i = 0;

		while (i < 6 && process(f, sids[i]) != p)
			i++;
		assert_in_range(i, 0, 5);
		assert_false(seen[i]);
		seen[i] = true;
		assert_int_equal(level, levels[i]);
		assert_true(s == root || model_slot(f->m, p->parent)->nr_events);
	}
	assert_int_equal(nr, 6);
	root = model_find_sid(f->m, "p/x/deep/er", 11);
	assert_int_equal(model_tree_next(f->m, root, root, NULL), SLOT_NONE);
	root = model_find_sid(f->m, "p/x", 3);
	nr = 0;
	for (uint32_t s = root; s != SLOT_NONE; s = model_tree_next(f->m, root, s, NULL))
		nr++;
	assert_int_equal(nr, 3);
}

static void data_errors_params_timers_and_counters_are_listed(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "error", "a", 0, "'msg':'bad thing','fmt':'bad %s'");
	script_event(&f->s, "def_param", "a", 0, "'scope':'local','param':'k','value':'v'");
	script_event(&f->s, "def_param", "a", 0, "'param':'unset'");
	script_event(
		&f->s, "data_json", "a", 0,
		"'t_abs':1,'t_rel':0.5,'nesting':2,'category':'c','key':'k','value':{'x':[1]}");
	script_event(&f->s, "th_timer", "a", 0,
		     "'category':'c','name':'n','intervals':3,'t_total':1,'t_min':0.1,'t_max':0.5");
	script_event(&f->s, "counter", "a", 0, "'category':'c','name':'n','count':-1");
	make(f);
	const struct process *p = process(f, "a");

	assert_int_equal(p->nr_errors, 1);
	assert_int_equal(model_totals(f->m)->errors, 1);
	assert_int_equal(PROCESS_ITEM(f->m, &p->errors, error_item, 0)->msg.len, 9);
	assert_true(PROCESS_ITEM(f->m, &p->params, param_item, 0)->has_value);
	assert_false(PROCESS_ITEM(f->m, &p->params, param_item, 1)->has_value);
	assert_true(PROCESS_ITEM(f->m, &p->data, data_item, 0)->is_json);
	assert_int_equal(PROCESS_ITEM(f->m, &p->data, data_item, 0)->value.len, 9);
	assert_true(PROCESS_ITEM(f->m, &p->timers, timer_item, 0)->of_thread);
	assert_ns(PROCESS_ITEM(f->m, &p->timers, timer_item, 0)->max, 0.5);
	assert_false(PROCESS_ITEM(f->m, &p->counters, counter_item, 0)->of_thread);
	assert_int_equal(PROCESS_ITEM(f->m, &p->counters, counter_item, 0)->count, -1);
}

static void a_reader_may_set_parent_pid_and_host(void **state)
{
	struct fixture *f = *state;

	script_event(&f->s, "start", "top", 0, "");
	script_about(&f->s, "child", "top", "box", 7);
	script_event(&f->s, "start", "child", 1, "");
	/* A late ABOUT record fills in unknown values, except the parent. */
	script_event(&f->s, "start", "late", 1, "");
	script_about(&f->s, "late", "top", "a-host-of-a-long-name", 8);
	/* Pid and host in the SID take precedence. */
	script_about(&f->s, "20260102T122842.123456Z-H0123abcd-P0000000a", NULL, "box", 9);
	make(f);
	uint32_t top = model_find_sid(f->m, "top", 3);

	assert_int_equal(process(f, "child")->parent, top);
	assert_int_equal(process(f, "child")->depth, 1);
	assert_int_equal(process(f, "child")->pid, 7);
	assert_string_equal(process(f, "child")->host, "box");
	assert_int_equal(process(f, "late")->parent, SLOT_NONE);
	assert_int_equal(process(f, "late")->depth, 0);
	assert_int_equal(process(f, "late")->pid, 8);
	assert_string_equal(process(f, "late")->host, "a-host-of-a");
	assert_int_equal(process(f, "20260102T122842.123456Z-H0123abcd-P0000000a")->pid, 10);
	assert_string_equal(process(f, "20260102T122842.123456Z-H0123abcd-P0000000a")->host,
			    "H0123abcd");
}

static uint32_t nr_below(const struct model *m, uint32_t slot)
{
	uint32_t nr = 0;

	for (; slot != SLOT_NONE; slot = model_next_sibling(m, slot))
		nr += 1 + nr_below(m, model_slot(m, slot)->first_child);
	return nr;
}

static void given_parents_make_no_cycle(void **state)
{
	struct fixture *f = *state;

	script_about(&f->s, "self", "self", NULL, NUM_NONE);
	script_about(&f->s, "a", "b", NULL, NUM_NONE);
	script_about(&f->s, "b", "c", NULL, NUM_NONE);
	script_about(&f->s, "c", "a", NULL, NUM_NONE);
	script_event(&f->s, "start", "d/x", 0, "");
	script_about(&f->s, "d", "d/x", NULL, NUM_NONE);
	make(f);
	assert_int_equal(process(f, "self")->parent, SLOT_NONE);
	assert_false(process(f, "self")->has_parent);
	/* Each process is in the tree once. */
	assert_int_equal(nr_below(f->m, model_first_root(f->m)), 6);
	assert_int_equal(process(f, "b")->parent, SLOT_NONE);
	assert_int_equal(process(f, "a")->parent, model_find_sid(f->m, "b", 1));
	assert_int_equal(process(f, "d")->parent, model_find_sid(f->m, "d/x", 3));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_event_makes_its_process_and_thread_known),
		TEST(an_unknown_event_is_counted_by_its_name),
		TEST(a_thread_without_a_name_is_a_thread),
		TEST(pid_and_host_come_from_the_last_component),
		TEST(the_last_value_of_each_attribute_is_kept),
		TEST(the_last_of_exit_atexit_and_signal_sets_the_state),
		TEST(without_an_end_elapsed_is_last_time_minus_first),
		TEST(an_exec_replaces_unless_it_fails),
		TEST(records_of_trace2top_create_no_process),
		TEST(two_starts_with_one_sid_are_one_process),
		TEST(process_whose_connection_ended_is_lost),
		TEST(process_that_reconnects_is_not_lost),
		TEST(a_pid_counts_as_gone_only_if_it_was_seen),
		TEST(process_whose_pid_exited_for_its_parent_is_lost),
		TEST(self_is_duration_minus_regions_directly_inside),
		TEST(self_is_never_below_zero),
		TEST(a_leave_closes_the_innermost_but_counts_under_its_own_label),
		TEST(a_leave_with_none_open_counts_by_its_own_time),
		TEST(without_t_rel_the_clock_is_used_and_negative_is_zero),
		TEST(open_regions_stay_open_after_the_exit),
		TEST(threads_have_stacks_of_their_own),
		TEST(regions_without_names_have_a_row_of_their_own),
		TEST(the_nesting_limit_gives_the_figures_of_a_shallower_trace),
		TEST(timings_are_limited_by_depth),
		TEST(failed_counts_regions_of_failed_processes),
		TEST(a_thread_keeps_a_tree_of_its_regions),
		TEST(children_are_linked_by_pid_before_time),
		TEST(two_children_at_one_time_are_not_linked_without_a_pid),
		TEST(a_start_at_the_end_of_a_childs_time_is_inside),
		TEST(an_exit_without_a_start_makes_a_child),
		TEST(a_child_that_was_ready_may_exit),
		TEST(about_has_the_format),
		TEST(process_whose_trace_ended_is_untraced),
		TEST(repeated_sums_replace_earlier_ones),
		TEST(a_parent_that_comes_later_finds_its_children),
		TEST(walks_a_tree_with_parents_before_children),
		TEST(a_reader_may_set_parent_pid_and_host),
		TEST(given_parents_make_no_cycle),
		TEST(data_errors_params_timers_and_counters_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
