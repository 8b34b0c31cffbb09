/* SPDX-License-Identifier: MIT */
/*
 * Fixture for tests of PERF and NORMAL: a reader of one stream, and its events as text, with the
 * process of each line.
 */
#ifndef TESTS_TEXT_FIXTURE_H
#define TESTS_TEXT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/read/reader.h"
#include "tests/event_text.h"

struct text_fixture {
	struct tr2_intern syms;
	struct reader *reader;
	struct batch *batch;
	struct read_counts counts;
	struct reader_stream stream;
	uint32_t nr_processes;
	const char *why; /* error of the last malformed line */
	struct tr2_buf out;
};

static inline void text_open(struct text_fixture *f, unsigned kind, const char *name,
			     bool one_process)
{
	*f = (struct text_fixture){ .batch = batch_new() };
	/* The reference is 2026-11-21T12:00:00Z. */
	f->stream = (struct reader_stream){ .name = name,
					    .one_process = one_process,
					    .reference_ns = 1795262400 * NS_PER_SEC,
					    .nr_processes = &f->nr_processes };
	setenv("TZ", "UTC", 1);
	assert_true(tr2_intern_init(&f->syms, 0, 0));
	tr2_buf_init(&f->out, 64 << 20);
	f->reader = reader_new_of(kind, &f->syms, &f->stream);
}

static inline void text_close(struct text_fixture *f)
{
	reader_free(f->reader);
	batch_free(f->batch);
	tr2_intern_release(&f->syms);
	tr2_buf_release(&f->out);
}

static inline void text_bad(void *data, const char *record, size_t len, const struct diag *why)
{
	(void)record;
	(void)len;
	((struct text_fixture *)data)->why = why->message;
}

/* The memory has exactly the size of the lines and the pad. */
static inline void text_feed(struct text_fixture *f, const char *lines, size_t len)
{
	char *copy = malloc(len + READER_PAD);

	memcpy(copy, lines, len);
	memset(copy + len, '\n', READER_PAD);
	for (size_t at = 0; at < len;) {
		at += reader_lines(f->reader, copy + at, len - at, f->batch, &f->counts, text_bad,
				   f);
		if (at < len) {
			assert_true(batch_is_full(f->batch));
			batch_clear(f->batch);
		}
	}
	free(copy);
}

static inline void text_line(struct text_fixture *f, const char *line)
{
	text_feed(f, line, strlen(line));
}

static inline void text_finish(struct text_fixture *f, bool is_quiet)
{
	reader_finish(f->reader, is_quiet, &f->counts, text_bad, f);
	reader_pump(f->reader, f->batch, &f->counts, text_bad, f);
}

static inline const char *text_told(struct text_fixture *f)
{
	struct batch_cursor cursor = batch_begin(f->batch);
	struct event ev;

	tr2_buf_clear(&f->out);
	while (batch_next(&cursor, &ev)) {
		if (!event_is_trace2(&ev))
			continue;
		tr2_buf_addstr(&f->out, ev.kind < TR2_NR_EVENTS ? tr2_events[ev.kind].wire : "?");
		for (unsigned field = 0; field < NR_FIELDS; field++)
			if (event_has(&ev, field))
				event_text_field(&f->out, f->batch, &f->syms, &ev, field);
		tr2_buf_addch(&f->out, '\n');
	}
	batch_clear(f->batch);
	return tr2_buf_cstr(&f->out);
}

/* Return `SID:kind` of each Trace2 event, separated by blanks; SIDs without the stream's name. */
static inline const char *text_whose(struct text_fixture *f)
{
	struct batch_cursor cursor = batch_begin(f->batch);
	struct event ev;

	tr2_buf_clear(&f->out);
	while (batch_next(&cursor, &ev)) {
		const char *sid;
		size_t len;

		if (!event_is_trace2(&ev))
			continue;
		sid = batch_sid_text(f->batch, (uint32_t)ev.v[TR2_F_SID], &len);
		if (f->out.len)
			tr2_buf_addch(&f->out, ' ');
		for (const char *p = sid; p < sid + len; p++) {
			const char *hash = memchr(p, '#', (size_t)(sid + len - p));

			if (*p == '?')
				tr2_buf_addch(&f->out, '?');
			p = hash ? hash + 1 : p;
			for (; p < sid + len && *p != '/'; p++)
				tr2_buf_addch(&f->out, *p);
			tr2_buf_addch(&f->out, p < sid + len ? '/' : ':');
		}
		tr2_buf_addstr(&f->out, ev.kind < TR2_NR_EVENTS ? tr2_events[ev.kind].wire : "?");
	}
	batch_clear(f->batch);
	return tr2_buf_cstr(&f->out);
}

/* `day_us`: microseconds of the day; negative `abs_us` and `rel_us` are absent. */
static inline void perf_put(struct text_fixture *f, int64_t day_us, unsigned depth,
			    const char *thread, const char *event, int64_t abs_us, int64_t rel_us,
			    const char *category, const char *message)
{
	char line[4096], abs[32] = "         ", rel[32] = "         ";

	if (abs_us >= 0)
		snprintf(abs, sizeof(abs), "%2d.%06d", (int)(abs_us / 1000000),
			 (int)(abs_us % 1000000));
	if (rel_us >= 0)
		snprintf(rel, sizeof(rel), "%2d.%06d", (int)(rel_us / 1000000),
			 (int)(rel_us % 1000000));
	snprintf(line, sizeof(line),
		 "%02d:%02d:%02d.%06d %-28s | d%u | %-24s | %-12s | %-3s | %s | %s | %-12.1s "
		 "| %s\n",
		 (int)(day_us / 3600000000 % 24), (int)(day_us / 60000000 % 60),
		 (int)(day_us / 1000000 % 60), (int)(day_us % 1000000), "a.c:1", depth, thread,
		 event, "", abs, rel, category, message);
	text_line(f, line);
}

#endif
