/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of one format: splitter, reader, model. Byte 0 has flags, seven more determine the
 * sizes of pieces, the rest is a stream. Without FLAG_SILENCE and FLAG_SKIPPED, the events (without
 * lists) must be the same however the bytes are split.
 */
#ifndef TESTS_FUZZ_FORMAT_H
#define TESTS_FUZZ_FORMAT_H

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/model/model.h"
#include "monitor/read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FLAG_SILENCE = 4, /* after each piece, call the reader as for a silent stream */
	FLAG_SKIPPED = 8, /* --new: in pieces, the first half of the stream is skipped */
	FLAG_ONE_PROCESS = 16,
};

#define NR_LANES  512u
#define MAX_DEPTH 24u

struct lane {
	uint64_t key; /* hash of process and thread; 0: free entry */
	uint32_t nr;
	uint64_t open[MAX_DEPTH];
};

struct fuzz_format_target {
	struct tr2_intern syms;
	struct batch *batch;
	struct model *model;
	struct reader *reader;
	struct splitter splitter;
	struct splitter_counts framed;
	struct read_counts read;
	uint64_t hash; /* hash of all events, without their lists */
	uint64_t nr_bad;
	size_t sum;
	ns_t last;
	struct lane lanes[NR_LANES];
};

static void fuzz_format_expect(bool ok)
{
	if (!ok)
		abort();
}

static struct lane *lane_of(struct fuzz_format_target *t, uint64_t key)
{
	for (uint32_t i = 0; i < 8; i++) {
		struct lane *lane = &t->lanes[(key + i) % NR_LANES];

		if (lane->key == key)
			return lane;
		if (!lane->key) {
			lane->key = key;
			return lane;
		}
	}
	return NULL;
}

static void region_take(struct fuzz_format_target *t, const struct event *ev, uint64_t sid)
{
	sym_t thread = event_sym(ev, TR2_F_THREAD), label = event_sym(ev, TR2_F_LABEL);
	uint64_t what = tr2_hash_pair(event_sym(ev, TR2_F_CATEGORY), label);
	struct lane *lane = lane_of(t, tr2_hash_pair(sid, thread) | 1);

	/* Threads and labels beyond the limit of symbols share one: regions are not checked. */
	if (!lane || thread == t->syms.sym_other || label == t->syms.sym_other)
		return;
	if (ev->kind == TR2_E_REGION_ENTER) {
		if (lane->nr < MAX_DEPTH)
			lane->open[lane->nr] = what;
		lane->nr++;
		fuzz_format_expect(ev->v[TR2_F_NESTING] == lane->nr);
		return;
	}
	fuzz_format_expect(lane->nr && ev->v[TR2_F_NESTING] == lane->nr);
	lane->nr--;
	fuzz_format_expect(lane->nr >= MAX_DEPTH || lane->open[lane->nr] == what);
	fuzz_format_expect(ev->v[TR2_F_T_REL] >= 0);
}

static void event_hash(struct fuzz_format_target *t, const struct event *ev, uint64_t sid)
{
	t->hash = tr2_hash_pair(t->hash, sid ^ ev->kind);
	for (unsigned field = 0; field < TR2_NR_FIELDS; field++) {
		const char *text;
		size_t len;

		if (!event_has(ev, field) || field == TR2_F_SID)
			continue;
		t->hash = tr2_hash_pair(t->hash, field);
		switch (tr2_fields[field].type) {
		case TR2_TYPE_TEXT:
			text = batch_text(t->batch, ev->v[field], &len);
			t->hash = tr2_hash_pair(t->hash, tr2_hash(text, len));
			break;
		case TR2_TYPE_LIST:
			break;
		default:
			t->hash = tr2_hash_pair(t->hash, (uint64_t)ev->v[field]);
		}
	}
}

static void fuzz_format_batch_take(struct fuzz_format_target *t)
{
	struct batch_cursor cursor = batch_begin(t->batch);
	struct event ev;

	while (batch_next(&cursor, &ev)) {
		size_t len;
		const char *sid = batch_sid_text(t->batch, (uint32_t)ev.v[TR2_F_SID], &len);
		uint64_t hash = tr2_hash(sid, len);

		event_hash(t, &ev, hash);
		if (ev.kind == TR2_E_VERSION) {
			memset(t->lanes, 0, sizeof(t->lanes));
			t->last = event_get(&ev, TR2_F_TIME, INT64_MIN);
		}
		if (event_has(&ev, TR2_F_TIME)) {
			fuzz_format_expect(!FUZZ_IN_ORDER || ev.v[TR2_F_TIME] >= t->last);
			t->last = ev.v[TR2_F_TIME];
		}
		if (ev.kind == TR2_E_REGION_ENTER || ev.kind == TR2_E_REGION_LEAVE)
			region_take(t, &ev, hash);
	}
	model_apply(t->model, t->batch);
	batch_clear(t->batch);
}

static void fuzz_format_take_bad(void *data, const char *record, size_t len, const struct diag *why)
{
	struct fuzz_format_target *t = data;

	/* Read all bytes, so that a sanitizer detects invalid memory. */
	for (size_t i = 0; i < len; i++)
		t->sum += (unsigned char)record[i];
	fuzz_format_expect(why->message && *why->message);
	t->nr_bad++;
}

