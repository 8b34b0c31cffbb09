/* SPDX-License-Identifier: MIT */
/* Tests of a tap: lines that it does not return are counted as dropped. */
#include "config.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "monitor/base/tap.h"

#define STREAMS 5
#define RING    (1u << 20)

/* A producer of lines "STREAM NUMBER xxx...", cut anywhere. */
struct writer {
	struct tap *tap;
	struct tap_state states[STREAMS];
	char line[STREAMS][600];
	size_t at[STREAMS], len[STREAMS];
	unsigned number[STREAMS];
	uint64_t lines, bytes;
	unsigned seed;
	unsigned epoch;
};

/* the consumer; by stream, the incomplete line, and the number of the last complete one */
struct reader {
	struct tap *tap;
	char part[STREAMS][600];
	size_t nr_part[STREAMS];
	unsigned last[STREAMS];
	bool seen[STREAMS], open[STREAMS];
	uint64_t lines, bytes, dropped_bytes, wakes;
	unsigned rest_us; /* pause between entries, in microseconds */
	_Atomic bool stop;
};

static int some(struct writer *w, int n)
{
	return (int)((unsigned)rand_r(&w->seed) % (unsigned)n);
}

static void line_next(struct writer *w, int s)
{
	int nr = snprintf(w->line[s], 60, "%d %u ", s, ++w->number[s]);
	int more = some(w, 500);

	memset(w->line[s] + nr, 'x', (size_t)more);
	w->line[s][nr + more] = '\n';
	w->len[s] = (size_t)(nr + more + 1);
	w->at[s] = 0;
}

static void open_stream(struct writer *w, int s)
{
	struct tap_entry entry = {
		.kind = TAP_OPEN, .stream = (uint32_t)s, .bytes = "o", .len = 1
	};

	w->states[s].epoch = w->epoch;
	if (!tap_put(w->tap, 0, &w->states[s], &entry))
		w->epoch++;
}

static void put_some(struct writer *w)
{
	char bytes[2000];
	int s = some(w, STREAMS);
	size_t nr = 0, wanted = 1 + (size_t)some(w, 1500);
	struct tap_entry entry = { .kind = TAP_BYTES, .stream = (uint32_t)s, .bytes = bytes };

	while (nr < wanted) {
		size_t left = w->len[s] - w->at[s];
		size_t take = left < wanted - nr ? left : wanted - nr;

		if (!left) {
			line_next(w, s);
			w->lines++;
			continue;
		}
		memcpy(bytes + nr, w->line[s] + w->at[s], take);
		w->at[s] += take;
		nr += take;
	}
	if (w->states[s].epoch != w->epoch)
		open_stream(w, s);
	entry.len = (uint32_t)nr;
	w->bytes += nr;
	if (!tap_put(w->tap, 0, &w->states[s], &entry))
		w->epoch++;
}

static void got_line(struct reader *r, unsigned s, const char *line, size_t len)
{
	unsigned stream, number, x = 0;
	int at = 0;

	assert_int_equal(sscanf(line, "%u %u %n", &stream, &number, &at), 2);
	assert_int_equal(stream, s);
	assert_true(!r->seen[s] || number > r->last[s]);
	for (size_t i = (size_t)at; i + 1 < len; i++)
		x += line[i] != 'x';
	assert_int_equal(x, 0);
	r->seen[s] = true;
	r->last[s] = number;
	r->lines++;
	r->bytes += len;
}

static void forget(struct reader *r, unsigned s)
{
	r->dropped_bytes += r->nr_part[s];
	r->nr_part[s] = 0;
}

static void got(struct reader *r, const struct tap_entry *e)
{
	const char *at = e->bytes, *end = e->bytes + e->len, *lf;
	unsigned s = e->stream;

	if (e->kind == TAP_RESET) {
		for (s = 0; s < STREAMS; s++) {
			forget(r, s);
			r->open[s] = false;
		}
		return;
	}
	if (e->cut)
		forget(r, s);
	if (e->kind == TAP_OPEN)
		r->open[s] = true;
	if (e->kind != TAP_BYTES)
		return;
	assert_true(r->open[s]);
	while ((lf = memchr(at, '\n', (size_t)(end - at)))) {
		size_t nr = (size_t)(lf + 1 - at);

		assert_true(r->nr_part[s] + nr < sizeof(r->part[s]));
		memcpy(r->part[s] + r->nr_part[s], at, nr);
		r->part[s][r->nr_part[s] + nr] = '\0';
		got_line(r, s, r->part[s], r->nr_part[s] + nr);
		r->nr_part[s] = 0;
		at = lf + 1;
	}
	assert_true(r->nr_part[s] + (size_t)(end - at) < sizeof(r->part[s]));
	memcpy(r->part[s] + r->nr_part[s], at, (size_t)(end - at));
	r->nr_part[s] += (size_t)(end - at);
}

