/* SPDX-License-Identifier: MIT */
/*
 * Split the bytes of one stream into spans: whole lines, or pieces for a reader.
 *
 *   struct splitter_span span = splitter_feed(&splitter, bytes, len);
 *
 *   while (splitter_next(&span))
 *           switch (span.kind) ...
 *
 * If `probes` is set, the first span is a probe: the first bytes, after a UTF-8 mark and white
 * space, from which the caller detects the format. Until it decides, bytes are kept, and further
 * feeds return further probes.
 *
 * FRAME_LINES: a span has one or more whole lines, or a torn line: a kept last line without LF that
 * is not blank, which counts as malformed. The bytes after the last LF of a feed are kept until
 * their line ends. Oversized lines are discarded and counted.
 *
 *   fed:     {"a":1} LF {"b":2} LF {"c
 *            \_____ one span _____/ \__ kept, joined with the next feed up to its first LF
 *
 * FRAME_BYTES: one span has all available bytes. Bytes that the caller does not use are returned
 * again, followed by new ones. If more than SPLITTER_MAX_KEPT_BYTES stay unused while the caller is
 * not stalled, the rest of the stream is discarded as oversized.
 *
 * Above the limit of a pool, the longest kept parts among its streams are discarded as oversized.
 *
 * Invariants when no span is left: `part` holds the fed bytes that were not used, skipped or
 * discarded. It holds no LF if the framing is FRAME_LINES and the format is not undecided. While
 * `discard` is set, `part` is empty.
 *
 * Only one thread at a time may use a pool and its splitters.
 */
#ifndef MONITOR_SPLITTER_H
#define MONITOR_SPLITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/scan.h"

/* Maximum length of a line in bytes, without its LF. A longer one is oversized. */
#define SPLITTER_MAX_LINE_BYTES (16u << 20)
/* Usual limit of a pool in bytes. */
#define SPLITTER_MAX_PARTIAL_BYTES (64u << 20)
/* Maximum number of a stream's first bytes that are used to detect its format. */
#define SPLITTER_PROBE_BYTES 4096u
/* Maximum number of bytes of a FRAME_BYTES span that may stay unused, unless the caller is stalled:
 * more than the largest record of any FRAME_BYTES format. */
#define SPLITTER_MAX_KEPT_BYTES (128u << 10)
/* Number of bytes that must be readable, with any values, after the bytes that are fed. */
#define SPLITTER_PAD SCAN_PAD

struct splitter;

enum framing { FRAME_LINES, FRAME_BYTES };

/* Result of format detection, which the caller sets in a probe. */
enum verdict {
	/* more bytes are needed; like VERDICT_FOREIGN if the probe's `is_complete` is set */
	VERDICT_MORE,
	VERDICT_LINES,
	VERDICT_BYTES,
	VERDICT_FOREIGN /* the format is unknown: the stream is discarded */
};

/* Limits the bytes that its splitters keep together. */
struct splitter_pool {
	size_t nr_bytes;  /* ro */
	size_t max_bytes; /* ro */
	/* private: binary heap of the splitters that keep bytes, longest part first */
	struct splitter **heap;
	size_t nr_heap, cap_heap;
};

/* Counters of the streams of a source. Splitters only increase them. */
struct splitter_counts {
	uint64_t nr_bytes; /* bytes fed, including discarded ones */
	uint64_t nr_oversized;
	uint64_t nr_torn; /* last lines without LF, which are malformed records */
	uint64_t nr_foreign;
};

enum splitter_span_kind {
	SPLITTER_NONE,
	/* One or more whole lines; `len` includes the last LF. */
	SPLITTER_LINES,
	/* FRAME_BYTES: all available bytes. The caller sets `used` to the number that it used. */
	SPLITTER_BYTES,
	/*
	 * A probe: the first bytes of the stream, at most SPLITTER_PROBE_BYTES. The caller sets
	 * `verdict` to the kind of their format. The verdict must not depend on how the bytes were
	 * split into feeds.
	 */
	SPLITTER_PROBE,
	/* A last line without LF. It was counted as malformed. */
	SPLITTER_TORN,
};

/*
 * A part of the bytes of a pass, and the state of the pass. `bytes` are valid until the next call
 * of splitter_next(); SPLITTER_PAD readable bytes follow.
 */
