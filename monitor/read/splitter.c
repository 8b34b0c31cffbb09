/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/splitter.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"

#define MARK             "\xef\xbb\xbf"
#define MARK_BYTES       3
#define FIRST_PART_BYTES 512u
#define NOT_IN_HEAP      SIZE_MAX

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

/* Update the pool after the kept bytes have grown. May discard the longest kept parts of the
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

/* Keep bytes, within the limits of a line and of the pool. */
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

void splitter_init(struct splitter *splitter, struct splitter_pool *pool,
		   struct splitter_counts *counts)
{
	*splitter = (struct splitter){ .pool = pool, .counts = counts, .heap_at = NOT_IN_HEAP };
}

void splitter_release(struct splitter *splitter)
{
	part_free(splitter);
}

/*
 * The next step of a pass over bytes (see splitter_next()):
 *
 *   DETECT --> SPLIT --> WHOLE --> DONE --> (the stream ends) TORN --> DONE
 *   DECIDE ------^ `-- (binary) ----^
 */
enum splitter_step {
	STEP_DONE,   /* nothing is left of the bytes that were fed */
	STEP_DETECT, /* detect the format from the next bytes */
	STEP_DECIDE, /* decide the format from the kept bytes */
	STEP_SPLIT,  /* the format is known: divide the bytes */
	STEP_WHOLE,  /* return the whole lines up to `whole`, then keep the rest */
	STEP_TORN,   /* the last line was returned, if it is torn; now reset the splitter */
};

static bool span_set(struct splitter_span *span, enum splitter_span_kind kind, const char *bytes,
		     size_t len)
{
	span->kind = kind;
	span->bytes = bytes;
	span->len = len;
	return true;
}

/* Return the first `len` kept bytes as a span, after which they are removed. */
static bool span_of_part(struct splitter_span *span, enum splitter_span_kind kind, size_t len)
{
	span->part_used = len;
	return span_set(span, kind, span->splitter->part, len);
}

static size_t lines_mark(struct splitter *splitter, const char *lines, size_t len)
{
	if (splitter->started)
		return 0;
	splitter->started = true;
	return len > MARK_BYTES && !memcmp(lines, MARK, MARK_BYTES) ? MARK_BYTES : 0;
}

/* Set the span to all remaining whole lines, or to one line if they exceed SPLITTER_MAX_LINE_BYTES
 * together. Skips and counts oversized lines. Returns false if no line remains. */
static bool whole_next(struct splitter_span *span)
{
	while ((size_t)(span->whole - span->at) > SPLITTER_MAX_LINE_BYTES) {
		const char *line = span->at, *lf = memchr(line, '\n', (size_t)(span->whole - line));

		span->at = lf + 1;
		if ((size_t)(lf - line) <= SPLITTER_MAX_LINE_BYTES)
			return span_set(span, SPLITTER_LINES, line, (size_t)(lf + 1 - line));
		span->splitter->counts->nr_oversized++;
	}
	if (span->at == span->whole)
		return false;
	span_set(span, SPLITTER_LINES, span->at, (size_t)(span->whole - span->at));
	span->at = span->whole;
	return true;
}

/*
 * Complete a partial or discarded line at the first LF. Returns true if that line is the next span.
 */
static bool part_end(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;
	const char *bytes = span->at, *lf = memchr(bytes, '\n', (size_t)(span->end - bytes));
	size_t mark;

	span->at = lf + 1;
	if (splitter->discard) {
		splitter->discard = false;
		splitter->started = true;
		return false;
	}
	if ((size_t)(lf - bytes) > SPLITTER_MAX_LINE_BYTES - splitter->nr_part) {
		part_free(splitter);
		splitter->counts->nr_oversized++;
		splitter->started = true;
		return false;
	}
	part_append(splitter, bytes, (size_t)(lf + 1 - bytes));
	mark = lines_mark(splitter, splitter->part, splitter->nr_part);
	span_of_part(span, SPLITTER_LINES, splitter->nr_part);
	span->bytes += mark;
	span->len -= mark;
	return true;
}

/* Find the last LF of the bytes. If a line that begins with kept bytes ends, return it. */
static bool lines_begin(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;
	const char *lf;

	span->step = STEP_DONE;
	if (span->at == span->end)
		return false;
	lf = platform_find_last(span->at, '\n', (size_t)(span->end - span->at));
	span->step = STEP_WHOLE;
	span->whole = lf ? lf + 1 : span->at;
	if (lf && (splitter->nr_part || splitter->discard))
		return part_end(span);
	if (lf)
		span->at += lines_mark(splitter, span->at, (size_t)(span->whole - span->at));
	return false;
}

