/* SPDX-License-Identifier: MIT */
/* Tests of parts of the wall time: small traces worked out by hand, and invariants for random
 * traces. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/blocks.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/path.h"
#include "tests/journal_script.h"

#define MS NS_PER_MS
#define T0 ((ns_t)SCRIPT_T0_SECONDS * NS_PER_SEC)

struct parts_test_fixture {
	struct script s;
	struct model *m;
	struct analysis what;
	struct parts_of of;
	struct parts parts;
	struct tr2_buf line;
};

static int parts_test_setup(void **state)
{
	struct parts_test_fixture *f = calloc(1, sizeof(*f));

	script_init(&f->s);
	script_stream(&f->s, 1, 0, true);
	tr2_buf_init(&f->line, 1 << 16);
	f->of = (struct parts_of){ .begun = NS_NONE, .wall = NS_NONE };
	*state = f;
	return 0;
}

static int parts_test_teardown(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_release(&f->parts);
	model_free(f->m);
	script_release(&f->s);
	tr2_buf_release(&f->line);
	free(f);
	return 0;
}

static void parts_test_holds(const struct parts *parts)
{
	ns_t at = 0, sum = 0;
	uint64_t pieces = 0;

	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct piece *piece = &parts->pieces[i], *last = piece - 1;

		assert_int_equal(piece->begin, at);
		assert_true(piece->time > 0);
		assert_true(piece->part < parts->nr);
		assert_false(i && last->part == piece->part && last->slot == piece->slot);
		at += piece->time;
	}
	assert_int_equal(at, parts->wall);
	for (uint32_t i = 0; i < parts->nr; i++) {
		sum += parts->items[i].time;
		pieces += parts->items[i].pieces;
		assert_true(!i || parts->items[i - 1].time >= parts->items[i].time);
	}
	assert_int_equal(sum, parts->wall);
	assert_int_equal(pieces, parts->nr_pieces);
}

/* Compute the parts of process `sid` (NULL: of all), at `now` seconds; SCRIPT_NO_TIME: the trace
 * has ended. */
static void make_at(struct parts_test_fixture *f, const char *sid, double now)
{
	if (!f->m)
		f->m = script_model(&f->s, -1, 0);
	f->of.slot = sid ? model_find_sid(f->m, sid, strlen(sid)) : SLOT_NONE;
	assert_true(!sid || f->of.slot != SLOT_NONE);
	f->of.all_over = now == SCRIPT_NO_TIME;
	f->what.model = f->m;
	f->what.now = f->of.all_over ? NS_NONE : T0 + script_seconds(now);
	if (!f->what.limits.depth)
		f->what.limits = (struct timing_limits){ -1, -1 };
	parts_make(&f->parts, &f->what, &f->of);
	parts_test_holds(&f->parts);
}

static void parts_test_make(struct parts_test_fixture *f, const char *sid)
{
	make_at(f, sid, SCRIPT_NO_TIME);
}

/* Return the milliseconds of all parts named `label`; set `count` to the number of pieces. */
static double part_ms(struct parts_test_fixture *f, const char *label, uint64_t *count)
{
	ns_t time = 0;

	*count = 0;
	for (uint32_t i = 0; i < f->parts.nr; i++) {
		tr2_buf_clear(&f->line);
		part_format(&f->parts, f->m, &f->parts.items[i], &f->line);
		if (strcmp(tr2_buf_cstr(&f->line), label) != 0)
			continue;
		time += f->parts.items[i].time;
		*count += f->parts.items[i].pieces;
	}
	return (double)time / MS;
}

struct want {
	const char *label;
	double ms;
};

static void want(struct parts_test_fixture *f, const struct want *wanted, size_t nr)
{
	ns_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t count;
		double ms = part_ms(f, wanted[i].label, &count);

		if (ms < wanted[i].ms - 0.0001 || ms > wanted[i].ms + 0.0001) {
			for (uint32_t p = 0; p < f->parts.nr; p++) {
				tr2_buf_clear(&f->line);
				part_format_whole(&f->parts, f->m, &f->parts.items[p], &f->line);
				print_message("%s: %g ms\n", tr2_buf_cstr(&f->line),
					      (double)f->parts.items[p].time / MS);
			}
			fail_msg("%s: %g ms, not %g", wanted[i].label, ms, wanted[i].ms);
		}
		sum += script_seconds(wanted[i].ms / 1e3);
	}
	assert_int_equal(sum, f->parts.wall);
}

#define WANT(f, ...)                                                                               \
	want(f, (const struct want[]){ __VA_ARGS__ },                                              \
	     sizeof((const struct want[]){ __VA_ARGS__ }) / sizeof(struct want))

/* Begin a process whose clock began 1 ms before `at`. */
static void parts_test_begin(struct parts_test_fixture *f, const char *sid, double at,
			     const char *name)
{
	char more[100];

	script_event(&f->s, "version", sid, at, "'evt':'3','exe':'2.39.5'");
	snprintf(more, sizeof(more), "'t_abs':0.001,'argv':['git','%s']", name);
	script_event(&f->s, "start", sid, at, more);
	snprintf(more, sizeof(more), "'name':'%s','hierarchy':'%s'", name, name);
	script_event(&f->s, "cmd_name", sid, at, more);
}

static void parts_test_end(struct parts_test_fixture *f, const char *sid, double at, double t_abs)
{
	char more[100];

	snprintf(more, sizeof(more), "'t_abs':%.6f,'code':0", t_abs);
	script_event(&f->s, "exit", sid, at, more);
	script_event(&f->s, "atexit", sid, at, more);
}

static void parts_test_enter(struct parts_test_fixture *f, const char *sid, double at, int nesting,
			     const char *label)
{
	char more[100];

	snprintf(more, sizeof(more), "'nesting':%d,'category':'c','label':'%s'", nesting, label);
	script_event(&f->s, "region_enter", sid, at, more);
}

