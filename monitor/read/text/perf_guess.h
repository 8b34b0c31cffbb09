/* SPDX-License-Identifier: MIT */
/*
 * Prediction of PERF lines. Two parts of a line are usually identical to those of an earlier line:
 * its head (place, depth, thread, event, each with its padding) and, after repository and times,
 * its tail (category and message). One comparison of each both reads and verifies it: a stale guess
 * costs time but is never used. A tail ends before a text that differs each time (a datum's value,
 * a region's message), or contains whole texts, stored as in a batch. The successor of the last
 * tail is tried first; then head and tail are looked up by their bytes.
 *
 *   02:40:35.358546 read-cache.c:2 | d1 | main | data | r1  |  0.000338 |  0.000026 | index | ..key:5
 *                   `head                             `columns                      `tail        `5
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
	71 /* shorter heads are not predicted; the maximum below limits those
			        * stored */
#define PERF_HEAD_BYTES  96
#define PERF_TAIL_BYTES  96
#define PERF_TEXT_BYTES  96
#define PERF_TAIL_FIELDS 6u
#define PERF_HEAD_BITS   9
#define PERF_TAIL_BITS   10
/* Repository and two times, with their bars. */
#define PERF_COLUMNS_BYTES (3 + 3 + 2 * (9 + 3))
/* Shorter lines are not predicted. */
#define PERF_LEAST_BYTES (TEXT_TIME_BYTES + 1 + PERF_HEAD_MIN_BYTES + PERF_COLUMNS_BYTES)

struct perf_head {
	char text[PERF_HEAD_BYTES];
	uint8_t len; /* 0: free */
	uint8_t kind;
	uint16_t depth;
	uint16_t tail; /* the last tail */
	sym_t thread, file;
	int32_t line; /* -1: neither file nor line */
};

struct perf_tail {
	char text[PERF_TAIL_BYTES];
	uint8_t len;        /* 0: free */
	uint8_t text_field; /* field of the rest of the line; 0: the line ends here */
	uint8_t message_at; /* offset of the message in the tail */
	uint8_t nr_dots;
	uint8_t kind; /* kind of event with this tail */
	uint8_t texts_len;
	uint16_t next_head, next_tail; /* the last head and tail that followed in the same stream */
	/*
	 * Values in ascending order of fields: symbols, numbers, offsets in `texts`. The first
	 * nr[0] come before t_abs, the next nr[1] before t_rel, nr[2] after it. Those in the mask
	 * `late` are offsets. The second half allows copying a fixed size.
	 */
	uint32_t values[2 * PERF_TAIL_FIELDS];
	uint8_t nr[3], late;
	uint64_t fields; /* mask */
	char texts[PERF_TEXT_BYTES];
};

/* Zeroed at first. */
struct perf_guesses {
	/* While set nothing is learned, because some record's `known` must stay valid. */
	bool is_fixed;
	struct perf_head heads[1u << PERF_HEAD_BITS];
	struct perf_tail tails[1u << PERF_TAIL_BITS];
};

/* The columns between head and tail. */
struct perf_columns {
	uint64_t fields; /* mask of the fields present */
	uint32_t repo;
	uint32_t t_abs_us, t_rel_us;
};

/*
 * Look up the head at `text`; `len` bytes are there, at least PERF_HEAD_MIN_BYTES. NULL if unknown.
 */
struct perf_head *perf_head_find(struct perf_guesses *guesses, const char *text, size_t len);

/* Store the head of this record, from `text` to `end`. NULL if not possible. */
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
 * Copy the values of the tail of `len` bytes to the record and its `known`. Returns false if it is
 * unknown, or has texts that the caller needs beside the model.
 */
bool perf_tail_take(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		    size_t len, struct text_record *rec);

/*
 * Store the tail of this record. If its texts are not known yet, set `head` and `tail` of the
 * record, for perf_tail_learn_texts().
 */
void perf_tail_learn(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		     const char *end, struct text_record *rec);
/* Store the texts of the tail; the record must be the last one put into the batch. */
void perf_tail_learn_texts(struct perf_guesses *guesses, const struct text_record *rec,
			   const struct batch *batch);

/* A record with known head and tail. */
struct perf_known {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: unknown */
	struct perf_columns columns;
	struct text_slice text; /* the text after the tail */
};

/*
 * Put a known record into the batch, for a process and at its time. Returns false if it does not
 * fit: its texts are noted or in the batch already, and the caller must add the rest as for any
 * other record.
 */
bool perf_known_put(struct text_record *rec, struct batch *batch, uint32_t sid);

/* The last record of a stream. */
struct perf_last {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: none */
};

/*
 * Try to read the record at `p` from the guesses. Returns the start of the next line, or NULL if it
 * is not as predicted. `end` (of all lines) must be at least PERF_LEAST_BYTES away.
 */
const char *perf_guess(struct perf_guesses *guesses, const char *p, const char *end,
		       const struct perf_last *last, struct perf_known *known);
/*
 * Put the result into the batch, for the given process and time. Returns false if it does not fit;
 * the batch is then unchanged.
 */
bool perf_guess_put(struct perf_guesses *guesses, const struct perf_known *known,
		    struct batch *batch, uint32_t sid, int64_t wall_us, struct perf_last *last);

static inline bool perf_is_bar(const char *p)
{
	return p[0] == ' ' && p[1] == '|' && p[2] == ' ';
}

#endif
