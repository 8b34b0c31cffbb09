/* SPDX-License-Identifier: MIT */
/*
 * Tests of analyses without a screen: this program is linked without views/.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "monitor/analysis/commands.h"
#include "monitor/analysis/doing.h"
#include "monitor/analysis/errors.h"
#include "monitor/analysis/event_log.h"
#include "monitor/analysis/formats.h"
#include "monitor/analysis/callers_callees.h"
#include "monitor/analysis/lanes.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/occurrences.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/thread_totals.h"
#include "monitor/base/hist.h"
#include "tests/journal_script.h"

#define T0 ((ns_t)SCRIPT_T0_SECONDS * NS_PER_SEC)

struct analysis_test_fixture {
	struct script script;
	struct journal *journal;
	struct model *model;
	struct analysis what;
	struct occurrences found;
	struct callers_callees kins;
	struct event_log log;
	struct lanes lanes;
};

static void analysis_test_fixture_open(struct analysis_test_fixture *f)
{
	memset(f, 0, sizeof(*f));
	script_init(&f->script);
	f->journal = journal_new(64 << 20, NULL, NULL);
	f->model = model_new(&f->script.syms, &(struct model_config){ .nesting = -1 });
	script_stream(&f->script, 1, 0, true);
}

static void fixture_ready(struct analysis_test_fixture *f)
{
	const struct batch *batch;

	for (unsigned i = 0; i < f->script.nr_batches; i++) {
		journal_push(f->journal, f->script.batches[i]);
		f->script.batches[i] = NULL;
		while ((batch = journal_next(f->journal)))
			model_apply(f->model, batch);
	}
	f->script.nr_batches = 0;
	script_cut(&f->script);
	f->what = (struct analysis){ .model = f->model,
				     .journal = f->journal,
				     .limits = { -1, -1 },
				     .now = T0 + 10 * NS_PER_SEC,
				     .process = HANDLE_NONE,
				     .category = SYM_NONE,
				     .label = SYM_NONE };
}

static void analysis_test_fixture_close(struct analysis_test_fixture *f)
{
	occurrences_release(&f->found);
	callers_callees_release(&f->kins);
	log_release(&f->log);
	lanes_release(&f->lanes);
	model_free(f->model);
	journal_free(f->journal);
	script_release(&f->script);
}

static sym_t sym(struct analysis_test_fixture *f, const char *text)
{
	return script_sym(&f->script, text);
}

static struct handle handle_of(const struct analysis_test_fixture *f, const char *sid)
{
	return model_handle(f->model, model_find_sid(f->model, sid, strlen(sid)));
}

static void choose(struct analysis_test_fixture *f, const char *label, const char *sid)
{
	f->what.category = sym(f, "c");
	f->what.label = sym(f, label);
	f->what.process = sid ? handle_of(f, sid) : HANDLE_NONE;
}

static void analysis_test_enter(struct analysis_test_fixture *f, const char *sid, double time,
				int nesting, const char *label)
{
	char more[200];

	snprintf(more, sizeof(more), "'nesting':%d,'category':'c','label':'%s'", nesting, label);
	script_event(&f->script, "region_enter", sid, time, more);
}

static void analysis_test_leave(struct analysis_test_fixture *f, const char *sid, double time,
				int nesting, const char *label, double t_rel)
{
	char more[200];

	snprintf(more, sizeof(more), "'t_rel':%.6f,'nesting':%d,'category':'c','label':'%s'", t_rel,
		 nesting, label);
	script_event(&f->script, "region_leave", sid, time, more);
}

static void analysis_test_data(struct analysis_test_fixture *f, const char *sid, double time,
			       const char *key, const char *value)
{
	char more[200];

	snprintf(more, sizeof(more), "'category':'d','key':'%s','value':'%s'", key, value);
	script_event(&f->script, "data", sid, time, more);
}

static void analysis_test_write_two(struct analysis_test_fixture *f)
{
	script_event(&f->script, "start", "a", 0, "'t_abs':0.0,'argv':['git','a']");
	analysis_test_data(f, "a", 0.05, "before", "0");
	analysis_test_enter(f, "a", 0.1, 1, "outer");
	analysis_test_enter(f, "a", 0.2, 2, "inner");
	analysis_test_data(f, "a", 0.25, "n", "1");
	analysis_test_leave(f, "a", 0.3, 2, "inner", 0.1);
	analysis_test_enter(f, "a", 0.4, 2, "inner");
	analysis_test_leave(f, "a", 0.6, 2, "inner", 0.2);
	analysis_test_data(f, "a", 0.65, "n", "2");
	analysis_test_data(f, "a", 0.66, "m", "7");
	analysis_test_leave(f, "a", 0.7, 1, "outer", 0.6);
	analysis_test_data(f, "a", 0.75, "after", "0");
	analysis_test_enter(f, "a", 0.8, 1, "inner");
	analysis_test_leave(f, "a", 0.85, 1, "inner", 0.05);
	script_event(&f->script, "start", "b", 1, "'t_abs':0.0,'argv':['git','b']");
	script_event(&f->script, "region_enter", "b", 1.1,
		     "'thread':'th01:x','nesting':1,'category':'c','label':'inner'");
	script_event(&f->script, "region_leave", "b", 1.5,
		     "'thread':'th01:x','t_rel':0.4,'nesting':1,'category':'c','label':'inner'");
}

static void open_two(struct analysis_test_fixture *f, const char *label, const char *sid)
{
	analysis_test_fixture_open(f);
	analysis_test_write_two(f);
	fixture_ready(f);
	choose(f, label, sid);
}

static void analysis_test_read_all(struct analysis_test_fixture *f)
{
	do
		occurrences_read(&f->found, &f->what);
	while (f->found.percent < 100);
}

static void assert_kin(const struct analysis_test_fixture *p, uint32_t at, const char *label,
		       uint64_t count, double total, double max)
{
	const struct caller_callee *kin = &p->kins.items[at];
	size_t len;
	const char *text = model_sym(p->model, kin->label, &len);

	assert_true(at < p->kins.nr);
	assert_int_equal(kin->none, label == NULL);
	if (label) {
		assert_int_equal(len, strlen(label));
		assert_memory_equal(text, label, len);
	}
	assert_int_equal(kin->count, count);
	assert_int_equal(kin->total, (ns_t)(total * 1e9 + 0.5));
	assert_int_equal(kin->max, (ns_t)(max * 1e9 + 0.5));
}

static void kin_finds_parents_and_children_by_time(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "inner", NULL);
	callers_callees_make(&p.kins, &p.what, CALLERS_PARENTS);
	assert_int_equal(p.kins.nr, 2);
	assert_kin(&p, 0, NULL, 2, 0.45, 0.4);
	assert_kin(&p, 1, "outer", 2, 0.3, 0.2);
	callers_callees_make(&p.kins, &p.what, CALLERS_CHILDREN);
	assert_int_equal(p.kins.nr, 0);
	analysis_test_fixture_close(&p);
	open_two(&p, "outer", NULL);
	callers_callees_make(&p.kins, &p.what, CALLERS_CHILDREN);
	assert_int_equal(p.kins.nr, 1);
	assert_kin(&p, 0, "inner", 2, 0.3, 0.2);
	p.what.limits.nesting = 1;
	callers_callees_make(&p.kins, &p.what, CALLERS_CHILDREN);
	assert_int_equal(p.kins.nr, 0);
	analysis_test_fixture_close(&p);
}

static void kin_separates_processes_and_threads(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "inner", NULL);
	callers_callees_make(&p.kins, &p.what, CALLERS_PROCESSES);
	assert_int_equal(p.kins.nr, 2);
	assert_int_equal(p.kins.items[0].total, 400 * NS_PER_MS);
	assert_int_equal(p.kins.items[1].total, 350 * NS_PER_MS);
	assert_int_equal(p.kins.items[1].count, 3);
	callers_callees_make(&p.kins, &p.what, CALLERS_THREADS);
	assert_int_equal(p.kins.nr, 2);
	assert_int_equal(p.kins.items[0].thread, sym(&p, "th01:x"));
	analysis_test_fixture_close(&p);
	open_two(&p, "inner", "a");
	callers_callees_make(&p.kins, &p.what, CALLERS_PROCESSES);
	assert_int_equal(p.kins.nr, 1);
	assert_int_equal(p.kins.items[0].count, 3);
	analysis_test_fixture_close(&p);
}

static void occurrences_count_data_logged_inside(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "outer", NULL);
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr_notes, 2);
	assert_int_equal(p.found.notes[0].key, sym(&p, "n"));
	assert_int_equal(p.found.notes[0].count, 2);
	assert_memory_equal(p.found.notes[0].value, "2", 1);
	assert_int_equal(p.found.notes[1].count, 1);
	analysis_test_fixture_close(&p);
	open_two(&p, "inner", NULL);
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr_notes, 1);
	assert_int_equal(p.found.notes[0].count, 1);
	analysis_test_fixture_close(&p);
}

static void occurrences_keep_the_slowest_and_count_all(void **state)
{
	const unsigned nr = OCCURRENCES_MAX + 30000;
	struct analysis_test_fixture p;
	uint64_t counted = 0;
	unsigned nr_slow = 0;

	(void)state;
	analysis_test_fixture_open(&p);
	/* Add each duration of 0 to nr - 1 microseconds once, in mixed order. */
	for (unsigned i = 0; i < nr; i++)
		analysis_test_leave(&p, "a", 1, 1, "l", (double)((uint64_t)i * 99991 % nr) / 1e6);
	fixture_ready(&p);
	choose(&p, "l", NULL);
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr_ended, nr);
	assert_int_equal(p.found.nr, OCCURRENCES_MAX);
	for (uint32_t i = 0; i < p.found.nr; i++)
		nr_slow += p.found.items[i].duration >= (ns_t)(nr - OCCURRENCES_MAX) * 1000;
	assert_int_equal(nr_slow, OCCURRENCES_MAX);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		counted += p.found.sums[i];
	assert_int_equal(counted, nr);
	assert_int_equal(p.found.max, (ns_t)(nr - 1) * 1000);
	assert_int_equal(p.found.min, 0);
	analysis_test_fixture_close(&p);
}

