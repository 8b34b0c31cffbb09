/* SPDX-License-Identifier: MIT */
/* Tests of batches and the journal. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/event/batch.h"
#include "monitor/history/journal.h"

static struct event event_of(unsigned kind, int64_t time_ns, int64_t t_rel_ns, int64_t line)
{
	struct event ev = { .kind = (uint8_t)kind };

	event_set(&ev, TR2_F_TIME, time_ns);
	event_set(&ev, TR2_F_T_REL, t_rel_ns);
	event_set(&ev, TR2_F_LINE, line);
	event_set(&ev, TR2_F_LABEL, 7);
	return ev;
}

static void stores_records_without_change(void **state)
{
	static const int64_t times[] = {
		1767323045678901000, 1767323045678901123, 0, -5, INT64_MIN + 1, INT64_MAX
	};
	static const int64_t spans[] = { 0, 1000, 999, -1000, INT64_MAX, INT64_MIN };
	static const int64_t lines[] = { 0, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
	struct batch *batch = batch_new();
	struct batch_cursor cursor;
	struct event got;

	(void)state;
	for (int t = 0; t < 6; t++)
		for (int s = 0; s < 6; s++)
			for (int l = 0; l < 6; l++) {
				struct event ev =
					event_of(TR2_E_REGION_LEAVE, times[t], spans[s], lines[l]);
				batch_add(batch, &ev);
			}
	assert_int_equal(batch->nr_events, 216);
	cursor = batch_begin(batch);
	for (int t = 0; t < 6; t++)
		for (int s = 0; s < 6; s++)
			for (int l = 0; l < 6; l++) {
				assert_true(batch_next(&cursor, &got));
				assert_int_equal(got.kind, TR2_E_REGION_LEAVE);
				assert_int_equal(got.mask, event_of(0, 0, 0, 0).mask);
				assert_int_equal(got.v[TR2_F_TIME], times[t]);
				assert_int_equal(got.v[TR2_F_T_REL], spans[s]);
				assert_int_equal(got.v[TR2_F_LINE], lines[l]);
				assert_int_equal(got.v[TR2_F_LABEL], 7);
			}
	assert_false(batch_next(&cursor, &got));
	batch_free(batch);
}

/* The events of old files are days apart, but arrive on the same day. */
static void stores_distant_times_in_few_words(void **state)
{
	struct batch *batch = batch_new();
	const ns_t day = 86400 * NS_PER_SEC, old = 1500000000 * NS_PER_SEC;
	struct event stream = { .kind = REC_STREAM }, got;
	struct batch_cursor cursor;

	(void)state;
	event_set(&stream, FLD_ARRIVAL, old + 3000 * day);
	batch_add(batch, &stream);
	for (int i = 0; i < 1000; i++) {
		struct event ev = { .kind = TR2_E_VERSION };

		event_set(&ev, TR2_F_TIME, old + i / 100 * day + i * NS_PER_US);
		batch_add(batch, &ev);
	}
	/* Expect two words per event, and a few for the record of trace2top and for each day. */
	assert_in_range(batch->nr_words, 2000, 2000 + 10 * 4 + 10);
	assert_int_equal(batch->nr_records, 1001);
	cursor = batch_begin(batch);
	assert_true(batch_next(&cursor, &got));
	assert_true(event_get(&got, FLD_ARRIVAL, 0) == old + 3000 * day);
	for (int i = 0; i < 1000; i++) {
		assert_true(batch_next(&cursor, &got));
		assert_true(event_get(&got, TR2_F_TIME, 0) == old + i / 100 * day + i * NS_PER_US);
	}
	assert_false(batch_next(&cursor, &got));
	batch_free(batch);
}

