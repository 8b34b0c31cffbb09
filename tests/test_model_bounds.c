/* SPDX-License-Identifier: MIT */
/* Tests of the model's limits and of hostile traces. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/report/report.h"
#include "tests/journal_script.h"

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

/* True if larger counts are tested, as in `make check-long`. */
static bool counts_all(void)
{
	return getenv("COUNTS_ALL") != NULL;
}

static char *report_of(struct model *m)
{
	struct report_input input = { .model = m, .nesting = -1, .depth = -1 };
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	assert_true(report_write(exporters[EXPORTER_JSON].ops, to, &input));
	fclose(to);
	return text;
}

static void one_file(struct script *s, unsigned which)
{
	char sid[64];

	if (which == 0) {
		script_event(s, "start", "p", 0, "'argv':['git','p']");
		for (int i = 0; i < 3; i++) {
			char more[96];

			snprintf(more, sizeof(more), "'child_id':%d,'argv':['c']", i);
			script_event(s, "child_start", "p", 1 + 2 * i, more);
			snprintf(more, sizeof(more), "'child_id':%d,'pid':%d,'code':%d,'t_rel':1.0",
				 i, 20 + i, i);
			script_event(s, "child_exit", "p", 2 + 2 * i, more);
		}
		script_event(s, "atexit", "p", 9, "'t_abs':9.0,'code':1");
		return;
	}
	snprintf(sid, sizeof(sid), which < 4 ? "p/x-P%08x" : "p/x-P00000014/y-P%08x",
		 which < 4 ? 19 + which : which);
	script_event(s, "start", sid, 2.0 * which - 0.5, "'argv':['x']");
	script_event(s, "region_enter", sid, 5, "'nesting':1,'category':'c','label':'l'");
	if (which != 2)
		script_event(s, "region_leave", sid, 6,
			     "'nesting':1,'category':'c','label':'l','t_rel':0.25");
	if (which & 1)
		script_event(s, "atexit", sid, 7, "'t_abs':2.0,'code':1");
}

static void reports_do_not_depend_on_the_order_of_files(void **state)
{
	static const unsigned orders[][6] = { { 0, 1, 2, 3, 4, 5 },
					      { 5, 4, 3, 2, 1, 0 },
					      { 3, 0, 5, 1, 4, 2 },
					      { 4, 2, 0, 1, 5, 3 } };
	char *first = NULL;

	(void)state;
	for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
		struct script s;
		struct model *m;
		char *text;

		script_init(&s);
		for (int i = 0; i < 6; i++)
			one_file(&s, orders[o][i]);
		m = script_model(&s, -1, 0);
		text = report_of(m);
		if (first)
			assert_string_equal(text, first);
		else
			assert_non_null(strstr(text, "\"lost\": 1"));
		if (first)
			free(text);
		else
			first = text;
		model_free(m);
		script_release(&s);
	}
	free(first);
}

static void many_processes(struct script *s, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		char sid[64], more[64];

		snprintf(sid, sizeof(sid), "p%u", i);
		script_event(s, "start", sid, 1, "'argv':['x']");
		script_event(s, "region_leave", sid, 1,
			     "'nesting':1,'category':'c','label':'l','t_rel':0.25");
		snprintf(more, sizeof(more), "'t_abs':1.0,'code':%u", i % 2);
		script_event(s, "atexit", sid, 2, more);
	}
}

static void reports_do_not_depend_on_how_batches_are_cut(void **state)
{
	static const unsigned cuts[] = { 0, 1, 7 };
	char *first = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct script s;
		struct model *m;
		char *text;

		script_init(&s);
		s.cut_every = cuts[i];
		for (unsigned file = 0; file < 6; file++)
			one_file(&s, file);
		many_processes(&s, 60);
		m = script_model(&s, -1, 20);
		text = report_of(m);
		if (first) {
			assert_string_equal(text, first);
			free(text);
		} else {
			first = text;
		}
		model_free(m);
		script_release(&s);
	}
	free(first);
}

/* Apply the script within `max_bytes`; if `often`, settle after each batch. */
static struct model *model_within(const struct script *s, size_t max_bytes, bool often)
{
	struct model *m = model_new(
		&s->syms, &(struct model_config){ .nesting = -1, .max_bytes = max_bytes });

