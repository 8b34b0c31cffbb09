/* SPDX-License-Identifier: MIT */
/* Tests of the batcher, which fills batches and hands them to the journal. */
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
#include "monitor/stream/origin.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

struct batcher_fixture {
	struct tr2_intern syms;
	struct journal *journal;
	struct streams streams;
	struct origin origins[2];
	int nr_pushes;
};

static void batcher_test_nothing(void *data)
{
	(void)data;
}

static void count_push(void *data)
{
	struct batcher_fixture *f = data;

	f->nr_pushes++;
}

static int batcher_test_setup(void **state)
{
	struct batcher_fixture *f = calloc(1, sizeof(*f));

	assert_true(tr2_intern_init(&f->syms, 0, 0));
	f->journal = journal_new(0, batcher_test_nothing, NULL);
	streams_init(&f->streams, f->journal, &f->syms, NULL);
	f->streams.out.on_push = count_push;
	f->streams.out.data = f;
	for (int i = 0; i < 2; i++)
		origin_init(&f->origins[i], &f->streams, i ? "second" : "first", -1);
	*state = f;
	return 0;
}

static int batcher_test_teardown(void **state)
{
	struct batcher_fixture *f = *state;

	streams_release(&f->streams);
	journal_free(f->journal);
	tr2_intern_release(&f->syms);
	free(f);
	return 0;
}

static void record_add(struct batcher *out)
{
	struct event ev = { .kind = REC_GAP };

	event_set(&ev, FLD_T_GAP, 1);
	batch_add(out->batch, &ev);
}

static unsigned nr_of(const struct batch *batch, unsigned kind)
{
	struct batch_cursor cursor = batch_begin(batch);
	unsigned nr = 0;
	struct event ev;

	while (batch_next(&cursor, &ev))
		nr += ev.kind == kind;
	return nr;
}

static void data_that_can_wait_has_a_batch_of_its_own(void **state)
{
	struct batcher_fixture *f = *state;
	struct batcher *out = &f->streams.out;
	const struct batch *batch;

	batcher_set_safe(out, true);
	record_add(out);
	batcher_set_safe(out, true);
	record_add(out);
	assert_null(journal_next(f->journal));
	batcher_set_safe(out, false);
	batch = journal_next(f->journal);
	assert_non_null(batch);
	assert_true(batch->is_safe);
	assert_int_equal(nr_of(batch, REC_GAP), 2);
	assert_false(out->batch->is_safe);
	assert_true(batch_is_empty(out->batch));
	assert_int_equal(out->stream, UINT32_MAX);
}

static void empty_batch_is_not_handed_over(void **state)
{
	struct batcher_fixture *f = *state;

	batcher_push(&f->streams.out);
	batcher_push(&f->streams.out);
	assert_null(journal_next(f->journal));
	assert_int_equal(f->nr_pushes, 2);
}

static void agent_sends(struct batcher_fixture *f, struct origin *origin, const char *agent,
			const char *sid)
{
	char line[200 + SPLITTER_PAD];
	struct stream stream;
	int len =
		snprintf(line, 200, "{\"event\":\"version\",\"sid\":\"%s\",\"evt\":\"3\"}\n", sid);

	stream_init(&stream, origin);
	stream.agent = tr2_intern(&f->syms, agent, strlen(agent));
	stream_feed(&stream, line, (size_t)len);
	stream_release(&stream);
}

static void events_of_other_agents_processes_are_removed_and_counted(void **state)
{
	struct batcher_fixture *f = *state;
	const struct batch *batch;

	agent_sends(f, &f->origins[0], "site.one", "root");
	agent_sends(f, &f->origins[1], "site.two", "other");
	agent_sends(f, &f->origins[1], "site.two", "root/child");
	agent_sends(f, &f->origins[0], "site.one", "root/child");
	batcher_push(&f->streams.out);
	batch = journal_next(f->journal);
	assert_non_null(batch);
	assert_int_equal(nr_of(batch, TR2_E_VERSION), 3);
	assert_int_equal(f->origins[0].stats.contradicted, 0);
	assert_int_equal(f->origins[1].stats.contradicted, 1);
	agent_sends(f, &f->origins[1], "site.two", "root");
	batcher_push(&f->streams.out);
	assert_int_equal(f->origins[1].stats.contradicted, 2);
}

static void last_batch_is_handed_over_at_the_end(void **state)
{
	struct batcher_fixture *f = *state;
	struct batcher batcher;

	batcher_init(&batcher, f->journal);
	record_add(&batcher);
	batcher_release(&batcher);
	assert_int_equal(nr_of(journal_next(f->journal), REC_GAP), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, batcher_test_setup, batcher_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(data_that_can_wait_has_a_batch_of_its_own),
		TEST(empty_batch_is_not_handed_over),
		TEST(events_of_other_agents_processes_are_removed_and_counted),
		TEST(last_batch_is_handed_over_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
