/* SPDX-License-Identifier: MIT */
/* Tests of looking back: the state after n events equals a replay of n events. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/history/journal.h"
#include "monitor/history/lookback.h"
#include "tests/journal_script.h"

static const struct model_config config = { .nesting = -1 };

static void make_trace(struct script *script, unsigned nr, unsigned seed)
{
	double now = 0;

	for (unsigned i = 0; i < nr; i++) {
		char sid[64];

		seed = seed * 1103515245 + 12345;
		snprintf(sid, sizeof(sid), "s%u%s", seed >> 16 & 31, seed >> 22 & 1 ? "/c" : "");
		now += 0.001;
		if (i % 50 == 0)
			script_stream(script, i / 50, now, true);
		switch (seed >> 24 & 7) {
		case 0:
			script_event(script, "start", sid, now, "'t_abs':0.1,'argv':['git','x']");
			break;
		case 1:
		case 2:
			script_event(script, "region_enter", sid, now,
				     "'nesting':1,'category':'c','label':'l'");
			break;
		case 3:
		case 4:
			script_event(script, "region_leave", sid, now,
				     "'t_rel':0.01,'nesting':1,'category':'c','label':'l'");
			break;
		case 5:
			script_event(script, "child_start", sid, now, "'child_id':0,'argv':['x']");
			break;
		case 6:
			script_event(script, "error", sid, now, "'msg':'no','fmt':'%s'");
			break;
		default:
			script_event(script, "exit", sid, now, "'t_abs':0.5,'code':1");
			break;
		}
		if (seed >> 20 & 1 && (nr <= 5000 || i % 16 == 0))
			script_cut(script);
	}
}

static void journal_fill(struct journal *journal, struct script *script, struct model *live)
{
	const struct batch *batch;

	for (unsigned i = 0; i < script->nr_batches; i++) {
		journal_push(journal, script->batches[i]);
		script->batches[i] = NULL;
		while ((batch = journal_next(journal)))
			model_apply(live, batch);
		journal_trim(journal);
	}
	script->nr_batches = 0;
}

static struct model *fresh_cut(const struct script *script, uint64_t position)
{
	struct model *m = model_new(&script->syms, &config);
	uint64_t seen = 0;

	for (unsigned i = 0; i < script->nr_batches && seen < position; i++) {
		const struct batch *batch = script->batches[i];
		struct batch_cursor cursor = batch_begin(batch);
		struct event ev;
		uint32_t records = 0;

		while (seen < position && batch_next(&cursor, &ev)) {
			records++;
			seen += event_is_trace2(&ev);
		}
		model_apply_range(m, batch, 0, records);
	}
	model_settle(m);
	return m;
}

static void every_position_equals_a_replay_up_to_it(void **state)
{
	static struct script script, twin;
	struct journal *journal = journal_new(SIZE_MAX / 2, NULL, NULL);
	struct model *live;
	struct lookback *past;
	unsigned seed = 7;

	(void)state;
	script_init(&script);
	script_init(&twin);
	make_trace(&script, 3000, 1);
	make_trace(&twin, 3000, 1);
	live = model_new(&script.syms, &config);
	past = lookback_new(journal, &script.syms, &config);
	journal_fill(journal, &script, live);
	assert_int_equal(lookback_first(past), 0);
	assert_int_equal(lookback_end(past), 3000);
	for (int i = 0; i < (getenv("COUNTS_ALL") ? 300 : 120); i++) {
		struct model *want;
		uint64_t to;

		seed = seed * 1103515245 + 12345;
		to = i % 3 == 0   ? (seed >> 8) % 3001
		     : i % 3 == 1 ? lookback_position(past) - (lookback_position(past) > 0)
				  : lookback_position(past) + 1;
		if (to > 3000)
			to = 3000;
		want = fresh_cut(&twin, to);
		script_reports_equal(lookback_seek(past, to, NULL), want);
		assert_int_equal(lookback_position(past), to);
		model_free(want);
	}
	script_reports_equal(lookback_seek(past, UINT64_MAX, NULL), live);
	lookback_leave(past);
	lookback_free(past);
	model_free(live);
	journal_free(journal);
	script_release(&script);
	script_release(&twin);
}

static void base_contains_evicted_events(void **state)
{
	static struct script script, twin;
	struct journal *journal = journal_new(60000, NULL, NULL);
	struct model *live;
	struct lookback *past;

	(void)state;
	script_init(&script);
	script_init(&twin);
	make_trace(&script, 3000, 2);
	make_trace(&twin, 3000, 2);
	live = model_new(&script.syms, &config);
	past = lookback_new(journal, &script.syms, &config);
	journal_fill(journal, &script, live);
	assert_true(lookback_first(past) > 100);
	assert_int_equal(lookback_end(past), 3000);
	for (uint64_t to = lookback_first(past); to <= 3000; to += 97) {
		struct model *want = fresh_cut(&twin, to);

		script_reports_equal(lookback_seek(past, to, NULL), want);
		model_free(want);
	}
	/* A position before the oldest state gives that state. */
	lookback_seek(past, 0, NULL);
	assert_int_equal(lookback_position(past), lookback_first(past));
	lookback_free(past);
	model_free(live);
	journal_free(journal);
	script_release(&script);
	script_release(&twin);
}

