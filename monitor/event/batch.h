/* SPDX-License-Identifier: MIT */
/*
 * A batch: decoded events in the order of their arrival, packed, with everything they refer to
 * but the interned symbols. Intake fills it, hands it to the journal, and from then on nobody
 * changes it; it is freed or recycled whole.
 *
 *   words   one record behind the other: the number of its shape (kind, WIDE, mask of fields),
 *           then one 32-bit word a field in ascending order of fields; FILE and LINE share one,
 *           the number of their site. Of a WIDE record every NUM, TIME and CLOCK takes two
 *           words, LINE included; else a NUM is an int32, a TIME an int32 of microseconds, a
 *           CLOCK an int32 of microseconds from a base that stands between the records: its
 *           shape and two words, wherever an event is too far from the last base (old files
 *           of a directory lie days apart).
 *   shapes, sites  a few hundred at most that come again and again; rarely one stands twice
 *   text    what TEXT and LIST words point into
 *   sids    every SID once; a record's SID word is an index into it, so that whoever applies a
 *           batch looks each SID up once
 *
 * About 47 bytes a Git event. No locks: one owner at a time.
 */
#ifndef MONITOR_BATCH_H
#define MONITOR_BATCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/slots.h"
#include "monitor/event/event.h"

/* A batch is handed over when it has this much, at the latest. Sized for the L2 cache. */
#define BATCH_FULL_WORDS      (48u << 10)
#define BATCH_FULL_TEXT_BYTES (256u << 10)

/* A record's shape: mask of fields in the low bits, WIDE, kind in the high byte. */
#define BATCH_HEAD_WIDE        (1ull << 55)
#define BATCH_HEAD_KIND_SHIFT  56
#define BATCH_RECORD_MAX_WORDS (1 + 2 * NR_FIELDS)
#define BATCH_SITE_FIELDS      (FIELD_BIT(TR2_F_FILE) | FIELD_BIT(TR2_F_LINE))
#define BATCH_SET_GUESSES      512

/* Numbers that come again, each known by its index. */
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
	uint64_t seq;         /* ro: number in the journal, from 0; while waiting, in which order */
	uint64_t first_event; /* ro: events in the journal before this batch's */
	ns_t base_ns;         /* private, while filling: what CLOCK words count from; NS_NONE */
	uint32_t *words;      /* private */
	uint32_t nr_words, cap_words;
	struct batch_set shapes, sites; /* private */
	char *text;                     /* private */
	uint32_t nr_text_bytes, cap_text_bytes;
	struct batch_sid *sids; /* ro */
	uint32_t nr_sids, cap_sids;
	struct tr2_slots by_sid; /* private: numbers of sids, while it is filled */
	bool is_compact;         /* private: all of it is one piece of memory */
	bool is_safe;            /* rw: from what could have waited, so that it is never dropped */
	bool has_decoded_sids;   /* the reader's: some SID did not stand so in its record */
	/* ro: of its STREAM records: the first one's number (UINT32_MAX: none), whether others
	 * follow, whether any is of what was there before we came (not LIVE). */
	uint32_t stream;
	bool has_streams, has_old;
	uint32_t nr_records; /* ro: records of any kind */
	uint32_t nr_events;  /* ro: of them Trace2 events, unknown ones included */
	struct batch *next;  /* the journal's */
};

/* A new, empty batch. Out of memory ends the program with one line (see die.h). */
struct batch *batch_new(void);
void batch_free(struct batch *batch);

/* Empty it, keep its memory (but give back what one huge event had made it grow to). */
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
 * A copy in one piece of memory of just its size, for keeping: so the memory of kept batches
 * does not crumble, and `batch` keeps its room for filling again. Nothing may be added to it.
 */
struct batch *batch_compact(const struct batch *batch);

/* Memory held by the batch, in bytes. */
size_t batch_bytes(const struct batch *batch);

/* ---- filling: intake only ---- */

/*
 * The index of a SID in the batch, added where it is new. `hash` is tr2_hash() of it. `sid`
 * may point anywhere, the batch's own text included.
 */
uint32_t batch_sid(struct batch *batch, const char *sid, size_t len, uint64_t hash);

/* Copy a text into the batch; its offset, for a TEXT field. */
uint32_t batch_add_text(struct batch *batch, const char *text, size_t len);

/*
 * Room for a text of at most `max_len` bytes that the caller decodes in place: write it at the
 * address returned, then call batch_commit_text() with the real length for its offset. Nothing
 * else of the batch may be touched in between.
 */
#define BATCH_TEXT_HEAD_BYTES 5 /* of a text of BATCH_SHORT_TEXT bytes or more, else 1 */
#define BATCH_SHORT_TEXT      255u
char *batch_reserve_text(struct batch *batch, size_t max_len);
uint32_t batch_commit_text(struct batch *batch, size_t len);