/* A region inside a region of the same name: each leave belongs to the innermost enter. */
static void occurrences_of_a_recursive_region_have_their_own_message(void **state)
{
	struct analysis_test_fixture p;
	const struct occurrence *items;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "region_enter", "a", 1,
		     "'nesting':1,'category':'c','label':'l','msg':'outer'");
	script_event(&p.script, "region_enter", "a", 2,
		     "'nesting':2,'category':'c','label':'l','msg':'inner'");
	analysis_test_leave(&p, "a", 3, 2, "l", 1);
	analysis_test_data(&p, "a", 3.5, "n", "1");
	analysis_test_leave(&p, "a", 5, 1, "l", 4);
	analysis_test_data(&p, "a", 6, "n", "2");
	fixture_ready(&p);
	choose(&p, "l", NULL);
	analysis_test_read_all(&p);
	items = p.found.items;
	assert_int_equal(p.found.nr, 2);
	assert_int_equal(items[0].event, 1);
	assert_memory_equal(items[0].message, "inner", 5);
	assert_int_equal(items[1].event, 0);
	assert_non_null(items[1].message);
	assert_memory_equal(items[1].message, "outer", 5);
	assert_int_equal(p.found.nr_notes, 1);
	assert_int_equal(p.found.notes[0].count, 1);
	analysis_test_fixture_close(&p);
}

static void occurrences_respect_limits_and_the_past(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "inner", NULL);
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr, 4);
	p.what.limits.nesting = 1;
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr, 2);
	p.what.limits.nesting = -1;
	p.what.past = true;
	p.what.lookback_position = 7;
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr, 1);
	p.what.lookback_position = 8;
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr, 2);
	p.what.lookback_position = 3;
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr, 0);
	p.what.past = false;
	analysis_test_read_all(&p);
	assert_int_equal(p.found.nr, 4);
	analysis_test_fixture_close(&p);
}

static uint64_t walk_count(struct analysis_test_fixture *f)
{
	uint64_t nr = 0, key = 0;

	log_begin(&f->what, &f->log);
	for (key = log_walk(&f->what, &f->log, key, 1, 0); key != LOG_NONE;
	     key = log_walk(&f->what, &f->log, key + 1, 1, 0))
		nr++;
	return nr;
}

static void log_shows_the_events_of_its_scope(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "inner", NULL);
	p.log.scope = LOG_ALL;
	assert_int_equal(walk_count(&p), 17);
	p.log.scope = LOG_PROCESS;
	p.what.process = handle_of(&p, "b");
	assert_int_equal(walk_count(&p), 3);
	p.what.process = handle_of(&p, "a");
	assert_int_equal(walk_count(&p), 14);
	p.what.past = true;
	p.what.lookback_position = 5;
	assert_int_equal(walk_count(&p), 5);
	analysis_test_fixture_close(&p);
}

