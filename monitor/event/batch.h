/* SPDX-License-Identifier: MIT */
/*
 * batch: decoded events in packed form, with all data that they refer to except interned symbols.
 * One thread fills a batch, without a lock, and hands it over; after that its records do not
 * change.
 *
 *   words   records in a row: index of the record's shape (kind, WIDE, mask of fields), then
 *           one 32-bit word per field in ascending order of fields. A FILE and a LINE share
 *           one word, the index of their site. In a WIDE record every NUM, TIME and CLOCK takes
 *           two words, including LINE. Otherwise a NUM is an int32, a TIME an int32 of
 *           microseconds, a CLOCK an int32 of microseconds from a base. A base is an entry of
 *           its own (shape and two words), added when an event is too far from the last base.
 *   shapes, sites  usually a few hundred; one may be stored repeatedly
 *   text    data of TEXT and LIST words, and of SIDs
 *   sids    SIDs without repeats; a record's SID word is an index
 */
#ifndef MONITOR_BATCH_H
#define MONITOR_BATCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/hash_index.h"
#include "monitor/event/event.h"

/* Sizes at which a batch is full, chosen for the L2 cache. */
#define BATCH_FULL_WORDS      (48u << 10)
#define BATCH_FULL_TEXT_BYTES (256u << 10)

/* Shape of a record: the mask of fields in the low bits, the flag WIDE, and the kind in the high
 * byte. */
#define BATCH_HEAD_WIDE        (1ull << 55)
#define BATCH_HEAD_KIND_SHIFT  56
#define BATCH_RECORD_MAX_WORDS (1 + 2 * NR_FIELDS)
#define BATCH_SITE_FIELDS      (FIELD_BIT(TR2_F_FILE) | FIELD_BIT(TR2_F_LINE))
#define BATCH_SET_GUESSES      512

/* 64-bit numbers, identified by their index in `v` */
struct batch_set {
	uint64_t *v; /* private: the numbers */
	uint32_t nr, cap;
	/* private, while filling: probable index of a number, by its hash */
	uint32_t *guesses;
};

struct batch_sid {
	uint64_t hash; /* tr2_hash() of the SID */
	uint32_t text; /* offset of the SID in the text */
	uint32_t len;
};

struct batch {
	/* ro: position of the batch in the journal, from 0; before, its number among the pushed
	 * batches */
	uint64_t seq;
	/* ro: number of events before this batch in the journal, including evicted ones */
	uint64_t first_event;
	/* private, while filling: base of CLOCK words; NS_NONE: none yet */
	ns_t base_ns;
	uint32_t *words; /* private: the packed records */
	uint32_t nr_words, cap_words;
	/* private: shapes, and sites (pairs of FILE and LINE) */
	struct batch_set shapes, sites;
	/* private: texts of TEXT and LIST fields, and SIDs */
	char *text;
	uint32_t nr_text_bytes, cap_text_bytes;
	struct batch_sid *sids; /* ro: the SIDs in the batch */
	uint32_t nr_sids, cap_sids;
	/* private, while filling: finds a SID in `sids` */
	struct tr2_hash_index by_sid;
	bool is_compact; /* private: the batch is one allocation */
	bool is_safe;    /* rw: the source can wait, so the journal does not drop the batch */
	/* the JSON text of a SID may differ from the SID, because of escapes */
	bool has_decoded_sids;
	/* ro: number of the batch's first stream (UINT32_MAX: none), whether it has several, and
	 * whether one had data that is not live */
	uint32_t stream;
	bool has_streams, has_old;
	uint32_t nr_records; /* ro: number of records of any kind */
	/* ro: number of Trace2 events, including unknown ones */
	uint32_t nr_events;
	struct batch *next; /* next batch in a list of the journal */
};

/* Create an empty batch. Exits if out of memory. */
struct batch *batch_new(void);
void batch_free(struct batch *batch);

/* Empty the batch. Keeps its memory, except large buffers of words and text. */
void batch_clear(struct batch *batch);

static inline bool batch_is_empty(const struct batch *batch)
{
	return !batch->nr_records;
}

static inline bool batch_is_full(const struct batch *batch)
{
	return batch->nr_words >= BATCH_FULL_WORDS || batch->nr_text_bytes >= BATCH_FULL_TEXT_BYTES;
}

/* Return a copy of the batch in one allocation. Nothing can be added to the copy. */
struct batch *batch_compact(const struct batch *batch);

size_t batch_bytes(const struct batch *batch);

/* ---- filling a batch (by the thread that owns it) ---- */

/* Return the index of a SID in the batch; adds the SID if it is new. `hash` is its tr2_hash().
 * `sid` may point into the batch's own text. */
uint32_t batch_sid(struct batch *batch, const char *sid, size_t len, uint64_t hash);

/* Copy a text into the batch and return its offset. */
uint32_t batch_add_text(struct batch *batch, const char *text, size_t len);

/* size of the length before a text of at least BATCH_SHORT_TEXT bytes; 1 byte before a shorter
 * one */
#define BATCH_TEXT_HEAD_BYTES 5
#define BATCH_SHORT_TEXT      255u
/*
 * Reserve memory for a text of at most `max_len` bytes. Write the text to the returned address,
 * then call batch_commit_text() with the text's length. That function returns the text's offset. Do
 * not use the batch in between.
 */
char *batch_reserve_text(struct batch *batch, size_t max_len);
uint32_t batch_commit_text(struct batch *batch, size_t len);

/* Build a LIST: batch_list_begin(), then batch_add_text() (or reserve and commit) for each item,
 * then batch_list_end(). Add no other texts in between. */
uint32_t batch_list_begin(struct batch *batch);
void batch_list_end(struct batch *batch, uint32_t list, uint32_t nr_items);

