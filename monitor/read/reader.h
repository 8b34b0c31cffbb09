/* SPDX-License-Identifier: MIT */
/*
 * A reader translates the records of one input format into packed records of a batch. A format is a
 * const struct reader_ops, plus one row in readers.def.
 *
 *   stream -> unpack -> splitter -> reader -> batch
 *
 * A reader reads no clock and does no I/O. If a format needs no context between records, one state
 * serves all streams. Otherwise (`per_stream`) a state belongs to one stream, and the reader may
 * hold records back and deliver them later (`pump`, `finish`).
 *
 * Input is followed by READER_PAD readable bytes. The readers of an intake run on one thread at a
 * time.
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

/* Counters of readers. */
struct read_counts {
	uint64_t nr_events; /* includes events of unknown name */
	uint64_t nr_unknown;
	uint64_t nr_malformed;
	uint64_t nr_oversized; /* generations of Go traces over a limit */
	/* lines of PERF and NORMAL, after a record, that neither belong to a record nor are
	 * malformed */
	uint64_t nr_continued;
	/* valid records, or batches of Go traces, that are not used */
	uint64_t nr_ignored;
	uint64_t nr_lost; /* lost generations of Go traces */
};

/* Called for malformed records. `record` is the record without its LF, the fields of a ring's
 * record, a text that describes the problem, or empty. */
typedef void read_bad_fn(void *data, const char *record, size_t len, const struct diag *why);

/* How well the first bytes of a stream match a format. */
enum probe {
	PROBE_NO,
	PROBE_MORE,  /* more bytes are needed to decide */
	PROBE_MAYBE, /* the bytes may be of this format; more bytes may decide */
	PROBE_YES,
};

struct reader_stream {
	/* base name of the stream, without .gz or similar; "stdin" for standard input */
	const char *name;
	uint32_t number; /* number of the stream in the journal */
	/* only one process writes to the stream */
	bool one_process;
	/* process id of the writer, from the connection's credentials; 0: unknown */
	int64_t peer_pid;
	/* wall time of the file's last modification, if the data is not live; NS_NONE: other
	 * data */
	ns_t reference_ns;
	ns_t arrival_ns; /* wall time at which the bytes that are being read arrived */
	/*
	 * The user does not want the current bytes: the readers of PERF and NORMAL deliver no
	 * events from them, and keep only what later records need.
	 */
	bool is_skipped;
	/*
	 * Counter of processes in streams of this name. A reader that needs a number for a process
	 * increments it.
	 */
	uint32_t *nr_processes;
	/* bytes held by all `per_stream` readers */
	const size_t *held_bytes;
	/*
	 * Memory that the readers of the format share. A reader that finds *shared NULL may set it
	 * to a pointer from malloc(), which streams_release() frees. `shared` is NULL if nothing
	 * can be shared.
	 */
	void **shared;
};

struct reader_ops {
	size_t state_bytes;
	enum framing framing;
	/* one state per stream, created by `begin`; otherwise one for all streams, initialised by
	 * `init` */
	bool per_stream;
	/*
	 * Git can write this format in addition to EVENT. In a directory, files of the format are
	 * read only on request, so that no process is counted twice.
	 */
	bool is_twin;
	/*
	 * Detect the format from the first bytes of a stream or datagram, usually after a UTF-8
	 * mark and white space. 0 < len <= SPLITTER_PROBE_BYTES. If `is_all`, no more bytes will be
	 * passed. NO and YES must not depend on bytes that may follow.
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
	 * full. Returns the number of bytes used. If that is less than `len`, the caller hands over
	 * the batch and calls again with the rest. `bad` may be NULL.
	 */
	size_t (*read_lines)(void *state, const char *lines, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
	/*
	 * FRAME_BYTES: like read_lines(), for raw bytes. Unused bytes are passed again, followed by
	 * new bytes. Unless events are ready for `pump`, at most SPLITTER_MAX_KEPT_BYTES may stay
	 * unused.
	 */
	size_t (*read_bytes)(void *state, const char *bytes, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
	/*
	 * Deliver events that are ready, at least until `batch` is full. Returns true if more may
	 * be ready. NULL: the reader does not hold events back.
	 */
	bool (*pump)(void *state, struct batch *batch, struct read_counts *counts, read_bad_fn *bad,
		     void *bad_data);
	/*
	 * Called when the stream has ended, or, with `is_quiet`, when it had no data for
	 * READER_QUIET_NS and may continue. Make complete events ready. At the end of the stream,
	 * count an incomplete record as malformed. NULL: nothing to do.
	 */
	void (*finish)(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
		       void *bad_data);
	/* Return the bytes held besides `state`. NULL: none. */
	size_t (*held_bytes)(const void *state);
	/* Free what `state` owns. NULL: nothing. */
	void (*release)(void *state);
};

/* Time without data, in ns, after which finish() is called with `is_quiet`. */
#define READER_QUIET_NS (100 * NS_PER_MS)
/* Time without data, in ns, after which the format is decided from the bytes received so far. */
#define READER_DECIDE_NS NS_PER_SEC

/* Indexes into `readers`, and bits of a mask of formats. */
enum reader_kind {
#define READER(ID, ...) READER_##ID,
#include "monitor/read/readers.def"
};

#define READERS_MAX 32
#define FORMATS_ALL UINT32_MAX

/* Readers, in the order in which detection tries them. */
extern const struct reader_ops *const readers[];
extern const unsigned nr_readers;
/* Names of formats. Entry 0 is "auto", so format i has entry i + 1. */
extern const struct word reader_words[];

/* Results of reader_detect() that are not a format's index. */
enum { DETECT_MORE = -1, DETECT_NONE = -2 };

/*
 * Detect the format of first bytes, among the mask `formats`; other arguments as for `probe`.
 * Returns the index of the format, DETECT_MORE or DETECT_NONE.
 */
int reader_detect(uint32_t formats, const char *bytes, size_t len, bool is_all);

/* Write the names of a mask's formats, separated by commas, to `out` (`bytes` long). Stops before a
 * name that does not fit with a comma. */
void reader_names(uint32_t formats, char *out, size_t bytes);

struct reader {
	const struct reader_ops *ops; /* ro */
	void *state;                  /* private */
};

/*
 * Create a reader of `kind`. `stream` is NULL unless the format is `per_stream`. `stream` and
 * `syms` must outlive the reader. Exits if out of memory (die.h).
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

size_t reader_held(const struct reader *reader);

#endif
