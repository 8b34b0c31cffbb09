/* SPDX-License-Identifier: MIT */
/*
 * Readers translate the records of one input format into packed records of a batch. A format is a
 * file (or folder) that ends in a const struct reader_ops, plus one line in readers.def.
 *
 *   stream -> unpack -> splitter (calls reader_detect()) -> reader -> batch
 *
 * A reader is pure: no clock, no I/O. It gets what it needs to know about its stream in struct
 * reader_stream. If the records of a format are independent of each other (EVENT), one state serves
 * all streams, because it only holds caches. A format that needs context (`per_stream`) has one
 * state per stream, which lives as long as the file or connection. It may hold records back, sort
 * them and deliver them later (`pump`, `finish`).
 *
 * All input is followed by READER_PAD readable bytes. One thread.
 */
#ifndef MONITOR_READER_H
#define MONITOR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "monitor/event/batch.h"
#include "monitor/base/diag.h"
#include "monitor/base/scan.h"
#include "monitor/base/word.h"
#include "monitor/read/splitter.h"

#define READER_PAD SCAN_PAD

/*
 * Counters of readers. Records = events + malformed + oversized, including those counted by the
 * splitter.
 */
struct read_counts {
	uint64_t nr_events; /* known and unknown events */
	uint64_t nr_unknown;
	uint64_t nr_malformed;
	uint64_t nr_oversized; /* records over the limits of their own format */
	uint64_t nr_continued; /* lines that continue the record of an earlier line */
	uint64_t nr_ignored;   /* events that the model does not use */
	uint64_t nr_lost;      /* lost pieces of Go traces (generations) */
};

/* Callback for every malformed record, to keep samples. `record` is without its LF. */
typedef void read_bad_fn(void *data, const char *record, size_t len, const struct diag *why);

/* How well the first bytes of a stream match a format. */
enum probe {
	PROBE_NO,    /* the bytes are not of this format */
	PROBE_MORE,  /* more bytes are needed */
	PROBE_MAYBE, /* the bytes may be of this format; more bytes may decide */
	PROBE_YES,   /* the bytes are certainly of this format */
};

/* Context of a per-stream reader. Lives as long as the reader's state. */
struct reader_stream {
	/* Base name of the file without .gz or similar, "stdin", or base name of the socket. */
	const char *name;
	uint32_t number; /* number of the stream */
	/* only one process writes to the stream: a connection, or a file of a directory */
	bool one_process;
	/* process id of the writer, from the credentials of the connection; 0: unknown */
	int64_t peer_pid;
	/* wall clock: mtime of a file that existed before trace2top started; NS_NONE: live data */
	ns_t reference_ns;
	ns_t arrival_ns; /* wall clock: when the bytes that are being read arrived */
	/*
	 * --new: the current bytes were written before trace2top started. The reader delivers no
	 * events from them and keeps only what later records need.
	 */
	bool is_skipped;
	/*
	 * Number of processes found so far in streams of this name, in all sources. The reader
	 * increments it for each new process, so that no two processes get the same number.
	 */
	uint32_t *nr_processes;
	const size_t *held_bytes; /* bytes held by the readers of all streams */
	/*
	 * Memory shared by all readers of the format. Initially NULL; the first reader stores a
	 * pointer from malloc(), which is freed with the last stream. NULL: nothing is shared.
	 */
	void **shared;
};

