/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/reader_ring.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/schema.h"
#include "monitor/base/die.h"
#include "monitor/read/ring_event.h"

#define BLOCK TR2_RING_BLOCK_BYTES
/* A copy buffer of more than this many bytes is freed after its bytes were read. */
#define KEPT_COPY_BYTES (256u << 10)
/*
 * State of reading one ring. Positions in the ring's byte stream:
 *
 *   0 ....... at ................ end ...................... written
 *   \_ read __/ \_ copied _______/ \_ not examined yet .... _/
 *
 * - `copy` holds the bytes from `copied` to `end`, until they were read.
 * - `nr_events` counts the events read or lost, if `knows_events`. Each block head contains this
 *   number; if it is larger than `nr_events`, the difference is the number of lost events.
 * - If `has_part`, `part` is the beginning of the event `next`, which continues in a later record.
 * - If `has_next`, the event `next` was read but not returned yet, and `at` is after it.
 */
struct ring_lane {
	uint64_t at, end, copied;
	/* `written` of the last invalid ring head, to report it only once */
	uint64_t odd;
	char *copy;
	size_t cap_copy;
	uint64_t nr_events;
	bool knows_events, has_part, has_next;
	ns_t ahead;
	sym_t thread;
	char *part;
	size_t nr_part;
	struct ring_event next;
};

struct ring_reader {
	struct ring_syms syms;
	struct ring_about about;
	bool begun;
	uint64_t ring_bytes;
	int64_t start;
	uint64_t unplaced, first_unplaced;
	uint64_t nr_lost, nr_bytes;
	uint64_t sid_hash;
	uint32_t sid_index; /* index of the SID in the batch to which it was last added */
	/* number of errors in blocks and ring heads that were not reported yet */
	uint64_t nr_bad;
	/*
	 * Number of bytes in `kept`: the file head has a copy of the beginning of ring 0, which the
	 * ring may overwrite.
	 */
	uint32_t nr_kept;
	char kept[TR2_RING_FIRST_BYTES];
	struct ring_lane first;
	struct ring_lane *current;
	/* until this time, events of `current` come before those of all other rings */
	int64_t current_until;
	struct ring_lane lanes[TR2_RING_MAX_RINGS];
	char sid[TR2_RING_SID_MAX];
};

bool ring_is_magic(const char *bytes, size_t len)
{
	return len >= RING_MAGIC_BYTES && !memcmp(bytes, TR2_RING_MAGIC, RING_MAGIC_BYTES);
}

struct ring_reader *ring_reader_new(struct tr2_intern *syms, struct ring_memo *memo)
{
	struct ring_reader *r = xcalloc(1, sizeof(*r));

	r->syms = (struct ring_syms){ syms, memo };
	for (unsigned i = 0; i < TR2_RING_MAX_RINGS; i++)
		r->lanes[i].knows_events = true;
	return r;
}

void ring_reader_free(struct ring_reader *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < TR2_RING_MAX_RINGS; i++) {
		free(r->lanes[i].copy);
		free(r->lanes[i].part);
	}
	free(r->first.copy);
	free(r);
}

static const char *head_wrong(const struct tr2_ring_file *f)
{
	uint64_t bytes = (uint64_t)f->blocks * BLOCK;

	if (!ring_is_magic(f->magic, sizeof(f->magic)) || f->version != TR2_RING_VERSION)
		return "it is a ring file of another version or machine type";
	if (f->schema != tr2_schema_id())
		return "it is a ring file of another libtrace2 with other events";
	if (f->block_bytes != BLOCK || f->max_rings != TR2_RING_MAX_RINGS ||
	    f->rings > TR2_RING_MAX_RINGS || bytes < TR2_RING_MIN_BYTES ||
	    bytes > TR2_RING_MAX_BYTES || f->blocks & (f->blocks - 1) || !f->sid_len ||
	    f->sid_len > TR2_RING_SID_MAX || f->start < 0)
		return "it is a ring file with a damaged head";
	return NULL;
}

const char *ring_reader_head(struct ring_reader *r, const char *bytes, size_t len)
{
	struct tr2_ring_file f;
	const char *wrong;

	if (len < sizeof(f))
		return "it is a truncated ring file";
	memcpy(&f, bytes, sizeof(f));
	wrong = head_wrong(&f);
	if (wrong)
		return wrong;
	if (!r->begun) {
		r->begun = true;
		r->ring_bytes = (uint64_t)f.blocks * BLOCK;
		r->start = f.start;
		memcpy(r->sid, f.sid, f.sid_len);
		r->sid_hash = tr2_hash(r->sid, f.sid_len);
		r->about.sid = r->sid;
		r->about.sid_len = f.sid_len;
	} else if (r->ring_bytes != (uint64_t)f.blocks * BLOCK || r->start != f.start ||
		   r->about.sid_len != f.sid_len || memcmp(r->sid, f.sid, f.sid_len) != 0) {
		return "it is a ring file with a changed head";
	}
	if (f.rings > r->about.rings)
		r->about.rings = f.rings;
	if (!r->nr_kept && f.first_bytes <= sizeof(r->kept)) {
		r->nr_kept = f.first_bytes;
		memcpy(r->kept, f.first, f.first_bytes);
	}
	r->about.closed |= f.closed != 0;
	r->about.pid = f.pid;
	r->about.pid_namespace = f.pid_namespace;
	if (f.unplaced > r->unplaced && f.unplaced <= INT64_MAX)
		r->unplaced = f.unplaced;
	return NULL;
}