/*
 * A LIST field: begin, then one batch_list_add() (or reserve + commit) an item, then end. The
 * items' texts must be the only texts added in between.
 */
uint32_t batch_list_begin(struct batch *batch);
void batch_list_end(struct batch *batch, uint32_t list, uint32_t nr_items);

/* Forget texts (and SIDs are kept) added since `mark`, where a record turned out malformed. */
static inline uint32_t batch_text_mark(const struct batch *batch)
{
	return batch->nr_text_bytes;
}

void batch_text_rewind(struct batch *batch, uint32_t mark);

/* A text, or a list, that is packed already, as batch_packed() has it; its offset, for a field. */
uint32_t batch_add_packed(struct batch *batch, const char *packed, size_t len);

/* Append the record `ev`. */
void batch_add(struct batch *batch, const struct event *ev);

/*
 * The same of a record of another batch: what `ev` refers to in `from` is copied along. `from`
 * may not be `batch`.
 */
void batch_add_from(struct batch *batch, const struct batch *from, const struct event *ev);

/*
 * The same for a reader that meets the fields in ascending order and packs them itself, all
 * narrow or all wide: take the room, write the words from room + 1 on, commit. What is not
 * committed was never there. The room is valid until the batch's words are added to by other
 * means.
 */
void batch_grow_words(struct batch *batch, uint32_t more);

static inline uint32_t *batch_record_room(struct batch *batch)
{
	if (batch->cap_words - batch->nr_words < BATCH_RECORD_MAX_WORDS)
		batch_grow_words(batch, BATCH_RECORD_MAX_WORDS);
	return batch->words + batch->nr_words;
}

uint32_t batch_set_add(struct batch_set *set, uint64_t v);

/* The index of `v`, added where it is new (or where its guess was lost to another). */
static inline uint32_t batch_set_index(struct batch_set *set, uint64_t v)
{
	uint32_t *guess = &set->guesses[(v * 0x9e3779b97f4a7c15ull) >> 55];

	if (*guess >= set->nr || set->v[*guess] != v)
		*guess = batch_set_add(set, v);
	return *guess;
}

/* The last two words before `end` are FILE and LINE: make them one. The new end. */
static inline uint32_t *batch_site_fold(struct batch *batch, uint32_t *end)
{
	end[-2] = batch_set_index(&batch->sites, end[-2] | (uint64_t)end[-1] << 32);
	return end - 1;
}

/* A number, time or clock of a WIDE record; what follows it. */
static inline uint32_t *batch_put_wide(uint32_t *to, int64_t v)
{
	memcpy(to, &v, sizeof(v));
	return to + 2;
}

/* Of a record that is all wide `mask` has BATCH_HEAD_WIDE, too; it has no site. */
static inline void batch_record_commit(struct batch *batch, unsigned kind, uint64_t mask,
				       const uint32_t *end)
{
	uint64_t head = mask | (uint64_t)kind << BATCH_HEAD_KIND_SHIFT;

	batch->words[batch->nr_words] = batch_set_index(&batch->shapes, head);
	batch->nr_words = (uint32_t)(end - batch->words);
	batch->nr_records++;
	batch->nr_events += kind <= REC_UNKNOWN;
}

/* The word of a CLOCK of whole microseconds; false where it is too far from the base. */
static inline bool batch_clock_word(struct batch *batch, int64_t wall_us, uint32_t *word)
{
	int64_t offset;

	if (__builtin_expect(batch->base_ns == NS_NONE, 0))
		return false;
	offset = wall_us - batch->base_ns / NS_PER_US;
	*word = (uint32_t)offset;
	return offset == (int32_t)offset;
}

/* ---- reading: any thread that was handed the batch ---- */

struct batch_cursor {
	const struct batch *batch;
	uint32_t at;  /* private: word index */
	ns_t base_ns; /* private */
};

static inline struct batch_cursor batch_begin(const struct batch *batch)
{
	return (struct batch_cursor){ .batch = batch };
}

/* The next record into `ev`; false at the end. Only fields of the mask are written. */
bool batch_next(struct batch_cursor *cursor, struct event *ev);

/* The bytes of the packed text at `at`; in a list the next one is behind them. */
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

/* The bytes of a TEXT field, valid while the batch is. */
static inline const char *batch_text(const struct batch *batch, int64_t offset, size_t *len)
{
	return batch_text_open(batch->text + offset, len);
}

/* The items of a LIST field: their number, and an offset to give to batch_text(), which
 * batch_list_next() moves to the next item, or behind the last one. */
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

/* The bytes that a TEXT or LIST field is made of, whole: equal ones say the same. */
const char *batch_packed(const struct batch *batch, bool is_list, int64_t offset, size_t *len);

/* The SID at an index of the table. */
static inline const char *batch_sid_text(const struct batch *batch, uint32_t index, size_t *len)
{
	*len = batch->sids[index].len;
	return batch->text + batch->sids[index].text;
}

#endif