	for (unsigned i = 0; i < s->nr_batches; i++) {
		model_apply(m, s->batches[i]);
		assert_true(model_heap(m)->used_bytes <= max_bytes + 4096);
		if (often)
			model_settle(m);
	}
	model_settle(m);
	return m;
}

static void evicts_processes_to_stay_within_the_bytes(void **state)
{
	struct model *seldom, *often;
	char *reports[2];
	struct script s;
	size_t unbounded;

	(void)state;
	script_init(&s);
	s.cut_every = 7;
	many_processes(&s, 600);
	seldom = script_model(&s, -1, 0);
	unbounded = model_heap(seldom)->used_bytes;
	model_free(seldom);
	seldom = model_within(&s, unbounded / 4, false);
	often = model_within(&s, unbounded / 4, true);
	assert_true(model_dropped(seldom)->for_memory > 100);
	assert_true(model_nr_processes(seldom) > 50);
	reports[0] = report_of(seldom);
	reports[1] = report_of(often);
	assert_string_equal(reports[0], reports[1]);
	free(reports[0]);
	free(reports[1]);
	model_free(seldom);
	model_free(often);
	script_release(&s);
}

static void a_copy_reports_the_same_and_is_independent(void **state)
{
	struct fixture *f = *state;
	struct model *copy;
	char *before, *after;

	for (unsigned file = 0; file < 6; file++)
		one_file(&f->s, file);
	f->m = script_model(&f->s, -1, 0);
	copy = model_copy(f->m);
	before = report_of(copy);
	script_cut(&f->s);
	many_processes(&f->s, 50);
	for (unsigned i = 1; i < f->s.nr_batches; i++)
		model_apply(f->m, f->s.batches[i]);
	after = report_of(copy);
	assert_string_equal(before, after);
	free(after);
	for (unsigned i = 1; i < f->s.nr_batches; i++)
		model_apply(copy, f->s.batches[i]);
	after = report_of(copy);
	free(before);
	before = report_of(f->m);
	assert_string_equal(before, after);
	free(before);
	free(after);
	model_free(copy);
}

static void stopping_inside_a_batch_equals_a_shorter_batch(void **state)
{
	struct fixture *f = *state;
	struct model_config config = { .nesting = -1 };
	struct model *steps;
	char *a, *b;

	for (unsigned file = 0; file < 6; file++)
		one_file(&f->s, file);
	assert_int_equal(f->s.nr_batches, 1);
	f->m = script_model(&f->s, -1, 0);
	steps = model_new(&f->s.syms, &config);
	for (uint32_t i = 0; i < f->s.batches[0]->nr_records; i++) {
		model_apply_range(steps, f->s.batches[0], i, i + 1);
		model_settle(steps);
	}
	a = report_of(f->m);
	b = report_of(steps);
	assert_string_equal(a, b);
	free(a);
	free(b);
	model_free(steps);
}

static void finished_processes_leave_oldest_end_first(void **state)
{
	struct fixture *f = *state;
	struct handle handle, kept;

	script_event(&f->s, "start", "alive", 0, "");
	many_processes(&f->s, 40);
	f->m = script_model(&f->s, -1, 0);
	handle = model_handle(f->m, model_find_sid(f->m, "p20", 3));
	kept = model_handle(f->m, model_find_sid(f->m, "p39", 3));
	assert_non_null(model_process(f->m, handle));
	model_free(f->m);
	f->m = script_model(&f->s, -1, 10);
	assert_in_range(model_nr_processes(f->m), 9, 10);
	assert_non_null(script_process(f->m, "alive"));
	assert_non_null(script_process(f->m, "p39"));
	assert_null(script_process(f->m, "p0"));
	assert_null(script_process(f->m, "p20"));
	assert_null(model_process(f->m, handle));
	/* A handle identifies the same process in another model, whatever its slot is. */
	assert_ptr_equal(model_process(f->m, kept), script_process(f->m, "p39"));
	assert_int_not_equal(model_handle_here(f->m, kept).slot, kept.slot);
	assert_int_equal(model_totals(f->m)->processes, 41);
	assert_int_equal(model_totals(f->m)->failed, 20);
	assert_int_equal(model_totals(f->m)->regions, 40);
	assert_int_equal(model_dropped(f->m)->finished, 41 - model_nr_processes(f->m));
	assert_int_equal(model_dropped(f->m)->silent, 0);
}

