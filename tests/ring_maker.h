/* SPDX-License-Identifier: MIT */
/*
 * Builds ring files from the layout alone, for tests of their readers. The file is in memory. Its
 * rings wrap around as the layout requires.
 */
#ifndef TESTS_RING_MAKER_H
#define TESTS_RING_MAKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/schema.h"
#include "engine/tr2_ring_layout.h"
#include "engine/tr2_sha1.h"

#define MAKER_SID     "20260102T122842.123456Z-H00000001-P00000007"
#define MAKER_START   (5 * NS_PER_SEC)
#define MAKER_AHEAD   (1767356922 * NS_PER_SEC - MAKER_START)
#define MAKER_BIT(ID) (1ull << TR2_F_##ID)

struct maker {
	char *file;
	size_t len;
	uint64_t ring_bytes;
	unsigned rings;
	uint64_t number[TR2_RING_MAX_RINGS]; /* number of the next event of each ring */
	/* position after the last record or block head in each ring, whatever the ring's head
	 * contains */
	uint64_t written[TR2_RING_MAX_RINGS];
	const char *thread[TR2_RING_MAX_RINGS];
	bool keeps_first;
};

static inline struct tr2_ring_file *maker_head(struct maker *m)
{
	return (struct tr2_ring_file *)(void *)m->file;
}

static inline struct tr2_ring_head *maker_ring(struct maker *m, unsigned ring)
{
	return (struct tr2_ring_head *)(void *)(m->file + TR2_RING_HEADS_AT) + ring;
}

/* Begin a ring file in `file`, which must be zeroed; NULL: in new memory. */
static inline void maker_begin_on(struct maker *m, char *file, uint64_t ring_bytes, unsigned rings,
				  const char *sid, uint32_t pid)
{
	struct tr2_ring_file head = { .version = TR2_RING_VERSION,
				      .block_bytes = TR2_RING_BLOCK_BYTES,
				      .blocks = (uint32_t)(ring_bytes / TR2_RING_BLOCK_BYTES),
				      .max_rings = TR2_RING_MAX_RINGS,
				      .rings = rings,
				      .schema = tr2_schema_id(),
				      .start = MAKER_START,
				      .pid = pid,
				      .sid_len = (uint32_t)strlen(sid) };

	*m = (struct maker){ .file = file,
			     .len = TR2_RING_HEAD_BYTES + rings * ring_bytes,
			     .ring_bytes = ring_bytes,
			     .rings = rings };
	if (!file)
		m->file = calloc(1, m->len);
	memcpy(head.magic, TR2_RING_MAGIC, sizeof(head.magic));
	memcpy(head.sid, sid, strlen(sid));
	memcpy(m->file, &head, sizeof(head));
	for (unsigned i = 0; i < rings; i++)
		m->thread[i] = "main";
}

static inline void maker_begin(struct maker *m, uint64_t ring_bytes, unsigned rings)
{
	maker_begin_on(m, NULL, ring_bytes, rings, MAKER_SID, 7);
}

static inline char *maker_at(struct maker *m, unsigned ring, uint64_t position)
{
	return m->file + TR2_RING_HEAD_BYTES + ring * m->ring_bytes + position % m->ring_bytes;
}

static inline size_t maker_left(struct maker *m, unsigned ring)
{
	return (size_t)(-m->written[ring] & (TR2_RING_BLOCK_BYTES - 1));
}

static inline void maker_keep_first(struct maker *m)
{
	struct tr2_ring_file *head = maker_head(m);
	uint32_t len = sizeof(struct tr2_ring_block);
	struct tr2_ring_piece record;

	for (;;) {
		memcpy(&record, maker_at(m, 0, len), sizeof(record));
		if (len >= m->written[0] || record.flags || !record.length ||
		    len + record.length > TR2_RING_FIRST_BYTES)
			break;
		len += record.length;
	}
	memcpy(head->first, maker_at(m, 0, 0), len);
	head->first_bytes = len;
}