static void parts_test_leave(struct parts_test_fixture *f, const char *sid, double at, int nesting,
			     const char *label, double t_rel)
{
	char more[120];

	snprintf(more, sizeof(more), "'t_rel':%.6f,'nesting':%d,'category':'c','label':'%s'", t_rel,
		 nesting, label);
	script_event(&f->s, "region_leave", sid, at, more);
}

static void child(struct parts_test_fixture *f, const char *sid, double at, int id,
		  const char *program)
{
	char more[200];

	snprintf(more, sizeof(more), "'child_id':%d,'child_class':'?','argv':['%s']", id, program);
	script_event(&f->s, "child_start", sid, at, more);
}

static void parts_test_child_end(struct parts_test_fixture *f, const char *sid, double at, int id,
				 int pid, double t_rel)
{
	char more[120];

	snprintf(more, sizeof(more), "'child_id':%d,'pid':%d,'code':0,'t_rel':%.6f", id, pid,
		 t_rel);
	script_event(&f->s, "child_exit", sid, at, more);
}

#define P  "20260102T030400.000000Z-Habcdef01-P00000001"
#define C  P "/20260102T030400.002000Z-Habcdef01-P00000032"
#define C2 P "/20260102T030400.003000Z-Habcdef01-P00000033"

static void other_threads_run_in_parallel(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "checkout");
	parts_test_enter(f, P, 0.002, 1, "a");
	script_event(&f->s, "thread_start", P, 0.003, "'thread':'th01:work'");
	script_event(&f->s, "region_enter", P, 0.003,
		     "'thread':'th01:work','nesting':1,'category':'c','label':'other'");
	/* A child of a thread that was announced by thread_start also runs in parallel. */
	script_event(&f->s, "child_start", P, 0.003,
		     "'thread':'th01:work','child_id':5,'child_class':'?','argv':['beside']");
	script_event(&f->s, "child_exit", P, 0.005,
		     "'thread':'th01:work','child_id':5,'pid':9,'code':0,'t_rel':0.002");
	script_event(
		&f->s, "region_leave", P, 0.006,
		"'thread':'th01:work','t_rel':0.003,'nesting':1,'category':'c','label':'other'");
	script_event(&f->s, "thread_exit", P, 0.007, "'thread':'th01:work','t_rel':0.004");
	parts_test_leave(f, P, 0.008, 1, "a", 0.006);
	parts_test_end(f, P, 0.010, 0.010);
	parts_test_make(f, P);
	WANT(f, { "c/a", 6 }, { "in no region", 3 }, { "start of checkout", 1 });
}

static void child_without_exit_holds_until_it_is_ready(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "status");
	script_event(&f->s, "child_start", P, 0.002,
		     "'child_id':0,'child_class':'background','argv':['git','fsmonitor--daemon']");
	script_event(&f->s, "child_ready", P, 0.006,
		     "'child_id':0,'pid':70,'ready':'ready','t_rel':0.004");
	parts_test_end(f, P, 0.010, 0.010);
	parts_test_make(f, P);
	WANT(f, { "git fsmonitor--daemon", 4 }, { "in no region", 5 }, { "start of status", 1 });
}

static void child_without_exit_in_an_ended_parent_holds_no_time(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "status");
	child(f, P, 0.002, 0, "x");
	child(f, P, 0.004, 1, "y");
	parts_test_child_end(f, P, 0.006, 1, 7, 0.002);
	parts_test_end(f, P, 0.010, 0.010);
	parts_test_make(f, P);
	WANT(f, { "y", 2 }, { "in no region", 7 }, { "start of status", 1 });
}

/* A process forked, and both processes wrote to one session. */
static void second_atexit_belongs_to_a_daemon(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "daemon");
	parts_test_enter(f, P, 0.002, 1, "a");
	parts_test_leave(f, P, 0.004, 1, "a", 0.002);
	parts_test_end(f, P, 0.005, 0.005);
	parts_test_enter(f, P, 0.006, 1, "late");
	parts_test_leave(f, P, 0.009, 1, "late", 0.003);
	script_event(&f->s, "atexit", P, 0.010, "'t_abs':0.010,'code':0");
	parts_test_make(f, P);
	WANT(f, { "c/a", 2 }, { "in no region", 2 }, { "start of daemon", 1 });
}

static void a_process_that_outlives_its_exit_is_clipped(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "fetch");
	child(f, P, 0.002, 0, "git");
	parts_test_begin(f, C, 0.003, "gc");
	parts_test_enter(f, C, 0.004, 1, "long");
	parts_test_leave(f, C, 0.020, 1, "long", 0.016);
	parts_test_end(f, C, 0.021, 0.019);
	parts_test_child_end(f, P, 0.010, 0, 0x32, 0.008);
	parts_test_end(f, P, 0.011, 0.011);
	parts_test_make(f, P);
	WANT(f, { "start of fetch", 1 }, { "in no region", 3 }, { "start of gc", 1 },
	     { "c/long", 6 });
}

static void first_to_begin_counts_for_equal_ends(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "first");
	child(f, P, 0.003, 1, "second");
	parts_test_child_end(f, P, 0.008, 1, 71, 0.005);
	parts_test_child_end(f, P, 0.008, 0, 70, 0.006);
	parts_test_end(f, P, 0.009, 0.009);
	parts_test_make(f, P);
	WANT(f, { "first", 6 }, { "in no region", 2 }, { "start of x", 1 });
}

