/* SPDX-License-Identifier: MIT */
/*
 * Line buffer: a growable buffer in which an event's line is formatted. It is on the hot path, so
 * short functions are inline, and the functions tr2_line_put*() do not check for space.
 *
 * Invariant: `len + TR2_LINE_SLACK <= cap` after tr2_line_reserve() returned true. If out of
 * memory, or if the buffer is `fixed` and full, an append only sets `failed`.
 *
 * A line belongs to one thread, whose signal handlers may jump out while it is being formatted.
 * Therefore a working copy of a line has a `home`, in which new memory is recorded before the old
 * memory is freed.
 */
#ifndef TR2_LINE_H
#define TR2_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "engine/base/digits.h"

/* Bytes that may be written after `len` without a check: enough for the keys and numbers between
 * two strings of an event. */
#define TR2_LINE_SLACK 512
/* If the buffer of a thread's line grew beyond this size, it is freed after the line is written. */
#define TR2_LINE_KEEP_BYTES (256u << 10)
/* Maximum number of bytes that one byte becomes in a JSON string. */
#define TR2_JSON_GROWTH 6

struct tr2_line {
	char *data;
	size_t len, cap;
	/* the line in which new memory is recorded: this line, or the line of which it is a copy;
	 * NULL: none */
	struct tr2_line *home;
	bool fixed;  /* the memory must not be replaced or freed */
	bool failed; /* the line is incomplete and must not be written */
	/* in a `home`: do not free memory that was recorded in it */
	bool kept;
};

/*
 * Return the line with space for `nr_bytes` and TR2_LINE_SLACK after them, or with `failed` set. A
 * line whose address never leaves a function can stay in registers, so the line is passed and
 * returned by value.
 */
struct tr2_line tr2_line_grown(struct tr2_line line, size_t nr_bytes);
/* Make the line empty, so that it may be used again. Frees its memory unless it is fixed or
 * kept. */
void tr2_line_release(struct tr2_line *line);

static inline bool tr2_line_reserve(struct tr2_line *line, size_t nr_bytes)
{
	if (__builtin_expect(line->cap >= line->len + nr_bytes + TR2_LINE_SLACK, 1))
		return true;
	*line = tr2_line_grown(*line, nr_bytes);
	return !line->failed;
}

static inline void tr2_line_add(struct tr2_line *line, const char *s, size_t len)
{
	if (tr2_line_reserve(line, len)) {
		memcpy(line->data + line->len, s, len);
		line->len += len;
	}
}

static inline void tr2_line_ch(struct tr2_line *line, char c)
{
	if (tr2_line_reserve(line, 1))
		line->data[line->len++] = c;
}

static inline void tr2_line_str(struct tr2_line *line, const char *s)
{
	tr2_line_add(line, s, strlen(s));
}

#define TR2_LINE_LIT(line, text) tr2_line_add(line, text, sizeof(text) - 1)

static inline void tr2_line_put(struct tr2_line *line, const void *bytes, size_t len)
{
	memcpy(line->data + line->len, bytes, len);
	line->len += len;
}

#define TR2_LINE_PUT(line, text) tr2_line_put(line, text, sizeof(text) - 1)

/* Append `len_` bytes by copying `whole` >= `len_` bytes. `whole` is a constant, so that the
 * compiler emits a few moves. */
#define TR2_LINE_PUT_SOME(line, bytes, len_, whole)                                                \
	(memcpy((line)->data + (line)->len, bytes, whole), (void)((line)->len += (len_)))

/* Append six digits with leading zeros. `us` is below 1000000. */
static inline void tr2_line_put_micros(struct tr2_line *line, uint32_t us)
{
	char *out = line->data + line->len;
	uint32_t high = us / 10000, low = us % 10000;

	tr2_two_digits(out, high);
	tr2_two_digits(out + 2, low / 100);
	tr2_two_digits(out + 4, low % 100);
	line->len += 6;
}

unsigned tr2_line_digits(char *out, uint64_t v);

static inline void tr2_line_put_uint(struct tr2_line *line, uint64_t v)
{
	if (v < 10)
		line->data[line->len++] = (char)('0' + v);
	else
		line->len += tr2_line_digits(line->data + line->len, v);
}

