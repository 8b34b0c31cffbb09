/* SPDX-License-Identifier: MIT */
/* Tests of the splitter and its limits. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "monitor/read/splitter.h"

#define MIB (1u << 20)

struct splitter_test_fixture {
	struct splitter_pool pool;
	struct splitter_counts counts;
	struct splitter splitter;
	struct tr2_buf got; /* bytes of the lines and records that the splitter delivered */
	struct tr2_buf torn;
	enum verdict found; /* the format that take_probe() detects */
	size_t probe_at;    /* take_probe() decides once it has this many bytes, or all */
	size_t record;      /* for FRAME_BYTES: size of a record */
	uint64_t nr_probed;
};

static void splitter_test_take_lines(struct splitter_test_fixture *f, const char *lines, size_t len)
{
	assert_true(len > 0);
	assert_int_equal(lines[len - 1], '\n');
	assert_true(tr2_buf_add(&f->got, lines, len));
}

/* The format is decided once there are probe_at bytes, or all: it is `found`, or if that is
 * VERDICT_MORE, the first byte decides. */
static enum verdict take_probe(struct splitter_test_fixture *f, const char *bytes, size_t len,
			       bool is_all)
{
	assert_true(len > 0 && len <= SPLITTER_PROBE_BYTES);
	assert_true(bytes[0] != ' ' && bytes[0] != '\n');
	if (len < f->probe_at && !is_all)
		return VERDICT_MORE;
	f->nr_probed++;
	return f->found == VERDICT_MORE ? (*bytes == '{' ? VERDICT_LINES : VERDICT_FOREIGN)
					: f->found;
}

static size_t splitter_test_take_bytes(struct splitter_test_fixture *f, const char *bytes,
				       size_t len)
{
	size_t used = f->record ? len - len % f->record : 0;

	assert_true(tr2_buf_add(&f->got, bytes, used));
	return used;
}

static void splitter_test_spans(struct splitter_test_fixture *f, struct splitter_span span)
{
	assert_int_equal(span.kind, SPLITTER_NONE);
	while (splitter_next(&span))
		switch (span.kind) {
		case SPLITTER_LINES:
			splitter_test_take_lines(f, span.bytes, span.len);
			break;
		case SPLITTER_BYTES:
			span.used = splitter_test_take_bytes(f, span.bytes, span.len);
			break;
		case SPLITTER_PROBE:
			span.verdict = take_probe(f, span.bytes, span.len, span.is_complete);
			break;
		case SPLITTER_TORN:
			assert_true(tr2_buf_add(&f->torn, span.bytes, span.len));
			break;
		case SPLITTER_NONE:
			fail();
		}
	/* A finished pass stays finished. */
	assert_false(splitter_next(&span));
	assert_int_equal(span.kind, SPLITTER_NONE);
}

static int splitter_test_setup(void **state)
{
	struct splitter_test_fixture *f = calloc(1, sizeof(*f));

	splitter_pool_init(&f->pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&f->splitter, &f->pool, &f->counts);
	tr2_buf_init(&f->got, 256 * MIB);
	tr2_buf_init(&f->torn, 256 * MIB);
	*state = f;
	return 0;
}

static int splitter_test_teardown(void **state)
{
	struct splitter_test_fixture *f = *state;

	splitter_release(&f->splitter);
	assert_int_equal(f->pool.nr_bytes, 0);
	assert_int_equal(f->pool.nr_heap, 0);
	splitter_pool_release(&f->pool);
	tr2_buf_release(&f->got);
	tr2_buf_release(&f->torn);
	free(f);
	return 0;
}

/* A sanitizer detects reads beyond the pad. */
static void feed_to(struct splitter_test_fixture *f, struct splitter *splitter, const char *bytes,
		    size_t len)
{
	char *copy = malloc(len + SPLITTER_PAD);

	memcpy(copy, bytes, len);
	memset(copy + len, '\n', SPLITTER_PAD);
	splitter_test_spans(f, splitter_feed(splitter, copy, len));
	free(copy);
}

static void splitter_test_feed(struct splitter_test_fixture *f, const char *text)
{
	feed_to(f, &f->splitter, text, strlen(text));
}

static void feed_run(struct splitter_test_fixture *f, struct splitter *splitter, char c, size_t len)
{
	char *run = malloc(len + SPLITTER_PAD);

	memset(run, c, len);
	splitter_test_spans(f, splitter_feed(splitter, run, len));
	free(run);
}

