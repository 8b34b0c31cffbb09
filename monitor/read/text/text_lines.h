/* SPDX-License-Identifier: MIT */
/*
 * What the readers of PERF and NORMAL have in common: lines become records, of which some go on in
 * the next lines, and times of day become wall times.
 *
 * A command line whose quotes, or JSON whose braces, are open at the end of a line goes on in the
 * next one: the record is kept until they close. Any other line that is no record belongs to a
 * message that was delivered already; it is counted as continued.
 */
#ifndef MONITOR_TEXT_LINES_H
#define MONITOR_TEXT_LINES_H

#include "monitor/read/text/text_clock.h"
#include "monitor/read/text/text_memo.h"
#include "monitor/read/text/text_process.h"

struct text_lines;

/* What a format is to these. */
struct text_format {
	const char *word;
	bool has_threads;
	/* Note the names of kinds. */
	void (*kinds)(struct text_memo *memo);
	/* What the messages of a kind are made of. */
	const struct tr2_piece *(*pieces)(unsigned kind);
	/* What a line says. */
	enum text_line (*line)(struct text_lines *lines, const char *line, size_t len,
			       struct text_record *rec);
	/* Deliver the record that begins at `p` without a closer look, if it is as those before:
	 * where the next line begins, or NULL. `end`: of all lines. May be NULL. */
	const char *(*guessed)(struct text_lines *lines, const char *p, const char *end);
	/* Deliver a record. */
	void (*take)(struct text_lines *lines, struct text_record *rec, const char *line,
		     size_t len);
};

struct text_lines {
	const struct text_format *format;
	struct text_source source;
	struct text_memo *own_memo; /* NULL: shared with other streams */
	struct text_clock clock;
	struct tr2_buf open; /* a record that has not ended */
	bool open_is_json, open_is_quoted;
	struct text_json_state json;
	bool has_record; /* one came, so that a line may go on with it */
	bool is_brief;   /* the first one had no time */
	/* While called. */
	read_bad_fn *bad;
	void *bad_data;
};

void text_lines_begin(struct text_lines *lines, const struct text_format *format,
		      struct tr2_intern *syms, const struct reader_stream *stream);
void text_lines_release(struct text_lines *lines);

/* The first record begins at `p`, and was not looked at by `line`: its wall time in microseconds;
 * false where it has none. */
bool text_lines_first(struct text_lines *lines, const char *p, int64_t *wall_us);

/* As reader_ops.read_lines. */
size_t text_lines_read(struct text_lines *lines, const char *bytes, size_t len, struct batch *batch,
		       struct read_counts *counts, read_bad_fn *bad, void *bad_data);

/* The stream has ended: what is open is malformed. */
void text_lines_end(struct text_lines *lines, struct read_counts *counts, read_bad_fn *bad,
		    void *bad_data);

static inline size_t text_lines_bytes(const struct text_lines *lines)
{
	return lines->open.cap + (lines->own_memo ? sizeof(*lines->own_memo) : 0);
}

#endif
