/* SPDX-License-Identifier: MIT */
/* Where wall time went: small traces worked out by hand, and what holds whatever a trace says. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/parts.h"
#include "monitor/analysis/path.h"
#include "tests/journal_script.h"

#define MS NS_PER_MS
#define T0 ((ns_t)SCRIPT_T0_SECONDS * NS_PER_SEC)

struct fixture {
	struct script s;
	struct model *m;
	struct analysis what;
	struct parts_of of;
	struct parts parts;
	struct tr2_buf line;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	script_init(&f->s);
	script_stream(&f->s, 1, 0, true);
	tr2_buf_init(&f->line, 1 << 16);
	f->of = (struct parts_of){ .begun = NS_NONE, .wall = NS_NONE };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	parts_release(&f->parts);
	model_free(f->m);
	script_release(&f->s);
	tr2_buf_release(&f->line);
	free(f);
	return 0;
}

/* They add up, in order, without hole or overlap, and the sums by key are right. */
static void holds(const struct parts *parts)
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

/* Of the process `sid`, NULL: of all; at `now` seconds; SCRIPT_NO_TIME: all is over. */
static void make_at(struct fixture *f, const char *sid, double now)
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
	holds(&f->parts);
}

static void make(struct fixture *f, const char *sid)
{
	make_at(f, sid, SCRIPT_NO_TIME);
}