static inline void tr2_line_put_int(struct tr2_line *line, int64_t v)
{
	if (v < 0)
		line->data[line->len++] = '-';
	tr2_line_put_uint(line, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static inline void tr2_line_put_seconds(struct tr2_line *line, int64_t us)
{
	uint64_t abs = us < 0 ? -(uint64_t)us : (uint64_t)us;

	if (us < 0)
		line->data[line->len++] = '-';
	tr2_line_put_uint(line, abs / 1000000);
	line->data[line->len++] = '.';
	tr2_line_put_micros(line, (uint32_t)(abs % 1000000));
}

void tr2_line_fill(struct tr2_line *line, char c, size_t nr);
void tr2_line_uint(struct tr2_line *line, uint64_t v);
void tr2_line_int(struct tr2_line *line, int64_t v);

/* Append microseconds as seconds with six decimals, padded on the left to `width` bytes. */
void tr2_line_seconds(struct tr2_line *line, int64_t us, unsigned width);

void tr2_line_micros(struct tr2_line *line, unsigned us);

struct tr2_line tr2_line_json_escaped(struct tr2_line line, const char *s, size_t len);

/* Append `s` as the inside of a JSON string, escaped as Git does. Bytes from 0x80 on are not
 * changed. */
static inline void tr2_line_json(struct tr2_line *line, const char *s, size_t len)
{
	if (tr2_line_reserve(line, len))
		*line = tr2_line_json_escaped(*line, s, len);
}

#ifdef __SSE2__
/* Return the number of bytes of a C string before its NUL or the first byte that JSON must escape.
 * Reads aligned blocks, which may extend beyond the string, but never into another page. */
__attribute__((no_sanitize("address", "thread"))) static inline size_t tr2_json_clean(const char *s)
{
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);
	unsigned skew = (uintptr_t)s & 15;
	const __m128i *block = (const __m128i *)(const void *)(s - skew);
	unsigned found = 0;

	for (;; block++) {
		__m128i v = _mm_load_si128(block);
		__m128i bad = _mm_or_si128(
			_mm_cmpeq_epi8(_mm_min_epu8(v, control), v),
			_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));

		found = (unsigned)_mm_movemask_epi8(bad);
		if (block == (const __m128i *)(const void *)(s - skew))
			found = found >> skew << skew;
		if (found)
			break;
	}
	return (size_t)((const char *)block - s) + (unsigned)__builtin_ctz(found);
}
#endif

/* Append a text by copying 32-byte blocks, without a check: the blocks must fit into the line, and
 * memory up to the end of the last block must be readable. */
static inline void tr2_line_put_blocks(struct tr2_line *line, const char *bytes, size_t len)
{
	char *out = line->data + line->len;

	for (size_t i = 0; i < len; i += 32)
		memcpy(out + i, bytes + i, 32);
	line->len += len;
}

/* Copy `len` bytes; up to 32 bytes without a function call. */
static inline void tr2_copy_short(char *out, const char *s, size_t len)
{
	if (len > 32) {
		memcpy(out, s, len);
	} else if (len >= 16) {
		memcpy(out, s, 16);
		memcpy(out + len - 16, s + len - 16, 16);
	} else if (len >= 8) {
		memcpy(out, s, 8);
		memcpy(out + len - 8, s + len - 8, 8);
	} else if (len >= 4) {
		memcpy(out, s, 4);
		memcpy(out + len - 4, s + len - 4, 4);
	} else {
		for (size_t i = 0; i < len; i++)
			out[i] = s[i];
	}
}

/* Like tr2_line_json(), but `s` is a C string. */
static inline void tr2_line_json_str(struct tr2_line *line, const char *s)
{
#ifdef __SSE2__
	size_t len = tr2_json_clean(s);

	if (__builtin_expect(!tr2_line_reserve(line, len), 0))
		return;
	tr2_copy_short(line->data + line->len, s, len);
	line->len += len;
	if (__builtin_expect(s[len] == '\0', 1))
		return;
	s += len;
#endif
	tr2_line_json(line, s, strlen(s));
}

/* Append JSON text. If it is `pretty` (indented), its line breaks and the blanks after them are
 * removed. */
struct tr2_line tr2_line_raw_json(struct tr2_line line, const char *json, bool pretty);

bool tr2_needs_quotes(const char *s, size_t len);
/* Append a command argument, escaped for the inside of single quotes of a shell. */
void tr2_line_quoted(struct tr2_line *line, const char *s, size_t len);

#endif
