/* SPDX-License-Identifier: MIT */
/* The attributes of a process, such as its name (attributes.def). One thread per model. */
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
	ATTRIBUTE_TYPE_VALUE, /* a text that may be a number, see attribute_number() */
};

/* How two sets of runs are compared by an attribute (`test` in attributes.def). */
enum attribute_test {
	ATTRIBUTE_TEST_NO,
	ATTRIBUTE_TEST_TEXT,
	ATTRIBUTE_TEST_OUTCOME,
	ATTRIBUTE_TEST_NUMBER,
	ATTRIBUTE_TEST_EITHER,
};

enum attribute_use {
	ATTRIBUTE_USE_GROUP_BY = 1,   /* --group-by */
	ATTRIBUTE_USE_GROUP_MENU = 2, /* the menu of the key `b` */
};

enum attribute_state_number {
#define ATTRIBUTE_STATE(ID, word) ATTRIBUTE_STATE_NR_##ID,
#include "monitor/attribute/states.def"
	NR_ATTRIBUTE_STATES
};

/* States of a process, as bits of a value of type STATE. */
enum attribute_state {
#define ATTRIBUTE_STATE(ID, word) ATTRIBUTE_STATE_##ID = 1 << ATTRIBUTE_STATE_NR_##ID,
#include "monitor/attribute/states.def"
};

struct attribute_desc {
	const char *word, *doc;
	/* form of the attribute's keys, such as "CATEGORY/NAME"; NULL: no keys */
	const char *key;
	uint8_t type; /* enum attribute_type */
	uint8_t test; /* enum attribute_test */
	uint8_t uses; /* bits of enum attribute_use */
	char letter;  /* letter that selects the attribute in menus; 0: none */
};

extern const struct attribute_desc attributes[NR_ATTRIBUTES];

/*
 * An attribute and its key, in borrowed texts. `key`, without the category, is NULL if the
 * attribute has no keys; `category` is NULL unless the key has one.
 */
struct attribute_ref {
	enum attribute attribute;
	const char *category, *key;
	size_t category_len, key_len;
};

/*
 * Parse the name of an attribute and, if the attribute has keys, a blank and a key, which may
 * contain blanks. The result borrows `text`. Returns false if `text` is anything else.
 */
bool attribute_parse(struct attribute_ref *out, const char *text, size_t len);
/* Set the key of `ref`, whose attribute has keys. Splits a key with a category at its first slash.
 * Returns false if a part is empty or missing. */
bool attribute_set_key(struct attribute_ref *ref, const char *key, size_t len);
void attribute_format_key(const struct attribute_ref *ref, struct tr2_buf *out);
/* Append the attribute's word and its key, in the form that attribute_parse() accepts. */
void attribute_format(const struct attribute_ref *ref, struct tr2_buf *out);

/*
 * Call `visit` for each known value of an attribute of the process, until it returns true. For an
 * attribute with keys, visits the values of all keys, the newest first; only the first value of a
 * key counts. Returns the last result of `visit`, or false if there was no value. The model must be
 * settled.
 */
bool attribute_visit(const struct model *model, const struct process *process,
		     enum attribute attribute, value_visit *visit, void *data);

/*
 * Get the first value of an attribute. Returns false if no value is known. The model owns the text.
 * Not for attributes whose text exists only during a visit, such as ARGV: use attribute_visit() for
 * those.
 */
bool attribute_get(const struct model *model, const struct process *process,
		   enum attribute attribute, struct value *out);

/*
 * Like attribute_visit(), with the values by which processes are grouped and compared: for example,
 * of several worktrees only the last one.
 */
bool attribute_visit_group(const struct model *model, const struct process *process,
			   enum attribute attribute, value_visit *visit, void *data);

/* True if the value has the key of `ref`, or if neither has a key. */
bool attribute_is_key(const struct attribute_ref *ref, const struct value *value);
/* True if `ref` is one of `refs`. Keys are compared by address: they must be texts of symbols of
 * one model. */
static inline bool attribute_is_in(const struct attribute_ref *refs, int nr,
				   const struct attribute_ref *ref)
{
	for (int i = 0; i < nr; i++)
		if (refs[i].attribute == ref->attribute && refs[i].key == ref->key &&
		    refs[i].category == ref->category)
			return true;
	return false;
}

void attribute_format_value(enum attribute attribute, const struct value *value,
			    struct tr2_buf *out);

/*
 * Append the name of the process's group to `out`: the values of the attribute, each once, sorted
 * by bytes and joined by ", "; for an attribute with keys, the newest value of the key in `ref`;
 * "(none)" if no value is known. Returns false for "(none)". `out` must be large enough.
 */
bool attribute_format_group(const struct model *model, const struct process *process,
			    const struct attribute_ref *ref, struct tr2_buf *out);

/*
 * Parse a decimal number with an optional minus sign and fraction. Returns false if the text is
 * anything else, or has more than 300 digits. Integers up to 2^53 are exact.
 */
bool attribute_number(const char *text, size_t len, double *out);

#endif