static void timings_include_evicted_processes(void **state)
{
	struct fixture *f = *state;
	struct timing_limits all = { -1, -1 };
	struct timing t;

	many_processes(&f->s, 40);
	f->m = script_model(&f->s, -1, 10);
	assert_true(model_timing(f->m, 0, &all, &t));
	assert_int_equal(t.count, 40);
	assert_int_equal(t.failed, 20);
	assert_int_equal(t.total, 40 * script_seconds(0.25));
}

static void the_longest_silent_is_evicted_if_all_run(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 12; i++) {
		char sid[16];

		snprintf(sid, sizeof(sid), "p%d", i);
		script_event(&f->s, "start", sid, i, "");
		script_event(&f->s, "cmd_name", "p0", i, "'name':'x'");
	}
	f->m = script_model(&f->s, -1, 10);
	assert_non_null(script_process(f->m, "p0"));
	assert_null(script_process(f->m, "p1"));
	assert_int_equal(model_dropped(f->m)->silent, 12 - model_nr_processes(f->m));
}

static void a_late_event_makes_no_new_process(void **state)
{
	struct fixture *f = *state;

	many_processes(&f->s, 40);
	script_event(&f->s, "cmd_name", "p3", 3, "'name':'late'");
	f->m = script_model(&f->s, -1, 10);
	assert_null(script_process(f->m, "p3"));
	assert_int_equal(model_totals(f->m)->processes, 40);
	assert_int_equal(model_dropped(f->m)->late_events, 1);
	assert_int_equal(model_event_count(f->m, TR2_E_CMD_NAME), 1);
}

static void a_slot_that_is_used_again_has_another_handle(void **state)
{
	struct fixture *f = *state;
	struct handle handle;
	uint32_t slot;

	script_event(&f->s, "start", "first", 0, "");
	f->m = script_model(&f->s, -1, 4);
	slot = model_find_sid(f->m, "first", 5);
	handle = model_handle(f->m, slot);
	script_cut(&f->s);
	many_processes(&f->s, 40);
	for (unsigned i = 1; i < f->s.nr_batches; i++)
		model_apply(f->m, f->s.batches[i]);
	script_cut(&f->s);
	for (int i = 0; i < 9; i++) {
		char sid[16];

		snprintf(sid, sizeof(sid), "r%d", i);
		script_event(&f->s, "start", sid, 9, "");
	}
	model_apply(f->m, f->s.batches[f->s.nr_batches - 1]);
	assert_null(model_process(f->m, handle));
	assert_null(script_process(f->m, "first"));
}

static void thread_is(struct fixture *f, const char *event, int number)
{
	char more[64];

	snprintf(more, sizeof(more), "'thread':'th%d'", number);
	script_event(&f->s, event, "a", 0, more);
}

/* Set in `found`, of `nr` elements, which of the threads th0 to th(nr-1) process a has. */
static void threads_find(struct fixture *f, bool *found, int nr)
{
	const struct process *p = script_process(f->m, "a");

	memset(found, 0, (size_t)nr * sizeof(*found));
	for (uint32_t i = 0; i < p->threads.nr; i++) {
		size_t len;
		const char *name = model_sym(f->m, process_thread(f->m, p, i)->name, &len);
		char text[32];
		int number;

		snprintf(text, sizeof(text), "%.*s", (int)len, name);
		if (sscanf(text, "th%d", &number) == 1 && number < nr) {
			assert_false(found[number]);
			found[number] = true;
		}
	}
}

static bool has_thread(struct fixture *f, int number)
{
	const struct process *p = script_process(f->m, "a");
	char name[32];
	unsigned nr = 0;

	snprintf(name, sizeof(name), "th%d", number);
	for (uint32_t i = 0; i < p->threads.nr; i++)
		nr += script_sym_is(f->m, process_thread(f->m, p, i)->name, name);
	assert_true(nr <= 1);
	return nr;
}