static void log_shows_the_events_that_match_a_filter(void **state)
{
	struct filter_error error;
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "inner", NULL);
	p.log.scope = LOG_ALL;
	p.what.events = filter_new("event = data", FILTER_ROWS_EVENT, 0, &error);
	assert_non_null(p.what.events);
	assert_int_equal(walk_count(&p), 5);
	log_count(&p.what, &p.log);
	assert_true(p.log.counted);
	assert_int_equal(p.log.nr, 5);
	assert_int_equal(p.log.nr_hidden, 12);
	filter_free(p.what.events);
	p.what.events = NULL;
	analysis_test_fixture_close(&p);
}

static void log_formats_records_as_text(void **state)
{
	struct tr2_buf line = { .max = 1 << 16 };
	struct log_record record;
	struct analysis_test_fixture p;

	(void)state;
	open_two(&p, "inner", NULL);
	p.log.scope = LOG_ALL;
	log_begin(&p.what, &p.log);
	assert_true(log_take(&p.what, &p.log,
			     log_walk(&p.what, &p.log, log_end(&p.what, &p.log), -1, 0), &record));
	log_format(&p.what, &record, &line);
	assert_non_null(strstr(tr2_buf_cstr(&line), "th01:x region_leave 400ms c"));
	assert_int_equal(record.number, 16);
	assert_true(log_find(&p.what, log_key_of(&p.what, 3), &record));
	assert_int_equal(record.number, 3);
	tr2_buf_release(&line);
	analysis_test_fixture_close(&p);
}

static void lanes_come_after_their_parents(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "start", "p", 0, "'t_abs':0.0,'argv':['git','p']");
	script_event(&p.script, "start", "p/c", 0.5, "'t_abs':0.0,'argv':['git','c']");
	analysis_test_enter(&p, "p/c", 0.6, 1, "l");
	analysis_test_leave(&p, "p/c", 0.8, 1, "l", 0.2);
	script_event(&p.script, "atexit", "p/c", 1, "'t_abs':0.5,'code':0");
	script_event(&p.script, "atexit", "p", 2, "'t_abs':2.0,'code':0");
	fixture_ready(&p);
	assert_int_equal(lanes_gather(&p.lanes, &p.what, SLOT_NONE), 0);
	assert_int_equal(p.lanes.read, 100);
	assert_false(p.lanes.live);
	assert_int_equal(p.lanes.nr, 2);
	assert_int_equal(p.lanes.items[1].parent, 0);
	assert_int_equal(p.lanes.items[1].level, 1);
	assert_int_equal(lanes_track(&p.lanes, p.model, &p.lanes.items[1])->nr, 1);
	assert_int_equal(p.lanes.first, T0);
	assert_int_equal(p.lanes.edge, T0 + 2 * NS_PER_SEC);
	p.what.limits.depth = 0;
	assert_int_equal(lanes_gather(&p.lanes, &p.what, SLOT_NONE), 1);
	assert_int_equal(p.lanes.nr, 1);
	analysis_test_fixture_close(&p);
}

static void open_regions_last_until_now(void **state)
{
	const struct process *process;
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "start", "p", 0, "'t_abs':0.0,'argv':['git','p']");
	script_event(&p.script, "child_start", "p", 1, "'child_id':0,'argv':['git','c']");
	analysis_test_enter(&p, "p", 2, 1, "l");
	fixture_ready(&p);
	process = model_process(p.model, handle_of(&p, "p"));
	const struct child *child = process_child(p.model, process, 0);
	const struct open_region *open =
		thread_open(p.model, process_thread(p.model, process, 0), 0);

	assert_true(process_is_live(process) && child_is_live(process, child));
	assert_int_equal(process_time(process, p.what.now), 10 * NS_PER_SEC);
	assert_int_equal(child_time(process, child, p.what.now), 9 * NS_PER_SEC);
	assert_int_equal(region_time(process, open, p.what.now), 8 * NS_PER_SEC);
	/* If the clock went back, durations are 0, not negative. */
	assert_int_equal(region_time(process, open, T0), 0);
	script_event(&p.script, "child_exit", "p", 3, "'child_id':0,'t_rel':2.5,'code':0");
	analysis_test_leave(&p, "p", 3, 1, "l", 1);
	script_event(&p.script, "atexit", "p", 4, "'t_abs':4.5,'code':0");
	fixture_ready(&p);
	process = model_process(p.model, handle_of(&p, "p"));
	child = process_child(p.model, process, 0);
	assert_false(process_is_live(process) || child_is_live(process, child));
	assert_int_equal(process_time(process, p.what.now), 4500 * NS_PER_MS);
	assert_int_equal(child_time(process, child, p.what.now), 2500 * NS_PER_MS);
	analysis_test_fixture_close(&p);
}

/* A generation of a Go trace arrives when it is complete: later state is unknown. */
static void open_regions_of_go_last_until_the_last_event(void **state)
{
	const struct process *process;
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_about_trace(&p.script, "p", "go", ABOUT_IN_PIECES, NULL);
	script_event(&p.script, "version", "p", 0, "'thread':'runtime'");
	script_event(&p.script, "child_start", "p", 1,
		     "'thread':'runtime','child_id':0,'argv':['task']");
	script_event(&p.script, "region_enter", "p", 2,
		     "'thread':'P0','nesting':1,'category':'proc','label':'running'");
	script_event(
		&p.script, "data", "p", 5,
		"'thread':'runtime','nesting':1,'category':'go','key':'generation','value':'1'");
	fixture_ready(&p);
	process = model_process(p.model, handle_of(&p, "p"));
	assert_true(process_is_live(process));
	assert_int_equal(process_time(process, p.what.now), 5 * NS_PER_SEC);
	assert_int_equal(child_time(process, process_child(p.model, process, 0), p.what.now),
			 4 * NS_PER_SEC);
	assert_int_equal(region_time(process,
				     thread_open(p.model, process_thread(p.model, process, 1), 0),
				     p.what.now),
			 3 * NS_PER_SEC);
	assert_int_equal(process_now(process, NS_NONE), NS_NONE);
	analysis_test_fixture_close(&p);
}

static uint32_t main_of(struct analysis_test_fixture *f, const char *sid)
{
	return process_main_thread(f->model, script_process(f->model, sid));
}