static void stores_any_number_of_shapes_and_sites(void **state)
{
	struct batch *batch = batch_new();
	struct batch *kept;
	struct event last;

	(void)state;
	for (int again = 0; again < 2; again++) {
		struct batch_cursor cursor;
		uint32_t nr;

		for (int i = 0; i < 5000; i++) {
			struct event ev = { .kind = (uint8_t)(i % TR2_NR_EVENTS) };

			if (i % 3)
				event_set(&ev, TR2_F_FILE, i * 7);
			if (i % 5)
				event_set(&ev, TR2_F_LINE, i % 2 ? -i : i);
			if (i % 7 == 0)
				event_set(&ev, TR2_F_CODE, INT64_MAX - i);
			if (i % 11)
				event_set(&ev, (unsigned)(TR2_F_T_REL + i % 13), i);
			batch_add(batch, &ev);
		}
		cursor = batch_begin(batch);
		for (int i = 0; i < 5000; i++) {
			struct event got;

			assert_true(batch_next(&cursor, &got));
			assert_int_equal(got.kind, i % TR2_NR_EVENTS);
			assert_int_equal(event_get(&got, TR2_F_FILE, -1), i % 3 ? i * 7 : -1);
			assert_int_equal(event_get(&got, TR2_F_LINE, -1),
					 i % 5 ? (i % 2 ? -i : i) : -1);
			assert_int_equal(event_get(&got, TR2_F_CODE, -1),
					 i % 7 ? -1 : INT64_MAX - i);
			if (i % 11)
				assert_int_equal(got.v[TR2_F_T_REL + i % 13], i);
		}
		assert_false(batch_next(&cursor, &(struct event){ 0 }));
		kept = batch_compact(batch);
		batch_clear(batch);
		cursor = batch_begin(kept);
		for (nr = 0; batch_next(&cursor, &last); nr++)
			assert_int_equal(last.kind, nr % TR2_NR_EVENTS);
		assert_int_equal(nr, kept->nr_records);
		batch_free(kept);
	}
	batch_free(batch);
}

static void stores_texts_of_every_length(void **state)
{
	struct batch *batch = batch_new();
	char text[600];
	uint32_t at[600];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t len = 0; len < 600; len++) {
		at[len] = len % 2 ? batch_add_text(batch, text, len) : 0;
		if (len % 2 == 0) {
			memset(batch_reserve_text(batch, len + 9), 'x', len);
			at[len] = batch_commit_text(batch, len);
		}
	}
	for (size_t len = 0; len < 600; len++) {
		size_t got_len;
		const char *got = batch_text(batch, at[len], &got_len);

		assert_int_equal(got_len, len);
		assert_memory_equal(got, text, len);
	}
	batch_free(batch);
}

static void sids_are_stored_once(void **state)
{
	struct batch *batch = batch_new();
	char sid[32];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			int len = snprintf(sid, sizeof(sid), "sid-%d", i);
			uint32_t at =
				batch_sid(batch, sid, (size_t)len, tr2_hash(sid, (size_t)len));
			size_t got_len;
			const char *got = batch_sid_text(batch, at, &got_len);

			assert_int_equal(at, i);
			assert_int_equal(got_len, len);
			assert_memory_equal(got, sid, got_len);
		}
	assert_int_equal(batch->nr_sids, 1000);
	batch_clear(batch);
	assert_int_equal(batch_sid(batch, "x", 1, tr2_hash("x", 1)), 0);
	batch_free(batch);
}

static void rewinding_text_removes_its_sids(void **state)
{
	struct batch *batch = batch_new();
	uint32_t mark;

	(void)state;
	batch_sid(batch, "a", 1, tr2_hash("a", 1));
	mark = batch_text_mark(batch);
	batch_add_text(batch, "text of a bad record", 20);
	batch_sid(batch, "b", 1, tr2_hash("b", 1));
	batch_text_rewind(batch, mark);
	assert_int_equal(batch->nr_sids, 1);
	assert_int_equal(batch_sid(batch, "c", 1, tr2_hash("c", 1)), 1);
	assert_int_equal(batch_sid(batch, "b", 1, tr2_hash("b", 1)), 2);
	assert_int_equal(batch_sid(batch, "a", 1, tr2_hash("a", 1)), 0);
	batch_free(batch);
}

