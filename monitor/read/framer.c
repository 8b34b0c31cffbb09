/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/framer.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"

#define MARK             "\xef\xbb\xbf"
#define MARK_BYTES       3
#define FIRST_PART_BYTES 512u
#define NOT_IN_HEAP      SIZE_MAX

/* ---- the pool: a binary heap by length of the partial line ---- */

void framer_pool_init(struct framer_pool *pool, size_t max_bytes)
{
	*pool = (struct framer_pool){ .max_bytes = max_bytes };
}

void framer_pool_release(struct framer_pool *pool)
{
	free(pool->heap);
	*pool = (struct framer_pool){ 0 };
}

static void framer_heap_put(struct framer_pool *pool, size_t at, struct framer *framer)
{
	pool->heap[at] = framer;
	framer->heap_at = at;
}

static void framer_heap_up(struct framer_pool *pool, struct framer *framer)
{
	size_t at = framer->heap_at;

	for (; at; at = (at - 1) / 2) {
		struct framer *above = pool->heap[(at - 1) / 2];

		if (above->nr_part >= framer->nr_part)
			break;
		framer_heap_put(pool, at, above);
	}
	framer_heap_put(pool, at, framer);
}

static void framer_heap_down(struct framer_pool *pool, struct framer *framer)
{
	size_t at = framer->heap_at;

	for (;;) {
		size_t below = at * 2 + 1;

		if (below >= pool->nr_heap)
			break;
		if (below + 1 < pool->nr_heap &&
		    pool->heap[below + 1]->nr_part > pool->heap[below]->nr_part)
			below++;
		if (pool->heap[below]->nr_part <= framer->nr_part)
			break;
		framer_heap_put(pool, at, pool->heap[below]);
		at = below;
	}
	framer_heap_put(pool, at, framer);
}

static void framer_heap_remove(struct framer_pool *pool, struct framer *framer)
{
	struct framer *last = pool->heap[--pool->nr_heap];
	size_t at = framer->heap_at;

	framer->heap_at = NOT_IN_HEAP;
	if (last == framer)
		return;
	framer_heap_put(pool, at, last);
	framer_heap_up(pool, last);
	framer_heap_down(pool, last);
}

static void framer_heap_add(struct framer_pool *pool, struct framer *framer)
{
	GROW(pool->heap, pool->nr_heap, pool->cap_heap, 64);
	framer->heap_at = pool->nr_heap;
	pool->heap[pool->nr_heap++] = framer;
}

/* ---- the partial line ---- */

static void part_free(struct framer *framer)
{
	if (framer->heap_at != NOT_IN_HEAP)
		framer_heap_remove(framer->pool, framer);
	framer->pool->nr_bytes -= framer->nr_part;
	free(framer->part);
	framer->part = NULL;
	framer->nr_part = framer->cap_part = 0;
}

static void part_oversized(struct framer *framer)
{
	part_free(framer);
	framer->counts->nr_oversized++;
	framer->discard = true;
}

/* Append to the partial line without checking limits. */
static void part_append(struct framer *framer, const char *bytes, size_t len)
{
	size_t need = framer->nr_part + len + FRAMER_PAD;

	if (need > framer->cap_part) {
		size_t cap = framer->cap_part ? framer->cap_part * 2 : FIRST_PART_BYTES;

		framer->cap_part = cap > need ? cap : need;
		framer->part = xrealloc(framer->part, framer->cap_part);
	}
	memcpy(framer->part + framer->nr_part, bytes, len);
	framer->nr_part += len;
	framer->pool->nr_bytes += len;
}

/* Update the pool after the part has grown. May discard the longest partial line. */
static void part_grown(struct framer *framer)
{
	struct framer_pool *pool = framer->pool;

	if (framer->heap_at == NOT_IN_HEAP)
		framer_heap_add(pool, framer);
	framer_heap_up(pool, framer);
	while (pool->nr_bytes > pool->max_bytes)
		part_oversized(pool->heap[0]);
}

/* Keep bytes without LF, or undecided first bytes, within the limits of a line and of the pool. */
static void part_keep(struct framer *framer, const char *bytes, size_t len)
{
	if (!len || framer->discard)
		return;
	if (len > FRAMER_MAX_LINE_BYTES - framer->nr_part) {
		part_oversized(framer);
		return;
	}
	part_append(framer, bytes, len);
	part_grown(framer);
}

/* Remove the first `len` bytes of the part. */
static void part_used(struct framer *framer, size_t len)
{
	if (len == framer->nr_part) {
		part_free(framer);
		return;
	}
	memmove(framer->part, framer->part + len, framer->nr_part - len);
	framer->nr_part -= len;
	framer->pool->nr_bytes -= len;
	if (framer->heap_at != NOT_IN_HEAP)
		framer_heap_down(framer->pool, framer);
}

/* ---- lines ---- */

