/* SPDX-License-Identifier: MIT */
/* Tests of matched and positioned regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h must follow the headers that it needs. */
#include <cmocka.h>

#include "monitor/analysis/span_stream.h"
#include "monitor/base/grow.h"
#include "monitor/model/model.h"
#include "tests/journal_script.h"

#define SID         "20260102T030400.000000Z-H1-P00000001"
#define AT(seconds) (SCRIPT_T0_SECONDS * NS_PER_SEC + (ns_t)((seconds)*1e6) * NS_PER_US)

struct span_stream_test_told {
	struct span_region *items;
	uint32_t nr, cap;
	uint32_t nr_instants;
	struct script script;
	struct span_stream stream;
};

static void region_told(void *data, const struct span_region *region)
{
	struct span_stream_test_told *t = data;

	GROW(t->items, t->nr, t->cap, 64);
	t->items[t->nr++] = *region;
}

static void instant_told(void *data, uint32_t thread, ns_t time, const struct batch *batch,
			 const struct event *ev)
{
	struct span_stream_test_told *t = data;

	(void)batch;
	assert_true(thread < t->stream.nr_threads);
	assert_true(time == NS_NONE || time >= event_get(ev, TR2_F_TIME, NS_NONE));
	t->nr_instants++;
}

static void span_stream_test_begin(struct span_stream_test_told *t, uint32_t max_open)
{
	memset(t, 0, sizeof(*t));
	script_init(&t->script);
	span_stream_init(&t->stream, &(struct span_stream_config){ .region = region_told,
								   .instant = instant_told,
								   .data = t,
								   .max_open = max_open,
								   .messages = true });
}

/* `flush`: report waiting regions after each batch, too. */
static void span_stream_test_run(struct span_stream_test_told *t, bool flush)
{
	for (unsigned i = 0; i < t->script.nr_batches; i++) {
		struct batch_cursor cursor = batch_begin(t->script.batches[i]);
		struct event ev;

		span_stream_batch(&t->stream, t->script.batches[i]);
		while (batch_next(&cursor, &ev))
			span_stream_event(&t->stream, t->script.batches[i], &ev);
		if (flush)
			span_stream_flush(&t->stream);
	}
	span_stream_end(&t->stream);
}

static void span_stream_test_end(struct span_stream_test_told *t)
{
	span_stream_release(&t->stream);
	script_release(&t->script);
	free(t->items);
}

static const struct span_region *span_stream_test_find(const struct span_stream_test_told *t,
						       uint32_t thread, uint64_t ordinal)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->items[i].thread == thread && t->items[i].ordinal == ordinal)
			return &t->items[i];
	return NULL;
}

static void assert_nested(const struct span_stream_test_told *t)
{
	for (uint32_t i = 0; i < t->nr; i++) {
		const struct span_region *a = &t->items[i];
		const struct span_region *outer =
			a->parent == SPAN_NONE ? NULL
					       : span_stream_test_find(t, a->thread, a->parent);

		assert_true((a->start == NS_NONE) == (a->end == NS_NONE));
		assert_true(a->parent == SPAN_NONE || (outer && a->parent < a->ordinal));
		assert_true(a->start <= a->end);
		if (a->start == NS_NONE)
			continue;
		assert_true(!outer || outer->start == NS_NONE ||
			    (outer->start <= a->start && a->end <= outer->end));
		for (uint32_t j = 0; j < t->nr; j++) {
			const struct span_region *b = &t->items[j];

			assert_true(i == j || a->thread != b->thread || a->ordinal != b->ordinal);
			if (a->thread == b->thread && b->start != NS_NONE)
				assert_false(a->start < b->start && b->start < a->end &&
					     a->end < b->end);
		}
	}
}

static void assert_figures(const struct span_stream_test_told *t)
{
	struct model *m = script_model((struct script *)(uintptr_t)&t->script, -1, 0);
	uint64_t nr = 0;

	for (uint32_t row = 0; row < model_nr_timing_rows(m); row++) {
		struct timing_limits limits = { -1, -1 };
		struct timing timing;
		ns_t total = 0, self = 0;
		uint64_t count = 0;

		if (!model_timing(m, row, &limits, &timing))
			continue;
		for (uint32_t i = 0; i < t->nr; i++) {
			const struct span_region *r = &t->items[i];

			if (r->open || r->category != timing.category || r->label != timing.label)
				continue;
			total += r->elapsed == NS_NONE ? 0 : r->elapsed;
			self += r->self == NS_NONE ? 0 : r->self;
			count++;
		}
		assert_int_equal(count, timing.count);
		assert_int_equal(total, timing.total);
		assert_int_equal(self, timing.self);
		nr += count;
	}
	assert_int_equal(nr, model_totals(m)->regions);
	model_free(m);
}