static bool bytes_begin(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;

	span->step = STEP_DONE;
	if (splitter->discard)
		return false;
	span->used = 0;
	if (!splitter->nr_part)
		return span_set(span, SPLITTER_BYTES, span->at, (size_t)(span->end - span->at));
	part_append(splitter, span->at, (size_t)(span->end - span->at));
	return span_set(span, SPLITTER_BYTES, splitter->part, splitter->nr_part);
}

static void bytes_taken(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;

	if (splitter->nr_part)
		part_used(splitter, span->used);
	else if (span->used < span->len)
		part_append(splitter, span->bytes + span->used, span->len - span->used);
	if (!splitter->nr_part)
		return;
	if (!splitter->stalled && splitter->nr_part > SPLITTER_MAX_KEPT_BYTES)
		part_oversized(splitter);
	else
		part_grown(splitter);
}

static bool splitter_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool probe_set(struct splitter_span *span, const char *bytes, size_t len, bool is_complete)
{
	span->is_complete = is_complete;
	span->verdict = VERDICT_MORE;
	return span_set(span, SPLITTER_PROBE, bytes, len);
}

/* Drop a UTF-8 mark at the start of the stream. Pieces of a mark are kept until it is complete. */
static void mark_drop(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;
	const char *p = span->at;
	size_t nr = splitter->nr_part;

	while (p < span->end && nr < MARK_BYTES && *p == MARK[nr]) {
		p++;
		nr++;
	}
	if (p == span->end && nr && nr < MARK_BYTES) {
		part_keep(splitter, span->at, (size_t)(p - span->at));
		span->at = span->end;
		return;
	}
	splitter->started = true;
	if (nr == MARK_BYTES) {
		part_free(splitter);
		span->at = p;
	}
}

/* Return kept bytes, and following bytes that fit, as a probe. */
static bool probe_kept(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;
	size_t room = SPLITTER_PROBE_BYTES - splitter->nr_part;
	size_t left = (size_t)(span->end - span->at), len = left < room ? left : room;

	part_keep(splitter, span->at, len);
	span->at += len;
	return !splitter->discard &&
	       probe_set(span, splitter->part, splitter->nr_part, len == room);
}

/* Return fed bytes after white space as a probe, without a copy. */
static bool probe_fed(struct splitter_span *span)
{
	size_t len;

	while (span->at < span->end && splitter_is_blank(*span->at))
		span->at++;
	len = (size_t)(span->end - span->at);
	len = len < SPLITTER_PROBE_BYTES ? len : SPLITTER_PROBE_BYTES;
	return len && probe_set(span, span->at, len, len == SPLITTER_PROBE_BYTES);
}

static bool detect_next(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;

	while (span->at < span->end) {
		/* The stream's first bytes were discarded: detect from the next line on. */
		if (splitter->discard) {
			const char *lf = memchr(span->at, '\n', (size_t)(span->end - span->at));

			splitter->discard = !lf;
			span->at = lf ? lf + 1 : span->end;
		} else if (!splitter->started) {
			mark_drop(span);
		} else if (splitter->nr_part ? probe_kept(span) : probe_fed(span)) {
			return true;
		}
	}
	span->step = STEP_DONE;
	return false;
}

static bool decide_next(struct splitter_span *span)
{
	span->splitter->started = true;
	return probe_set(span, span->splitter->part, span->splitter->nr_part, true);
}

/* Apply the caller's verdict. Returns true if kept bytes have whole lines to return now. */
static bool verdict_taken(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;
	const char *lf;

	if (span->verdict == VERDICT_MORE && !span->is_complete) {
		if (!splitter->nr_part) {
			part_keep(splitter, span->bytes, span->len);
			span->at = span->end;
		}
		return false;
	}
	splitter->probed = true;
	splitter->framing = span->verdict == VERDICT_BYTES ? FRAME_BYTES : FRAME_LINES;
	span->step = STEP_SPLIT;
	if (span->verdict == VERDICT_FOREIGN || span->verdict == VERDICT_MORE) {
		splitter->foreign = true;
		splitter->counts->nr_foreign++;
		part_free(splitter);
		span->step = STEP_DONE;
	} else if (span->verdict == VERDICT_LINES && splitter->nr_part) {
		lf = platform_find_last(splitter->part, '\n', splitter->nr_part);
		if (lf)
			return span_of_part(span, SPLITTER_LINES,
					    (size_t)(lf + 1 - splitter->part));
	}
	return false;
}

