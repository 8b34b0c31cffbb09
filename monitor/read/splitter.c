/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/splitter.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"

#define MARK             "\xef\xbb\xbf"
#define MARK_BYTES       3
#define FIRST_PART_BYTES 512u
#define NOT_IN_HEAP      SIZE_MAX

/* ---- the pool: a binary heap of splitters by length of their partial line ---- */

void splitter_pool_init(struct splitter_pool *pool, size_t max_bytes)
{
	*pool = (struct splitter_pool){ .max_bytes = max_bytes };
}

void splitter_pool_release(struct splitter_pool *pool)
{
	free(pool->heap);
	*pool = (struct splitter_pool){ 0 };
}

static void splitter_heap_put(struct splitter_pool *pool, size_t at, struct splitter *splitter)
{
	pool->heap[at] = splitter;
	splitter->heap_at = at;
}

static void splitter_heap_up(struct splitter_pool *pool, struct splitter *splitter)
{
	size_t at = splitter->heap_at;

	for (; at; at = (at - 1) / 2) {
		struct splitter *above = pool->heap[(at - 1) / 2];

		if (above->nr_part >= splitter->nr_part)
			break;
		splitter_heap_put(pool, at, above);
	}
	splitter_heap_put(pool, at, splitter);
}

static void splitter_heap_down(struct splitter_pool *pool, struct splitter *splitter)
{
	size_t at = splitter->heap_at;

	for (;;) {
		size_t below = at * 2 + 1;

		if (below >= pool->nr_heap)
			break;
		if (below + 1 < pool->nr_heap &&
		    pool->heap[below + 1]->nr_part > pool->heap[below]->nr_part)
			below++;
		if (pool->heap[below]->nr_part <= splitter->nr_part)
			break;
		splitter_heap_put(pool, at, pool->heap[below]);
		at = below;
	}
	splitter_heap_put(pool, at, splitter);
}

static void splitter_heap_remove(struct splitter_pool *pool, struct splitter *splitter)
{
	struct splitter *last = pool->heap[--pool->nr_heap];
	size_t at = splitter->heap_at;

	splitter->heap_at = NOT_IN_HEAP;
	if (last == splitter)
		return;
	splitter_heap_put(pool, at, last);
	splitter_heap_up(pool, last);
	splitter_heap_down(pool, last);
}

static void splitter_heap_add(struct splitter_pool *pool, struct splitter *splitter)
{
	GROW(pool->heap, pool->nr_heap, pool->cap_heap, 64);
	splitter->heap_at = pool->nr_heap;
	pool->heap[pool->nr_heap++] = splitter;
}

/* ---- the partial line (bytes after the last LF) ---- */

static void part_free(struct splitter *splitter)
{
	if (splitter->heap_at != NOT_IN_HEAP)
		splitter_heap_remove(splitter->pool, splitter);
	splitter->pool->nr_bytes -= splitter->nr_part;
	free(splitter->part);
	splitter->part = NULL;
	splitter->nr_part = splitter->cap_part = 0;
}

static void part_oversized(struct splitter *splitter)
{
	part_free(splitter);
	splitter->counts->nr_oversized++;
	splitter->discard = true;
}

/* Append to the partial line without checking the limits. */
static void part_append(struct splitter *splitter, const char *bytes, size_t len)
{
	size_t need = splitter->nr_part + len + SPLITTER_PAD;

	if (need > splitter->cap_part) {
		size_t cap = splitter->cap_part ? splitter->cap_part * 2 : FIRST_PART_BYTES;

		splitter->cap_part = cap > need ? cap : need;
		splitter->part = xrealloc(splitter->part, splitter->cap_part);
	}
	memcpy(splitter->part + splitter->nr_part, bytes, len);
	splitter->nr_part += len;
	splitter->pool->nr_bytes += len;
}

/* Update the pool after the partial line has grown. May discard the longest partial line of the
 * pool. */
static void part_grown(struct splitter *splitter)
{
	struct splitter_pool *pool = splitter->pool;

	if (splitter->heap_at == NOT_IN_HEAP)
		splitter_heap_add(pool, splitter);
	splitter_heap_up(pool, splitter);
	while (pool->nr_bytes > pool->max_bytes)
		part_oversized(pool->heap[0]);
}

/* Keep bytes without an LF, or bytes whose format is not detected yet, within the limits of a
 * line and of the pool. */
static void part_keep(struct splitter *splitter, const char *bytes, size_t len)
{
	if (!len || splitter->discard)
		return;
	if (len > SPLITTER_MAX_LINE_BYTES - splitter->nr_part) {
		part_oversized(splitter);
		return;
	}
	part_append(splitter, bytes, len);
	part_grown(splitter);
}

/* Remove the first `len` bytes of the partial line. */
static void part_used(struct splitter *splitter, size_t len)
{
	if (len == splitter->nr_part) {
		part_free(splitter);
		return;
	}
	memmove(splitter->part, splitter->part + len, splitter->nr_part - len);
	splitter->nr_part -= len;
	splitter->pool->nr_bytes -= len;
	if (splitter->heap_at != NOT_IN_HEAP)
		splitter_heap_down(splitter->pool, splitter);
}