static const struct thread *crowd_of(struct fixture *f)
{
	const struct process *p = script_process(f->m, "a");
	const struct thread *t = process_thread(f->m, p, p->threads.nr - 1);

	assert_true(t->is_crowd && script_sym_is(f->m, t->name, "(other)"));
	return t;
}

static void threads_that_have_exited_leave_first(void **state)
{
	struct fixture *f = *state;
	const int own = MAX_LIST_ITEMS - 1, nr_long = 9000;
	const int nr_all = counts_all() ? 60000 : 3 * own;
	static bool found[MAX_LIST_ITEMS];

	/* th0 is the first thread of the process. */
	for (int i = 0; i < own; i++)
		thread_is(f, "thread_start", i);
	thread_is(f, "thread_exit", 500);
	thread_is(f, "thread_exit", 400);
	thread_is(f, "thread_exit", 400);
	for (int i = own; i < nr_all; i++) {
		thread_is(f, "thread_start", i);
		thread_is(f, "region_enter", i);
		thread_is(f, "region_leave", i);
		thread_is(f, "thread_exit", i);
		if (i < own + 10)
			thread_is(f, "error", i - own);
	}
	f->m = script_model(&f->s, -1, 5);
	const struct process *p = script_process(f->m, "a");

	assert_int_equal(p->threads.nr, own);
	assert_true(process_threads_gone(f->m, p));
	assert_false(process_first_thread_gone(f->m, p));
	assert_int_equal(model_totals(f->m)->threads, nr_all);
	assert_int_equal(model_dropped(f->m)->list_items, nr_all - own);
	assert_int_equal(model_totals(f->m)->regions, nr_all - own);
	threads_find(f, found, nr_long);
	for (int i = 0; i < nr_long; i++)
		assert_int_equal(found[i], i != 500 && i != 400);
	assert_true(has_thread(f, nr_all - 1) && has_thread(f, nr_all - 2));
	assert_false(has_thread(f, nr_all - 3));
	/* Threads 500 and 400 return, so all listed ones run. Of three new ones only the last
	 * gets a place: that of thread 3, which has exited. */
	model_free(f->m);
	thread_is(f, "thread_start", 500);
	thread_is(f, "thread_start", 400);
	for (int i = 0; i < 2; i++)
		thread_is(f, "thread_start", nr_all + i);
	thread_is(f, "thread_exit", 3);
	thread_is(f, "thread_start", nr_all + 2);
	f->m = script_model(&f->s, -1, 5);
	p = script_process(f->m, "a");
	assert_true(has_thread(f, 500) && has_thread(f, 400) && has_thread(f, nr_all + 2));
	assert_true(has_thread(f, 0) && has_thread(f, 4) && !has_thread(f, 3));
	assert_false(has_thread(f, nr_all) || has_thread(f, nr_all + 1));
	crowd_of(f);
	/* The first thread is replaced like any other. */
	model_free(f->m);
	thread_is(f, "thread_exit", 0);
	thread_is(f, "thread_start", nr_all + 3);
	f->m = script_model(&f->s, -1, 5);
	p = script_process(f->m, "a");
	assert_true(process_first_thread_gone(f->m, p) && !has_thread(f, 0));
}

/* Threads beyond a full list share an item, each counted once. */
static void threads_beyond_a_full_list_share_one_entry(void **state)
{
	struct fixture *f = *state;
	const int own = MAX_LIST_ITEMS - 1, nr_all = counts_all() ? 40000 : 2 * own;

	for (int i = 0; i < nr_all; i++) {
		thread_is(f, "region_enter", i);
		thread_is(f, "region_enter", i);
	}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < nr_all; i++)
			thread_is(f, round ? "thread_exit" : "region_leave", i);
	f->m = script_model(&f->s, -1, 5);
	const struct process *p = script_process(f->m, "a");

	assert_int_equal(p->threads.nr, own + 1);
	assert_int_equal(model_totals(f->m)->threads, nr_all);
	assert_int_equal(model_totals(f->m)->regions, nr_all);
	for (int i = 0; i < own; i++) {
		const struct thread *t = process_thread(f->m, p, (uint32_t)i);

		assert_true(t->exited && t->open.nr == 1 && t->nr_regions == 1);
		assert_false(t->is_crowd);
	}
	assert_int_equal(p->nr_open, own);
	assert_int_equal(crowd_of(f)->nr_regions, nr_all - own);
	/* Regions of the shared item end properly, although it keeps no open ones. */
	assert_int_equal(script_process(f->m, "a")->nr_unbalanced, 0);
	assert_false(crowd_of(f)->exited);
	assert_true(process_threads_gone(f->m, p) && !process_first_thread_gone(f->m, p));
	/* A thread finds its item again while others are replaced. */
	model_free(f->m);
	for (int i = 0; i < 3 * own; i++) {
		thread_is(f, "thread_start", nr_all + i);
		thread_is(f, "thread_exit", nr_all + i);
		thread_is(f, "error", own + i % own);
	}
	f->m = script_model(&f->s, -1, 5);
	p = script_process(f->m, "a");
	assert_int_equal(p->threads.nr, own + 1);
	assert_int_equal(model_totals(f->m)->threads, nr_all + 3 * own);
	crowd_of(f);
}

