/* SPDX-License-Identifier: MIT */
/*
 * Prediction of lines of the PERF target. Two parts of a line are usually identical to those of an
 * earlier line: its head (the columns place, depth, thread and event, with their padding) and,
 * after the columns repository and times, its tail (category and message). A comparison of a part
 * with the stored one both reads and verifies it. A tail may end before a text that usually differs
 * (a datum's value, a region's message). The head and tail that last followed the last tail are
 * compared first.
 *
 *   02:40:35.358546 cache.c:2 | d1 | main | data | r1  |  0.000338 |  0.000026 | index | ..key:5
 *                   `head                        `columns                      `tail         `value
 *
 * The functions read at most SCAN_PAD bytes after a line. Only one thread at a time may call them.
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

/* Minimum and maximum length of a stored head, in bytes. */
#define PERF_HEAD_MIN_BYTES 71
#define PERF_HEAD_BYTES     96
#define PERF_TAIL_BYTES     96
#define PERF_TEXT_BYTES     96
#define PERF_TAIL_FIELDS    6u
#define PERF_HEAD_BITS      9
#define PERF_TAIL_BITS      10
/* Bytes of the columns repository and two times, with their bars. */
#define PERF_COLUMNS_BYTES (3 + 3 + 2 * (9 + 3))
/* Minimum bytes before the tail of a line that can be predicted. */
#define PERF_LEAST_BYTES (TEXT_TIME_BYTES + 1 + PERF_HEAD_MIN_BYTES + PERF_COLUMNS_BYTES)

struct perf_head {
	char text[PERF_HEAD_BYTES];
	uint8_t len; /* 0: the entry is free */
	uint8_t kind;
	uint16_t depth;
	uint16_t tail; /* index of the tail that is compared first */
	sym_t thread, file;
	int32_t line; /* -1: no file and no line */
};

struct perf_tail {
	char text[PERF_TAIL_BYTES];
	uint8_t len; /* 0: the entry is free */
	/* field whose value is the rest of the line; 0: the line ends with the tail */
	uint8_t text_field;
	uint8_t message_at;
	uint8_t nr_dots;
	uint8_t kind; /* kind of event */
	uint8_t texts_len;
	/* head and tail that last followed this tail among a stream's predicted lines */
	uint16_t next_head, next_tail;
	/*
	 * Values in ascending order of fields: symbols, numbers, offsets in `texts`. The first
	 * nr[0] come before t_abs, the next nr[1] before t_rel, the last nr[2] after t_rel. Bit i
	 * of `late` is set if value i of the last nr[2] is an offset. The array is twice as long as
	 * needed, so that a copy can have a fixed size.
	 */
	uint32_t values[2 * PERF_TAIL_FIELDS];
	uint8_t nr[3], late;
	uint64_t fields;
	char texts[PERF_TEXT_BYTES];
};

/* Stored heads and tails; initially all zeros. */
struct perf_guesses {
	/* While set, no head or tail is stored, because a record refers to stored ones. */
	bool is_fixed;
	struct perf_head heads[1u << PERF_HEAD_BITS];
	struct perf_tail tails[1u << PERF_TAIL_BITS];
};

struct perf_columns {
	uint64_t fields;
	uint32_t repo;
	uint32_t t_abs_us, t_rel_us;
};

/*
 * Return the stored head with which `text` begins, or NULL. `len` bytes of it, and at least
 * PERF_HEAD_MIN_BYTES, must be readable.
 */
struct perf_head *perf_head_find(struct perf_guesses *guesses, const char *text, size_t len);

/* Store the head of this record, from `text` to `end`. Returns NULL if that is not possible. */
struct perf_head *perf_head_learn(struct perf_guesses *guesses, const char *text, const char *end,
				  const struct text_record *rec);

void perf_head_take(const struct perf_head *head, const struct perf_columns *columns,
		    struct text_record *rec);

/*
 * Parse the columns between head and tail. A repository is `r` and a number of at most two digits,
 * a time is seconds below 100 with six decimals; each may be blank. If they have another form,
 * returns false. Reads PERF_COLUMNS_BYTES.
 */
bool perf_columns(const char *p, struct perf_columns *columns);

/*
 * Copy the values of the tail at `text` to the record, and set the record's `known`. `len` bytes
 * are left in the line. Returns false if no usable tail is stored.
 */
bool perf_tail_take(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		    size_t len, struct text_record *rec);

/*
 * Store the tail of this record if possible. If its texts are not in a batch yet, set `head` and
 * `tail` of the record instead, for perf_tail_learn_texts().
 */
void perf_tail_learn(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		     const char *end, struct text_record *rec);
/* Store a tail with texts. The record must be the last one of the batch. */
void perf_tail_learn_texts(struct perf_guesses *guesses, const struct text_record *rec,
			   const struct batch *batch);

/* The stored head and tail that equal those of a record. */
struct perf_known {
	struct perf_head *head;
	/* NULL: no usable tail is stored */
	struct perf_tail *tail;
	struct perf_columns columns;
	struct text_slice text;
};

/*
 * Add a known record to the batch, with its process and time. Returns false if the time does not
 * fit into a word; the record's texts are then noted or in the batch, and the caller must add the
 * record like any other one.
 */
bool perf_known_put(struct text_record *rec, struct batch *batch, uint32_t sid);

/* Head and tail of the last predicted record of a stream, from which the next one is predicted. */
struct perf_last {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: none yet */
};

/*
 * Try to read the record at `p` by comparing it with stored heads and tails. Returns the start of
 * the next line, or NULL if the record must be parsed. `end`, the end of all lines, must be at
 * least PERF_LEAST_BYTES after `p`.
 */
const char *perf_guess(struct perf_guesses *guesses, const char *p, const char *end,
		       const struct perf_last *last, struct perf_known *known);
/* Add the record that perf_guess() read to the batch. Returns false if the time does not fit into a
 * word; the batch is then unchanged. */
bool perf_guess_put(struct perf_guesses *guesses, const struct perf_known *known,
		    struct batch *batch, uint32_t sid, int64_t wall_us, struct perf_last *last);

static inline bool perf_is_bar(const char *p)
{
	return p[0] == ' ' && p[1] == '|' && p[2] == ' ';
}

#endif
