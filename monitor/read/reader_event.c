/* SPDX-License-Identifier: MIT */
/*
 * The predicted way to read an EVENT record: straight-line code for each kind of event, made
 * from the rows of events.def, which expects the keys in Git's order and gives up (NULL) at the
 * first byte that is not as expected. What was put into the batch until then is taken back.
 */
#include "config.h"
#include "monitor/read/reader_event.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/json.h"
#include "monitor/base/timestamp.h"

#define US_PER_SEC 1000000
/* A batch's memory was another processor's a moment ago: it is asked for so much ahead. */
#define PREFETCH_BYTES 768

/* Of every field: its type, and its key as it stands behind another member. */
enum {
#define TR2_FIELD(ID, wire, type, since, doc) TYPE_OF_##ID = TR2_TYPE_##type,
#include "engine/fields.def"
};
#define TR2_FIELD(ID, wire, type, since, doc)                                                  \
	static const char key_of_##ID[] __attribute__((unused)) = ",\"" wire "\":";
#include "engine/fields.def"

/* ---- values; each returns what follows it, or NULL ---- */

static inline bool ends_value(char c)
{
	return c == ',' || c == '}';
}

/* A string with escapes: decoded into room of the batch, not committed. */
static __attribute__((noinline)) const char *take_escaped(struct batch *batch, const char *p,
							  char **text, size_t *len)
{
	struct diag why;
	struct json_check check = { .base = p, .why = &why };
	const char *end = json_skip_string(&check, p);

	if (!end)
		return NULL;
	*text = batch_reserve_text(batch, (size_t)(end - p));
	*len = json_decode(p, end - 1, *text);
	return end;
}

static __attribute__((noinline)) sym_t sym_find(struct event_reader *reader, const char *p,
						size_t len, struct sym_cache_entry *entry,
						const struct sym_cache_entry *want)
{
	sym_t sym = tr2_intern(reader->syms, p, len);

	if (entry && sym != reader->syms->sym_other) {
		*entry = *want;
		entry->sym = sym;
	}
	return sym;
}

/* The symbol of `len` bytes that stand in the record as they are. */
static inline sym_t sym_plain(struct event_reader *reader, const char *p, size_t len)
{
	struct sym_cache_entry want = { .len = (uint32_t)len }, *entry;
	uint64_t hash;

	if (len > SYM_CACHE_TEXT_BYTES)
		return sym_find(reader, p, len, NULL, NULL);
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
	return sym_find(reader, p, len, entry, &want);
}

sym_t event_sym_plain(struct event_reader *reader, const char *p, size_t len)
{
	return sym_plain(reader, p, len);
}

/* The symbol that stands at `p`, behind its quote, where it is not the one that was guessed. */
static __attribute__((noinline)) const char *
sym_unguessed(struct event_reader *reader, struct batch *batch, const char *p,
	      struct sym_guess *guess, uint32_t *word)
{
	const char *end = scan_string(p);
	size_t len = (size_t)(end - p);

	if (__builtin_expect(*end != '"', 0)) {
		char *text;

		end = take_escaped(batch, p, &text, &len);
		if (end)
			*word = tr2_intern(reader->syms, text, len);
		return end;
	}
	*word = sym_plain(reader, p, len);
	if (len + 1 < sizeof(guess->text) && *word != reader->syms->sym_other) {
		memcpy(guess->text, p, sizeof(guess->text));
		guess->len = (uint32_t)len + 1;
		guess->sym = *word;
	}
	return end + 1;
}

/* `place`: what to guess by, the site or else the kind, and the field. */
static inline __attribute__((always_inline)) const char *
take_sym(struct event_reader *reader, struct batch *batch, const char *p, uint32_t place,
	 uint32_t *word)
{
	struct sym_guess *guess =
		&reader->sym_guesses[place * 0x9e3779b1u >> (32 - SYM_GUESS_BITS)];

	if (*p++ != '"')
		return NULL;
	if (__builtin_expect(!scan_begins32(p, guess->text, guess->len), 0))
		return sym_unguessed(reader, batch, p, guess, word);
	*word = guess->sym;
	return p + guess->len;
}

