/* SPDX-License-Identifier: MIT */
/*
 * Tests of sorting the journal by time: the state at any time is that of a replay of all events up
 * to then.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "engine/base/hash.h"
#include "monitor/history/journal_order.h"
#include "monitor/history/lookback.h"
#include "tests/journal_script.h"

#define ARRIVAL 3000. /* arrival of old content, in seconds of the script */

static const struct model_config config = { .nesting = -1 };

struct run {
	struct script script;
	struct journal *journal;
	struct model *live;
	struct lookback *past;
};

static void run_begin(struct run *r, size_t history_bytes)
{
	memset(r, 0, sizeof(*r));
	script_init(&r->script);
	r->journal = journal_new(history_bytes, NULL, NULL);
	r->live = model_new(&r->script.syms, &config);
	r->past = lookback_new(r->journal, &r->script.syms, &config);
}

static void run_end(struct run *r)
{
	lookback_free(r->past);
	model_free(r->live);
	journal_free(r->journal);
	script_release(&r->script);
}

static void run_read(struct run *r)
{
	const struct batch *batch;

	for (unsigned i = 0; i < r->script.nr_batches; i++) {
		journal_push(r->journal, r->script.batches[i]);
		r->script.batches[i] = NULL;
		while ((batch = journal_next(r->journal)))
			model_apply(r->live, batch);
		journal_trim(r->journal);
	}
	r->script.nr_batches = 0;
	script_cut(&r->script);
}

#define MAX_ITEMS 12000

struct item {
	unsigned stream, order; /* index of the file; position before the sort */
	double time;            /* SCRIPT_NO_TIME: the event has no time */
	/* expected sort key by the rules of journal_order.h */
	ns_t key;
	char event[16], sid[24], more[360];
};

static struct item items[MAX_ITEMS];
static unsigned nr_items;
static unsigned seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 12) % n;
}

static struct item *item_add(unsigned stream, const char *sid, double *now)
{
	struct item *item = &items[nr_items];

	assert_true(nr_items < MAX_ITEMS);
	*item = (struct item){ .stream = stream, .order = nr_items++ };
	snprintf(item->sid, sizeof(item->sid), "%s", sid);
	*now += random_below(2000) / 1000.;
	/* Some clocks are set back, and some events have no time. */
	if (!random_below(20))
		*now -= random_below(8);
	if (*now < 0)
		*now = 0;
	item->time = random_below(6) ? *now : SCRIPT_NO_TIME;
	return item;
}

static void item_say(struct item *item, const char *event, const char *more)
{
	snprintf(item->event, sizeof(item->event), "%s", event);
	snprintf(item->more, sizeof(item->more), "%s", more);
}

static void file_make(unsigned stream, const char *sid, double now)
{
	static char text[300];
	unsigned nr = 2 + random_below(12);

	memset(text, 'x', sizeof(text) - 1);
	if (random_below(4))
		item_say(item_add(stream, sid, &now), "version", "'evt':'3','exe':'2.55'");
	item_say(item_add(stream, sid, &now), "start", "'t_abs':0.1,'argv':['git','','a b']");
	while (nr--) {
		struct item *item = item_add(stream, sid, &now);
		char more[360];

		switch (random_below(6)) {
		case 0:
			item_say(item, "region_enter",
				 "'nesting':1,'category':'c','label':'l','msg':'why'");
			break;
		case 1:
			item_say(item, "region_leave",
				 "'t_rel':0.01,'nesting':1,'category':'c','label':'l'");
			break;
		case 2:
			item_say(item, "child_start",
				 "'child_id':0,'child_class':'?','use_shell':false,"
				 "'argv':['x','-v']");
			break;
		case 3:
			snprintf(more, sizeof(more), "'msg':'%s','fmt':'%%s'",
				 random_below(2) ? text : "no");
			item_say(item, "error", more);
			break;
		case 4:
			item_say(item, "data", "'nesting':1,'category':'c','key':'k','value':'v'");
			break;
		default:
			item_say(item, "child_exit", "'child_id':0,'pid':7,'code':1,'t_rel':0.2");
			break;
		}
	}
	if (random_below(3))
		item_say(item_add(stream, sid, &now), "exit", "'t_abs':0.5,'code':1");
}