static void fuzz_format_pump(struct fuzz_format_target *t)
{
	while (reader_pump(t->reader, t->batch, &t->read, fuzz_format_take_bad, t)) {
		fuzz_format_expect(batch_is_full(t->batch));
		fuzz_format_batch_take(t);
	}
	if (batch_is_full(t->batch))
		fuzz_format_batch_take(t);
}

static void fuzz_format_take_lines(struct fuzz_format_target *t, const char *lines, size_t len)
{
	while (len) {
		size_t used = reader_lines(t->reader, lines, len, t->batch, &t->read,
					   fuzz_format_take_bad, t);

		fuzz_format_expect(used <= len && (used || batch_is_full(t->batch)));
		lines += used;
		len -= used;
		if (batch_is_full(t->batch))
			fuzz_format_batch_take(t);
	}
	fuzz_format_pump(t);
}

static size_t fuzz_format_take_bytes(struct fuzz_format_target *t, const char *bytes, size_t len)
{
	size_t all = 0, used = 1;
	bool full = false;

	while (all < len && (used || full)) {
		used = reader_bytes(t->reader, bytes + all, len - all, t->batch, &t->read,
				    fuzz_format_take_bad, t);
		fuzz_format_expect(used <= len - all);
		all += used;
		full = batch_is_full(t->batch);
		fuzz_format_pump(t);
	}
	return all;
}

static void fuzz_format_spans(struct fuzz_format_target *t, struct splitter_span span)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_BYTES)
			span.used = fuzz_format_take_bytes(t, span.bytes, span.len);
		else if (span.kind == SPLITTER_LINES)
			fuzz_format_take_lines(t, span.bytes, span.len);
}

static void fuzz_format_finish(struct fuzz_format_target *t, bool is_quiet)
{
	reader_finish(t->reader, is_quiet, &t->read, fuzz_format_take_bad, t);
	fuzz_format_pump(t);
}

/* Feed pieces of 1 + sizes[i % 7] bytes (NULL: everything at once). */
static void fuzz_format_run(struct fuzz_format_target *t, unsigned flags, const uint8_t *bytes,
			    size_t len, const uint8_t *sizes)
{
	size_t held = 0;
	uint32_t nr_processes = 0;
	struct reader_stream about = { .name = "fuzz",
				       .one_process = flags & FLAG_ONE_PROCESS,
				       .reference_ns = 1795262400 * NS_PER_SEC,
				       .arrival_ns = 1795262400 * NS_PER_SEC,
				       .nr_processes = &nr_processes,
				       .held_bytes = &held };
	struct splitter_pool pool;

	memset(t, 0, sizeof(*t));
	t->batch = batch_new();
	t->last = INT64_MIN;
	fuzz_format_expect(tr2_intern_init(&t->syms, 0, 0));
	t->model = model_new(&t->syms, &(struct model_config){ .nesting = -1, .max_processes = 3 });
	t->reader = reader_new_of(FUZZ_READER, &t->syms, &about);
	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&t->splitter, &pool, &t->framed);
	t->splitter.framing = readers[FUZZ_READER]->framing;
	for (size_t at = 0, i = 0; at < len; i++) {
		size_t piece = sizes ? 1u + sizes[i % 7] : len;
		char *chunk;

		piece = piece < len - at ? piece : len - at;
		chunk = malloc(piece + SPLITTER_PAD);
		fuzz_format_expect(chunk);
		memcpy(chunk, bytes + at, piece);
		memset(chunk + piece, '\n', SPLITTER_PAD);
		about.is_skipped = sizes && flags & FLAG_SKIPPED && at < len / 2;
		fuzz_format_spans(t, splitter_feed(&t->splitter, chunk, piece));
		free(chunk);
		at += piece;
		held = reader_held(t->reader);
		fuzz_format_expect(held >= sizeof(*t->reader) && held < FUZZ_MAX_HELD + 64 * len);
		if (sizes && flags & FLAG_SILENCE)
			fuzz_format_finish(t, true);
	}
	fuzz_format_spans(t, splitter_end(&t->splitter));
	fuzz_format_finish(t, false);
	fuzz_format_batch_take(t);
	model_settle(t->model);
	fuzz_format_expect(model_totals(t->model)->events == t->read.nr_events);
	fuzz_format_expect(t->nr_bad == t->read.nr_malformed);
	splitter_release(&t->splitter);
	splitter_pool_release(&pool);
	model_free(t->model);
	batch_free(t->batch);
	reader_free(t->reader);
	tr2_intern_release(&t->syms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_format_target whole, pieces;

	if (size < 8)
		return 0;
	fuzz_format_run(&whole, data[0], data + 8, size - 8, NULL);
	fuzz_format_run(&pieces, data[0], data + 8, size - 8, data + 1);
	if (!(data[0] & (FLAG_SILENCE | FLAG_SKIPPED))) {
		fuzz_format_expect(!memcmp(&whole.read, &pieces.read, sizeof(whole.read)));
		fuzz_format_expect(whole.hash == pieces.hash);
	}
	return 0;
}

#endif
