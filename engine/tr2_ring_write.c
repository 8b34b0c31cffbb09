/* SPDX-License-Identifier: MIT */
/* Write a record to a ring. This is the hot path if rings are used. */
#include "config.h"
#include "engine/tr2_ring.h"

#include <string.h>

#include "engine/tr2_call.h"

/* If the difference of the wall and monotonic clocks changes by more than this (ns), the writer
 * starts a new block, whose head has the new difference. */
#define AHEAD_TOLERANCE NS_PER_MS

#define NOT_STORED TR2_BIT(T_ABS)

#define BIT_IF(ID, type, types) ((types) >> TR2_TYPE_##type & 1 ? TR2_BIT(ID) : 0)
#define NUMBER_TYPES            (1u << TR2_TYPE_NUM | 1u << TR2_TYPE_BOOL | 1u << TR2_TYPE_TIME)

static const uint64_t numbers = 0
#define TR2_FIELD(ID, wire, type, since, share, doc) | BIT_IF(ID, type, NUMBER_TYPES)
#include "engine/fields.def"
	;
static const uint64_t lists = 0
#define TR2_FIELD(ID, wire, type, since, share, doc) | BIT_IF(ID, type, 1u << TR2_TYPE_LIST)
#include "engine/fields.def"
	;

/* The ring_put_ functions that return a pointer write a value at `at`, before `end`, and return the
 * address after the value; NULL on failure, such as lack of space. */
static char *ring_put_bytes(char *at, const char *end, const char *bytes, size_t len)
{
	uint16_t n = (uint16_t)len;

	if ((size_t)(end - at) < sizeof(n) + len || len > UINT16_MAX)
		return NULL;
	memcpy(at, &n, sizeof(n));
	memcpy(at + sizeof(n), bytes, len);
	return at + sizeof(n) + len;
}

#ifdef __SSE2__
#define PAGE_BYTES 4096u

/* Write a C string by copying blocks of bytes until a block contains its NUL. The last block may
 * extend beyond the string, but not into another page or beyond the available space. */
__attribute__((no_sanitize("address", "thread"))) static inline char *
ring_put_text(char *at, const char *end, const char *s)
{
	const __m128i zero = _mm_setzero_si128();
	char *out = at + sizeof(uint16_t);
	unsigned found;
	size_t i = 0;
	uint16_t n;

	do {
		__m128i v;

		if (__builtin_expect(end - out < (ptrdiff_t)(i + sizeof(v)) ||
					     ((uintptr_t)(s + i) & (PAGE_BYTES - 1)) >
						     PAGE_BYTES - sizeof(v),
				     0))
			return ring_put_bytes(at, end, s, strlen(s));
		v = _mm_loadu_si128((const __m128i *)(const void *)(s + i));
		_mm_storeu_si128((__m128i *)(void *)(out + i), v);
		found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, zero));
		i += sizeof(v);
	} while (__builtin_expect(!found, 0));
	n = (uint16_t)(i - sizeof(__m128i) + (unsigned)__builtin_ctz(found));
	memcpy(at, &n, sizeof(n));
	return out + n;
}
#else
static inline char *ring_put_text(char *at, const char *end, const char *s)
{
	return ring_put_bytes(at, end, s, strlen(s));
}
#endif

static char *ring_put_redacted(char *at, const char *end, const char *text)
{
	struct tr2_redacted hide = tr2_redact(text);
	const size_t mark = sizeof(TR2_REDACTED) - 1;
	size_t tail = strlen(text + hide.tail_at);
	uint16_t n;

	if (!hide.hidden)
		return ring_put_bytes(at, end, text, tail);
	if (hide.head_len > UINT16_MAX || tail > UINT16_MAX ||
	    hide.head_len + mark + tail > UINT16_MAX ||
	    (size_t)(end - at) < sizeof(n) + hide.head_len + mark + tail)
		return NULL;
	n = (uint16_t)(hide.head_len + mark + tail);
	memcpy(at, &n, sizeof(n));
	at += sizeof(n);
	memcpy(at, text, hide.head_len);
	memcpy(at + hide.head_len, TR2_REDACTED, mark);
	memcpy(at + hide.head_len + mark, text + hide.tail_at, tail);
	return at + n;
}