static void traces_make(unsigned nr_families)
{
	unsigned stream = 0;

	nr_items = 0;
	for (unsigned i = nr_families; i-- > 0;) {
		char sid[24];
		double begun = i * 3. + random_below(4000) / 1000.;

		for (unsigned child = 1 + random_below(3); child-- > 0;) {
			snprintf(sid, sizeof(sid), "p%u/c%u", i, child);
			file_make(stream++, sid, begun + child);
		}
		snprintf(sid, sizeof(sid), "p%u", i);
		file_make(stream++, sid, begun);
	}
}

/* Compute the expected keys of events from `first` on for each file alone, independently of the
 * program. */
static void keys_make(unsigned first)
{
	unsigned stream = 0, found = 1;

	for (; found; stream++) {
		ns_t latest = NS_NONE, begun = NS_NONE;

		found = stream < 4000;
		for (unsigned i = first; i < nr_items && begun == NS_NONE; i++)
			if (items[i].stream == stream && items[i].time > SCRIPT_NO_TIME / 2)
				begun = script_seconds(items[i].time);
		for (unsigned i = first; i < nr_items; i++) {
			if (items[i].stream != stream)
				continue;
			if (items[i].time > SCRIPT_NO_TIME / 2 &&
			    script_seconds(items[i].time) > latest)
				latest = script_seconds(items[i].time);
			items[i].key = latest != NS_NONE  ? latest
				       : begun != NS_NONE ? begun
							  : script_seconds(ARRIVAL);
		}
	}
}

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Each file and batch begins with a STREAM record. */
static void items_script(struct script *script, unsigned from, unsigned to, unsigned cut_one_in)
{
	unsigned stream = UINT32_MAX;

	for (unsigned i = from; i < to; i++) {
		if (cut_one_in && !random_below(cut_one_in)) {
			script_cut(script);
			stream = UINT32_MAX;
		}
		if (items[i].stream != stream)
			script_stream(script, items[i].stream, ARRIVAL, false);
		stream = items[i].stream;
		script_event(script, items[i].event, items[i].sid, items[i].time, items[i].more);
	}
}

/*
 * Compare random positions of the history, and its end, with a replay of the events in their sorted
 * order. The first `nr_gone` were evicted, in the order of reading.
 */
static void every_position_is_a_replay(struct run *r, unsigned nr_gone)
{
	static struct run twin;
	unsigned at = nr_gone, done = 0;

	run_begin(&twin, SIZE_MAX / 2);
	for (;; at += 1 + random_below(nr_items / 40 + 1)) {
		at = at < nr_items ? at : nr_items;
		items_script(&twin.script, done, at, 0);
		done = at;
		run_read(&twin);
		model_settle(twin.live);
		script_reports_equal(lookback_seek(r->past, at, NULL), twin.live);
		assert_int_equal(lookback_position(r->past), at);
		if (at == nr_items)
			break;
	}
	run_end(&twin);
}

static void every_time_equals_a_replay_up_to_it(void **state)
{
	(void)state;
	for (unsigned round = 0; round < (getenv("COUNTS_ALL") ? 12 : 4); round++) {
		struct run r;

		seed = round + 1;
		traces_make(40);
		run_begin(&r, SIZE_MAX / 2);
		items_script(&r.script, 0, nr_items, round % 4 ? 40 : 0);
		run_read(&r);
		assert_true(journal_is_disordered(r.journal));
		assert_int_equal(lookback_end(r.past), nr_items);
		keys_make(0);
		qsort(items, nr_items, sizeof(*items), by_key);
		assert_true(journal_order_sort(r.journal, NULL, NULL));
		assert_false(journal_is_disordered(r.journal));
		assert_int_equal(lookback_end(r.past), nr_items);
		for (unsigned i = 0; i < 100; i++) {
			unsigned at = random_below(nr_items);
			ns_t time = items[at].key;

			while (at && items[at - 1].key == time)
				at--;
			/* An event without a time has that of the event before it: below `time`. */
			while (items[at].time < SCRIPT_NO_TIME / 2)
				at++;
			assert_int_equal(
				lookback_position_of(r.past, SCRIPT_T0_SECONDS * NS_PER_SEC + time),
				at);
		}
		every_position_is_a_replay(&r, 0);
		run_end(&r);
	}
}