static void lists_keep_their_newest_ten_thousand(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10500; i++) {
		char more[96];

		snprintf(more, sizeof(more), "'msg':'%d'", i);
		script_event(&f->s, "error", "a", 0, more);
		snprintf(more, sizeof(more), "'child_id':%d,'argv':['x']", i);
		script_event(&f->s, "child_start", "a", 0, more);
		snprintf(more, sizeof(more), "'thread':'th%d'", i);
		script_event(&f->s, "thread_start", "a", 0, more);
	}
	script_event(&f->s, "child_exit", "a", 1, "'child_id':600,'pid':1,'code':3");
	script_event(&f->s, "thread_exit", "a", 1, "'thread':'th777','t_rel':2.0");
	f->m = script_model(&f->s, -1, 5);
	const struct process *p = script_process(f->m, "a");

	assert_int_equal(p->nr_errors, 10500);
	assert_int_equal(p->errors.nr, MAX_LIST_ITEMS);
	assert_int_equal(p->children.nr, MAX_LIST_ITEMS);
	assert_int_equal(p->threads.nr, MAX_LIST_ITEMS);
	assert_memory_equal(model_text(f->m, PROCESS_ITEM(f->m, &p->errors, error_item, 0)->msg),
			    "500", 3);
	assert_int_equal(process_child(f->m, p, 0)->child_id, 500);
	assert_int_equal(process_child(f->m, p, 100)->code, 3);
	/* The thread "main" was first and stays. */
	assert_true(process_thread(f->m, p, 778)->exited);
	assert_int_equal(model_totals(f->m)->children, 10500);
	assert_int_equal(model_totals(f->m)->threads, 10501);
	assert_int_equal(model_dropped(f->m)->list_items, 500 + 500 + 502);
	model_free(f->m);
	f->m = script_model(&f->s, -1, 0);
	assert_int_equal(script_process(f->m, "a")->errors.nr, 10500);
	assert_int_equal(model_dropped(f->m)->list_items, 0);
}

static void rows_and_names_beyond_the_bound_are_counted_as_other(void **state)
{
	struct fixture *f = *state;
	struct timing_limits all = { -1, -1 };
	struct timing t;
	uint64_t count = 0, names = 0;

	for (int i = 0; i < 5000; i++) {
		char more[96], name[32];

		snprintf(more, sizeof(more), "'category':'c','label':'l%d','t_rel':0.5", i);
		script_event(&f->s, "region_enter", "a", 0, more);
		script_event(&f->s, "region_leave", "a", 0, more);
		snprintf(name, sizeof(name), "event%d", i);
		script_event(&f->s, name, "a", 0, "");
	}
	f->m = script_model(&f->s, -1, 5);
	assert_in_range(model_nr_timing_rows(f->m), 4096, 4097);
	for (uint32_t row = 0; row < model_nr_timing_rows(f->m); row++) {
		assert_true(model_timing(f->m, row, &all, &t));
		count += t.count;
	}
	assert_int_equal(count, 5000);
	assert_in_range(model_nr_event_names(f->m), 4096, 4097);
	for (uint32_t i = 0; i < model_nr_event_names(f->m); i++) {
		sym_t name;

		names += model_event_name(f->m, i, &name);
	}
	assert_int_equal(names, 5000);
	assert_int_equal(model_dropped(f->m)->names_other, 5000 - 4096);
	assert_int_equal(model_dropped(f->m)->timing_other, 5000 - 4096);
}