/* Pass on whole lines, except oversized ones. */
static void lines_emit(struct framer_counts *counts, const char *lines, size_t len,
		       const struct framer_sink *sink)
{
	const char *end = lines + len;

	while ((size_t)(end - lines) > FRAMER_MAX_LINE_BYTES) {
		const char *lf = memchr(lines, '\n', (size_t)(end - lines));

		if ((size_t)(lf - lines) > FRAMER_MAX_LINE_BYTES)
			counts->nr_oversized++;
		else
			sink->lines(sink->data, lines, (size_t)(lf + 1 - lines));
		lines = lf + 1;
	}
	if (lines < end)
		sink->lines(sink->data, lines, (size_t)(end - lines));
}

/* Like lines_emit() for lines of a stream, whose first one may begin with a mark. */
static void stream_emit(struct framer *framer, const char *lines, size_t len,
			const struct framer_sink *sink)
{
	if (!framer->started) {
		framer->started = true;
		if (len > MARK_BYTES && !memcmp(lines, MARK, MARK_BYTES)) {
			lines += MARK_BYTES;
			len -= MARK_BYTES;
		}
	}
	lines_emit(framer->counts, lines, len, sink);
}

void framer_init(struct framer *framer, struct framer_pool *pool, struct framer_counts *counts)
{
	*framer = (struct framer){ .pool = pool, .counts = counts, .heap_at = NOT_IN_HEAP };
}

void framer_release(struct framer *framer)
{
	part_free(framer);
}

/* Complete a kept or discarded line at the first LF. Returns the position after it. */
static const char *part_end(struct framer *framer, const char *bytes, size_t len,
			    const struct framer_sink *sink)
{
	const char *lf = memchr(bytes, '\n', len);

	if (framer->discard) {
		framer->discard = false;
		framer->started = true;
	} else if ((size_t)(lf - bytes) > FRAMER_MAX_LINE_BYTES - framer->nr_part) {
		part_free(framer);
		framer->counts->nr_oversized++;
		framer->started = true;
	} else {
		part_append(framer, bytes, (size_t)(lf + 1 - bytes));
		stream_emit(framer, framer->part, framer->nr_part, sink);
		part_free(framer);
	}
	return lf + 1;
}

static void lines_feed(struct framer *framer, const char *bytes, size_t len,
		       const struct framer_sink *sink)
{
	const char *end = bytes + len, *last_lf = memrchr(bytes, '\n', len);

	if (last_lf) {
		if (framer->nr_part || framer->discard)
			bytes = part_end(framer, bytes, len, sink);
		if (bytes <= last_lf)
			stream_emit(framer, bytes, (size_t)(last_lf + 1 - bytes), sink);
		bytes = last_lf + 1;
	}
	part_keep(framer, bytes, (size_t)(end - bytes));
}

/* ---- bytes ---- */

static void bytes_feed(struct framer *framer, const char *bytes, size_t len,
		       const struct framer_sink *sink)
{
	if (framer->discard)
		return;
	if (framer->nr_part) {
		part_append(framer, bytes, len);
		part_used(framer, sink->bytes(sink->data, framer->part, framer->nr_part));
	} else {
		size_t used = sink->bytes(sink->data, bytes, len);

		if (used < len)
			part_append(framer, bytes + used, len - used);
	}
	if (!framer->nr_part)
		return;
	if (!framer->stalled && framer->nr_part > FRAMER_MAX_KEPT_BYTES)
		part_oversized(framer);
	else
		part_grown(framer);
}

void framer_resume(struct framer *framer, const struct framer_sink *sink)
{
	if (framer->framing == FRAME_BYTES && framer->nr_part && !framer_is_undecided(framer))
		bytes_feed(framer, "", 0, sink);
}

/* ---- format detection ---- */

static bool framer_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * Drop a UTF-8 mark at the start of the stream. A mark may arrive in pieces, which are kept. Bytes
 * that only begin like a mark stay data. Advances `*bytes`.
 */
static void mark_drop(struct framer *framer, const char **bytes, const char *end)
{
	const char *p = *bytes;
	size_t nr = framer->nr_part;

	while (p < end && nr < MARK_BYTES && *p == MARK[nr]) {
		p++;
		nr++;
	}
	if (p == end && nr && nr < MARK_BYTES) {
		part_keep(framer, *bytes, (size_t)(p - *bytes));
		*bytes = end;
		return;
	}
	framer->started = true;
	if (nr == MARK_BYTES) {
		part_free(framer);
		*bytes = p;
	}
}

/* The format was detected: process the kept bytes. */
static void format_detected(struct framer *framer, enum verdict verdict,
			    const struct framer_sink *sink)
{
	const char *last_lf;

	framer->judged = true;
	framer->framing = verdict == VERDICT_BYTES ? FRAME_BYTES : FRAME_LINES;
	if (verdict == VERDICT_FOREIGN || verdict == VERDICT_MORE) {
		framer->foreign = true;
		framer->counts->nr_foreign++;
		part_free(framer);
	} else if (verdict == VERDICT_LINES && framer->nr_part) {
		last_lf = memrchr(framer->part, '\n', framer->nr_part);
		if (!last_lf)
			return;
		stream_emit(framer, framer->part, (size_t)(last_lf + 1 - framer->part), sink);
		part_used(framer, (size_t)(last_lf + 1 - framer->part));
	}
}