struct reader_ops {
	size_t state_bytes;
	enum framing framing;
	/* the reader has one state per stream, created by `begin`; otherwise one state for all,
	 * initialised by `init` */
	bool per_stream;
	/*
	 * Git can write this format for the same processes as EVENT. In a directory it is read only
	 * on request, so that processes are not counted twice.
	 */
	bool is_twin;
	/*
	 * Detect the format from the first bytes of a stream, after a UTF-8 mark and blank lines. 0
	 * < len <= SPLITTER_PROBE_BYTES. If `is_all`, no more bytes follow. More bytes may only
	 * make the result more certain: NO and YES are final, MAYBE never becomes MORE.
	 */
	enum probe (*probe)(const char *bytes, size_t len, bool is_all);
	/*
	 * Initialise a zeroed `state`. `syms` and `stream` must outlive it. A format has either
	 * `init` or `begin`.
	 */
	void (*init)(void *state, struct tr2_intern *syms);
	void (*begin)(void *state, struct tr2_intern *syms, const struct reader_stream *stream);
	/*
	 * FRAME_LINES: read whole lines (the last byte is an LF) until none are left or `batch` is
	 * full. Returns the number of bytes used. If less than `len`, the caller hands over the
	 * batch and calls again with the rest. `bad` may be NULL.
	 */
	size_t (*read_lines)(void *state, const char *lines, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
	/*
	 * FRAME_BYTES: like read_lines() for raw bytes. Unused bytes are passed again with more
	 * after them. Bytes may be left unused because a record is incomplete (at most
	 * SPLITTER_MAX_KEPT_BYTES; after `finish` it is the last, torn record), or because a record
	 * made events ready for `pump`. Called again if it used some.
	 */
	size_t (*read_bytes)(void *state, const char *bytes, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
	/*
	 * Deliver events that are ready until `batch` is full. Returns true if more are ready.
	 * Called after each read_lines() and read_bytes(), and after finish(). Live streams are
	 * pumped until no more is ready before anything else is read; other streams only while the
	 * journal has room. NULL: the reader never holds events back.
	 */
	bool (*pump)(void *state, struct batch *batch, struct read_counts *counts, read_bad_fn *bad,
		     void *bad_data);
	/*
	 * The stream has ended, or (`is_quiet`) had no data for READER_QUIET_NS and may continue.
	 * Make complete events ready. At the end, count an incomplete record as malformed. NULL:
	 * nothing to do.
	 */
	void (*finish)(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
		       void *bad_data);
	/* Return the memory held in addition to `state`, in bytes. NULL: none. */
	size_t (*held_bytes)(const void *state);
	/* Free the memory that `state` owns. NULL: nothing to free. */
	void (*release)(void *state);
};

/* Time without data after which finish(is_quiet) is called. */
#define READER_QUIET_NS (100 * NS_PER_MS)
/* Time without data after which the format is decided from the bytes received so far. */
#define READER_DECIDE_NS NS_PER_SEC

/* ---- the formats ---- */

/* Indexes into `readers`, and bits in a mask of formats, in the order of readers.def. */
enum reader_kind {
#define READER(ID, ...) READER_##ID,
#include "monitor/read/readers.def"
};

/* Maximum number of formats, each a bit in a mask. */
#define READERS_MAX 32
#define FORMATS_ALL UINT32_MAX

/*
 * Readers, in the order in which detection tries them. readers.c defines the table.
 */
extern const struct reader_ops *const readers[];
extern const unsigned nr_readers;
/* Names of formats. Entry 0 is "none", so format i has entry i + 1. */
extern const struct word reader_words[];

/* Results of reader_detect() that are not a format's index. */
enum { DETECT_MORE = -1, DETECT_NONE = -2 };

/*
 * Detect which of `formats` these first bytes are (arguments as for `probe` above). Returns the
 * first format that matches for certain (PROBE_YES). With `is_all`, otherwise the first possible
 * one (PROBE_MAYBE). DETECT_MORE: more bytes may decide. DETECT_NONE: no format matches.
 */
int reader_detect(uint32_t formats, const char *bytes, size_t len, bool is_all);

/*
 * Write the names of a mask's formats, separated by commas, to `out` (`bytes` long), truncated if
 * they do not fit.
 */
void reader_names(uint32_t formats, char *out, size_t bytes);

/* ---- one reader and its state ---- */

struct reader {
	const struct reader_ops *ops; /* ro */
	void *state;                  /* private */
};

/*
 * Create a reader of `kind`. `stream` is NULL for the shared reader of all streams, and not NULL if
 * the format is `per_stream`. `stream` and `syms` must outlive the reader. Exits if out of memory
 * (die.h).
 */
struct reader *reader_new_of(unsigned kind, struct tr2_intern *syms,
			     const struct reader_stream *stream);
static inline struct reader *reader_new(unsigned kind, struct tr2_intern *syms)
{
	return reader_new_of(kind, syms, NULL);
}

void reader_free(struct reader *reader);

static inline size_t reader_lines(struct reader *reader, const char *lines, size_t len,
				  struct batch *batch, struct read_counts *counts, read_bad_fn *bad,
				  void *bad_data)
{
	return reader->ops->read_lines(reader->state, lines, len, batch, counts, bad, bad_data);
}

static inline size_t reader_bytes(struct reader *reader, const char *bytes, size_t len,
				  struct batch *batch, struct read_counts *counts, read_bad_fn *bad,
				  void *bad_data)
{
	return reader->ops->read_bytes(reader->state, bytes, len, batch, counts, bad, bad_data);
}

static inline bool reader_pump(struct reader *reader, struct batch *batch,
			       struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	return reader->ops->pump && reader->ops->pump(reader->state, batch, counts, bad, bad_data);
}

static inline void reader_finish(struct reader *reader, bool is_quiet, struct read_counts *counts,
				 read_bad_fn *bad, void *bad_data)
{
	if (reader->ops->finish)
		reader->ops->finish(reader->state, is_quiet, counts, bad, bad_data);
}

/* Memory used by the reader, in bytes. */
size_t reader_held(const struct reader *reader);

#endif