static void splitter_test_end(struct splitter_test_fixture *f)
{
	splitter_test_spans(f, splitter_end(&f->splitter));
}

static void assert_got(struct splitter_test_fixture *f, const char *text)
{
	assert_string_equal(tr2_buf_cstr(&f->got), text);
}

static void passes_whole_lines_on_at_once(void **state)
{
	struct splitter_test_fixture *f = *state;

	splitter_test_feed(f, "one\ntwo\n\nfour\n");
	assert_got(f, "one\ntwo\n\nfour\n");
	assert_int_equal(splitter_held(&f->splitter), 0);
	assert_null(f->splitter.part);
	assert_int_equal(f->counts.nr_bytes, 14);
}

static void partial_line_waits_for_newline(void **state)
{
	struct splitter_test_fixture *f = *state;

	splitter_test_feed(f, "one\ntw");
	assert_got(f, "one\n");
	assert_int_equal(splitter_held(&f->splitter), 2);
	assert_int_equal(f->pool.nr_bytes, 2);
	splitter_test_feed(f, "o");
	splitter_test_feed(f, "\nthree\nfo");
	assert_got(f, "one\ntwo\nthree\n");
	splitter_test_feed(f, "ur\n");
	assert_got(f, "one\ntwo\nthree\nfour\n");
	assert_null(f->splitter.part);
	assert_int_equal(f->pool.nr_bytes, 0);
}

static void every_split_gives_the_same_lines(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf{\"a\":1}\n\n{\"b\":\"\xef\xbb\xbf\"}\r\n  \nx\n\n\nend";
	struct splitter_test_fixture *f = *state;
	size_t len = sizeof(text) - 1;

	for (size_t a = 0; a <= len; a++)
		for (size_t b = a; b <= len; b++) {
			tr2_buf_clear(&f->got);
			feed_to(f, &f->splitter, text, a);
			feed_to(f, &f->splitter, text + a, b - a);
			feed_to(f, &f->splitter, text + b, len - b);
			splitter_test_end(f);
			assert_got(f, "{\"a\":1}\n\n{\"b\":\"\xef\xbb\xbf\"}\r\n  \nx\n\n\n");
		}
	assert_int_equal(f->counts.nr_torn, (len + 1) * (len + 2) / 2);
}

static void single_bytes_cost_no_more_than_their_sum(void **state)
{
	struct splitter_test_fixture *f = *state;

	/* If the line were searched again with each byte, two terabytes would be read. */
	for (size_t i = 0; i < 2 * MIB; i++)
		feed_run(f, &f->splitter, 'x', 1);
	splitter_test_feed(f, "\n");
	assert_int_equal(f->got.len, 2 * MIB + 1);
}

static void skips_one_mark_at_the_start(void **state)
{
	struct splitter_test_fixture *f = *state;

	splitter_test_feed(f, "\xef\xbb\xbf\xef\xbb\xbf"
			      "a\n\xef\xbb\xbf"
			      "b\n");
	assert_got(f, "\xef\xbb\xbf"
		      "a\n\xef\xbb\xbf"
		      "b\n");
	splitter_test_end(f);
	splitter_test_feed(f, "\xef");
	splitter_test_feed(f, "\xbb");
	splitter_test_feed(f, "\xbf");
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_torn, 0);
	splitter_test_feed(f, "\xef\xbb"
			      "c\n");
	assert_got(f, "\xef\xbb\xbf"
		      "a\n\xef\xbb\xbf"
		      "b\n\xef\xbb"
		      "c\n");
}

static void last_line_without_newline_is_torn_at_the_end(void **state)
{
	struct splitter_test_fixture *f = *state;

	splitter_test_feed(f, "one\n{\"whole\":1}");
	assert_got(f, "one\n");
	assert_int_equal(f->counts.nr_torn, 0);
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_torn, 1);
	assert_string_equal(tr2_buf_cstr(&f->torn), "{\"whole\":1}");
	splitter_test_feed(f, "next\n");
	assert_got(f, "one\nnext\n");
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_torn, 1);
}

static void ignores_blanks_at_the_end(void **state)
{
	struct splitter_test_fixture *f = *state;

	splitter_test_feed(f, "one\n \t\r ");
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_torn, 0);
}