static void *consume(void *data)
{
	struct reader *r = data;
	struct timespec rest = { .tv_nsec = r->rest_us * 1000L };
	struct tap_entry entry;

	for (;;) {
		bool stop = r->stop;

		while (tap_next(r->tap, &entry)) {
			got(r, &entry);
			tap_done(r->tap);
			if (r->rest_us)
				nanosleep(&rest, NULL);
		}
		if (stop)
			break;
		if (tap_prepare_sleep(r->tap)) {
			struct pollfd it = { .fd = tap_fd(r->tap), .events = POLLIN };

			poll(&it, 1, -1);
			tap_cancel_sleep(r->tap);
			r->wakes++;
		}
	}
	tap_give_back(r->tap);
	return NULL;
}

static void run(struct writer *w, struct reader *r, unsigned puts, bool asks)
{
	pthread_t thread;

	w->tap = r->tap = tap_new(RING);
	w->epoch = 1;
	assert_int_equal(pthread_create(&thread, NULL, consume, r), 0);
	for (unsigned i = 0; i < puts; i++) {
		while (asks && !tap_has_room(w->tap))
			sched_yield();
		put_some(w);
	}
	r->stop = true;
	tap_wake(w->tap);
	pthread_join(thread, NULL);
	for (unsigned s = 0; s < STREAMS; s++)
		r->bytes += r->nr_part[s];
}

static void waiting_for_space_loses_nothing(void **state)
{
	struct writer w = { .seed = 1 };
	struct reader r = { .rest_us = 0 };

	(void)state;
	run(&w, &r, 20000, true);
	assert_int_equal(r.bytes, w.bytes);
	assert_int_equal(tap_lost(w.tap).bytes, 0);
	tap_free(w.tap);
}

static void loses_and_counts_complete_lines(void **state)
{
	struct writer w = { .seed = 2 };
	struct reader r = { .rest_us = 60 };
	uint64_t unfinished = 0;

	(void)state;
	run(&w, &r, 8000, false);
	assert_true(tap_lost(w.tap).bytes > 0);
	/* Every byte and every complete line was received or counted as dropped. */
	assert_int_equal(r.bytes + r.dropped_bytes + tap_lost(w.tap).bytes, w.bytes);
	for (unsigned s = 0; s < STREAMS; s++)
		unfinished += w.at[s] < w.len[s];
	assert_int_equal(r.lines + tap_lost(w.tap).lines, w.lines - unfinished);
	tap_free(w.tap);
}

static void full_tap_sends_a_reset(void **state)
{
	struct tap_state state0 = { 0 };
	struct tap_entry entry = { .kind = TAP_END, .bytes = "" }, got_entry;
	struct tap *tap = tap_new(RING);
	bool told = false;
	unsigned nr = 0;

	(void)state;
	while (tap_put(tap, 0, &state0, &entry) && nr < 2 * RING / 24)
		nr++;
	/* tap_put() succeeds for ends that do not fit; a reset replaces them. */
	assert_int_equal(nr, 2 * RING / 24);
	while (tap_next(tap, &got_entry)) {
		assert_int_equal(got_entry.kind, TAP_END);
		tap_done(tap);
	}
	tap_give_back(tap);
	assert_false(tap_put(tap, 0, &state0, &entry));
	assert_true(tap_put(tap, 0, &state0, &entry));
	while (tap_next(tap, &got_entry)) {
		told |= got_entry.kind == TAP_RESET;
		tap_done(tap);
	}
	assert_true(told);
	tap_free(tap);
}

static void datagrams_are_dropped_whole(void **state)
{
	static char bytes[200000];
	struct tap_state state0 = { 0 };
	struct tap_entry entry = { .kind = TAP_DATAGRAM, .bytes = bytes, .len = sizeof(bytes) },
			 out;
	struct tap *tap = tap_new(RING);
	unsigned nr = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		tap_put(tap, 0, &state0, &entry);
	while (tap_next(tap, &out)) {
		assert_int_equal(out.len, sizeof(bytes));
		tap_done(tap);
		nr++;
	}
	assert_true(nr >= 3 && nr < 10);
	assert_int_equal(tap_lost(tap).lines, 10 - nr);
	assert_int_equal(tap_lost(tap).bytes, (10 - nr) * sizeof(bytes));
	tap_free(tap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_for_space_loses_nothing),
		cmocka_unit_test(loses_and_counts_complete_lines),
		cmocka_unit_test(full_tap_sends_a_reset),
		cmocka_unit_test(datagrams_are_dropped_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
