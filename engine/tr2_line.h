/* SPDX-License-Identifier: MIT */
/*
 * The line being made: a run of bytes that grows, and the ways in which text, numbers and times
 * are put into it. This is the hot path of every event, so the small ones are inline and write
 * without a check behind one reservation. No locale, no printf.
 *
 * Invariant: `len + TR2_LINE_SLACK <= cap` once tr2_line_room() said yes. Where memory is short
 * (or the buffer is `fixed`) `failed` is set, and whatever follows is left out: a line that
 * failed must not be written.
 *
 * One thread.
 */
#ifndef TR2_LINE_H
#define TR2_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that may be written behind `len` without asking: numbers, short literals. */
#define TR2_LINE_SLACK 64
/* A buffer that one huge line blew up is given back beyond this. */
#define TR2_LINE_KEEP_BYTES (256u << 10)

struct tr2_line {
	char *data;
	size_t len, cap;
	bool fixed;  /* the memory is not ours to grow */
	bool failed; /* the line is not whole */
};

/* Make room for `nr_bytes` and the slack behind them. */
bool tr2_line_grow(struct tr2_line *line, size_t nr_bytes);
void tr2_line_release(struct tr2_line *line);

static inline bool tr2_line_room(struct tr2_line *line, size_t nr_bytes)
{
	if (__builtin_expect(line->cap >= line->len + nr_bytes + TR2_LINE_SLACK, 1))
		return true;
	return tr2_line_grow(line, nr_bytes);
}

static inline void tr2_line_add(struct tr2_line *line, const char *s, size_t len)
{
	if (tr2_line_room(line, len)) {
		memcpy(line->data + line->len, s, len);
		line->len += len;
	}
}

static inline void tr2_line_ch(struct tr2_line *line, char c)
{
	if (tr2_line_room(line, 1))
		line->data[line->len++] = c;
}

static inline void tr2_line_str(struct tr2_line *line, const char *s)
{
	tr2_line_add(line, s, strlen(s));
}

#define TR2_LINE_LIT(line, text) tr2_line_add(line, text, sizeof(text) - 1)

void tr2_line_fill(struct tr2_line *line, char c, size_t nr);
void tr2_line_uint(struct tr2_line *line, uint64_t v);
void tr2_line_int(struct tr2_line *line, int64_t v);

/* Microseconds as seconds with six decimals, padded to `width` on the left. */
void tr2_line_seconds(struct tr2_line *line, int64_t us, unsigned width);

/* Six digits with leading zeros. */
void tr2_line_micros(struct tr2_line *line, unsigned us);

/* The inside of a JSON string: escaped as Git does, bytes from 0x80 on as they are. */
void tr2_line_json(struct tr2_line *line, const char *s, size_t len);

/* JSON text; `pretty` text loses its line breaks and the blanks behind them. */
void tr2_line_raw_json(struct tr2_line *line, const char *json, bool pretty);

/* Whether an argument must be quoted for a shell; the quotes are the caller's to write. */
bool tr2_needs_quotes(const char *s, size_t len);
/* The inside of a shell-quoted argument. */
void tr2_line_quoted(struct tr2_line *line, const char *s, size_t len);

/* "00" to "99", one behind the other. */
extern const char tr2_digit_pairs[200];

/* Two digits at `out`; `v` is below 100. */
static inline void tr2_two_digits(char *out, unsigned v)
{
	memcpy(out, tr2_digit_pairs + 2 * v, 2);
}

#endif