/* The cursor of a lookback may be at the end of an evicted batch. The history is too short
 * for checkpoints. */
static void never_starts_from_an_evicted_batch(void **state)
{
	static struct script script;
	struct journal *journal = journal_new(20000, NULL, NULL);
	const struct batch *batch;
	struct lookback *past;

	(void)state;
	script_init(&script);
	make_trace(&script, 3000, 2);
	past = lookback_new(journal, &script.syms, &config);
	for (unsigned i = 0; i < script.nr_batches; i++) {
		journal_push(journal, script.batches[i]);
		script.batches[i] = NULL;
		while ((batch = journal_next(journal)))
			;
		journal_trim(journal);
		lookback_seek(past, UINT64_MAX, NULL);
		assert_int_equal(lookback_position(past), lookback_end(past));
		batch = journal_at(journal, journal_first_seq(journal));
		lookback_seek(past, batch->first_event + batch->nr_events, NULL);
	}
	assert_true(lookback_first(past) > 100);
	lookback_free(past);
	journal_free(journal);
	script_release(&script);
}

static void copies_stay_within_the_history(void **state)
{
	static const size_t bounds[] = { 1 << 20, 4 << 20 };

	(void)state;
	for (size_t b = 0; b < 2; b++) {
		static struct script script;
		struct journal *journal = journal_new(bounds[b], NULL, NULL);
		size_t one, most;
		struct model *live;
		struct lookback *past;
		unsigned seed = 7;

		script_init(&script);
		make_trace(&script, 40000, 5);
		live = model_new(&script.syms, &config);
		past = lookback_new(journal, &script.syms, &config);
		journal_fill(journal, &script, live);
		one = model_bytes(live);
		most = 3 * one > bounds[b] ? 3 * one : bounds[b];
		for (int i = 0; i < 60; i++) {
			seed = seed * 1103515245 + 12345;
			lookback_seek(past, i % 2 ? lookback_end(past) - i : (seed >> 8) % 40000,
				      NULL);
			assert_true(lookback_bytes(past) <= most);
		}
		lookback_free(past);
		model_free(live);
		journal_free(journal);
		script_release(&script);
	}
}

static void batches_and_copies_share_the_history(void **state)
{
	static struct script script;
	const size_t bound = 16 << 20;
	struct journal *journal = journal_new(bound, NULL, NULL);
	struct model_config small = config;
	struct journal_stats stats;
	struct model *live;
	struct lookback *past;
	unsigned seed = 7;

	(void)state;
	script_init(&script);
	small.max_processes = 10000;
	small.max_bytes = 256 << 10;
	live = model_new(&script.syms, &small);
	past = lookback_new(journal, &script.syms, &small);
	for (int round = 0; round < (getenv("COUNTS_ALL") ? 60 : 24); round++) {
		script_cut(&script);
		make_trace(&script, 10000, (unsigned)round);
		journal_fill(journal, &script, live);
		lookback_set_live_bytes(past, model_bytes(live));
		journal_trim(journal);
		for (int i = 0; i < 4; i++) {
			seed = seed * 1103515245 + 12345;
			lookback_seek(past, lookback_end(past) - (seed >> 8) % 10000, NULL);
			journal_stats(journal, &stats);
			assert_true(stats.bytes + lookback_bytes(past) <= bound);
		}
	}
	/* The history is full, and the copies are not so small that the bound holds anyway. */
	assert_true(lookback_first(past) > 10000);
	assert_true(3 * model_bytes(live) > bound / 4);
	lookback_free(past);
	model_free(live);
	journal_free(journal);
	script_release(&script);
}

static void small_and_large_histories_bound_the_model(void **state)
{
	(void)state;
	assert_int_equal(lookback_model_bytes(1 << 20), MIN_MODEL_BYTES);
	assert_int_equal(lookback_model_bytes(DEFAULT_HISTORY_BYTES), DEFAULT_HISTORY_BYTES / 4);
	assert_int_equal(lookback_model_bytes(SIZE_MAX), MAX_MODEL_BYTES);
}

static bool some_times(void *data, uint64_t done, uint64_t total)
{
	assert_true(done < total);
	return (*(int *)data)-- > 0;
}

