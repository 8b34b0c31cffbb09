/* SPDX-License-Identifier: MIT */
/*
 * General path for EVENT records. Pass 1 checks the JSON and notes where the values are; of a
 * repeated known key, the last value is used. Pass 2 converts the values to the types of their
 * fields. Values of another type, and members with unknown keys, are stored in FLD_EXTRA, within
 * limits.
 */
#include "config.h"
#include "monitor/read/reader_event.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/json.h"
#include "monitor/base/timestamp.h"

/* A key, or a checked JSON value; a string value includes its quotes. */
struct json_span {
	const char *at, *end;
};

struct json_extra {
	/* text of the key: with quotes, unless the reader knows the key */
	struct json_span key;
	struct json_span value;
};

struct json_record {
	struct event_reader *reader;
	struct batch *batch;
	struct json_extra extra[EXTRA_MAX_KEYS];
	/* number of members in `extra`, and of members that did not fit there */
	unsigned nr_extra, nr_more;
	size_t extra_bytes, more_bytes;
	uint64_t noted; /* bit KEY is set: the record has the key, and values[KEY] is valid */
	struct json_span values[NR_KEYS];
	struct event ev;
};

static_assert(NR_KEYS <= 64, "noted keys are a mask");

static bool is_noted(const struct json_record *any, unsigned key)
{
	return any->noted >> key & 1;
}

static unsigned key_find(const struct event_reader *reader, const char *p, const char *end)
{
	/* An escape \uXXXX takes six bytes for one character, so a known key has at most six times
	 * NAME_MAX_BYTES. */
	char decoded[NAME_MAX_BYTES * 6 + SCAN_PAD];
	size_t len = (size_t)(end - p);
	unsigned key = names_find(&reader->keys, p, len);

	if (key != NAME_NONE || len > NAME_MAX_BYTES * 6 || !memchr(p, '\\', len))
		return key;
	len = json_decode(p, end, decoded);
	memset(decoded + len, 0, NAME_MAX_BYTES);
	return names_find(&reader->keys, decoded, len);
}

static void extra_note(struct json_record *any, struct json_span key, struct json_span value)
{
	size_t bytes = (size_t)(key.end - key.at) + (size_t)(value.end - value.at);

	if (any->nr_extra == EXTRA_MAX_KEYS || bytes > EXTRA_MAX_BYTES - any->extra_bytes) {
		any->nr_more++;
		any->more_bytes += bytes;
		return;
	}
	any->extra[any->nr_extra++] = (struct json_extra){ key, value };
	any->extra_bytes += bytes;
}

static void member_note(struct json_record *any, const struct json_members *member)
{
	unsigned key = key_find(any->reader, member->key, member->key_end);
	struct json_span value = { member->value, member->value_end };

	if (key == NAME_NONE) {
		extra_note(any, (struct json_span){ member->key - 1, member->key_end + 1 }, value);
		return;
	}
	any->noted |= UINT64_C(1) << key;
	any->values[key] = value;
}

static bool record_remember(struct json_record *any, const struct json_check *check,
			    const char *record, size_t len)
{
	const char *p = scan_blanks(record);
	struct json_members members = json_members(check, p, 0);

	if (*p != '{') {
		bool is_json = json_skip(check, p, 0);

		return json_fail(check, p, is_json ? DIAG_OBJECT : DIAG_JSON, "not a JSON object");
	}
	while (json_members_next(&members))
		member_note(any, &members);
	if (!members.end)
		return false;
	p = scan_blanks(members.end);
	if (p != record + len)
		return json_fail(check, p, DIAG_JSON, "trailing text after the object");
	return true;
}

static bool span_is_string(const struct json_span *span)
{
	return *span->at == '"';
}

static bool span_is_number(const struct json_span *span)
{
	return *span->at == '-' || scan_is_digit(*span->at);
}

/*
 * Return the text of a string: a part of the record, or, if it has escapes, uncommitted space of
 * the batch.
 */
static const char *span_text(struct batch *batch, const struct json_span *span, size_t *len)
{
	const char *text = span->at + 1;
	char *room;

	*len = (size_t)(span->end - 1 - text);
	if (!memchr(text, '\\', *len))
		return text;
	room = batch_reserve_text(batch, *len);
	*len = json_decode(text, span->end - 1, room);
	return room;
}

static int64_t any_sym(struct json_record *any, const struct json_span *span)
{
	size_t len;
	const char *text = span_text(any->batch, span, &len);

	return text == span->at + 1 ? event_sym_plain(any->reader, text, len)
				    : tr2_intern(any->reader->syms, text, len);
}

static int64_t any_text(struct batch *batch, const struct json_span *span)
{
	size_t max_len = (size_t)(span->end - span->at);
	char *room = batch_reserve_text(batch, max_len);

	return batch_commit_text(batch, json_decode(span->at + 1, span->end - 1, room));
}

/*
 * Return the index of a SID in the batch, added if new. Usually it is the last SID, so that is
 * compared first.
 */