static void formats_define_words_and_main_thread(void **state)
{
	struct analysis_test_fixture fixture, *f = &fixture;
	const struct process *p;

	(void)state;
	analysis_test_fixture_open(f);
	script_about_trace(&f->script, "g", "go", 0, "G1 main.main");
	script_event(&f->script, "version", "g", 0, "'thread':'runtime'");
	script_event(&f->script, "region_enter", "g", 0,
		     "'thread':'G7 x.y','nesting':1,'category':'goroutine','label':'x.y'");
	script_event(&f->script, "region_enter", "g", 0,
		     "'thread':'G1 main.main','nesting':1,'category':'goroutine','label':'m'");
	script_event(&f->script, "data", "g", 2,
		     "'thread':'runtime','nesting':1,'category':'go','key':'k','value':'1'");
	script_about_trace(&f->script, "g", "go", ABOUT_ENDED, NULL);
	script_about_trace(&f->script, "h", "go", 0, NULL);
	script_event(&f->script, "version", "h", 0, "'thread':'runtime'");
	script_event(&f->script, "region_enter", "h", 0,
		     "'thread':'P0','nesting':1,'category':'proc','label':'running'");
	script_event(&f->script, "region_enter", "h", 0,
		     "'thread':'G7 x.y','nesting':1,'category':'goroutine','label':'x.y'");
	script_about_trace(&f->script, "u", "a format of tomorrow", 0, NULL);
	script_event(&f->script, "start", "e", 0, "");
	fixture_ready(f);
	p = script_process(f->model, "g");
	assert_string_equal(format_of(f->model, p)->threads, "Goroutines and regions");
	assert_string_equal(format_of(f->model, p)->children, "Tasks");
	assert_int_equal(main_of(f, "g"), 2);
	assert_int_equal(main_of(f, "h"), 2);
	assert_int_equal(main_of(f, "e"), 0);
	assert_int_equal(main_of(f, "u"), UINT32_MAX);
	for (const char *sid = "ue"; *sid; sid++)
		assert_string_equal(
			format_of(f->model, script_process(f->model, (char[]){ *sid, 0 }))->threads,
			"Threads and regions");
	assert_string_equal(format_of(f->model, NULL)->threads, "Threads and regions");
	assert_int_equal(thread_end(p, process_thread(f->model, p, 1), T0 + 9 * NS_PER_SEC),
			 T0 + 2 * NS_PER_SEC);
	analysis_test_fixture_close(f);
}

static void lane_enter(struct analysis_test_fixture *f, const char *thread, double at, int nesting,
		       const char *category, const char *label)
{
	char more[160];

	snprintf(more, sizeof(more), "'thread':'%s','nesting':%d,'category':'%s','label':'%s'",
		 thread, nesting, category, label);
	script_event(&f->script, "region_enter", "g", at, more);
}

static void lane_leave(struct analysis_test_fixture *f, const char *thread, double at, int nesting,
		       const char *category, const char *label, double time)
{
	char more[160];

	snprintf(more, sizeof(more),
		 "'thread':'%s','nesting':%d,'category':'%s','label':'%s','t_rel':%.6f", thread,
		 nesting, category, label, time);
	script_event(&f->script, "region_leave", "g", at, more);
}

static void assert_part(const struct analysis_test_fixture *f, const struct thread_totals *t,
			uint32_t at, enum together_kind kind, const char *label, uint64_t count,
			ns_t ms)
{
	assert_true(at < t->nr);
	assert_int_equal(t->parts[at].kind, kind);
	if (label)
		assert_true(script_sym_is(f->model, t->parts[at].label, label));
	assert_int_equal(t->parts[at].count, count);
	assert_int_equal(t->parts[at].time, ms * NS_PER_MS);
}

static void together_sums_all_goroutines(void **state)
{
	struct analysis_test_fixture fixture, *f = &fixture;
	struct thread_totals t = { .parts = NULL };

	(void)state;
	analysis_test_fixture_open(f);
	script_about_trace(&f->script, "g", "go", 0, "G1 main.main");
	script_event(&f->script, "version", "g", 0, "'thread':'runtime'");
	lane_enter(f, "P0", 0, 1, "proc", "running");
	lane_enter(f, "G1 m", 0, 1, "goroutine", "m");
	lane_enter(f, "G1 m", 1, 2, "waiting", "sleep");
	lane_enter(f, "G2 w", 1, 1, "goroutine", "w");
	lane_enter(f, "G2 w", 1, 2, "runnable", "new");
	lane_leave(f, "G2 w", 1.5, 2, "runnable", "new", 0.5);
	lane_enter(f, "G2 w", 1.6, 2, "region", "mine");
	lane_enter(f, "G2 w", 1.7, 3, "syscall", "os.read");
	lane_leave(f, "G2 w", 1.9, 3, "syscall", "os.read", 0.2);
	lane_leave(f, "G2 w", 2, 2, "region", "mine", 0.4);
	for (unsigned i = 0; i < 3; i++) {
		char label[16];

		snprintf(label, sizeof(label), "little %u", i);
		lane_enter(f, "G2 w", 2 + 0.1 * i, 2, "waiting", label);
		lane_leave(f, "G2 w", 2.1 + 0.1 * i, 2, "waiting", label, 0.1 + 0.001 * i);
	}
	lane_leave(f, "G2 w", 3, 1, "goroutine", "w", 2);
	lane_enter(f, "runtime", 3, 1, "gc", "mark");
	lane_leave(f, "runtime", 4, 1, "gc", "mark", 1);
	script_about_trace(&f->script, "g", "go", ABOUT_ENDED, NULL);
	script_event(&f->script, "start", "e", 0, "");
	fixture_ready(f);
	assert_true(thread_totals_make(&t, &f->what, model_find_sid(f->model, "g", 1)));
	assert_int_equal(t.nr_lanes, 2);
	/* G1 ran for 1 second and waits from second 1 to 4. G2 ran for 2 - 0.5 - 0.2 - 0.303
	 * seconds. */
	assert_part(f, &t, 0, THREAD_TOTALS_WAITING, "sleep", 1, 3000);
	assert_part(f, &t, 1, THREAD_TOTALS_RUNNING, NULL, 0, 1000 + 997);
	assert_part(f, &t, 2, THREAD_TOTALS_RUNNABLE, "new", 1, 500);
	assert_part(f, &t, 3, THREAD_TOTALS_WAITING, "little 2", 3, 303);
	assert_true(t.parts[3].has_others && !t.parts[0].has_others);
	assert_part(f, &t, 4, THREAD_TOTALS_SYSCALL, NULL, 1, 200);
	assert_int_equal(t.nr, 5);
	assert_int_equal(t.time, 6 * NS_PER_SEC);
	assert_int_equal(t.nr_procs, 1);
	assert_int_equal(t.procs_time, 4 * NS_PER_SEC);
	assert_int_equal(t.procs_wall, 4 * NS_PER_SEC);
	assert_false(t.is_partial);
	assert_false(thread_totals_make(&t, &f->what, model_find_sid(f->model, "e", 1)));
	assert_int_equal(t.nr, 0);
	thread_totals_release(&t);
	analysis_test_fixture_close(f);
}