static uint32_t numbered_sid(struct batch *batch, unsigned number)
{
	char sid[16];
	size_t len = (size_t)snprintf(sid, sizeof(sid), "%u", number);

	return batch_sid(batch, sid, len, tr2_hash(sid, len));
}

/* The index of SIDs grows after the mark: SIDs at its end may move behind those added later. */
static void rewinding_keeps_all_earlier_sids(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 200; run++) {
		struct batch *batch = batch_new();
		uint32_t mark;

		for (unsigned i = 0; i < 20; i++)
			numbered_sid(batch, run * 1000 + i);
		mark = batch_text_mark(batch);
		for (unsigned i = 20; i < 200; i++)
			numbered_sid(batch, run * 1000 + i);
		batch_text_rewind(batch, mark);
		for (unsigned i = 0; i < 20; i++)
			assert_int_equal(numbered_sid(batch, run * 1000 + i), i);
		batch_free(batch);
	}
}

static void rewinding_keeps_the_empty_sid(void **state)
{
	struct batch *batch = batch_new();
	uint32_t mark;

	(void)state;
	assert_int_equal(batch_sid(batch, "", 0, tr2_hash("", 0)), 0);
	mark = batch_text_mark(batch);
	batch_sid(batch, "b", 1, tr2_hash("b", 1));
	batch_text_rewind(batch, mark);
	assert_int_equal(batch->nr_sids, 1);
	assert_int_equal(batch_sid(batch, "", 0, tr2_hash("", 0)), 0);
	batch_free(batch);
}

static void lists_keep_their_items(void **state)
{
	static const char *const items[] = { "git", "", "status --short", "x" };
	struct batch *batch = batch_new();
	uint32_t list = batch_list_begin(batch);
	int64_t item;

	(void)state;
	for (int i = 0; i < 4; i++) {
		char *room = batch_reserve_text(batch, 100);

		memcpy(room, items[i], strlen(items[i]));
		batch_commit_text(batch, strlen(items[i]));
	}
	batch_list_end(batch, list, 4);
	assert_int_equal(batch_list(batch, list, &item), 4);
	for (int i = 0; i < 4; i++, item = batch_list_next(batch, item)) {
		size_t len;
		const char *text = batch_text(batch, item, &len);

		assert_int_equal(len, strlen(items[i]));
		assert_memory_equal(text, items[i], len);
	}
	batch_free(batch);
}

static void push(struct journal *journal, int nr, const char *text, bool is_safe)
{
	struct batch *batch = journal_take(journal);

	batch->is_safe = is_safe;
	for (int i = 0; i < nr; i++) {
		struct event ev = { .kind = TR2_E_PRINTF };

		event_set(&ev, TR2_F_MSG, batch_add_text(batch, text, strlen(text)));
		batch_add(batch, &ev);
	}
	journal_push(journal, batch);
}

static void push_events(struct journal *journal, int nr, const char *text)
{
	push(journal, nr, text, false);
}

static void journal_keeps_order_and_history(void **state)
{
	struct journal *journal = journal_new(1 << 20, NULL, NULL);
	struct journal_stats stats;

	(void)state;
	for (int i = 1; i <= 100; i++)
		push_events(journal, i, "hello");
	for (int i = 1; i <= 100; i++) {
		const struct batch *batch = journal_next(journal);

		assert_non_null(batch);
		assert_int_equal(batch->nr_events, i);
		assert_int_equal(batch->seq, i - 1);
		assert_int_equal(batch->first_event, i * (i - 1) / 2);
	}
	assert_null(journal_next(journal));
	journal_trim(journal);
	journal_stats(journal, &stats);
	assert_int_equal(stats.pushed_events, 5050);
	assert_int_equal(stats.dropped_events, 0);
	assert_int_equal(journal_first_seq(journal), 0);
	assert_int_equal(journal_at(journal, 41)->nr_events, 42);
	journal_free(journal);
}