/* ---- lines ---- */

/* Pass whole lines to the sink, except oversized ones. */
static void lines_emit(struct splitter_counts *counts, const char *lines, size_t len,
		       const struct splitter_sink *sink)
{
	const char *end = lines + len;

	while ((size_t)(end - lines) > SPLITTER_MAX_LINE_BYTES) {
		const char *lf = memchr(lines, '\n', (size_t)(end - lines));

		if ((size_t)(lf - lines) > SPLITTER_MAX_LINE_BYTES)
			counts->nr_oversized++;
		else
			sink->lines(sink->data, lines, (size_t)(lf + 1 - lines));
		lines = lf + 1;
	}
	if (lines < end)
		sink->lines(sink->data, lines, (size_t)(end - lines));
}

/* Like lines_emit() for lines of a stream, whose first line may begin with a UTF-8 mark. */
static void stream_emit(struct splitter *splitter, const char *lines, size_t len,
			const struct splitter_sink *sink)
{
	if (!splitter->started) {
		splitter->started = true;
		if (len > MARK_BYTES && !memcmp(lines, MARK, MARK_BYTES)) {
			lines += MARK_BYTES;
			len -= MARK_BYTES;
		}
	}
	lines_emit(splitter->counts, lines, len, sink);
}

void splitter_init(struct splitter *splitter, struct splitter_pool *pool,
		   struct splitter_counts *counts)
{
	*splitter = (struct splitter){ .pool = pool, .counts = counts, .heap_at = NOT_IN_HEAP };
}

void splitter_release(struct splitter *splitter)
{
	part_free(splitter);
}

/* Complete a partial or discarded line at the first LF. Returns the position after the LF. */
static const char *part_end(struct splitter *splitter, const char *bytes, size_t len,
			    const struct splitter_sink *sink)
{
	const char *lf = memchr(bytes, '\n', len);

	if (splitter->discard) {
		splitter->discard = false;
		splitter->started = true;
	} else if ((size_t)(lf - bytes) > SPLITTER_MAX_LINE_BYTES - splitter->nr_part) {
		part_free(splitter);
		splitter->counts->nr_oversized++;
		splitter->started = true;
	} else {
		part_append(splitter, bytes, (size_t)(lf + 1 - bytes));
		stream_emit(splitter, splitter->part, splitter->nr_part, sink);
		part_free(splitter);
	}
	return lf + 1;
}

static void lines_feed(struct splitter *splitter, const char *bytes, size_t len,
		       const struct splitter_sink *sink)
{
	const char *end = bytes + len, *last_lf = memrchr(bytes, '\n', len);

	if (last_lf) {
		if (splitter->nr_part || splitter->discard)
			bytes = part_end(splitter, bytes, len, sink);
		if (bytes <= last_lf)
			stream_emit(splitter, bytes, (size_t)(last_lf + 1 - bytes), sink);
		bytes = last_lf + 1;
	}
	part_keep(splitter, bytes, (size_t)(end - bytes));
}

/* ---- binary formats ---- */

static void bytes_feed(struct splitter *splitter, const char *bytes, size_t len,
		       const struct splitter_sink *sink)
{
	if (splitter->discard)
		return;
	if (splitter->nr_part) {
		part_append(splitter, bytes, len);
		part_used(splitter, sink->bytes(sink->data, splitter->part, splitter->nr_part));
	} else {
		size_t used = sink->bytes(sink->data, bytes, len);

		if (used < len)
			part_append(splitter, bytes + used, len - used);
	}
	if (!splitter->nr_part)
		return;
	if (!splitter->stalled && splitter->nr_part > SPLITTER_MAX_KEPT_BYTES)
		part_oversized(splitter);
	else
		part_grown(splitter);
}

void splitter_resume(struct splitter *splitter, const struct splitter_sink *sink)
{
	if (splitter->framing == FRAME_BYTES && splitter->nr_part &&
	    !splitter_is_undecided(splitter))
		bytes_feed(splitter, "", 0, sink);
}

/* ---- format detection ---- */

static bool splitter_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * Drop a UTF-8 mark at the start of the stream. A mark may arrive in pieces, which are kept. Bytes
 * that only begin like a mark stay data. Advances `*bytes`.
 */
static void mark_drop(struct splitter *splitter, const char **bytes, const char *end)
{
	const char *p = *bytes;
	size_t nr = splitter->nr_part;

	while (p < end && nr < MARK_BYTES && *p == MARK[nr]) {
		p++;
		nr++;
	}
	if (p == end && nr && nr < MARK_BYTES) {
		part_keep(splitter, *bytes, (size_t)(p - *bytes));
		*bytes = end;
		return;
	}
	splitter->started = true;
	if (nr == MARK_BYTES) {
		part_free(splitter);
		*bytes = p;
	}
}