/* Detect from the kept bytes plus as many of the following ones as needed. Advances `*bytes`. */
static void detect_in_kept(struct framer *framer, const char **bytes, const char *end,
			   const struct framer_sink *sink)
{
	size_t room = FRAMER_PROBE_BYTES - framer->nr_part;
	size_t len = (size_t)(end - *bytes) < room ? (size_t)(end - *bytes) : room;
	enum verdict verdict;

	part_keep(framer, *bytes, len);
	*bytes += len;
	if (framer->discard)
		return;
	verdict = sink->judge(sink->data, framer->part, framer->nr_part, len == room);
	if (verdict != VERDICT_MORE || len == room)
		format_detected(framer, verdict, sink);
}

/* Detect directly from the fed bytes. */
static void detect_in_bytes(struct framer *framer, const char **bytes, const char *end,
			    const struct framer_sink *sink)
{
	enum verdict verdict;
	size_t len;

	while (*bytes < end && framer_is_blank(**bytes))
		++*bytes;
	len = (size_t)(end - *bytes);
	len = len < FRAMER_PROBE_BYTES ? len : FRAMER_PROBE_BYTES;
	if (!len)
		return;
	verdict = sink->judge(sink->data, *bytes, len, len == FRAMER_PROBE_BYTES);
	if (verdict != VERDICT_MORE || len == FRAMER_PROBE_BYTES) {
		format_detected(framer, verdict, sink);
		return;
	}
	part_keep(framer, *bytes, len);
	*bytes = end;
}

/*
 * Drop the mark and blank lines, then detect the format. Advances `*bytes` to the remaining data.
 */
static void detect_format(struct framer *framer, const char **bytes, const char *end,
			  const struct framer_sink *sink)
{
	/* The pool was full and the first bytes were discarded: detect from the next line on. */
	if (framer->discard) {
		const char *lf = memchr(*bytes, '\n', (size_t)(end - *bytes));

		framer->discard = !lf;
		*bytes = lf ? lf + 1 : end;
	} else if (!framer->started) {
		mark_drop(framer, bytes, end);
	} else if (framer->nr_part) {
		detect_in_kept(framer, bytes, end, sink);
	} else {
		detect_in_bytes(framer, bytes, end, sink);
	}
}

void framer_decide(struct framer *framer, const struct framer_sink *sink)
{
	if (!framer_is_undecided(framer))
		return;
	framer->started = true;
	format_detected(framer, sink->judge(sink->data, framer->part, framer->nr_part, true), sink);
	framer_resume(framer, sink);
}

/* ---- feeding ---- */

void framer_feed(struct framer *framer, const char *bytes, size_t len,
		 const struct framer_sink *sink)
{
	const char *end = bytes + len;

	framer->counts->nr_bytes += len;
	if (!len || framer->foreign)
		return;
	while (framer->judge && !framer->judged && bytes < end)
		detect_format(framer, &bytes, end, sink);
	if (framer->foreign || (framer->judge && !framer->judged))
		return;
	if (framer->framing == FRAME_BYTES)
		bytes_feed(framer, bytes, (size_t)(end - bytes), sink);
	else if (bytes < end)
		lines_feed(framer, bytes, (size_t)(end - bytes), sink);
}

void framer_end(struct framer *framer, const struct framer_sink *sink)
{
	bool ask = framer->judge;
	uint8_t framing = ask ? FRAME_LINES : framer->framing;
	const char *line;
	size_t len, at = 0;

	framer_decide(framer, sink);
	line = framer->part;
	len = framer->nr_part;
	if (!framer->started && len >= MARK_BYTES && !memcmp(line, MARK, MARK_BYTES)) {
		line += MARK_BYTES;
		len -= MARK_BYTES;
	}
	while (at < len && framer_is_blank(line[at]))
		at++;
	if (at < len && framer->framing == FRAME_LINES) {
		framer->counts->nr_torn++;
		if (sink->torn)
			sink->torn(sink->data, line, len);
	}
	part_free(framer);
	framer_init(framer, framer->pool, framer->counts);
	framer->judge = ask;
	framer->framing = framing;
}

void framer_datagram(struct framer_counts *counts, char *bytes, size_t len, bool cut,
		     const struct framer_sink *sink)
{
	const char *last_lf;

	counts->nr_bytes += len;
	if (cut) {
		counts->nr_oversized++;
		last_lf = len ? memrchr(bytes, '\n', len) : NULL;
		len = last_lf ? (size_t)(last_lf + 1 - bytes) : 0;
	} else if (len && bytes[len - 1] != '\n') {
		bytes[len++] = '\n';
	}
	if (len)
		lines_emit(counts, bytes, len, sink);
}
