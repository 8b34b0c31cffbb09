/* SPDX-License-Identifier: MIT */
/*
 * The framer: the bytes of one stream become whole lines.
 *
 * Whole lines are handed on where they stand in the fed chunk, many at a time; only what stands
 * behind the last LF is kept (copied) until the next chunk brings its end. It knows nothing of
 * JSON: blank lines, and what a line says, are the reader's. What it does know:
 *   - a UTF-8 mark (EF BB BF) at the very start of a stream is no part of the first line;
 *   - a line of more than FRAMER_MAX_LINE_BYTES is oversized: counted, discarded up to its LF;
 *   - the partial lines of all streams together hold at most the pool's bytes; beyond that the
 *     longest one goes as oversized, whichever stream it belongs to;
 *   - with `need_json`, a stream whose first byte (behind the mark and blank lines) is no `{`
 * is foreign: nothing of it is handed on or counted (of another, those blank lines are not).
 *
 *   fed:     {"a":1}\n{"b":2}\n{"c
 *             \__ lines() ___/  \__ kept, joined with the next chunk up to its first LF
 *
 * Cost: one memrchr() a chunk, one memchr() where a line was left over; feeding byte by byte is
 * linear in all bytes. An idle framer without a partial line owns no memory, so a hundred
 * thousand of them cost their struct alone. One thread for a pool and all its framers.
 */
#ifndef MONITOR_FRAMER_H
#define MONITOR_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/scan.h"

/* A line of more bytes than this, without its LF, is oversized. */
#define FRAMER_MAX_LINE_BYTES (16u << 20)
/* All partial lines of one pool. */
#define FRAMER_MAX_PARTIAL_BYTES (64u << 20)
/*
 * Bytes that must be readable behind everything that is fed: read(fd, buf, size - FRAMER_PAD).
 * Their values do not matter.
 */
#define FRAMER_PAD SCAN_PAD

struct framer;

/* The account of all partial lines: a heap with the longest on top. */
struct framer_pool {
	size_t nr_bytes;      /* ro: bytes of all partial lines */
	size_t max_bytes;     /* ro */
	struct framer **heap; /* private */
	size_t nr_heap, cap_heap;
};

/* What a source's streams count together; framers only ever add. */
struct framer_counts {
	uint64_t nr_bytes;     /* fed, discarded ones included */
	uint64_t nr_oversized; /* records */
	uint64_t nr_torn;      /* last lines without their LF: malformed records */
	uint64_t nr_foreign;   /* streams */
};

/*
 * Where lines go. `lines` holds one or more whole lines, each with its LF; `len` covers the
 * last LF. They are valid during the call only, and FRAMER_PAD readable bytes follow.
 */
struct framer_sink {
	void (*lines)(void *data, const char *lines, size_t len);
	void *data;
};

struct framer {
	struct framer_pool *pool;     /* private */
	struct framer_counts *counts; /* rw: may be changed between feeds */
	char *part;                   /* private: a partial line */
	size_t nr_part, cap_part;
	size_t heap_at; /* private: index in the pool's heap */
	bool need_json; /* rw before the first feed: the rule of directories */
	bool started;   /* private: a mark can come no more */
	bool judged;    /* private: the first byte was seen */
	bool foreign;   /* ro: everything of this stream is discarded */
	bool discard;   /* private: within an oversized line */
};

/* A pool for partial lines of `max_bytes` together. */
void framer_pool_init(struct framer_pool *pool, size_t max_bytes);
/* Every framer of it was released before. */
void framer_pool_release(struct framer_pool *pool);

/* Start a stream. `pool` and `counts` must outlive it. Allocates nothing. */
void framer_init(struct framer *framer, struct framer_pool *pool, struct framer_counts *counts);

/* Forget the partial line, free its memory; framer_init() may start another stream. */
void framer_release(struct framer *framer);

/* The next bytes of the stream. `bytes` must not be those of the framer itself. */
void framer_feed(struct framer *framer, const char *bytes, size_t len,
		 const struct framer_sink *sink);

/*
 * The stream has ended: a connection or FIFO was closed, --once reached the end of a file, a
 * file was truncated or replaced. What stands there without its LF is counted as torn (blanks
 * are not) and handed to `torn`, where that is not NULL, for a sample. The framer is as after
 * framer_init() then.
 */
void framer_end(struct framer *framer, void (*torn)(void *data, const char *line, size_t len),
		void *data);

/*
 * One datagram, split at its LFs; its last line needs none. `cut`: the kernel cut it off
 * (MSG_TRUNC), so its last line is oversized. bytes[len] is overwritten, and FRAMER_PAD bytes
 * behind it must be readable. Keeps nothing.
 */
void framer_datagram(struct framer_counts *counts, char *bytes, size_t len, bool cut,
		     const struct framer_sink *sink);

/* Bytes held back now: those of a line that has not ended yet. */
static inline size_t framer_held(const struct framer *framer)
{
	return framer->nr_part;
}

#endif