/* Milliseconds of all parts that are called so; `count` says how many pieces. */
static double part_ms(struct fixture *f, const char *label, uint64_t *count)
{
	ns_t time = 0;

	*count = 0;
	for (uint32_t i = 0; i < f->parts.nr; i++) {
		tr2_buf_clear(&f->line);
		part_say(&f->parts, f->m, &f->parts.items[i], &f->line);
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

/* Exactly these parts. */
static void want(struct fixture *f, const struct want *wanted, size_t nr)
{
	ns_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t count;
		double ms = part_ms(f, wanted[i].label, &count);

		if (ms < wanted[i].ms - 0.0001 || ms > wanted[i].ms + 0.0001) {
			for (uint32_t p = 0; p < f->parts.nr; p++) {
				tr2_buf_clear(&f->line);
				part_say_whole(&f->parts, f->m, &f->parts.items[p], &f->line);
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

/* ---- writing ---- */

/* A process that begins at `at`: its clock began 1 ms before. */
static void begin(struct fixture *f, const char *sid, double at, const char *name)
{
	char more[100];

	script_event(&f->s, "version", sid, at, "'evt':'3','exe':'2.39.5'");
	snprintf(more, sizeof(more), "'t_abs':0.001,'argv':['git','%s']", name);
	script_event(&f->s, "start", sid, at, more);
	snprintf(more, sizeof(more), "'name':'%s','hierarchy':'%s'", name, name);
	script_event(&f->s, "cmd_name", sid, at, more);
}

static void end(struct fixture *f, const char *sid, double at, double t_abs)
{
	char more[100];

	snprintf(more, sizeof(more), "'t_abs':%.6f,'code':0", t_abs);
	script_event(&f->s, "exit", sid, at, more);
	script_event(&f->s, "atexit", sid, at, more);
}

static void enter(struct fixture *f, const char *sid, double at, int nesting, const char *label)
{
	char more[100];

	snprintf(more, sizeof(more), "'nesting':%d,'category':'c','label':'%s'", nesting, label);
	script_event(&f->s, "region_enter", sid, at, more);
}

static void leave(struct fixture *f, const char *sid, double at, int nesting, const char *label,
		  double t_rel)
{
	char more[120];

	snprintf(more, sizeof(more), "'t_rel':%.6f,'nesting':%d,'category':'c','label':'%s'", t_rel,
		 nesting, label);
	script_event(&f->s, "region_leave", sid, at, more);
}

static void child(struct fixture *f, const char *sid, double at, int id, const char *program)
{
	char more[200];

	snprintf(more, sizeof(more), "'child_id':%d,'child_class':'?','argv':['%s']", id, program);
	script_event(&f->s, "child_start", sid, at, more);
}

static void child_end(struct fixture *f, const char *sid, double at, int id, int pid, double t_rel)
{
	char more[120];

	snprintf(more, sizeof(more), "'child_id':%d,'pid':%d,'code':0,'t_rel':%.6f", id, pid,
		 t_rel);
	script_event(&f->s, "child_exit", sid, at, more);
}

#define P  "20260102T030400.000000Z-Habcdef01-P00000001"
#define C  P "/20260102T030400.002000Z-Habcdef01-P00000032"
#define C2 P "/20260102T030400.003000Z-Habcdef01-P00000033"

/* ---- by hand ---- */

static void other_threads_run_beside(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "checkout");
	enter(f, P, 0.002, 1, "a");
	script_event(&f->s, "thread_start", P, 0.003, "'thread':'th01:work'");
	script_event(&f->s, "region_enter", P, 0.003,
		     "'thread':'th01:work','nesting':1,'category':'c','label':'other'");
	/* A child of a thread that was announced runs beside, too. */
	script_event(&f->s, "child_start", P, 0.003,
		     "'thread':'th01:work','child_id':5,'child_class':'?','argv':['beside']");
	script_event(&f->s, "child_exit", P, 0.005,
		     "'thread':'th01:work','child_id':5,'pid':9,'code':0,'t_rel':0.002");
	script_event(
		&f->s, "region_leave", P, 0.006,
		"'thread':'th01:work','t_rel':0.003,'nesting':1,'category':'c','label':'other'");
	script_event(&f->s, "thread_exit", P, 0.007, "'thread':'th01:work','t_rel':0.004");
	leave(f, P, 0.008, 1, "a", 0.006);
	end(f, P, 0.010, 0.010);
	make(f, P);
	WANT(f, { "c/a", 6 }, { "in no region", 3 }, { "start of checkout", 1 });
}

static void child_without_exit_holds_until_it_is_ready(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "status");
	script_event(&f->s, "child_start", P, 0.002,
		     "'child_id':0,'child_class':'background','argv':['git','fsmonitor--daemon']");
	script_event(&f->s, "child_ready", P, 0.006,
		     "'child_id':0,'pid':70,'ready':'ready','t_rel':0.004");
	end(f, P, 0.010, 0.010);
	make(f, P);
	WANT(f, { "git fsmonitor--daemon", 4 }, { "in no region", 5 }, { "start of status", 1 });
}

static void child_without_exit_in_an_ended_parent_holds_nothing(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "status");
	child(f, P, 0.002, 0, "x");
	child(f, P, 0.004, 1, "y");
	child_end(f, P, 0.006, 1, 7, 0.002);
	end(f, P, 0.010, 0.010);
	make(f, P);
	WANT(f, { "y", 2 }, { "in no region", 7 }, { "start of status", 1 });
}

/* It forked, and both wrote to the one session: the parent's wait ended at the first atexit. */
static void a_second_atexit_is_a_daemons(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "daemon");
	enter(f, P, 0.002, 1, "a");
	leave(f, P, 0.004, 1, "a", 0.002);
	end(f, P, 0.005, 0.005);
	enter(f, P, 0.006, 1, "late");
	leave(f, P, 0.009, 1, "late", 0.003);
	script_event(&f->s, "atexit", P, 0.010, "'t_abs':0.010,'code':0");
	make(f, P);
	WANT(f, { "c/a", 2 }, { "in no region", 2 }, { "start of daemon", 1 });
}

static void a_process_that_outlives_its_exit_is_clipped(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "fetch");
	child(f, P, 0.002, 0, "git");
	begin(f, C, 0.003, "gc");
	enter(f, C, 0.004, 1, "long");
	leave(f, C, 0.020, 1, "long", 0.016);
	end(f, C, 0.021, 0.019);
	child_end(f, P, 0.010, 0, 0x32, 0.008);
	end(f, P, 0.011, 0.011);
	make(f, P);
	/* The child's 8 ms are all the process's, from its own clock's beginning. */
	WANT(f, { "start of fetch", 1 }, { "in no region", 3 }, { "start of gc", 1 },
	     { "c/long", 6 });
}

