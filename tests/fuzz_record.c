/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: read a recording through chunks, entries, splitters, readers and model. Byte 0 has
 * flags, the next seven determine the sizes of pieces. Then comes the recording's file. With
 * FLAG_PACKS, if built with libzstd, the rest is compressed as chunks: u8 entries, u16 bytes of
 * index, u16 bytes of data, the index, the data. Reading a recording at once and in pieces must
 * give the same counts and the same error.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/read/recording.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/packed.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FLAG_PACKS = 1,
	FLAG_AGAIN = 2, /* feed a packed stream again from its beginning after the first piece */
	NR_SIZES = 7,
};

/* Limit on the unpacked bytes of one input. Larger inputs are not compared. */
#define MAX_OUT (4u << 20)

static struct tr2_intern syms;
static struct journal *journal;
static struct streams streams;
static struct origin origin;

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void nothing(void *data)
{
	(void)data;
}

static void setup(void)
{
	if (journal)
		return;
	expect(tr2_intern_init(&syms, 0, 0));
	journal = journal_new(0, nothing, NULL);
	streams_init(&streams, journal, &syms, NULL);
	origin_init(&origin, &streams, "fuzz", -1);
	origin.can_wait = true;
}

static void apply(struct model *model)
{
	const struct batch *batch;

	batcher_push(&streams.out);
	while ((batch = journal_next(journal)))
		model_apply(model, batch);
}

struct run {
	struct stream stream;
	struct model *model;
	size_t out; /* bytes that were unpacked */
};

/* Return false if more than MAX_OUT bytes were unpacked. */
static bool feed(struct run *run, const uint8_t *bytes, size_t len, size_t budget_each)
{
	for (size_t at = 0; at < len || stream_has_more(&run->stream);) {
		size_t budget = budget_each, nr = len - at;
		char *copy = malloc(nr + SPLITTER_PAD);

		expect(copy);
		if (nr)
			memcpy(copy, bytes + at, nr);
		memset(copy + nr, '{', SPLITTER_PAD);
		nr = stream_feed_some(&run->stream, copy, nr, &budget);
		free(copy);
		expect(nr || budget < budget_each || stream_catch_up(&run->stream));
		at += nr;
		run->out += budget_each - budget;
		apply(run->model);
		if (run->out > MAX_OUT)
			return false;
	}
	return true;
}

static bool run(uint8_t flags, const uint8_t *bytes, size_t len, const uint8_t *sizes,
		struct source_stats *out)
{
	static const struct model_config config = { .max_processes = 100 };
	struct run r = { .model = model_new(&syms, &config) };
	bool whole = true;

	memset(&origin.framed, 0, sizeof(origin.framed));
	memset(&origin.read, 0, sizeof(origin.read));
	origin.stats.packed_bytes = 0;
	origin.stats.error[0] = origin.stats.seems[0] = '\0';
	origin.is_incomplete = false;
	stream_init(&r.stream, &origin);
	r.stream.name = "fuzz";
	stream_may_be_packed(&r.stream);
	if (!sizes)
		whole = feed(&r, bytes, len, MAX_OUT * 2);
	for (size_t at = 0, i = 0; sizes && whole && at < len; i++) {
		size_t nr = 1 + sizes[i % NR_SIZES];

		nr = nr < len - at ? nr : len - at;
		whole = feed(&r, bytes + at, nr, 1 + sizes[(i + 1) % NR_SIZES] * 64u);
		at += nr;
		if (whole && !i && flags & FLAG_AGAIN && stream_is_packed(&r.stream)) {
			stream_unpack_again(&r.stream);
			at = 0;
		}
	}
	stream_end(&r.stream, false);
	stream_release(&r.stream);
	apply(r.model);
	model_settle(r.model);
	model_free(r.model);
	expect(!streams.packed_held && !streams.held_bytes && !streams.waiting);
	origin_refresh(&origin);
	*out = origin.stats;
	return whole;
}

#ifdef HAVE_ZSTD
static size_t pack(char *to, size_t room, const uint8_t *bytes, size_t len)
{
	size_t nr = ZSTD_compress(to, room, len ? (const char *)bytes : "", len, 1);

	expect(!ZSTD_isError(nr));
	return nr;
}

static void put_le(char *to, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(value >> 8 * i);
}

static void chunk_add(struct tr2_buf *out, uint8_t entries, const uint8_t *index, size_t nr_index,
		      const uint8_t *data, size_t nr_data)
{
	static const char skippable[4] = { 0x54, 0x2a, 0x4d, 0x18 };
	static char packed_index[70000], packed_data[70000];
	size_t a = pack(packed_index, sizeof(packed_index), index, nr_index);
	size_t b = pack(packed_data, sizeof(packed_data), data, nr_data);
	char fixed[RECORDING_FRAME_BYTES] = { 0 };

	memcpy(fixed, skippable, 4);
	put_le(fixed + 4, sizeof(fixed) - 8 + a, 4);
	memcpy(fixed + 8, "T2CK", 4);
	put_le(fixed + 12, entries, 4);
	put_le(fixed + 16, nr_data, 4);
	put_le(fixed + 20, (uint64_t)1767356916 * 1000000000u, 8);
	put_le(fixed + 44, nr_index, 4);
	put_le(fixed + 48, b, 4);
	expect(tr2_buf_add(out, fixed, sizeof(fixed)) && tr2_buf_add(out, packed_index, a) &&
	       tr2_buf_add(out, packed_data, b));
}

static void chunks_make(struct tr2_buf *out, const uint8_t *bytes, size_t len)
{
	recording_head(out, "{}");
	while (len >= 5) {
		size_t nr_index = bytes[1] | (size_t)bytes[2] << 8;
		size_t nr_data = bytes[3] | (size_t)bytes[4] << 8;
		uint8_t entries = bytes[0];

		bytes += 5;
		len -= 5;
		nr_index = nr_index < len ? nr_index : len;
		nr_data = nr_data < len - nr_index ? nr_data : len - nr_index;
		chunk_add(out, entries, bytes, nr_index, bytes + nr_index, nr_data);
		bytes += nr_index + nr_data;
		len -= nr_index + nr_data;
	}
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_stats whole, pieces;
	struct tr2_buf made;

	if (size < 1 + NR_SIZES)
		return 0;
	setup();
	tr2_buf_init(&made, SIZE_MAX / 2);
#ifdef HAVE_ZSTD
	if (data[0] & FLAG_PACKS)
		chunks_make(&made, data + 1 + NR_SIZES, size - 1 - NR_SIZES);
#endif
	if (!made.len)
		expect(tr2_buf_add(&made, data + 1 + NR_SIZES, size - 1 - NR_SIZES));
	if (run(0, (const uint8_t *)made.data, made.len, NULL, &whole) &&
	    run(data[0], (const uint8_t *)made.data, made.len, data + 1, &pieces) &&
	    recording_look_first(made.data, made.len) == LOOK_HEAD) {
		expect(whole.records == pieces.records && whole.events == pieces.events);
		expect(whole.malformed == pieces.malformed && whole.bytes == pieces.bytes);
		expect(!strcmp(whole.error, pieces.error));
	}
	tr2_buf_release(&made);
	return 0;
}
