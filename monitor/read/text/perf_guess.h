/* SPDX-License-Identifier: MIT */
/*
 * What lines of PERF say again. Two parts of a line are most often, byte for byte, those of a line
 * before: its head (place, depth, thread, event, each with its blanks) and, behind repository and
 * times, its tail (category and message). One comparison of each both reads and proves it: a stale
 * guess costs time, and is never believed. A tail ends where a text begins that differs each time
 * (a datum's value, a region's message); or it holds whole texts, kept as a batch has them. What
 * came behind a tail last is guessed first; then head and tail are looked up by their bytes.
 *
 *   02:40:35.358546 read-cache.c:2 | d1 | main | data | r1  |  0.000338 |  0.000026 | index | ..key:5
 *                   `head                             `columns                      `tail        `5
 *
 * Nothing here looks at bytes behind a line but for SCAN_PAD. One thread.
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

#define PERF_HEAD_MIN_BYTES 71 /* shorter ones are not guessed, longer ones not remembered */
#define PERF_HEAD_BYTES     96
#define PERF_TAIL_BYTES     96
#define PERF_TEXT_BYTES     96
#define PERF_TAIL_FIELDS    6u
#define PERF_HEAD_BITS      9
#define PERF_TAIL_BITS      10
/* Repository and two times, with their bars. */
#define PERF_COLUMNS_BYTES (3 + 3 + 2 * (9 + 3))
/* Less than this is not guessed. */
#define PERF_LEAST_BYTES (TEXT_TIME_BYTES + 1 + PERF_HEAD_MIN_BYTES + PERF_COLUMNS_BYTES)

struct perf_head {
	char text[PERF_HEAD_BYTES];
	uint8_t len; /* 0: free */
	uint8_t kind;
	uint16_t depth;
	uint16_t tail; /* which one came last */
	sym_t thread, file;
	int32_t line; /* -1: neither file nor line */
};

struct perf_tail {
	char text[PERF_TAIL_BYTES];
	uint8_t len;        /* 0: free */
	uint8_t text_field; /* what the rest of the line is; 0: the line ends there */
	uint8_t message_at; /* in the tail: where the message begins */
	uint8_t nr_dots;
	uint8_t kind; /* what it was the tail of */
	uint8_t texts_len;
	uint16_t next_head, next_tail; /* what came behind it last, in the same stream */
	/*
	 * What the tail says, in ascending order of fields: symbols, numbers, offsets in `texts`.
	 * The first nr[0] stand before t_abs, the next nr[1] before t_rel, nr[2] behind it; of
	 * these those of the mask `late` are offsets. As many again are there to be copied along.
	 */
	uint32_t values[2 * PERF_TAIL_FIELDS];
	uint8_t nr[3], late;
	uint64_t fields; /* mask */
	char texts[PERF_TEXT_BYTES];
};

/* Zeroed at first. */
struct perf_guesses {
	/* While it is set nothing is learned: some record's `known` is to stay what it is. */
	bool is_fixed;
	struct perf_head heads[1u << PERF_HEAD_BITS];
	struct perf_tail tails[1u << PERF_TAIL_BITS];
};

/* The columns between head and tail. */
struct perf_columns {
	uint64_t fields; /* mask of those that are there */
	uint32_t repo;
	uint32_t t_abs_us, t_rel_us;
};

/* The head that begins at `text`, of `len` bytes at least PERF_HEAD_MIN_BYTES; or NULL. */
struct perf_head *perf_head_find(struct perf_guesses *guesses, const char *text, size_t len);

/* Remember the head of this record, from `text` to `end`; NULL where that cannot be. */
struct perf_head *perf_head_learn(struct perf_guesses *guesses, const char *text, const char *end,
				  const struct text_record *rec);

/* What head and columns say, into the record. */
void perf_head_take(const struct perf_head *head, const struct perf_columns *columns,
		    struct text_record *rec);

/* Blank, or seconds below 100 with six decimals; `r` and a number of at most two digits: false
 * where there is something else. Looks at PERF_COLUMNS_BYTES. */
bool perf_columns(const char *p, struct perf_columns *columns);

/* What the tail of `len` bytes says, into the record and its `known`; false: it is not known, or
 * has texts that more than the model wants to see. */
bool perf_tail_take(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		    size_t len, struct text_record *rec);

/* Remember the tail of this record, or note in it (`head`, `tail`) that its texts are to be known
 * first: perf_tail_learn_texts(). */
void perf_tail_learn(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		     const char *end, struct text_record *rec);
/* They are: the record is the last one that was put into the batch. */
void perf_tail_learn_texts(struct perf_guesses *guesses, const struct text_record *rec,
			   const struct batch *batch);

/* A record whose head and tail are known. */
struct perf_known {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: it is not */
	struct perf_columns columns;
	struct text_slice text; /* what follows the tail */
};

/*
 * Put the record, which is known, into the batch, of a process and at its time; false where it does
 * not fit: its texts are noted, or in the batch, and the rest is to be put as that of any other.
 */
bool perf_known_put(struct text_record *rec, struct batch *batch, uint32_t sid);

/* The record that was put last of a stream. */
struct perf_last {
	struct perf_head *head;
	struct perf_tail *tail; /* NULL: none was */
};

/*
 * The record that begins at `p`, as one that came before; where the next line begins, or NULL: it is
 * not as guessed. `end`, of all lines, is PERF_LEAST_BYTES away at least.
 */
const char *perf_guess(struct perf_guesses *guesses, const char *p, const char *end,
		       const struct perf_last *last, struct perf_known *known);
/* Put what was found there into the batch, of that process and time; false: it does not fit, and
 * nothing was put. */
bool perf_guess_put(struct perf_guesses *guesses, const struct perf_known *known,
		    struct batch *batch, uint32_t sid, int64_t wall_us, struct perf_last *last);

static inline bool perf_is_bar(const char *p)
{
	return p[0] == ' ' && p[1] == '|' && p[2] == ' ';
}

#endif
