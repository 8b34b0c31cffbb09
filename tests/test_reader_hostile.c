/* SPDX-License-Identifier: MIT */
/*
 * Tests of the readers of Go traces and TraceLogs on hostile input. The limit of CPU time is far
 * below the cost of the work to avoid.
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
#include <time.h>

#include "engine/base/buf.h"
#include "monitor/read/reader.h"

#ifdef SANITIZED
#define MAX_SECONDS 40.0
#else
#define MAX_SECONDS 4.0
#endif

struct reader_hostile_test_told {
	struct tr2_intern syms;
	struct batch *batch;
	struct read_counts counts;
	unsigned nr_sids, nr_versions, nr_ended;
	uint64_t sids[8];
	int64_t first, last;
	bool goes_back;
	size_t most_held, text_bytes;
	double seconds;
};

static void reader_hostile_test_take(struct reader_hostile_test_told *told)
{
	struct batch_cursor cursor = batch_begin(told->batch);
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		size_t len;
		const char *sid = batch_sid_text(told->batch, (uint32_t)ev.v[TR2_F_SID], &len);
		uint64_t hash = 0;
		unsigned i = 0;

		for (size_t at = 0; at < len; at++)
			hash = hash * 31 + (uint8_t)sid[at];
		while (i < told->nr_sids && told->sids[i] != hash)
			i++;
		if (i == told->nr_sids && i < 8)
			told->sids[told->nr_sids++] = hash;
		told->nr_versions += ev.kind == TR2_E_VERSION;
		told->nr_ended +=
			ev.kind == REC_ABOUT && (event_get(&ev, FLD_ABOUT, 0) & ABOUT_ENDED) != 0;
		if (!event_has(&ev, TR2_F_TIME))
			continue;
		if (told->first == INT64_MIN)
			told->first = ev.v[TR2_F_TIME];
		told->goes_back |= ev.v[TR2_F_TIME] < told->last;
		told->last = ev.v[TR2_F_TIME];
	}
	batch_clear(told->batch);
}

static void reader_hostile_test_read_all(struct reader_hostile_test_told *told, unsigned kind,
					 const struct tr2_buf *text)
{
	static uint32_t nr_processes;
	static const struct reader_stream stream = { .name = "stream",
						     .reference_ns = 0,
						     .nr_processes = &nr_processes };
	const char *bytes = text->data;
	struct reader *reader;
	clock_t begin = clock();
	bool lines;

	*told = (struct reader_hostile_test_told){ .first = INT64_MIN, .last = INT64_MIN };
	assert_true(tr2_intern_init(&told->syms, 0, 0));
	told->batch = batch_new();
	reader = reader_new_of(kind, &told->syms, &stream);
	lines = reader->ops->framing == FRAME_LINES;
	for (size_t at = 0, used = 1; used && at < text->len; at += used) {
		size_t len = text->len - at, held;

		if (lines) {
			used = reader_lines(reader, bytes + at, len, told->batch, &told->counts,
					    NULL, NULL);
		} else {
			len = len < 65536 + 64 ? len : 65536 + 64;
			used = reader_bytes(reader, bytes + at, len, told->batch, &told->counts,
					    NULL, NULL);
		}
		do
			reader_hostile_test_take(told);
		while (reader_pump(reader, told->batch, &told->counts, NULL, NULL));
		reader_hostile_test_take(told);
		held = reader_held(reader);
		told->most_held = held > told->most_held ? held : told->most_held;
	}
	reader_finish(reader, false, &told->counts, NULL, NULL);
	while (reader_pump(reader, told->batch, &told->counts, NULL, NULL))
		reader_hostile_test_take(told);
	reader_hostile_test_take(told);
	reader_free(reader);
	batch_free(told->batch);
	told->text_bytes = told->syms.text_bytes;
	tr2_intern_release(&told->syms);
	told->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
}

#define NO_THREAD UINT64_MAX

struct go {
	struct tr2_buf out, batch;
	uint64_t generation, thread, time;
	unsigned version;
};

static void reader_hostile_test_put(struct tr2_buf *out, uint64_t v)
{
	for (; v > 127; v >>= 7)
		tr2_buf_addch(out, (char)(v | 128));
	tr2_buf_addch(out, (char)v);
}

static void go_header(struct go *go, unsigned version)
{
	char text[32];

	snprintf(text, sizeof(text), "go 1.%u trace", version);
	memset(text + 13, 0, 3);
	tr2_buf_add(&go->out, text, 16);
	go->version = version;
	go->generation = 1;
}

static void go_begin(struct go *go, unsigned version)
{
	*go = (struct go){ 0 };
	tr2_buf_init(&go->out, 512u << 20);
	tr2_buf_init(&go->batch, 1u << 20);
	go_header(go, version);
}

static void go_end(struct go *go)
{
	tr2_buf_release(&go->out);
	tr2_buf_release(&go->batch);
}

static void go_flush(struct go *go)
{
	tr2_buf_addch(&go->out, 1);
	reader_hostile_test_put(&go->out, go->generation);
	reader_hostile_test_put(&go->out, go->thread);
	reader_hostile_test_put(&go->out, go->time);
	reader_hostile_test_put(&go->out, go->batch.len);
	if (go->batch.len)
		tr2_buf_add(&go->out, go->batch.data, go->batch.len);
	tr2_buf_clear(&go->batch);
}

static void go_put(struct go *go, unsigned type, unsigned nr, const uint64_t *a)
{
	if (go->batch.len > 65000)
		go_flush(go);
	tr2_buf_addch(&go->batch, (char)type);
	for (unsigned i = 0; i < nr; i++)
		reader_hostile_test_put(&go->batch, a[i]);
}
#define PUT(go, type, ...)                                                                         \
	go_put(go, type, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),                   \
	       (uint64_t[]){ __VA_ARGS__ })

enum {
	STACKS = 2,
	STACK = 3,
	STRINGS = 4,
	STRING = 5,
	SAMPLES = 6,
	SAMPLE = 7,
	FREQUENCY = 8,
	SYNC = 50,
	SNAPSHOT = 51,
};
enum {
	PROC_STATUS = 13,
	GO_START = 16,
	GO_STATUS = 25,
	G_WAITING = 4,
	G_SYSCALL = 3,
	P_IDLE = 2,
	P_SYSCALL = 3,
	P_ABANDONED = 4,
};

/* Write clock, stacks and strings, and end the generation. */
static void go_whole(struct go *go, uint64_t wall_seconds)
{
	if (go->batch.len)
		go_flush(go);
	go->thread = NO_THREAD;
	if (go->version >= 25) {
		tr2_buf_addch(&go->batch, SYNC);
		PUT(go, FREQUENCY, 1000000000);
		PUT(go, SNAPSHOT, 0, 0, wall_seconds, 0);
	} else {
		PUT(go, FREQUENCY, 1000000000);
	}
	go_flush(go);
	tr2_buf_addch(&go->batch, STACKS);
	go_flush(go);
	tr2_buf_addch(&go->batch, STRINGS);
	go_flush(go);
	if (go->version >= 26)
		tr2_buf_addch(&go->out, 52);
	go->generation++;
}

