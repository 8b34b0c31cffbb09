/* SPDX-License-Identifier: MIT */
/*
 * Code shared by the readers of PERF and NORMAL: converts lines to records, and times of day to
 * wall times.
 *
 * A record that ends within a quoted word or JSON continues in the next line. After the first
 * record, another line that is not a record counts as continued, or, if it is invalid or looks like
 * a record of another format, as malformed.
 */
#ifndef MONITOR_TEXT_LINES_H
#define MONITOR_TEXT_LINES_H

#include "monitor/read/text/text_clock.h"
#include "monitor/read/text/text_memo.h"
#include "monitor/read/text/text_process.h"

struct text_lines;

struct text_format {
	const char *word;
	bool has_threads;
	void (*kinds)(struct text_memo *memo);
	const struct tr2_piece *(*pieces)(unsigned kind);
	enum text_line (*line)(struct text_lines *lines, const char *line, size_t len,
			       struct text_record *rec);
	/*
	 * Deliver the record at `p` without parsing it, if its parts are stored (perf_guess.h).
	 * Returns the start of the next line, or NULL. `end` is the end of all lines. This pointer
	 * may be NULL.
	 */
	const char *(*guessed)(struct text_lines *lines, const char *p, const char *end);
	/* Deliver a record, hold it until its process is known, or count it as ignored. */
	void (*take)(struct text_lines *lines, struct text_record *rec, const char *line,
		     size_t len);
};

struct text_lines {
	const struct text_format *format;
	struct text_source source;
	/* the stream's own cache; NULL: it is shared with other streams */
	struct text_memo *own_memo;
	struct text_clock clock;
	/* an incomplete record, which the next line continues */
	struct tr2_buf open;
	bool open_is_json, open_is_quoted;
	struct text_json_state json;
	/* a record was read, so a line that is not a record may continue it */
	bool has_record;
	bool is_brief; /* the first record had no time, so others may have none */
	/* These members are valid only while a function of the reader runs. */
	read_bad_fn *bad;
	void *bad_data;
};

void text_lines_begin(struct text_lines *lines, const struct text_format *format,
		      struct tr2_intern *syms, const struct reader_stream *stream);
void text_lines_release(struct text_lines *lines);

/*
 * Get the wall time, in microseconds, of the stream's first record, at `p`. Returns false if the
 * record has no time.
 */
bool text_lines_first(struct text_lines *lines, const char *p, int64_t *wall_us);

/* Implements reader_ops.read_lines. */
size_t text_lines_read(struct text_lines *lines, const char *bytes, size_t len, struct batch *batch,
		       struct read_counts *counts, read_bad_fn *bad, void *bad_data);

/* At the end of the stream: count an incomplete record as malformed. */
void text_lines_end(struct text_lines *lines, struct read_counts *counts, read_bad_fn *bad,
		    void *bad_data);

static inline size_t text_lines_bytes(const struct text_lines *lines)
{
	return lines->open.cap + (lines->own_memo ? sizeof(*lines->own_memo) : 0);
}

#endif