static void reused_pid_is_another_process(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "sh");
	parts_test_begin(f, C, 0.004, "a"); /* process a lasts from 3 to 6 ms */
	parts_test_end(f, C, 0.006, 0.003);
	parts_test_begin(f, C2, 0.008, "b"); /* process b lasts from 7 to 9 ms */
	parts_test_end(f, C2, 0.009, 0.002);
	parts_test_child_end(f, P, 0.012, 0, 0x32, 0.010);
	parts_test_end(f, P, 0.013, 0.013);
	parts_test_make(f, P);
	/* This child has several processes: the time outside them is untraced. */
	WANT(f, { "start of x", 1 }, { "in no region", 2 + 2 + 1 }, { "start of a", 1 },
	     { "start of b", 1 }, { "sh", 5 });
}

static void ambiguous_processes_leave_children_untraced(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "one");
	child(f, P, 0.0025, 1, "two");
	parts_test_begin(f, C, 0.004, "a");
	parts_test_end(f, C, 0.006, 0.003);
	parts_test_child_end(f, P, 0.012, 0, 70, 0.010);
	parts_test_child_end(f, P, 0.013, 1, 71, 0.0105);
	parts_test_end(f, P, 0.014, 0.014);
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 2 }, { "two", 10.5 }, { "one", 0.5 });
	for (uint32_t i = 0; i < f->parts.nr; i++) {
		if (f->parts.items[i].kind != PART_UNTRACED)
			continue;
		tr2_buf_clear(&f->line);
		part_format_whole(&f->parts, f->m, &f->parts.items[i], &f->line);
		assert_non_null(strstr(tr2_buf_cstr(&f->line), ", not traced"));
	}
}

/* B's exit comes before C's start, but with a region between them it did not allow C to start. */
static void exits_release_no_child_across_a_region(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	child(f, P, 0.001, 0, "A");
	child(f, P, 0.001, 1, "B");
	parts_test_child_end(f, P, 0.004, 1, 71, 0.003);
	parts_test_enter(f, P, 0.0041, 1, "r");
	parts_test_leave(f, P, 0.0042, 1, "r", 0.0001);
	child(f, P, 0.0043, 2, "C");
	parts_test_child_end(f, P, 0.006, 0, 70, 0.005);
	parts_test_child_end(f, P, 0.009, 2, 72, 0.0047);
	parts_test_end(f, P, 0.009, 0.009);
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "C", 4.7 }, { "c/r", 0.1 }, { "A", 3.2 });
}

static void positions_are_limited_by_the_next_t_abs(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	parts_test_enter(f, P, 0.002, 1, "a");
	/* The wall time is ahead by 100 ms, too little for a clock that was set, so t_abs
	 * decides. */
	script_event(&f->s, "cmd_mode", P, 0.105, "'name':'m'");
	parts_test_leave(f, P, 0.107, 1, "a", 0.004);
	parts_test_enter(f, P, 0.108, 1, "b");
	script_event(
		&f->s, "data", P, 0.109,
		"'t_abs':0.008,'t_rel':0.001,'nesting':2,'category':'c','key':'k','value':'1'");
	parts_test_leave(f, P, 0.110, 1, "b", 0.002);
	parts_test_end(f, P, 0.010, 0.010);
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 1 }, { "c/a", 6 }, { "c/b", 2 });
}

static void unended_processes_last_until_now(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "fetch");
	child(f, P, 0.002, 0, "ssh");
	parts_test_begin(f, C, 0.004, "gc");
	parts_test_enter(f, C, 0.005, 1, "r");
	make_at(f, P, 0.020);
	assert_true(f->parts.live);
	assert_false(f->parts.ended);
	WANT(f, { "start of fetch", 1 }, { "in no region", 1 + 1 }, { "ssh", 1 },
	     { "start of gc", 1 }, { "c/r", 15 });
	/* The trace has ended, so the process lasts until its last event. */
	parts_test_make(f, P);
	assert_false(f->parts.live);
	assert_int_equal(f->parts.wall, 5 * MS);
}

static void all_roots_share_the_axis_of_the_command(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.003, "a"); /* process a lasts from 2 to 6 ms */
	parts_test_end(f, P, 0.006, 0.004);
	parts_test_begin(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.010,
			 "b"); /* process b lasts from 9 to 12 ms */
	parts_test_end(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.012, 0.003);
	parts_test_make(f, NULL);
	assert_int_equal(f->parts.begun, T0 + 2 * MS);
	WANT(f, { "start of a", 1 }, { "in no region", 3 + 2 }, { "start of b", 1 },
	     { "while nothing traced ran", 3 });
	f->of.begun = T0;
	f->of.wall = 20 * MS;
	parts_test_make(f, NULL);
	WANT(f, { "start of a", 1 }, { "in no region", 3 + 2 }, { "start of b", 1 },
	     { "while nothing traced ran", 13 });
}

static void regions_over_the_limit_count_as_the_outer_region(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	parts_test_enter(f, P, 0.002, 1, "a");
	parts_test_enter(f, P, 0.003, 2, "b");
	child(f, P, 0.004, 0, "y");
	parts_test_child_end(f, P, 0.006, 0, 7, 0.002);
	parts_test_leave(f, P, 0.007, 2, "b", 0.004);
	parts_test_leave(f, P, 0.009, 1, "a", 0.007);
	parts_test_end(f, P, 0.010, 0.010);
	parts_test_make(f, P);
	assert_int_equal(f->parts.nesting, 2);
	assert_true(f->parts.nesting_default);
	assert_int_equal(f->parts.at_limit, 2 * MS);
	WANT(f, { "start of x", 1 }, { "in no region", 2 }, { "c/a", 3 }, { "c/b", 2 }, { "y", 2 });
	f->what.limits = (struct timing_limits){ 1, -1 };
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 2 }, { "c/a", 5 }, { "y", 2 });
	f->what.limits = (struct timing_limits){ 0, -1 };
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 7 }, { "y", 2 });
}

