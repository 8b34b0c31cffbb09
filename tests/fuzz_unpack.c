/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of compressed input: decompression, splitter, reader and model. Byte 0 has flags,
 * seven more determine the sizes of pieces, the rest is a stream. A stream that is not skipped must
 * give the same error at once and in pieces, also if its decoder is freed and fed again. The counts
 * must be the same if nothing is damaged.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/packed.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FLAG_REFUSES = 1, /* streams of unknown formats are skipped */
	FLAG_RESTS = 2,   /* call stream_unpack_rest() after each piece */
	/* like FLAG_RESTS, and free the decoder after the first piece */
	FLAG_AGAIN = 4,
	NR_SIZES = 7,
};

/* Limit on the unpacked bytes of one input. Larger inputs are not compared. */
#define MAX_OUT (1u << 20)

static struct tr2_intern syms;
static struct journal *journal;
static struct streams streams;
static struct origin origin;

static void fuzz_unpack_expect(bool ok)
{
	if (!ok)
		abort();
}

static void fuzz_unpack_nothing(void *data)
{
	(void)data;
}

static void fuzz_unpack_setup(void)
{
	if (journal)
		return;
	fuzz_unpack_expect(tr2_intern_init(&syms, 0, 0));
	journal = journal_new(0, fuzz_unpack_nothing, NULL);
	streams_init(&streams, journal, &syms, NULL);
	origin_init(&origin, &streams, "fuzz", -1);
	origin.can_wait = true;
}

static void fuzz_unpack_apply(struct model *model)
{
	const struct batch *batch;

	batcher_push(&streams.out);
	while ((batch = journal_next(journal)))
		model_apply(model, batch);
}

struct fuzz_unpack_run {
	struct stream stream;
	struct model *model;
	size_t out; /* bytes that were unpacked */
};

/* Return false if more than MAX_OUT bytes were unpacked. */
static bool fuzz_unpack_feed(struct fuzz_unpack_run *run, const uint8_t *bytes, size_t len,
			     size_t budget_each)
{
	for (size_t at = 0; at < len || stream_has_more(&run->stream);) {
		size_t budget = budget_each, nr = len - at;
		char *copy = malloc(nr + SPLITTER_PAD);

		fuzz_unpack_expect(copy);
		if (nr)
			memcpy(copy, bytes + at, nr);
		memset(copy + nr, '{', SPLITTER_PAD);
		nr = stream_feed_some(&run->stream, copy, nr, &budget);
		free(copy);
		fuzz_unpack_expect(nr || budget < budget_each || stream_catch_up(&run->stream));
		at += nr;
		run->out += budget_each - budget;
		fuzz_unpack_apply(run->model);
		if (run->out > MAX_OUT)
			return false;
	}
	return true;
}

/* Feed pieces of 1 + sizes[i % 7] bytes (NULL: everything at once). Returns false if more than
 * MAX_OUT bytes were unpacked. */
static bool fuzz_unpack_run(uint8_t flags, const uint8_t *bytes, size_t len, const uint8_t *sizes,
			    struct source_stats *out)
{
	static const struct model_config config = { .max_processes = 100 };
	struct fuzz_unpack_run r = { .model = model_new(&syms, &config) };
	bool whole = true;

	memset(&origin.framed, 0, sizeof(origin.framed));
	memset(&origin.read, 0, sizeof(origin.read));
	origin.stats.packed_bytes = 0;
	origin.stats.error[0] = '\0';
	origin.is_incomplete = false;
	stream_init(&r.stream, &origin);
	r.stream.name = "fuzz";
	stream_may_be_packed(&r.stream);
	if (flags & FLAG_REFUSES)
		stream_refuse_others(&r.stream);
	if (!sizes)
		whole = fuzz_unpack_feed(&r, bytes, len, MAX_OUT * 2);
	for (size_t at = 0, i = 0; sizes && whole && at < len; i++) {
		size_t nr = 1 + sizes[i % NR_SIZES];

		nr = nr < len - at ? nr : len - at;
		whole = fuzz_unpack_feed(&r, bytes + at, nr, 1 + sizes[(i + 1) % NR_SIZES] * 64u);
		at += nr;
		if (whole && flags & (FLAG_RESTS | FLAG_AGAIN) &&
		    !stream_unpack_rest(&r.stream, !i && flags & FLAG_AGAIN))
			whole = fuzz_unpack_feed(&r, bytes, at, MAX_OUT);
	}
	stream_end(&r.stream, false);
	stream_release(&r.stream);
	fuzz_unpack_apply(r.model);
	model_settle(r.model);
	model_free(r.model);
	fuzz_unpack_expect(!streams.packed_held && !streams.held_bytes && !streams.waiting);
	origin_refresh(&origin);
	*out = origin.stats;
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_stats at_once, pieces;

	if (size < 1 + NR_SIZES)
		return 0;
	fuzz_unpack_setup();
	if (!fuzz_unpack_run(data[0], data + 1 + NR_SIZES, size - 1 - NR_SIZES, NULL, &at_once) ||
	    !fuzz_unpack_run(data[0], data + 1 + NR_SIZES, size - 1 - NR_SIZES, data + 1, &pieces))
		return 0;
	fuzz_unpack_expect(!strcmp(at_once.error, pieces.error) || at_once.foreign);
	/* How much output precedes the error depends on the pieces. */
	if (strstr(at_once.error, "damaged"))
		return 0;
	fuzz_unpack_expect(at_once.events == pieces.events);
	fuzz_unpack_expect(at_once.malformed == pieces.malformed);
	fuzz_unpack_expect(at_once.oversized == pieces.oversized);
	fuzz_unpack_expect(at_once.foreign == pieces.foreign);
	fuzz_unpack_expect(at_once.bytes == pieces.bytes || at_once.foreign);
	return 0;
}
