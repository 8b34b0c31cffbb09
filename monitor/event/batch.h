/* SPDX-License-Identifier: MIT */
/*
 * batch: decoded events in order of arrival, packed, with everything they refer to except interned
 * symbols. Intake fills a batch and hands it to the journal; after that it is immutable. It is
 * freed or recycled as a whole.
 *
 *   words   records in a row: index of the record's shape (kind, WIDE, mask of fields), then
 *           one 32-bit word per field in ascending order of fields. FILE and LINE share one
 *           word, the index of their site. In a WIDE record every NUM, TIME and CLOCK takes
 *           two words, including LINE. Otherwise a NUM is an int32, a TIME an int32 of
 *           microseconds, a CLOCK an int32 of microseconds from a base. A base is a record of
 *           its own (shape and two words), added when an event is too far from the last base
 *           (old files of a directory may be days apart).
 *   shapes, sites  a few hundred at most, which repeat; rarely one occurs twice
 *   text    data of TEXT and LIST words
 *   sids    every SID once; a record's SID word is an index into it, so that applying a batch
 *           looks each SID up once
 *
 * About 47 bytes per Git event. No locks: one owner at a time.
 */
#ifndef MONITOR_BATCH_H
#define MONITOR_BATCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/hash_index.h"
#include "monitor/event/event.h"

/* Limits at which a batch is handed over. Sized for the L2 cache. */
#define BATCH_FULL_WORDS      (48u << 10)
#define BATCH_FULL_TEXT_BYTES (256u << 10)

/* Shape of a record: mask of fields in the low bits, WIDE, kind in the high byte. */
#define BATCH_HEAD_WIDE        (1ull << 55)
#define BATCH_HEAD_KIND_SHIFT  56
#define BATCH_RECORD_MAX_WORDS (1 + 2 * NR_FIELDS)
#define BATCH_SITE_FIELDS      (FIELD_BIT(TR2_F_FILE) | FIELD_BIT(TR2_F_LINE))
#define BATCH_SET_GUESSES      512

/* A set of repeated numbers, each identified by its index. */
struct batch_set {
	uint64_t *v; /* private */
	uint32_t nr, cap;
	uint32_t *guesses; /* while filling: index by hash, may be stale */
};

struct batch_sid {
	uint64_t hash; /* tr2_hash() of the SID */
	uint32_t text; /* offset in the batch's text */
	uint32_t len;  /* bytes */
};

struct batch {
	/* ro: sequence number in the journal, from 0; before that the order of waiting batches */
	uint64_t seq;
	uint64_t first_event; /* ro: number of events in the journal before this batch */
	ns_t base_ns;         /* private, while filling: base of CLOCK words; NS_NONE */
	uint32_t *words;      /* private */
	uint32_t nr_words, cap_words;
	struct batch_set shapes, sites; /* private */
	char *text;                     /* private */
	uint32_t nr_text_bytes, cap_text_bytes;
	struct batch_sid *sids; /* ro */
	uint32_t nr_sids, cap_sids;
	struct tr2_hash_index by_sid; /* private, while filling: indices of sids */
	bool is_compact;              /* private: stored in one allocation */
	bool is_safe;                 /* rw: from a source that can wait, so it is never dropped */
	bool has_decoded_sids; /* set by the reader: some SID is decoded, not as in its record */
	/*
	 * ro: STREAM records: number of the first one (UINT32_MAX: none), whether there are more,
	 * whether any is not LIVE (data from before we started).
	 */
	uint32_t stream;
	bool has_streams, has_old;
	uint32_t nr_records; /* ro: records of any kind */
	uint32_t nr_events;  /* ro: Trace2 events among them, including unknown ones */
	struct batch *next;  /* used by the journal */
};

/* Create an empty batch. Exits if out of memory (see die.h). */
struct batch *batch_new(void);
void batch_free(struct batch *batch);

/* Empty the batch but keep its memory, except what a huge event needed. */
void batch_clear(struct batch *batch);

static inline bool batch_is_empty(const struct batch *batch)
{
	return !batch->nr_records;
}

static inline bool batch_is_full(const struct batch *batch)
{
	return batch->nr_words >= BATCH_FULL_WORDS || batch->nr_text_bytes >= BATCH_FULL_TEXT_BYTES;
}

/*
 * Copy into one allocation of exact size, to avoid fragmentation of kept batches; `batch` keeps
 * its memory for refilling. Nothing can be added to the copy.
 */
struct batch *batch_compact(const struct batch *batch);

/* Memory held by the batch, in bytes. */
size_t batch_bytes(const struct batch *batch);

/* ---- filling (intake only) ---- */

/*
 * Index of a SID in the batch; adds it if new. `hash` is tr2_hash() of it. `sid` may point into
 * the batch's own text.
 */
uint32_t batch_sid(struct batch *batch, const char *sid, size_t len, uint64_t hash);

/* Copy a text into the batch. Returns its offset, for a TEXT field. */
uint32_t batch_add_text(struct batch *batch, const char *text, size_t len);

/*
 * Reserve memory for a text of at most `max_len` bytes, decoded in place: write to the returned
 * address, then call batch_commit_text() with the actual length, which returns the offset. Do not
 * use the batch in between.
 */
