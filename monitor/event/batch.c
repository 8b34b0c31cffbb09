/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/event/batch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

/* A text is stored as its length (one byte, or BATCH_SHORT_TEXT and 32 bits) and its bytes; a list
 * as its number of items in 32 bits and their texts; a SID without a length. Nothing is aligned. */
#define HEAD_WIDE       BATCH_HEAD_WIDE
#define HEAD_KIND_SHIFT BATCH_HEAD_KIND_SHIFT
#define HEAD_MASK       (HEAD_WIDE - 1)
/* Shape of an entry (not a record) that sets the base of the following CLOCK words. The base
 * follows in two words. */
#define HEAD_BASE       ((uint64_t)NR_RECORD_KINDS << HEAD_KIND_SHIFT)
#define BASE_WORDS      2u
#define FIRST_SID_SLOTS 64u
/* Maximum capacity, in words and in bytes of text, that batch_clear() keeps. */
#define KEEP_WORDS      (BATCH_FULL_WORDS * 2)
#define KEEP_TEXT_BYTES (BATCH_FULL_TEXT_BYTES * 4)

_Static_assert(NR_FIELDS <= 55, "the mask of fields shares its word with WIDE and the kind");

/* masks of the fields of one type each */
#define TR2_FIELD(ID, wire, type, since, share, doc)                                               \
	| (TR2_TYPE_##type == TR2_TYPE_NUM ? FIELD_BIT(TR2_F_##ID) : 0)
#define RECORD_FIELD(ID, type, share, doc)                                                         \
	| (TR2_TYPE_##type == TR2_TYPE_NUM ? FIELD_BIT(FLD_##ID) : 0)
static const uint64_t num_fields = 0
#include "engine/fields.def"
#include "monitor/event/records.def"
	;

#define TR2_FIELD(ID, wire, type, since, share, doc)                                               \
	| (TR2_TYPE_##type == TR2_TYPE_TIME ? FIELD_BIT(TR2_F_##ID) : 0)
#define RECORD_FIELD(ID, type, share, doc)                                                         \
	| (TR2_TYPE_##type == TR2_TYPE_TIME ? FIELD_BIT(FLD_##ID) : 0)
static const uint64_t time_fields = 0
#include "engine/fields.def"
#include "monitor/event/records.def"
	;

#define TR2_FIELD(ID, wire, type, since, share, doc)                                               \
	| (TR2_TYPE_##type == TR2_TYPE_CLOCK ? FIELD_BIT(TR2_F_##ID) : 0)
#define RECORD_FIELD(ID, type, share, doc)                                                         \
	| (TR2_TYPE_##type == TR2_TYPE_CLOCK ? FIELD_BIT(FLD_##ID) : 0)
static const uint64_t clock_fields = 0
#include "engine/fields.def"
#include "monitor/event/records.def"
	;

#define TR2_FIELD(ID, wire, type, since, share, doc)                                               \
	| (TR2_TYPE_##type == TR2_TYPE_TEXT ? FIELD_BIT(TR2_F_##ID) : 0)
#define RECORD_FIELD(ID, type, share, doc)                                                         \
	| (TR2_TYPE_##type == TR2_TYPE_TEXT ? FIELD_BIT(FLD_##ID) : 0)
static const uint64_t text_fields = 0
#include "engine/fields.def"
#include "monitor/event/records.def"
	;

#define TR2_FIELD(ID, wire, type, since, share, doc)                                               \
	| (TR2_TYPE_##type == TR2_TYPE_LIST ? FIELD_BIT(TR2_F_##ID) : 0)
#define RECORD_FIELD(ID, type, share, doc)                                                         \
	| (TR2_TYPE_##type == TR2_TYPE_LIST ? FIELD_BIT(FLD_##ID) : 0)
static const uint64_t list_fields = 0
#include "engine/fields.def"
#include "monitor/event/records.def"
	;

/* How to check whether a field's value fits into the narrow form. */
enum { FITS_ALWAYS, FITS_NUM, FITS_TIME, FITS_CLOCK };
#define FITS_OF(type)                                                                              \
	((type) == TR2_TYPE_NUM     ? FITS_NUM                                                     \
	 : (type) == TR2_TYPE_TIME  ? FITS_TIME                                                    \
	 : (type) == TR2_TYPE_CLOCK ? FITS_CLOCK                                                   \
				    : FITS_ALWAYS)
#define TR2_FIELD(ID, wire, type, since, share, doc) [TR2_F_##ID] = FITS_OF(TR2_TYPE_##type),
#define RECORD_FIELD(ID, type, share, doc)           [FLD_##ID] = FITS_OF(TR2_TYPE_##type),
static const uint8_t fits[NR_FIELDS] = {
#include "engine/fields.def"
#include "monitor/event/records.def"
};

/* Fields with which most events of the format EVENT begin. FILE and LINE share one word. */
#define COMMON_FIELDS                                                                              \
	(FIELD_BIT(TR2_F_SID) | FIELD_BIT(TR2_F_THREAD) | FIELD_BIT(TR2_F_TIME) | BATCH_SITE_FIELDS)
#define COMMON_WORDS 4u

#define WIDE_REGION_FIELDS                                                                         \
	(FIELD_BIT(TR2_F_SID) | FIELD_BIT(TR2_F_THREAD) | FIELD_BIT(TR2_F_TIME) |                  \
	 FIELD_BIT(TR2_F_T_REL) | FIELD_BIT(TR2_F_NESTING) | FIELD_BIT(TR2_F_CATEGORY) |           \
	 FIELD_BIT(TR2_F_LABEL))

_Static_assert(TR2_F_SID < TR2_F_THREAD && TR2_F_THREAD < TR2_F_TIME && TR2_F_TIME < TR2_F_T_REL &&
		       TR2_F_T_REL < TR2_F_NESTING && TR2_F_NESTING < TR2_F_CATEGORY &&
		       TR2_F_CATEGORY < TR2_F_LABEL,
	       "the order of a wide region's words");
_Static_assert(TR2_F_LINE == TR2_F_FILE + 1, "a site is two fields side by side");
_Static_assert(COMMON_FIELDS == FIELD_BIT(TR2_F_LINE + 1) - 1, "no other field comes first");
_Static_assert(BATCH_SET_GUESSES == 1 << (64 - 55), "the hash's high bits are the index");

static void set_reset(struct batch_set *set)
{
	set->nr = 0;
	if (!set->guesses)
		set->guesses = xcalloc(BATCH_SET_GUESSES, sizeof(*set->guesses));
}

static void set_free(struct batch_set *set)
{
	free(set->v);
	free(set->guesses);
}

uint32_t batch_set_add(struct batch_set *set, uint64_t v)
{
	GROW(set->v, set->nr, set->cap, 32);
	set->v[set->nr] = v;
	return set->nr++;
}

struct batch *batch_new(void)
{
	struct batch *batch = xcalloc(1, sizeof(*batch));

	batch->base_ns = NS_NONE;
	batch->stream = UINT32_MAX;
	hash_index_init(&batch->by_sid, FIRST_SID_SLOTS);
	set_reset(&batch->shapes);
	set_reset(&batch->sites);
	return batch;
}

void batch_free(struct batch *batch)
{
	if (batch && batch->is_compact) {
		free(batch);
		return;
	}
	if (!batch)
		return;
	free(batch->words);
	free(batch->text);
	free(batch->sids);
	tr2_hash_index_release(&batch->by_sid);
	set_free(&batch->shapes);
	set_free(&batch->sites);
	free(batch);
}

void batch_clear(struct batch *batch)
{
	if (batch->cap_words > KEEP_WORDS) {
		free(batch->words);
		batch->words = NULL;
		batch->cap_words = 0;
	}
	if (batch->cap_text_bytes > KEEP_TEXT_BYTES) {
		free(batch->text);
		batch->text = NULL;
		batch->cap_text_bytes = 0;
	}
	if (batch->nr_sids)
		tr2_hash_index_clear(&batch->by_sid);
	set_reset(&batch->shapes);
	set_reset(&batch->sites);
	batch->base_ns = NS_NONE;
	batch->nr_words = batch->nr_text_bytes = batch->nr_sids = 0;
	batch->nr_records = batch->nr_events = 0;
	batch->has_decoded_sids = batch->is_safe = false;
	batch->has_streams = batch->has_old = false;
	batch->stream = UINT32_MAX;
}

static size_t set_bytes(const struct batch_set *set)
{
	return set->cap * sizeof(*set->v) +
	       (set->guesses ? BATCH_SET_GUESSES * sizeof(*set->guesses) : 0);
}

static void *piece_copy(char **at, const void *from, size_t bytes)
{
	void *to = *at;

	if (bytes)
		memcpy(to, from, bytes);
	*at += (bytes + 7) & ~(size_t)7;
	return to;
}

static size_t piece_bytes(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static void set_compact(struct batch_set *to, const struct batch_set *from, char **at)
{
	*to = (struct batch_set){ .nr = from->nr, .cap = from->nr };
	to->v = piece_copy(at, from->v, from->nr * sizeof(*from->v));
}

struct batch *batch_compact(const struct batch *from)
{
	size_t words = from->nr_words * sizeof(*from->words);
	size_t sids = from->nr_sids * sizeof(*from->sids);
	size_t bytes = piece_bytes(sizeof(*from)) + piece_bytes(words) +
		       piece_bytes(from->nr_text_bytes) + piece_bytes(sids) +
		       piece_bytes(from->shapes.nr * sizeof(*from->shapes.v)) +
		       piece_bytes(from->sites.nr * sizeof(*from->sites.v));
	struct batch *to = xmalloc(bytes);
	char *at = (char *)to + piece_bytes(sizeof(*to));

	*to = *from;
	to->is_compact = true;
	to->by_sid = (struct tr2_hash_index){ 0 };
	to->cap_words = from->nr_words;
	to->cap_text_bytes = from->nr_text_bytes;
	to->cap_sids = from->nr_sids;
	to->sids = piece_copy(&at, from->sids, sids);
	set_compact(&to->shapes, &from->shapes, &at);
	set_compact(&to->sites, &from->sites, &at);
	to->words = piece_copy(&at, from->words, words);
	to->text = piece_copy(&at, from->text, from->nr_text_bytes);
	return to;
}

size_t batch_bytes(const struct batch *batch)
{
	return sizeof(*batch) + set_bytes(&batch->shapes) + set_bytes(&batch->sites) +
	       (size_t)batch->cap_words * sizeof(*batch->words) + batch->cap_text_bytes +
	       (size_t)batch->cap_sids * sizeof(*batch->sids) +
	       tr2_hash_index_bytes(&batch->by_sid);
}

static void text_grow(struct batch *batch, size_t more)
{
	size_t want = batch->nr_text_bytes + more, cap = batch->cap_text_bytes;

	if (want <= cap)
		return;
	if (!cap)
		cap = 4096;
	while (cap < want)
		cap *= 2;
	if (cap > INT32_MAX)
		bug("a batch of %zu bytes of text", want);
	batch->text = xrealloc(batch->text, cap);
	batch->cap_text_bytes = (uint32_t)cap;
}

char *batch_reserve_text(struct batch *batch, size_t max_len)
{
	text_grow(batch, BATCH_TEXT_HEAD_BYTES + max_len);
	return batch->text + batch->nr_text_bytes + BATCH_TEXT_HEAD_BYTES;
}

uint32_t batch_commit_text(struct batch *batch, size_t len)
{
	uint32_t offset = batch->nr_text_bytes, len32 = (uint32_t)len;
	char *to = batch->text + offset;

	if (len < BATCH_SHORT_TEXT) {
		*to = (char)len;
		memmove(to + 1, to + BATCH_TEXT_HEAD_BYTES, len);
		batch->nr_text_bytes += 1 + len32;
		return offset;
	}
	*to = (char)BATCH_SHORT_TEXT;
	memcpy(to + 1, &len32, sizeof(len32));
	batch->nr_text_bytes += BATCH_TEXT_HEAD_BYTES + len32;
	return offset;
}

uint32_t batch_add_text(struct batch *batch, const char *text, size_t len)
{
	char *to = batch_reserve_text(batch, len);
	uint32_t offset = batch->nr_text_bytes;

	/* write a short text directly to where batch_commit_text() would move it */
	if (len && len < BATCH_SHORT_TEXT) {
		to = batch->text + offset;
		*to = (char)len;
		memcpy(to + 1, text, len);
		batch->nr_text_bytes += 1 + (uint32_t)len;
		return offset;
	}
	if (len)
		memcpy(to, text, len);
	return batch_commit_text(batch, len);
}

uint32_t batch_list_begin(struct batch *batch)
{
	uint32_t list = batch->nr_text_bytes;

	text_grow(batch, sizeof(uint32_t));
	batch->nr_text_bytes += sizeof(uint32_t);
	return list;
}

void batch_list_end(struct batch *batch, uint32_t list, uint32_t nr_items)
{
	memcpy(batch->text + list, &nr_items, sizeof(nr_items));
}

static uint32_t sid_hash_of(const void *batch, uint32_t sid)
{
	return (uint32_t)((const struct batch *)batch)->sids[sid].hash;
}

void batch_text_rewind(struct batch *batch, uint32_t mark)
{
	while (batch->nr_sids && batch->sids[batch->nr_sids - 1].text >= mark) {
		uint32_t hash = (uint32_t)batch->sids[--batch->nr_sids].hash;

		tr2_hash_index_remove(&batch->by_sid,
				      tr2_hash_index_place(&batch->by_sid, hash, batch->nr_sids),
				      sid_hash_of, batch);
	}
	batch->nr_text_bytes = mark;
}

static uint32_t sid_add(struct batch *batch, const char *sid, size_t len, uint64_t hash)
{
	uintptr_t from = (uintptr_t)sid, own = (uintptr_t)batch->text;
	bool is_own = batch->text && from >= own && from < own + batch->cap_text_bytes;
	size_t own_offset = is_own ? from - own : 0;

	GROW(batch->sids, batch->nr_sids, batch->cap_sids, 32);
	text_grow(batch, len + 4);
	if (is_own)
		sid = batch->text + own_offset;
	if (len)
		memmove(batch->text + batch->nr_text_bytes, sid, len);
	batch->sids[batch->nr_sids] = (struct batch_sid){ .hash = hash,
							  .text = batch->nr_text_bytes,
							  .len = (uint32_t)len };
	/* The empty SID takes space, too: batch_text_rewind() compares offsets. */
	batch->nr_text_bytes += (uint32_t)(len ? len : 1);
	return batch->nr_sids++;
}

uint32_t batch_sid(struct batch *batch, const char *sid, size_t len, uint64_t hash)
{
	TR2_HASH_INDEX_EACH(&batch->by_sid, hash, at)
	{
		uint32_t index = batch->by_sid.at[at] - 1;
		const struct batch_sid *known = &batch->sids[index];

		if (known->hash == hash && known->len == len &&
		    !memcmp(batch->text + known->text, sid, len))
			return index;
	}
	hash_index_put(&batch->by_sid, (uint32_t)hash, batch->nr_sids, sid_hash_of, batch);
	return sid_add(batch, sid, len, hash);
}

static bool fits_span(int64_t ns)
{
	return ns >= INT32_MIN * NS_PER_US && ns <= INT32_MAX * NS_PER_US;
}

void batch_grow_words(struct batch *batch, uint32_t more)
{
	uint32_t cap = batch->cap_words ? batch->cap_words * 2 : 1024;

	batch->cap_words = cap > batch->nr_words + more ? cap : batch->nr_words + more;
	batch->words = xreallocarray(batch->words, batch->cap_words, sizeof(*batch->words));
}

/* Add a base of CLOCK words if there is none or the event's first clock is too far from it. Records
 * of trace2top's own add none: their times may be far from those of events. */
static void base_choose(struct batch *batch, const struct event *ev)
{
	uint64_t clocks = ev->mask & clock_fields;
	int64_t first, offset;
	uint32_t *to;

	if (!clocks || !event_is_trace2(ev))
		return;
	first = ev->v[__builtin_ctzll(clocks)];
	if (batch->base_ns != NS_NONE && !__builtin_sub_overflow(first, batch->base_ns, &offset) &&
	    fits_span(offset))
		return;
	batch->base_ns = first - first % NS_PER_US;
	to = batch_record_room(batch);
	*to++ = batch_set_index(&batch->shapes, HEAD_BASE);
	memcpy(to, &batch->base_ns, sizeof(batch->base_ns));
	batch->nr_words += 1 + BASE_WORDS;
}

static void stream_note(struct batch *batch, const struct event *ev)
{
	uint32_t stream = (uint32_t)event_get(ev, FLD_STREAM, UINT32_MAX);

	if (batch->stream == UINT32_MAX)
		batch->stream = stream;
	batch->has_streams |= batch->stream != stream;
	batch->has_old |= !event_get(ev, FLD_LIVE, 0);
}

/* Write a record's fields in narrow form. Returns the end, or NULL if a value does not fit. */
static uint32_t *put_narrow(struct batch *batch, const struct event *ev, uint32_t *to)
{
	for (uint64_t left = ev->mask; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);
		int64_t v = ev->v[field], us;

		if (fits[field] >= FITS_TIME) {
			if (fits[field] == FITS_CLOCK &&
			    __builtin_sub_overflow(v, batch->base_ns, &v))
				return NULL;
			us = v / NS_PER_US;
			if (us * NS_PER_US != v || us != (int32_t)us)
				return NULL;
			v = us;
		} else if (fits[field] == FITS_NUM && v != (int32_t)v) {
			return NULL;
		}
		*to++ = (uint32_t)v;
		if (field == TR2_F_LINE && event_has(ev, TR2_F_FILE))
			to = batch_site_fold(batch, to);
	}
	return to;
}

static uint32_t *put_wide(const struct event *ev, uint32_t *to)
{
	for (uint64_t left = ev->mask; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);
		int64_t v = ev->v[field];

		if (fits[field] == FITS_ALWAYS) {
			*to++ = (uint32_t)v;
			continue;
		}
		memcpy(to, &v, sizeof(v));
		to += 2;
	}
	return to;
}

void batch_add(struct batch *batch, const struct event *ev)
{
	uint64_t head = ev->mask | (uint64_t)ev->kind << HEAD_KIND_SHIFT;
	uint32_t *room, *to;

	base_choose(batch, ev);
	room = batch_record_room(batch);
	to = put_narrow(batch, ev, room + 1);
	if (!to) {
		to = put_wide(ev, room + 1);
		head |= HEAD_WIDE;
	}
	*room = batch_set_index(&batch->shapes, head);
	batch->nr_words = (uint32_t)(to - batch->words);
	batch->nr_records++;
	batch->nr_events += event_is_trace2(ev);
	if (ev->kind == REC_STREAM)
		stream_note(batch, ev);
}

uint32_t batch_add_packed(struct batch *batch, const char *packed, size_t len)
{
	uint32_t at = batch->nr_text_bytes;

	text_grow(batch, len);
	memcpy(batch->text + at, packed, len);
	batch->nr_text_bytes += (uint32_t)len;
	return at;
}

static int64_t list_end(const struct batch *batch, int64_t list)
{
	int64_t item;

	for (uint32_t nr = batch_list(batch, list, &item); nr; nr--)
		item = batch_list_next(batch, item);
	return item;
}

const char *batch_packed(const struct batch *batch, bool is_list, int64_t offset, size_t *len)
{
	int64_t end = is_list ? list_end(batch, offset) : batch_list_next(batch, offset);

	*len = (size_t)(end - offset);
	return batch->text + offset;
}

void batch_add_from(struct batch *batch, const struct batch *from, const struct event *ev)
{
	struct event own = { .mask = ev->mask, .kind = ev->kind };

	for (uint64_t left = ev->mask; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);
		int64_t v = ev->v[field];

		if ((text_fields | list_fields) >> field & 1) {
			size_t len;
			const char *packed = batch_packed(from, list_fields >> field & 1, v, &len);

			v = batch_add_packed(batch, packed, len);
		} else if (field == TR2_F_SID) {
			const struct batch_sid *sid = &from->sids[v];

			v = batch_sid(batch, from->text + sid->text, sid->len, sid->hash);
		}
		own.v[field] = v;
	}
	batch_add(batch, &own);
}

/* Read a WIDE record with the fields of a region. */
static const uint32_t *wide_region_open(const uint32_t *from, struct event *ev)
{
	ev->v[TR2_F_SID] = from[0];
	ev->v[TR2_F_THREAD] = from[1];
	memcpy(&ev->v[TR2_F_TIME], from + 2, sizeof(ev->v[0]));
	from += 4;
	if (event_has(ev, TR2_F_T_REL)) {
		memcpy(&ev->v[TR2_F_T_REL], from, sizeof(ev->v[0]));
		from += 2;
	}
	memcpy(&ev->v[TR2_F_NESTING], from, sizeof(ev->v[0]));
	ev->v[TR2_F_CATEGORY] = from[2];
	ev->v[TR2_F_LABEL] = from[3];
	return from + 4;
}

static const uint32_t *wide_open(const uint32_t *from, struct event *ev)
{
	const uint64_t wide = num_fields | time_fields | clock_fields;

	if ((ev->mask | FIELD_BIT(TR2_F_T_REL)) == WIDE_REGION_FIELDS)
		return wide_region_open(from, ev);
	for (uint64_t left = ev->mask; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);

		if (wide & FIELD_BIT(field)) {
			memcpy(&ev->v[field], from, sizeof(ev->v[field]));
			from += 2;
		} else {
			ev->v[field] = *from++;
		}
	}
	return from;
}

/* Read a record's words for the fields of `mask`, which does not have both FILE and LINE. Words are
 * signed: symbols, offsets and indices are below 2^31. */
static inline const uint32_t *narrow_open(const uint32_t *from, uint64_t mask, ns_t base_ns,
					  struct event *ev)
{
	uint64_t left;

	for (left = mask; left; left &= left - 1)
		ev->v[__builtin_ctzll(left)] = (int32_t)*from++;
	for (left = mask & (time_fields | clock_fields); left; left &= left - 1)
		ev->v[__builtin_ctzll(left)] *= NS_PER_US;
	for (left = mask & clock_fields; left; left &= left - 1)
		ev->v[__builtin_ctzll(left)] += base_ns;
	return from;
}

static inline void site_open(const struct batch *batch, uint32_t word, struct event *ev)
{
	uint64_t site = batch->sites.v[word];

	ev->v[TR2_F_FILE] = (uint32_t)site;
	ev->v[TR2_F_LINE] = (int32_t)(site >> 32);
}

bool batch_next(struct batch_cursor *cursor, struct event *ev)
{
	const struct batch *batch = cursor->batch;
	const uint32_t *from;
	uint64_t head, mask;

	if (cursor->at >= batch->nr_words)
		return false;
	from = batch->words + cursor->at;
	head = batch->shapes.v[*from++];
	while (head == HEAD_BASE) {
		memcpy(&cursor->base_ns, from, sizeof(cursor->base_ns));
		from += BASE_WORDS;
		head = batch->shapes.v[*from++];
	}
	ev->kind = (uint8_t)(head >> HEAD_KIND_SHIFT);
	ev->mask = mask = head & HEAD_MASK;
	if (head & HEAD_WIDE) {
		from = wide_open(from, ev);
		cursor->at = (uint32_t)(from - batch->words);
		return true;
	}
	if (__builtin_expect((mask & COMMON_FIELDS) == COMMON_FIELDS, 1)) {
		ev->v[TR2_F_SID] = (int32_t)from[0];
		ev->v[TR2_F_THREAD] = (int32_t)from[1];
		ev->v[TR2_F_TIME] = (int32_t)from[2] * NS_PER_US + cursor->base_ns;
		site_open(batch, from[3], ev);
		from += COMMON_WORDS;
		mask &= ~COMMON_FIELDS;
	} else if ((mask & BATCH_SITE_FIELDS) == BATCH_SITE_FIELDS) {
		const uint64_t before = FIELD_BIT(TR2_F_FILE) - 1;

		from = narrow_open(from, mask & before, cursor->base_ns, ev);
		site_open(batch, *from++, ev);
		mask &= ~(before | BATCH_SITE_FIELDS);
	}
	from = narrow_open(from, mask, cursor->base_ns, ev);
	cursor->at = (uint32_t)(from - batch->words);
	return true;
}