static void names_fall_back_to_what_is_known(void **state)
{
	struct tr2_buf out = { .max = SAY_MAX_BYTES };
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "version", "x/y", 0, "'exe':'1'");
	fixture_ready(&p);
	format_process(p.model, script_process(p.model, "x/y"), &out);
	assert_string_equal(tr2_buf_cstr(&out), "y");
	script_event(&p.script, "start", "x/y", 0, "'argv':['git','a b']");
	fixture_ready(&p);
	tr2_buf_clear(&out);
	format_process(p.model, script_process(p.model, "x/y"), &out);
	assert_string_equal(tr2_buf_cstr(&out), "a b");
	script_event(&p.script, "cmd_name", "x/y", 0,
		     "'name':'_run_shell_alias_','hierarchy':'fetch/_run_dashed_/"
		     "_run_shell_alias_'");
	fixture_ready(&p);
	tr2_buf_clear(&out);
	format_process(p.model, script_process(p.model, "x/y"), &out);
	assert_string_equal(tr2_buf_cstr(&out), "fetch > a b");
	tr2_buf_clear(&out);
	format_hierarchy(p.model, sym(&p, "fetch/_run_dashed_/_run_shell_alias_"), &out);
	assert_string_equal(tr2_buf_cstr(&out), "fetch > _run_dashed_ > _run_shell_alias_");
	tr2_buf_clear(&out);
	format_region(p.model, sym(&p, "c"), SYM_NONE, &out);
	assert_string_equal(tr2_buf_cstr(&out), "c/?");
	tr2_buf_clear(&out);
	format_term(p.model, "name", sym(&p, "a'b"), &out);
	format_term(p.model, "label", SYM_NONE, &out);
	assert_string_equal(tr2_buf_cstr(&out), "name = \"a'b\"");
	tr2_buf_release(&out);
	analysis_test_fixture_close(&p);
}

static void assert_command(struct analysis_test_fixture *p, const char *sid, const char *name,
			   const char *whole)
{
	struct tr2_buf out = { .max = SAY_MAX_BYTES };
	size_t len;

	format_command(p->model, script_process(p->model, sid), &out, &len);
	assert_string_equal(tr2_buf_cstr(&out), whole);
	assert_int_equal(len, strlen(name));
	assert_memory_equal(out.data, name, len);
	assert_memory_equal(command_name(p->model, script_process(p->model, sid), &len), name,
			    strlen(name));
	assert_int_equal(len, strlen(name));
	tr2_buf_release(&out);
}

static void command_names_skip_options_of_git(void **state)
{
	static const struct {
		const char *argv, *name, *hierarchy, *shown_name, *shown;
	} rows[] = {
		{ "'git','fetch','r3'", "fetch", "fetch", "fetch", "fetch r3" },
		{ "'git','-C','work','-c','a=b','--no-pager','fetch','-q','x'", "fetch", "fetch",
		  "fetch", "fetch -q x" },
		{ "'git','--git-dir=/x','-C','fetch','fetch'", "fetch", "fetch", "fetch", "fetch" },
		{ "'git','pack-objects','--revs'", "pack-objects", "clone/upload-pack/pack-objects",
		  "pack-objects", "pack-objects --revs" },
		{ "'/usr/lib/git-core/git-upload-pack','/srv/x'", "upload-pack", "upload-pack",
		  "upload-pack", "upload-pack /srv/x" },
		{ "'git','job40','-v'", "_run_shell_alias_", "_run_dashed_/_run_shell_alias_",
		  "job40", "job40 -v" },
		{ "'git','-C','w','nosuch'", "_run_dashed_", "_run_dashed_", "nosuch", "nosuch" },
		{ "'/tmp/demo/git/bin/git-daemon','--serve','/p'", NULL, NULL, "git-daemon",
		  "git-daemon --serve /p" },
		{ "'/usr/bin/git','-C','w','gc'", NULL, NULL, "gc", "gc" },
		{ "'/usr/bin/git'", NULL, NULL, "git", "git" },
		{ "'git','--version'", "version", "version", "version", "version --version" },
		{ "'git','--exec-path'", "_query_", "_query_", "_query_", "_query_ --exec-path" },
		{ "'remote-tool','remote','add','x'", "remote-add", NULL, "remote-add",
		  "remote-add x" },
		{ "'/opt/tool','a b'", "tool", NULL, "tool", "tool 'a b'" },
		{ "'git','co','x'", "checkout", "checkout", "checkout", "checkout x (co)" },
		{ "", NULL, "a/b", "b", "b" },
		{ "''", NULL, NULL, "", "" },
		{ "'a/'", NULL, NULL, "a/", "a/" },
		{ "'git','-C'", NULL, NULL, "git", "git -C" },
	};
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char sid[8], rest[200];

		snprintf(sid, sizeof(sid), "s%zu", i);
		snprintf(rest, sizeof(rest), "'argv':[%s]", rows[i].argv);
		script_event(&p.script, "start", sid, 0, rest);
		if (rows[i].name || rows[i].hierarchy) {
			int len = rows[i].name
					  ? snprintf(rest, sizeof(rest), "'name':'%s'%s",
						     rows[i].name, rows[i].hierarchy ? "," : "")
					  : 0;

			if (rows[i].hierarchy)
				snprintf(rest + len, sizeof(rest) - (size_t)len, "'hierarchy':'%s'",
					 rows[i].hierarchy);
			script_event(&p.script, "cmd_name", sid, 0, rest);
		}
	}
	script_event(&p.script, "start", "al", 0, "'argv':['git','-p','job40','--all']");
	script_event(&p.script, "cmd_name", "al", 0, "'name':'_run_git_alias_'");
	script_event(&p.script, "alias", "al", 0, "'alias':'job40','argv':['fetch','r3']");
	script_event(&p.script, "cmd_name", "al", 0, "'name':'fetch'");
	fixture_ready(&p);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char sid[8];

		snprintf(sid, sizeof(sid), "s%zu", i);
		assert_command(&p, sid, rows[i].shown_name, rows[i].shown);
	}
	assert_command(&p, "al", "fetch", "fetch r3 --all (job40)");
	analysis_test_fixture_close(&p);
}

static void ancestors_skip_internal_names(void **state)
{
	struct tr2_buf out = { .max = SAY_MAX_BYTES };
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "cmd_name", "p", 0,
		     "'name':'gc','hierarchy':'_run_dashed_/fetch/maintenance/gc'");
	script_event(&p.script, "cmd_name", "q", 0, "'name':'gc'");
	fixture_ready(&p);
	format_ancestors(p.model, script_process(p.model, "p"), &out);
	assert_string_equal(tr2_buf_cstr(&out), "fetch > maintenance > ");
	format_ancestors(p.model, script_process(p.model, "q"), &out);
	assert_string_equal(tr2_buf_cstr(&out), "fetch > maintenance > ");
	tr2_buf_release(&out);
	analysis_test_fixture_close(&p);
}

