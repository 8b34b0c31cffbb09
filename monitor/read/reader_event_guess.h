/* SPDX-License-Identifier: MIT */
/*
 * Guesses of the EVENT reader: a value is usually a recent one. A guess holds bytes as they are in
 * records, so that one comparison both reads and verifies a value.
 *
 * event_take_...() and ..._unguessed() return the position after the value; NULL if the general
 * path must read the record. The caller then removes the texts that were added to the batch.
 */
#ifndef MONITOR_READER_EVENT_GUESS_H
#define MONITOR_READER_EVENT_GUESS_H

#include <string.h>

#include "engine/base/hash.h"
#include "monitor/read/reader_event.h"

#define US_PER_SEC 1000000

/* The text before the value of each field: `,"key":`. */
#define TR2_FIELD(ID, wire, type, since, share, doc)                                               \
	static const char key_of_##ID[] __attribute__((unused)) = ",\"" wire "\":";
#include "engine/fields.def"

static inline bool ends_value(char c)
{
	return c == ',' || c == '}';
}

/* Read an integer of at most nine digits, which fits into one word. */
static inline const char *event_take_num(const char *p, uint32_t *word)
{
	bool negative = *p == '-';
	const char *from = p += negative;
	uint32_t v = 0;

	for (; scan_is_digit(*p); p++)
		v = v * 10 + (uint32_t)(*p - '0');
	if (p == from || p - from > 9 || (*from == '0' && p - from > 1) || !ends_value(*p))
		return NULL;
	*word = negative ? 0 - v : v;
	return p;
}

/* Decode a string with escapes into uncommitted space of the batch. */
const char *event_take_escaped(struct batch *batch, const char *p, char **text, size_t *len);
/* Return the symbol of a text that is not in the cache. Stores it in `entry`, unless that is NULL
 * or the symbol is `sym_other`. */
sym_t event_sym_find(struct event_reader *reader, const char *p, size_t len,
		     struct sym_cache_entry *entry, const struct sym_cache_entry *want);
/* Read a string that differs from the guess, from after its opening quote, as a symbol. */
const char *event_sym_unguessed(struct event_reader *reader, struct batch *batch, const char *p,
				struct sym_guess *guess, uint32_t *word);
/*
 * Remember the minute of the time at `p`, for event_take_clock(). Returns false if it is invalid.
 */
bool event_minute_learn(struct event_reader *reader, const char *p);
/*
 * Read a site (FILE and LINE) that differs from the guess, as two words, and remember it if
 * possible. If only FILE is present, sets `*site` to SITE_FILE_ALONE and returns the position after
 * FILE. If there is no FILE at `p`, sets `*site` to SITE_NONE and returns `p`.
 */
const char *event_site_unguessed(struct event_reader *reader, struct batch *batch, const char *p,
				 uint8_t *next, uint32_t *words, uint32_t *site);

static inline sym_t sym_plain(struct event_reader *reader, const char *p, size_t len)
{
	struct sym_cache_entry want = { .len = (uint32_t)len }, *entry;
	uint64_t hash;

	if (len > SYM_CACHE_TEXT_BYTES)
		return event_sym_find(reader, p, len, NULL, NULL);
	want.a = scan_word16(p, len);
	hash = want.a.lo * 0x9e3779b97f4a7c15ull ^ want.a.hi * 0xa0761d6478bd642full;
	if (len > 16) {
		want.b = scan_word16(p + 16, len - 16);
		hash ^= want.b.lo * 0xe7037ed1a0b428dbull ^ want.b.hi * 0x8ebc6af09c88c6e3ull;
	}
	entry = &reader->sym_cache[hash >> (64 - SYM_CACHE_BITS)];
	if (entry->a.lo == want.a.lo && entry->a.hi == want.a.hi && entry->b.lo == want.b.lo &&
	    entry->b.hi == want.b.hi && entry->len == len)
		return entry->sym;
	return event_sym_find(reader, p, len, entry, &want);
}

