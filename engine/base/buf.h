/* SPDX-License-Identifier: MIT */
/*
 * A growable byte buffer.
 *
 * Invariant: `len` <= `cap` <= `max` + 1; unless `data` is NULL, there is space for a NUL after the
 * bytes. An append or reservation that would exceed `max`, or for which there is no memory, appends
 * nothing, sets `failed` and returns false.
 *
 * One thread at a time.
 */
#ifndef TR2_BASE_BUF_H
#define TR2_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tr2_buf {
	char *data; /* ro: the bytes; growing may move them */
	/* rw: number of bytes; the owner may lower it, or raise it within reserved space */
	size_t len;
	size_t cap;  /* ro */
	size_t max;  /* ro */
	bool failed; /* ro: an append or reservation failed */
};

/* Initialise an empty buffer for at most `max_bytes`. Allocates nothing. */
void tr2_buf_init(struct tr2_buf *buf, size_t max_bytes);

/* Free the memory. The buffer can be used again. */
void tr2_buf_release(struct tr2_buf *buf);

/* Remove all bytes and reset `failed`; keep the memory. */
static inline void tr2_buf_clear(struct tr2_buf *buf)
{
	buf->len = 0;
	buf->failed = false;
}

/* Make space for `nr_bytes` more bytes and a NUL. */
bool tr2_buf_reserve(struct tr2_buf *buf, size_t nr_bytes);

static inline bool tr2_buf_add(struct tr2_buf *buf, const void *bytes, size_t nr_bytes)
{
	if (buf->cap - buf->len <= nr_bytes && !tr2_buf_reserve(buf, nr_bytes))
		return false;
	if (nr_bytes)
		memcpy(buf->data + buf->len, bytes, nr_bytes);
	buf->len += nr_bytes;
	return true;
}

static inline bool tr2_buf_addch(struct tr2_buf *buf, char c)
{
	return tr2_buf_add(buf, &c, 1);
}

static inline bool tr2_buf_addstr(struct tr2_buf *buf, const char *s)
{
	return tr2_buf_add(buf, s, strlen(s));
}

bool tr2_buf_fill(struct tr2_buf *buf, char c, size_t nr);

/* Append a number, padded with leading zeros to at least `nr_digits` (1 to 20) digits. */
bool tr2_buf_addu(struct tr2_buf *buf, uint64_t v, unsigned nr_digits);

/* Append text formatted as by printf(). Not for floats: their decimal point follows the locale. */
bool tr2_buf_addf(struct tr2_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool tr2_buf_vaddf(struct tr2_buf *buf, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Return the bytes as a C string, valid until the buffer changes. */
const char *tr2_buf_cstr(struct tr2_buf *buf);

#endif