/* The first argument of a shell is a command line; in other commands a blank is part of a path. */
static void shell_commands_are_named_after_their_first_word(void **state)
{
	static const struct {
		const char *argv, *shown;
		bool is_shell;
		size_t name_len;
	} rows[] = {
		{ "'git-upload-pack \\u0027/srv/b.git\\u0027'", "git-upload-pack '/srv/b.git'",
		  true, 15 },
		{ "'/usr/lib/git-core/git-remote-x /y/z','a'", "git-remote-x /y/z a", true, 12 },
		{ "'/my tools/tool','x'", "tool x", false, 4 },
		{ "'ls'", "ls", true, 2 },
		{ "''", "", true, 0 },
		{ "' /x'", " /x", true, 0 },
	};
	struct tr2_buf out = { .max = SAY_MAX_BYTES };
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char rest[200];

		snprintf(rest, sizeof(rest), "'child_id':%zu,'argv':[%s]", i, rows[i].argv);
		script_event(&p.script, "child_start", "p", 0, rest);
	}
	fixture_ready(&p);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct child *child = process_child(p.model, script_process(p.model, "p"), i);
		size_t name_len;

		tr2_buf_clear(&out);
		format_argv(p.model, &child->argv, rows[i].is_shell, &out, &name_len);
		assert_string_equal(tr2_buf_cstr(&out), rows[i].shown);
		assert_int_equal(name_len, rows[i].name_len);
	}
	tr2_buf_release(&out);
	analysis_test_fixture_close(&p);
}

static struct doing doing_of(struct analysis_test_fixture *p)
{
	fixture_ready(p);
	return process_doing(p->model, script_process(p->model, "p"));
}

static void assert_in_region(struct analysis_test_fixture *p, const char *label)
{
	struct doing doing = doing_of(p);

	assert_non_null(doing.region);
	assert_null(doing.child);
	assert_int_equal(doing.region->label, sym(p, label));
}

static void doing_is_the_innermost_region_or_the_child_waited_for(void **state)
{
	struct doing doing;
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "version", "p", 0, "'exe':'1'");
	doing = doing_of(&p);
	assert_true(!doing.region && !doing.child);
	script_event(&p.script, "region_enter", "p", 1, "'nesting':1,'category':'c','label':'l'");
	assert_in_region(&p, "l");
	/* The process waits for a child that began inside the region, unless the child runs in the
	 * background. */
	script_event(&p.script, "child_start", "p", 2,
		     "'child_id':0,'child_class':'background','argv':['git','gc']");
	assert_in_region(&p, "l");
	script_event(&p.script, "child_start", "p", 3, "'child_id':1,'argv':['git','x']");
	doing = doing_of(&p);
	assert_null(doing.region);
	assert_int_equal(doing.child->child_id, 1);
	script_event(&p.script, "region_enter", "p", 4, "'nesting':2,'category':'c','label':'in'");
	assert_in_region(&p, "in");
	script_event(&p.script, "region_leave", "p", 5, "'nesting':2,'category':'c','label':'in'");
	assert_int_equal(doing_of(&p).child->child_id, 1);
	script_event(&p.script, "child_exit", "p", 6, "'child_id':1,'t_rel':3,'code':0");
	script_event(&p.script, "region_leave", "p", 7, "'nesting':1,'category':'c','label':'l'");
	/* The region of another thread counts if the first thread is outside any region. */
	script_event(&p.script, "region_enter", "p", 8,
		     "'thread':'th01:w','nesting':1,'category':'c','label':'w'");
	assert_in_region(&p, "w");
	assert_int_equal(process_waited(p.model, script_process(p.model, "p"), p.what.now),
			 8 * NS_PER_SEC);
	script_event(&p.script, "atexit", "p", 9, "'t_abs':9,'code':0");
	doing = doing_of(&p);
	assert_true(!doing.region && !doing.child);
	analysis_test_fixture_close(&p);
}

static void waited_time_equals_the_time_of_running_children(void **state)
{
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "version", "p", 0, "'exe':'1'");
	fixture_ready(&p);
	assert_int_equal(process_waited(p.model, script_process(p.model, "p"), p.what.now), 0);
	script_event(&p.script, "child_start", "p", 1, "'child_id':0");
	script_event(&p.script, "child_start", "p", 2, "'child_id':1");
	script_event(&p.script, "child_exit", "p", 3, "'child_id':0,'t_rel':2,'code':0");
	script_event(&p.script, "child_exit", "p", 4, "'child_id':1,'t_rel':2,'code':0");
	script_event(&p.script, "child_start", "p", 6, "'child_id':2");
	script_event(&p.script, "child_exit", "p", 7, "'child_id':2,'t_rel':0.5,'code':0");
	script_event(&p.script, "atexit", "p", 9, "'t_abs':9,'code':0");
	fixture_ready(&p);
	assert_int_equal(process_waited(p.model, script_process(p.model, "p"), p.what.now),
			 3500 * NS_PER_MS);
	analysis_test_fixture_close(&p);
}

/* Runs of 1, 2, 3 ... seconds, of which those of odd seconds failed, and one that still runs. */
static void run_command(struct analysis_test_fixture *p, const char *name, int nr, const char *more)
{
	char sid[32], rest[200];

	for (int i = 0; i <= nr; i++) {
		snprintf(sid, sizeof(sid), "%s%d", name, i);
		snprintf(rest, sizeof(rest), "'argv':['git','%s'%s]", name, more);
		script_event(&p->script, "start", sid, i, rest);
		snprintf(rest, sizeof(rest), "'name':'%s'", name);
		script_event(&p->script, "cmd_name", sid, i, rest);
		snprintf(rest, sizeof(rest), "'repo':1,'worktree':'/w/%d'", i % 2);
		script_event(&p->script, "def_repo", sid, i, rest);
		snprintf(rest, sizeof(rest), "'t_abs':%d,'code':%d", i, i % 2);
		if (i)
			script_event(&p->script, "atexit", sid, i, rest);
	}
}

static struct command *command_named(struct commands *commands, const char *name)
{
	for (uint32_t i = 0; i < commands->nr; i++)
		if (commands->items[i].len == strlen(name) && commands->items[i].text &&
		    !memcmp(commands->items[i].text, name, strlen(name)))
			return &commands->items[i];
	fail_msg("no row of %s", name);
	return NULL;
}

static void make_commands(struct analysis_test_fixture *p, struct commands *commands,
			  struct commands_by by)
{
	model_settle(p->model);
	commands_make(commands, &(struct commands_of){ .model = p->model, .depth = -1 }, by);
}

