/* SPDX-License-Identifier: MIT */
/*
 * A growable run of bytes with a maximum.
 *
 * Invariant: `data` is NULL until the first growth; `len <= cap <= max`. There is always room
 * for a NUL behind the bytes once something was added, but it is only written by
 * tr2_buf_cstr(). Nothing here aborts: an append that would pass `max`, or for which memory is
 * short, appends nothing, sets `failed` and returns false; `failed` stays until tr2_buf_clear().
 *
 * One owner, no locking.
 */
#ifndef TR2_BASE_BUF_H
#define TR2_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tr2_buf {
	char *data;  /* ro: the bytes; moves when it grows */
	size_t len;  /* rw: may be lowered by the owner to cut */
	size_t cap;  /* private */
	size_t max;  /* ro: bytes, at most */
	bool failed; /* ro: an append was refused since the last clear */
};

/* Prepare an empty buffer that never holds more than `max_bytes`; allocates nothing. */
void tr2_buf_init(struct tr2_buf *buf, size_t max_bytes);

/* Free the memory; the buffer is empty and usable again with the same maximum. */
void tr2_buf_release(struct tr2_buf *buf);

/* Forget the bytes and the failure, keep the memory. */
static inline void tr2_buf_clear(struct tr2_buf *buf)
{
	buf->len = 0;
	buf->failed = false;
}

/* Make room for `nr_bytes` more (and a NUL). False where that would pass the maximum. */
bool tr2_buf_reserve(struct tr2_buf *buf, size_t nr_bytes);

/* Append; false and no change where it does not fit. */
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

/* Append `nr` times the byte `c`. */
bool tr2_buf_fill(struct tr2_buf *buf, char c, size_t nr);

/* Append a number in at least `nr_digits` (1 to 20) digits, zeroes in front. */
bool tr2_buf_addu(struct tr2_buf *buf, uint64_t v, unsigned nr_digits);

/* Append formatted text. The format's numbers must not be floats: they follow the locale. */
bool tr2_buf_addf(struct tr2_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool tr2_buf_vaddf(struct tr2_buf *buf, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* The bytes as a C string, valid until the next change; "" when empty. */
const char *tr2_buf_cstr(struct tr2_buf *buf);

#endif
