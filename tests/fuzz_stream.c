/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of whole streams: format detection, splitter, reader, model. Byte 0 has flags, seven
 * more determine the sizes of pieces, the rest is a stream. Fed at once and in pieces, the detected
 * format must be the same; without silence between the pieces, also the reader's counts.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/model/model.h"
#include "tests/reader_toy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FLAG_ASKED = 1,     /* the high bits request a format */
	FLAG_REFUSES = 2,   /* streams of unknown formats are skipped */
	FLAG_SILENCE = 4,   /* after each piece, call the reader as for a silent stream */
	FLAG_UNBOUNDED = 8, /* the model has no limit on processes */
};

struct fuzz_stream_target {
	unsigned flags;
	struct tr2_intern syms;
	struct batch *batch;
	struct model *model;
	struct splitter splitter;
	struct splitter_counts framed;
	struct read_counts read;
	struct reader_stream about;
	struct reader *reader;
	uint32_t nr_processes;
	uint64_t nr_bad;
	size_t held, sum;
	int format;
};

static void fuzz_stream_expect(bool ok)
{
	if (!ok)
		abort();
}

static void fuzz_stream_take_bad(void *data, const char *record, size_t len, const struct diag *why)
{
	struct fuzz_stream_target *t = data;

	/* Read all bytes, so that a sanitizer detects invalid memory. */
	for (size_t i = 0; i < len; i++)
		t->sum += (unsigned char)record[i];
	fuzz_stream_expect(why->message && *why->message);
	t->nr_bad++;
}

static void fuzz_stream_batch_take(struct fuzz_stream_target *t)
{
	model_apply(t->model, t->batch);
	batch_clear(t->batch);
}

static void fuzz_stream_pump(struct fuzz_stream_target *t)
{
	while (reader_pump(t->reader, t->batch, &t->read, fuzz_stream_take_bad, t)) {
		fuzz_stream_expect(batch_is_full(t->batch));
		fuzz_stream_batch_take(t);
	}
	if (batch_is_full(t->batch))
		fuzz_stream_batch_take(t);
}

static void fuzz_stream_begin(struct fuzz_stream_target *t, unsigned format)
{
	t->format = (int)format;
	t->reader = reader_new_of(format, &t->syms, &t->about);
	t->splitter.framing = readers[format]->framing;
}

static enum verdict fuzz_stream_probe(struct fuzz_stream_target *t, const char *bytes, size_t len,
				      bool is_all)
{
	int format = reader_detect(FORMATS_ALL, bytes, len, is_all);

	fuzz_stream_expect(format != DETECT_MORE || !is_all);
	if (format == DETECT_MORE)
		return VERDICT_MORE;
	if (format == DETECT_NONE && t->flags & FLAG_REFUSES)
		return VERDICT_FOREIGN;
	fuzz_stream_begin(t, format < 0 ? READER_EVENT : (unsigned)format);
	return t->splitter.framing == FRAME_BYTES ? VERDICT_BYTES : VERDICT_LINES;
}

static void fuzz_stream_take_lines(struct fuzz_stream_target *t, const char *lines, size_t len)
{
	while (len) {
		size_t used = reader_lines(t->reader, lines, len, t->batch, &t->read,
					   fuzz_stream_take_bad, t);

		fuzz_stream_expect(used <= len && (used || batch_is_full(t->batch)));
		lines += used;
		len -= used;
		if (batch_is_full(t->batch))
			fuzz_stream_batch_take(t);
	}
	fuzz_stream_pump(t);
}

static size_t fuzz_stream_take_bytes(struct fuzz_stream_target *t, const char *bytes, size_t len)
{
	size_t all = 0, used = 1;
	bool full = false;

	while (all < len && (used || full)) {
		used = reader_bytes(t->reader, bytes + all, len - all, t->batch, &t->read,
				    fuzz_stream_take_bad, t);
		fuzz_stream_expect(used <= len - all);
		all += used;
		full = batch_is_full(t->batch);
		fuzz_stream_pump(t);
	}
	return all;
}