static void exec_without_a_trace_is_untraced(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "git");
	parts_test_begin(f, C, 0.004, "y");
	script_event(&f->s, "exec", C, 0.006, "'exec_id':0,'exe':'less','argv':['less']");
	parts_test_child_end(f, P, 0.010, 0, 0x32, 0.008);
	parts_test_end(f, P, 0.011, 0.011);
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 1 + 1 + 2 }, { "spawn of y", 1 },
	     { "start of y", 1 }, { "less", 4 });
	parts_test_make(f, C);
	WANT(f, { "start of y", 1 }, { "in no region", 2 });
}

static void leave_closes_its_region_and_all_inside(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	parts_test_enter(f, P, 0.002, 1, "a");
	parts_test_enter(f, P, 0.003, 2, "b");
	parts_test_leave(f, P, 0.004, 1, "nobody", 0.001);
	parts_test_leave(f, P, 0.006, 1, "a", 0.004);
	parts_test_end(f, P, 0.010, 0.010);
	parts_test_make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 1 + 4 }, { "c/a", 1 }, { "c/b", 3 });
}

static void sums_over_trees_are_by_key(void **state)
{
	struct parts_test_fixture *f = *state;
	struct parts sum = { 0 };

	parts_test_begin(f, P, 0.001, "a");
	parts_test_enter(f, P, 0.002, 1, "r");
	parts_test_leave(f, P, 0.004, 1, "r", 0.002);
	parts_test_end(f, P, 0.006, 0.006);
	parts_test_begin(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.010, "a");
	parts_test_enter(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.010, 1, "r");
	parts_test_leave(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.013, 1, "r", 0.003);
	parts_test_end(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.013, 0.004);
	parts_test_make(f, P);
	parts_add(&sum, &f->parts);
	parts_test_make(f, "20260102T030400.009000Z-Habcdef01-P00000002");
	parts_add(&sum, &f->parts);
	parts_sort(&sum);
	assert_int_equal(sum.wall, 10 * MS);
	assert_int_equal(sum.nr, 3);
	assert_int_equal(sum.items[0].kind, PART_REGION);
	assert_int_equal(sum.items[0].time, 5 * MS);
	assert_int_equal(sum.items[0].pieces, 2);
	/* The part's process is the one with most of its time. */
	assert_int_equal(sum.items[0].slot, f->of.slot);
	parts_release(&sum);
}

static void path_is_a_tree_in_order_of_time(void **state)
{
	struct parts_test_fixture *f = *state;
	struct path path = { 0 };
	struct path_child held = { 0 };

	parts_test_begin(f, P, 0.001, "fetch");
	child(f, P, 0.005, 0, "git");
	parts_test_begin(f, C, 0.0085, "gc");
	parts_test_end(f, C, 0.023, 0.0155);
	parts_test_child_end(f, P, 0.025, 0, 0x32, 0.020);
	parts_test_end(f, P, 0.026, 0.026);
	parts_test_make(f, P);
	path_make(&path, f->m, &f->parts, f->of.slot, 100);
	assert_int_equal(path.nr, 2 + 1 + 4 + 1);
	assert_int_equal(path.lines[2].piece, SLOT_NONE);
	assert_int_equal(path.lines[2].time, 20 * MS);
	assert_int_equal(path.lines[3].level, 1);
	assert_int_equal(path.lines[7].level, 0);
	held.slot = f->of.slot;
	path_children(&held, 1, f->m, &f->parts, f->of.slot);
	assert_int_equal(held.held, 20 * MS);
	path_make(&path, f->m, &f->parts, f->of.slot, 1);
	assert_int_equal(path.nr_left_out, f->parts.nr_pieces - 1);
	path_release(&path);
}

static void nested_children_have_their_time_on_the_path(void **state)
{
	struct parts_test_fixture *f = *state;
	struct path_child held[3] = { 0 };

	parts_test_begin(f, P, 0.001, "fetch");
	child(f, P, 0.005, 0, "git");
	parts_test_begin(f, C, 0.006, "gc");
	child(f, C, 0.008, 0, "hook");
	parts_test_child_end(f, C, 0.018, 0, 0x77, 0.010);
	parts_test_end(f, C, 0.023, 0.018);
	parts_test_child_end(f, P, 0.025, 0, 0x32, 0.020);
	parts_test_end(f, P, 0.026, 0.026);
	parts_test_make(f, P);
	held[0].slot = held[2].slot = f->of.slot;
	held[1].slot = model_find_sid(f->m, C, strlen(C));
	held[2].index = 9; /* no such child */
	path_children(held, 3, f->m, &f->parts, f->of.slot);
	assert_int_equal(held[0].held, 20 * MS);
	assert_int_equal(held[1].held, 10 * MS);
	assert_int_equal(held[2].held, 0);
	held[0].held = held[1].held = 0;
	make_at(f, NULL, SCRIPT_NO_TIME);
	path_children(held, 2, f->m, &f->parts, SLOT_NONE);
	assert_int_equal(held[0].held, 20 * MS);
	assert_int_equal(held[1].held, 10 * MS);
}

static void blocks_hold(const struct blocks *blocks, ns_t wall)
{
	ns_t at = 0, sums[BLOCK_KINDS + 1] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < blocks->nr; i++) {
		const struct block *block = &blocks->items[i];

		assert_int_equal(block->begin, at);
		assert_true(block->time > 0);
		assert_true(block->kind < blocks->nr_kinds || block->kind == BLOCK_OTHER);
		assert_true(!i || blocks->items[i - 1].kind != block->kind);
		at += block->time;
		sums[block->kind] += block->time;
	}
	assert_int_equal(at, wall);
	for (uint32_t kind = 0; kind <= BLOCK_OTHER; kind++) {
		assert_int_equal(sums[kind], blocks->kinds[kind].time);
		assert_true(!kind || kind == BLOCK_OTHER || sums[kind] <= sums[kind - 1]);
		sum += sums[kind];
	}
	assert_int_equal(sum, wall);
}