static void journal_evicts_the_oldest_and_counts(void **state)
{
	struct journal *journal = journal_new(64 << 10, NULL, NULL);
	struct journal_stats stats;
	uint64_t applied = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		const struct batch *batch;

		push_events(journal, 50, "some text to fill the journal with");
		while ((batch = journal_next(journal)))
			applied += batch->nr_events;
		journal_trim(journal);
	}
	journal_stats(journal, &stats);
	assert_int_equal(applied, 50000);
	assert_true(stats.bytes <= 64 << 10);
	assert_true(stats.evicted_events > 40000);
	assert_true(journal_first_seq(journal) > 0);
	assert_null(journal_at(journal, 0));
	journal_free(journal);
}

static void full_journal_drops_the_oldest_and_reports_it(void **state)
{
	struct journal *journal = journal_new(1, NULL, NULL);
	uint64_t applied = 0, dropped = 0;
	struct journal_stats stats;
	const struct batch *batch;

	(void)state;
	assert_true(journal_has_room(journal));
	for (int i = 0; i < 20000; i++)
		push_events(journal, 20, "nobody applies anything, so this fills up");
	/* Batches that may be dropped do not count for journal_has_room(). */
	assert_true(journal_has_room(journal));
	while ((batch = journal_next(journal))) {
		struct batch_cursor cursor = batch_begin(batch);
		struct event ev;

		while (batch_next(&cursor, &ev))
			if (ev.kind == REC_DROPPED)
				dropped += (uint64_t)ev.v[FLD_DROPS];
		applied += batch->nr_events;
	}
	journal_stats(journal, &stats);
	assert_true(dropped > 0);
	assert_int_equal(applied + dropped, 400000);
	assert_int_equal(stats.dropped_events, dropped);
	journal_free(journal);
}

static void applies_safe_batches_although_others_are_dropped(void **state)
{
	struct journal *journal = journal_new(1, NULL, NULL);
	uint64_t applied = 0, dropped = 0, pushed = 0;
	int nr_safe = 0, next = 0;
	const struct batch *batch;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		push(journal, 20, "nobody applies anything, so this fills up", false);
		pushed += 20;
		if (i % 7 || !journal_has_room(journal))
			continue;
		push(journal, 2 * nr_safe++ + 1, "it could wait", true);
	}
	assert_false(journal_has_room(journal));
	assert_true(nr_safe > 50);
	while ((batch = journal_next(journal))) {
		struct batch_cursor cursor = batch_begin(batch);
		struct event ev;

		if (batch->is_safe)
			assert_int_equal(batch->nr_events, 2 * next++ + 1);
		else
			applied += batch->nr_events;
		while (batch_next(&cursor, &ev))
			if (ev.kind == REC_DROPPED)
				dropped += (uint64_t)ev.v[FLD_DROPS];
	}
	assert_int_equal(next, nr_safe);
	assert_true(dropped > 0);
	assert_int_equal(applied + dropped, pushed);
	assert_true(journal_has_room(journal));
	journal_free(journal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_records_without_change),
		cmocka_unit_test(stores_distant_times_in_few_words),
		cmocka_unit_test(stores_any_number_of_shapes_and_sites),
		cmocka_unit_test(stores_texts_of_every_length),
		cmocka_unit_test(sids_are_stored_once),
		cmocka_unit_test(rewinding_text_removes_its_sids),
		cmocka_unit_test(rewinding_keeps_all_earlier_sids),
		cmocka_unit_test(rewinding_keeps_the_empty_sid),
		cmocka_unit_test(lists_keep_their_items),
		cmocka_unit_test(journal_keeps_order_and_history),
		cmocka_unit_test(journal_evicts_the_oldest_and_counts),
		cmocka_unit_test(full_journal_drops_the_oldest_and_reports_it),
		cmocka_unit_test(applies_safe_batches_although_others_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