/* Copy a text whose bytes need no decoding. */
static inline uint32_t text_put(struct batch *batch, const char *p, size_t len)
{
	uint32_t at = batch->nr_text_bytes;

	if (__builtin_expect(len >= BATCH_SHORT_TEXT, 0))
		return batch_add_text(batch, p, len);
	/* scan_copy() may write a little more. */
	if (batch->cap_text_bytes - at < len + 1 + 16)
		batch_reserve_text(batch, len + 16);
	batch->text[at] = (char)len;
	scan_copy(batch->text + at + 1, p, len);
	batch->nr_text_bytes = at + 1 + (uint32_t)len;
	return at;
}

static inline const char *take_text(struct batch *batch, const char *p, uint32_t *word)
{
	const char *end;

	if (*p++ != '"')
		return NULL;
	end = scan_string(p);
	if (__builtin_expect(*end != '"', 0)) {
		char *text;
		size_t len;

		end = take_escaped(batch, p, &text, &len);
		if (end)
			*word = batch_commit_text(batch, len);
		return end;
	}
	*word = text_put(batch, p, (size_t)(end - p));
	return end + 1;
}

static const char *take_list(struct batch *batch, const char *p, uint32_t *word)
{
	uint32_t list, nr = 0, item;

	if (*p++ != '[')
		return NULL;
	list = batch_list_begin(batch);
	if (*p == ']') {
		p++;
	} else {
		do {
			p = take_text(batch, p, &item);
			nr++;
		} while (p && *p++ == ',');
		if (!p || p[-1] != ']')
			return NULL;
	}
	batch_list_end(batch, list, nr);
	*word = list;
	return p;
}

static const char *take_json(struct batch *batch, const char *p, uint32_t *word)
{
	struct diag why;
	struct json_check check = { .base = p, .why = &why };
	const char *end = json_skip(&check, p, 1);

	if (end)
		*word = batch_add_text(batch, p, (size_t)(end - p));
	return end;
}

/* At most nine digits: more may not be narrow. */
static inline const char *take_num(const char *p, uint32_t *word)
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

/* Seconds with six decimals, as Git writes them. */
static inline const char *take_time(const char *p, uint32_t *word)
{
	const char *from = p;
	uint64_t seconds = 0, micros;

	for (; scan_is_digit(*p); p++)
		seconds = seconds * 10 + (uint64_t)(*p - '0');
	micros = scan_load6(p + 1);
	if (p == from || p - from > 4 || (*from == '0' && p - from > 1) || *p != '.' ||
	    !scan_is_digits8(micros) || !ends_value(p[7]))
		return NULL;
	seconds = seconds * US_PER_SEC + scan_digits8(micros);
	*word = (uint32_t)seconds;
	return seconds <= INT32_MAX ? p + 7 : NULL;
}

/* Learn the minute of a time that was read the slow way, so that the next one is fast. */
static __attribute__((noinline)) bool minute_learn(struct event_reader *reader, const char *p)
{
	char text[MINUTE_BYTES + 3];
	ns_t wall;

	memcpy(text, p + 1, MINUTE_BYTES - 1);
	memcpy(text + MINUTE_BYTES - 1, "00Z", 3);
	if (*p != '"' || !timestamp_parse(text, MINUTE_BYTES + 2, &wall))
		return false;
	memcpy(reader->minute, p, MINUTE_BYTES);
	reader->minute_us = wall / NS_PER_US;
	return true;
}

