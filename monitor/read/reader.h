/* SPDX-License-Identifier: MIT */
/*
 * Readers: the records of some format become packed records of a batch. A format is a file (or a
 * folder) that ends in a const struct reader_ops, and one line in readers.def.
 *
 *   stream -> unpack -> framer (asks reader_detect() what it is) -> reader -> batch
 *
 * A reader is pure: no clock, no I/O; what it needs to know of its stream it is told. Of a format
 * whose records stand for themselves (EVENT) one state serves all streams, since all it remembers
 * are guesses that make the next record cheaper. A format that must remember more (`per_stream`)
 * has a state for each stream, which lives as long as the file or connection does; it may hold
 * records back, sort them, and deliver them later (`pump`, `finish`).
 *
 * Whatever it is handed has READER_PAD readable bytes behind it. One thread.
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
#include "monitor/read/framer.h"

#define READER_PAD SCAN_PAD

/* What readers count; records = events + malformed + oversized, with what the framer counts. */
struct read_counts {
	uint64_t nr_events; /* unknown ones included */
	uint64_t nr_unknown;
	uint64_t nr_malformed;
	uint64_t nr_oversized; /* records beyond the format's own bounds */
	uint64_t nr_continued; /* lines that go on with the record of the line before */
	uint64_t nr_ignored;   /* known, and nothing that the model has a place for */
	uint64_t nr_lost;      /* generations: pieces of a trace of which a part is missing */
};

/* Told of every malformed record, for samples; `record` is without its LF. */
typedef void read_bad_fn(void *data, const char *record, size_t len, const struct diag *why);

/* What do first bytes say of a format? */
enum probe {
	PROBE_NO,    /* they are of another one */
	PROBE_MORE,  /* more of them are needed */
	PROBE_MAYBE, /* they may be of this one; more of them may tell */
	PROBE_YES,   /* they are of this one, and of no other */
};

/* What a reader that keeps a state for each stream is told of it; lives as long as the state. */
struct reader_stream {
	/* The file's base name, without .gz and its kin; "stdin"; the socket's base name. */
	const char *name;
	uint32_t number;   /* of the stream */
	bool one_process;  /* nobody else writes to it: a connection, a file of a directory */
	int64_t peer_pid;  /* of who writes it, by the connection's credentials; 0: not known */
	ns_t reference_ns; /* wall: mtime of a file that was there before us; NS_NONE: live */
	ns_t arrival_ns;   /* wall: when the bytes arrived that are being read now */
	/* --new: what is being read now was there before us. Deliver nothing of it, keep what
	 * later records need. */
	bool is_skipped;
	/* How many processes of streams with this name were told apart by now, in all sources:
	 * the reader numbers on from here, so that no two are taken for one. */
	uint32_t *nr_processes;
	const size_t *held_bytes; /* what the readers of all streams hold together */
	/* What all readers of its format share: NULL, or the first of them put malloc()ed memory
	 * there, which is freed with the last stream. NULL: there are no others. */
	void **shared;
};

struct reader_ops {
	size_t state_bytes;
	enum framing framing;
	bool per_stream; /* a state for each stream, made by `begin`; else `init` makes the one */
	/* Git writes it beside EVENT of the same processes: in a directory, where it would count
	 * them twice, it is read only where it was asked for. */
	bool is_twin;
	/*
	 * Are these the first bytes of a stream, behind a UTF-8 mark and blank lines? len > 0; at
	 * most FRAMER_PROBE_BYTES. `is_all`: no more can be had. What it says may only grow surer
	 * with more bytes: NO and YES stay, MAYBE never becomes MORE.
	 */
	enum probe (*probe)(const char *bytes, size_t len, bool is_all);
	/* `state` is zeroed; `syms` outlives it, and so does `stream`. One of these two. */
	void (*init)(void *state, struct tr2_intern *syms);
	void (*begin)(void *state, struct tr2_intern *syms, const struct reader_stream *stream);
	/*
	 * FRAME_LINES: read whole lines (the last byte is an LF) until they are used up or `batch`
	 * is full; returns how many bytes were used: hand the batch over and call again with the
	 * rest. `bad` may be NULL.
	 */
	size_t (*read_lines)(void *state, const char *lines, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
	/*
	 * FRAME_BYTES: the same of all bytes that are there. What is not used comes again, with
	 * more behind it: either a record that has not ended (at most FRAMER_MAX_KEPT_BYTES of
	 * it; once `finish` was called it was the last, torn one), or whatever stands behind
	 * one that made something ready to be pumped. Called again where it used some.
	 */
	size_t (*read_bytes)(void *state, const char *bytes, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
	/*
	 * Deliver what is ready until `batch` is full; true while there is more of it. Called
	 * after each read_lines() and read_bytes(), and after finish(). What is live is pumped
	 * until there is no more before anything else is read; what can wait, only while the
	 * journal has room. NULL: nothing is ever held back.
	 */
	bool (*pump)(void *state, struct batch *batch, struct read_counts *counts, read_bad_fn *bad,
		     void *bad_data);
	/*
	 * The stream has ended; or, with `is_quiet`, nothing has come for READER_QUIET_NS, and
	 * the stream may go on. Make ready what is whole; at the end, count what is cut off as
	 * malformed. NULL: nothing to do.
	 */
	void (*finish)(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
		       void *bad_data);
	/* Memory held beside `state`, in bytes. NULL: none. */
	size_t (*held_bytes)(const void *state);
	/* Free it. NULL: there is none. */
	void (*release)(void *state);
};

/* Silence after which a stream's reader is told that it is quiet. */
#define READER_QUIET_NS (100 * NS_PER_MS)
/* Silence after which a stream that could not be judged is judged by what is there. */
#define READER_DECIDE_NS NS_PER_SEC

/* ---- the formats ---- */

/* Enumerators of readers.def: indexes into `readers`, bits of a mask of formats. */
enum reader_kind {
#define READER(ID, ...) READER_##ID,
#include "monitor/read/readers.def"
};

/* Bits of a mask. */
#define READERS_MAX 32
#define FORMATS_ALL UINT32_MAX

/* In the order in which they are asked whether a stream is theirs. readers.c alone has the
 * table and knows how long it is. */
extern const struct reader_ops *const readers[];
extern const unsigned nr_readers;
/* Their words; the first one is that of none, so that format i has the word i + 1. */
extern const struct word reader_words[];

/* What reader_detect() says where it is no format's index. */
enum { DETECT_MORE = -1, DETECT_NONE = -2 };

/*
 * Which of `formats` begins with these bytes (as of `probe` above)? The first that says YES;
 * with `is_all` else the first that says MAYBE. DETECT_MORE while one could still say so,
 * DETECT_NONE where none can.
 */
int reader_detect(uint32_t formats, const char *bytes, size_t len, bool is_all);

/* The names of a mask's formats, joined by commas, into `out` (of `bytes`); cut where they do
 * not fit. */
void reader_names(uint32_t formats, char *out, size_t bytes);

/* ---- a reader with its state ---- */

struct reader {
	const struct reader_ops *ops; /* ro */
	void *state;                  /* private */
};

/*
 * One of `kind`. `stream` is NULL for the one that serves all streams, not NULL where the format
 * is `per_stream`; it and `syms` must outlive it. Out of memory ends the program (die.h).
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

/* Memory of the reader, in bytes. */
size_t reader_held(const struct reader *reader);

#endif