static void evicted_events_stay_before_the_rest(void **state)
{
	struct model *anew;
	struct run r;
	unsigned gone;

	(void)state;
	seed = 77;
	traces_make(60);
	run_begin(&r, 60000);
	items_script(&r.script, 0, nr_items, 30);
	run_read(&r);
	gone = (unsigned)lookback_first(r.past);
	assert_true(gone > 100 && gone < nr_items - 300);
	keys_make(gone);
	qsort(items + gone, nr_items - gone, sizeof(*items), by_key);
	assert_true(journal_order_sort(r.journal, NULL, NULL));
	assert_int_equal(lookback_first(r.past), gone);
	assert_int_equal(lookback_end(r.past), nr_items);
	every_position_is_a_replay(&r, gone);
	/* Replaying everything gives the state at the end. */
	anew = lookback_replay(r.past, NULL);
	script_reports_equal(lookback_seek(r.past, UINT64_MAX, NULL), anew);
	assert_int_equal(model_totals(anew)->events, model_totals(r.live)->events);
	assert_int_equal(model_totals(anew)->processes, model_totals(r.live)->processes);
	assert_int_equal(model_totals(anew)->regions, model_totals(r.live)->regions);
	assert_int_equal(model_totals(anew)->errors, model_totals(r.live)->errors);
	model_free(anew);
	run_end(&r);
}

static void next_sort_orders_events_read_since_the_last(void **state)
{
	unsigned half;
	struct run r;

	(void)state;
	seed = 99;
	traces_make(40);
	half = nr_items / 2;
	run_begin(&r, SIZE_MAX / 2);
	items_script(&r.script, 0, half, 40);
	run_read(&r);
	assert_true(journal_order_sort(r.journal, NULL, NULL));
	assert_int_equal(journal_era(r.journal), 1);
	assert_true(journal_order_sort(r.journal, NULL, NULL));
	assert_int_equal(journal_era(r.journal), 1);
	lookback_seek(r.past, half, NULL);
	items_script(&r.script, half, nr_items, 40);
	run_read(&r);
	assert_true(journal_is_disordered(r.journal));
	assert_true(journal_order_sort(r.journal, NULL, NULL));
	assert_int_equal(journal_era(r.journal), 2);
	keys_make(0);
	/* Events of equal time keep the order of the first sort. */
	qsort(items, half, sizeof(*items), by_key);
	for (unsigned i = 0; i < half; i++)
		items[i].order = i;
	qsort(items, nr_items, sizeof(*items), by_key);
	every_position_is_a_replay(&r, 0);
	run_end(&r);
}

static bool some_times(void *data, uint64_t done, uint64_t total)
{
	assert_true(done <= total && total);
	return (*(unsigned *)data)-- > 0;
}

static uint64_t streams_hash(struct journal *journal)
{
	static uint64_t by_stream[4000];
	uint64_t hash = 1, nr = 0;

	memset(by_stream, 0, sizeof(by_stream));
	for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal); seq++) {
		const struct batch *batch = journal_at(journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		uint64_t stream = 0;
		struct event ev;

		assert_int_equal(batch->seq, seq);
		assert_int_equal(batch->first_event, nr);
		nr += batch->nr_events;
		while (batch_next(&cursor, &ev)) {
			if (ev.kind == REC_STREAM)
				stream = (uint64_t)ev.v[FLD_STREAM];
			if (!event_is_trace2(&ev))
				continue;
			by_stream[stream] = tr2_hash_pair(by_stream[stream],
							  (uint64_t)event_get(&ev, TR2_F_TIME, 0));
			by_stream[stream] = tr2_hash_pair(by_stream[stream], ev.kind);
			by_stream[stream] = tr2_hash_pair(by_stream[stream], ev.mask);
		}
	}
	for (unsigned i = 0; i < 4000; i++)
		hash = tr2_hash_pair(hash, by_stream[i]);
	return tr2_hash_pair(hash, nr);
}

static void event_say(struct journal *journal, uint64_t number, struct tr2_buf *out)
{
	tr2_buf_clear(out);
	for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal); seq++) {
		const struct batch *batch = journal_at(journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		uint64_t at = batch->first_event;
		struct event ev;

		while (number < at + batch->nr_events && batch_next(&cursor, &ev)) {
			size_t len;
			const char *sid;

			if (!event_is_trace2(&ev) || at++ != number)
				continue;
			sid = batch_sid_text(batch, (uint32_t)ev.v[TR2_F_SID], &len);
			tr2_buf_addf(out, "%.*s %d %lld", (int)len, sid, ev.kind,
				     (long long)event_get(&ev, TR2_F_TIME, 0));
			return;
		}
	}
	fail_msg("event %llu is gone", (unsigned long long)number);
}

