/* SPDX-License-Identifier: MIT */
/*
 * The framer: the bytes of one stream become whole lines, or pieces that their reader takes apart.
 *
 * What a stream is, its first bytes tell: with `judge` the sink is asked about them, behind a
 * UTF-8 mark and blank lines, again with each feed until it knows. Until then they are kept.
 *
 * LINES. Whole lines are handed on where they stand in the fed chunk, many at a time; only what
 * stands behind the last LF is kept (copied) until the next chunk brings its end. Blank lines, and
 * what a line says, are the reader's. What the framer does know:
 *   - a UTF-8 mark (EF BB BF) at the very start of a stream is no part of the first line;
 *   - a line of more than FRAMER_MAX_LINE_BYTES is oversized: counted, discarded up to its LF;
 *   - a last line without its LF is torn.
 *
 *   fed:     {"a":1}\n{"b":2}\n{"c
 *             \__ lines() ___/  \__ kept, joined with the next chunk up to its first LF
 *
 * BYTES. All that is there is handed on at once; what the sink does not use is kept, and comes
 * again with what follows behind it. More than FRAMER_MAX_KEPT_BYTES of such is no record of any
 * format: counted as oversized, and the rest of the stream is discarded.
 *
 * The kept bytes of all streams together hold at most the pool's bytes; beyond that the longest go
 * as oversized, whichever stream they belong to. A stream that the sink judges foreign is counted,
 * and nothing of it is handed on.
 *
 * Invariant, between calls: what was fed is, in this order, what was handed on (or counted and
 * discarded) and `part`. `part` holds no LF where the framing is LINES and the stream was judged.
 * While `discard` is set `part` is empty.
 *
 * Cost: one memrchr() a chunk, one memchr() where a line was left over; feeding byte by byte is
 * linear in all bytes. An idle framer that keeps nothing owns no memory, so a hundred thousand of
 * them cost their struct alone. One thread for a pool and all its framers.
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
/* First bytes that a stream is judged by, at most. */
#define FRAMER_PROBE_BYTES 4096u
/* What a sink of BYTES may leave unused: more than the largest record of any format. */
#define FRAMER_MAX_KEPT_BYTES (128u << 10)
/*
 * Bytes that must be readable behind everything that is fed: read(fd, buf, size - FRAMER_PAD).
 * Their values do not matter.
 */
#define FRAMER_PAD SCAN_PAD

struct framer;

enum framing { FRAME_LINES, FRAME_BYTES };

/* What a stream is. */
enum verdict {
	VERDICT_MORE,   /* its first bytes do not tell yet */
	VERDICT_LINES,  /* its reader takes lines */
	VERDICT_BYTES,  /* its reader takes bytes */
	VERDICT_FOREIGN /* nothing of it is to be read */
};

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
 * Where it all goes. What is handed on is valid during the call only, and FRAMER_PAD readable
 * bytes follow it.
 */
struct framer_sink {
	/* One or more whole lines, each with its LF; `len` covers the last one. */
	void (*lines)(void *data, const char *lines, size_t len);
	void *data;
	/* FRAME_BYTES: all that is there; returns how many bytes were used. */
	size_t (*bytes)(void *data, const char *bytes, size_t len);
	/*
	 * Of framers that `judge`: what is the stream whose first bytes these are? At most
	 * FRAMER_PROBE_BYTES of them. `is_all`: no more can be had, so VERDICT_MORE is no
	 * answer. The answer must not depend on how many bytes came before it was asked.
	 */
	enum verdict (*judge)(void *data, const char *bytes, size_t len, bool is_all);
	/* A last line without its LF, for a sample; NULL: it is counted only. */
	void (*torn)(void *data, const char *line, size_t len);
};

struct framer {
	struct framer_pool *pool;     /* private */
	struct framer_counts *counts; /* rw: may be changed between feeds */
	char *part;                   /* private: a partial line, or bytes that were not used */
	size_t nr_part, cap_part;
	size_t heap_at;  /* private: index in the pool's heap */
	uint8_t framing; /* enum framing; rw before the first feed, or as it was judged */
	bool judge;      /* rw before the first feed: what it is, the sink is asked */
	bool stalled;    /* rw by the sink: it takes no more now, whatever there is (BYTES) */
	bool started;    /* private: a mark can come no more */
	bool judged;     /* ro: the sink has said what it is */
	bool foreign;    /* ro: everything of this stream is discarded */
	bool discard;    /* private: within an oversized line; of BYTES, to the end of the stream */
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

/* FRAME_BYTES: hand on again what was kept; for a sink that was stalled. */
void framer_resume(struct framer *framer, const struct framer_sink *sink);

/* Are there first bytes that did not tell yet what the stream is? */
static inline bool framer_is_undecided(const struct framer *framer)
{
	return framer->judge && !framer->judged && framer->nr_part;
}

/* It has been silent for long: judge it by what is there, and hand that on. */
void framer_decide(struct framer *framer, const struct framer_sink *sink);

/*
 * The stream has ended: a connection or FIFO was closed, --once reached the end of a file, a
 * file was truncated or replaced. It is judged, where it was not, by what is there. Of lines, what
 * stands there without its LF is counted as torn (blanks are not) and handed to `sink->torn`; of
 * bytes, what is still not used is forgotten. The framer is as after framer_init() then, but for
 * `judge` and a framing that was not judged.
 */
void framer_end(struct framer *framer, const struct framer_sink *sink);

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
