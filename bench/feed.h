/* SPDX-License-Identifier: MIT */
/* Reads a file of events into batches: the file in memory, the splitter and a reader over it, and a
 * callback for every full batch. */
#ifndef BENCH_FEED_H
#define BENCH_FEED_H

#include <stdio.h>
#include <stdlib.h>

#include "monitor/read/splitter.h"
#include "monitor/read/reader.h"

/* Maximum number of bytes passed to the splitter at once. */
#define FEED_CHUNK_BYTES (256u << 10)

struct feed {
	struct reader *reader;
	struct batch *batch; /* batch being filled; the callback `full` may replace it */
	struct read_counts counts;
	void (*full)(struct feed *feed); /* callback: takes or empties the batch */
	void *data;
};

/* Read a file into memory, with space for padding. Returns NULL on failure. */
static inline char *feed_load(const char *path, size_t *len)
{
	FILE *file = path ? fopen(path, "rb") : NULL;
	char *bytes;

	if (!file)
		return NULL;
	if (fseek(file, 0, SEEK_END)) {
		fclose(file);
		return NULL;
	}
	*len = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*len + SPLITTER_PAD);
	if (bytes)
		*len = fread(bytes, 1, *len, file);
	fclose(file);
	return bytes;
}

static inline void feed_lines(struct feed *feed, const char *lines, size_t len)
{
	for (;;) {
		size_t used = reader_lines(feed->reader, lines, len, feed->batch, &feed->counts,
					   NULL, NULL);

		lines += used;
		len -= used;
		if (!batch_is_full(feed->batch))
			return;
		feed->full(feed);
	}
}

static inline void feed_pump(struct feed *feed)
{
	while (reader_pump(feed->reader, feed->batch, &feed->counts, NULL, NULL))
		feed->full(feed);
}

static inline size_t feed_some(struct feed *feed, const char *bytes, size_t len)
{
	size_t used = 0, n = 1;

	while (used < len && n) {
		n = reader_bytes(feed->reader, bytes + used, len - used, feed->batch, &feed->counts,
				 NULL, NULL);
		used += n;
		feed_pump(feed);
	}
	return used;
}

static inline void feed_spans(struct feed *feed, struct splitter_span span)
{
	while (splitter_next(&span))
		if (span.kind == SPLITTER_BYTES)
			span.used = feed_some(feed, span.bytes, span.len);
		else if (span.kind == SPLITTER_LINES)
			feed_lines(feed, span.bytes, span.len);
}

/* Feed all bytes through a new splitter. A last batch that is not full stays in `batch`. */
static inline void feed_bytes(struct feed *feed, const char *bytes, size_t len)
{
	struct splitter_counts counts = { 0 };
	struct splitter_pool pool;
	struct splitter splitter;

	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&splitter, &pool, &counts);
	splitter.framing = feed->reader->ops->framing;
	for (size_t at = 0; at < len; at += FEED_CHUNK_BYTES)
		feed_spans(feed, splitter_feed(&splitter, bytes + at,
					       len - at < FEED_CHUNK_BYTES ? len - at
									   : FEED_CHUNK_BYTES));
	feed_spans(feed, splitter_end(&splitter));
	splitter_pool_release(&pool);
}

#endif