static uint32_t span_stream_test_dice(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % sides;
}

/* Write enters and leaves in any order, with decreasing or missing times, and any t_rel. */
static void any_trace(struct span_stream_test_told *t, uint32_t seed)
{
	double clock = 1;

	for (int i = 0; i < 120; i++) {
		char more[160], rel[40] = "";
		uint32_t thread = span_stream_test_dice(&seed, 3),
			 label = span_stream_test_dice(&seed, 4);
		bool enter = span_stream_test_dice(&seed, 2);
		double time;

		clock += span_stream_test_dice(&seed, 5) / 1000.0 -
			 (span_stream_test_dice(&seed, 12) ? 0 : 0.02);
		time = span_stream_test_dice(&seed, 9) ? clock : SCRIPT_NO_TIME;
		if (span_stream_test_dice(&seed, 5))
			snprintf(rel, sizeof(rel), "'t_rel':%u.%06u,",
				 span_stream_test_dice(&seed, 40) ? 0 : 3,
				 span_stream_test_dice(&seed, 20000));
		snprintf(more, sizeof(more),
			 "'thread':'th%02u:x',%s'nesting':%u,'category':'c','label':'l%u'", thread,
			 enter ? "" : rel, span_stream_test_dice(&seed, 4), label);
		script_event(&t->script, enter ? "region_enter" : "region_leave", SID, time, more);
	}
}

static void positions_nest_and_figures_match_the_report(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 200; seed++) {
		struct span_stream_test_told t;

		span_stream_test_begin(&t, 0);
		t.script.cut_every = 1 + seed % 7;
		any_trace(&t, seed);
		span_stream_test_run(&t, seed % 3 == 0);
		assert_nested(&t);
		assert_figures(&t);
		span_stream_test_end(&t);
	}
}

static const struct span_region *span_stream_test_one(const struct span_stream_test_told *t,
						      const char *label)
{
	const struct span_region *found = NULL;

	for (uint32_t i = 0; i < t->nr; i++) {
		size_t len;
		const char *text = tr2_intern_text(&t->script.syms, t->items[i].label, &len);

		if (len == strlen(label) && !memcmp(text, label, len)) {
			assert_null(found);
			found = &t->items[i];
		}
	}
	assert_non_null(found);
	return found;
}