static void regions_never_closed_are_bounded_and_paired_right(void **state)
{
	struct fixture *f = *state;
	struct timing_limits all = { -1, -1 };
	struct timing t;

	for (int i = 0; i < 10100; i++)
		script_event(&f->s, "region_enter", "a", 0, "'nesting':1,'label':'in'");
	for (int i = 0; i < 101; i++)
		script_event(&f->s, "region_leave", "a", 1, "'nesting':1,'label':'in'");
	f->m = script_model(&f->s, -1, 5);
	const struct process *p = script_process(f->m, "a");

	/* 100 regions were not kept, so their durations are unknown. The last leave matches one
	 * that was kept. */
	assert_int_equal(process_thread(f->m, p, 0)->open.nr, MAX_LIST_ITEMS - 1);
	assert_int_equal(p->nr_open, MAX_LIST_ITEMS - 1);
	assert_true(model_timing(f->m, 0, &all, &t));
	assert_int_equal(t.count, 101);
	assert_int_equal(t.total, script_seconds(1));
}

static struct model *make_since(struct fixture *f, double seconds)
{
	struct model *m = model_new(
		&f->s.syms, &(struct model_config){ .nesting = -1,
						    .since = SCRIPT_T0_SECONDS * NS_PER_SEC +
							     script_seconds(seconds) });

	for (unsigned i = 0; i < f->s.nr_batches; i++)
		model_apply(m, f->s.batches[i]);
	model_settle(m);
	return m;
}

static void begin(struct fixture *f, const char *sid, double time)
{
	script_event(&f->s, "version", sid, time, "'evt':'4','exe':'2.55'");
	script_event(&f->s, "start", sid, time, "'t_abs':0,'argv':['git','fetch','r3']");
	script_event(&f->s, "cmd_name", sid, time, "'name':'fetch','hierarchy':'fetch'");
	script_event(&f->s, "cmd_mode", sid, time, "'name':'branch'");
	script_event(&f->s, "def_repo", sid, time, "'repo':1,'worktree':'/w'");
	script_event(&f->s, "error", sid, time, "'msg':'of before'");
}

static void processes_that_run_at_since_keep_their_names(void **state)
{
	struct fixture *f = *state;
	const struct process *p;
	struct strings_cursor argv;
	struct model *copy;
	size_t len;

	begin(f, "over", 1);
	script_event(&f->s, "exit", "over", 2, "'code':0,'t_abs':1");
	begin(f, "spans", 1);
	script_event(&f->s, "region_enter", "spans", 9, "'label':'x'");
	script_event(&f->s, "region_leave", "spans", 10, "'label':'x','t_rel':1");
	script_event(&f->s, "start", "new", 10, "'argv':['git','gc']");
	f->m = make_since(f, 5);
	assert_int_equal(model_totals(f->m)->processes, 2);
	assert_int_equal(model_totals(f->m)->events, 3);
	assert_int_equal(model_totals(f->m)->errors, 0);
	assert_null(script_process(f->m, "over"));
	p = script_process(f->m, "spans");
	assert_true(script_sym_is(f->m, p->name, "fetch"));
	assert_true(script_sym_is(f->m, p->exe, "2.55"));
	assert_int_equal(p->argv.nr, 3);
	argv = strings_begin(f->m, &p->argv);
	strings_next(&argv, &len);
	strings_next(&argv, &len);
	assert_memory_equal(strings_next(&argv, &len), "r3", 2);
	assert_int_equal(p->modes.nr, 1);
	assert_int_equal(p->worktrees.nr, 1);
	assert_int_equal(p->nr_events, 2);
	assert_int_equal(p->start, SCRIPT_T0_SECONDS * NS_PER_SEC + script_seconds(9));
	assert_int_equal(p->threads.nr, 1);
	/* A copy of the model has the description of a continuing process, too. */
	begin(f, "late", 3);
	script_event(&f->s, "data", "late", 11, "'key':'k','value':'v'");
	model_free(f->m);
	f->m = make_since(f, 5);
	copy = model_copy(f->m);
	assert_true(script_sym_is(copy, script_process(copy, "late")->name, "fetch"));
	model_free(copy);
}