const struct ring_about *ring_reader_about(const struct ring_reader *r)
{
	return &r->about;
}

uint64_t ring_reader_lost(const struct ring_reader *r)
{
	return r->nr_lost + r->unplaced - r->first_unplaced;
}

uint64_t ring_reader_bytes(const struct ring_reader *r)
{
	return r->nr_bytes;
}

static uint64_t block_of(uint64_t position)
{
	return position - position % BLOCK;
}

static uint64_t block_end(uint64_t position)
{
	return block_of(position) + BLOCK;
}

static void lane_jump(struct ring_lane *lane, uint64_t to)
{
	lane->at = to;
	lane->has_part = false;
}

/* Return the end of the whole events in `kept`, and set `*nr` to their number. Returns 0 if `kept`
 * does not begin like a block. */
static size_t kept_end(const struct ring_reader *r, uint64_t *nr)
{
	struct tr2_ring_block block;
	struct tr2_ring_piece record;
	size_t at = sizeof(block);

	*nr = 0;
	if (r->nr_kept < at)
		return 0;
	memcpy(&block, r->kept, at);
	if (block.position || block.number || block.thread_len > TR2_RING_THREAD_MAX)
		return 0;
	for (; at + sizeof(struct tr2_ring_record) <= r->nr_kept; at += record.length, ++*nr) {
		memcpy(&record, r->kept + at, sizeof(record));
		if (record.length % 8 || record.length < sizeof(struct tr2_ring_record) ||
		    record.length > r->nr_kept - at || record.flags)
			break;
	}
	return at;
}

/* The first block of ring 0 may be overwritten: use the copy of its beginning in the file head. */
static void ring_use_kept(struct ring_reader *r)
{
	struct ring_lane *lane = &r->first;

	if (lane->end)
		return;
	lane->end = kept_end(r, &r->lanes[0].nr_events);
	lane->cap_copy = lane->end + READER_PAD;
	lane->copy = xcalloc(1, lane->cap_copy);
	memcpy(lane->copy, r->kept, lane->end);
}

/* Skip the content before `to`, which the writer may have overwritten. */
static void lane_pass(struct ring_reader *r, struct ring_lane *lane, uint64_t to)
{
	if (lane == &r->lanes[0] && !lane->at)
		ring_use_kept(r);
	lane_jump(lane, to);
}

/* Return the position of the oldest block that is whole after the writer has written up to
 * `reserved`. */
static uint64_t oldest_whole(const struct ring_reader *r, uint64_t reserved)
{
	uint64_t gone = reserved > r->ring_bytes ? reserved - r->ring_bytes : 0;

	return gone % BLOCK ? block_end(gone) : gone;
}

/* True for a ring position that no writer can produce. */
static bool ring_position_is_invalid(uint64_t position)
{
	return position % 8 || position > INT64_MAX ||
	       (position % BLOCK && position % BLOCK < sizeof(struct tr2_ring_block));
}

size_t ring_reader_wants(struct ring_reader *r, unsigned ring, const struct tr2_ring_head *head,
			 uint64_t *from)
{
	struct ring_lane *lane = &r->lanes[ring];
	uint64_t reserved = head->reserved > head->written ? head->reserved : head->written;
	uint64_t oldest = oldest_whole(r, reserved);

	if (lane->at < lane->end || lane->has_next || head->written <= lane->at)
		return 0;
	if (ring_position_is_invalid(head->written) || reserved > INT64_MAX) {
		r->nr_bad += lane->odd != head->written;
		lane->odd = head->written;
		return 0;
	}
	if (block_of(lane->at) < oldest)
		lane_pass(r, lane, oldest);
	*from = lane->at;
	return head->written > lane->at ? (size_t)(head->written - lane->at) : 0;
}

char *ring_reader_room(struct ring_reader *r, unsigned ring, size_t len)
{
	struct ring_lane *lane = &r->lanes[ring];

	if (lane->cap_copy < len + READER_PAD) {
		free(lane->copy);
		lane->cap_copy = len + READER_PAD;
		lane->copy = xmalloc(lane->cap_copy);
	}
	return lane->copy;
}