static void cancelled_sort_loses_nothing_and_can_be_repeated(void **state)
{
	unsigned broken = 0;

	(void)state;
	for (unsigned times = 0; times < 40; times += getenv("COUNTS_ALL") ? 1 : 3) {
		struct places places = { 0 };
		unsigned left = times;
		struct work work = { .goes_on = some_times, .data = &left };
		static struct tr2_buf before[50], after = { .max = 1 << 16 };
		uint64_t hash;
		struct run r;
		bool on;

		seed = 5;
		traces_make(200);
		run_begin(&r, SIZE_MAX / 2);
		items_script(&r.script, 0, nr_items, 400);
		run_read(&r);
		hash = streams_hash(r.journal);
		for (unsigned i = 0; i < 50; i++) {
			before[i].max = 1 << 16;
			places_add(&places, random_below(nr_items));
			event_say(r.journal, places.numbers[i], &before[i]);
		}
		lookback_seek(r.past, nr_items / 2, NULL);
		on = journal_order_sort(r.journal, &places, &work);
		broken += !on && journal_era(r.journal);
		assert_int_equal(on, !work.broken_off);
		assert_int_equal(journal_is_disordered(r.journal), !on);
		assert_true(hash == streams_hash(r.journal));
		/* Events that were noted before are found again. */
		for (unsigned i = 0; i < 50; i++) {
			event_say(r.journal, places_take(&places), &after);
			assert_string_equal(tr2_buf_cstr(&before[i]), tr2_buf_cstr(&after));
		}
		places_release(&places);
		lookback_seek(r.past, nr_items / 3, NULL);
		assert_true(journal_order_sort(r.journal, NULL, NULL));
		assert_int_equal(lookback_end(r.past), nr_items);
		run_end(&r);
	}
	assert_true(broken > 1);
}

/* The stream of a file without valid records has only a STREAM record. */
static void cancelled_sort_skips_empty_streams_once(void **state)
{
	/* work may continue three times, once per batch */
	unsigned left = 3;
	struct work work = { .goes_on = some_times, .data = &left };
	uint64_t hash;
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	for (unsigned batch = 0; batch < 3; batch++) {
		script_stream(&r.script, 1, ARRIVAL, false);
		if (!batch)
			script_event(&r.script, "error", "a", 2000, "'msg':'m'");
		if (batch != 1)
			script_stream(&r.script, 2, ARRIVAL, false);
		for (unsigned i = 0; batch != 1 && i < 600; i++)
			script_event(&r.script, "error", "b", batch * 600 + i, "'msg':'m'");
		script_stream(&r.script, 3 + batch, ARRIVAL, false);
		script_event(&r.script, "error", "c", 3000 - batch, "'msg':'m'");
		script_cut(&r.script);
	}
	run_read(&r);
	hash = streams_hash(r.journal);
	assert_false(journal_order_sort(r.journal, NULL, &work));
	assert_int_equal(journal_era(r.journal), 1);
	assert_true(hash == streams_hash(r.journal));
	assert_true(journal_order_sort(r.journal, NULL, NULL));
	assert_true(hash == streams_hash(r.journal));
	run_end(&r);
}

static void word(struct journal *journal, struct tr2_buf *out)
{
	tr2_buf_clear(out);
	for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal); seq++) {
		const struct batch *batch = journal_at(journal, seq);
		struct batch_cursor cursor = batch_begin(batch);
		struct event ev;

		while (batch_next(&cursor, &ev)) {
			size_t len = 0;
			const char *sid =
				event_has(&ev, TR2_F_SID)
					? batch_sid_text(batch, (uint32_t)ev.v[TR2_F_SID], &len)
					: "";

			if (ev.kind == REC_STREAM)
				continue;
			tr2_buf_addf(out, "%s%.*s", out->len ? " " : "", (int)len, sid);
			tr2_buf_addstr(out, ev.kind == REC_PID_GONE     ? "-gone"
					    : ev.kind == REC_STREAM_END ? "end"
					    : ev.kind == REC_ABOUT      ? "-about"
									: "");
		}
	}
}