struct splitter_span {
	enum splitter_span_kind kind; /* ro */
	const char *bytes;            /* ro */
	size_t len;                   /* ro */
	bool is_complete;     /* ro, for SPLITTER_PROBE: no more bytes will be added to the probe */
	enum verdict verdict; /* rw, for SPLITTER_PROBE: verdict that the caller sets */
	size_t used;          /* rw, for SPLITTER_BYTES: used bytes, which the caller sets */
	/* private */
	struct splitter *splitter;
	/* remaining bytes: `at` to `end`; if they are lines, whole ones up to `whole`, then part of
	 * one */
	const char *at, *whole, *end;
	/* bytes of the splitter's `part` to remove after this span */
	size_t part_used;
	uint8_t step;
	bool ends; /* the stream ends after the remaining bytes */
};

struct splitter {
	struct splitter_pool *pool; /* private */
	/* rw between feeds */
	struct splitter_counts *counts;
	/* private: kept bytes: a partial line, bytes that the caller did not use, or bytes whose
	 * format is undecided */
	char *part;
	size_t nr_part, cap_part;
	size_t heap_at; /* private */
	/* enum framing; rw before the first feed; if `probes`, that of the detected format */
	uint8_t framing;
	bool probes; /* rw before the first feed: the caller detects the format */
	/* rw: the caller cannot use bytes until it calls splitter_resume() (FRAME_BYTES) */
	bool stalled;
	/* rw before the first feed: the stream had bytes, so a UTF-8 mark is not expected */
	bool started;
	bool probed;  /* ro */
	bool foreign; /* ro: the format is unknown: all bytes are discarded */
	/* rw between feeds: an oversized line, or the rest of the stream (FRAME_BYTES), is being
	 * discarded */
	bool discard;
};

void splitter_pool_init(struct splitter_pool *pool, size_t max_bytes);
/* Free the pool, after all its splitters were released. */
void splitter_pool_release(struct splitter_pool *pool);

/* Start a stream. `pool` and `counts` must outlive the splitter. */
void splitter_init(struct splitter *splitter, struct splitter_pool *pool,
		   struct splitter_counts *counts);

/* Discard the kept bytes and free their memory. splitter_init() may then start another stream. */
void splitter_release(struct splitter *splitter);

/*
 * Begin to split the next bytes of the stream. `bytes` must not point into the splitter's own
 * buffer, and must stay valid until splitter_next() returns false. Do not begin another pass before
 * that. Returns a span for splitter_next().
 */
struct splitter_span splitter_feed(struct splitter *splitter, const char *bytes, size_t len);

/* FRAME_BYTES: begin to return the kept bytes again, after the caller has reset `stalled`. */
struct splitter_span splitter_resume(struct splitter *splitter);

/* True if bytes are kept because their format is not detected yet. */
static inline bool splitter_is_undecided(const struct splitter *splitter)
{
	return splitter->probes && !splitter->probed && splitter->nr_part;
}

/* Begin to decide the format from the bytes kept so far, and to split them. */
struct splitter_span splitter_decide(struct splitter *splitter);

/*
 * Begin to end the stream. An undecided format is decided from the kept bytes. A kept last line
 * without LF counts as torn, unless it is blank. Unused bytes (FRAME_BYTES) are discarded.
 * Afterwards the splitter is as after splitter_init(), except that `probes` and a framing set by
 * the caller stay.
 */
struct splitter_span splitter_end(struct splitter *splitter);

/* Set `span` to the next span of the same pass over bytes. Returns false if none is left. */
bool splitter_next(struct splitter_span *span);

/*
 * End the last line of a datagram with an LF if it lacks one; but if `cut` (the kernel truncated
 * the datagram), count that line as oversized. `len` is at most SPLITTER_MAX_LINE_BYTES. May
 * overwrite bytes[len]; SPLITTER_PAD bytes after it must be readable. Returns the length of the
 * whole lines.
 */
size_t splitter_datagram(struct splitter_counts *counts, char *bytes, size_t len, bool cut);

static inline size_t splitter_held(const struct splitter *splitter)
{
	return splitter->nr_part;
}

#endif