uint64_t ring_reader_place(const struct ring_reader *r, unsigned ring, uint64_t position,
			   size_t *len)
{
	uint64_t within = position % r->ring_bytes;

	if (*len > r->ring_bytes - within)
		*len = (size_t)(r->ring_bytes - within);
	return TR2_RING_HEAD_BYTES + ring * r->ring_bytes + within;
}

void ring_reader_copied(struct ring_reader *r, unsigned ring, uint64_t from, size_t len,
			uint64_t reserved)
{
	struct ring_lane *lane = &r->lanes[ring];
	uint64_t oldest = oldest_whole(r, reserved);

	lane->copied = from;
	lane->end = from + len;
	memset(lane->copy + len, 0, READER_PAD);
	r->current = NULL;
	if (reserved < lane->end || reserved > INT64_MAX || ring_position_is_invalid(lane->end)) {
		r->nr_bad++;
		lane_jump(lane, lane->end);
	} else if (block_of(from) < oldest) {
		lane_pass(r, lane, oldest);
	}
}

static void ring_add_lost(struct ring_reader *r, uint64_t nr)
{
	r->nr_lost += nr;
}

static void lane_damaged(struct ring_reader *r, struct ring_lane *lane)
{
	uint64_t end = block_end(lane->at);

	r->nr_bad++;
	lane_jump(lane, end < lane->end ? end : lane->end);
}

static void block_begin(struct ring_reader *r, struct ring_lane *lane, const char *bytes)
{
	struct tr2_ring_block block;

	memcpy(&block, bytes, sizeof(block));
	/* Each event, also a dropped one, takes bytes of the ring: an event number above the
	 * position is invalid. */
	if (block.position != lane->at || block.thread_len > TR2_RING_THREAD_MAX ||
	    block.number > lane->at) {
		lane_damaged(r, lane);
		return;
	}
	if (lane->knows_events && block.number < lane->nr_events)
		r->nr_bad++;
	else if (lane->knows_events && block.number > lane->nr_events)
		lane->has_part = false;
	if (lane->knows_events && block.number > lane->nr_events)
		ring_add_lost(r, block.number - lane->nr_events);
	lane->nr_events = block.number;
	lane->knows_events = true;
	lane->ahead = block.ahead;
	lane->thread = tr2_intern(r->syms.syms, block.thread, block.thread_len);
	lane->at += sizeof(block);
}

static bool ring_add_piece(struct ring_lane *lane, const char *bytes, size_t len)
{
	if (len > TR2_RING_EVENT_BYTES - lane->nr_part)
		return false;
	if (!lane->part)
		lane->part = xmalloc(TR2_RING_EVENT_BYTES + READER_PAD);
	memcpy(lane->part + lane->nr_part, bytes, len);
	lane->nr_part += len;
	return true;
}

static void ring_first_piece(struct ring_reader *r, struct ring_lane *lane,
			     const struct tr2_ring_record *rec, const char *bytes)
{
	lane->next = (struct ring_event){ .kind = rec->kind,
					  .line = rec->line,
					  .time = rec->time,
					  .mask = rec->mask,
					  .fields = bytes + sizeof(*rec),
					  .len = rec->length - sizeof(*rec),
					  .thread = lane->thread,
					  .ahead = lane->ahead,
					  .start = r->start };
	if (lane->has_part)
		r->nr_bad++;
	lane->has_part = rec->flags & TR2_RING_MORE;
	if (!lane->has_part) {
		lane->has_next = true;
		return;
	}
	lane->nr_part = 0;
	ring_add_piece(lane, lane->next.fields, lane->next.len);
}

static void ring_further_piece(struct ring_reader *r, struct ring_lane *lane,
			       const struct tr2_ring_record *rec, const char *bytes)
{
	size_t head = sizeof(struct tr2_ring_piece);
	bool ends = !(rec->flags & TR2_RING_MORE);

	if (lane->has_part && (rec->kind != lane->next.kind || rec->line != lane->next.line ||
			       !ring_add_piece(lane, bytes + head, rec->length - head))) {
		r->nr_bad++;
		lane->has_part = false;
	}
	if (!ends)
		return;
	lane->has_next = lane->has_part;
	lane->has_part = false;
	lane->next.fields = lane->part;
	lane->next.len = lane->nr_part;
	if (lane->has_next)
		return;
	ring_add_lost(r, 1);
	lane->nr_events++;
}