static int64_t any_sid(struct json_record *any, const struct json_span *span)
{
	struct batch *batch = any->batch;
	uint32_t *last = &any->reader->last_sid;
	const char *sid;
	size_t len;

	if (!batch->has_decoded_sids && event_sid_is(batch, *last, span->at + 1, span->end))
		return *last;
	sid = span_text(batch, span, &len);
	if (sid != span->at + 1)
		batch->has_decoded_sids = true;
	return *last = batch_sid(batch, sid, len, tr2_hash(sid, len));
}

static const char *string_end(const char *p)
{
	for (p = scan_string(p + 1); *p != '"'; p = scan_string(p))
		p += 2;
	return p + 1;
}

/*
 * Get the next string of a checked JSON array. Returns false at the end. `*p` must be after the
 * opening bracket or the previous item. If the item is not a string, `item->at` is NULL and `*p` at
 * the item's start.
 */
static bool next_string(const char **p, struct json_span *item)
{
	*p = scan_blanks(*p);
	if (**p == ',')
		*p = scan_blanks(*p + 1);
	if (**p == ']')
		return false;
	*item = (struct json_span){ NULL, NULL };
	if (**p == '"') {
		item->at = *p;
		item->end = *p = string_end(*p);
	}
	return true;
}

static bool is_list_of_strings(const struct json_span *span)
{
	const char *p = span->at + 1;
	struct json_span item;

	if (*span->at != '[')
		return false;
	while (next_string(&p, &item))
		if (!item.at)
			return false;
	return true;
}

static int64_t any_list(struct batch *batch, const struct json_span *span)
{
	uint32_t list = batch_list_begin(batch), nr = 0;
	const char *p = span->at + 1;
	struct json_span item;

	for (; next_string(&p, &item); nr++)
		any_text(batch, &item);
	batch_list_end(batch, list, nr);
	return list;
}

static bool any_clock(const struct json_span *span, int64_t *out)
{
	/* Times with escapes are not parsed. */
	return span_is_string(span) &&
	       timestamp_parse(span->at + 1, (size_t)(span->end - span->at) - 2, out);
}

/* Return the exponent of ten that converts units of `unit_ns` to ns. */
static int scale_of(uint32_t unit_ns)
{
	int scale = 0;

	for (; unit_ns >= 10; unit_ns /= 10)
		scale++;
	return scale;
}

static void field_set(struct json_record *any, unsigned field, const struct json_span *span,
		      uint32_t unit_ns)
{
	bool is_json = field == TR2_F_VALUE && any->ev.kind == TR2_E_DATA_JSON;
	int64_t v;

	switch (tr2_fields[field].type) {
	case TR2_TYPE_SID:
		event_set(&any->ev, field, any_sid(any, span));
		break;
	case TR2_TYPE_SYM:
		if (span_is_string(span))
			event_set(&any->ev, field, any_sym(any, span));
		break;
	case TR2_TYPE_TEXT:
		if (is_json)
			event_set(&any->ev, field,
				  batch_add_text(any->batch, span->at,
						 (size_t)(span->end - span->at)));
		else if (span_is_string(span))
			event_set(&any->ev, field, any_text(any->batch, span));
		break;
	case TR2_TYPE_LIST:
		if (is_list_of_strings(span))
			event_set(&any->ev, field, any_list(any->batch, span));
		break;
	case TR2_TYPE_NUM:
		if (span_is_number(span) && json_decimal(span->at, 0, true, &v))
			event_set(&any->ev, field, v);
		break;
	case TR2_TYPE_BOOL:
		if (*span->at == 't' || *span->at == 'f')
			event_set(&any->ev, field, *span->at == 't');
		break;
	case TR2_TYPE_TIME:
		if (span_is_number(span) &&
		    json_decimal(span->at, scale_of(unit_ns ? unit_ns : 1000000000), false, &v))
			event_set(&any->ev, field, v);
		break;
	case TR2_TYPE_CLOCK:
		if (any_clock(span, &v))
			event_set(&any->ev, field, v);
		break;
	}
}

static void fields_set(struct json_record *any)
{
	uint64_t fields = any->noted & (FIELD_BIT(TR2_NR_FIELDS) - 1);

	for (; fields; fields &= fields - 1) {
		unsigned field = (unsigned)__builtin_ctzll(fields);

		field_set(any, field, &any->values[field], 0);
	}
	for (unsigned i = 0; i < tr2_nr_field_aliases; i++) {
		const struct tr2_field_alias *alias = &tr2_field_aliases[i];
		const struct json_span *span = &any->values[KEY_ALIAS_FIRST + i];

		if (is_noted(any, KEY_ALIAS_FIRST + i) && !event_has(&any->ev, alias->field))
			field_set(any, alias->field, span, alias->unit_ns);
	}
}

/*
 * Android's repo tool puts its own name and the command in separate fields; later versions write
 * "repo-sync". Join the two fields.
 */