static void journal_reads(struct run *r, const char *wanted)
{
	static struct tr2_buf out = { .max = 1 << 20 };

	assert_true(journal_order_sort(r->journal, NULL, NULL));
	word(r->journal, &out);
	assert_string_equal(tr2_buf_cstr(&out), wanted);
}

static void put_string(struct run *r, const char *sid, double time)
{
	script_event(&r->script, "error", sid, time, "'msg':'m'");
}

static void gone(struct run *r, const char *sid, double arrival)
{
	struct batch *batch = r->script.batches[r->script.nr_batches - 1];
	struct event ev = { .kind = REC_PID_GONE };

	event_set(&ev, TR2_F_SID, batch_sid(batch, sid, strlen(sid), tr2_hash(sid, strlen(sid))));
	event_set(&ev, TR2_F_PID, 1);
	event_set(&ev, FLD_ARRIVAL, SCRIPT_T0_SECONDS * NS_PER_SEC + script_seconds(arrival));
	batch_add(batch, &ev);
}

static void files_read_newest_first_are_sorted_oldest_first(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	put_string(&r, "c", 30);
	put_string(&r, "c", 31);
	script_stream(&r.script, 2, 100, false);
	put_string(&r, "b", 20);
	put_string(&r, "b", 35);
	script_stream(&r.script, 3, 100, false);
	put_string(&r, "a", 10);
	put_string(&r, "a", 30);
	run_read(&r);
	/* Events at equal times are in the order of reading. */
	journal_reads(&r, "a b c a c b");
	run_end(&r);
}

static void single_file_is_never_reordered(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	put_string(&r, "b", 20);
	put_string(&r, "a", 10);
	script_cut(&r.script);
	script_stream(&r.script, 1, 101, false);
	put_string(&r, "c", 5);
	run_read(&r);
	assert_false(journal_is_disordered(r.journal));
	journal_reads(&r, "b a c");
	assert_int_equal(journal_era(r.journal), 0);
	run_end(&r);
}

static void files_read_in_order_are_not_moved(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	put_string(&r, "a", 10);
	script_stream(&r.script, 2, 100, false);
	put_string(&r, "b", 20);
	run_read(&r);
	assert_true(journal_is_disordered(r.journal));
	journal_reads(&r, "a b");
	assert_false(journal_is_disordered(r.journal));
	assert_int_equal(journal_era(r.journal), 0);
	run_end(&r);
}

static void later_events_keep_the_order_of_arrival(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	put_string(&r, "new", 50);
	/* The clock of this stream is far ahead: its arrival limits its times. */
	script_stream(&r.script, 9, 100, true);
	put_string(&r, "ahead", 2000);
	script_stream(&r.script, 8, 101.5, true);
	put_string(&r, "live", 101.5);
	script_stream(&r.script, 2, 102, false);
	put_string(&r, "old", 20);
	put_string(&r, "future", 1000);
	script_cut(&r.script);
	/* From here on there is no old content. */
	script_stream(&r.script, 8, 103, true);
	put_string(&r, "live", 103);
	script_stream(&r.script, 9, 104, true);
	put_string(&r, "behind", 60);
	run_read(&r);
	journal_reads(&r, "old new ahead live future live behind");
	run_end(&r);
}

static void own_records_keep_the_time_of_arrival(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	put_string(&r, "b", 50);
	gone(&r, "b", 101);
	script_stream(&r.script, 8, 102, true);
	put_string(&r, "live", 102.5);
	/* The end of a connection comes after its events. */
	script_stream_end(&r.script, 8);
	/* A PID_GONE record stays after the process's events that were read before it, although its
	 * time is earlier. */
	gone(&r, "live", 102.2);
	script_stream(&r.script, 2, 103, false);
	put_string(&r, "a", 20);
	run_read(&r);
	journal_reads(&r, "a b b-gone live end live-gone");
	run_end(&r);
}

static void records_about_a_process_stay_before_its_events(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	script_about(&r.script, "b", "a", NULL, 5);
	put_string(&r, "b", 50);
	script_about(&r.script, "c", "a", NULL, 6);
	put_string(&r, "c", 60);
	script_stream(&r.script, 2, 103, false);
	put_string(&r, "a", 20);
	put_string(&r, "a", 55);
	run_read(&r);
	journal_reads(&r, "a b-about b c-about a c");
	run_end(&r);
}