/* Of events before `since`, those of ended processes are dropped first, then the oldest. */
static void data_kept_from_before_is_bounded(void **state)
{
	struct fixture *f = *state;
	size_t few, many;
	char sid[32];

	begin(f, "daemon", 0);
	for (int i = 0; i < 20000; i++) {
		snprintf(sid, sizeof(sid), "ended%d", i);
		begin(f, sid, 1);
		script_event(&f->s, "atexit", sid, 1, "'code':0,'t_abs':0.5");
	}
	script_event(&f->s, "data", "daemon", 10, "'key':'k','value':'v'");
	f->m = make_since(f, 5);
	assert_int_equal(model_totals(f->m)->processes, 1);
	assert_true(script_sym_is(f->m, script_process(f->m, "daemon")->name, "fetch"));
	few = model_bytes(f->m);
	for (int i = 0; i < 20000; i++) {
		snprintf(sid, sizeof(sid), "runs%d", i);
		begin(f, sid, 2);
	}
	script_event(&f->s, "data", "runs19999", 10, "'key':'k','value':'v'");
	script_event(&f->s, "data", "runs3", 10, "'key':'k','value':'v'");
	model_free(f->m);
	f->m = make_since(f, 5);
	many = model_bytes(f->m);
	assert_true(script_sym_is(f->m, script_process(f->m, "runs19999")->name, "fetch"));
	assert_int_equal(script_process(f->m, "runs3")->name, SYM_NONE);
	assert_true(few < (8u << 20) && many < (8u << 20));
}

/* Return the bytes of a model of 1,000 processes, with an event of an unknown kind each. All but
 * one were evicted, so their commands are summed up. */
static size_t bytes_of_model(int nr_commands, int nr_kinds)
{
	struct script s;
	struct model *m;
	size_t bytes;

	script_init(&s);
	for (int i = 0; i < 1000; i++) {
		char sid[32], name[32], more[64];

		snprintf(sid, sizeof(sid), "p%04d", i);
		script_event(&s, "start", sid, 1, "'argv':['git','x']");
		snprintf(more, sizeof(more), "'name':'c%d'", i % nr_commands);
		script_event(&s, "cmd_name", sid, 1, more);
		snprintf(name, sizeof(name), "kind%d", i % nr_kinds);
		script_event(&s, name, sid, 1, "");
		script_event(&s, "atexit", sid, 2, "'t_abs':1.0,'code':0");
	}
	m = script_model(&s, -1, 1);
	bytes = model_bytes(m);
	model_free(m);
	script_release(&s);
	return bytes;
}

static void memory_includes_commands_and_kinds_of_events(void **state)
{
	size_t few = bytes_of_model(1, 1);

	(void)state;
	assert_true(bytes_of_model(1000, 1) - few >= 999 * sizeof(struct command_cell));
	assert_true(bytes_of_model(1, 1000) - few >= 1000 * 2 * sizeof(uint64_t));
}

static void regions_beyond_a_full_tree_are_balanced(void **state)
{
	struct fixture *f = *state;
	char outer[64], inner[64];

	for (unsigned i = 0; i < MAX_THREAD_NODES / 100; i++) {
		snprintf(outer, sizeof(outer), "'nesting':1,'label':'outer%u'", i);
		script_event(&f->s, "region_enter", "a", 1, outer);
		for (unsigned j = 0; j < 100; j++) {
			snprintf(inner, sizeof(inner), "'nesting':2,'label':'inner%u'", j);
			script_event(&f->s, "region_enter", "a", 1, inner);
			script_event(&f->s, "region_leave", "a", 2, inner);
		}
		script_event(&f->s, "region_leave", "a", 2, outer);
	}
	f->m = script_model(&f->s, -1, 10);
	assert_true(model_dropped(f->m)->list_items > 0);
	assert_int_equal(script_process(f->m, "a")->nr_unbalanced, 0);
	script_event(&f->s, "region_enter", "a", 1, "'nesting':1,'label':'new'");
	script_event(&f->s, "region_leave", "a", 2, "'nesting':1,'label':'other'");
	model_free(f->m);
	f->m = script_model(&f->s, -1, 10);
	assert_int_equal(script_process(f->m, "a")->nr_unbalanced, 1);
}