static bool subcommands_join(struct json_record *any)
{
	const struct json_span *name = &any->values[TR2_F_NAME];
	const struct json_span *list = &any->values[KEY_SUBCOMMANDS];
	const char *p;
	struct json_span item;
	size_t len;
	char *room;

	if (!is_noted(any, TR2_F_NAME) || !span_is_string(name) || !is_list_of_strings(list))
		return false;
	p = list->at + 1;
	room = batch_reserve_text(any->batch,
				  (size_t)(name->end - name->at) + (size_t)(list->end - list->at));
	len = json_decode(name->at + 1, name->end - 1, room);
	while (next_string(&p, &item)) {
		room[len++] = '-';
		len += json_decode(item.at + 1, item.end - 1, room + len);
	}
	event_set(&any->ev, TR2_F_NAME, tr2_intern(any->reader->syms, room, len));
	return true;
}

static void known_note(struct json_record *any, unsigned key, const char *wire)
{
	struct json_span name = { wire, wire + strlen(wire) };

	extra_note(any, name, any->values[key]);
}

static void mistyped_note(struct json_record *any)
{
	uint64_t fields = any->noted & (FIELD_BIT(TR2_NR_FIELDS) - 1) & ~any->ev.mask;

	for (; fields; fields &= fields - 1) {
		unsigned field = (unsigned)__builtin_ctzll(fields);

		known_note(any, field, tr2_fields[field].wire);
	}
	for (unsigned i = 0; i < tr2_nr_field_aliases; i++)
		if (is_noted(any, KEY_ALIAS_FIRST + i) &&
		    !event_has(&any->ev, tr2_field_aliases[i].field))
			known_note(any, KEY_ALIAS_FIRST + i, tr2_field_aliases[i].wire);
}

static void extra_set(struct json_record *any)
{
	struct batch *batch = any->batch;
	uint32_t list, nr_items = any->nr_extra * 2;

	if (!any->nr_extra && !any->nr_more)
		return;
	list = batch_list_begin(batch);
	for (unsigned i = 0; i < any->nr_extra; i++) {
		const struct json_extra *extra = &any->extra[i];

		if (*extra->key.at == '"')
			any_text(batch, &extra->key);
		else
			batch_add_text(batch, extra->key.at,
				       (size_t)(extra->key.end - extra->key.at));
		batch_add_text(batch, extra->value.at,
			       (size_t)(extra->value.end - extra->value.at));
	}
	if (any->nr_more) {
		char more[80];
		int len = snprintf(more, sizeof(more), "not kept: %u more of %zu bytes",
				   any->nr_more, any->more_bytes);

		batch_add_text(batch, more, (size_t)len);
		nr_items++;
	}
	batch_list_end(batch, list, nr_items);
	event_set(&any->ev, FLD_EXTRA, list);
}

static void kind_set(struct json_record *any)
{
	size_t len;
	const char *name = span_text(any->batch, &any->values[KEY_EVENT], &len);
	unsigned kind;

	/* A decoded name is in the batch, whose memory may end without SCAN_PAD bytes: look up a
	 * copy. */
	if (name != any->values[KEY_EVENT].at + 1 && len <= NAME_MAX_BYTES) {
		char padded[SCAN_PAD] = { 0 };

		memcpy(padded, name, len);
		kind = names_find(&any->reader->kinds, padded, len);
	} else {
		kind = names_find(&any->reader->kinds, name, len);
	}
	any->ev.kind = REC_UNKNOWN;
	if (kind < TR2_NR_EVENTS) {
		any->ev.kind = (uint8_t)kind;
		return;
	}
	for (size_t i = 0; i < tr2_nr_event_aliases; i++)
		if (strlen(tr2_event_aliases[i].wire) == len &&
		    !memcmp(tr2_event_aliases[i].wire, name, len))
			any->ev.kind = tr2_event_aliases[i].kind;
	event_set(&any->ev, FLD_EVENT, tr2_intern(any->reader->syms, name, len));
}

enum read_result event_read_any(struct event_reader *reader, const char *record, size_t len,
				struct batch *batch, struct diag *why)
{
	struct json_check check = { .base = record, .why = why };
	/* large, so not initialised: only values whose bit in `noted` is set are read */
	struct json_record any;

	if (scan_blanks(record) == record + len)
		return READ_BLANK;
	any.reader = reader;
	any.batch = batch;
	any.noted = any.ev.mask = 0;
	any.nr_extra = any.nr_more = 0;
	any.extra_bytes = any.more_bytes = 0;
	if (!record_remember(&any, &check, record, len))
		return READ_BAD;
	if (!is_noted(&any, KEY_EVENT) || !span_is_string(&any.values[KEY_EVENT])) {
		json_fail(&check, record, DIAG_EVENT, "no string \"event\"");
		return READ_BAD;
	}
	if (!is_noted(&any, TR2_F_SID) || !span_is_string(&any.values[TR2_F_SID])) {
		json_fail(&check, record, DIAG_SID, "no string \"sid\"");
		return READ_BAD;
	}
	kind_set(&any);
	fields_set(&any);
	if (is_noted(&any, KEY_SUBCOMMANDS) &&
	    (any.ev.kind != TR2_E_CMD_NAME || !subcommands_join(&any)))
		known_note(&any, KEY_SUBCOMMANDS, "subcommands");
	mistyped_note(&any);
	extra_set(&any);
	batch_add(batch, &any.ev);
	return any.ev.kind == REC_UNKNOWN ? READ_UNKNOWN : READ_OK;
}
