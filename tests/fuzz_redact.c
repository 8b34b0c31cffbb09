/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: redaction. The input is lines in EVENT format. In two modes, a redactor that saw all
 * earlier events and a new one with the same key must return the same line. Seeds and dictionary
 * contain MARKER in place of secrets. In mode REDACTION_TEXT the reader must accept the line, and
 * MARKER must not appear in it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/event/event_json.h"
#include "monitor/redact/redact.h"
#include "tests/read_one.h"

#define MARKER "Geheimnis"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char key[] = "0123456789abcdef";

struct target {
	struct tr2_intern syms;
	struct reader *reader;
	/* events of an input line and of its redacted line */
	struct batch *batch, *again;
	struct redactor *redactors[2];
};

static const enum redaction modes[2] = { REDACTION_TEXT, REDACTION_SECRETS };

static void differ(const char *what, const struct tr2_buf *a, const struct tr2_buf *b)
{
	fprintf(stderr, "%s\n%.*s\n%.*s\n", what, (int)a->len, a->data, (int)b->len, b->data);
	abort();
}

static struct redactor *redactor_open(const struct target *t, enum redaction what)
{
	struct redactor *redactor = redactor_new(&t->syms, what);

	redactor_set_key(redactor, key, strlen(key));
	return redactor;
}

static void line_make(struct redactor *redactor, const struct batch *from, const struct event *ev,
		      struct tr2_buf *line)
{
	struct event own;
	const struct batch *batch = redactor_event(redactor, from, ev, &own);

	tr2_buf_clear(line);
	event_json(redactor_syms(redactor), batch, &own, EVENT_JSON_TRACE, line);
}

static void check_read(const struct target *t, const struct tr2_buf *line)
{
	char *record = malloc(line->len + 1 + READER_PAD);
	struct diag why = { 0 };

	if (!record)
		abort();
	memcpy(record, line->data, line->len);
	memset(record + line->len, '\n', 1 + READER_PAD);
	if (read_one(t->reader, record, line->len, t->again, &why) == READ_BAD)
		differ(why.message, line, line);
	batch_clear(t->again);
	free(record);
}

static void check_event(const struct target *t, const struct event *ev)
{
	struct tr2_buf line, fresh;

	tr2_buf_init(&line, 1 << 30);
	tr2_buf_init(&fresh, 1 << 30);
	for (int i = 0; i < 2; i++) {
		struct redactor *one = redactor_open(t, modes[i]);

		line_make(one, t->batch, ev, &fresh);
		/* The second time the redactor knows every name of the event. */
		for (int n = 0; n < 2; n++) {
			line_make(t->redactors[i], t->batch, ev, &line);
			if (line.len != fresh.len || memcmp(line.data, fresh.data, line.len))
				differ("known and new", &line, &fresh);
		}
		redactor_free(one);
		if (modes[i] == REDACTION_TEXT) {
			if (memmem(line.data, line.len, MARKER, strlen(MARKER)))
				differ("a marker", &line, &line);
			check_read(t, &line);
		}
	}
	tr2_buf_release(&line);
	tr2_buf_release(&fresh);
}

static void check_batch(const struct target *t)
{
	struct batch_cursor cursor = batch_begin(t->batch);
	struct event ev;

	while (batch_next(&cursor, &ev))
		if (event_is_trace2(&ev))
			check_event(t, &ev);
	batch_clear(t->batch);
}

static void read_record(const struct target *t, const uint8_t *line, size_t len)
{
	char *record = malloc(len + 1 + READER_PAD);
	struct diag why = { 0 };

	if (!record)
		abort();
	memcpy(record, line, len);
	memset(record + len, '\n', 1 + READER_PAD);
	read_one(t->reader, record, len, t->batch, &why);
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t;

	if (!tr2_intern_init(&t.syms, 0, 0))
		abort();
	t.reader = reader_new(READER_EVENT, &t.syms);
	t.batch = batch_new();
	t.again = batch_new();
	for (int i = 0; i < 2; i++)
		t.redactors[i] = redactor_open(&t, modes[i]);
	for (const uint8_t *p = data, *end = data + size; p < end;) {
		const uint8_t *lf = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((lf ? lf : end) - p);

		read_record(&t, p, len);
		check_batch(&t);
		p += len + 1;
	}
	for (int i = 0; i < 2; i++)
		redactor_free(t.redactors[i]);
	batch_free(t.batch);
	batch_free(t.again);
	reader_free(t.reader);
	tr2_intern_release(&t.syms);
	return 0;
}