static bool torn_next(struct splitter_span *span)
{
	struct splitter *splitter = span->splitter;
	const char *line = splitter->part;
	size_t len = splitter->nr_part, at = 0;

	if (!splitter->started && len >= MARK_BYTES && !memcmp(line, MARK, MARK_BYTES)) {
		line += MARK_BYTES;
		len -= MARK_BYTES;
	}
	while (at < len && splitter_is_blank(line[at]))
		at++;
	if (at == len || splitter->framing != FRAME_LINES)
		return false;
	splitter->counts->nr_torn++;
	return span_set(span, SPLITTER_TORN, line, len);
}

static void splitter_reset(struct splitter *splitter)
{
	bool probes = splitter->probes;
	uint8_t framing = probes ? FRAME_LINES : splitter->framing;

	part_free(splitter);
	splitter_init(splitter, splitter->pool, splitter->counts);
	splitter->probes = probes;
	splitter->framing = framing;
}

static struct splitter_span pass_begin(struct splitter *splitter, enum splitter_step step,
				       const char *bytes, size_t len)
{
	return (struct splitter_span){
		.splitter = splitter, .step = (uint8_t)step, .at = bytes, .end = bytes + len
	};
}

struct splitter_span splitter_feed(struct splitter *splitter, const char *bytes, size_t len)
{
	enum splitter_step step = splitter->probes && !splitter->probed ? STEP_DETECT : STEP_SPLIT;

	splitter->counts->nr_bytes += len;
	return pass_begin(splitter, len && !splitter->foreign ? step : STEP_DONE, bytes, len);
}

struct splitter_span splitter_resume(struct splitter *splitter)
{
	bool has_kept = splitter->framing == FRAME_BYTES && splitter->nr_part &&
			!splitter_is_undecided(splitter);

	return pass_begin(splitter, has_kept ? STEP_SPLIT : STEP_DONE, "", 0);
}

struct splitter_span splitter_decide(struct splitter *splitter)
{
	return pass_begin(splitter, splitter_is_undecided(splitter) ? STEP_DECIDE : STEP_DONE, "",
			  0);
}

struct splitter_span splitter_end(struct splitter *splitter)
{
	struct splitter_span span = splitter_decide(splitter);

	span.ends = true;
	return span;
}

size_t splitter_datagram(struct splitter_counts *counts, char *bytes, size_t len, bool cut)
{
	const char *last_lf;

	counts->nr_bytes += len;
	if (cut) {
		counts->nr_oversized++;
		last_lf = len ? platform_find_last(bytes, '\n', len) : NULL;
		return last_lf ? (size_t)(last_lf + 1 - bytes) : 0;
	}
	if (len && bytes[len - 1] != '\n')
		bytes[len++] = '\n';
	return len;
}

/* Complete the span that the caller has handled. Returns true if that gives the next span. */
static bool span_taken(struct splitter_span *span)
{
	enum splitter_span_kind kind = span->kind;

	span->kind = SPLITTER_NONE;
	if (kind == SPLITTER_PROBE)
		return verdict_taken(span);
	if (kind == SPLITTER_BYTES)
		bytes_taken(span);
	if (span->part_used)
		part_used(span->splitter, span->part_used);
	span->part_used = 0;
	return false;
}

static bool step_next(struct splitter_span *span)
{
	switch (span->step) {
	case STEP_DETECT:
		return detect_next(span);
	case STEP_DECIDE:
		return decide_next(span);
	case STEP_SPLIT:
		return span->splitter->framing == FRAME_BYTES ? bytes_begin(span)
							      : lines_begin(span);
	case STEP_WHOLE:
		if (whole_next(span))
			return true;
		if (span->at < span->end)
			part_keep(span->splitter, span->at, (size_t)(span->end - span->at));
		span->step = STEP_DONE;
		return false;
	case STEP_TORN:
		splitter_reset(span->splitter);
		span->step = STEP_DONE;
		span->ends = false;
		return false;
	default: /* STEP_DONE: the bytes are used up, and the stream ends */
		span->step = STEP_TORN;
		return torn_next(span);
	}
}

bool splitter_next(struct splitter_span *span)
{
	if (span->kind != SPLITTER_NONE && span_taken(span))
		return true;
	while (span->step != STEP_DONE || span->ends)
		if (step_next(span))
			return true;
	return false;
}
