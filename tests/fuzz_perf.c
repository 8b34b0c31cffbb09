/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the text formats PERF and NORMAL: splitter, reader, model. Byte 0 has flags, seven
 * more determine the sizes of pieces, the rest are lines. The events must be the same when the
 * lines are read again; without FLAG_SILENCE and FLAG_SKIPPED, also however the bytes are split.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/event/sid.h"
#include "monitor/model/model.h"
#include "monitor/read/text/text_process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FLAG_NORMAL = 1,
	FLAG_ONE_PROCESS = 2,
	FLAG_SILENCE = 4, /* after each piece, call the reader as for a silent stream */
	FLAG_SKIPPED = 8, /* --new: in pieces, the first half of the input is skipped */
};

struct fuzz_perf_target {
	struct tr2_intern syms;
	struct batch *batch;
	struct model *model;
	struct reader *reader;
	struct read_counts read;
	uint64_t hash; /* hash of the events' SIDs and fields, without lists */
};

static void fuzz_perf_expect(bool ok)
{
	if (!ok)
		abort();
}

static void take_batch(struct fuzz_perf_target *t)
{
	struct batch_cursor cursor = batch_begin(t->batch);
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		size_t len;
		const char *sid = batch_sid_text(t->batch, (uint32_t)ev.v[TR2_F_SID], &len);

		fuzz_perf_expect(event_has(&ev, TR2_F_SID) &&
				 sid_depth(sid, len) <= TEXT_MAX_DEPTH);
		t->hash = tr2_hash_pair(t->hash, tr2_hash(sid, len));
		for (unsigned field = 0; field < TR2_NR_FIELDS; field++) {
			const char *text;

			if (!event_has(&ev, field) || field == TR2_F_SID)
				continue;
			t->hash = tr2_hash_pair(t->hash, field);
			switch (tr2_fields[field].type) {
			case TR2_TYPE_TEXT:
				text = batch_text(t->batch, ev.v[field], &len);
				t->hash = tr2_hash_pair(t->hash, tr2_hash(text, len));
				break;
			case TR2_TYPE_LIST:
				break;
			default:
				t->hash = tr2_hash_pair(t->hash, (uint64_t)ev.v[field]);
			}
		}
	}
	model_apply(t->model, t->batch);
	batch_clear(t->batch);
}

static void fuzz_perf_take_lines(struct fuzz_perf_target *t, const char *lines, size_t len)
{
	while (len) {
		size_t used = reader_lines(t->reader, lines, len, t->batch, &t->read, NULL, NULL);

		lines += used;
		len -= used;
		if (batch_is_full(t->batch))
			take_batch(t);
	}
}

static void fuzz_perf_spans(struct fuzz_perf_target *t, struct splitter_span span)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_LINES)
			fuzz_perf_take_lines(t, span.bytes, span.len);
}

static void fuzz_perf_finish(struct fuzz_perf_target *t, bool is_quiet)
{
	reader_finish(t->reader, is_quiet, &t->read, NULL, NULL);
	while (reader_pump(t->reader, t->batch, &t->read, NULL, NULL))
		take_batch(t);
}

static void fuzz_perf_read_all(struct fuzz_perf_target *t, unsigned flags, const uint8_t *bytes,
			       size_t len, const uint8_t *sizes, void **shared)
{
	size_t held = 0;
	uint32_t nr_processes = 0;
	struct reader_stream about = { .name = "fuzz",
				       .one_process = flags & FLAG_ONE_PROCESS,
				       .reference_ns = 1795262400 * NS_PER_SEC,
				       .nr_processes = &nr_processes,
				       .held_bytes = &held,
				       .shared = shared };
	struct splitter_counts framed = { 0 };
	struct splitter_pool pool;
	struct splitter splitter;

	t->read = (struct read_counts){ 0 };
	t->hash = 0;
	t->model = model_new(&t->syms, &(struct model_config){ .nesting = -1, .max_processes = 5 });
	t->reader =
		reader_new_of(flags & FLAG_NORMAL ? READER_NORMAL : READER_PERF, &t->syms, &about);
	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&splitter, &pool, &framed);
	for (size_t at = 0, i = 0; at < len; i++) {
		size_t piece = sizes ? 1u + sizes[i % 7] : len;
		char *chunk;

		piece = piece < len - at ? piece : len - at;
		chunk = malloc(piece + SPLITTER_PAD);
		fuzz_perf_expect(chunk);
		memcpy(chunk, bytes + at, piece);
		memset(chunk + piece, '\n', SPLITTER_PAD);
		about.is_skipped = sizes && flags & FLAG_SKIPPED && at < len / 2;
		fuzz_perf_spans(t, splitter_feed(&splitter, chunk, piece));
		free(chunk);
		at += piece;
		if (sizes && flags & FLAG_SILENCE)
			fuzz_perf_finish(t, true);
	}
	fuzz_perf_spans(t, splitter_end(&splitter));
	fuzz_perf_finish(t, false);
	fuzz_perf_expect(reader_held(t->reader) < TEXT_MAX_APART_BYTES + (40u << 20));
	take_batch(t);
	model_settle(t->model);
	fuzz_perf_expect(model_totals(t->model)->events == t->read.nr_events);
	splitter_release(&splitter);
	splitter_pool_release(&pool);
	model_free(t->model);
	reader_free(t->reader);
}

static void fuzz_perf_run(struct fuzz_perf_target *t, unsigned flags, const uint8_t *bytes,
			  size_t len, const uint8_t *sizes)
{
	void *shared = NULL;
	uint64_t hash;

	*t = (struct fuzz_perf_target){ .batch = batch_new() };
	fuzz_perf_expect(tr2_intern_init(&t->syms, 0, 0));
	fuzz_perf_read_all(t, flags, bytes, len, sizes, &shared);
	hash = t->hash;
	fuzz_perf_read_all(t, flags, bytes, len, sizes, &shared);
	fuzz_perf_expect(t->hash == hash);
	batch_free(t->batch);
	tr2_intern_release(&t->syms);
	free(shared);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_perf_target whole, pieces;
	uint64_t nr_lines = 0;

	if (size < 8)
		return 0;
	fuzz_perf_run(&whole, data[0], data + 8, size - 8, NULL);
	fuzz_perf_run(&pieces, data[0], data + 8, size - 8, data + 1);
	for (size_t i = 8; i < size; i++)
		nr_lines += data[i] == '\n';
	fuzz_perf_expect(whole.read.nr_events + whole.read.nr_malformed + whole.read.nr_continued +
				 whole.read.nr_ignored <=
			 nr_lines);
	if (!(data[0] & (FLAG_SILENCE | FLAG_SKIPPED))) {
		fuzz_perf_expect(!memcmp(&whole.read, &pieces.read, sizeof(whole.read)));
		fuzz_perf_expect(whole.hash == pieces.hash);
	}
	return 0;
}
