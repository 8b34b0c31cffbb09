/* SPDX-License-Identifier: MIT */
/*
 * A small reader of ring files for tests of their writers. It asserts what the layout guarantees
 * and shares no code with the program's reader. Each event becomes a line of text,
 *
 *   THREAD KIND :LINE name=value name=[item,item] ...
 *
 * and read and lost events are counted.
 */
#ifndef TESTS_RING_DECODER_H
#define TESTS_RING_DECODER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/schema.h"
#include "engine/tr2_ring_layout.h"

struct ring_decoder {
	int fd;
	struct tr2_ring_file head;
	uint64_t ring_bytes;
	unsigned char *copy;
	struct {
		uint64_t at;    /* position in the ring after the last byte that was read */
		uint64_t count; /* number of events that were read or lost */
		char thread[TR2_RING_THREAD_MAX + 1];
		/* beginning of an event of several pieces */
		unsigned char *pending;
		size_t pending_len;
		uint64_t pending_block;
		int64_t time;
	} rings[TR2_RING_MAX_RINGS];
	uint64_t read, lost;
	FILE *out; /* stream for the text; NULL: no text */
	/* Called for each event with its number in its ring, its kind and the first 63 bytes of the
	 * field `value`. */
	void (*event)(void *data, unsigned ring, uint64_t number, unsigned kind, const char *value);
	void *data;
};

static inline void ring_head_again(struct ring_decoder *d)
{
	assert_int_equal(pread(d->fd, &d->head, sizeof(d->head), 0), sizeof(d->head));
}

