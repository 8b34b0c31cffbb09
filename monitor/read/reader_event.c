/* SPDX-License-Identifier: MIT */
/* Fast path for EVENT records: straight-line code per kind of event, generated from events.def. */
#include "config.h"
#include "monitor/read/reader_event_guess.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/json.h"
#include "monitor/base/timestamp.h"

/* Distance of prefetching the batch's memory, which another processor's cache may hold. */
#define PREFETCH_BYTES 768

enum {
#define TR2_FIELD(ID, wire, type, since, share, doc) TYPE_OF_##ID = TR2_TYPE_##type,
#include "engine/fields.def"
};

static inline uint32_t event_text_put(struct batch *batch, const char *p, size_t len)
{
	uint32_t at = batch->nr_text_bytes;

	if (__builtin_expect(len >= BATCH_SHORT_TEXT, 0))
		return batch_add_text(batch, p, len);
	/* scan_copy() may write up to 15 bytes beyond the text. */
	if (batch->cap_text_bytes - at < len + 1 + 16)
		batch_reserve_text(batch, len + 16);
	batch->text[at] = (char)len;
	scan_copy(batch->text + at + 1, p, len);
	batch->nr_text_bytes = at + 1 + (uint32_t)len;
	return at;
}

static inline const char *event_take_text(struct batch *batch, const char *p, uint32_t *word)
{
	const char *end;

	if (*p++ != '"')
		return NULL;
	end = scan_string(p);
	if (__builtin_expect(*end != '"', 0)) {
		char *text;
		size_t len;

		end = event_take_escaped(batch, p, &text, &len);
		if (end)
			*word = batch_commit_text(batch, len);
		return end;
	}
	*word = event_text_put(batch, p, (size_t)(end - p));
	return end + 1;
}

static const char *event_take_list(struct batch *batch, const char *p, uint32_t *word)
{
	uint32_t list, nr = 0, item;

	if (*p++ != '[')
		return NULL;
	list = batch_list_begin(batch);
	if (*p == ']') {
		p++;
	} else {
		do {
			p = event_take_text(batch, p, &item);
			nr++;
		} while (p && *p++ == ',');
		if (!p || p[-1] != ']')
			return NULL;
	}
	batch_list_end(batch, list, nr);
	*word = list;
	return p;
}

static const char *event_take_json(struct batch *batch, const char *p, uint32_t *word)
{
	struct diag why;
	struct json_check check = { .base = p, .why = &why };
	const char *end = json_skip(&check, p, 1);

	if (end)
		*word = batch_add_text(batch, p, (size_t)(end - p));
	return end;
}

/* Read seconds with exactly six decimals. */
static inline const char *event_take_time(const char *p, uint32_t *word)
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

static inline const char *event_take_bool(const char *p, uint32_t *word)
{
	*word = *p == 't';
	if (!memcmp(p, "true", 4))
		return p + 4;
	return memcmp(p, "false", 5) ? NULL : p + 5;
}

static inline __attribute__((always_inline)) const char *
event_take_value(struct event_reader *reader, struct batch *batch, const char *p, unsigned type,
		 bool is_json, uint32_t place, uint32_t *word)
{
	switch (type) {
	case TR2_TYPE_SYM:
		return event_take_sym(reader, batch, p, place, word);
	case TR2_TYPE_TEXT:
		return is_json ? event_take_json(batch, p, word) : event_take_text(batch, p, word);
	case TR2_TYPE_LIST:
		return event_take_list(batch, p, word);
	case TR2_TYPE_NUM:
		return event_take_num(p, word);
	case TR2_TYPE_BOOL:
		return event_take_bool(p, word);
	case TR2_TYPE_TIME:
		return event_take_time(p, word);
	case TR2_TYPE_CLOCK:
		return event_take_clock(reader, batch, p, word);
	default:
		return NULL;
	}
}

/* Read the event name at the start of a record, and set `*p` after its closing quote. Returns the
 * kind of event; NAME_NONE: none. */
static inline unsigned event_take_kind(const struct event_reader *reader, const char **p)
{
	static const char begin[] = "{\"event\":\"";
	const char *name = *p + sizeof(begin) - 1, *end;

	if (memcmp(*p, begin, sizeof(begin) - 1))
		return NAME_NONE;
	end = scan_string(name);
	*p = end + 1;
	return *end == '"' ? names_find(&reader->kinds, name, (size_t)(end - name)) : NAME_NONE;
}

/*
 * Parse the record at `p`. Returns the position after its LF; NULL if the record is not as
 * expected: then the batch may have new texts, SIDs and sites, but no new record. `end`, the end of
 * the last line, only bounds the comparison of SIDs.
 */
static const char *event_parse(struct event_reader *reader, struct batch *batch, const char *p,
			       const char *end)
{
	unsigned kind = event_take_kind(reader, &p);
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
	p = event_take_sid(reader, batch, p + 1, end, to++);
	if (!p)
		return NULL;
#define F(ID)                                                                                      \
	if (!memcmp(p, key_of_##ID, sizeof(key_of_##ID) - 1)) {                                    \
		p = event_take_value(reader, batch, p + sizeof(key_of_##ID) - 1, TYPE_OF_##ID,     \
				     TR2_F_##ID == TR2_F_VALUE && kind == TR2_E_DATA_JSON,         \
				     place + TR2_F_##ID, to++);                                    \
		if (__builtin_expect(!p, 0))                                                       \
			return NULL;                                                               \
		mask |= FIELD_BIT(TR2_F_##ID);                                                     \
	}
#define O(ID) F(ID)
	F(THREAD);
	F(TIME);
	p = event_take_site(reader, batch, p, kind, room[1], to, &site);
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
#define TR2_EVENT(ID, wire, since, targets, fields, ...)                                           \
	case TR2_E_##ID:                                                                           \
		fields;                                                                            \
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

static enum read_result event_read_slow(struct event_reader *reader, const char *record, size_t len,
					struct batch *batch, uint32_t mark, struct diag *why)
{
	batch_text_rewind(batch, mark);
	return event_read_any(reader, record, len, batch, why);
}

static void event_count_result(struct read_counts *counts, enum read_result result)
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
		const char *next = event_parse(state, batch, p, end);
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
		event_count_result(counts, result);
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
	/* The remembered minute is valid: its text and value (0) agree. */
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

/* Blanks at the start are usually skipped, so the first byte decides. */
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