static void events_without_a_time_follow_their_predecessor(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, SIZE_MAX / 2);
	script_stream(&r.script, 1, 100, false);
	put_string(&r, "never", SCRIPT_NO_TIME);
	script_stream(&r.script, 2, 100, false);
	put_string(&r, "b0", SCRIPT_NO_TIME);
	put_string(&r, "b", 50);
	put_string(&r, "b2", SCRIPT_NO_TIME);
	put_string(&r, "b3", 60);
	script_stream(&r.script, 3, 100, false);
	put_string(&r, "a", 40);
	put_string(&r, "a2", 55);
	run_read(&r);
	journal_reads(&r, "a b0 b b2 a2 b3 never");
	run_end(&r);
}

/* Return a hash of the records that trace2top added, except STREAM and STREAM_END, in order. */
static uint64_t ours_hash(struct journal *journal)
{
	uint64_t hash = 1;

	for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal); seq++) {
		struct batch_cursor cursor = batch_begin(journal_at(journal, seq));
		struct event ev;

		while (batch_next(&cursor, &ev)) {
			if (event_is_trace2(&ev) || ev.kind == REC_STREAM ||
			    ev.kind == REC_STREAM_END)
				continue;
			hash = tr2_hash_pair(hash, ev.kind);
			hash = tr2_hash_pair(hash, (uint64_t)event_get(&ev, FLD_ARRIVAL, 0));
		}
	}
	return hash;
}

static void some_record(struct run *r, double arrival)
{
	unsigned stream = random_below(30);
	char sid[16];

	snprintf(sid, sizeof(sid), "s%u", stream);
	switch (random_below(12)) {
	case 0:
		gone(r, sid, arrival);
		break;
	case 1:
		script_stream_end(&r->script, stream);
		break;
	case 2:
		script_cut(&r->script);
		break;
	case 3:
		/* No events follow this STREAM record. */
		script_stream(&r->script, 100 + stream, arrival, stream % 2);
		break;
	default:
		script_stream(&r->script, stream, arrival, stream % 3 == 0);
		for (unsigned n = random_below(6); n-- > 0;)
			put_string(r, sid,
				   random_below(5) ? random_below(200000) / 1000. : SCRIPT_NO_TIME);
		break;
	}
}

static void sorting_loses_nothing_and_keeps_each_stream_in_order(void **state)
{
	unsigned nr_ordered = 0;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		unsigned left = round % 5;
		struct work work = { .goes_on = some_times, .data = &left };
		uint64_t hash, ours, era;
		struct model *anew;
		struct run r;

		seed = round + 100;
		run_begin(&r, SIZE_MAX / 2);
		script_stream(&r.script, 0, 0, false);
		for (unsigned i = 0; i < 400; i++)
			some_record(&r, i / 2.);
		run_read(&r);
		hash = streams_hash(r.journal);
		ours = ours_hash(r.journal);
		/* Cancel some sorts. */
		if (round % 2)
			journal_order_sort(r.journal, NULL, &work);
		assert_true(journal_order_sort(r.journal, NULL, NULL));
		era = journal_era(r.journal);
		nr_ordered += era > 0;
		assert_true(hash == streams_hash(r.journal));
		assert_true(ours == ours_hash(r.journal));
		anew = lookback_replay(r.past, NULL);
		assert_int_equal(model_totals(anew)->events, model_totals(r.live)->events);
		assert_int_equal(model_totals(anew)->processes, model_totals(r.live)->processes);
		model_free(anew);
		run_end(&r);
	}
	assert_true(nr_ordered > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_read_newest_first_are_sorted_oldest_first),
		cmocka_unit_test(single_file_is_never_reordered),
		cmocka_unit_test(files_read_in_order_are_not_moved),
		cmocka_unit_test(later_events_keep_the_order_of_arrival),
		cmocka_unit_test(own_records_keep_the_time_of_arrival),
		cmocka_unit_test(records_about_a_process_stay_before_its_events),
		cmocka_unit_test(events_without_a_time_follow_their_predecessor),
		cmocka_unit_test(every_time_equals_a_replay_up_to_it),
		cmocka_unit_test(evicted_events_stay_before_the_rest),
		cmocka_unit_test(next_sort_orders_events_read_since_the_last),
		cmocka_unit_test(sorting_loses_nothing_and_keeps_each_stream_in_order),
		cmocka_unit_test(cancelled_sort_loses_nothing_and_can_be_repeated),
		cmocka_unit_test(cancelled_sort_skips_empty_streams_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