static void positions_are_cut_only_if_necessary(void **state)
{
	struct span_stream_test_told t;

	(void)state;
	span_stream_test_begin(&t, 0);
	/* The clock gives 1.0 s, t_rel 1.5: the time before is free, so the region begins before
	 * its enter. */
	script_event(&t.script, "region_enter", SID, 1, "'nesting':1,'label':'long','msg':'why'");
	script_event(&t.script, "region_leave", SID, 2, "'t_rel':1.5,'nesting':1,'label':'long'");
	script_event(&t.script, "data", SID, 3, "'category':'c','key':'k','value':'v'");
	script_event(&t.script, "region_enter", SID, 3, "'nesting':1,'label':'before'");
	script_event(&t.script, "region_leave", SID, 3.75,
		     "'t_rel':0.75,'nesting':1,'label':'before'");
	/* This region has neighbours: 1.5 s do not fit between them. */
	script_event(&t.script, "region_enter", SID, 4, "'nesting':1,'label':'cut'");
	script_event(&t.script, "region_leave", SID, 5, "'t_rel':1.5,'nesting':1,'label':'cut'");
	script_event(&t.script, "region_enter", SID, 5.125, "'nesting':1,'label':'around'");
	script_event(&t.script, "region_enter", SID, 6, "'nesting':2,'label':'inner'");
	script_event(&t.script, "region_enter", SID, 6.5, "'nesting':3,'label':'innermost'");
	script_event(&t.script, "region_leave", SID, 7,
		     "'t_rel':1,'nesting':3,'label':'innermost'");
	script_event(&t.script, "region_leave", SID, 7, "'t_rel':1.5,'nesting':2,'label':'inner'");
	script_event(&t.script, "region_leave", SID, 7,
		     "'t_rel':1.875,'nesting':1,'label':'around'");
	/* The region "left" was never entered; the region "open" never ends. */
	script_event(&t.script, "region_leave", SID, 8, "'t_rel':0.5,'nesting':1,'label':'left'");
	script_event(&t.script, "region_enter", SID, 9, "'nesting':1,'label':'open'");
	script_event(&t.script, "atexit", SID, 10, "'t_abs':9,'code':0");
	span_stream_test_run(&t, false);
	assert_int_equal(span_stream_test_one(&t, "long")->start, AT(0.5));
	assert_int_equal(span_stream_test_one(&t, "long")->end, AT(2));
	assert_int_equal(span_stream_test_one(&t, "long")->begun, AT(1));
	assert_int_equal(span_stream_test_one(&t, "long")->msg_len, 3);
	assert_int_equal(span_stream_test_one(&t, "cut")->start, AT(3.75));
	assert_int_equal(span_stream_test_one(&t, "cut")->end, AT(5.125));
	assert_int_equal(span_stream_test_one(&t, "cut")->elapsed, 1500 * NS_PER_MS);
	assert_int_equal(span_stream_test_one(&t, "around")->end, AT(7));
	assert_int_equal(span_stream_test_one(&t, "inner")->end, AT(7));
	assert_int_equal(span_stream_test_one(&t, "innermost")->end, AT(7));
	assert_int_equal(span_stream_test_one(&t, "inner")->parent,
			 span_stream_test_one(&t, "around")->ordinal);
	assert_int_equal(span_stream_test_one(&t, "left")->start, AT(7.5));
	assert_true(span_stream_test_one(&t, "open")->open);
	assert_int_equal(span_stream_test_one(&t, "open")->elapsed, NS_PER_SEC);
	assert_int_equal(span_stream_test_one(&t, "open")->end, AT(10));
	assert_int_equal(t.nr_instants, 1);
	assert_nested(&t);
	span_stream_test_end(&t);
}

static void a_region_without_enter_and_t_rel_has_no_duration(void **state)
{
	struct span_stream_test_told t;

	(void)state;
	span_stream_test_begin(&t, 0);
	script_event(&t.script, "start", SID, 1, "'t_abs':0,'argv':['git','x']");
	script_event(&t.script, "region_enter", SID, 2, "'nesting':1,'label':'outer'");
	script_event(&t.script, "region_leave", SID, 3, "'nesting':2,'label':'outer'");
	script_event(&t.script, "region_leave", SID, 4, "'nesting':1,'label':'left'");
	span_stream_test_run(&t, false);
	assert_int_equal(span_stream_test_one(&t, "outer")->elapsed, NS_PER_SEC);
	assert_int_equal(span_stream_test_one(&t, "left")->elapsed, NS_NONE);
	assert_int_equal(span_stream_test_one(&t, "left")->self, NS_NONE);
	assert_figures(&t);
	span_stream_test_end(&t);
}

static void handles_ten_thousand_levels(void **state)
{
	(void)state;
	for (int kept = 0; kept < 2; kept++) {
		struct span_stream_test_told t;

		span_stream_test_begin(&t, kept ? 0 : 64);
		for (int i = 0; i < 10000; i++)
			script_event(&t.script, "region_enter", SID, 1 + i * 1e-6, "'label':'l'");
		for (int i = 0; i < 10000; i++)
			script_event(&t.script, "region_leave", SID, 2 + i * 1e-6,
				     "'t_rel':1.0,'label':'l'");
		span_stream_test_run(&t, false);
		assert_int_equal(t.nr, 10000);
		assert_int_equal(t.stream.nr_threads, 1);
		assert_int_equal(t.stream.threads[0].nr_frames, 0);
		for (uint32_t i = 1; i < t.nr; i++)
			assert_true(t.items[i].end - t.items[i].start <= 2 * NS_PER_SEC);
		span_stream_test_end(&t);
	}
}

/*
 * A process that reuses the number of a released process gets only its own regions, as with a
 * stream for each.
 */