static void statistics_include_evicted_processes(void **state)
{
	static const uint32_t bounds[] = { 0, 100, 8, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		struct commands commands = { 0 };
		struct command *row;
		struct analysis_test_fixture p;
		uint32_t at;

		analysis_test_fixture_open(&p);
		model_free(p.model);
		p.model = model_new(
			&p.script.syms,
			&(struct model_config){ .nesting = -1, .max_processes = bounds[i] });
		run_command(&p, "fetch", 100, ",'-q','r3'");
		run_command(&p, "gc", 1, "");
		script_event(&p.script, "version", "nameless", 3, "'exe':'2'");
		fixture_ready(&p);
		make_commands(&p, &commands, COMMANDS_BY_NAME);
		assert_int_equal(commands.nr, 3);
		row = command_named(&commands, "fetch");
		at = (uint32_t)(row - commands.items);
		assert_int_equal(row->count, 100);
		assert_int_equal(row->running, 1);
		assert_int_equal(row->failed, 50);
		assert_int_equal(row->timed, 100);
		assert_int_equal(row->total, 5050 * NS_PER_SEC);
		assert_int_equal(row->min, NS_PER_SEC);
		assert_int_equal(row->max, 100 * NS_PER_SEC);
		assert_int_equal(row->last, T0 + 100 * NS_PER_SEC);
		assert_in_range(commands_quantile(&commands, p.model, at, 0.5), 49500 * NS_PER_MS,
				50500 * NS_PER_MS);
		assert_in_range(commands_quantile(&commands, p.model, at, 0.99), 98 * NS_PER_SEC,
				100 * NS_PER_SEC);
		row = command_named(&commands, "gc");
		assert_int_equal(row->count + row->running, 2);
		assert_int_equal(model_dropped(p.model)->finished + model_dropped(p.model)->silent >
					 0,
				 bounds[i] != 0);
		commands_release(&commands);
		analysis_test_fixture_close(&p);
	}
}

static void quantiles_match_the_sorted_durations(void **state)
{
	static const int counts[] = { 1, 2, 3, 10, 97, 4096, 5000 };
	static const double quantiles[] = { 0.9, 0.5, 0.99, 0.001, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct commands commands = { 0 };
		int nr = counts[i];
		struct analysis_test_fixture p;

		analysis_test_fixture_open(&p);
		for (int at = 0; at < nr; at++) {
			char sid[16], rest[80];

			/* 7919 is a prime, so that each duration of 1 to nr seconds occurs once. */
			snprintf(sid, sizeof(sid), "s%d", at);
			snprintf(rest, sizeof(rest), "'t_abs':%d,'code':0", at * 7919 % nr + 1);
			script_event(&p.script, "atexit", sid, 1, rest);
		}
		fixture_ready(&p);
		make_commands(&p, &commands, COMMANDS_BY_NAME);
		for (size_t q = 0; q < sizeof(quantiles) / sizeof(*quantiles); q++) {
			double exact = quantiles[q] * nr, rank = (double)(int64_t)exact;

			rank += rank < exact;
			rank = rank > 0 ? rank : 1;
			assert_float_equal(
				(double)commands_quantile(&commands, p.model, 0, quantiles[q]) /
					NS_PER_SEC,
				rank, rank * (nr > 4096 ? 0.01 : 0));
		}
		commands_release(&commands);
		analysis_test_fixture_close(&p);
	}
}

static void histograms_belong_to_the_requested_row(void **state)
{
	static const uint32_t bounds[] = { 0, 8, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		struct commands commands = { 0 };
		struct analysis_test_fixture p;

		analysis_test_fixture_open(&p);
		model_free(p.model);
		p.model = model_new(
			&p.script.syms,
			&(struct model_config){ .nesting = -1, .max_processes = bounds[i] });
		for (int more = 0; more < 2; more++) {
			run_command(&p, more ? "log" : "fetch", 9, "");
			run_command(&p, more ? "gc" : "status", 3, "");
			fixture_ready(&p);
			make_commands(&p, &commands, COMMANDS_BY_NAME);
			for (uint32_t at = 0; at < 3 * commands.nr; at++) {
				uint32_t row = at * 2 % commands.nr;
				const uint64_t *sums = commands_sums(&commands, p.model, row);
				uint64_t sum = 0;

				for (int bucket = 0; bucket < HIST_BUCKETS; bucket++)
					sum += sums[bucket];
				assert_int_equal(sum, commands.items[row].timed);
			}
		}
		commands_release(&commands);
		analysis_test_fixture_close(&p);
	}
}

static void commands_are_grouped_by_the_requested_key(void **state)
{
	struct commands commands = { 0 };
	const struct command *row;
	struct analysis_test_fixture p;
	uint64_t id;

	(void)state;
	analysis_test_fixture_open(&p);
	run_command(&p, "fetch", 3, ",'-q','r3'");
	run_command(&p, "gc", 2, "");
	run_command(&p, "commit", 1, ",'--allow-empty','-qm','slow'");
	fixture_ready(&p);
	make_commands(&p, &commands, commands_by(ATTRIBUTE_COMMAND));
	assert_int_equal(commands.nr, 3);
	assert_int_equal(command_named(&commands, "commit slow")->count, 1);
	assert_int_equal(command_named(&commands, "fetch r3")->count, 3);
	assert_int_equal(command_named(&commands, "gc")->count, 2);
	make_commands(&p, &commands, commands_by(ATTRIBUTE_SUBCOMMAND));
	assert_int_equal(commands.nr, 3);
	assert_int_equal(command_named(&commands, "commit")->count, 1);
	assert_int_equal(command_named(&commands, "fetch")->count, 3);
	make_commands(&p, &commands, commands_by(ATTRIBUTE_COMMAND));
	id = command_named(&commands, "fetch r3")->id;
	assert_int_equal(commands_group(p.model, script_process(p.model, "fetch2"),
					commands_by(ATTRIBUTE_COMMAND)),
			 id);
	assert_int_not_equal(commands_group(p.model, script_process(p.model, "gc1"),
					    commands_by(ATTRIBUTE_COMMAND)),
			     id);
	make_commands(&p, &commands, commands_by(ATTRIBUTE_WORKTREE));
	assert_int_equal(commands.nr, 2);
	assert_int_equal(command_named(&commands, "/w/1")->failed, 4);
	assert_int_equal(command_named(&commands, "/w/0")->failed, 0);
	make_commands(&p, &commands, commands_by(ATTRIBUTE_EXE));
	assert_int_equal(commands.nr, 1);
	row = &commands.items[0];
	assert_null(row->text);
	assert_int_equal(row->count, 6);
	assert_int_equal(row->running, 3);
	commands_release(&commands);
	analysis_test_fixture_close(&p);
}