static void accepts_a_line_at_the_limit_but_not_one_byte_more(void **state)
{
	struct splitter_test_fixture *f = *state;

	for (int more = 0; more <= 1; more++)
		for (size_t piece = 5 * MIB; piece <= 40 * MIB; piece *= 8) {
			size_t len = SPLITTER_MAX_LINE_BYTES + (size_t)more + 3;
			char *text = malloc(len + SPLITTER_PAD);

			memset(text, 'x', len);
			memcpy(text + len - 3, "\nz\n", 3);
			f->counts.nr_oversized = 0;
			tr2_buf_clear(&f->got);
			for (size_t at = 0; at < len; at += piece)
				feed_to(f, &f->splitter, text + at,
					len - at < piece ? len - at : piece);
			assert_int_equal(f->counts.nr_oversized, more);
			assert_int_equal(f->got.len, more ? 2 : len);
			free(text);
		}
}

static void counts_an_endless_line_once(void **state)
{
	struct splitter_test_fixture *f = *state;

	for (int i = 0; i < 40; i++)
		feed_run(f, &f->splitter, 'x', MIB);
	assert_int_equal(f->counts.nr_oversized, 1);
	assert_int_equal(f->pool.nr_bytes, 0);
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_torn, 0);
	splitter_test_feed(f, "after\n");
	assert_got(f, "after\n");
}

static void discards_the_longest_partial_line_if_the_pool_is_full(void **state)
{
	struct splitter_test_fixture *f = *state;
	struct splitter many[6];
	struct splitter_counts counts[6] = { 0 };

	for (int i = 0; i < 6; i++)
		splitter_init(&many[i], &f->pool, &counts[i]);
	for (int i = 0; i < 5; i++)
		feed_run(f, &many[i], 'x', (size_t)(11 + i) * MIB);
	/*
	 * 11 + 12 + 13 + 14 MiB fit into 64; with 15 more the longest line, the last one, is
	 * discarded.
	 */
	assert_int_equal(counts[4].nr_oversized, 1);
	assert_int_equal(f->pool.nr_bytes, 50 * MIB);
	feed_run(f, &many[5], 'x', 13 * MIB);
	feed_run(f, &many[5], 'x', 1 * MIB);
	assert_int_equal(f->pool.nr_bytes, 64 * MIB);
	feed_run(f, &many[0], 'x', 1);
	assert_int_equal(counts[3].nr_oversized + counts[5].nr_oversized, 1);
	assert_int_equal(f->pool.nr_bytes, 50 * MIB + 1);
	for (int i = 0; i < 6; i++)
		feed_to(f, &many[i], "\nok\n", 4);
	assert_int_equal(f->pool.nr_bytes, 0);
	/* Four lines were not discarded, and each stream's next line was read. */
	assert_int_equal(f->got.len, 50 * MIB + 1 + 4 + 6 * 3);
	for (int i = 0; i < 6; i++)
		splitter_release(&many[i]);
}

static void pool_always_finds_the_longest(void **state)
{
	struct splitter_test_fixture *f = *state;
	struct splitter many[200];
	struct splitter_counts counts[200] = { 0 };
	size_t lens[200] = { 0 };
	uint32_t seed = 1;

	splitter_pool_release(&f->pool);
	splitter_pool_init(&f->pool, 20000);
	for (int i = 0; i < 200; i++)
		splitter_init(&many[i], &f->pool, &counts[i]);
	for (int round = 0; round < 20000; round++) {
		size_t at, add, longest = 0;
		uint64_t before;

		seed = seed * 1664525 + 1013904223;
		at = seed >> 8 & 127;
		at += seed >> 16 & 63;
		add = 1 + (seed >> 24 & 255);
		before = counts[at].nr_oversized;
		if (many[at].discard || seed % 5 == 0) {
			feed_to(f, &many[at], "\n", 1);
			lens[at] = 0;
			continue;
		}
		feed_run(f, &many[at], 'x', add);
		lens[at] += add;
		for (int i = 0; i < 200; i++)
			longest = lens[i] > longest ? lens[i] : longest;
		for (int i = 0; i < 200; i++)
			if (lens[i] && many[i].discard) {
				assert_int_equal(lens[i], longest);
				lens[i] = 0;
				break;
			}
		assert_true(counts[at].nr_oversized <= before + 1);
		assert_true(f->pool.nr_bytes <= 20000);
	}
	for (int i = 0; i < 200; i++)
		splitter_release(&many[i]);
}

