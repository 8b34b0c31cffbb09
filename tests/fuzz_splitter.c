/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the splitter. Byte 0 has flags. Without FLAG_SMALL, seven bytes determine the
 * sizes of pieces, the rest is a stream. Fed at once and in pieces, it must give the same lines or
 * bytes and counts. With FLAG_SMALL, records (stream, size, bytes) follow.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "monitor/read/splitter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FLAG_PROBE = 1,
	FLAG_SMALL = 2,
	FLAG_END = 4, /* the stream ends in the middle, and another one begins */
	FLAG_BYTES = 8,
	NR_STREAMS = 5,
};

static void fuzz_splitter_expect(bool ok)
{
	if (!ok)
		abort();
}

static void fuzz_splitter_take_lines(struct tr2_buf *out, const char *lines, size_t len)
{
	fuzz_splitter_expect(len > 0 && lines[len - 1] == '\n');
	fuzz_splitter_expect(tr2_buf_add(out, lines, len));
}

/* FRAME_BYTES: the first byte of a record, modulo 64, is the number of bytes after it. */
static size_t fuzz_splitter_take_bytes(struct tr2_buf *out, const char *bytes, size_t len)
{
	size_t used = 0;

	while (used < len && 1 + (size_t)(unsigned char)bytes[used] % 64 <= len - used)
		used += 1 + (size_t)(unsigned char)bytes[used] % 64;
	fuzz_splitter_expect(tr2_buf_add(out, bytes, used));
	return used;
}

/* The first byte that is not a lower-case letter determines the format. If there is none, the
 * format is lines if is_all, else undecided. */
static enum verdict fuzz_splitter_probe(const char *bytes, size_t len, bool is_all)
{
	fuzz_splitter_expect(len > 0 && len <= SPLITTER_PROBE_BYTES);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] < 'a' || bytes[i] > 'z')
			return bytes[i] == '{' ? VERDICT_LINES
			       : bytes[i] == 0 ? VERDICT_BYTES
					       : VERDICT_FOREIGN;
	return is_all ? VERDICT_LINES : VERDICT_MORE;
}

static void fuzz_splitter_spans(struct splitter_span span, struct tr2_buf *out)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_LINES)
			fuzz_splitter_take_lines(out, span.bytes, span.len);
		else if (span.kind == SPLITTER_BYTES)
			span.used = fuzz_splitter_take_bytes(out, span.bytes, span.len);
		else if (span.kind == SPLITTER_PROBE)
			span.verdict = fuzz_splitter_probe(span.bytes, span.len, span.is_complete);
		else
			fuzz_splitter_expect(span.kind == SPLITTER_TORN && span.len > 0);
}

static void fuzz_splitter_feed(struct splitter *splitter, const uint8_t *bytes, size_t len,
			       struct tr2_buf *out)
{
	char *chunk = malloc(len + SPLITTER_PAD);

	fuzz_splitter_expect(chunk);
	memcpy(chunk, bytes, len);
	memset(chunk + len, '{', SPLITTER_PAD);
	fuzz_splitter_spans(splitter_feed(splitter, chunk, len), out);
	free(chunk);
}

/* Feed pieces of at most 1 + sizes[i] % 40 bytes. `sizes` NULL: the pieces are as large as
 * possible. */
static void fuzz_splitter_run(const uint8_t *bytes, size_t len, const uint8_t *sizes,
			      size_t nr_sizes, unsigned flags, struct tr2_buf *out,
			      struct splitter_counts *counts)
{
	struct splitter_pool pool;
	struct splitter splitter;
	size_t middle = len / 2;

	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&splitter, &pool, counts);
	splitter.probes = flags & FLAG_PROBE;
	splitter.framing = flags & FLAG_BYTES ? FRAME_BYTES : FRAME_LINES;
	for (size_t at = 0, i = 0; at < len; i++) {
		size_t piece = sizes ? 1 + sizes[i % nr_sizes] % 40u : len;
		size_t stop = flags & FLAG_END && at < middle ? middle : len;

		if (piece > stop - at)
			piece = stop - at;
		fuzz_splitter_feed(&splitter, bytes + at, piece, out);
		at += piece;
		if (flags & FLAG_END && at == middle)
			fuzz_splitter_spans(splitter_end(&splitter), out);
	}
	fuzz_splitter_spans(splitter_end(&splitter), out);
	fuzz_splitter_expect(pool.nr_bytes == 0 && pool.nr_heap == 0 && !splitter.part);
	splitter_pool_release(&pool);
}

static void run_small(const uint8_t *bytes, size_t len, struct tr2_buf *out)
{
	struct splitter_counts counts = { 0 };
	struct splitter splitters[NR_STREAMS];
	struct splitter_pool pool;

	splitter_pool_init(&pool, 100);
	for (int i = 0; i < NR_STREAMS; i++) {
		splitter_init(&splitters[i], &pool, &counts);
		splitters[i].probes = i == 1 || i == 2;
		splitters[i].framing = i == 3 ? FRAME_BYTES : FRAME_LINES;
	}
	while (len > 2) {
		size_t piece = bytes[1] < len - 2 ? bytes[1] : len - 2, held = 0;

		fuzz_splitter_feed(&splitters[bytes[0] % NR_STREAMS], bytes + 2, piece, out);
		if (bytes[0] >= 250)
			fuzz_splitter_spans(splitter_end(&splitters[bytes[0] % NR_STREAMS]), out);
		for (int i = 0; i < NR_STREAMS; i++)
			held += splitter_held(&splitters[i]);
		fuzz_splitter_expect(held == pool.nr_bytes && held <= 100);
		bytes += 2 + piece;
		len -= 2 + piece;
	}
	for (int i = 0; i < NR_STREAMS; i++)
		splitter_release(&splitters[i]);
	fuzz_splitter_expect(pool.nr_bytes == 0);
	splitter_pool_release(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct splitter_counts whole = { 0 }, pieces = { 0 };
	struct tr2_buf a, b;
	unsigned flags;

	if (size < 8)
		return 0;
	flags = data[0];
	tr2_buf_init(&a, 1 << 30);
	tr2_buf_init(&b, 1 << 30);
	if (flags & FLAG_SMALL) {
		run_small(data + 1, size - 1, &a);
	} else {
		fuzz_splitter_run(data + 8, size - 8, NULL, 0, flags, &a, &whole);
		fuzz_splitter_run(data + 8, size - 8, data + 1, 7, flags, &b, &pieces);
		fuzz_splitter_expect(a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len)));
		fuzz_splitter_expect(!memcmp(&whole, &pieces, sizeof(whole)));
	}
	tr2_buf_release(&a);
	tr2_buf_release(&b);
	return 0;
}