static void of_equal_ends_the_first_to_begin_counts(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "first");
	child(f, P, 0.003, 1, "second");
	child_end(f, P, 0.008, 1, 71, 0.005);
	child_end(f, P, 0.008, 0, 70, 0.006);
	end(f, P, 0.009, 0.009);
	make(f, P);
	WANT(f, { "first", 6 }, { "in no region", 2 }, { "start of x", 1 });
}

static void another_process_beside_that_of_the_pid(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "sh");
	begin(f, C, 0.004, "a"); /* from 3 to 6 ms */
	end(f, C, 0.006, 0.003);
	begin(f, C2, 0.008, "b"); /* from 7 to 9 ms */
	end(f, C2, 0.009, 0.002);
	child_end(f, P, 0.012, 0, 0x32, 0.010);
	end(f, P, 0.013, 0.013);
	make(f, P);
	/* Several: what lies between is the child's that is not traced, not spawn and reap. */
	WANT(f, { "start of x", 1 }, { "in no region", 2 + 2 + 1 }, { "start of a", 1 },
	     { "start of b", 1 }, { "sh", 5 });
}

static void ambiguous_processes_leave_the_children_untraced(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "one");
	child(f, P, 0.0025, 1, "two");
	begin(f, C, 0.004, "a");
	end(f, C, 0.006, 0.003);
	child_end(f, P, 0.012, 0, 70, 0.010);
	child_end(f, P, 0.013, 1, 71, 0.0105);
	end(f, P, 0.014, 0.014);
	make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 2 }, { "two", 10.5 }, { "one", 0.5 });
	for (uint32_t i = 0; i < f->parts.nr; i++) {
		if (f->parts.items[i].kind != PART_UNTRACED)
			continue;
		tr2_buf_clear(&f->line);
		part_say_whole(&f->parts, f->m, &f->parts.items[i], &f->line);
		assert_non_null(strstr(tr2_buf_cstr(&f->line), ", contains 1 traced process"));
	}
}

/* B's exit lets C begin, but a region lies between: nobody let it. */
static void nobody_is_released_across_a_region(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	child(f, P, 0.001, 0, "A");
	child(f, P, 0.001, 1, "B");
	child_end(f, P, 0.004, 1, 71, 0.003);
	enter(f, P, 0.0041, 1, "r");
	leave(f, P, 0.0042, 1, "r", 0.0001);
	child(f, P, 0.0043, 2, "C");
	child_end(f, P, 0.006, 0, 70, 0.005);
	child_end(f, P, 0.009, 2, 72, 0.0047);
	end(f, P, 0.009, 0.009);
	make(f, P);
	/* A ends last of those that run before C. */
	WANT(f, { "start of x", 1 }, { "C", 4.7 }, { "c/r", 0.1 }, { "A", 3.2 });
}

static void positions_are_bound_by_the_next_t_abs(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	enter(f, P, 0.002, 1, "a");
	/* Wall time ran ahead by 100 ms, which is not taken for a step; t_abs tells. */
	script_event(&f->s, "cmd_mode", P, 0.105, "'name':'m'");
	leave(f, P, 0.107, 1, "a", 0.004);
	enter(f, P, 0.108, 1, "b");
	script_event(
		&f->s, "data", P, 0.109,
		"'t_abs':0.008,'t_rel':0.001,'nesting':2,'category':'c','key':'k','value':'1'");
	leave(f, P, 0.110, 1, "b", 0.002);
	end(f, P, 0.010, 0.010);
	make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 1 }, { "c/a", 6 }, { "c/b", 2 });
}

static void what_has_not_ended_lasts_until_now(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "fetch");
	child(f, P, 0.002, 0, "ssh");
	begin(f, C, 0.004, "gc");
	enter(f, C, 0.005, 1, "r");
	make_at(f, P, 0.020);
	assert_true(f->parts.live);
	assert_false(f->parts.ended);
	WANT(f, { "start of fetch", 1 }, { "in no region", 1 + 1 }, { "ssh", 1 },
	     { "start of gc", 1 }, { "c/r", 15 });
	/* The same, where nothing is heard any more. */
	make(f, P);
	assert_false(f->parts.live);
	assert_int_equal(f->parts.wall, 5 * MS);
}

