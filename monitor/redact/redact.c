/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/redact.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/redact/redact_text.h"

enum share {
	SHARE_KEEP,
	SHARE_SID,
	SHARE_HOST,
	SHARE_VOCAB,
	SHARE_NAMES,
	SHARE_THREAD,
	SHARE_PARAM,
	SHARE_WORDS,
	SHARE_EXE,
	SHARE_TEXT,
	SHARE_EXTRA,
	/* rule of the field `value` in data_json events, instead of the rule in fields.def */
	SHARE_JSON,
};

static const uint8_t shares[NR_FIELDS] = {
#define TR2_FIELD(ID, wire, type, since, share, doc) [TR2_F_##ID] = SHARE_##share,
#include "engine/fields.def"
#define RECORD_FIELD(ID, type, share, doc) [FLD_##ID] = SHARE_##share,
#include "monitor/event/records.def"
};

static redact_rule *const rules[] = {
	[SHARE_KEEP] = redact_keep,   [SHARE_SID] = redact_sid,     [SHARE_HOST] = redact_host,
	[SHARE_VOCAB] = redact_vocab, [SHARE_NAMES] = redact_names, [SHARE_THREAD] = redact_thread,
	[SHARE_PARAM] = redact_param, [SHARE_WORDS] = redact_words, [SHARE_EXE] = redact_exe,
	[SHARE_TEXT] = redact_whole,  [SHARE_EXTRA] = redact_whole, [SHARE_JSON] = redact_json,
};

static const uint8_t types[NR_FIELDS] = {
#define TR2_FIELD(ID, wire, type, since, share, doc) [TR2_F_##ID] = TR2_TYPE_##type,
#include "engine/fields.def"
#define RECORD_FIELD(ID, type, share, doc) [FLD_##ID] = TR2_TYPE_##type,
#include "monitor/event/records.def"
};