static inline const char *take_clock(struct event_reader *reader, struct batch *batch,
				     const char *p, uint32_t *word)
{
	const char *second = p + MINUTE_BYTES;
	uint64_t micros;

	if (__builtin_expect(memcmp(p, reader->minute, MINUTE_BYTES) != 0, 0) &&
	    !minute_learn(reader, p))
		return NULL;
	micros = scan_load6(second + 3);
	if ((unsigned char)(second[0] - '0') > 5 || !scan_is_digit(second[1]) ||
	    second[2] != '.' || !scan_is_digits8(micros) || second[9] != 'Z' ||
	    second[10] != '"')
		return NULL;
	micros = scan_digits8(micros) +
		 (uint64_t)((second[0] - '0') * 10 + (second[1] - '0')) * US_PER_SEC;
	if (!batch_clock_word(batch, reader->minute_us + (int64_t)micros, word))
		return NULL;
	return second + 11;
}

static inline const char *take_bool(const char *p, uint32_t *word)
{
	*word = *p == 't';
	if (!memcmp(p, "true", 4))
		return p + 4;
	return memcmp(p, "false", 5) ? NULL : p + 5;
}

/*
 * A SID is seldom new: most often it is the last one's, else one that the batch has already,
 * looked up by its last bytes, the process's own. The guess is compared with the batch's own
 * SIDs, so that it may be stale. Those compare with records' bytes only as long as none of the
 * batch's SIDs was decoded.
 */
