/* SPDX-License-Identifier: MIT */
/*
 * A record of Git's text formats, PERF and NORMAL. Most messages are parsed according to the pieces
 * of their row in events.def.
 *
 * Symbols, numbers and durations are parsed immediately. Texts and lists stay in the line until the
 * record's process is known, and are then added to the batch.
 */
#ifndef MONITOR_TEXT_RECORD_H
#define MONITOR_TEXT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "monitor/event/batch.h"
#include "monitor/read/text/perf_guess.h"

struct text_memo;

/* Maximum depth of a process. A record with a greater depth is malformed. */
#define TEXT_MAX_DEPTH 1000

/* A text or list that is not copied from its line yet. */
struct text_late {
	struct text_slice text;
	uint8_t field; /* enum tr2_field */
	uint8_t how;   /* enum tr2_piece_how */
};

struct text_record {
	/* the event, without the SID, the time and the fields in `late`, which are added for
	 * delivery; incomplete if `known.tail` is set */
	struct event ev;
	struct text_late late[3];
	unsigned nr_late;
	struct text_slice message; /* text after the columns, including dots for indentation */
	/* time of day in ns; NS_NONE: not parsed */
	ns_t time_of_day;
	ns_t wall_ns;     /* NS_NONE: unknown */
	uint32_t depth;   /* PERF */
	uint32_t nr_dots; /* PERF */
	/* PERF: the stored head and tail that equal the record's */
	struct perf_known known;
	/* PERF: head for which to store the tail after its texts were added to the batch; NULL:
	 * none */
	struct perf_head *head;
	struct text_slice tail;
};

/* Kinds of lines. */
enum text_line {
	TEXT_RECORD, /* the line is a record, whose message may continue in the next lines */
	TEXT_OTHER,  /* the line is not a record, but may continue the record before it */
	TEXT_BAD,    /* the line is a record of another format, or invalid */
};

/* Context for interning. */
struct text_names {
	struct tr2_intern *syms;
	struct text_memo *memo;
};

/*
 * Parse the fields of `pieces` from the text. SCAN_PAD bytes after the text must be readable.
 * Missing fields, and numbers that do not fit, are left out.
 */
void text_take_pieces(const struct text_names *names, const struct tr2_piece *pieces,
		      struct text_slice text, struct text_record *rec);

/* Note a text or list for text_put(). */
void text_note(struct text_record *rec, unsigned field, unsigned how, const char *at, size_t len);
/* Return the text that was noted for `field`, or NULL. */
const struct text_late *text_noted(const struct text_record *rec, unsigned field);

/* Add the noted texts and lists to the batch, then the record. */
void text_put(struct text_record *rec, struct batch *batch);

/* ---- numbers; each function returns false if the text is not valid or does not fit ---- */

bool text_number(const char *p, const char *end, int64_t *out, const char **behind);
/* Parse seconds, with or without decimals, after blanks. */
bool text_seconds(const char *p, const char *end, ns_t *out, const char **behind);
/* Parse `HH:MM:SS.uuuuuu`, 15 bytes. */
bool text_time_of_day(const char *p, ns_t *out);

/* ---- shell-quoted words, JSON ---- */

/*
 * Decode the next word at `*p` into `out`, which has space for all bytes up to `end`. Advances
 * `*p`. Returns false if no word is left. An unclosed quote ends at `end`.
 */
bool text_word(const char **p, const char *end, char *out, size_t *len);

/* True if a single quote of the shell is open after these bytes; `is_open`: one was open before
 * them. */
bool text_quote_state(bool is_open, const char *p, const char *end);

/* Nesting of braces and brackets, and whether the position is inside a string. */
struct text_json_state {
	uint32_t depth;
	bool in_string, is_escaped;
};

void text_json_scan(struct text_json_state *state, const char *p, const char *end);

static inline bool text_json_is_open(const struct text_json_state *state)
{
	return state->depth || state->in_string;
}

#endif