/* Fields without text are copied unchanged. */
#define IS_PLAIN(type)                                                                             \
	(TR2_TYPE_##type == TR2_TYPE_NUM || TR2_TYPE_##type == TR2_TYPE_BOOL ||                    \
	 TR2_TYPE_##type == TR2_TYPE_TIME || TR2_TYPE_##type == TR2_TYPE_CLOCK)
static const uint64_t plain_fields = 0
#define TR2_FIELD(ID, wire, type, since, share, doc) | (IS_PLAIN(type) ? FIELD_BIT(TR2_F_##ID) : 0)
#include "engine/fields.def"
#define RECORD_FIELD(ID, type, share, doc) | (IS_PLAIN(type) ? FIELD_BIT(FLD_##ID) : 0)
#include "monitor/event/records.def"
	;

/* Cached redactions of a symbol by up to two rules: fields with different rules may have the same
 * symbol. */
struct known_sym {
	struct {
		uint32_t rule; /* number of the rule + 1; 0: unused */
		sym_t own;
	} by_rule[2];
};

/* Cache of redacted SIDs, valid until the redactor's batch is cleared. */
#define KNOWN_SIDS 256
struct known_sid {
	uint64_t hash;
	/* index of the redacted SID in the redactor's batch + 1; 0: unused */
	uint32_t own;
};

/*
 * Cache of redacted texts and lists, in the packed form of batches. A text or list that takes more
 * than PIECE_MAX_BYTES before or after redaction is not cached.
 */
#define KNOWN_PIECES    512
#define PIECE_MAX_BYTES 120
struct known_piece {
	/* 1 + 2 * number of the rule, + 1 for a list; 0: unused */
	uint8_t rule;
	uint8_t len, own_len;
	char packed[PIECE_MAX_BYTES], own[PIECE_MAX_BYTES];
};

struct redactor {
	const struct tr2_intern *from_syms;
	struct tr2_intern syms;
	enum redaction what;
	struct pseudonyms *pseudonyms;
	struct batch *batch;
	struct tr2_buf text;
	struct known_sym *known_syms;
	uint32_t nr_known_syms;
	struct known_sid known_sids[KNOWN_SIDS];
	struct known_piece known_pieces[KNOWN_PIECES];
};

struct redactor *redactor_new(const struct tr2_intern *syms, enum redaction what)
{
	struct redactor *r = xcalloc(1, sizeof(*r));

	r->from_syms = syms;
	r->what = what;
	if (!tr2_intern_init(&r->syms, 0, 0))
		die_of_memory(sizeof(r->syms));
	r->pseudonyms = pseudonyms_new();
	r->batch = batch_new();
	tr2_buf_init(&r->text, SIZE_MAX / 2);
	return r;
}

void redactor_free(struct redactor *r)
{
	if (!r)
		return;
	tr2_buf_release(&r->text);
	batch_free(r->batch);
	pseudonyms_free(r->pseudonyms);
	tr2_intern_release(&r->syms);
	free(r->known_syms);
	free(r);
}

void redactor_set_key(struct redactor *r, const char *key, size_t len)
{
	pseudonyms_set_key(r->pseudonyms, key, len);
}

const struct tr2_intern *redactor_syms(const struct redactor *r)
{
	return &r->syms;
}

/* Redact a text into `r->text`: by the rule `share`, or only its secrets if `r->what` is not
 * REDACTION_TEXT. */
static void text_make(struct redactor *r, enum share share, const char *text, size_t len)
{
	tr2_buf_clear(&r->text);
	if (r->what == REDACTION_TEXT) {
		rules[share](r->pseudonyms, text, len, &r->text);
	} else {
		secrets_add(&r->text, text, len, SIZE_MAX);
	}
	if (r->text.failed)
		die_of_memory(len);
	tr2_buf_cstr(&r->text);
}

static uint32_t text_add(struct redactor *r, enum share share, const char *text, size_t len)
{
	text_make(r, share, text, len);
	return batch_add_text(r->batch, r->text.data, r->text.len);
}

static uint32_t redact_list_add(struct redactor *r, enum share share, const struct batch *from,
				int64_t list)
{
	uint32_t out = batch_list_begin(r->batch), nr;
	int64_t item;

	nr = batch_list(from, list, &item);
	for (uint32_t i = 0; i < nr; i++) {
		size_t len;
		const char *text = batch_text(from, item, &len);

		text_add(r, share, text, len);
		item = batch_list_next(from, item);
	}
	batch_list_end(r->batch, out, nr);
	return out;
}

static bool is_known_key(const char *key, size_t len)
{
	for (unsigned i = 0; i < TR2_NR_FIELDS; i++)
		if (strlen(tr2_fields[i].wire) == len && !memcmp(tr2_fields[i].wire, key, len))
			return true;
	for (size_t i = 0; i < tr2_nr_field_aliases; i++)
		if (strlen(tr2_field_aliases[i].wire) == len &&
		    !memcmp(tr2_field_aliases[i].wire, key, len))
			return true;
	return false;
}

/* Add a known key whose value has a wrong type. The value becomes `{}`, which has a wrong type,
 * too. */
static void mistyped_add(struct redactor *r, const char *key, size_t len)
{
	batch_add_text(r->batch, key, len);
	batch_add_text(r->batch, "{}", 2);
}

static void unknown_add(struct redactor *r, const char *key, size_t len, const char *value,
			size_t value_len)
{
	text_add(r, SHARE_VOCAB, key, len);
	tr2_buf_clear(&r->text);
	tr2_buf_addch(&r->text, '"');
	redact_whole(r->pseudonyms, value, value_len, &r->text);
	tr2_buf_addch(&r->text, '"');
	batch_add_text(r->batch, r->text.data, r->text.len);
}

/* Redact the list FLD_EXTRA, in which keys and values alternate. A last item without a value is
 * left out. */
static uint32_t extra_add(struct redactor *r, const struct batch *from, int64_t list)
{
	uint32_t out = batch_list_begin(r->batch), nr;
	int64_t item;

	nr = batch_list(from, list, &item) & ~1u;
	for (uint32_t i = 0; i < nr; i += 2) {
		size_t len, value_len;
		const char *key = batch_text(from, item, &len), *value;

		item = batch_list_next(from, item);
		value = batch_text(from, item, &value_len);
		item = batch_list_next(from, item);
		if (is_known_key(key, len))
			mistyped_add(r, key, len);
		else
			unknown_add(r, key, len, value, value_len);
	}
	batch_list_end(r->batch, out, nr);
	return out;
}

static sym_t redact_sym_of(struct redactor *r, enum share share, sym_t sym)
{
	struct known_sym *known;
	const char *text;
	uint32_t rule;
	size_t len;

	if (sym >= r->nr_known_syms) {
		uint32_t nr = sym < 256 ? 512 : sym * 2;

		r->known_syms = xreallocarray(r->known_syms, nr, sizeof(*r->known_syms));
		memset(r->known_syms + r->nr_known_syms, 0,
		       (nr - r->nr_known_syms) * sizeof(*r->known_syms));
		r->nr_known_syms = nr;
	}
	rule = (uint32_t)share + 1;
	known = &r->known_syms[sym];
	if (known->by_rule[rule % 2].rule == rule)
		return known->by_rule[rule % 2].own;
	text = tr2_intern_text(r->from_syms, sym, &len);
	text_make(r, share, text, len);
	known->by_rule[rule % 2].rule = rule;
	return known->by_rule[rule % 2].own = tr2_intern(&r->syms, r->text.data, r->text.len);
}

static uint32_t sid_of(struct redactor *r, enum share share, const struct batch *from,
		       uint32_t index)
{
	uint64_t hash = from->sids[index].hash;
	struct known_sid *known = &r->known_sids[hash % KNOWN_SIDS];
	const char *text;
	size_t len;

	if (known->own && known->hash == hash)
		return known->own - 1;
	text = batch_sid_text(from, index, &len);
	text_make(r, share, text, len);
	known->hash = hash;
	known->own = 1 + batch_sid(r->batch, r->text.data, r->text.len,
				   tr2_hash(r->text.data, r->text.len));
	return known->own - 1;
}

static uint32_t piece_make(struct redactor *r, enum share share, bool is_list,
			   const struct batch *from, int64_t piece)
{
	const char *text;
	size_t len;

	if (is_list)
		return share == SHARE_EXTRA && r->what == REDACTION_TEXT
			       ? extra_add(r, from, piece)
			       : redact_list_add(r, share, from, piece);
	text = batch_text(from, piece, &len);
	return text_add(r, share, text, len);
}

static uint32_t piece_of(struct redactor *r, enum share share, bool is_list,
			 const struct batch *from, int64_t piece)
{
	uint8_t rule = (uint8_t)(1 + (share << 1 | is_list));
	struct known_piece *known;
	const char *packed;
	size_t len, own_len;
	uint32_t own;

	packed = batch_packed(from, is_list, piece, &len);
	if (len > PIECE_MAX_BYTES)
		return piece_make(r, share, is_list, from, piece);
	known = &r->known_pieces[(tr2_hash(packed, len) + rule) % KNOWN_PIECES];
	if (known->rule == rule && known->len == len && !memcmp(known->packed, packed, len))
		return batch_add_packed(r->batch, known->own, known->own_len);
	own = piece_make(r, share, is_list, from, piece);
	own_len = r->batch->nr_text_bytes - own;
	if (own_len <= PIECE_MAX_BYTES) {
		known->rule = rule;
		known->len = (uint8_t)len;
		known->own_len = (uint8_t)own_len;
		memcpy(known->packed, packed, len);
		memcpy(known->own, r->batch->text + own, own_len);
	}
	return own;
}

static int64_t redact_value_of(struct redactor *r, const struct batch *from, const struct event *ev,
			       unsigned field)
{
	enum share share = (enum share)shares[field];
	int64_t v = ev->v[field];

	switch (types[field]) {
	case TR2_TYPE_SID:
		return sid_of(r, share, from, (uint32_t)v);
	case TR2_TYPE_SYM:
		return redact_sym_of(r, share, (sym_t)v);
	default:
		if (field == TR2_F_VALUE && ev->kind == TR2_E_DATA_JSON)
			share = SHARE_JSON;
		return piece_of(r, share, types[field] == TR2_TYPE_LIST, from, v);
	}
}

const struct batch *redactor_event(struct redactor *r, const struct batch *batch,
				   const struct event *ev, struct event *own)
{
	uint64_t mask = ev->mask;

	if (r->batch->nr_text_bytes > BATCH_FULL_TEXT_BYTES) {
		batch_clear(r->batch);
		memset(r->known_sids, 0, sizeof(r->known_sids));
	}
	/* Drop FLD_EVENT, another spelling of the event's name, so that the schema's name is
	 * used. */
	if (ev->kind < TR2_NR_EVENTS && r->what == REDACTION_TEXT)
		mask &= ~FIELD_BIT(FLD_EVENT);
	own->kind = ev->kind;
	own->mask = mask;
	for (uint64_t left = mask & plain_fields; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);

		own->v[field] = ev->v[field];
	}
	for (uint64_t left = mask & ~plain_fields; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);

		own->v[field] = redact_value_of(r, batch, ev, field);
	}
	return r->batch;
}
