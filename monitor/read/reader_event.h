/* SPDX-License-Identifier: MIT */
/*
 * The EVENT reader's inside: one JSON object a line, as Git's event target writes it.
 *
 * Two ways lead to the same packed record. The predicted way (reader_event.c) knows the order
 * in which Git writes its keys, from events.def and fields.def: one pass, no lookup of keys,
 * words packed as they come. The first byte that is not as predicted (another order, an unknown
 * key, an odd number, white space) sends the whole record the general way (reader_event_any.c):
 * check the JSON, note where each known key's value stands, then convert. Only the general way
 * calls a record malformed.
 */
#ifndef MONITOR_READER_EVENT_H
#define MONITOR_READER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/schema.h"
#include "monitor/read/reader.h"

enum read_result {
	READ_OK,      /* one event was appended to the batch */
	READ_UNKNOWN, /* the same, of no known name: REC_UNKNOWN */
	READ_BLANK,   /* no record at all */
	READ_BAD,     /* malformed; the batch is as it was */
};

/* ---- names: keys and event names, all of them at most 16 bytes ---- */

#define NAME_MAX_BYTES 16
#define NAME_SLOTS     256u
#define NAME_NONE      UINT16_MAX

struct name_slot {
	struct scan_word16 word;
	uint16_t len; /* 0: free */
	uint16_t id;
};

struct name_table {
	struct name_slot slots[NAME_SLOTS];
};

static inline uint32_t names_hash(struct scan_word16 word)
{
	return (uint32_t)(((word.lo ^ word.hi << 7) * 0x9e3779b97f4a7c15ull) >> 56);
}

/* The id of the `len` bytes at `text`, or NAME_NONE. SCAN_PAD as ever. */
static inline unsigned names_find(const struct name_table *names, const char *text, size_t len)
{
	struct scan_word16 word;

	if (len > NAME_MAX_BYTES)
		return NAME_NONE;
	word = scan_word16(text, len);
	for (uint32_t at = names_hash(word);; at = (at + 1) % NAME_SLOTS) {
		const struct name_slot *slot = &names->slots[at];

		if (slot->word.lo == word.lo && slot->word.hi == word.hi && slot->len == len)
			return slot->id;
		if (!slot->len)
			return NAME_NONE;
	}
}

/* ---- state ---- */

#define SYM_CACHE_BITS       9
#define SYM_CACHE_TEXT_BYTES 32
#define SID_CACHE_BITS       8
#define SID_CACHE_SIZE       (1u << SID_CACHE_BITS)
#define SYM_GUESS_BITS       9
#define SITE_GUESSES         256u
#define NEXT_KINDS           32u /* of events, by the rest */
#define PLACES_A_SITE        64u /* more than there are fields */
/* `"YYYY-MM-DDTHH:MM:`, with its quote */
#define MINUTE_BYTES 18

/* A short text whose symbol is known; zeroes are the empty text's right entry. */
struct sym_cache_entry {
	struct scan_word16 a, b;
	uint32_t len;
	sym_t sym;
};

/*
 * What stood last at the same place: in the same field of the same site (FILE and LINE); as the
 * site of an event of the same kind, behind the same site of the same process. Programs say the
 * same things again: of Git's own events nine sites in ten are guessed, of their symbols nearly
 * all. A guess holds the bytes as they stand in the record, so that one comparison both reads
 * and proves it. The empty guess is the right one for empty names.
 */
struct sym_guess {
	char text[32]; /* behind its first quote, the last one included */
	uint32_t len;  /* of that, < 32 */
	sym_t sym;
};

struct site_guess {
	char text[64];       /* `,"file":"...","line":N` and the byte behind that */
	uint32_t len;        /* < 64 */
	uint32_t file, line; /* the words */
};

/* Ids of keys beside the fields'. */
enum {
	KEY_ALIAS_FIRST = TR2_NR_FIELDS, /* + index into tr2_field_aliases */
	KEY_EVENT = KEY_ALIAS_FIRST
#define TR2_FIELD(ID, wire, type, since, share, doc)
#define TR2_FIELD_ALIAS(ID, wire, unit_ns, doc) +1
#include "engine/fields.def"
	,
	KEY_SUBCOMMANDS,
	NR_KEYS
};

/* What is kept of a record's members that no field of the schema takes. */
#define EXTRA_MAX_KEYS  64
#define EXTRA_MAX_BYTES 4096

struct event_reader {
	struct tr2_intern *syms;
	uint32_t last_sid;         /* index into the batch of the SID that came last */
	char minute[MINUTE_BYTES]; /* the minute that came last, in UTC */
	int64_t minute_us;
	uint32_t sid_cache[SID_CACHE_SIZE]; /* index into the batch, by the SID's end */
	struct sym_cache_entry sym_cache[1u << SYM_CACHE_BITS];
	/* Which of site_guesses came last, by the index of the SID; which came behind that. */
	uint8_t last_sites[SID_CACHE_SIZE];
	uint8_t next_sites[SITE_GUESSES][NEXT_KINDS];
	struct sym_guess sym_guesses[1u << SYM_GUESS_BITS];
	struct site_guess site_guesses[SITE_GUESSES];
	struct name_table kinds; /* id: enum tr2_event_kind */
	struct name_table keys;  /* id: enum tr2_field or one of the above */
};

/* The general way: any JSON, any order. record[len] is its LF. */
enum read_result event_read_any(struct event_reader *reader, const char *record, size_t len,
				struct batch *batch, struct diag *why);

/* The symbol of `len` bytes that stand in the record as they are; SCAN_PAD as ever. */
sym_t event_sym_plain(struct event_reader *reader, const char *p, size_t len);

/* Is the batch's SID at `index` what stands at `p`, its quote included? The record ends at
 * `end`. */
static inline bool event_sid_is(const struct batch *batch, uint32_t index, const char *p,
				const char *end)
{
	const struct batch_sid *sid;

	if (index >= batch->nr_sids)
		return false;
	sid = &batch->sids[index];
	return (size_t)(end - p) > sid->len && p[sid->len] == '"' &&
	       scan_equal(p, batch->text + sid->text, sid->len);
}

#endif
