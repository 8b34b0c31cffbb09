/* SPDX-License-Identifier: MIT */
/*
 * Functions for tests of the EVENT reader: a reader, a batch, records in memory of their exact
 * size.
 */
#ifndef TESTS_READER_FIXTURE_H
#define TESTS_READER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/read/reader_event.h"
#include "tests/event_text.h"
#include "tests/read_one.h"

struct reader_fixture {
	struct tr2_intern syms;
	struct reader *reader;
	struct batch *batch;
	struct read_counts counts;
	struct diag why;
	struct tr2_buf text;
};

static inline int reader_fixture_setup(void **state)
{
	struct reader_fixture *f = calloc(1, sizeof(*f));

	assert_true(tr2_intern_init(&f->syms, 0, 0));
	f->reader = reader_new(READER_EVENT, &f->syms);
	f->batch = batch_new();
	tr2_buf_init(&f->text, 64 << 20);
	*state = f;
	return 0;
}

static inline int reader_fixture_teardown(void **state)
{
	struct reader_fixture *f = *state;

	reader_free(f->reader);
	batch_free(f->batch);
	tr2_intern_release(&f->syms);
	tr2_buf_release(&f->text);
	free(f);
	return 0;
}

/* The memory has exactly the size of the record, its LF and the pad. */
static inline char *record_of(const char *text, size_t len)
{
	char *record = malloc(len + 1 + READER_PAD);

	memcpy(record, text, len);
	memset(record + len, '\n', 1 + READER_PAD);
	return record;
}

static inline enum read_result read_bytes(struct reader_fixture *f, const char *text, size_t len)
{
	char *record = record_of(text, len);
	enum read_result result = read_one(f->reader, record, len, f->batch, &f->why);

	free(record);
	return result;
}

static inline const char *batch_as_text(struct reader_fixture *f)
{
	tr2_buf_clear(&f->text);
	event_text(&f->text, f->batch, &f->syms);
	batch_clear(f->batch);
	return tr2_buf_cstr(&f->text);
}

static inline const char *good(struct reader_fixture *f, const char *text)
{
	batch_clear(f->batch);
	if (read_bytes(f, text, strlen(text)) == READ_BAD)
		fail_msg("malformed at %zu, %s: %s", f->why.offset, f->why.message, text);
	assert_int_equal(f->batch->nr_records, 1);
	return batch_as_text(f);
}

#define READER_TEST(name)                                                                          \
	cmocka_unit_test_setup_teardown(name, reader_fixture_setup, reader_fixture_teardown)

#endif
