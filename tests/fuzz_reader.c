/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the EVENT reader. The input is lines; the fast and the general path must read each
 * line with the same result.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/json.h"
#include "monitor/read/reader_event.h"
#include "tests/event_text.h"
#include "tests/read_one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_reader_target {
	struct tr2_intern syms;
	struct reader *reader;
	struct batch *predicted, *general;
};

static void fuzz_reader_differ(const struct fuzz_reader_target *t, const char *record, size_t len)
{
	struct tr2_buf text;

	tr2_buf_init(&text, 1 << 30);
	event_text(&text, t->predicted, &t->syms);
	tr2_buf_addstr(&text, "--- general:\n");
	event_text(&text, t->general, &t->syms);
	fprintf(stderr, "%.*s\n%s", (int)len, record, tr2_buf_cstr(&text));
	abort();
}

static void fuzz_reader_compare(const struct fuzz_reader_target *t, const char *record, size_t len)
{
	struct tr2_buf a, b;

	tr2_buf_init(&a, 1 << 30);
	tr2_buf_init(&b, 1 << 30);
	event_text(&a, t->predicted, &t->syms);
	event_text(&b, t->general, &t->syms);
	if (a.len != b.len || (a.len && memcmp(a.data, b.data, a.len)))
		fuzz_reader_differ(t, record, len);
	tr2_buf_release(&a);
	tr2_buf_release(&b);
}

static void fuzz_reader_read_record(const struct fuzz_reader_target *t, const uint8_t *line,
				    size_t len)
{
	char *record = malloc(len + 1 + READER_PAD);
	struct diag why_one = { 0 }, why_any = { 0 };
	enum read_result one, any;

	if (!record)
		abort();
	memcpy(record, line, len);
	memset(record + len, '\n', 1 + READER_PAD);
	one = read_one(t->reader, record, len, t->predicted, &why_one);
	any = event_read_any(t->reader->state, record, len, t->general, &why_any);
	if (one != any || (one == READ_BAD && (why_one.offset > len || !why_one.message)))
		fuzz_reader_differ(t, record, len);
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_reader_target t;

	if (!tr2_intern_init(&t.syms, 0, 0))
		abort();
	t.reader = reader_new(READER_EVENT, &t.syms);
	t.predicted = batch_new();
	t.general = batch_new();
	for (const uint8_t *p = data, *end = data + size; p < end;) {
		const uint8_t *lf = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((lf ? lf : end) - p);

		if (batch_is_full(t.predicted)) {
			fuzz_reader_compare(&t, (const char *)data, (size_t)(p - data));
			batch_clear(t.predicted);
			batch_clear(t.general);
		}
		fuzz_reader_read_record(&t, p, len);
		p += len + 1;
	}
	fuzz_reader_compare(&t, (const char *)data, size);
	batch_free(t.predicted);
	batch_free(t.general);
	reader_free(t.reader);
	tr2_intern_release(&t.syms);
	return 0;
}