static inline void maker_block(struct maker *m, unsigned ring)
{
	struct tr2_ring_head *head = maker_ring(m, ring);
	size_t left = maker_left(m, ring);
	uint64_t at = m->written[ring] + left;
	struct tr2_ring_block block = { .position = at,
					.number = m->number[ring],
					.ahead = MAKER_AHEAD,
					.thread_len = (uint8_t)strlen(m->thread[ring]) };

	memcpy(block.thread, m->thread[ring], block.thread_len);
	if (m->keeps_first && !ring && at == TR2_RING_BLOCK_BYTES)
		maker_keep_first(m);
	if (left)
		memset(maker_at(m, ring, m->written[ring]), 0, 8);
	__atomic_store_n(&head->reserved, at + TR2_RING_BLOCK_BYTES, __ATOMIC_SEQ_CST);
	memcpy(maker_at(m, ring, at), &block, sizeof(block));
	m->written[ring] = at + sizeof(block);
	__atomic_store_n(&head->written, m->written[ring], __ATOMIC_RELEASE);
}

/* Append a record, in a new block if it does not fit into the current one. */
static inline void maker_record(struct maker *m, unsigned ring, struct tr2_ring_record rec,
				const void *fields, size_t len)
{
	struct tr2_ring_head *head = maker_ring(m, ring);
	size_t bytes = rec.flags & TR2_RING_CONTINUED ? sizeof(struct tr2_ring_piece) : sizeof(rec);
	char *at;

	rec.length = (uint16_t)((bytes + len + 7) & ~(size_t)7);
	if (maker_left(m, ring) < rec.length)
		maker_block(m, ring);
	at = maker_at(m, ring, m->written[ring]);
	memcpy(at, &rec, bytes);
	if (len)
		memcpy(at + bytes, fields, len);
	m->number[ring] += !(rec.flags & TR2_RING_MORE);
	m->written[ring] += rec.length;
	__atomic_store_n(&head->written, m->written[ring], __ATOMIC_RELEASE);
}

/* Append an event, in pieces if it does not fit into a block. */
static inline void maker_event(struct maker *m, unsigned ring, unsigned kind, uint64_t mask,
			       int64_t time, const char *fields, size_t len)
{
	struct tr2_ring_record rec = {
		.kind = (uint8_t)kind, .line = 17, .time = time, .mask = mask
	};
	size_t most = TR2_RING_RECORD_BYTES - sizeof(rec);

	if (len <= most) {
		maker_record(m, ring, rec, fields, len);
		return;
	}
	for (rec.flags = TR2_RING_MORE; len; rec.flags |= TR2_RING_CONTINUED) {
		size_t n = len < most ? len : most;

		len -= n;
		if (!len)
			rec.flags &= (uint8_t)~TR2_RING_MORE;
		maker_block(m, ring);
		maker_record(m, ring, rec, fields, n);
		fields += n;
		most = TR2_RING_RECORD_BYTES - sizeof(struct tr2_ring_piece);
	}
}

/* Drop an event as a writer does: use its number, and begin a new block. */
static inline void maker_drop(struct maker *m, unsigned ring)
{
	m->number[ring]++;
	maker_block(m, ring);
}

static inline size_t maker_text(char *to, const char *text, size_t len)
{
	uint16_t n = (uint16_t)len;

	memcpy(to, &n, sizeof(n));
	memcpy(to + sizeof(n), text, len);
	return sizeof(n) + len;
}

/* Append an exit event with the code `number`, which intake_fixture.h counts. */
static inline void maker_exit(struct maker *m, unsigned ring, int64_t number)
{
	maker_event(m, ring, TR2_E_EXIT, MAKER_BIT(T_ABS) | MAKER_BIT(CODE),
		    MAKER_START + number * NS_PER_US, (const char *)&number, sizeof(number));
}

static inline void maker_end(struct maker *m)
{
	free(m->file);
	m->file = NULL;
}

static inline void maker_save(const struct maker *m, const char *path)
{
	FILE *to = fopen(path, "wb");

	if (!to || fwrite(m->file, 1, m->len, to) != m->len || fclose(to))
		abort();
}

/* Write the SID of a process `pid` of this host that has just started. */
static inline void maker_own_sid(char *sid, size_t bytes, long pid)
{
	ns_t now = tr2_clock_wall();
	time_t seconds = (time_t)(now / NS_PER_SEC);
	char host[256], text[32];
	uint8_t digest[20];
	struct tm tm;

	gethostname(host, sizeof(host));
	tr2_sha1(host, strlen(host), digest);
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	snprintf(sid, bytes, "%s.%06dZ-H%02x%02x%02x%02x-P%08lx", text,
		 (int)(now % NS_PER_SEC / NS_PER_US), digest[0], digest[1], digest[2], digest[3],
		 pid);
}

#endif