/* The format was detected: pass the bytes kept so far to the reader. */
static void format_detected(struct splitter *splitter, enum verdict verdict,
			    const struct splitter_sink *sink)
{
	const char *last_lf;

	splitter->judged = true;
	splitter->framing = verdict == VERDICT_BYTES ? FRAME_BYTES : FRAME_LINES;
	if (verdict == VERDICT_FOREIGN || verdict == VERDICT_MORE) {
		splitter->foreign = true;
		splitter->counts->nr_foreign++;
		part_free(splitter);
	} else if (verdict == VERDICT_LINES && splitter->nr_part) {
		last_lf = memrchr(splitter->part, '\n', splitter->nr_part);
		if (!last_lf)
			return;
		stream_emit(splitter, splitter->part, (size_t)(last_lf + 1 - splitter->part), sink);
		part_used(splitter, (size_t)(last_lf + 1 - splitter->part));
	}
}

/* Detect the format from the kept bytes plus as many of the following ones as needed. Advances
 * `*bytes`. */
static void detect_in_kept(struct splitter *splitter, const char **bytes, const char *end,
			   const struct splitter_sink *sink)
{
	size_t room = SPLITTER_PROBE_BYTES - splitter->nr_part;
	size_t len = (size_t)(end - *bytes) < room ? (size_t)(end - *bytes) : room;
	enum verdict verdict;

	part_keep(splitter, *bytes, len);
	*bytes += len;
	if (splitter->discard)
		return;
	verdict = sink->judge(sink->data, splitter->part, splitter->nr_part, len == room);
	if (verdict != VERDICT_MORE || len == room)
		format_detected(splitter, verdict, sink);
}

/* Detect the format directly from the bytes that were fed. */
static void detect_in_bytes(struct splitter *splitter, const char **bytes, const char *end,
			    const struct splitter_sink *sink)
{
	enum verdict verdict;
	size_t len;

	while (*bytes < end && splitter_is_blank(**bytes))
		++*bytes;
	len = (size_t)(end - *bytes);
	len = len < SPLITTER_PROBE_BYTES ? len : SPLITTER_PROBE_BYTES;
	if (!len)
		return;
	verdict = sink->judge(sink->data, *bytes, len, len == SPLITTER_PROBE_BYTES);
	if (verdict != VERDICT_MORE || len == SPLITTER_PROBE_BYTES) {
		format_detected(splitter, verdict, sink);
		return;
	}
	part_keep(splitter, *bytes, len);
	*bytes = end;
}

/*
 * Drop a UTF-8 mark and blank lines, then detect the format. Advances `*bytes` to the remaining
 * data.
 */
static void detect_format(struct splitter *splitter, const char **bytes, const char *end,
			  const struct splitter_sink *sink)
{
	/* The pool was full and the first bytes were discarded: detect from the next line on. */
	if (splitter->discard) {
		const char *lf = memchr(*bytes, '\n', (size_t)(end - *bytes));

		splitter->discard = !lf;
		*bytes = lf ? lf + 1 : end;
	} else if (!splitter->started) {
		mark_drop(splitter, bytes, end);
	} else if (splitter->nr_part) {
		detect_in_kept(splitter, bytes, end, sink);
	} else {
		detect_in_bytes(splitter, bytes, end, sink);
	}
}

void splitter_decide(struct splitter *splitter, const struct splitter_sink *sink)
{
	if (!splitter_is_undecided(splitter))
		return;
	splitter->started = true;
	format_detected(splitter, sink->judge(sink->data, splitter->part, splitter->nr_part, true),
			sink);
	splitter_resume(splitter, sink);
}

/* ---- functions that feed bytes ---- */

void splitter_feed(struct splitter *splitter, const char *bytes, size_t len,
		   const struct splitter_sink *sink)
{
	const char *end = bytes + len;

	splitter->counts->nr_bytes += len;
	if (!len || splitter->foreign)
		return;
	while (splitter->judge && !splitter->judged && bytes < end)
		detect_format(splitter, &bytes, end, sink);
	if (splitter->foreign || (splitter->judge && !splitter->judged))
		return;
	if (splitter->framing == FRAME_BYTES)
		bytes_feed(splitter, bytes, (size_t)(end - bytes), sink);
	else if (bytes < end)
		lines_feed(splitter, bytes, (size_t)(end - bytes), sink);
}

void splitter_end(struct splitter *splitter, const struct splitter_sink *sink)
{
	bool ask = splitter->judge;
	uint8_t framing = ask ? FRAME_LINES : splitter->framing;
	const char *line;
	size_t len, at = 0;

	splitter_decide(splitter, sink);
	line = splitter->part;
	len = splitter->nr_part;
	if (!splitter->started && len >= MARK_BYTES && !memcmp(line, MARK, MARK_BYTES)) {
		line += MARK_BYTES;
		len -= MARK_BYTES;
	}
	while (at < len && splitter_is_blank(line[at]))
		at++;
	if (at < len && splitter->framing == FRAME_LINES) {
		splitter->counts->nr_torn++;
		if (sink->torn)
			sink->torn(sink->data, line, len);
	}
	part_free(splitter);
	splitter_init(splitter, splitter->pool, splitter->counts);
	splitter->judge = ask;
	splitter->framing = framing;
}

void splitter_datagram(struct splitter_counts *counts, char *bytes, size_t len, bool cut,
		       const struct splitter_sink *sink)
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