static inline const char *take_sid(struct event_reader *reader, struct batch *batch,
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

/* ---- the record ---- */

static inline __attribute__((always_inline)) const char *
take_value(struct event_reader *reader, struct batch *batch, const char *p, unsigned type,
	   bool is_json, uint32_t place, uint32_t *word)
{
	switch (type) {
	case TR2_TYPE_SYM:
		return take_sym(reader, batch, p, place, word);
	case TR2_TYPE_TEXT:
		return is_json ? take_json(batch, p, word) : take_text(batch, p, word);
	case TR2_TYPE_LIST:
		return take_list(batch, p, word);
	case TR2_TYPE_NUM:
		return take_num(p, word);
	case TR2_TYPE_BOOL:
		return take_bool(p, word);
	case TR2_TYPE_TIME:
		return take_time(p, word);
	case TR2_TYPE_CLOCK:
		return take_clock(reader, batch, p, word);
	default:
		return NULL;
	}
}

/* The kind of event that a record begins with; `*p` moves behind its name's quote. */
static inline unsigned take_kind(const struct event_reader *reader, const char **p)
{
	static const char begin[] = "{\"event\":\"";
	const char *name = *p + sizeof(begin) - 1, *end;

	if (memcmp(*p, begin, sizeof(begin) - 1))
		return NAME_NONE;
	end = scan_string(name);
	*p = end + 1;
	return *end == '"' ? names_find(&reader->kinds, name, (size_t)(end - name)) : NAME_NONE;
}

/* What take_site() found in place of a site's index. */
enum { SITE_FILE_ALONE = SITE_GUESSES, SITE_NONE };

_Static_assert(TR2_NR_FIELDS <= PLACES_A_SITE, "a place is a site and a field");

static uint8_t site_learn(struct event_reader *reader, const char *text, size_t len,
			  const uint32_t *words)
{
	uint8_t at = (uint8_t)((words[0] * 0x9e3779b1u + words[1] * 0x85ebca6bu) >> 24);
	struct site_guess *guess;

	/* One of four places, the last of them where all are taken. */
	for (int i = 0; i < 4; i++) {
		guess = &reader->site_guesses[at++];
		if (!guess->file || (guess->file == words[0] && guess->line == words[1]))
			break;
	}
	if (len < sizeof(guess->text) && words[0] != reader->syms->sym_other) {
		memcpy(guess->text, text, sizeof(guess->text));
		guess->len = (uint32_t)len;
		guess->file = words[0];
		guess->line = words[1];
	}
	return (uint8_t)(guess - reader->site_guesses);
}

/*
 * Another site than was guessed: into two words, and learned for the next time. Where there is
 * no whole one, `*site` says so, and what follows FILE is returned, or `p`.
 */
static __attribute__((noinline)) const char *site_unguessed(struct event_reader *reader,
							    struct batch *batch, const char *p,
							    uint8_t *next, uint32_t *words,
							    uint32_t *site)
{
	const char *text = p;

	*site = SITE_NONE;
	if (memcmp(p, key_of_FILE, sizeof(key_of_FILE) - 1))
		return p;
	*site = SITE_FILE_ALONE;
	p = take_sym(reader, batch, p + sizeof(key_of_FILE) - 1, TR2_F_FILE, words);
	if (!p || memcmp(p, key_of_LINE, sizeof(key_of_LINE) - 1))
		return p;
	p = take_num(p + sizeof(key_of_LINE) - 1, words + 1);
	if (p)
		*site = *next = site_learn(reader, text, (size_t)(p + 1 - text), words);
	return p;
}

/* FILE and LINE where both stand at `p`: two words, and in `*site` which site it is. */
static inline const char *take_site(struct event_reader *reader, struct batch *batch,
				    const char *p, unsigned kind, uint32_t sid,
				    uint32_t *words, uint32_t *site)
{
	uint8_t *last = &reader->last_sites[sid % SID_CACHE_SIZE];
	uint8_t *next = &reader->next_sites[*last][kind % NEXT_KINDS];
	const struct site_guess *guess = &reader->site_guesses[*next];

	if (__builtin_expect(!scan_begins(p, guess->text, guess->len), 0)) {
		p = site_unguessed(reader, batch, p, next, words, site);
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

/*
 * The record that begins at `p`; what follows its LF, or NULL and nothing is committed.
 * Reading stops at the LF or before, so `end`, behind the last line, bounds only the
 * comparison of SIDs.
 */
static const char *event_take(struct event_reader *reader, struct batch *batch, const char *p,
			      const char *end)
{
	unsigned kind = take_kind(reader, &p);
	uint32_t *room = batch_record_room(batch), *to = room + 1;
	uint64_t mask = FIELD_BIT(TR2_F_SID);
	uint32_t place = 0, site;

	scan_prefetch_write((uintptr_t)room + PREFETCH_BYTES);
	scan_prefetch_write((uintptr_t)batch->text + batch->nr_text_bytes + PREFETCH_BYTES);
	if (kind >= TR2_NR_EVENTS || memcmp(p, key_of_SID, sizeof(key_of_SID) - 1))
		return NULL;
	p += sizeof(key_of_SID) - 1;
	if (*p != '"')
		return NULL;
	p = take_sid(reader, batch, p + 1, end, to++);
	if (!p)
		return NULL;
#define F(ID)                                                                                  \
	if (!memcmp(p, key_of_##ID, sizeof(key_of_##ID) - 1)) {                                \
		p = take_value(reader, batch, p + sizeof(key_of_##ID) - 1, TYPE_OF_##ID,       \
			       TR2_F_##ID == TR2_F_VALUE && kind == TR2_E_DATA_JSON,           \
			       place + TR2_F_##ID, to++);                                      \
		if (__builtin_expect(!p, 0))                                                   \
			return NULL;                                                           \
		mask |= FIELD_BIT(TR2_F_##ID);                                                 \
	}
#define O(ID) F(ID)
	F(THREAD);
	F(TIME);
	p = take_site(reader, batch, p, kind, room[1], to, &site);
	if (__builtin_expect(!p, 0))
		return NULL;
	place = (site < SITE_GUESSES ? site : SITE_GUESSES + kind) * PLACES_A_SITE;
	if (__builtin_expect(site < SITE_GUESSES, 1)) {
		mask |= BATCH_SITE_FIELDS;
		to = batch_site_fold(batch, to + 2);
	} else if (site == SITE_FILE_ALONE) {
		mask |= FIELD_BIT(TR2_F_FILE);
		to++;
	} else {
		F(LINE);
	}
	F(REPO);
	switch (kind) {
#define TR2_EVENT(ID, wire, since, targets, fields, ...) \
	case TR2_E_##ID:                                                                       \
		fields;                                                                        \
		break;
#include "engine/events.def"
	}
#undef F
#undef O
	if (p[0] != '}' || p[1] != '\n')
		return NULL;
	batch_record_commit(batch, kind, mask, to);
	return p + 2;
}

/* ---- the reader ---- */

/* What failed to be as predicted goes the general way. `record` is without its LF. */
static enum read_result event_read_slow(struct event_reader *reader, const char *record,
					size_t len, struct batch *batch, uint32_t mark,
					struct diag *why)
{
	batch_text_rewind(batch, mark);
	return event_read_any(reader, record, len, batch, why);
}

static void count(struct read_counts *counts, enum read_result result)
{
	counts->nr_events += result == READ_OK || result == READ_UNKNOWN;
	counts->nr_unknown += result == READ_UNKNOWN;
	counts->nr_malformed += result == READ_BAD;
}

static size_t event_read_lines(void *state, const char *lines, size_t len, struct batch *batch,
			       struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	const char *p = lines, *end = lines + len;
	uint64_t nr_events = 0;

	while (p < end && !batch_is_full(batch)) {
		uint32_t mark = batch_text_mark(batch);
		const char *next = event_take(state, batch, p, end);
		enum read_result result;
		struct diag why;
		size_t record_len;

		if (__builtin_expect(next != NULL, 1)) {
			nr_events++;
			p = next;
			continue;
		}
		record_len = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
		result = event_read_slow(state, p, record_len, batch, mark, &why);
		count(counts, result);
		if (result == READ_BAD && bad)
			bad(bad_data, p, record_len, &why);
		p += record_len + 1;
	}
	counts->nr_events += nr_events;
	return (size_t)(p - lines);
}

static void names_add(struct name_table *names, const char *name, unsigned id)
{
	char padded[SCAN_PAD] = { 0 };
	size_t len = strlen(name);
	struct scan_word16 word;
	uint32_t at;

	memcpy(padded, name, len);
	word = scan_word16(padded, len);
	for (at = names_hash(word); names->slots[at].len; at = (at + 1) % NAME_SLOTS)
		;
	names->slots[at] = (struct name_slot){ word, (uint16_t)len, (uint16_t)id };
}

static void names_init(struct name_table *names)
{
	for (uint32_t at = 0; at < NAME_SLOTS; at++)
		names->slots[at] = (struct name_slot){ .id = NAME_NONE };
}

static void event_init(void *state, struct tr2_intern *syms)
{
	struct event_reader *reader = state;

	reader->syms = syms;
	/* Any minute will do, as long as no other text equals it. */
	memcpy(reader->minute, "\"1970-01-01T00:00:", MINUTE_BYTES);
	for (unsigned i = 0; i < 1u << SYM_GUESS_BITS; i++)
		reader->sym_guesses[i] = (struct sym_guess){ "\"", 1, 0 };
	for (unsigned i = 0; i < SITE_GUESSES; i++)
		reader->site_guesses[i] =
			(struct site_guess){ ",\"file\":\"\",\"line\":0,", 20, 0, 0 };
	names_init(&reader->kinds);
	names_init(&reader->keys);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		names_add(&reader->kinds, tr2_events[kind].wire, kind);
	for (unsigned field = 0; field < TR2_NR_FIELDS; field++)
		names_add(&reader->keys, tr2_fields[field].wire, field);
	for (unsigned i = 0; i < tr2_nr_field_aliases; i++)
		names_add(&reader->keys, tr2_field_aliases[i].wire, KEY_ALIAS_FIRST + i);
	names_add(&reader->keys, "event", KEY_EVENT);
	names_add(&reader->keys, "subcommands", KEY_SUBCOMMANDS);
}

/* Blanks are behind us already. */
static enum probe event_probe(const char *bytes, size_t len, bool is_all)
{
	(void)len;
	(void)is_all;
	return *bytes == '{' ? PROBE_YES : PROBE_NO;
}

const struct reader_ops reader_event_ops = {
	.state_bytes = sizeof(struct event_reader),
	.framing = FRAME_LINES,
	.probe = event_probe,
	.init = event_init,
	.read_lines = event_read_lines,
};