#define BATCH_TEXT_HEAD_BYTES 5 /* for BATCH_SHORT_TEXT bytes or more, else 1 */
#define BATCH_SHORT_TEXT      255u
char *batch_reserve_text(struct batch *batch, size_t max_len);
uint32_t batch_commit_text(struct batch *batch, size_t len);

/*
 * Build a LIST field: begin, then one batch_list_add() (or reserve and commit) per item, then end.
 * No other texts may be added in between.
 */
uint32_t batch_list_begin(struct batch *batch);
void batch_list_end(struct batch *batch, uint32_t list, uint32_t nr_items);

/*
 * batch_text_rewind() removes texts added since batch_text_mark(), if a record turns out to be
 * malformed. SIDs are kept.
 */
static inline uint32_t batch_text_mark(const struct batch *batch)
{
	return batch->nr_text_bytes;
}

void batch_text_rewind(struct batch *batch, uint32_t mark);

/*
 * Add a text or list that is already packed, as returned by batch_packed(). Returns its offset.
 */
uint32_t batch_add_packed(struct batch *batch, const char *packed, size_t len);

/* Append the record `ev`. */
void batch_add(struct batch *batch, const struct event *ev);

/* Append a record `ev` of another batch `from`, with a copy of everything it refers to. */
void batch_add_from(struct batch *batch, const struct batch *from, const struct event *ev);

/*
 * Append a record packed by the caller, with fields in ascending order, all narrow or all wide:
 * write words from batch_record_room() + 1 on, then commit. Uncommitted words are ignored. The
 * pointer is valid until words are added by other means.
 */
void batch_grow_words(struct batch *batch, uint32_t more);

static inline uint32_t *batch_record_room(struct batch *batch)
{
	if (batch->cap_words - batch->nr_words < BATCH_RECORD_MAX_WORDS)
		batch_grow_words(batch, BATCH_RECORD_MAX_WORDS);
	return batch->words + batch->nr_words;
}

uint32_t batch_set_add(struct batch_set *set, uint64_t v);

/* Index of `v`; adds it if new (or if another value replaced its guess). */
static inline uint32_t batch_set_index(struct batch_set *set, uint64_t v)
{
	uint32_t *guess = &set->guesses[(v * 0x9e3779b97f4a7c15ull) >> 55];

	if (*guess >= set->nr || set->v[*guess] != v)
		*guess = batch_set_add(set, v);
	return *guess;
}

/* Replace the last two words before `end`, FILE and LINE, by their site. Returns the new end. */
static inline uint32_t *batch_site_fold(struct batch *batch, uint32_t *end)
{
	end[-2] = batch_set_index(&batch->sites, end[-2] | (uint64_t)end[-1] << 32);
	return end - 1;
}

/* Append a number, time or clock of a WIDE record. Returns the new end. */
static inline uint32_t *batch_put_wide(uint32_t *to, int64_t v)
{
	memcpy(to, &v, sizeof(v));
	return to + 2;
}

/*
 * Commit a record. If all fields are wide, `mask` includes BATCH_HEAD_WIDE and the record has no
 * site.
 */
static inline void batch_record_commit(struct batch *batch, unsigned kind, uint64_t mask,
				       const uint32_t *end)
{
	uint64_t head = mask | (uint64_t)kind << BATCH_HEAD_KIND_SHIFT;

	batch->words[batch->nr_words] = batch_set_index(&batch->shapes, head);
	batch->nr_words = (uint32_t)(end - batch->words);
	batch->nr_records++;
	batch->nr_events += kind <= REC_UNKNOWN;
}

/*
 * Compute the word of a CLOCK of whole microseconds. Returns false if it is too far from the base.
 */
static inline bool batch_clock_word(struct batch *batch, int64_t wall_us, uint32_t *word)
{
	int64_t offset;

	if (__builtin_expect(batch->base_ns == NS_NONE, 0))
		return false;
	offset = wall_us - batch->base_ns / NS_PER_US;
	*word = (uint32_t)offset;
	return offset == (int32_t)offset;
}

/* ---- reading (any thread that was handed the batch) ---- */

struct batch_cursor {
	const struct batch *batch;
	uint32_t at;  /* private: word index */
	ns_t base_ns; /* private */
};

static inline struct batch_cursor batch_begin(const struct batch *batch)
{
	return (struct batch_cursor){ .batch = batch };
}

/* Read the next record into `ev`. Returns false at the end. Sets only fields of the mask. */
bool batch_next(struct batch_cursor *cursor, struct event *ev);

/* Bytes of the packed text at `at`; in a list the next item follows them. */
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

/* Bytes of a TEXT field, valid as long as the batch. */
static inline const char *batch_text(const struct batch *batch, int64_t offset, size_t *len)
{
	return batch_text_open(batch->text + offset, len);
}

/*
 * Return the number of items of a LIST field and set `*first_item` to an offset for batch_text().
 * batch_list_next() returns the offset of the next item, or the end.
 */
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

/* All bytes of a packed TEXT or LIST field. Equal bytes mean equal values. */
const char *batch_packed(const struct batch *batch, bool is_list, int64_t offset, size_t *len);

/* SID at an index of the table. */
static inline const char *batch_sid_text(const struct batch *batch, uint32_t index, size_t *len)
{
	*len = batch->sids[index].len;
	return batch->text + batch->sids[index].text;
}

#endif