static void counts_a_foreign_stream_only_as_foreign(void **state)
{
	static const char *const foreign[] = { "hello\n{\"a\":1}\n", "\xef\xbb\xbfx\n{\n",
					       "\xef{\n", "\n \n[1]\n{}\n", "\x1f\x8b{\n" };
	static const char *const ours[] = { "{\"a\":1}\nhello\n", "\xef\xbb\xbf{\nx\n",
					    "\n\r\n{}\n" };
	struct splitter_test_fixture *f = *state;

	f->splitter.probes = true;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		for (size_t at = 0; at <= strlen(foreign[i]); at++) {
			f->counts = (struct splitter_counts){ 0 };
			tr2_buf_clear(&f->got);
			feed_to(f, &f->splitter, foreign[i], at);
			splitter_test_feed(f, foreign[i] + at);
			splitter_test_feed(f, "torn");
			assert_true(f->splitter.foreign);
			splitter_test_end(f);
			assert_int_equal(f->counts.nr_foreign, 1);
			assert_int_equal(f->counts.nr_torn, 0);
			assert_null(strchr(tr2_buf_cstr(&f->got), '{'));
		}
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		for (size_t at = 0; at <= strlen(ours[i]); at++) {
			f->counts = (struct splitter_counts){ 0 };
			tr2_buf_clear(&f->got);
			feed_to(f, &f->splitter, ours[i], at);
			splitter_test_feed(f, ours[i] + at);
			assert_false(f->splitter.foreign);
			splitter_test_end(f);
			assert_int_equal(f->counts.nr_foreign, 0);
			assert_int_equal(f->got.len, strlen(ours[i]) - (i ? 3 : 0));
		}
}

static void half_a_mark_alone_is_foreign(void **state)
{
	struct splitter_test_fixture *f = *state;

	f->splitter.probes = true;
	splitter_test_feed(f, "\xef");
	splitter_test_feed(f, "\xbb");
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_foreign, 1);
	assert_int_equal(f->counts.nr_torn, 0);
	/* Blanks without other bytes are neither a line nor torn. */
	splitter_test_feed(f, "\xef\xbb\xbf \n");
	splitter_test_end(f);
	splitter_test_feed(f, "\n");
	splitter_test_end(f);
	assert_int_equal(f->counts.nr_foreign, 1);
	assert_int_equal(f->counts.nr_torn, 0);
	/* After a blank line, the bytes EF BB BF are no UTF-8 mark. */
	splitter_test_feed(f, "\n");
	splitter_test_feed(f, "\xef\xbb\xbf{}\n");
	assert_int_equal(f->counts.nr_foreign, 2);
	assert_int_equal(f->got.len, 0);
}

static void passes_on_all_lines_after_detection(void **state)
{
	static const char text[] = "\xef\xbb\xbf \n{one\ntwo\n\nthree and\nmore\nend";
	struct splitter_test_fixture *f = *state;
	size_t len = sizeof(text) - 1;

	f->splitter.probes = true;
	for (f->probe_at = 1; f->probe_at < len + 3; f->probe_at++)
		for (size_t piece = 1; piece <= len; piece++) {
			tr2_buf_clear(&f->got);
			tr2_buf_clear(&f->torn);
			f->nr_probed = 0;
			for (size_t at = 0; at < len; at += piece)
				feed_to(f, &f->splitter, text + at,
					len - at < piece ? len - at : piece);
			splitter_test_end(f);
			assert_got(f, "{one\ntwo\n\nthree and\nmore\n");
			assert_string_equal(tr2_buf_cstr(&f->torn), "end");
			assert_int_equal(f->nr_probed, 1);
			assert_int_equal(f->pool.nr_bytes, 0);
		}
	assert_int_equal(f->counts.nr_foreign, 0);
}

static void decides_the_format_after_silence(void **state)
{
	struct splitter_test_fixture *f = *state;

	f->splitter.probes = true;
	f->probe_at = 100;
	splitter_test_feed(f, "{one\ntw");
	assert_true(splitter_is_undecided(&f->splitter));
	assert_got(f, "");
	splitter_test_spans(f, splitter_decide(&f->splitter));
	assert_false(splitter_is_undecided(&f->splitter));
	assert_got(f, "{one\n");
	splitter_test_feed(f, "o\n");
	assert_got(f, "{one\ntwo\n");
	splitter_test_spans(f, splitter_decide(&f->splitter));
	assert_int_equal(f->nr_probed, 1);
}

