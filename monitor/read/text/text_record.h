/* SPDX-License-Identifier: MIT */
/*
 * A record of Git's text formats, PERF and NORMAL. Messages are parsed by the pieces of their row
 * in events.def, which libtrace2 also uses to write them.
 *
 * Symbols, numbers and durations are parsed at once. Texts and lists stay in the line until the
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

/* A larger depth is malformed. */
#define TEXT_MAX_DEPTH 1000

/* A text or list still in its line. */
struct text_late {
	struct text_slice text;
	uint8_t field; /* enum tr2_field */
	uint8_t how;   /* enum tr2_piece_how */
};

struct text_record {
	struct event ev; /* without SID, TEXT and LIST fields, and TIME */
	struct text_late late[3];
	unsigned nr_late;
	struct text_slice message; /* the text after the columns, including dots */
	ns_t time_of_day;          /* NS_NONE: brief form */
	ns_t wall_ns;              /* the same since the epoch; NS_NONE */
	uint32_t depth;            /* PERF */
	uint32_t nr_dots;          /* PERF: dots before the message */
	struct perf_known known;   /* PERF: the record as predicted */
	/* PERF: where to store its texts once they are in the batch; or NULL. */
	struct perf_head *head;
	struct text_slice tail;
};

/* Kind of a line. */
enum text_line {
	TEXT_RECORD, /* a record; its message may continue in the next lines */
	TEXT_OTHER,  /* not a record: it may continue the record before */
	TEXT_BAD,    /* a record of another format, or invalid */
};

/* Context for interning. */
struct text_names {
	struct tr2_intern *syms;
	struct text_memo *memo;
};

/*
 * Parse the fields of `pieces` from the text, which must be followed by SCAN_PAD bytes. Missing
 * fields and numbers beyond int64 are left out.
 */
void text_take_pieces(const struct text_names *names, const struct tr2_piece *pieces,
		      struct text_slice text, struct text_record *rec);

/* Note a text or list for later. */
void text_note(struct text_record *rec, unsigned field, unsigned how, const char *at, size_t len);
/* The noted text of `field`, or NULL. */
const struct text_late *text_noted(const struct text_record *rec, unsigned field);

/* Add the noted texts and lists to the batch, then the record. */
void text_put(struct text_record *rec, struct batch *batch);

/* ---- numbers; false if not an int64 ---- */

bool text_number(const char *p, const char *end, int64_t *out, const char **behind);
/* Seconds with decimals, leading blanks. */
bool text_seconds(const char *p, const char *end, ns_t *out, const char **behind);
/* `HH:MM:SS.uuuuuu`, 15 bytes. */
bool text_time_of_day(const char *p, ns_t *out);

/* ---- shell-quoted words ---- */

/*
 * Decode the next word at `*p` into `out`, which must have room for all bytes up to `end`. Advances
 * `*p`. Returns false if no word is left. An unclosed quote ends at `end`.
 */
bool text_word(const char **p, const char *end, char *out, size_t *len);

/* True if a quote is open after these bytes; `is_open`: the state before them. */
bool text_quote_state(bool is_open, const char *p, const char *end);

/* Nesting of JSON: braces and brackets, and whether inside a string. */
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
