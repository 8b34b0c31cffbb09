/* SPDX-License-Identifier: MIT */
/* The attributes of a process (attributes.def). Loop thread. */
#ifndef MONITOR_ATTRIBUTE_H
#define MONITOR_ATTRIBUTE_H

#include "engine/base/buf.h"
#include "monitor/base/value.h"
#include "monitor/model/model.h"

enum attribute {
#define ATTRIBUTE(ID, word, type, rows, doc, values, test, uses, letter, heading, column)          \
	ATTRIBUTE_##ID,
#define KEYED_ATTRIBUTE(ID, word, key, type, rows, doc, values, test, uses, letter) ATTRIBUTE_##ID,
#include "monitor/attribute/attributes.def"
	NR_ATTRIBUTES
};

enum attribute_type {
	ATTRIBUTE_TYPE_TEXT,
	ATTRIBUTE_TYPE_NUMBER,
	ATTRIBUTE_TYPE_DURATION,
	ATTRIBUTE_TYPE_TIME,
	ATTRIBUTE_TYPE_STATE,
	ATTRIBUTE_TYPE_FLAG,
	ATTRIBUTE_TYPE_VALUE, /* a text that may be a number: see attribute_number() */
};

/* How two sets of runs are compared by an attribute: see attributes.def. */
enum attribute_test {
	ATTRIBUTE_TEST_NO,
	ATTRIBUTE_TEST_TEXT,
	ATTRIBUTE_TEST_OUTCOME,
	ATTRIBUTE_TEST_NUMBER,
	ATTRIBUTE_TEST_EITHER,
};

enum attribute_use {
	ATTRIBUTE_USE_GROUP_BY = 1,   /* --group-by */
	ATTRIBUTE_USE_GROUP_MENU = 2, /* the menu of b */
};

enum attribute_state_number {
#define ATTRIBUTE_STATE(ID, word) ATTRIBUTE_STATE_NR_##ID,
#include "monitor/attribute/states.def"
	NR_ATTRIBUTE_STATES
};

/* Bits of a value of type STATE. */
enum attribute_state {
#define ATTRIBUTE_STATE(ID, word) ATTRIBUTE_STATE_##ID = 1 << ATTRIBUTE_STATE_NR_##ID,
#include "monitor/attribute/states.def"
};

struct attribute_desc {
	const char *word, *doc;
	const char
		*key; /* NAME or CATEGORY/NAME if it has one value per key; NULL: it has no keys */
	uint8_t type; /* enum attribute_type */
	uint8_t test; /* enum attribute_test */
	uint8_t uses; /* enum attribute_use */
	char letter;  /* key in menus; 0: none */
};

extern const struct attribute_desc attributes[NR_ATTRIBUTES];

/*
 * An attribute with its key. The texts are borrowed; `category` is NULL unless the key has two
 * parts, `key` is NULL if the attribute has no keys.
 */
struct attribute_ref {
	enum attribute attribute;
	const char *category, *key;
	size_t category_len, key_len;
};

/*
 * Parse `word`, or `word KEY`, whose key may contain blanks. Borrows `text`. Returns false if there
 * is no such attribute, or its key is missing or too much.
 */
bool attribute_parse(struct attribute_ref *out, const char *text, size_t len);
/* Set the key of `ref`: split it at the first slash if its name has two parts. Returns false if it
 * is empty or lacks a part. */
bool attribute_set_key(struct attribute_ref *ref, const char *key, size_t len);
/* Append the key: NAME or CATEGORY/NAME; nothing if the attribute has no keys. */
void attribute_format_key(const struct attribute_ref *ref, struct tr2_buf *out);
/* Append the word and the key, as attribute_parse() accepts them. */
void attribute_format(const struct attribute_ref *ref, struct tr2_buf *out);

/*
 * Call `visit` for each known value of an attribute until it returns true; with keys, for the
 * values of all keys, the newest first, although only the first one of a key counts. Returns the
 * result of the last call, false without one. The model must be settled.
 */
bool attribute_visit(const struct model *model, const struct process *process,
		     enum attribute attribute, value_visit *visit, void *data);

/*
 * Get the first value of an attribute. Returns false if it is not known. Text is borrowed from the
 * model; not for attributes whose text is composed (ARGV, USER, COMMAND, SUBCOMMAND, HOUR):
 * use attribute_visit().
 */
bool attribute_get(const struct model *model, const struct process *process,
		   enum attribute attribute, struct value *out);

/*
 * Like attribute_visit(), for grouping and comparing: only the last working tree, the user by name
 * only, and each key once. All keys are visited; see attribute_is_key().
 */
bool attribute_visit_group(const struct model *model, const struct process *process,
			   enum attribute attribute, value_visit *visit, void *data);

/* True if the value has the key of `ref`, or `ref` has none. */
bool attribute_is_key(const struct attribute_ref *ref, const struct value *value);

/* Append a value as text. */
void attribute_format_value(enum attribute attribute, const struct value *value,
			    struct tr2_buf *out);

/*
 * Append the group of a process: all its values, each once, sorted by bytes and joined by ", ", or
 * "(none)". Each process is in one group, so groups add up to the whole. Returns false for
 * "(none)". `out` must be large enough for all values.
 */
bool attribute_format_group(const struct model *model, const struct process *process,
			    const struct attribute_ref *ref, struct tr2_buf *out);

/*
 * Parse a decimal number, with an optional sign and fraction and nothing else. Returns false for
 * other texts. Integers up to 2^53 are exact.
 */
bool attribute_number(const char *text, size_t len, double *out);

#endif