static char *ring_put_list(char *at, const char *end, const struct tr2_record *rec,
			   const char *const *list)
{
	char *count_at = at;
	size_t nr = rec->git_cmd;
	uint16_t n;

	if (end - at < (ptrdiff_t)sizeof(n))
		return NULL;
	at += sizeof(n);
	if (rec->git_cmd)
		at = ring_put_bytes(at, end, "git", 3);
	for (; *list && at; list++, nr++)
		at = rec->redact ? ring_put_redacted(at, end, *list)
				 : ring_put_text(at, end, *list);
	if (nr > UINT16_MAX)
		return NULL;
	n = (uint16_t)nr;
	memcpy(count_at, &n, sizeof(n));
	return at;
}

/* Write indented JSON as one line. Uses the thread's message buffer: a data_json event has no
 * message. */
static char *ring_put_pretty_json(char *at, const char *end, struct tr2_thread *self,
				  const char *json)
{
	struct tr2_line *line = &self->message;

	line->len = 0;
	line->failed = false;
	*line = tr2_line_raw_json(*line, json, true);
	return line->failed ? NULL
			    : ring_put_bytes(at, end, line->data ? line->data : "", line->len);
}

static inline bool is_plain_field(const struct tr2_record *rec, unsigned field)
{
	return field != TR2_F_VALUE || !(rec->json_pretty | rec->redact);
}

static char *ring_put_other(char *at, const char *end, struct tr2_thread *self,
			    const struct tr2_record *rec, unsigned field)
{
	if (tr2_fields[field].type == TR2_TYPE_LIST)
		return ring_put_list(at, end, rec, rec->v[field].list);
	return rec->json_pretty ? ring_put_pretty_json(at, end, self, rec->v[field].text)
				: ring_put_redacted(at, end, rec->v[field].text);
}

/* Write an event, its head and its fields, at `from`. Returns its size; 0 on failure. The head's
 * length and flags are set later. */
static TR2_HOT_PART size_t ring_put_event(char *const from, size_t nr_bytes,
					  struct tr2_thread *self, const struct tr2_record *rec,
					  bool brief)
{
	const char *file = rec->file, *end = from + nr_bytes;
	bool place = !brief && file && *file;
	char *at = from + sizeof(struct tr2_ring_record);
	/* Write the record's head in place: copying it would stall the processor until all its
	 * fields are stored. */
	struct tr2_ring_record *head = (struct tr2_ring_record *)(void *)from;

	if (nr_bytes < sizeof(*head))
		return 0;
	head->kind = (uint8_t)rec->kind;
	head->line = place ? (uint32_t)rec->line : 0;
	head->time = rec->at;
	head->mask = rec->mask | (place ? TR2_BIT(FILE) : 0);
	if (place && !(at = ring_put_text(at, end, file)))
		return 0;
	for (uint64_t left = rec->mask & ~NOT_STORED; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);
		const union tr2_value *v = &rec->v[field];

		if (left & -left & numbers) {
			if (end - at < (ptrdiff_t)sizeof(v->num))
				return 0;
			memcpy(at, &v->num, sizeof(v->num));
			at += sizeof(v->num);
			continue;
		}
		if (__builtin_expect(!(left & -left & lists) && is_plain_field(rec, field), 1))
			at = ring_put_text(at, end, v->text);
		else
			at = ring_put_other(at, end, self, rec, field);
		if (!at)
			return 0;
	}
	return (size_t)(at - from);
}

static inline char *ring_address(const struct tr2_ring *ring, uint64_t position)
{
	return ring->blocks + (position & ring->mask);
}

static inline size_t room_at(uint64_t position)
{
	return (size_t)(-position & (TR2_RING_BLOCK_BYTES - 1));
}

static inline void commit_record(struct tr2_ring *ring, uint64_t position)
{
	tr2_ring_store(&ring->head->written, position, __ATOMIC_RELEASE);
	tr2_ring_store(&ring->written, position, __ATOMIC_RELAXED);
}

/* Show readers that the block that ends at `position` is about to be overwritten, before any byte
 * of the block is. */
