/* SPDX-License-Identifier: MIT */
/*
 * Readers: one record of some format becomes one packed record of a batch. A reader is pure: no
 * clock, no I/O, no stream; the same state serves all streams of the intake thread, since all
 * it remembers are guesses that make the next record cheaper. A format is one file that ends in
 * a const struct reader_ops, and one line in readers.def.
 *
 * Records stand where the framer found them: each ends in an LF, and READER_PAD bytes behind
 * that are readable (see framer.h).
 */
#ifndef MONITOR_READER_H
#define MONITOR_READER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/intern.h"
#include "monitor/event/batch.h"
#include "monitor/base/diag.h"
#include "monitor/base/scan.h"

#define READER_PAD SCAN_PAD

enum read_result {
	READ_OK,      /* one event was appended to the batch */
	READ_UNKNOWN, /* the same, of no known name: REC_UNKNOWN */
	READ_BLANK,   /* no record at all */
	READ_BAD,     /* malformed; the batch is as it was */
};

/* What readers count; records = events + malformed, and what the framer counts. */
struct read_counts {
	uint64_t nr_events; /* unknown ones included */
	uint64_t nr_unknown;
	uint64_t nr_malformed;
};

/* Told of every malformed record, for samples; `record` is without its LF. */
typedef void read_bad_fn(void *data, const char *record, size_t len, const struct diag *why);

struct reader_ops {
	const char *name;
	const char *help;
	size_t state_bytes;
	/* `state` is zeroed; `syms` outlives it. */
	void (*init)(void *state, struct tr2_intern *syms);
	/*
	 * Append the record to `batch`; record[len] must be its LF. SYM fields are interned,
	 * everything else stands in the batch afterwards. READ_BAD: `why` says what and where.
	 */
	enum read_result (*read)(void *state, const char *record, size_t len,
				 struct batch *batch, struct diag *why);
	/*
	 * Read whole lines (the last byte is an LF) until they are used up or `batch` is full;
	 * returns how many bytes were used: hand the batch over and call again with the rest.
	 * `bad` may be NULL.
	 */
	size_t (*read_lines)(void *state, const char *lines, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data);
};

enum reader_kind {
#define READER(ID, name) READER_##ID,
#include "monitor/read/readers.def"
	NR_READERS
};

extern const struct reader_ops *const readers[NR_READERS];

/* A reader with its state. */
struct reader {
	const struct reader_ops *ops; /* ro */
	void *state;                  /* private */
};

/* `syms` must outlive it. Out of memory ends the program (die.h). */
struct reader *reader_new(enum reader_kind kind, struct tr2_intern *syms);
void reader_free(struct reader *reader);

static inline size_t reader_lines(struct reader *reader, const char *lines, size_t len,
				  struct batch *batch, struct read_counts *counts,
				  read_bad_fn *bad, void *bad_data)
{
	return reader->ops->read_lines(reader->state, lines, len, batch, counts, bad, bad_data);
}

#endif