static void all_roots_stand_on_the_axis_of_the_command(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.003, "a"); /* from 2 to 6 ms */
	end(f, P, 0.006, 0.004);
	begin(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.010, "b"); /* 9 to 12 */
	end(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.012, 0.003);
	make(f, NULL);
	assert_int_equal(f->parts.begun, T0 + 2 * MS);
	WANT(f, { "start of a", 1 }, { "in no region", 3 + 2 }, { "start of b", 1 },
	     { "while nothing traced ran", 3 });
	f->of.begun = T0;
	f->of.wall = 20 * MS;
	make(f, NULL);
	WANT(f, { "start of a", 1 }, { "in no region", 3 + 2 }, { "start of b", 1 },
	     { "while nothing traced ran", 13 });
}

static void regions_beyond_the_limit_are_of_the_one_around(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	enter(f, P, 0.002, 1, "a");
	enter(f, P, 0.003, 2, "b");
	child(f, P, 0.004, 0, "y");
	child_end(f, P, 0.006, 0, 7, 0.002);
	leave(f, P, 0.007, 2, "b", 0.004);
	leave(f, P, 0.009, 1, "a", 0.007);
	end(f, P, 0.010, 0.010);
	make(f, P);
	assert_int_equal(f->parts.nesting, 2);
	assert_true(f->parts.nesting_default);
	assert_int_equal(f->parts.at_limit, 2 * MS);
	WANT(f, { "start of x", 1 }, { "in no region", 2 }, { "c/a", 3 }, { "c/b", 2 }, { "y", 2 });
	f->what.limits = (struct timing_limits){ 1, -1 };
	make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 2 }, { "c/a", 5 }, { "y", 2 });
	f->what.limits = (struct timing_limits){ 0, -1 };
	make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 7 }, { "y", 2 });
}

/* What the parent told of its child's end, and the child did not. */
static void exec_without_a_trace_is_untraced(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	child(f, P, 0.002, 0, "git");
	begin(f, C, 0.004, "y");
	script_event(&f->s, "exec", C, 0.006, "'exec_id':0,'exe':'less','argv':['less']");
	child_end(f, P, 0.010, 0, 0x32, 0.008);
	end(f, P, 0.011, 0.011);
	make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 1 + 1 + 2 }, { "spawn of y", 1 },
	     { "start of y", 1 }, { "less", 4 });
	make(f, C);
	WANT(f, { "start of y", 1 }, { "in no region", 2 });
}

static void a_leave_closes_what_it_names_and_all_inside(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "x");
	enter(f, P, 0.002, 1, "a");
	enter(f, P, 0.003, 2, "b");
	leave(f, P, 0.004, 1, "nobody", 0.001);
	leave(f, P, 0.006, 1, "a", 0.004);
	end(f, P, 0.010, 0.010);
	make(f, P);
	WANT(f, { "start of x", 1 }, { "in no region", 1 + 4 }, { "c/a", 1 }, { "c/b", 3 });
}

static void sums_over_trees_are_by_key(void **state)
{
	struct fixture *f = *state;
	struct parts sum = { 0 };

	begin(f, P, 0.001, "a");
	enter(f, P, 0.002, 1, "r");
	leave(f, P, 0.004, 1, "r", 0.002);
	end(f, P, 0.006, 0.006);
	begin(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.010, "a");
	enter(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.010, 1, "r");
	leave(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.013, 1, "r", 0.003);
	end(f, "20260102T030400.009000Z-Habcdef01-P00000002", 0.013, 0.004);
	make(f, P);
	parts_add(&sum, &f->parts);
	make(f, "20260102T030400.009000Z-Habcdef01-P00000002");
	parts_add(&sum, &f->parts);
	parts_sort(&sum);
	assert_int_equal(sum.wall, 10 * MS);
	assert_int_equal(sum.nr, 3);
	assert_int_equal(sum.items[0].kind, PART_REGION);
	assert_int_equal(sum.items[0].time, 5 * MS);
	assert_int_equal(sum.items[0].pieces, 2);
	/* Who holds most of it. */
	assert_int_equal(sum.items[0].slot, f->of.slot);
	parts_release(&sum);
}

