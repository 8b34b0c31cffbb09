/* SPDX-License-Identifier: MIT */
/* From a record to its bytes in a ring: what every event passes through where there are rings. */
#include "config.h"
#include "engine/tr2_ring.h"

#include <string.h>

#include "engine/tr2_call.h"

/* The block's own clocks count unless the wall clock was set, or the machine slept. */
#define AHEAD_TOLERANCE NS_PER_MS

#define NOT_STORED TR2_BIT(T_ABS)

static const uint8_t types[TR2_NR_FIELDS] = {
#define TR2_FIELD(ID, wire, type, since, share, doc) [TR2_F_##ID] = TR2_TYPE_##type,
#include "engine/fields.def"
};

/* Where the next value goes, and where the room ends. `at` NULL: it was too little. */
struct room {
	char *at, *end;
};

static inline void put_bytes(struct room *room, const char *bytes, size_t len)
{
	uint16_t n = (uint16_t)len;

	if (__builtin_expect(!room->at || (size_t)(room->end - room->at) < sizeof(n) + len ||
				     len > UINT16_MAX,
			     0)) {
		room->at = NULL;
		return;
	}
	memcpy(room->at, &n, sizeof(n));
	tr2_copy_short(room->at + sizeof(n), bytes, len);
	room->at += sizeof(n) + len;
}

static inline void put_number(struct room *room, int64_t num)
{
	if (__builtin_expect(!room->at || room->end - room->at < (ptrdiff_t)sizeof(num), 0)) {
		room->at = NULL;
		return;
	}
	memcpy(room->at, &num, sizeof(num));
	room->at += sizeof(num);
}

/* A text in which a password may have to be hidden. */
static void put_redacted(struct room *room, const char *text)
{
	struct tr2_redacted hide = tr2_redact(text);
	const size_t mark = sizeof(TR2_REDACTED) - 1;
	size_t tail = strlen(text + hide.tail_at);
	char *from = room->at;
	uint16_t n;

	if (!hide.hidden) {
		put_bytes(room, text, tail);
		return;
	}
	if (!from || hide.head_len > UINT16_MAX || tail > UINT16_MAX - mark - hide.head_len ||
	    (size_t)(room->end - from) < sizeof(n) + hide.head_len + mark + tail) {
		room->at = NULL;
		return;
	}
	n = (uint16_t)(hide.head_len + mark + tail);
	memcpy(from, &n, sizeof(n));
	from += sizeof(n);
	memcpy(from, text, hide.head_len);
	memcpy(from + hide.head_len, TR2_REDACTED, mark);
	memcpy(from + hide.head_len + mark, text + hide.tail_at, tail);
	room->at = from + n;
}

static void put_list(struct room *room, const struct tr2_record *rec, const char *const *list)
{
	char *count_at = room->at;
	size_t nr = rec->git_cmd;
	uint16_t n;

	if (!count_at || room->end - count_at < (ptrdiff_t)sizeof(n)) {
		room->at = NULL;
		return;
	}
	room->at += sizeof(n);
	if (rec->git_cmd)
		put_bytes(room, "git", 3);
	for (; *list && room->at; list++, nr++) {
		if (rec->redact)
			put_redacted(room, *list);
		else
			put_bytes(room, *list, strlen(*list));
	}
	if (nr > UINT16_MAX)
		room->at = NULL;
	n = (uint16_t)nr;
	memcpy(count_at, &n, sizeof(n));
}

/* JSON for people becomes one line, in the thread's memory for messages, which such an event does
 * not need. */
static void put_pretty(struct room *room, struct tr2_thread *self, const char *json)
{
	struct tr2_line *line = &self->message;

	line->len = 0;
	line->failed = false;
	*line = tr2_line_raw_json(*line, json, true);
	if (line->failed)
		room->at = NULL;
	else
		put_bytes(room, line->data ? line->data : "", line->len);
}

static void put_value(struct room *room, struct tr2_thread *self, const struct tr2_record *rec)
{
	const char *text = rec->v[TR2_F_VALUE].text;

	if (rec->json_pretty)
		put_pretty(room, self, text);
	else if (rec->redact)
		put_redacted(room, text);
	else
		put_bytes(room, text, tr2_text_len(text));
}

static inline void put_field(struct room *room, struct tr2_thread *self,
			     const struct tr2_record *rec, unsigned field)
{
	const union tr2_value *v = &rec->v[field];

	switch (types[field]) {
	case TR2_TYPE_NUM:
	case TR2_TYPE_BOOL:
	case TR2_TYPE_TIME:
		put_number(room, v->num);
		break;
	case TR2_TYPE_LIST:
		put_list(room, rec, v->list);
		break;
	default:
		if (__builtin_expect(field == TR2_F_VALUE && (rec->json_pretty || rec->redact), 0))
			put_value(room, self, rec);
		else
			put_bytes(room, v->text, tr2_text_len(v->text));
	}
}

