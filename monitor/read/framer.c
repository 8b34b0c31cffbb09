/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/framer.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"

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

static void heap_put(struct framer_pool *pool, size_t at, struct framer *framer)
{
	pool->heap[at] = framer;
	framer->heap_at = at;
}

static void heap_up(struct framer_pool *pool, struct framer *framer)
{
	size_t at = framer->heap_at;

	for (; at; at = (at - 1) / 2) {
		struct framer *above = pool->heap[(at - 1) / 2];

		if (above->nr_part >= framer->nr_part)
			break;
		heap_put(pool, at, above);
	}
	heap_put(pool, at, framer);
}

static void heap_down(struct framer_pool *pool, struct framer *framer)
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
		heap_put(pool, at, pool->heap[below]);
		at = below;
	}
	heap_put(pool, at, framer);
}

static void heap_remove(struct framer_pool *pool, struct framer *framer)
{
	struct framer *last = pool->heap[--pool->nr_heap];
	size_t at = framer->heap_at;

	framer->heap_at = NOT_IN_HEAP;
	if (last == framer)
		return;
	heap_put(pool, at, last);
	heap_up(pool, last);
	heap_down(pool, last);
}

static void heap_add(struct framer_pool *pool, struct framer *framer)
{
	if (pool->nr_heap == pool->cap_heap) {
		pool->cap_heap = pool->cap_heap ? pool->cap_heap * 2 : 64;
		pool->heap = xreallocarray(pool->heap, pool->cap_heap, sizeof(*pool->heap));
	}
	framer->heap_at = pool->nr_heap;
	pool->heap[pool->nr_heap++] = framer;
}

/* ---- the partial line ---- */

static void part_free(struct framer *framer)
{
	if (framer->heap_at != NOT_IN_HEAP)
		heap_remove(framer->pool, framer);
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

/* Append to the partial line without regard to any bound. */
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

/* Keep bytes that hold no LF, within the bounds of a line and of the pool. */
static void part_keep(struct framer *framer, const char *bytes, size_t len)
{
	struct framer_pool *pool = framer->pool;

	if (!len || framer->discard)
		return;
	if (len > FRAMER_MAX_LINE_BYTES - framer->nr_part) {
		part_oversized(framer);
		return;
	}
	part_append(framer, bytes, len);
	if (framer->heap_at == NOT_IN_HEAP)
		heap_add(pool, framer);
	heap_up(pool, framer);
	while (pool->nr_bytes > pool->max_bytes)
		part_oversized(pool->heap[0]);
}

/* ---- lines ---- */

/* Hand on whole lines, but for those that are too long. */
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

/* The same for lines of a stream, whose first one may begin with a mark. */
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * The rule of directories: drop the mark and blank lines up to the first byte that says
 * something, and judge the stream by it. The mark may come in pieces; those are kept as a
 * partial line. `*bytes` moves to what is left to read; false where that is nothing.
 */
static bool judge(struct framer *framer, const char **bytes, const char *end)
{
	const char *p = *bytes;

	if (!framer->started) {
		size_t nr = framer->nr_part;

		while (p < end && nr < MARK_BYTES && *p == MARK[nr]) {
			p++;
			nr++;
		}
		if (p == end && nr && nr < MARK_BYTES) {
			part_keep(framer, *bytes, (size_t)(p - *bytes));
			return false;
		}
		framer->foreign = nr && nr < MARK_BYTES;
		framer->started = true;
		part_free(framer);
	}
	while (p < end && is_blank(*p))
		p++;
	*bytes = p;
	if (p == end && !framer->foreign)
		return false;
	framer->judged = true;
	framer->foreign |= *p != '{';
	framer->counts->nr_foreign += framer->foreign;
	return !framer->foreign;
}

void framer_init(struct framer *framer, struct framer_pool *pool, struct framer_counts *counts)
{
	*framer = (struct framer){ .pool = pool, .counts = counts, .heap_at = NOT_IN_HEAP };
}

void framer_release(struct framer *framer)
{
	part_free(framer);
}

/* The first LF ends a line whose beginning was kept or discarded; what follows it. */
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

void framer_feed(struct framer *framer, const char *bytes, size_t len,
		 const struct framer_sink *sink)
{
	const char *end = bytes + len, *last_lf;

	framer->counts->nr_bytes += len;
	if (!len || framer->foreign ||
	    (framer->need_json && !framer->judged && !judge(framer, &bytes, end)))
		return;
	len = (size_t)(end - bytes);
	last_lf = memrchr(bytes, '\n', len);
	if (last_lf) {
		if (framer->nr_part || framer->discard)
			bytes = part_end(framer, bytes, len, sink);
		if (bytes <= last_lf)
			stream_emit(framer, bytes, (size_t)(last_lf + 1 - bytes), sink);
		bytes = last_lf + 1;
	}
	part_keep(framer, bytes, (size_t)(end - bytes));
}

void framer_end(struct framer *framer, void (*torn)(void *data, const char *line, size_t len),
		void *data)
{
	const char *line = framer->part;
	size_t len = framer->nr_part, at = 0;
	bool need_json = framer->need_json;

	if (!framer->started && len >= MARK_BYTES && !memcmp(line, MARK, MARK_BYTES)) {
		line += MARK_BYTES;
		len -= MARK_BYTES;
	}
	while (at < len && is_blank(line[at]))
		at++;
	if (at < len && need_json && !framer->judged) {
		framer->counts->nr_foreign++; /* half a mark is no `{` */
	} else if (at < len) {
		framer->counts->nr_torn++;
		if (torn)
			torn(data, line, len);
	}
	part_free(framer);
	framer_init(framer, framer->pool, framer->counts);
	framer->need_json = need_json;
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