static void two_traces(unsigned version)
{
	struct reader_hostile_test_told told;
	struct go go;

	go_begin(&go, version);
	for (uint64_t i = 1; i < 3; i++) {
		if (i > 1)
			go_header(&go, version);
		go.thread = i;
		go.time = 1000 * i;
		PUT(&go, GO_STATUS, 1, i, NO_THREAD, G_WAITING);
		go_whole(&go, 1700000000);
	}
	reader_hostile_test_read_all(&told, READER_GO, &go.out);
	assert_int_equal(told.nr_versions, 2);
	assert_int_equal(told.nr_sids, 2);
	assert_int_equal(told.nr_ended, 2);
	assert_int_equal(told.counts.nr_ignored, 0);
	assert_int_equal(told.counts.nr_lost, 0);
	go_end(&go);
}

static void consecutive_traces_are_separate_processes(void **state)
{
	(void)state;
	two_traces(22);
	two_traces(26);
}

/* data that was written, and the events read from it */
struct reader_hostile_test_trace {
	struct go go;
	struct tr2_buf log; /* text of a TraceLog */
	struct reader_hostile_test_told told;
};

static const unsigned go_22 = 22, go_25 = 25;

/* On entry `*state` points to the version of Go. */
static int reader_hostile_test_setup(void **state)
{
	struct reader_hostile_test_trace *t = calloc(1, sizeof(*t));

	go_begin(&t->go, *(const unsigned *)*state);
	tr2_buf_init(&t->log, 16u << 20);
	*state = t;
	return 0;
}

static int reader_hostile_test_teardown(void **state)
{
	struct reader_hostile_test_trace *t = *state;

	go_end(&t->go);
	tr2_buf_release(&t->log);
	free(t);
	return 0;
}

static void go_times_saturate(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;

	for (unsigned i = 0; i < 3; i++) {
		go->thread = 1;
		go->time = i ? UINT64_MAX : 0;
		PUT(go, GO_STATUS, UINT64_MAX / 2, 1 + i, NO_THREAD, G_WAITING);
		PUT(go, GO_STATUS, UINT64_MAX / 2, 10 + i, NO_THREAD, G_WAITING);
		go_whole(go, 9223372030);
	}
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_true(t->told.first > 0);
	assert_false(t->told.goes_back);
}