static const char *block_names(struct parts_test_fixture *f, struct blocks *blocks)
{
	blocks_make(blocks, f->m, &f->parts, f->of.slot);
	blocks_hold(blocks, f->parts.wall);
	tr2_buf_clear(&f->line);
	for (uint32_t i = 0; i < blocks->nr; i++) {
		tr2_buf_addstr(&f->line, i ? " | " : "");
		block_format(f->m, &f->parts, blocks, blocks->items[i].kind, &f->line);
	}
	return tr2_buf_cstr(&f->line);
}

static void blocks_are_children_in_order_of_time(void **state)
{
	struct parts_test_fixture *f = *state;
	struct blocks blocks = { 0 };
	uint8_t cells[10];

	parts_test_begin(f, P, 0.001, "pull");
	child(f, P, 0.002, 0, "git");
	parts_test_begin(f, C, 0.003, "fetch");
	parts_test_enter(f, C, 0.004, 1, "r");
	parts_test_leave(f, C, 0.007, 1, "r", 0.003);
	parts_test_end(f, C, 0.010, 0.008);
	parts_test_child_end(f, P, 0.010, 0, 0x32, 0.008);
	child(f, P, 0.011, 1, "git");
	parts_test_begin(f, C2, 0.012, "merge");
	parts_test_end(f, C2, 0.020, 0.009);
	parts_test_child_end(f, P, 0.020, 1, 0x33, 0.009);
	parts_test_end(f, P, 0.020, 0.020);
	parts_test_make(f, P);
	assert_string_equal(block_names(f, &blocks), "startup of pull | outside any region | fetch "
						     "| outside any region | merge");
	assert_int_equal(blocks.kinds[0].time, 9 * MS);
	blocks_cells(&blocks, f->parts.wall, cells, 10);
	for (int x = 1; x < 5; x++)
		assert_int_equal(cells[x], 1);
	for (int x = 6; x < 10; x++)
		assert_int_equal(cells[x], 0);
	make_at(f, C, SCRIPT_NO_TIME);
	assert_string_equal(block_names(f, &blocks),
			    "startup of fetch | outside any region | c/r | outside any region");
	blocks_release(&blocks);
}

static void blocks_go_down_to_the_process_with_the_time(void **state)
{
	struct parts_test_fixture *f = *state;
	struct blocks blocks = { 0 };

	parts_test_begin(f, P, 0.001, "alias");
	child(f, P, 0.002, 0, "git");
	parts_test_begin(f, C, 0.003, "status");
	parts_test_enter(f, C, 0.004, 1, "r");
	parts_test_leave(f, C, 0.500, 1, "r", 0.496);
	parts_test_end(f, C, 0.500, 0.498);
	parts_test_child_end(f, P, 0.500, 0, 0x32, 0.498);
	parts_test_end(f, P, 0.500, 0.500);
	parts_test_make(f, P);
	block_names(f, &blocks);
	tr2_buf_clear(&f->line);
	block_format(f->m, &f->parts, &blocks, 0, &f->line);
	assert_string_equal(tr2_buf_cstr(&f->line), "c/r");
	blocks_release(&blocks);
}

static void small_blocks_are_others(void **state)
{
	struct parts_test_fixture *f = *state;
	struct blocks blocks = { 0 };
	char label[20];

	parts_test_begin(f, P, 0.001, "status");
	for (int i = 0; i < 20; i++) {
		snprintf(label, sizeof(label), "r%d", i);
		parts_test_enter(f, P, 0.002 + i * 0.010, 1, label);
		parts_test_leave(f, P, 0.012 + i * 0.010, 1, label, 0.010);
	}
	parts_test_end(f, P, 0.202, 0.202);
	parts_test_make(f, P);
	blocks_make(&blocks, f->m, &f->parts, f->of.slot);
	blocks_hold(&blocks, f->parts.wall);
	assert_int_equal(blocks.nr_kinds, BLOCK_KINDS);
	assert_int_equal(blocks.kinds[BLOCK_OTHER].time, f->parts.wall - BLOCK_KINDS * 10 * MS);
	tr2_buf_clear(&f->line);
	block_format(f->m, &f->parts, &blocks, BLOCK_OTHER, &f->line);
	assert_string_equal(tr2_buf_cstr(&f->line), "16 others");
	blocks_release(&blocks);
}

static void region_totals_of_a_daemon_are_bounded(void **state)
{
	struct parts_test_fixture *f = *state;
	ns_t total;

	parts_test_begin(f, P, 0.001, "daemon");
	for (int i = 0; i < 70000; i++) {
		double at = 0.001 + i * 1e-5;

		parts_test_enter(f, P, at, 1, i % 3 ? "a" : "b");
		parts_test_leave(f, P, at + 8e-6, 1, i % 3 ? "a" : "b", 8e-6);
	}
	parts_test_end(f, P, 0.702, 0.702);
	f->m = script_model(&f->s, -1, 1000);
	assert_true(model_dropped(f->m)->ledger > 0);
	assert_true(script_process(f->m, P)->axis.ledger.nr <= MAX_LEDGER_ENTRIES);
	parts_test_make(f, P);
	total = f->parts.wall;
	assert_int_equal(total, 702 * MS);
	model_free(f->m);
	f->m = NULL;
	parts_test_make(f, P);
	assert_int_equal(f->parts.wall, total);
	assert_int_equal(script_process(f->m, P)->axis.ledger.nr, 140000);
}