static inline void ring_open(struct ring_decoder *d, const char *path)
{
	*d = (struct ring_decoder){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	assert_true(d->fd >= 0);
	ring_head_again(d);
	assert_memory_equal(d->head.magic, TR2_RING_MAGIC, 8);
	assert_int_equal(d->head.version, TR2_RING_VERSION);
	assert_int_equal(d->head.block_bytes, TR2_RING_BLOCK_BYTES);
	assert_int_equal(d->head.max_rings, TR2_RING_MAX_RINGS);
	assert_int_equal(d->head.schema, tr2_schema_id());
	assert_in_range(d->head.sid_len, 1, TR2_RING_SID_MAX);
	d->ring_bytes = (uint64_t)d->head.blocks * TR2_RING_BLOCK_BYTES;
	assert_in_range(d->ring_bytes, TR2_RING_MIN_BYTES, TR2_RING_MAX_BYTES);
	d->copy = malloc(d->ring_bytes);
	assert_non_null(d->copy);
}

static inline void ring_close(struct ring_decoder *d)
{
	for (unsigned i = 0; i < TR2_RING_MAX_RINGS; i++)
		free(d->rings[i].pending);
	free(d->copy);
	close(d->fd);
}

static inline uint16_t ring_u16(const unsigned char **at, const unsigned char *end)
{
	uint16_t n;

	assert_true(end - *at >= 2);
	memcpy(&n, *at, 2);
	*at += 2;
	return n;
}

static inline void ring_text(FILE *out, const unsigned char **at, const unsigned char *end,
			     char value[64])
{
	uint16_t len = ring_u16(at, end);

	assert_true(end - *at >= len);
	assert_null(memchr(*at, '\0', len));
	if (out)
		fprintf(out, "%.*s", (int)len, (const char *)*at);
	if (value)
		snprintf(value, 64, "%.*s", (int)len, (const char *)*at);
	*at += len;
}

static inline void ring_event(struct ring_decoder *d, unsigned i, const unsigned char *bytes,
			      size_t len)
{
	const unsigned char *at = bytes + sizeof(struct tr2_ring_record), *end = bytes + len;
	struct tr2_ring_record head;
	char value[64] = "";

	memcpy(&head, bytes, sizeof(head));
	assert_in_range(head.kind, 0, TR2_NR_EVENTS - 1);
	assert_int_equal(head.mask >> TR2_NR_FIELDS, 0);
	/* Times within a ring may decrease slightly. */
	assert_true(head.time > d->rings[i].time - 1000000000);
	d->rings[i].time = head.time;
	if (d->out)
		fprintf(d->out, "%s %s :%" PRIu32, d->rings[i].thread, tr2_events[head.kind].wire,
			head.line);
	for (unsigned f = 0; f < TR2_NR_FIELDS; f++) {
		int64_t num = head.time / 1000 - d->head.start / 1000;
		uint16_t nr;

		if (!(head.mask >> f & 1))
			continue;
		if (d->out)
			fprintf(d->out, " %s=", tr2_fields[f].wire);
		switch (tr2_fields[f].type) {
		case TR2_TYPE_TIME:
		case TR2_TYPE_NUM:
		case TR2_TYPE_BOOL:
			if (f != TR2_F_T_ABS) {
				assert_true(end - at >= 8);
				memcpy(&num, at, 8);
				at += 8;
			}
			if (d->out)
				fprintf(d->out, "%" PRId64, num);
			break;
		case TR2_TYPE_LIST:
			nr = ring_u16(&at, end);
			for (uint16_t n = 0; n < nr; n++) {
				if (d->out)
					fputc(n ? ',' : '[', d->out);
				ring_text(d->out, &at, end, NULL);
			}
			if (d->out)
				fputc(']', d->out);
			break;
		default:
			ring_text(d->out, &at, end, f == TR2_F_VALUE ? value : NULL);
		}
	}
	assert_true(end - at < 8); /* padding */
	if (d->out)
		fputc('\n', d->out);
	if (d->event)
		d->event(d->data, i, d->rings[i].count, head.kind, value);
	d->rings[i].count++;
	d->read++;
}

static inline void ring_pend(struct ring_decoder *d, unsigned i, const unsigned char *bytes,
			     size_t len)
{
	unsigned char *p = realloc(d->rings[i].pending, d->rings[i].pending_len + len);

	assert_non_null(p);
	memcpy(p + d->rings[i].pending_len, bytes, len);
	d->rings[i].pending = p;
	d->rings[i].pending_len += len;
}

static inline void ring_record(struct ring_decoder *d, unsigned i, const unsigned char *bytes,
			       size_t len, uint64_t block)
{
	unsigned flags = bytes[offsetof(struct tr2_ring_record, flags)];

	assert_int_equal(flags & ~(unsigned)(TR2_RING_MORE | TR2_RING_CONTINUED), 0);
	if (!flags) {
		d->rings[i].pending_len = 0;
		ring_event(d, i, bytes, len);
		return;
	}
	if (!(flags & TR2_RING_CONTINUED)) {
		d->rings[i].pending_len = 0;
		ring_pend(d, i, bytes, len);
	} else if (d->rings[i].pending_len &&
		   d->rings[i].pending_block + TR2_RING_BLOCK_BYTES == block) {
		ring_pend(d, i, bytes + sizeof(struct tr2_ring_piece),
			  len - sizeof(struct tr2_ring_piece));
	} else {
		d->rings[i].pending_len = 0;
	}
	d->rings[i].pending_block = block;
	if (flags & TR2_RING_MORE)
		return;
	if (d->rings[i].pending_len) {
		ring_event(d, i, d->rings[i].pending, d->rings[i].pending_len);
	} else {
		d->lost++;
		d->rings[i].count++;
	}
	d->rings[i].pending_len = 0;
}

static inline void ring_block(struct ring_decoder *d, unsigned i, uint64_t block, uint64_t from,
			      uint64_t to)
{
	const unsigned char *bytes = d->copy + block % d->ring_bytes;
	struct tr2_ring_block head;
	uint16_t len;

	memcpy(&head, bytes, sizeof(head));
	assert_int_equal(head.position, block);
	if (from == block) {
		assert_true(to >= block + sizeof(head));
		assert_true(head.number >= d->rings[i].count);
		d->lost += head.number - d->rings[i].count;
		d->rings[i].count = head.number;
		assert_in_range(head.thread_len, 1, TR2_RING_THREAD_MAX);
		memcpy(d->rings[i].thread, head.thread, head.thread_len);
		d->rings[i].thread[head.thread_len] = '\0';
		from += sizeof(head);
	}
	for (; from < to; from += len) {
		memcpy(&len, bytes + (from - block), sizeof(len));
		if (!len)
			return;
		assert_int_equal(len % 8, 0);
		assert_in_range(len, sizeof(struct tr2_ring_piece), to - from);
		ring_record(d, i, bytes + (from - block), len, block);
	}
}

/* The file head may have a copy of the beginning of ring 0, which the ring has overwritten. */
static inline void ring_first(struct ring_decoder *d)
{
	uint32_t len = d->head.first_bytes;

	if (!len)
		return;
	assert_in_range(len, sizeof(struct tr2_ring_block), TR2_RING_FIRST_BYTES);
	memcpy(d->copy, d->head.first, len);
	ring_block(d, 0, 0, 0, len);
}

static inline void ring_look_at(struct ring_decoder *d, unsigned i)
{
	off_t head_at = (off_t)(TR2_RING_HEADS_AT + i * sizeof(struct tr2_ring_head));
	off_t at = (off_t)(TR2_RING_HEAD_BYTES + i * d->ring_bytes);
	uint64_t from = d->rings[i].at, block = from - from % TR2_RING_BLOCK_BYTES, written;
	struct tr2_ring_head head;

	assert_int_equal(pread(d->fd, &head, sizeof(head), head_at), sizeof(head));
	written = head.written;
	if (written == from)
		return;
	assert_true(written > from);
	assert_int_equal(pread(d->fd, d->copy, d->ring_bytes, at), d->ring_bytes);
	assert_int_equal(pread(d->fd, &head, sizeof(head), head_at), sizeof(head));
	if (!i && !from && head.reserved > d->ring_bytes) {
		ring_first(d);
		assert_int_equal(pread(d->fd, d->copy, d->ring_bytes, at), d->ring_bytes);
		assert_int_equal(pread(d->fd, &head, sizeof(head), head_at), sizeof(head));
	}
	for (; block < written; block += TR2_RING_BLOCK_BYTES) {
		uint64_t end = block + TR2_RING_BLOCK_BYTES;

		if (block + d->ring_bytes >= head.reserved)
			ring_block(d, i, block, from > block ? from : block,
				   written < end ? written : end);
	}
	d->rings[i].at = written;
}

static inline void ring_look(struct ring_decoder *d)
{
	ring_head_again(d);
	assert_in_range(d->head.rings, 1, TR2_RING_MAX_RINGS);
	for (unsigned i = 0; i < d->head.rings; i++)
		ring_look_at(d, i);
}

#endif