static void decides_the_format_at_the_probe_limit(void **state)
{
	struct splitter_test_fixture *f = *state;

	f->splitter.probes = true;
	f->probe_at = SIZE_MAX;
	feed_to(f, &f->splitter, "{", 1);
	feed_run(f, &f->splitter, 'x', SPLITTER_PROBE_BYTES - 2);
	assert_true(splitter_is_undecided(&f->splitter));
	splitter_test_feed(f, "y\nz\n");
	assert_int_equal(f->got.len, SPLITTER_PROBE_BYTES + 3);
	assert_int_equal(f->pool.nr_bytes, 0);
	splitter_test_end(f);
	tr2_buf_clear(&f->got);
	splitter_test_feed(f, "\n");
	feed_run(f, &f->splitter, '{', 3 * SPLITTER_PROBE_BYTES);
	assert_false(splitter_is_undecided(&f->splitter));
	splitter_test_feed(f, "\n");
	assert_int_equal(f->got.len, 3 * SPLITTER_PROBE_BYTES + 1);
	assert_int_equal(f->nr_probed, 2);
}

static void decides_nothing_without_data(void **state)
{
	struct splitter_test_fixture *f = *state;

	f->splitter.probes = true;
	splitter_test_feed(f, "\xef\xbb\xbf\n \t\n\n");
	splitter_test_spans(f, splitter_decide(&f->splitter));
	splitter_test_end(f);
	assert_int_equal(f->nr_probed, 0);
	assert_int_equal(f->counts.nr_torn + f->counts.nr_foreign, 0);
}

/* In binary data, UTF-8 marks, blanks, LF and NUL have no meaning. */
static void repeats_bytes_until_they_are_used(void **state)
{
	static const char bytes[] = "{\xef\xbb\xbf\n\0 \r\n\nab\0cd{}\n\n";
	struct splitter_test_fixture *f = *state;
	size_t len = sizeof(bytes) - 1;

	f->found = VERDICT_BYTES;
	for (int probes = 0; probes <= 1; probes++)
		for (f->probe_at = 1; f->probe_at < len; f->probe_at += 3)
			for (f->record = 1; f->record <= len; f->record++)
				for (size_t piece = 1; piece <= len; piece++) {
					f->splitter.probes = probes;
					f->splitter.framing = probes ? FRAME_LINES : FRAME_BYTES;
					tr2_buf_clear(&f->got);
					for (size_t at = 0; at < len; at += piece)
						feed_to(f, &f->splitter, bytes + at,
							len - at < piece ? len - at : piece);
					assert_int_equal(f->got.len, len - len % f->record);
					assert_memory_equal(f->got.data, bytes, f->got.len);
					assert_int_equal(splitter_held(&f->splitter),
							 len % f->record);
					splitter_test_end(f);
					assert_int_equal(f->pool.nr_bytes, 0);
					assert_int_equal(f->splitter.framing,
							 probes ? FRAME_LINES : FRAME_BYTES);
				}
	assert_int_equal(f->counts.nr_torn + f->counts.nr_oversized + f->counts.nr_foreign, 0);
}

static void limits_unused_bytes(void **state)
{
	struct splitter_test_fixture *f = *state;

	f->splitter.framing = FRAME_BYTES;
	f->record = SPLITTER_MAX_KEPT_BYTES + 1;
	feed_run(f, &f->splitter, 'x', SPLITTER_MAX_KEPT_BYTES);
	assert_int_equal(splitter_held(&f->splitter), SPLITTER_MAX_KEPT_BYTES);
	splitter_test_feed(f, "y");
	assert_int_equal(f->got.len, SPLITTER_MAX_KEPT_BYTES + 1);
	f->record = 1 << 30;
	feed_run(f, &f->splitter, 'x', SPLITTER_MAX_KEPT_BYTES);
	splitter_test_feed(f, "yz\n");
	assert_int_equal(f->counts.nr_oversized, 1);
	assert_int_equal(f->pool.nr_bytes, 0);
	/* After discarded bytes, the start of the next record is unknown. */
	f->record = 1;
	splitter_test_feed(f, "\nmore\n");
	assert_int_equal(f->got.len, SPLITTER_MAX_KEPT_BYTES + 1);
	assert_int_equal(f->counts.nr_oversized, 1);
	splitter_test_end(f);
	splitter_test_feed(f, "anew");
	assert_int_equal(f->got.len, SPLITTER_MAX_KEPT_BYTES + 5);
}