static void lists_without_a_limit_keep_everything(void **state)
{
	struct fixture *f = *state;
	const int nr = counts_all() ? 100000 : 20000;

	script_event(&f->s, "start", "p", 0, "");
	for (int i = 0; i < nr; i++) {
		char more[128], sid[32];

		snprintf(more, sizeof(more), "'child_id':%d,'argv':[]", i);
		script_event(&f->s, "child_start", "p", 1, more);
		snprintf(more, sizeof(more), "'child_id':%d,'pid':%d,'code':0", i, i);
		script_event(&f->s, "child_exit", "p", 2, more);
		snprintf(sid, sizeof(sid), "p/x-P%08x", (unsigned)i);
		script_event(&f->s, "start", sid, 1, "");
		snprintf(more, sizeof(more), "'t_rel':1,'thread':'t%d','label':'l%d'", i, i);
		script_event(&f->s, "region_leave", "q", 1, more);
		snprintf(more, sizeof(more), "'t_rel':1,'label':'l%d'", i);
		script_event(&f->s, "region_leave", "q", 1, more);
		script_event(&f->s, "exit", "q", 1, i % 2 ? "'code':1" : "'code':0");
	}
	f->m = script_model(&f->s, -1, 0);
	const struct process *p = script_process(f->m, "p");

	assert_int_equal(model_totals(f->m)->by_state[STATE_LOST], nr);
	assert_int_equal(process_child(f->m, p, 77)->process,
			 model_find_sid(f->m, "p/x-P0000004d", 13));
	assert_int_equal(model_totals(f->m)->threads, nr + 1 + nr + 1);
}

static void a_sid_of_a_hundred_thousand_slashes_is_one_process(void **state)
{
	struct fixture *f = *state;
	char *sid = malloc(100001);

	memset(sid, '/', 100000);
	sid[100000] = '\0';
	script_event(&f->s, "start", sid, 0, "");
	script_event(&f->s, "exit", sid, 0, "'code':0");
	sid[99999] = '\0';
	script_event(&f->s, "exit", sid, 0, "'code':0");
	f->m = script_model(&f->s, -1, 0);
	assert_int_equal(model_totals(f->m)->processes, 2);
	assert_int_equal(model_slot(f->m, model_first_root(f->m))->depth, 99999);
	free(sid);
}

static void sums_stop_at_the_largest_number(void **state)
{
	struct fixture *f = *state;
	struct timing_limits all = { -1, -1 };
	struct timing t;

	for (int i = 0; i < 5; i++)
		script_event(&f->s, "region_leave", "a", 0, "'label':'l','t_rel':9000000000");
	f->m = script_model(&f->s, -1, 0);
	assert_true(model_timing(f->m, 0, &all, &t));
	assert_int_equal(t.total, INT64_MAX);
	assert_int_equal(t.self, INT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(reports_do_not_depend_on_the_order_of_files),
		TEST(reports_do_not_depend_on_how_batches_are_cut),
		TEST(evicts_processes_to_stay_within_the_bytes),
		TEST(a_copy_reports_the_same_and_is_independent),
		TEST(stopping_inside_a_batch_equals_a_shorter_batch),
		TEST(finished_processes_leave_oldest_end_first),
		TEST(timings_include_evicted_processes),
		TEST(the_longest_silent_is_evicted_if_all_run),
		TEST(a_late_event_makes_no_new_process),
		TEST(a_slot_that_is_used_again_has_another_handle),
		TEST(threads_that_have_exited_leave_first),
		TEST(threads_beyond_a_full_list_share_one_entry),
		TEST(lists_keep_their_newest_ten_thousand),
		TEST(rows_and_names_beyond_the_bound_are_counted_as_other),
		TEST(regions_never_closed_are_bounded_and_paired_right),
		TEST(processes_that_run_at_since_keep_their_names),
		TEST(data_kept_from_before_is_bounded),
		TEST(memory_includes_commands_and_kinds_of_events),
		TEST(regions_beyond_a_full_tree_are_balanced),
		TEST(lists_without_a_limit_keep_everything),
		TEST(a_sid_of_a_hundred_thousand_slashes_is_one_process),
		TEST(sums_stop_at_the_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
