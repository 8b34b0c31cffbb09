/* SPDX-License-Identifier: MIT */
/*
 * Internals of the EVENT reader: one JSON object per line, as Git's event target writes it.
 *
 * The fast path (reader_event.c) expects the keys in Git's order and reads them in one pass without
 * a key lookup. At the first byte that it does not expect, the general path (reader_event_any.c)
 * parses the whole record again. Only the general path reports malformed records.
 */
#ifndef MONITOR_READER_EVENT_H
#define MONITOR_READER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/schema.h"
#include "monitor/read/reader.h"

enum read_result {
	READ_OK, /* an event was appended */
	/* an event of unknown name was appended as REC_UNKNOWN */
	READ_UNKNOWN,
	READ_BLANK, /* nothing was appended */
	READ_BAD,   /* nothing was appended */
};

#define NAME_MAX_BYTES 16
#define NAME_SLOTS     256u
#define NAME_NONE      UINT16_MAX

struct name_slot {
	struct scan_word16 word;
	uint16_t len; /* 0: the slot is free */
	uint16_t id;
};

struct name_table {
	struct name_slot slots[NAME_SLOTS];
};

static inline uint32_t names_hash(struct scan_word16 word)
{
	return (uint32_t)(((word.lo ^ word.hi << 7) * 0x9e3779b97f4a7c15ull) >> 56);
}

/* Return the id of a name, or NAME_NONE. SCAN_PAD bytes must be readable after the name. */
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

#define SYM_CACHE_BITS       9
#define SYM_CACHE_TEXT_BYTES 32
#define SID_CACHE_BITS       8
#define SID_CACHE_SIZE       (1u << SID_CACHE_BITS)
#define SYM_GUESS_BITS       9
#define SITE_GUESSES         256u
/* guesses per site; the kind of event modulo this number selects one */
#define NEXT_KINDS    32u
#define PLACES_A_SITE 64u /* places per site; at least the number of fields */
/* Length of the remembered minute, `"YYYY-MM-DDTHH:MM:`, including the quote. */
#define MINUTE_BYTES 18

/* A short text and its symbol. All zeros: the empty text. */
struct sym_cache_entry {
	struct scan_word16 a, b;
	uint32_t len;
	sym_t sym;
};

/*
 * A guess is a recent value, usually at the same place. For most symbols, the place is a field of a
 * site (FILE and LINE) or of a kind of event; for a site, a kind of event after another site,
 * usually of the same process.
 */
struct sym_guess {
	char text[32]; /* the value after its opening quote, with the closing quote */
	uint32_t len;
	sym_t sym;
};

struct site_guess {
	char text[64];       /* the site, `,"file":"...","line":N`, and the byte after it */
	uint32_t len;        /* < 64 */
	uint32_t file, line; /* words of FILE and LINE in a batch */
};

enum {
	/* the first alias: add an index into tr2_field_aliases */
	KEY_ALIAS_FIRST = TR2_NR_FIELDS,
	KEY_EVENT = KEY_ALIAS_FIRST
#define TR2_FIELD(ID, wire, type, since, share, doc)
#define TR2_FIELD_ALIAS(ID, wire, unit_ns, doc) +1
#include "engine/fields.def"
	,
	KEY_SUBCOMMANDS,
	NR_KEYS
};

/* Limits per record on the kept members that no field of the schema takes. */
#define EXTRA_MAX_KEYS  64
#define EXTRA_MAX_BYTES 4096

struct event_reader {
	struct tr2_intern *syms;
	uint32_t last_sid;         /* index in the batch of the last SID */
	char minute[MINUTE_BYTES]; /* in UTC */
	int64_t minute_us;
	/* indexes of SIDs in the batch, by a hash of the SID's last bytes */
	uint32_t sid_cache[SID_CACHE_SIZE];
	struct sym_cache_entry sym_cache[1u << SYM_CACHE_BITS];
	/*
	 * `last_sites`: by SID (modulo their number), the last site. `next_sites`: by site and kind
	 * of event, the site that last followed. Both are indexes into `site_guesses`.
	 */
	uint8_t last_sites[SID_CACHE_SIZE];
	uint8_t next_sites[SITE_GUESSES][NEXT_KINDS];
	struct sym_guess sym_guesses[1u << SYM_GUESS_BITS];
	struct site_guess site_guesses[SITE_GUESSES];
	struct name_table kinds; /* finds enum tr2_event_kind by the event's name */
	/* finds enum tr2_field, or a KEY_ id such as KEY_EVENT, by the text of the key */
	struct name_table keys;
};

/* Parse a record on the general path. record[len] must be the LF. */
enum read_result event_read_any(struct event_reader *reader, const char *record, size_t len,
				struct batch *batch, struct diag *why);

/* Return the symbol of a text without escapes. SCAN_PAD bytes must be readable after it. */
sym_t event_sym_plain(struct event_reader *reader, const char *p, size_t len);

/* True if the text at `p`, including a closing quote before `end`, is the SID with this index in
 * the batch. */
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