static void cancelled_seek_stays_at_its_position(void **state)
{
	static struct script script, twin;
	struct journal *journal = journal_new(SIZE_MAX / 2, NULL, NULL);
	uint64_t last = 0;
	struct model *live;
	struct lookback *past;

	(void)state;
	script_init(&script);
	script_init(&twin);
	make_trace(&script, 3000, 4);
	make_trace(&twin, 3000, 4);
	live = model_new(&script.syms, &config);
	past = lookback_new(journal, &script.syms, &config);
	journal_fill(journal, &script, live);
	for (int times = 0; times < 900; times += 100) {
		int left = times;
		struct work work = { .goes_on = some_times, .data = &left };
		const struct model *model = lookback_seek(past, 2999, &work);
		struct model *want = fresh_cut(&twin, lookback_position(past));

		assert_true(work.broken_off);
		assert_true(lookback_position(past) < 2999);
		assert_true(!times || lookback_position(past) > last);
		script_reports_equal(model, want);
		model_free(want);
		last = lookback_position(past);
		lookback_leave(past);
	}
	script_reports_equal(lookback_seek(past, UINT64_MAX, NULL), live);
	lookback_free(past);
	model_free(live);
	journal_free(journal);
	script_release(&script);
	script_release(&twin);
}

static void times_become_positions(void **state)
{
	static struct script script;
	struct journal *journal = journal_new(SIZE_MAX / 2, NULL, NULL);
	struct model *live;
	struct lookback *past;
	ns_t t0 = (ns_t)SCRIPT_T0_SECONDS * NS_PER_SEC;

	(void)state;
	script_init(&script);
	make_trace(&script, 1000, 3);
	live = model_new(&script.syms, &config);
	past = lookback_new(journal, &script.syms, &config);
	journal_fill(journal, &script, live);
	assert_int_equal(lookback_position_of(past, 0), 0);
	assert_int_equal(lookback_position_of(past, t0 + 500 * NS_PER_MS), 499);
	assert_int_equal(lookback_position_of(past, t0 + 3600 * NS_PER_SEC), 1000);
	lookback_seek(past, 500, NULL);
	assert_int_equal(lookback_time(past), t0 + 500 * NS_PER_MS);
	/* Before the first event the time is that of the first event. */
	lookback_seek(past, 0, NULL);
	assert_int_equal(lookback_time(past), t0 + NS_PER_MS);
	lookback_free(past);
	model_free(live);
	journal_free(journal);
	script_release(&script);
}

static void steps_become_positions(void **state)
{
	static struct script script;
	struct journal *journal = journal_new(SIZE_MAX / 2, NULL, NULL);
	struct model *live;
	struct lookback *past;

	(void)state;
	script_init(&script);
	make_trace(&script, 3000, 3); /* the trace has one event per millisecond */
	live = model_new(&script.syms, &config);
	past = lookback_new(journal, &script.syms, &config);
	/* Without events both ends of the history are one step of a second away. */
	assert_int_equal(lookback_seconds_on(past, -1, NS_NONE), 0);
	assert_int_equal(lookback_seconds_on(past, 1, NS_NONE), lookback_end(past));
	journal_fill(journal, &script, live);
	lookback_seek(past, 1500, NULL);
	assert_int_equal(lookback_events_on(past, 10), 1510);
	assert_int_equal(lookback_events_on(past, -10), 1490);
	assert_int_equal(lookback_events_on(past, -1501), 0);
	assert_int_equal(lookback_events_on(past, INT64_MIN), 0);
	assert_int_equal(lookback_seconds_on(past, 1, NS_NONE), 2499);
	assert_int_equal(lookback_seconds_on(past, -1, NS_NONE), 499);
	assert_int_equal(lookback_seconds_on(past, -3600, NS_NONE), 0);
	assert_int_equal(lookback_seconds_on(past, 3600, NS_NONE), lookback_end(past));
	assert_int_equal(lookback_seconds_on(past, INT64_MAX, NS_NONE), lookback_end(past));
	assert_int_equal(lookback_seconds_on(past, INT64_MIN, NS_NONE), 0);
	lookback_free(past);
	model_free(live);
	journal_free(journal);
	script_release(&script);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_position_equals_a_replay_up_to_it),
		cmocka_unit_test(base_contains_evicted_events),
		cmocka_unit_test(never_starts_from_an_evicted_batch),
		cmocka_unit_test(copies_stay_within_the_history),
		cmocka_unit_test(batches_and_copies_share_the_history),
		cmocka_unit_test(small_and_large_histories_bound_the_model),
		cmocka_unit_test(cancelled_seek_stays_at_its_position),
		cmocka_unit_test(times_become_positions),
		cmocka_unit_test(steps_become_positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