/* Read a symbol. `place` selects the guess (struct sym_guess). */
static inline __attribute__((always_inline)) const char *
event_take_sym(struct event_reader *reader, struct batch *batch, const char *p, uint32_t place,
	       uint32_t *word)
{
	struct sym_guess *guess =
		&reader->sym_guesses[place * 0x9e3779b1u >> (32 - SYM_GUESS_BITS)];

	if (*p++ != '"')
		return NULL;
	if (__builtin_expect(!scan_begins32(p, guess->text, guess->len), 0))
		return event_sym_unguessed(reader, batch, p, guess, word);
	*word = guess->sym;
	return p + guess->len;
}

static inline const char *event_take_clock(struct event_reader *reader, struct batch *batch,
					   const char *p, uint32_t *word)
{
	const char *second = p + MINUTE_BYTES;
	uint64_t micros;

	if (__builtin_expect(memcmp(p, reader->minute, MINUTE_BYTES) != 0, 0) &&
	    !event_minute_learn(reader, p))
		return NULL;
	micros = scan_load6(second + 3);
	if ((unsigned char)(second[0] - '0') > 5 || !scan_is_digit(second[1]) || second[2] != '.' ||
	    !scan_is_digits8(micros) || second[9] != 'Z' || second[10] != '"')
		return NULL;
	micros = scan_digits8(micros) +
		 (uint64_t)((second[0] - '0') * 10 + (second[1] - '0')) * US_PER_SEC;
	if (!batch_clock_word(batch, reader->minute_us + (int64_t)micros, word))
		return NULL;
	return second + 11;
}

/*
 * A record's SID is usually that of the last record, or one of the batch, found by the SID's last
 * bytes. The comparison is valid only if no SID of the batch had escapes, which are stored decoded.
 */
static inline const char *event_take_sid(struct event_reader *reader, struct batch *batch,
					 const char *p, const char *record_end, uint32_t *word)
{
	const char *end;
	uint32_t *guess;
	size_t len;

	if (event_sid_is(batch, reader->last_sid, p, record_end) && !batch->has_decoded_sids) {
		*word = reader->last_sid;
		return p + batch->sids[reader->last_sid].len + 1;
	}
	end = scan_string(p);
	len = (size_t)(end - p);
	if (*end != '"' || batch->has_decoded_sids)
		return NULL;
	guess = &reader->sid_cache[(scan_word16(len < 8 ? p : end - 8, len < 8 ? len : 8).lo *
				    0x9e3779b97f4a7c15ull) >>
				   (64 - SID_CACHE_BITS)];
	if (!event_sid_is(batch, *guess, p, record_end)) {
		*guess = batch_sid(batch, p, len, tr2_hash(p, len));
		reader->last_sites[*guess % SID_CACHE_SIZE] = 0;
	}
	*word = reader->last_sid = *guess;
	return end + 1;
}

/* Values of `*site` that are not the index of a site. */
enum { SITE_FILE_ALONE = SITE_GUESSES, SITE_NONE };

_Static_assert(TR2_NR_FIELDS <= PLACES_A_SITE, "a place is a site and a field");

/* Read FILE and LINE, as two words, or FILE alone, if they are at `p`. Sets `*site` to the index of
 * the site, SITE_FILE_ALONE or SITE_NONE. */
static inline const char *event_take_site(struct event_reader *reader, struct batch *batch,
					  const char *p, unsigned kind, uint32_t sid,
					  uint32_t *words, uint32_t *site)
{
	uint8_t *last = &reader->last_sites[sid % SID_CACHE_SIZE];
	uint8_t *next = &reader->next_sites[*last][kind % NEXT_KINDS];
	const struct site_guess *guess = &reader->site_guesses[*next];

	if (__builtin_expect(!scan_begins(p, guess->text, guess->len), 0)) {
		p = event_site_unguessed(reader, batch, p, next, words, site);
		if (!p || *site >= SITE_GUESSES)
			return p;
	} else {
		words[0] = guess->file;
		words[1] = guess->line;
		p += guess->len - 1;
	}
	*site = *last = *next;
	return p;
}

#endif
