/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/buf.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/digits.h"

#define BUF_FIRST_BYTES 64

/* Upper limit of a buffer's size, so that sums of sizes do not overflow. */
#define BUF_LIMIT (SIZE_MAX / 2 - 1)

void tr2_buf_init(struct tr2_buf *buf, size_t max_bytes)
{
	*buf = (struct tr2_buf){ .max = max_bytes };
}

void tr2_buf_release(struct tr2_buf *buf)
{
	free(buf->data);
	tr2_buf_init(buf, buf->max);
}

bool tr2_buf_reserve(struct tr2_buf *buf, size_t nr_bytes)
{
	size_t max = buf->max < BUF_LIMIT ? buf->max : BUF_LIMIT;
	size_t want, cap;
	char *data;

	if (nr_bytes > max - buf->len)
		goto refused;
	want = buf->len + nr_bytes + 1;
	if (want <= buf->cap)
		return true;
	cap = buf->cap ? buf->cap : BUF_FIRST_BYTES;
	while (cap < want)
		cap += cap / 2 + BUF_FIRST_BYTES;
	if (cap > max + 1)
		cap = max + 1;
	data = realloc(buf->data, cap);
	if (!data)
		goto refused;
	buf->data = data;
	buf->cap = cap;
	return true;
refused:
	buf->failed = true;
	return false;
}

bool tr2_buf_fill(struct tr2_buf *buf, char c, size_t nr)
{
	if (!tr2_buf_reserve(buf, nr))
		return false;
	memset(buf->data + buf->len, c, nr);
	buf->len += nr;
	return true;
}

bool tr2_buf_addu(struct tr2_buf *buf, uint64_t v, unsigned nr_digits)
{
	char text[TR2_DIGITS_BYTES];
	unsigned at = tr2_digits_padded(text, v, nr_digits);

	return tr2_buf_add(buf, text + at, sizeof(text) - at);
}

bool tr2_buf_vaddf(struct tr2_buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	int need;

	if (!tr2_buf_reserve(buf, 0))
		return false;
	va_copy(again, ap);
	need = vsnprintf(buf->data + buf->len, buf->cap - buf->len, fmt, ap);
	if (need >= 0 && (size_t)need >= buf->cap - buf->len) {
		if (tr2_buf_reserve(buf, (size_t)need))
			need = vsnprintf(buf->data + buf->len, (size_t)need + 1, fmt, again);
		else
			need = -1;
	}
	va_end(again);
	if (need < 0) {
		buf->failed = true;
		return false;
	}
	buf->len += (size_t)need;
	return true;
}

bool tr2_buf_addf(struct tr2_buf *buf, const char *fmt, ...)
{
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = tr2_buf_vaddf(buf, fmt, ap);
	va_end(ap);
	return ok;
}

const char *tr2_buf_cstr(struct tr2_buf *buf)
{
	if (!buf->data)
		return "";
	buf->data[buf->len] = '\0';
	return buf->data;
}