static void tables_of_empty_batches_are_bounded(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;
	size_t begin = go->out.len, len;
	char *batches;

	/* Twelve million equal batches; the first 1,000 are copied. */
	for (unsigned i = 0; i < 1000; i++)
		go_flush(go);
	len = go->out.len - begin;
	batches = malloc(len);
	assert_non_null(batches);
	memcpy(batches, go->out.data + begin, len);
	for (unsigned i = 1; i < 12000; i++)
		tr2_buf_add(&go->out, batches, len);
	free(batches);
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_int_equal(t->told.counts.nr_oversized, 1);
	assert_int_equal(t->told.counts.nr_lost, 1);
}

static void strings_are_searched_once(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;

	go->thread = NO_THREAD;
	PUT(go, FREQUENCY, 1000000000);
	go_flush(go);
	for (unsigned i = 0; i < 3000; i++) {
		if (!go->batch.len)
			tr2_buf_addch(&go->batch, STACKS);
		PUT(go, STACK, 1 + i, 128);
		for (unsigned n = 0; n < 4 * 128; n++)
			tr2_buf_addch(&go->batch, i == 2999 && n == 1 ? 1 : 0);
		if (go->batch.len > 60000)
			go_flush(go);
	}
	go_flush(go);
	for (unsigned i = 0; i < 10000; i++) {
		tr2_buf_addch(&go->batch, STRINGS);
		go_flush(go);
	}
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_true(t->told.seconds < MAX_SECONDS);
}

/* A stack refers to its functions by one byte each; as text it contains 128 of their names. */
static void folded_stacks_are_bounded(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;

	go->thread = NO_THREAD;
	tr2_buf_addch(&go->batch, STRINGS);
	for (unsigned i = 1; i < 3; i++) {
		PUT(go, STRING, i, 1024);
		for (unsigned n = 0; n < 1024; n++)
			tr2_buf_addch(&go->batch, (char)('a' + i));
	}
	go_flush(go);
	for (unsigned i = 0; i < 1000; i++) {
		tr2_buf_addch(&go->batch, STACKS);
		PUT(go, STACK, 1 + i, 128);
		for (unsigned n = 0; n < 128; n++)
			PUT(go, 0, n < 10 && i >> n & 1 ? 2 : 1, 0, 0);
		go_flush(go);
		tr2_buf_addch(&go->batch, SAMPLES);
		PUT(go, SAMPLE, i, 1, 1, 1, 1 + i);
		go_flush(go);
	}
	go_whole(go, 0);
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_int_equal(t->told.counts.nr_malformed, 0);
	assert_true(t->told.text_bytes > 60u << 20);
	assert_true(t->told.text_bytes < 70u << 20);
}

static void finds_the_thread_of_a_p_quickly(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;

	go->thread = 1;
	for (unsigned i = 0; i < 120000; i++)
		PUT(go, GO_STATUS, 0, 1 + i, 2 + i, G_SYSCALL);
	go_flush(go);
	go->thread = 1000000;
	go->time = 1000000;
	PUT(go, PROC_STATUS, 0, 1, P_SYSCALL);
	for (unsigned i = 0; i < 400000; i++)
		PUT(go, PROC_STATUS, 0, 1, P_ABANDONED);
	go_whole(go, 0);
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_int_equal(t->told.counts.nr_lost, 0);
	assert_true(t->told.seconds < MAX_SECONDS);
}

static void gaps_cost_only_live_goroutines(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;

	go->thread = 1;
	for (unsigned i = 0; i < 200000; i++)
		PUT(go, GO_STATUS, 0, 1 + i, NO_THREAD, G_WAITING);
	go_whole(go, 0);
	for (unsigned i = 0; i < 10000; i++) {
		go->generation++;
		go->thread = 1;
		PUT(go, GO_STATUS, 0, 1, NO_THREAD, G_WAITING);
		go_whole(go, 0);
	}
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_int_equal(t->told.counts.nr_lost, 0);
	assert_true(t->told.seconds < MAX_SECONDS);
}

static void sorting_threads_counts_as_searching(void **state)
{
	struct reader_hostile_test_trace *t = *state;
	struct go *go = &t->go;

	for (unsigned i = 0; i < 60000; i++) {
		go->thread = 3 + i;
		go->time = 1000000;
		PUT(go, GO_START, 0, 1, 7);
		go_flush(go);
	}
	/* The earliest event is not allowed; those of thread 2 are. */
	go->thread = 1;
	go->time = 0;
	PUT(go, GO_START, 0, 1, 7);
	go_flush(go);
	go->thread = 2;
	go->time = 1;
	for (unsigned i = 0; i < 30000; i++)
		PUT(go, PROC_STATUS, 0, 1, P_IDLE);
	go_whole(go, 0);
	reader_hostile_test_read_all(&t->told, READER_GO, &go->out);
	assert_int_equal(t->told.counts.nr_lost, 0);
	assert_true(t->told.seconds < MAX_SECONDS);
}