/* The event's bytes from `at` on, head and fields; how many, 0 where the room is too little. */
static TR2_HOT_PART size_t put_event(char *at, size_t nr_bytes, struct tr2_thread *self,
				     const struct tr2_record *rec, bool brief)
{
	bool place = !brief && rec->file && *rec->file;
	uint64_t mask = rec->mask | (place ? TR2_BIT(FILE) : 0);
	struct room room = { at, at + nr_bytes };
	struct tr2_ring_record head = {
		.kind = (uint8_t)rec->kind,
		.line = place ? (uint32_t)rec->line : 0,
		.time = rec->at,
		.mask = mask,
	};

	if (nr_bytes < sizeof(head))
		return 0;
	memcpy(at, &head, sizeof(head));
	room.at += sizeof(head);
	if (place)
		put_bytes(&room, rec->file, tr2_text_len(rec->file));
	for (uint64_t left = rec->mask & ~NOT_STORED; left; left &= left - 1)
		put_field(&room, self, rec, (unsigned)__builtin_ctzll(left));
	return room.at ? (size_t)(room.at - at) : 0;
}

static inline char *place_of(const struct tr2_ring *ring, uint64_t position)
{
	return ring->blocks + (position & ring->mask);
}

/* Bytes that the block has left behind `position`; 0 where none is begun there. */
static inline size_t room_at(uint64_t position)
{
	return (size_t)(-position & (TR2_RING_BLOCK_BYTES - 1));
}

static inline void commit(struct tr2_ring *ring, uint64_t position)
{
	tr2_ring_store(&ring->head->written, position, __ATOMIC_RELEASE);
	tr2_ring_store(&ring->written, position, __ATOMIC_RELAXED);
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
	if (left)
		memset(place_of(ring, position), 0, 8);
	position += left;
	tr2_ring_store(&ring->head->reserved, position + TR2_RING_BLOCK_BYTES, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(place_of(ring, position), &block, sizeof(block));
	ring->ahead = block.ahead;
	ring->fresh = false;
	commit(ring, position + sizeof(block));
}

/* Close a record of `len` bytes that stands behind what is written. */
static inline void end_record(struct tr2_ring *ring, size_t len, uint8_t flags)
{
	uint64_t position = ring->written;
	char *at = place_of(ring, position);
	uint16_t whole = (uint16_t)((len + 7) & ~(size_t)7);

	memcpy(at + offsetof(struct tr2_ring_record, length), &whole, sizeof(whole));
	memcpy(at + offsetof(struct tr2_ring_record, flags), &flags, sizeof(flags));
	/* A jump between the two loses the event, which the number tells. */
	if (!(flags & TR2_RING_MORE))
		ring->number++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	commit(ring, position + whole);
}

static void drop(struct tr2_ring *ring, const struct tr2_thread *self, const struct tr2_record *rec)
{
	ring->number++;
	begin_block(ring, self, rec);
}

/* Each piece has a block of its own, the first the one that was begun just now. */
static void put_pieces(struct tr2_ring *ring, struct tr2_thread *self, const struct tr2_record *rec,
		       const char *bytes, size_t len)
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
		at = place_of(ring, ring->written);
		memcpy(at, &head, sizeof(head));
		memcpy(at + skip, bytes, n);
		bytes += n;
		len -= n;
		end_record(ring, skip + n, flags | (len ? TR2_RING_MORE : 0));
		flags = TR2_RING_CONTINUED;
		skip = sizeof(head);
	}
}

/* What does not fit into a block: made in the thread's memory for lines. */
static void write_long(struct tr2_ring *ring, struct tr2_thread *self, const struct tr2_record *rec,
		       bool brief)
{
	size_t most = (size_t)(ring->mask + 1) / 2 / TR2_RING_BLOCK_BYTES *
		      (TR2_RING_RECORD_BYTES - sizeof(struct tr2_ring_piece));
	struct tr2_line *line = &self->line;
	size_t len = 0;

	if (most > TR2_RING_EVENT_BYTES)
		most = TR2_RING_EVENT_BYTES;
	line->len = 0;
	line->failed = false;
	if (tr2_line_room(line, most))
		len = put_event(line->data, most, self, rec, brief);
	if (len)
		put_pieces(ring, self, rec, line->data, len);
	else
		drop(ring, self, rec);
}

static void write_in_new_block(struct tr2_ring *ring, struct tr2_thread *self,
			       const struct tr2_record *rec, bool brief)
{
	size_t len;

	begin_block(ring, self, rec);
	len = put_event(place_of(ring, ring->written), TR2_RING_RECORD_BYTES, self, rec, brief);
	if (len)
		end_record(ring, len, 0);
	else
		write_long(ring, self, rec, brief);
}

static inline bool is_of_block(const struct tr2_ring *ring, const struct tr2_record *rec)
{
	int64_t off = rec->wall - rec->at - ring->ahead;

	return !ring->fresh && off <= AHEAD_TOLERANCE && off >= -AHEAD_TOLERANCE;
}

TR2_HOT void tr2_ring_write(struct tr2_ring *ring, struct tr2_thread *self,
			    const struct tr2_record *rec, bool brief)
{
	size_t len = 0;

	if (__builtin_expect(is_of_block(ring, rec), 1))
		len = put_event(place_of(ring, ring->written), room_at(ring->written), self, rec,
				brief);
	if (__builtin_expect(len != 0, 1))
		end_record(ring, len, 0);
	else
		write_in_new_block(ring, self, rec, brief);
}