/* Return the end of the batch's text. batch_text_rewind() removes texts and SIDs added after that
 * position. */
static inline uint32_t batch_text_mark(const struct batch *batch)
{
	return batch->nr_text_bytes;
}

void batch_text_rewind(struct batch *batch, uint32_t mark);

/* Add a text or list that batch_packed() returned. Returns its offset. */
uint32_t batch_add_packed(struct batch *batch, const char *packed, size_t len);

void batch_add(struct batch *batch, const struct event *ev);

/* Append a record of the batch `from`, with copies of its texts and SIDs. */
void batch_add_from(struct batch *batch, const struct batch *from, const struct event *ev);

/*
 * Append a record that the caller packs, with fields in ascending order, all narrow or all wide.
 * Write words from batch_record_room() + 1 on, then call batch_record_commit(). Uncommitted words
 * are ignored. The pointer is valid until words are added by other means.
 */
void batch_grow_words(struct batch *batch, uint32_t more);

static inline uint32_t *batch_record_room(struct batch *batch)
{
	if (batch->cap_words - batch->nr_words < BATCH_RECORD_MAX_WORDS)
		batch_grow_words(batch, BATCH_RECORD_MAX_WORDS);
	return batch->words + batch->nr_words;
}

uint32_t batch_set_add(struct batch_set *set, uint64_t v);

/* Return the index of the number `v` in the set; adds `v` if it is new or was replaced in the table
 * of hashes. */
static inline uint32_t batch_set_index(struct batch_set *set, uint64_t v)
{
	uint32_t *guess = &set->guesses[(v * 0x9e3779b97f4a7c15ull) >> 55];

	if (*guess >= set->nr || set->v[*guess] != v)
		*guess = batch_set_add(set, v);
	return *guess;
}

/* Replace the last two words before `end`, FILE and LINE of a record, by the index of their site.
 * Returns the new end. */
static inline uint32_t *batch_site_fold(struct batch *batch, uint32_t *end)
{
	end[-2] = batch_set_index(&batch->sites, end[-2] | (uint64_t)end[-1] << 32);
	return end - 1;
}

/* Append a value of a WIDE record as two words. Returns the new end. */
static inline uint32_t *batch_put_wide(uint32_t *to, int64_t v)
{
	memcpy(to, &v, sizeof(v));
	return to + 2;
}

/* Append the record whose words the caller wrote. For a WIDE record, `mask` includes
 * BATCH_HEAD_WIDE, and FILE and LINE are separate. */
static inline void batch_record_commit(struct batch *batch, unsigned kind, uint64_t mask,
				       const uint32_t *end)
{
	uint64_t head = mask | (uint64_t)kind << BATCH_HEAD_KIND_SHIFT;

	batch->words[batch->nr_words] = batch_set_index(&batch->shapes, head);
	batch->nr_words = (uint32_t)(end - batch->words);
	batch->nr_records++;
	batch->nr_events += kind <= REC_UNKNOWN;
}

/* Convert a wall time in microseconds to the word of a CLOCK field. Returns false if there is no
 * base, or if the time is too far from it. */
static inline bool batch_clock_word(struct batch *batch, int64_t wall_us, uint32_t *word)
{
	int64_t offset;

	if (__builtin_expect(batch->base_ns == NS_NONE, 0))
		return false;
	offset = wall_us - batch->base_ns / NS_PER_US;
	*word = (uint32_t)offset;
	return offset == (int32_t)offset;
}

/* ---- reading a batch (any thread to which it was handed) ---- */

struct batch_cursor {
	const struct batch *batch;
	uint32_t at;  /* private: index in `words` of the next word */
	ns_t base_ns; /* private: base of CLOCK words */
};

static inline struct batch_cursor batch_begin(const struct batch *batch)
{
	return (struct batch_cursor){ .batch = batch };
}

/* Read the next record of the batch into `ev`. Sets only the fields in its mask. Returns false at
 * the end. */
bool batch_next(struct batch_cursor *cursor, struct event *ev);

/* Return the bytes of the packed text at `at` and set `*len`. In a list, the next item follows
 * directly. */
static inline const char *batch_text_open(const char *at, size_t *len)
{
	uint32_t len32;

	*len = (unsigned char)*at;
	if (*len < BATCH_SHORT_TEXT)
		return at + 1;
	memcpy(&len32, at + 1, sizeof(len32));
	*len = len32;
	return at + BATCH_TEXT_HEAD_BYTES;
}

/* Return the bytes of a TEXT field, valid until the batch changes or is freed. */
static inline const char *batch_text(const struct batch *batch, int64_t offset, size_t *len)
{
	return batch_text_open(batch->text + offset, len);
}

/* Return the number of items of a LIST field and set `*first_item` to the first one's offset, for
 * batch_text(). batch_list_next() returns the next offset, or the end. */
static inline uint32_t batch_list(const struct batch *batch, int64_t list, int64_t *first_item)
{
	uint32_t nr;

	memcpy(&nr, batch->text + list, sizeof(nr));
	*first_item = list + (int64_t)sizeof(nr);
	return nr;
}

static inline int64_t batch_list_next(const struct batch *batch, int64_t item)
{
	size_t len;

	return batch_text(batch, item, &len) + len - batch->text;
}

/* Return the packed form of a TEXT or LIST field. Equal bytes mean equal values. */
const char *batch_packed(const struct batch *batch, bool is_list, int64_t offset, size_t *len);

/* Return the SID at an index of `sids`. */
static inline const char *batch_sid_text(const struct batch *batch, uint32_t index, size_t *len)
{
	*len = batch->sids[index].len;
	return batch->text + batch->sids[index].text;
}

#endif