static void reserve_block(struct tr2_ring *ring, uint64_t position)
{
	tr2_ring_store(&ring->head->reserved, position, __ATOMIC_RELAXED);
#ifndef __SANITIZE_THREAD__ /* gcc does not support fences with the thread sanitizer */
	__atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

static void begin_block(struct tr2_ring *ring, const struct tr2_thread *self,
			const struct tr2_record *rec)
{
	uint64_t position = ring->written;
	size_t left = room_at(position);
	struct tr2_ring_block block = {
		.position = position + left,
		.number = ring->number,
		.ahead = rec->wall - rec->at,
		.thread_len = (uint8_t)strlen(self->name),
	};

	memcpy(block.thread, self->name, block.thread_len);
	if (position && position <= TR2_RING_BLOCK_BYTES)
		tr2_ring_keep_first(ring);
	if (left)
		memset(ring_address(ring, position), 0, 8);
	position += left;
	reserve_block(ring, position + TR2_RING_BLOCK_BYTES);
	memcpy(ring_address(ring, position), &block, sizeof(block));
	ring->ahead = block.ahead;
	ring->fresh = false;
	commit_record(ring, position + sizeof(block));
}

static inline void end_record(struct tr2_ring *ring, size_t len, uint8_t flags)
{
	uint64_t position = ring->written;
	char *at = ring_address(ring, position);
	uint16_t whole = (uint16_t)((len + 7) & ~(size_t)7);

	memcpy(at + offsetof(struct tr2_ring_record, length), &whole, sizeof(whole));
	memcpy(at + offsetof(struct tr2_ring_record, flags), &flags, sizeof(flags));
	/* Count the event before storing `written`: if a signal handler jumps out in between, the
	 * gap in the event numbers shows the loss. */
	if (!(flags & TR2_RING_MORE))
		ring->number++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	commit_record(ring, position + whole);
}

static void drop_event(struct tr2_ring *ring, const struct tr2_thread *self,
		       const struct tr2_record *rec)
{
	ring->number++;
	begin_block(ring, self, rec);
}

/* Write a long event in pieces, one per block; the first uses the block that was just started. */
static void ring_put_pieces(struct tr2_ring *ring, struct tr2_thread *self,
			    const struct tr2_record *rec, const char *bytes, size_t len)
{
	struct tr2_ring_piece head;
	size_t skip = 0;
	uint8_t flags = 0;

	memcpy(&head, bytes, sizeof(head));
	while (len) {
		size_t n = TR2_RING_RECORD_BYTES - skip;
		char *at;

		if (len <= n)
			n = len;
		if (flags)
			begin_block(ring, self, rec);
		at = ring_address(ring, ring->written);
		memcpy(at, &head, sizeof(head));
		memcpy(at + skip, bytes, n);
		bytes += n;
		len -= n;
		end_record(ring, skip + n, flags | (len ? TR2_RING_MORE : 0));
		flags = TR2_RING_CONTINUED;
		skip = sizeof(head);
	}
}

/* Write an event that does not fit into one block, assembled in the thread's line buffer. An event
 * that is too long for the ring, or for which there is no memory, is dropped. */
static void write_long_event(struct tr2_ring *ring, struct tr2_thread *self,
			     const struct tr2_record *rec, bool brief)
{
	size_t most = (size_t)(ring->mask + 1) / 2 / TR2_RING_BLOCK_BYTES *
		      (TR2_RING_RECORD_BYTES - sizeof(struct tr2_ring_piece));
	struct tr2_line *line = &self->line;
	size_t len = 0;

	if (most > TR2_RING_EVENT_BYTES)
		most = TR2_RING_EVENT_BYTES;
	line->len = 0;
	line->failed = false;
	if (tr2_line_reserve(line, most))
		len = ring_put_event(line->data, most, self, rec, brief);
	if (len)
		ring_put_pieces(ring, self, rec, line->data, len);
	else
		drop_event(ring, self, rec);
}

static void write_in_new_block(struct tr2_ring *ring, struct tr2_thread *self,
			       const struct tr2_record *rec, bool brief)
{
	size_t len;

	begin_block(ring, self, rec);
	len = ring_put_event(ring_address(ring, ring->written), TR2_RING_RECORD_BYTES, self, rec,
			     brief);
	if (len)
		end_record(ring, len, 0);
	else
		write_long_event(ring, self, rec, brief);
}

static inline bool belongs_to_block(const struct tr2_ring *ring, const struct tr2_record *rec)
{
	int64_t off = rec->wall - rec->at - ring->ahead;

	return !ring->fresh && off <= AHEAD_TOLERANCE && off >= -AHEAD_TOLERANCE;
}

TR2_HOT void tr2_ring_write(struct tr2_ring *ring, struct tr2_thread *self,
			    const struct tr2_record *rec, bool brief)
{
	size_t len = 0;

	if (__builtin_expect(belongs_to_block(ring, rec), 1))
		len = ring_put_event(ring_address(ring, ring->written), room_at(ring->written),
				     self, rec, brief);
	if (__builtin_expect(len != 0, 1))
		end_record(ring, len, 0);
	else
		write_in_new_block(ring, self, rec, brief);
}