/* Thousands of regions are never left, and thousands of leaves have no enter. */
static void deep_region_totals_become_coarser(void **state)
{
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "deep");
	for (int i = 0; i < 12000; i++)
		parts_test_enter(f, P, 0.001 + i * 1e-6, i + 1, "open");
	child(f, P, 0.02, 0, "x");
	parts_test_child_end(f, P, 0.03, 0, 7, 0.01);
	for (int i = 0; i < 60000; i++) {
		parts_test_enter(f, P, 0.03 + i * 1e-5, 12001, i & 1 ? "a" : "b");
		parts_test_leave(f, P, 0.03 + i * 1e-5 + 5e-6, 12001, i & 1 ? "a" : "b", 5e-6);
		parts_test_leave(f, P, 0.03 + i * 1e-5 + 5e-6, 12001, "nobody", 5e-6);
	}
	parts_test_end(f, P, 0.7, 0.7);
	f->m = script_model(&f->s, -1, 1000);
	parts_test_make(f, P);
	assert_true(script_process(f->m, P)->axis.ledger.nr <= MAX_LEDGER_ENTRIES);
	assert_int_equal(f->parts.wall, 700 * MS);
}

static uint32_t seed;

static uint32_t any(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

#define MAX_EVENTS 600
#define MAX_FILES  6

struct written {
	const char *event;
	char more[140];
	unsigned file;
	double at;
};

struct parts_test_trace {
	struct written events[MAX_EVENTS];
	unsigned nr, nr_files;
	char sids[MAX_FILES][200];
};

static void write_event(struct parts_test_trace *t, unsigned file, const char *event, double at,
			const char *fmt, ...) __attribute__((format(printf, 5, 6)));
static void write_event(struct parts_test_trace *t, unsigned file, const char *event, double at,
			const char *fmt, ...)
{
	struct written *w = &t->events[t->nr];
	va_list ap;

	if (t->nr == MAX_EVENTS)
		return;
	t->nr++;
	w->event = event;
	w->file = file;
	w->at = at;
	va_start(ap, fmt);
	vsnprintf(w->more, sizeof(w->more), fmt, ap);
	va_end(ap);
}

/* Write a process with random activity from `at` on, and some of its children. Returns the end of
 * the process. */
static double live(struct parts_test_trace *t, unsigned file, double at, unsigned level)
{
	double origin = at, began[8];
	unsigned open = 0, children = 0;

	at += any(3000) * 1e-6;
	write_event(t, file, "version", at, "'evt':'3'");
	write_event(t, file, "start", at, "'t_abs':%.6f,'argv':['git','p%u']", at - origin, file);
	write_event(t, file, "cmd_name", at, "'name':'p%u','hierarchy':'p%u'", file, file);
	for (unsigned steps = 4 + any(12); steps--; at += any(4000) * 1e-6) {
		if (any(3) == 0 && open < 8) {
			began[open++] = at;
			write_event(t, file, "region_enter", at,
				    "'nesting':%u,'category':'c','label':'l%u'", open, open);
		} else if (any(2) && open) {
			open--;
			write_event(t, file, "region_leave", at,
				    "'t_rel':%.6f,'nesting':%u,'category':'c','label':'l%u'",
				    at - began[open], open + 1, open + 1);
		} else if (any(2)) {
			double start = at, end = at + any(9000) * 1e-6;
			unsigned child = t->nr_files;
			bool traced = child < MAX_FILES && level < 3 && any(2);

			write_event(t, file, "child_start", at,
				    "'child_id':%u,'child_class':'?','argv':['git','x%u']",
				    children, children);
			if (traced) {
				char parent[200];

				memcpy(parent, t->sids[file], sizeof(parent));
				t->nr_files++;
				snprintf(t->sids[child], sizeof(t->sids[child]),
					 "%.150s/20260102T030400.%06uZ-Habcdef01-P%08x", parent,
					 child, 16 + child);
				end = live(t, child, at + any(2000) * 1e-6, level + 1) +
				      any(2000) * 1e-6;
			}
			if (any(8))
				write_event(t, file, "child_exit", end,
					    "'child_id':%u,'pid':%u,'code':0,'t_rel':%.6f",
					    children, traced && any(4) ? 16 + child : 900,
					    end - start);
			children++;
			if (any(3))
				at = end;
		} else {
			write_event(t, file, "data", at,
				    "'t_abs':%.6f,'t_rel':0.0,'nesting':1,'category':'c','key':'k',"
				    "'value':'v'",
				    at - origin);
		}
	}
	if (any(6))
		write_event(t, file, "atexit", at, "'t_abs':%.6f,'code':0", at - origin);
	return at;
}

static int parts_test_by_time(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Each by chance: truncate the trace anywhere, lose about a tenth of the events, set the clock by
 * up to an hour. */
static void spoil(struct parts_test_trace *t)
{
	unsigned to = 0, cut = any(3) ? t->nr : any(t->nr + 1), lost = any(3) ? 0 : 10;
	double step = any(3) ? 0 : any(7200) - 3600.0, from = any(100) * 1e-3;

	qsort(t->events, t->nr, sizeof(*t->events), parts_test_by_time);
	for (unsigned i = 0; i < cut; i++) {
		if (lost && !any(lost))
			continue;
		t->events[to] = t->events[i];
		if (t->events[to].at > from)
			t->events[to].at += step;
		to++;
	}
	t->nr = to;
}

static struct model *parts_test_model_of(const struct parts_test_trace *t, struct script *s,
					 bool last_first)
{
	script_init(s);
	script_stream(s, 1, 0, true);
	for (unsigned f = 0; f < t->nr_files; f++)
		for (unsigned i = 0; i < t->nr; i++)
			if (t->events[i].file == (last_first ? t->nr_files - 1 - f : f))
				script_event(s, t->events[i].event, t->sids[t->events[i].file],
					     3600 + t->events[i].at, t->events[i].more);
	return script_model(s, -1, 0);
}

static void format_parts(struct parts *parts, const struct model *m, struct parts_of of, ns_t now,
			 struct tr2_buf *out)
{
	struct analysis what = { .model = m, .limits = { -1, -1 }, .now = now };

	parts_make(parts, &what, &of);
	parts_test_holds(parts);
	if (parts->wall > 0) {
		struct blocks blocks = { 0 };

		blocks_make(&blocks, m, parts, of.slot);
		blocks_hold(&blocks, parts->wall);
		blocks_release(&blocks);
	}
	tr2_buf_addf(out, "%lld", (long long)parts->wall);
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct part *part = &parts->items[parts->pieces[i].part];

		tr2_buf_addf(out, "\n%lld ", (long long)parts->pieces[i].begin);
		part_format(parts, m, part, out);
	}
}

static void parts_are_consistent_for_any_trace_in_any_order(void **state)
{
	const char *count = getenv("PARTS_TRACES");
	unsigned nr = count ? (unsigned)atoi(count) : 300;
	struct parts_test_trace *t = calloc(1, sizeof(*t));
	struct tr2_buf said[2];
	struct parts parts = { 0 };

	(void)state;
	tr2_buf_init(&said[0], 1 << 24);
	tr2_buf_init(&said[1], 1 << 24);
	for (unsigned number = 0; number < nr; number++) {
		unsigned roots;

		seed = number;
		t->nr = 0;
		t->nr_files = roots = 1 + any(2);
		for (unsigned i = 0; i < roots; i++) {
			snprintf(t->sids[i], sizeof(t->sids[i]),
				 "20260102T030400.%06uZ-Habcdef01-P%08x", i, 1 + i);
			live(t, i, any(20) * 1e-3, 0);
		}
		spoil(t);
		for (int order = 0; order < 2; order++) {
			struct script s;
			struct model *m = parts_test_model_of(t, &s, order);

			seed = number; /* use the same random choices for both orders */
			tr2_buf_clear(&said[order]);
			for (unsigned f = 0; f <= t->nr_files; f++) {
				struct parts_of of = { .slot = SLOT_NONE,
						       .begun = NS_NONE,
						       .wall = NS_NONE };

				if (f < t->nr_files)
					of.slot = model_find_sid(m, t->sids[f], strlen(t->sids[f]));
				if (f < t->nr_files && of.slot == SLOT_NONE)
					continue;
				format_parts(&parts, m, of, T0 + 9000 * NS_PER_SEC, &said[order]);
				of.all_over = true;
				of.merge_names = any(2);
				format_parts(&parts, m, of, NS_NONE, &said[order]);
			}
			model_free(m);
			script_release(&s);
		}
		if (strcmp(tr2_buf_cstr(&said[0]), tr2_buf_cstr(&said[1])) != 0)
			fail_msg("trace %u: by order of files\n%s\n--- or\n%s", number,
				 tr2_buf_cstr(&said[0]), tr2_buf_cstr(&said[1]));
	}
	parts_release(&parts);
	tr2_buf_release(&said[0]);
	tr2_buf_release(&said[1]);
	free(t);
}

struct job {
	double begin, end, seen; /* seconds; `seen`: when the parent noticed the end of the job */
	/* index of the job whose end allowed this one to start; -1: none */
	int by;
	bool running, chained;
};

/*
 * Start the next job when one exits, as run-command.c does. Adds the seconds on children to `*all`,
 * and returns how many of them are on the true critical path.
 */
static double pool(struct parts_test_fixture *f, unsigned size, unsigned nr, double *all)
{
	struct job jobs[40] = { 0 };
	double now = 0.002, right = 0;
	unsigned begun = 0;
	int last = -1;

	parts_test_begin(f, P, 0.001, "fetch");
	for (; begun < size && begun < nr; begun++) {
		char name[20];

		snprintf(name, sizeof(name), "j%u", begun);
		jobs[begun] = (struct job){ .begin = now, .by = -1, .running = true };
		jobs[begun].end = now + 0.001 + any(100000) * 1e-6;
		child(f, P, now, (int)begun, name);
		now += any(300) * 1e-6;
	}
	for (;;) {
		int next = -1;

		for (unsigned i = 0; i < begun; i++)
			if (jobs[i].running && (next < 0 || jobs[i].end < jobs[next].end))
				next = (int)i;
		if (next < 0)
			break;
		now = jobs[next].end > now ? jobs[next].end : now;
		jobs[next].running = false;
		jobs[next].seen = now;
		last = next;
		parts_test_child_end(f, P, now, next, 100 + next, now - jobs[next].begin);
		if (begun < nr) {
			char name[20];

			snprintf(name, sizeof(name), "j%u", begun);
			now += any(20000) * 1e-6;
			jobs[begun] = (struct job){ .begin = now, .by = next, .running = true };
			jobs[begun].end = now + 0.001 + any(100000) * 1e-6;
			child(f, P, now, (int)begun, name);
			begun++;
		}
	}
	parts_test_end(f, P, now + 0.001, now + 0.001);
	parts_test_make(f, P);
	for (int i = last; i >= 0; i = jobs[i].by)
		jobs[i].chained = true;
	for (uint32_t i = 0; i < f->parts.nr_pieces; i++) {
		const struct part *part = &f->parts.items[f->parts.pieces[i].part];

		if (part->kind != PART_UNTRACED)
			continue;
		*all += (double)f->parts.pieces[i].time / 1e9;
		if (jobs[f->parts.pieces[i].child].chained)
			right += (double)f->parts.pieces[i].time / 1e9;
	}
	return right;
}

static void pools_follow_the_true_chain(void **state)
{
	double right = 0, all = 0;

	(void)state;
	for (unsigned number = 0; number < 200; number++) {
		void *fixture;

		seed = number;
		parts_test_setup(&fixture);
		right += pool(fixture, 1 + number % 4, 5 + any(30), &all);
		parts_test_teardown(&fixture);
	}
	print_message("%.3f %% of the time on children is on the true chain\n", right * 100 / all);
	assert_true(right >= 0.995 * all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, parts_test_setup, parts_test_teardown)

/* The first words of a shell command line would name another command. */
static void shell_children_are_named_by_the_whole_line(void **state)
{
	static const struct {
		const char *argv, *label;
	} cases[] = {
		{ "git rev-parse HEAD; sleep 0.6", "git rev-parse HEAD; sleep 0.6" },
		{ "path=sub9; cd $path && make", "path=sub9; cd $path && make" },
		{ "/usr/bin/vim -f", "vim" },
		{ "/opt/run;it", "run;it" },
		{ "git gc --auto", "git gc" },
	};
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	for (int i = 0; i < 5; i++) {
		child(f, P, 0.002 + 0.002 * i, i, cases[i].argv);
		parts_test_child_end(f, P, 0.003 + 0.002 * i, i, 71 + i, 0.001);
	}
	parts_test_end(f, P, 0.014, 0.014);
	parts_test_make(f, P);
	for (int i = 0; i < 5; i++) {
		char wanted[100];
		bool found = false;

		snprintf(wanted, sizeof(wanted), "%s, not traced", cases[i].label);
		for (uint32_t p = 0; p < f->parts.nr; p++) {
			tr2_buf_clear(&f->line);
			part_format_whole(&f->parts, f->m, &f->parts.items[p], &f->line);
			found |= !strcmp(tr2_buf_cstr(&f->line), wanted);
		}
		if (!found)
			fail_msg("no part is shown as '%s'", wanted);
	}
}

static void lines_that_differ_are_named_by_their_first_words(void **state)
{
	static const char *const argv[] = { "git-lfs smudge -- a.bin; x",
					    "git-lfs smudge -- b.bin; x", "git -C sub1 log -1; x",
					    "git -C sub2 log -1; x" };
	struct parts_test_fixture *f = *state;

	parts_test_begin(f, P, 0.001, "x");
	for (int i = 0; i < 4; i++) {
		child(f, P, 0.002 + 0.002 * i, i, argv[i]);
		parts_test_child_end(f, P, 0.003 + 0.002 * i, i, 71 + i, 0.001);
	}
	parts_test_end(f, P, 0.014, 0.014);
	parts_test_make(f, P);
	for (uint32_t p = 0; p < f->parts.nr; p++) {
		if (f->parts.items[p].kind != PART_UNTRACED)
			continue;
		tr2_buf_clear(&f->line);
		part_format_whole(&f->parts, f->m, &f->parts.items[p], &f->line);
		assert_int_equal(f->parts.items[p].pieces, 2);
		assert_true(f->parts.items[p].cut);
		if (strcmp(tr2_buf_cstr(&f->line), "git-lfs smudge -- …, not traced") != 0)
			assert_string_equal(tr2_buf_cstr(&f->line), "git log, not traced");
	}
}

/* A password that is cut cannot be detected. */
static void cut_shell_lines_show_no_password(void **state)
{
	struct parts_test_fixture *f = *state;

	for (int shift = 150; shift < 205; shift++) {
		char line[300];

		tr2_buf_clear(&f->line);
		snprintf(line, sizeof(line), "true; %*s curl https://u:S3CRETS3CRET@host/",
			 shift - 20, "x");
		format_cut(line, strlen(line), 200, &f->line);
		assert_null(strstr(tr2_buf_cstr(&f->line), "S3C"));
		assert_true(f->line.len <= 200 + strlen("…"));
	}
	/* No character is cut in its middle. */
	for (size_t max = 1; max < 9; max++) {
		tr2_buf_clear(&f->line);
		format_cut("äöü€", strlen("äöü€"), max, &f->line);
		assert_int_equal(tr2_utf8_valid_prefix(f->line.data, f->line.len), f->line.len);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(other_threads_run_in_parallel),
		TEST(shell_children_are_named_by_the_whole_line),
		TEST(lines_that_differ_are_named_by_their_first_words),
		TEST(cut_shell_lines_show_no_password),
		TEST(child_without_exit_holds_until_it_is_ready),
		TEST(child_without_exit_in_an_ended_parent_holds_no_time),
		TEST(second_atexit_belongs_to_a_daemon),
		TEST(a_process_that_outlives_its_exit_is_clipped),
		TEST(first_to_begin_counts_for_equal_ends),
		TEST(reused_pid_is_another_process),
		TEST(ambiguous_processes_leave_children_untraced),
		TEST(exits_release_no_child_across_a_region),
		TEST(positions_are_limited_by_the_next_t_abs),
		TEST(unended_processes_last_until_now),
		TEST(all_roots_share_the_axis_of_the_command),
		TEST(regions_over_the_limit_count_as_the_outer_region),
		TEST(exec_without_a_trace_is_untraced),
		TEST(leave_closes_its_region_and_all_inside),
		TEST(sums_over_trees_are_by_key),
		TEST(path_is_a_tree_in_order_of_time),
		TEST(region_totals_of_a_daemon_are_bounded),
		TEST(deep_region_totals_become_coarser),
		TEST(nested_children_have_their_time_on_the_path),
		TEST(blocks_are_children_in_order_of_time),
		TEST(blocks_go_down_to_the_process_with_the_time),
		TEST(small_blocks_are_others),
		cmocka_unit_test(parts_are_consistent_for_any_trace_in_any_order),
		cmocka_unit_test(pools_follow_the_true_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
