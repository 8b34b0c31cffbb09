/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/redacted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/reader.h"
#include "monitor/read/recording.h"

#define STREAM 1u
/* Maximum bytes of an entry for the recorder. */
#define PIECE_BYTES (64u << 10)

struct redacted {
	struct tap *tap;
	struct tap_state state;
	struct report_run run;
	FILE *to; /* writes to `bytes` */
	char *bytes;
	size_t nr_bytes; /* valid after fflush() */
};

/* Pass an entry to the recorder. Returns false if the stream must be announced again. */
static bool redacted_put(struct redacted *r, enum tap_kind kind, uint32_t number, const char *bytes,
			 size_t len)
{
	struct tap_entry entry = { .kind = kind,
				   .stream = number,
				   .arrival_ns = tr2_clock_wall(),
				   .bytes = bytes,
				   .len = (uint32_t)len };

	return tap_put(r->tap, 0, &r->state, &entry);
}

static void announce(struct redacted *r)
{
	const char *format = reader_words[READER_EVENT + 1].word;
	struct recording_source source = { { "redacted", 8 }, { "redacted", 8 } };
	struct recording_open open = { .flags = OPEN_LIVE,
				       .reference_ns = NS_NONE,
				       .format = { format, strlen(format) },
				       .name = { "redacted", 8 } };
	struct tr2_buf text;

	tr2_buf_init(&text, SIZE_MAX / 2);
	recording_source_pack(&text, &source);
	redacted_put(r, TAP_SOURCE, 0, text.data, text.len);
	tr2_buf_clear(&text);
	recording_open_pack(&text, &open);
	redacted_put(r, TAP_OPEN, STREAM, text.data, text.len);
	tr2_buf_release(&text);
}

static void pass_on(struct redacted *r)
{
	fflush(r->to);
	for (size_t at = 0, len; at < r->nr_bytes; at += len) {
		len = r->nr_bytes - at < PIECE_BYTES ? r->nr_bytes - at : PIECE_BYTES;
		tap_wait_for_room(r->tap);
		if (!redacted_put(r, TAP_BYTES, STREAM, r->bytes + at, len)) {
			announce(r);
			redacted_put(r, TAP_BYTES, STREAM, r->bytes + at, len);
		}
	}
	rewind(r->to);
}

struct redacted *redacted_new(struct tap *tap, const struct report_input *input)
{
	struct redacted *r = xcalloc(1, sizeof(*r));

	r->tap = tap;
	r->to = open_memstream(&r->bytes, &r->nr_bytes);
	if (!r->to)
		die_of_memory(BUFSIZ);
	announce(r);
	report_begin(&r->run, exporters[EXPORTER_EVENTS].ops, r->to, input);
	return r;
}

void redacted_batch(struct redacted *r, const struct batch *batch)
{
	report_batch(&r->run, batch);
	pass_on(r);
}

void redacted_end(struct redacted *r)
{
	if (!r)
		return;
	report_end(&r->run);
	pass_on(r);
	fclose(r->to);
	free(r->bytes);
	redacted_put(r, TAP_END, STREAM, NULL, 0);
	free(r);
}