static void log_times_saturate(void **state)
{
	struct reader_hostile_test_trace *t = *state;

	tr2_buf_addstr(&t->log, "prf stm 2200-01-01 00:00:00.000 +00:00\n"
				"apd crf 1 2 3 \"x\"\n"
				"thr cpu 1 1000 5\n"
				"thr cpu 1 8796093022208 5\n");
	reader_hostile_test_read_all(&t->told, READER_TRACELOG, &t->log);
	assert_true(t->told.first > 0);
	assert_false(t->told.goes_back);
}

static void finds_the_start_time_among_held_lines(void **state)
{
	struct reader_hostile_test_trace *t = *state;

	tr2_buf_addstr(&t->log, "prf cfg A b\n"
				"prf stm 2020-01-01 00:00:00.000 +00:00\n"
				"prf cfg C d\n"
				"apd crf 1 2 3 \"x\"\n"
				"thr cpu 1 1000 5\n");
	reader_hostile_test_read_all(&t->told, READER_TRACELOG, &t->log);
	assert_int_equal(t->told.nr_sids, 1);
	assert_int_equal(t->told.nr_versions, 1);
	assert_int_equal(t->told.nr_ended, 1);
	assert_int_equal(t->told.counts.nr_malformed, 0);
}

static void depth_does_not_grow_without_frames(void **state)
{
	struct reader_hostile_test_trace *t = *state;

	tr2_buf_addstr(&t->log, "apd crf 1 2 3 \"x\"\n");
	for (unsigned i = 0; i < 5000; i++)
		tr2_buf_addf(&t->log, "sam str 1 %u 0 %u:0\n", i, i % 2 ? 1020 : 1000000);
	reader_hostile_test_read_all(&t->told, READER_TRACELOG, &t->log);
	assert_true(t->told.seconds < MAX_SECONDS);
}

static void frames_are_bounded(void **state)
{
	struct reader_hostile_test_trace *t = *state;

	tr2_buf_addstr(&t->log, "apd crf 1 2 3 \"x\"\n");
	for (unsigned i = 0; i < 5000; i++)
		tr2_buf_addf(&t->log, "sam str %u 1 0 1024:0\n", i);
	reader_hostile_test_read_all(&t->told, READER_TRACELOG, &t->log);
	assert_int_equal(t->told.counts.nr_malformed, 0);
	assert_true(t->told.most_held < 64u << 20);
}

static void emits_only_changed_allocations(void **state)
{
	struct reader_hostile_test_trace *t = *state;

	tr2_buf_addstr(&t->log, "apd crf 1 2 3 \"x\"\nsam mem 1 0");
	for (unsigned i = 0; i < 200000; i++)
		tr2_buf_addf(&t->log, " %u:1:%u", i, i);
	tr2_buf_addstr(&t->log, "\n");
	for (unsigned i = 1; i < 3000; i++)
		tr2_buf_addf(&t->log, "sam mem 1 %u 7:1:8\n", i * 10000);
	reader_hostile_test_read_all(&t->told, READER_TRACELOG, &t->log);
	assert_int_equal(t->told.counts.nr_malformed, 0);
	assert_true(t->told.seconds < MAX_SECONDS);
}

int main(void)
{
#define TEST(name, version)                                                                        \
	cmocka_unit_test_prestate_setup_teardown(name, reader_hostile_test_setup,                  \
						 reader_hostile_test_teardown,                     \
						 (void *)(uintptr_t) & (version))
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(consecutive_traces_are_separate_processes),
		TEST(go_times_saturate, go_25),
		TEST(tables_of_empty_batches_are_bounded, go_22),
		TEST(strings_are_searched_once, go_22),
		TEST(folded_stacks_are_bounded, go_22),
		TEST(finds_the_thread_of_a_p_quickly, go_22),
		TEST(gaps_cost_only_live_goroutines, go_22),
		TEST(sorting_threads_counts_as_searching, go_22),
		TEST(log_times_saturate, go_22),
		TEST(finds_the_start_time_among_held_lines, go_22),
		TEST(depth_does_not_grow_without_frames, go_22),
		TEST(frames_are_bounded, go_22),
		TEST(emits_only_changed_allocations, go_22),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
