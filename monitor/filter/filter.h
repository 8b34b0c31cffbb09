/* SPDX-License-Identifier: MIT */
/*
 * The filter language: one grammar for the prompt, --filter, reports and the event log.
 *
 *   expression  = and { "or" and }
 *   and         = not { ["and"] not }
 *   not         = "not" not | "(" expression ")" | comparison | flag | word
 *   comparison  = field op value | keyed key op value
 *   op          = "=" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">="
 *
 * `keyed` is param, data, counter or timer: data index/read/cache_nr > 100k.
 * A bare word matches if the command line of a process, or the text of any other row, contains it.
 * A lower-case word ignores case. Quote words with blanks or operators with "...", with \" and \\
 * inside. `~` takes a Perl-compatible regular expression (PCRE2); the work per match is bounded.
 *
 * Matching does not depend on the model: the caller passes a subject and a function that visits the
 * values of its fields. Use a compiled filter in one thread at a time.
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
	FILTER_WORD = NR_FILTER_FIELDS /* the text of a row in which a bare word is searched */
};

/* Kinds of rows, each with its own fields. 0: rows that only bare words match. */
enum filter_rows {
	FILTER_ROWS_PROCESS = 1,
	FILTER_ROWS_TIMING = 2,
	FILTER_ROWS_REGION = 4,
	FILTER_ROWS_CHILD = 8,
	FILTER_ROWS_EVENT = 16,
	FILTER_ROWS_OCCURRENCE = 32,
	FILTER_ROWS_COMMAND = 64,
};

/* True if a field is an attribute of processes (attributes.def). */
static inline bool filter_field_is_attribute(enum filter_field field)
{
	return field != FILTER_NONE && (int)field <= NR_ATTRIBUTES;
}

/* Return the attribute that a field is, and the field of an attribute. */
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
	const char
		*key; /* NAME or CATEGORY/NAME: the field is followed by a key; NULL: it is not */
	uint8_t type; /* enum attribute_type */
	uint8_t rows; /* enum filter_rows: kinds of rows that have the field */
};

extern const struct filter_field_desc filter_fields[NR_FILTER_FIELDS];

/* An error in an expression. */
struct filter_error {
	size_t column;     /* position of the error, in bytes from 0 */
	char message[160]; /* "expected ...", printable */
};

struct filter;

/*
 * Callback: call `visit` for each value of `field` in `subject` until it returns true; not at all
 * if the value is unknown. Returns the result of the last call, or false without one. The values of
 * a field with keys are those of all keys, the newest first; the first one of a key counts.
 */
typedef bool filter_values(const void *subject, enum filter_field field, value_visit *visit,
			   void *data);

/*
 * Compile `text` for one kind of rows (enum filter_rows, or 0). Returns NULL and fills `*error` if
 * it is invalid. A blank text matches everything. Durations in START are relative to `now` (wall).
 */
struct filter *filter_new(const char *text, unsigned rows, ns_t now, struct filter_error *error);
void filter_free(struct filter *filter);

/* True if `subject` matches. A NULL filter matches everything. */
bool filter_match(struct filter *filter, const void *subject, filter_values *values);

/*
 * Begin a frame of a screen that filters all rows again. Until the next call, regular expressions
 * may use FILTER_FRAME_NS of time. After that, only expressions with little backtracking are tried
 * and others do not match; after four times as much, no expression matches. If it is never called,
 * single matches are bounded but their sum is not. NULL: no effect.
 */
#define FILTER_FRAME_NS (50 * NS_PER_MS)
void filter_frame(struct filter *filter);
/* True if the time of the frame was used up, so that rows should be filtered in the next frame.
 * NULL: false. */
bool filter_is_spent(const struct filter *filter);

/* Return the text that was passed to filter_new(). */
const char *filter_text(const struct filter *filter);

/* True if the filter tests the field. */
bool filter_uses(const struct filter *filter, enum filter_field field);

/* Return how many matches of regular expressions took too long and were cancelled. */
uint64_t filter_limit_hits(const struct filter *filter);

/* The source of completions, and the callback that gets them. */
struct filter_offers {
	unsigned rows;         /* kinds of rows, as for filter_new() */
	filter_values *values; /* returns current values of fields; NULL: none */
	const void *subject;   /* for `values` */
	void (*offer)(void *data, const char *word); /* called with each completion */
	void *data;
};

/*
 * Complete the word of `text` that ends at byte `cursor`: to fields of the rows, operators, and
 * after an operator values, quoted if necessary. Completions are in the order of the tables; values
 * may be repeated. Returns the start of the word.
 */
size_t filter_complete(const char *text, size_t cursor, const struct filter_offers *offers);

/* Format the name and version of the regular expression library: "PCRE2 10.42 2022-12-11". Any
 * thread. */
#define FILTER_LIBRARY_BYTES 64
void filter_library(char out[FILTER_LIBRARY_BYTES]);

#endif
