/* SPDX-License-Identifier: MIT */
/*
 * The filter language: one grammar for the prompt, --filter, reports and the event log.
 *
 *   expression  = and { "or" and }
 *   and         = not { ["and"] not }
 *   not         = "not" not | "(" expression ")" | field op value | flag | word
 *   op          = "=" "!=" "~" "!~" "<" "<=" ">" ">="
 *
 * A bare word matches where the command line of a process, or the text of any other row, contains
 * it; a lower-case word ignores case. Words with blanks or operators stand in double quotes, with
 * \" and \\ inside. `~` takes a Perl-compatible regular expression (PCRE2); the work of one match
 * is bounded.
 *
 * A filter knows nothing of the model: the caller brings a subject that gives the values of
 * fields. Compiled filters are used by one thread at a time.
 */
#ifndef MONITOR_FILTER_H
#define MONITOR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/clock.h"

enum filter_field {
#define FILTER_FIELD(ID, name, type, rows, doc) FILTER_##ID,
#include "monitor/filter/filter.def"
	NR_FILTER_FIELDS,
	FILTER_WORD = NR_FILTER_FIELDS /* what a bare word is looked for in */
};

/* What a filter chooses among; each has its fields. Where it is 0, there are only words. */
enum filter_rows {
	FILTER_ROWS_PROCESS = 1,
	FILTER_ROWS_TIMING = 2,
	FILTER_ROWS_REGION = 4,
	FILTER_ROWS_CHILD = 8,
	FILTER_ROWS_EVENT = 16,
	FILTER_ROWS_OCCURRENCE = 32,
	FILTER_ROWS_COMMAND = 64,
};

enum filter_type {
	FILTER_TYPE_TEXT,
	FILTER_TYPE_NUMBER,
	FILTER_TYPE_DURATION,
	FILTER_TYPE_TIME,
	FILTER_TYPE_STATE,
	FILTER_TYPE_FLAG,
};

/* States as the language names them; a failed process is exited, too. */
enum filter_state_number {
#define FILTER_STATE(ID, word) FILTER_STATE_NR_##ID,
#include "monitor/filter/filter_states.def"
	NR_FILTER_STATES
};
enum filter_state {
#define FILTER_STATE(ID, word) FILTER_STATE_##ID = 1 << FILTER_STATE_NR_##ID,
#include "monitor/filter/filter_states.def"
};

struct filter_field_desc {
	const char *name, *doc;
	uint8_t type; /* enum filter_type */
	uint8_t rows; /* enum filter_rows: those that have it */
};

extern const struct filter_field_desc filter_fields[NR_FILTER_FIELDS];

/* Where an expression is wrong. */
struct filter_error {
	size_t column;     /* in bytes from 0; where what was expected is missing */
	char message[160]; /* "expected ...", printable */
};

struct filter;

/*
 * One value of a field, given to the filter by a subject: text for TEXT, else a number
 * (nanoseconds for DURATION and TIME, a bit of enum filter_state or several for STATE, 0 or 1
 * for FLAG).
 */
struct filter_value {
	const char *text;
	size_t len;
	int64_t number;
};

/* Called by a subject for each value; true: enough, stop. */
typedef bool filter_visit(void *data, const struct filter_value *value);

static inline bool filter_give_text(filter_visit *visit, void *data, const char *text, size_t len)
{
	return visit(data, &(struct filter_value){ .text = text, .len = len });
}

/* NUM_NONE and NS_NONE are one number: what was never seen has no value. */
static inline bool filter_give_number(filter_visit *visit, void *data, int64_t number)
{
	return number != NS_NONE && visit(data, &(struct filter_value){ .number = number });
}

/*
 * Gives `visit` every value that `field` has in `subject`, none where it is unknown, until it
 * returns true; returns what the last call returned, false where there was none.
 */
typedef bool filter_values(const void *subject, enum filter_field field, filter_visit *visit,
			   void *data);

/*
 * Compile `text` for one kind of rows (enum filter_rows, or 0); NULL and `*error` filled where
 * it is wrong. An empty or blank text gives a filter that matches everything. `now` (wall) is
 * what durations in START count from.
 */
struct filter *filter_new(const char *text, unsigned rows, ns_t now, struct filter_error *error);
void filter_free(struct filter *filter);

/* Does `subject` match? NULL matches everything. */
bool filter_match(struct filter *filter, const void *subject, filter_values *values);

/*
 * A frame begins, of a screen that filters everything anew for each: until the next call regular
 * expressions have FILTER_FRAME_NS. Where these are used up, what is not matched at once counts
 * as too slow; where four times as much is, everything does. Never called: one match is bounded,
 * their sum is not. NULL: nothing.
 */
#define FILTER_FRAME_NS (50 * NS_PER_MS)
void filter_frame(struct filter *filter);
/* Were they used up? Who can go on with the next frame does so. NULL: no. */
bool filter_is_spent(const struct filter *filter);

/* The text that it was compiled from. */
const char *filter_text(const struct filter *filter);

/* How often a regular expression was given up because it took too long. */
uint64_t filter_limit_hits(const struct filter *filter);

/* What completion chooses from. */
struct filter_offers {
	unsigned rows;         /* as filter_new() takes it */
	filter_values *values; /* gives the values that fields have now; NULL: none */
	const void *subject;   /* for `values` */
	void (*offer)(void *data, const char *word); /* called with each completion */
	void *data;
};

/*
 * Completions of the word that ends at `cursor` (bytes) of `text`: fields of the rows,
 * operators' words, and behind an operator values, quoted where they have to be. In the order
 * of the tables; some value may come twice. Returns where the word begins.
 */
size_t filter_complete(const char *text, size_t cursor, const struct filter_offers *offers);

/* The library of the expressions and its version, "PCRE2 10.42 2022-12-11". Any thread. */
#define FILTER_LIBRARY_BYTES 64
void filter_library(char out[FILTER_LIBRARY_BYTES]);

#endif