static void repeats_bytes_after_a_stall(void **state)
{
	struct splitter_test_fixture *f = *state;

	f->splitter.framing = FRAME_BYTES;
	f->splitter.stalled = true;
	feed_run(f, &f->splitter, 'x', 2 * SPLITTER_MAX_KEPT_BYTES);
	assert_int_equal(splitter_held(&f->splitter), 2 * SPLITTER_MAX_KEPT_BYTES);
	assert_int_equal(f->counts.nr_oversized, 0);
	f->splitter.stalled = false;
	f->record = 7;
	splitter_test_spans(f, splitter_resume(&f->splitter));
	assert_int_equal(splitter_held(&f->splitter), 2 * SPLITTER_MAX_KEPT_BYTES % 7);
	assert_int_equal(f->counts.nr_bytes, 2 * SPLITTER_MAX_KEPT_BYTES);
}

static void datagram(struct splitter_test_fixture *f, const char *text, bool cut)
{
	size_t len = strlen(text);
	char *bytes = malloc(len + 1 + SPLITTER_PAD);

	memcpy(bytes, text, len);
	len = splitter_datagram(&f->counts, bytes, len, cut);
	if (len)
		splitter_test_take_lines(f, bytes, len);
	free(bytes);
}

static void datagram_needs_no_last_newline(void **state)
{
	struct splitter_test_fixture *f = *state;

	datagram(f, "one", false);
	datagram(f, "two\nthree", false);
	datagram(f, "four\n", false);
	datagram(f, "", false);
	assert_got(f, "one\ntwo\nthree\nfour\n");
	assert_int_equal(f->counts.nr_oversized, 0);
}

static void cut_datagram_is_oversized(void **state)
{
	struct splitter_test_fixture *f = *state;

	datagram(f, "one\ntwo\nthr", true);
	datagram(f, "x", true);
	assert_got(f, "one\ntwo\n");
	assert_int_equal(f->counts.nr_oversized, 2);
}

static void returns_spans_without_copies(void **state)
{
	static const char text[] = "one\ntwo\nthree" /* SPLITTER_PAD: */ "                        "
				   "                                                            ";
	struct splitter_test_fixture *f = *state;
	struct splitter_span span = splitter_feed(&f->splitter, text, 13);

	assert_true(splitter_next(&span));
	assert_int_equal(span.kind, SPLITTER_LINES);
	assert_ptr_equal(span.bytes, text);
	assert_int_equal(span.len, 8);
	/* The rest is kept after the span was read. */
	assert_int_equal(splitter_held(&f->splitter), 0);
	assert_false(splitter_next(&span));
	assert_int_equal(splitter_held(&f->splitter), 5);
}

static void keeps_a_completed_line_until_the_next_call(void **state)
{
	struct splitter_test_fixture *f = *state;
	struct splitter_span span;
	char rest[4 + SPLITTER_PAD] = "e\nx\n";

	splitter_test_feed(f, "on");
	span = splitter_feed(&f->splitter, rest, 4);
	assert_true(splitter_next(&span));
	assert_int_equal(span.len, 4);
	assert_memory_equal(span.bytes, "one\n", 4);
	assert_int_equal(f->pool.nr_bytes, 4);
	assert_true(splitter_next(&span));
	assert_ptr_equal(span.bytes, rest + 2);
	assert_int_equal(f->pool.nr_bytes, 0);
	assert_false(splitter_next(&span));
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, splitter_test_setup, splitter_test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(passes_whole_lines_on_at_once),
		TEST(partial_line_waits_for_newline),
		TEST(every_split_gives_the_same_lines),
		TEST(single_bytes_cost_no_more_than_their_sum),
		TEST(skips_one_mark_at_the_start),
		TEST(last_line_without_newline_is_torn_at_the_end),
		TEST(ignores_blanks_at_the_end),
		TEST(accepts_a_line_at_the_limit_but_not_one_byte_more),
		TEST(counts_an_endless_line_once),
		TEST(discards_the_longest_partial_line_if_the_pool_is_full),
		TEST(pool_always_finds_the_longest),
		TEST(counts_a_foreign_stream_only_as_foreign),
		TEST(half_a_mark_alone_is_foreign),
		TEST(passes_on_all_lines_after_detection),
		TEST(decides_the_format_after_silence),
		TEST(decides_the_format_at_the_probe_limit),
		TEST(decides_nothing_without_data),
		TEST(repeats_bytes_until_they_are_used),
		TEST(limits_unused_bytes),
		TEST(repeats_bytes_after_a_stall),
		TEST(datagram_needs_no_last_newline),
		TEST(cut_datagram_is_oversized),
		TEST(returns_spans_without_copies),
		TEST(keeps_a_completed_line_until_the_next_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
