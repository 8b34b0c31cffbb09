/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/forward_batch.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "monitor/base/die.h"
#include "monitor/base/platform.h"

/* Higher levels of zstd would save little and take longer. */
#define LEVEL 1

void forward_batch_init(struct forward_batch *b, ns_t hold_ns)
{
	*b = (struct forward_batch){ .left_ns = NS_NONE, .hold_ns = hold_ns };
	tr2_buf_init(&b->lines, WIRE_MAX_UNPACKED + 1);
}

void forward_batch_release(struct forward_batch *b)
{
	tr2_buf_release(&b->lines);
}

void forward_batch_add(struct forward_batch *b, const char *line, size_t len, ns_t now)
{
	if (!b->lines.len)
		b->first_ns = now;
	if (!tr2_buf_add(&b->lines, line, len))
		die_of_memory(b->lines.len + len);
	b->events++;
}

ns_t forward_batch_due(const struct forward_batch *b, bool is_idle)
{
	ns_t due = b->first_ns + FORWARD_FIRST_NS;

	if (!b->lines.len)
		return NS_NONE;
	if (b->lines.len >= WIRE_MAX_LINES)
		return b->first_ns;
	if (!is_idle)
		return NS_NONE;
	if (b->lines.len >= FORWARD_FULL_BYTES)
		return b->first_ns;
	if (b->left_ns != NS_NONE && due < b->left_ns + b->hold_ns)
		due = b->left_ns + b->hold_ns;
	return due;
}

void forward_batch_left(struct forward_batch *b, ns_t now)
{
	/* A long line may have made the buffer large: free it. */
	if (b->lines.cap > 2 * WIRE_MAX_LINES)
		tr2_buf_release(&b->lines);
	tr2_buf_clear(&b->lines);
	b->events = 0;
	b->left_ns = now;
}

#ifdef HAVE_ZSTD

struct forward_packer {
	ZSTD_CCtx *context;
	/* Reusing the buffer and copying the result is cheaper than new pages for each message. */
	char *room;
	size_t room_bytes;
	size_t max_packed;
	void (*message)(void *data, uint64_t events, char *bytes, size_t len);
	void *data;
	uint64_t *lost;
};

struct forward_packer *forward_packer_new(void)
{
	struct forward_packer *p = xcalloc(1, sizeof(*p));

	p->context = ZSTD_createCCtx();
	if (!p->context)
		die_of_memory(sizeof(*p));
	return p;
}

void forward_packer_free(struct forward_packer *p)
{
	if (p) {
		ZSTD_freeCCtx(p->context);
		free(p->room);
	}
	free(p);
}

static uint64_t count_lines(const char *lines, size_t len)
{
	uint64_t nr = 0;

	for (const char *at = lines, *end = lines + len;
	     (at = memchr(at, '\n', (size_t)(end - at))); at++)
		nr++;
	return nr;
}

static void forward_batch_room_make(struct forward_packer *p, size_t bytes)
{
	if (bytes <= p->room_bytes)
		return;
	free(p->room);
	p->room = xmalloc(bytes);
	p->room_bytes = bytes;
}

/* Pack the lines into one message or, if it would be too large, each half of the lines. */
static void pack_some(struct forward_packer *p, const char *lines, size_t len)
{
	size_t packed, half;
	const char *lf;
	char *bytes;

	if (len <= WIRE_MAX_UNPACKED) {
		forward_batch_room_make(p, ZSTD_compressBound(len));
		packed = ZSTD_compressCCtx(p->context, p->room, p->room_bytes, lines, len, LEVEL);
		if (!ZSTD_isError(packed) && packed <= p->max_packed) {
			bytes = xmalloc(packed);
			memcpy(bytes, p->room, packed);
			p->message(p->data, count_lines(lines, len), bytes, packed);
			return;
		}
	}
	/* Split after an LF near the middle. */
	lf = memchr(lines + len / 2, '\n', len - len / 2);
	if (!lf || lf == lines + len - 1)
		lf = platform_find_last(lines, '\n', len / 2);
	if (!lf) {
		++*p->lost;
		return;
	}
	half = (size_t)(lf + 1 - lines);
	pack_some(p, lines, half);
	pack_some(p, lines + half, len - half);
}

void forward_pack(struct forward_packer *p, const char *lines, size_t len, size_t max_packed,
		  void (*message)(void *data, uint64_t events, char *bytes, size_t len), void *data,
		  uint64_t *lost)
{
	p->max_packed = max_packed;
	p->message = message;
	p->data = data;
	p->lost = lost;
	if (len)
		pack_some(p, lines, len);
	if (p->room_bytes > 2 * WIRE_MAX_LINES) {
		free(p->room);
		p->room = NULL;
		p->room_bytes = 0;
	}
}

#else

struct forward_packer *forward_packer_new(void)
{
	return NULL;
}

void forward_packer_free(struct forward_packer *p)
{
	(void)p;
}

void forward_pack(struct forward_packer *p, const char *lines, size_t len, size_t max_packed,
		  void (*message)(void *data, uint64_t events, char *bytes, size_t len), void *data,
		  uint64_t *lost)
{
	(void)p;
	(void)lines;
	(void)len;
	(void)max_packed;
	(void)message;
	(void)data;
	(void)lost;
}

#endif