static void path_is_a_tree_in_order_of_time(void **state)
{
	struct fixture *f = *state;
	struct path path = { 0 };
	struct path_child held = { 0 };

	begin(f, P, 0.001, "fetch");
	child(f, P, 0.005, 0, "git");
	begin(f, C, 0.0085, "gc");
	end(f, C, 0.023, 0.0155);
	child_end(f, P, 0.025, 0, 0x32, 0.020);
	end(f, P, 0.026, 0.026);
	make(f, P);
	path_make(&path, f->m, &f->parts, f->of.slot, 100);
	/* fetch's start and nothing, then gc with its four, then fetch again. */
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

/* ---- bounds ---- */

static void a_daemons_ledger_is_bounded(void **state)
{
	struct fixture *f = *state;
	ns_t total;

	begin(f, P, 0.001, "daemon");
	for (int i = 0; i < 70000; i++) {
		double at = 0.001 + i * 1e-5;

		enter(f, P, at, 1, i % 3 ? "a" : "b");
		leave(f, P, at + 8e-6, 1, i % 3 ? "a" : "b", 8e-6);
	}
	end(f, P, 0.702, 0.702);
	f->m = script_model(&f->s, -1, 1000);
	assert_true(model_dropped(f->m)->ledger > 0);
	assert_true(script_process(f->m, P)->axis.ledger.nr <= MAX_LEDGER_ENTRIES);
	make(f, P);
	total = f->parts.wall;
	assert_int_equal(total, 702 * MS);
	model_free(f->m);
	f->m = NULL;
	make(f, P);
	assert_int_equal(f->parts.wall, total);
	assert_int_equal(script_process(f->m, P)->axis.ledger.nr, 140000);
}

/* Open regions that are never left, and leaves of none: neither is walked through for ever. */
static void deep_ledgers_are_made_coarser(void **state)
{
	struct fixture *f = *state;

	begin(f, P, 0.001, "deep");
	for (int i = 0; i < 12000; i++)
		enter(f, P, 0.001 + i * 1e-6, i + 1, "open");
	child(f, P, 0.02, 0, "x");
	child_end(f, P, 0.03, 0, 7, 0.01);
	for (int i = 0; i < 60000; i++) {
		enter(f, P, 0.03 + i * 1e-5, 12001, i & 1 ? "a" : "b");
		leave(f, P, 0.03 + i * 1e-5 + 5e-6, 12001, i & 1 ? "a" : "b", 5e-6);
		leave(f, P, 0.03 + i * 1e-5 + 5e-6, 12001, "nobody", 5e-6);
	}
	end(f, P, 0.7, 0.7);
	f->m = script_model(&f->s, -1, 1000);
	make(f, P);
	assert_true(script_process(f->m, P)->axis.ledger.nr <= MAX_LEDGER_ENTRIES);
	assert_int_equal(f->parts.wall, 700 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(other_threads_run_beside),
		TEST(child_without_exit_holds_until_it_is_ready),
		TEST(child_without_exit_in_an_ended_parent_holds_nothing),
		TEST(a_second_atexit_is_a_daemons),
		TEST(a_process_that_outlives_its_exit_is_clipped),
		TEST(of_equal_ends_the_first_to_begin_counts),
		TEST(another_process_beside_that_of_the_pid),
		TEST(ambiguous_processes_leave_the_children_untraced),
		TEST(nobody_is_released_across_a_region),
		TEST(positions_are_bound_by_the_next_t_abs),
		TEST(what_has_not_ended_lasts_until_now),
		TEST(all_roots_stand_on_the_axis_of_the_command),
		TEST(regions_beyond_the_limit_are_of_the_one_around),
		TEST(exec_without_a_trace_is_untraced),
		TEST(a_leave_closes_what_it_names_and_all_inside),
		TEST(sums_over_trees_are_by_key),
		TEST(path_is_a_tree_in_order_of_time),
		TEST(a_daemons_ledger_is_bounded),
		TEST(deep_ledgers_are_made_coarser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
