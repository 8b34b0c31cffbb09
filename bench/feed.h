/* SPDX-License-Identifier: MIT */
/*
 * Reads a file of events into batches, for benchmarks: the file in memory, the splitter and the EVENT
 * reader over it, and a callback for every full batch.
 */
#ifndef BENCH_FEED_H
#define BENCH_FEED_H

#include <stdio.h>
#include <stdlib.h>

#include "monitor/read/splitter.h"
#include "monitor/read/reader.h"

/* As much as a source reads at once. */
#define FEED_CHUNK_BYTES (256u << 10)

struct feed {
	struct reader *reader;
	struct batch *batch; /* being filled; `full` may replace it */
	struct read_counts counts;
	void (*full)(struct feed *feed); /* take or empty the batch */
	void *data;
};

/* Read a file into memory with padding after it. Returns NULL on failure. */
static inline char *feed_load(const char *path, size_t *len)
{
	FILE *file = path ? fopen(path, "rb") : NULL;
	char *bytes;

	if (!file || fseek(file, 0, SEEK_END))
		return NULL;
	*len = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*len + SPLITTER_PAD);
	if (bytes)
		*len = fread(bytes, 1, *len, file);
	fclose(file);
	return bytes;
}

static inline void feed_lines(void *data, const char *lines, size_t len)
{
	struct feed *feed = data;

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

/* Get all records that the reader has ready. */
static inline void feed_pump(struct feed *feed)
{
	while (reader_pump(feed->reader, feed->batch, &feed->counts, NULL, NULL))
		feed->full(feed);
}

static inline size_t feed_some(void *data, const char *bytes, size_t len)
{
	struct feed *feed = data;
	size_t used = 0, n = 1;

	while (used < len && n) {
		n = reader_bytes(feed->reader, bytes + used, len - used, feed->batch, &feed->counts,
				 NULL, NULL);
		used += n;
		feed_pump(feed);
	}
	return used;
}

/* Feed all bytes through a new splitter. */
static inline void feed_bytes(struct feed *feed, const char *bytes, size_t len)
{
	struct splitter_counts counts = { 0 };
	struct splitter_sink sink = { .lines = feed_lines, .bytes = feed_some, .data = feed };
	struct splitter_pool pool;
	struct splitter splitter;

	splitter_pool_init(&pool, SPLITTER_MAX_PARTIAL_BYTES);
	splitter_init(&splitter, &pool, &counts);
	splitter.framing = feed->reader->ops->framing;
	for (size_t at = 0; at < len; at += FEED_CHUNK_BYTES)
		splitter_feed(&splitter, bytes + at,
			      len - at < FEED_CHUNK_BYTES ? len - at : FEED_CHUNK_BYTES, &sink);
	splitter_end(&splitter, &sink);
	splitter_pool_release(&pool);
}

#endif