static void fuzz_stream_spans(struct fuzz_stream_target *t, struct splitter_span span)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_LINES)
			fuzz_stream_take_lines(t, span.bytes, span.len);
		else if (span.kind == SPLITTER_BYTES)
			span.used = fuzz_stream_take_bytes(t, span.bytes, span.len);
		else if (span.kind == SPLITTER_PROBE)
			span.verdict = fuzz_stream_probe(t, span.bytes, span.len, span.is_complete);
}

static void fuzz_stream_feed(struct fuzz_stream_target *t, const uint8_t *bytes, size_t len)
{
	char *chunk = malloc(len + SPLITTER_PAD);

	fuzz_stream_expect(chunk);
	memcpy(chunk, bytes, len);
	memset(chunk + len, '\n', SPLITTER_PAD);
	fuzz_stream_spans(t, splitter_feed(&t->splitter, chunk, len));
	free(chunk);
}

/* Feed pieces of 1 + sizes[i % 7] % 60 bytes (NULL: everything at once). */
static void fuzz_stream_run(struct fuzz_stream_target *t, unsigned flags, const uint8_t *bytes,
			    size_t len, const uint8_t *sizes)
{
	struct splitter_pool pool;

	*t = (struct fuzz_stream_target){ .flags = flags, .format = -1, .batch = batch_new() };
	t->about = (struct reader_stream){ .name = "fuzz",
					   .reference_ns = NS_PER_SEC * 1000000000,
					   .arrival_ns = NS_PER_SEC * 1000000000,
					   .nr_processes = &t->nr_processes,
					   .held_bytes = &t->held };
	fuzz_stream_expect(tr2_intern_init(&t->syms, 0, 0));
	t->model = model_new(
		&t->syms, &(struct model_config){
				  .nesting = -1, .max_processes = flags & FLAG_UNBOUNDED ? 0 : 3 });
	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&t->splitter, &pool, &t->framed);
	t->splitter.probes = !(flags & FLAG_ASKED);
	if (flags & FLAG_ASKED)
		fuzz_stream_begin(t, (flags >> 4) % nr_readers);
	for (size_t at = 0, i = 0; at < len; i++) {
		size_t piece = sizes ? 1 + sizes[i % 7] % 60u : len;

		piece = piece < len - at ? piece : len - at;
		fuzz_stream_feed(t, bytes + at, piece);
		at += piece;
		if (sizes && flags & FLAG_SILENCE && t->reader) {
			reader_finish(t->reader, true, &t->read, fuzz_stream_take_bad, t);
			fuzz_stream_pump(t);
		}
	}
	fuzz_stream_spans(t, splitter_end(&t->splitter));
	if (t->reader) {
		reader_finish(t->reader, false, &t->read, fuzz_stream_take_bad, t);
		fuzz_stream_pump(t);
		fuzz_stream_expect(reader_held(t->reader) >= sizeof(*t->reader));
	}
	fuzz_stream_batch_take(t);
	model_settle(t->model);
	fuzz_stream_expect(model_totals(t->model)->events == t->read.nr_events);
	fuzz_stream_expect(t->nr_bad == t->read.nr_malformed);
	splitter_release(&t->splitter);
	splitter_pool_release(&pool);
}

static void fuzz_stream_release(struct fuzz_stream_target *t)
{
	model_free(t->model);
	batch_free(t->batch);
	reader_free(t->reader);
	tr2_intern_release(&t->syms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_stream_target whole, pieces;

	if (size < 8)
		return 0;
	fuzz_stream_run(&whole, data[0], data + 8, size - 8, NULL);
	fuzz_stream_run(&pieces, data[0], data + 8, size - 8, data + 1);
	fuzz_stream_expect(whole.format == pieces.format);
	fuzz_stream_expect(whole.framed.nr_foreign == pieces.framed.nr_foreign);
	fuzz_stream_expect(whole.framed.nr_bytes == pieces.framed.nr_bytes);
	if (!(data[0] & FLAG_SILENCE)) {
		fuzz_stream_expect(!memcmp(&whole.read, &pieces.read, sizeof(whole.read)));
		fuzz_stream_expect(whole.framed.nr_torn == pieces.framed.nr_torn);
	}
	fuzz_stream_release(&whole);
	fuzz_stream_release(&pieces);
	return 0;
}