static void released_processes_leave_no_state(void **state)
{
	struct span_stream_test_told all, each;

	(void)state;
	span_stream_test_begin(&all, 0);
	for (uint32_t seed = 0; seed < 50; seed++) {
		uint32_t told = all.nr, first = all.script.nr_batches;

		span_stream_test_begin(&each, 0);
		any_trace(&each, seed);
		span_stream_test_run(&each, false);
		script_cut(&all.script);
		any_trace(&all, seed);
		for (unsigned i = first; i < all.script.nr_batches; i++) {
			struct batch_cursor cursor = batch_begin(all.script.batches[i]);
			struct event ev;

			span_stream_batch(&all.stream, all.script.batches[i]);
			while (batch_next(&cursor, &ev))
				span_stream_event(&all.stream, all.script.batches[i], &ev);
		}
		assert_int_equal(all.stream.nr_processes, 1);
		assert_true(all.stream.nr_threads <= 3);
		span_stream_end_process(&all.stream, 0);
		assert_int_equal(all.nr - told, each.nr);
		for (uint32_t i = 0; i < each.nr; i++) {
			const struct span_region *a = &all.items[told + i];
			bool found = false;

			for (uint32_t j = 0; j < each.nr && !found; j++) {
				const struct span_region *b = &each.items[j];

				found = a->ordinal == b->ordinal && a->start == b->start &&
					a->end == b->end && a->elapsed == b->elapsed &&
					a->self == b->self && a->parent == b->parent &&
					a->open == b->open;
			}
			assert_true(found);
		}
		span_stream_forget(&all.stream, 0);
		assert_int_equal(span_stream_find(&all.stream, SID, strlen(SID)), UINT32_MAX);
		span_stream_test_end(&each);
	}
	span_stream_end(&all.stream);
	span_stream_test_end(&all);
}

static void look_reports_open_regions_without_ending_them(void **state)
{
	struct span_stream_test_told t;
	unsigned i;

	(void)state;
	span_stream_test_begin(&t, 0);
	script_event(&t.script, "region_enter", SID, 1, "'nesting':1,'label':'outer'");
	script_event(&t.script, "region_enter", SID, 2, "'nesting':2,'label':'inner'");
	script_event(&t.script, "data", SID, 4, "'category':'c','key':'k','value':'v'");
	for (i = 0; i < t.script.nr_batches; i++) {
		struct batch_cursor cursor = batch_begin(t.script.batches[i]);
		struct event ev;

		span_stream_batch(&t.stream, t.script.batches[i]);
		while (batch_next(&cursor, &ev))
			span_stream_event(&t.stream, t.script.batches[i], &ev);
	}
	assert_int_equal(span_stream_innermost(&t.stream, 0), 1);
	span_stream_report_open(&t.stream, 0);
	assert_int_equal(t.nr, 2);
	assert_int_equal(span_stream_test_one(&t, "inner")->ordinal, 1);
	assert_true(span_stream_test_one(&t, "outer")->open &&
		    span_stream_test_one(&t, "inner")->open);
	assert_int_equal(span_stream_test_one(&t, "outer")->end, AT(4));
	assert_int_equal(span_stream_test_one(&t, "inner")->end, AT(4));
	assert_int_equal(span_stream_test_one(&t, "outer")->self, NS_PER_SEC);
	t.nr = 0;
	script_cut(&t.script);
	script_event(&t.script, "region_leave", SID, 5, "'t_rel':3.0,'nesting':2,'label':'inner'");
	for (; i < t.script.nr_batches; i++) {
		struct batch_cursor cursor = batch_begin(t.script.batches[i]);
		struct event ev;

		span_stream_batch(&t.stream, t.script.batches[i]);
		while (batch_next(&cursor, &ev))
			span_stream_event(&t.stream, t.script.batches[i], &ev);
	}
	span_stream_end(&t.stream);
	assert_int_equal(t.nr, 2);
	assert_false(span_stream_test_one(&t, "inner")->open);
	assert_int_equal(span_stream_test_one(&t, "inner")->end, AT(5));
	assert_true(span_stream_test_one(&t, "outer")->open);
	span_stream_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_nest_and_figures_match_the_report),
		cmocka_unit_test(positions_are_cut_only_if_necessary),
		cmocka_unit_test(a_region_without_enter_and_t_rel_has_no_duration),
		cmocka_unit_test(handles_ten_thousand_levels),
		cmocka_unit_test(released_processes_leave_no_state),
		cmocka_unit_test(look_reports_open_regions_without_ending_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