/* Read a record, of which `avail` bytes, a multiple of 8, are readable. */
static void ring_read_record(struct ring_reader *r, struct ring_lane *lane, const char *bytes,
			     size_t avail)
{
	struct tr2_ring_record rec = { 0 };
	bool further;

	memcpy(&rec, bytes, avail < sizeof(rec) ? avail : sizeof(rec));
	further = rec.flags & TR2_RING_CONTINUED;
	if (!rec.length) {
		/* The writer left the rest of this block unused. */
		if (block_end(lane->at) > lane->end)
			lane_damaged(r, lane);
		else
			lane->at = block_end(lane->at);
		return;
	}
	if (rec.length % 8 || rec.length > avail ||
	    rec.length < (further ? sizeof(struct tr2_ring_piece) : sizeof(rec))) {
		lane_damaged(r, lane);
		return;
	}
	lane->at += rec.length;
	r->nr_bytes += rec.length;
	if (further)
		ring_further_piece(r, lane, &rec, bytes);
	else
		ring_first_piece(r, lane, &rec, bytes);
	lane->nr_events += lane->has_next;
}

static void copy_end(struct ring_lane *lane)
{
	if (lane->cap_copy <= KEPT_COPY_BYTES)
		return;
	free(lane->copy);
	lane->copy = NULL;
	lane->cap_copy = 0;
}

static bool lane_peek(struct ring_reader *r, struct ring_lane *lane)
{
	while (!lane->has_next && lane->at < lane->end) {
		const char *bytes = lane->copy + (lane->at - lane->copied);
		uint64_t left = block_end(lane->at) - lane->at;

		if (left == BLOCK)
			block_begin(r, lane, bytes);
		else
			ring_read_record(r, lane, bytes,
					 (size_t)(left < lane->end - lane->at
							  ? left
							  : lane->end - lane->at));
	}
	if (!lane->has_next)
		copy_end(lane);
	return lane->has_next;
}

void ring_reader_skip(struct ring_reader *r, unsigned ring, uint64_t to, const char *block)
{
	struct ring_lane *lane = &r->lanes[ring];
	size_t len = (size_t)(to % BLOCK);

	r->first_unplaced = r->unplaced;
	if (ring_position_is_invalid(to))
		return;
	lane->knows_events = false;
	lane_jump(lane, to);
	lane->end = to;
	if (!len || !block)
		return;
	lane_jump(lane, to - len);
	memcpy(ring_reader_room(r, ring, len), block, len);
	memset(lane->copy + len, 0, READER_PAD);
	lane->copied = lane->at;
	while (lane_peek(r, lane))
		lane->has_next = false;
}

static uint32_t ring_sid(struct ring_reader *r, struct batch *batch)
{
	const struct batch_sid *sid = NULL;

	if (r->sid_index < batch->nr_sids)
		sid = &batch->sids[r->sid_index];
	if (!sid || sid->hash != r->sid_hash || sid->len != r->about.sid_len)
		r->sid_index = batch_sid(batch, r->sid, r->about.sid_len, r->sid_hash);
	return r->sid_index;
}

static struct ring_lane *lane_choose(struct ring_reader *r)
{
	struct ring_lane *first = r->current;

	if (first && lane_peek(r, first) && first->next.time <= r->current_until)
		return first;
	first = NULL;
	r->current_until = INT64_MAX;
	for (unsigned i = 0; i <= r->about.rings; i++) {
		struct ring_lane *lane = i ? &r->lanes[i - 1] : &r->first;

		if (!lane_peek(r, lane))
			continue;
		if (first && first->next.time <= lane->next.time) {
			if (lane->next.time < r->current_until)
				r->current_until = lane->next.time;
			continue;
		}
		if (first)
			r->current_until = first->next.time;
		first = lane;
	}
	return r->current = first;
}

static void ring_report_bad(struct ring_reader *r, struct read_counts *counts, read_bad_fn *bad,
			    void *bad_data)
{
	static const struct diag why = { DIAG_TORN, "a block of the ring is damaged", 0 };

	if (!r->nr_bad)
		return;
	counts->nr_malformed += r->nr_bad;
	r->nr_bad = 0;
	if (bad)
		bad(bad_data, "", 0, &why);
}

bool ring_reader_next(struct ring_reader *r, struct batch *batch, struct event *ev,
		      struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	struct ring_lane *lane;

	while ((lane = lane_choose(r))) {
		uint32_t mark = batch_text_mark(batch);
		const char *wrong = ring_event_put(&r->syms, &lane->next, batch, ev);
		struct diag why = { DIAG_EVENT, wrong, 0 };

		ring_report_bad(r, counts, bad, bad_data);
		lane->has_next = false;
		if (!wrong) {
			event_set(ev, TR2_F_SID, ring_sid(r, batch));
			counts->nr_events++;
			return true;
		}
		batch_text_rewind(batch, mark);
		counts->nr_malformed++;
		if (bad)
			bad(bad_data, lane->next.fields, lane->next.len, &why);
	}
	ring_report_bad(r, counts, bad, bad_data);
	return false;
}