static void run_with_argv(struct analysis_test_fixture *p, const char *sid, const char *name,
			  const char *argv)
{
	char rest[200];

	snprintf(rest, sizeof(rest), "'argv':[%s]", argv);
	script_event(&p->script, "start", sid, 1, rest);
	snprintf(rest, sizeof(rest), "'name':'%s'", name);
	script_event(&p->script, "cmd_name", sid, 1, rest);
}

static void subcommands_are_listed_words_not_values_of_options(void **state)
{
	static const struct {
		const char *name, *argv, *group;
	} runs[] = {
		{ "stash", "'git','stash','-q','pop'", "stash pop" },
		{ "stash", "'git','stash','-m','slow'", "stash" },
		{ "stash", "'git','stash','push','-m','slow'", "stash push" },
		{ "stash", "'git','stash'", "stash" },
		{ "remote", "'git','-C','/w','remote','-v','update'", "remote update" },
		{ "commit", "'git','commit','--allow-empty','-qm','slow'", "commit" },
		{ "commit", "'git','commit','-F','pop'", "commit" },
		{ "stash", "'git','pp'", "stash pop" },
	};
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		char sid[16];

		snprintf(sid, sizeof(sid), "r%zu", i);
		run_with_argv(&p, sid, runs[i].name, runs[i].argv);
	}
	script_event(&p.script, "alias", "r7", 2, "'alias':'pp','argv':['stash','pop']");
	fixture_ready(&p);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct tr2_buf text = { .max = 100 };
		char sid[16];

		snprintf(sid, sizeof(sid), "r%zu", i);
		commands_format_group(p.model, script_process(p.model, sid),
				      commands_by(ATTRIBUTE_SUBCOMMAND), &text);
		assert_string_equal(tr2_buf_cstr(&text), runs[i].group);
		tr2_buf_release(&text);
	}
	analysis_test_fixture_close(&p);
}

static void commands_without_times_have_no_durations(void **state)
{
	struct commands commands = { 0 };
	const struct command *row;
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "cmd_name", "p", 1, "'name':'x'");
	script_event(&p.script, "atexit", "p", 2, "'code':0");
	fixture_ready(&p);
	make_commands(&p, &commands, COMMANDS_BY_NAME);
	row = command_named(&commands, "x");
	assert_int_equal(row->count, 1);
	assert_int_equal(row->timed, 0);
	assert_true(row->min == NS_NONE && row->max == NS_NONE);
	assert_true(commands_quantile(&commands, p.model, 0, 0.5) == NS_NONE);
	commands_release(&commands);
	analysis_test_fixture_close(&p);
}

static void assert_error(struct analysis_test_fixture *p, const struct error *error,
			 const char *said, uint64_t event)
{
	struct tr2_buf out = { .max = SAY_MAX_BYTES };

	error_format(p->model, error_item_of(p->model, error), &out);
	assert_string_equal(tr2_buf_cstr(&out), said);
	assert_int_equal(error_event(&p->what, error), event);
	tr2_buf_release(&out);
}

static void errors_are_sorted_newest_first_or_by_format(void **state)
{
	struct errors errors = { 0 };
	struct analysis_test_fixture p;

	(void)state;
	analysis_test_fixture_open(&p);
	script_event(&p.script, "error", "a", 1, "'msg':'no x','fmt':'no %s'");
	script_event(&p.script, "error", "b", 2, "'msg':'bad','fmt':'bad'");
	script_event(&p.script, "error", "b/c", 3, "'msg':'no y','fmt':'no %s'");
	fixture_ready(&p);
	script_event(&p.script, "error", "b", 1.5, "'fmt':'only %s'");
	fixture_ready(&p);
	errors_make(&errors, &p.what, false);
	assert_int_equal(errors.nr, 4);
	assert_error(&p, &errors.items[0], "no y", 2);
	assert_error(&p, &errors.items[1], "bad", 1);
	assert_error(&p, &errors.items[2], "only %s", 3);
	assert_error(&p, &errors.items[3], "no x", 0);
	errors_make(&errors, &p.what, true);
	assert_int_equal(errors.nr, 4);
	assert_error(&p, &errors.items[0], "no y", 2);
	assert_error(&p, &errors.items[1], "no x", 0);
	assert_error(&p, &errors.items[2], "bad", 1);
	p.what.process = handle_of(&p, "b");
	errors_make(&errors, &p.what, true);
	assert_int_equal(errors.nr, 2);
	p.what.process = HANDLE_NONE;
	p.what.limits.depth = 0;
	errors_make(&errors, &p.what, true);
	assert_int_equal(errors.nr, 3);
	p.what.journal = NULL;
	assert_true(error_event(&p.what, &errors.items[0]) == UINT64_MAX);
	errors_release(&errors);
	analysis_test_fixture_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kin_finds_parents_and_children_by_time),
		cmocka_unit_test(kin_separates_processes_and_threads),
		cmocka_unit_test(occurrences_count_data_logged_inside),
		cmocka_unit_test(occurrences_keep_the_slowest_and_count_all),
		cmocka_unit_test(occurrences_of_a_recursive_region_have_their_own_message),
		cmocka_unit_test(occurrences_respect_limits_and_the_past),
		cmocka_unit_test(log_shows_the_events_of_its_scope),
		cmocka_unit_test(log_shows_the_events_that_match_a_filter),
		cmocka_unit_test(log_formats_records_as_text),
		cmocka_unit_test(lanes_come_after_their_parents),
		cmocka_unit_test(open_regions_last_until_now),
		cmocka_unit_test(open_regions_of_go_last_until_the_last_event),
		cmocka_unit_test(formats_define_words_and_main_thread),
		cmocka_unit_test(together_sums_all_goroutines),
		cmocka_unit_test(names_fall_back_to_what_is_known),
		cmocka_unit_test(command_names_skip_options_of_git),
		cmocka_unit_test(ancestors_skip_internal_names),
		cmocka_unit_test(shell_commands_are_named_after_their_first_word),
		cmocka_unit_test(doing_is_the_innermost_region_or_the_child_waited_for),
		cmocka_unit_test(waited_time_equals_the_time_of_running_children),
		cmocka_unit_test(statistics_include_evicted_processes),
		cmocka_unit_test(quantiles_match_the_sorted_durations),
		cmocka_unit_test(histograms_belong_to_the_requested_row),
		cmocka_unit_test(commands_are_grouped_by_the_requested_key),
		cmocka_unit_test(subcommands_are_listed_words_not_values_of_options),
		cmocka_unit_test(commands_without_times_have_no_durations),
		cmocka_unit_test(errors_are_sorted_newest_first_or_by_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
