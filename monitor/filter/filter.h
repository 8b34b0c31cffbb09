/* SPDX-License-Identifier: MIT */
/*
 * The filter language.
 *
 *   expression  = and { "or" and }
 *   and         = not { ["and"] not }
 *   not         = "not" not | "(" expression ")" | comparison | flag | word
 *   comparison  = field op value | keyed key op value
 *   op          = "=" | "==" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">="
 *
 * `keyed` is param, data, counter or timer, as in `data index/read/cache_nr > 100k`. A `word` by
 * itself matches if it occurs in the command line of a process or in the text of any other row. A
 * word without capital letters ignores case. Words that contain blanks, parentheses or operators
 * must be quoted with "...", in which \" and \\ stand for " and \. The value after `~` or `!~` is a
 * Perl-compatible regular expression (PCRE2); the work per match is limited.
 *
 * The caller passes a subject, such as a process, and a function that visits the values of the
 * subject's fields. One thread at a time may use a filter.
 */
#ifndef MONITOR_FILTER_H
#define MONITOR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "monitor/attribute/attribute.h"

enum filter_field {
	FILTER_NONE, /* no field */
#define FILTER_FIELD(ID, name, type, rows, doc) FILTER_##ID,
#include "monitor/filter/filter.def"
	NR_FILTER_FIELDS,
	FILTER_WORD = NR_FILTER_FIELDS /* text of a row, in which words are searched */
};

/* Kinds of rows, each with its own filter fields, as bits. 0: rows without fields. */
enum filter_rows {
	FILTER_ROWS_PROCESS = 1,
	FILTER_ROWS_TIMING = 2,
	FILTER_ROWS_REGION = 4,
	FILTER_ROWS_CHILD = 8,
	FILTER_ROWS_EVENT = 16,
	FILTER_ROWS_OCCURRENCE = 32,
	FILTER_ROWS_COMMAND = 64,
};

static inline bool filter_field_is_attribute(enum filter_field field)
{
	return field != FILTER_NONE && (int)field <= NR_ATTRIBUTES;
}

static inline enum attribute filter_attribute(enum filter_field field)
{
	return (enum attribute)(field - 1);
}

static inline enum filter_field filter_field_of(enum attribute attribute)
{
	return (enum filter_field)(attribute + 1);
}

struct filter_field_desc {
	const char *name, *doc;
	/* form of the field's keys, such as "CATEGORY/NAME"; NULL: no keys */
	const char *key;
	uint8_t type; /* enum attribute_type */
	uint8_t rows; /* bits of enum filter_rows: the rows that have the field */
};

extern const struct filter_field_desc filter_fields[NR_FILTER_FIELDS];

struct filter_error {
	size_t column;     /* position of the error in the expression, in bytes */
	char message[160]; /* the error, printable, such as "expected a value" */
};

struct filter;

/*
 * Callback that calls `visit` for each known value of `field` in `subject` until it returns true.
 * Returns the last result of `visit`, or false if there was none. For a field with keys, visits the
 * values of all keys, the newest first; only the first value of a key counts.
 */
typedef bool filter_values(const void *subject, enum filter_field field, value_visit *visit,
			   void *data);

/*
 * Compile the expression `text` for one kind of rows (enum filter_rows, or 0). Returns NULL and
 * fills `*error` if the expression is invalid. A blank expression matches everything. A duration
 * that is compared with a field of type TIME means that long before `now` (wall time), or after it
 * if it begins with +.
 */
struct filter *filter_new(const char *text, unsigned rows, ns_t now, struct filter_error *error);
void filter_free(struct filter *filter);

/* True if the filter matches `subject`, whose values `values` visits. A NULL filter matches
 * everything. */
bool filter_match(struct filter *filter, const void *subject, filter_values *values);

/*
 * Begin a frame: until the next call, regular expressions may use FILTER_FRAME_NS. After that,
 * those that need more than little backtracking do not match; after four times as much, none
 * matches. If this function is never called, the work of each match is limited, but not their sum.
 * `filter` may be NULL.
 */
#define FILTER_FRAME_NS (50 * NS_PER_MS)
void filter_frame(struct filter *filter);
/* True if the time of this frame was used up, so that a regular expression may not match for lack
 * of time. NULL: false. */
bool filter_is_spent(const struct filter *filter);

const char *filter_text(const struct filter *filter);

bool filter_uses(const struct filter *filter, enum filter_field field);

/* Return how often a regular expression was cancelled, or not tried, because of a limit. */
uint64_t filter_limit_hits(const struct filter *filter);

/* what filter_complete() offers, and the callback that receives it */
struct filter_offers {
	unsigned rows; /* kind of rows whose fields are offered, as for filter_new() */
	/* visits current values, to offer them and their keys; NULL: offer none */
	filter_values *values;
	const void *subject; /* for `values` */
	void (*offer)(void *data, const char *word);
	void *data;
};

/*
 * Complete the word in `text` that ends at byte `cursor`: to a field of the rows or `and`, `or`,
 * `not`; after an operator to a value, quoted if necessary; after a field with keys to a key. A
 * value may be offered repeatedly. Returns the byte at which the word starts.
 */
size_t filter_complete(const char *text, size_t cursor, const struct filter_offers *offers);

/* Write the name and version of the regular expression library, such as "PCRE2 10.42 2022-12-11".
 * Any thread. */
#define FILTER_LIBRARY_BYTES 64
void filter_library(char out[FILTER_LIBRARY_BYTES]);

#endif
