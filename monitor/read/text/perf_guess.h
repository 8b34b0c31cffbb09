/* SPDX-License-Identifier: MIT */
/*
 * Prediction of PERF lines. Two parts of a line are usually identical to those of an earlier line:
 * its head (place, depth, thread, event, each with its padding) and, after repository and times,
 * its tail (category and message). One comparison of each both reads and verifies it: a stale guess
 * costs time but is never used. A tail ends before a text that differs each time (a datum's value,
 * a region's message), or contains whole texts, stored as in a batch. The successor of the last
 * tail is tried first; then head and tail are looked up by their bytes.
 *
 *   02:40:35.358546 cache.c:2 | d1 | main | data | r1  |  0.000338 |  0.000026 | index | ..key:5
 *                   `head                        `columns                      `tail         `value
 *
 * No function reads more than SCAN_PAD bytes after a line. One thread.
 */
#ifndef MONITOR_PERF_GUESS_H
#define MONITOR_PERF_GUESS_H

#include "engine/base/intern.h"
#include "monitor/event/batch.h"

struct text_record;

#define TEXT_TIME_BYTES 15 /* HH:MM:SS.uuuuuu */

struct text_slice {
	const char *at;
	size_t len;
};

#define PERF_HEAD_MIN_BYTES                                                                        \
	71 /* shorter heads are not stored; nor are heads longer than the maximum below */
#define PERF_HEAD_BYTES  96
#define PERF_TAIL_BYTES  96
#define PERF_TEXT_BYTES  96
#define PERF_TAIL_FIELDS 6u
#define PERF_HEAD_BITS   9
#define PERF_TAIL_BITS   10
/* Length of the columns repository and two times, with their bars. */
#define PERF_COLUMNS_BYTES (3 + 3 + 2 * (9 + 3))
/* Length of the shortest line that is predicted. */
#define PERF_LEAST_BYTES (TEXT_TIME_BYTES + 1 + PERF_HEAD_MIN_BYTES + PERF_COLUMNS_BYTES)

struct perf_head {
	char text[PERF_HEAD_BYTES];
	uint8_t len; /* 0: this entry is free */
	uint8_t kind;
	uint16_t depth;
	uint16_t tail; /* index of the tail that followed this head last */
	sym_t thread, file;
	int32_t line; /* line number; -1: the head has neither file nor line */
};

struct perf_tail {
	char text[PERF_TAIL_BYTES];
	uint8_t len;        /* 0: this entry is free */
	uint8_t text_field; /* field that contains the rest of the line; 0: the line ends here */
	uint8_t message_at; /* offset of the message in the tail */
	uint8_t nr_dots;
	uint8_t kind; /* kind of event with this tail */
	uint8_t texts_len;
	/* the head and tail that came after this one last time in the same stream */
	uint16_t next_head, next_tail;
	/*
	 * Values in ascending order of fields: symbols, numbers, offsets in `texts`. The first
	 * nr[0] come before t_abs, the next nr[1] before t_rel, nr[2] after it. Those of fields in
	 * the mask `late` are offsets. The array is twice as long as needed, so that a copy can
	 * have a fixed size.
	 */
	uint32_t values[2 * PERF_TAIL_FIELDS];
	uint8_t nr[3], late;
	uint64_t fields; /* mask of the fields in `values` */
	char texts[PERF_TEXT_BYTES];
};

/* The predictions of a stream, initially all zeros. */
struct perf_guesses {
	/* Learn nothing while this is set, because the `known` of some record must stay valid. */
	bool is_fixed;
	struct perf_head heads[1u << PERF_HEAD_BITS];
	struct perf_tail tails[1u << PERF_TAIL_BITS];
};

/* The parsed columns between head and tail of a line. */
struct perf_columns {
	uint64_t fields; /* mask of the fields present */
	uint32_t repo;
	uint32_t t_abs_us, t_rel_us;
};

/*
 * Return the head stored for the text at `text`, which has at least PERF_HEAD_MIN_BYTES and `len`
 * bytes; NULL if unknown.
 */
struct perf_head *perf_head_find(struct perf_guesses *guesses, const char *text, size_t len);

/* Store the head of this record, the text from `text` to `end`. Returns NULL if that is not
 * possible. */
struct perf_head *perf_head_learn(struct perf_guesses *guesses, const char *text, const char *end,
				  const struct text_record *rec);

/* Copy the values of head and columns to the record. */
void perf_head_take(const struct perf_head *head, const struct perf_columns *columns,
		    struct text_record *rec);

/*
 * Parse the columns: blank, or seconds below 100 with six decimals; `r` and a number of at most two
 * digits. Returns false for anything else. Reads PERF_COLUMNS_BYTES.
 */
bool perf_columns(const char *p, struct perf_columns *columns);

/*
 * Copy the values of the tail of `len` bytes to the record and its `known`. Returns false if the
 * tail is unknown, or has texts that the caller needs for more than the model.
 */
bool perf_tail_take(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		    size_t len, struct text_record *rec);

/*
 * Store the tail of this record. If its texts are not in a batch yet, set `head` and `tail` of the
 * record, for perf_tail_learn_texts().
 */
void perf_tail_learn(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		     const char *end, struct text_record *rec);
/* Store the texts of the tail. The record must be the last one added to the batch. */
void perf_tail_learn_texts(struct perf_guesses *guesses, const struct text_record *rec,
			   const struct batch *batch);

/* A record whose head and tail are known. */
struct perf_known {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: the tail is unknown */
	struct perf_columns columns;
	struct text_slice text; /* the text after the tail */
};

/*
 * Add a known record to the batch, with its process and time. Returns false if its texts are noted
 * or in the batch already; the caller must then add the rest as for any other record.
 */
bool perf_known_put(struct text_record *rec, struct batch *batch, uint32_t sid);

/* Head and tail of the last record of a stream. */
struct perf_last {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: no record yet */
};

/*
 * Try to read the record at `p` from the predictions. Returns the start of the next line, or NULL
 * if the record is not as predicted. `end` (of all lines) must be at least PERF_LEAST_BYTES away.
 */
const char *perf_guess(struct perf_guesses *guesses, const char *p, const char *end,
		       const struct perf_last *last, struct perf_known *known);
/*
 * Add the record that perf_guess() read to the batch, for the given process and time. Returns false
 * if its values do not fit; the batch is then unchanged.
 */
bool perf_guess_put(struct perf_guesses *guesses, const struct perf_known *known,
		    struct batch *batch, uint32_t sid, int64_t wall_us, struct perf_last *last);

static inline bool perf_is_bar(const char *p)
{
	return p[0] == ' ' && p[1] == '|' && p[2] == ' ';
}

#endif
