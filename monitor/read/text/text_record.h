/* SPDX-License-Identifier: MIT */
/*
 * A record of Git's text formats, PERF and NORMAL: what stands in its message is told by the
 * pieces of its row in events.def, by which libtrace2 writes it.
 *
 * Symbols, numbers and durations are taken at once; texts and lists stay where they stand until
 * the record's process is known, and are put into the batch then.
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

/* A depth beyond this is malformed. */
#define TEXT_MAX_DEPTH 1000

/* A text or list that is still in its line. */
struct text_late {
	struct text_slice text;
	uint8_t field; /* enum tr2_field */
	uint8_t how;   /* enum tr2_piece_how */
};

struct text_record {
	struct event ev; /* without SID, TEXT and LIST fields, and TIME */
	struct text_late late[3];
	unsigned nr_late;
	struct text_slice message; /* what stands behind the columns, dots included */
	ns_t time_of_day;          /* NS_NONE: brief */
	ns_t wall_ns;              /* the same since the epoch; NS_NONE */
	uint32_t depth;            /* PERF */
	uint32_t nr_dots;          /* PERF: dots in front of the message */
	struct perf_known known;   /* PERF: what it is as one that came before; its quotes closed */
	/* PERF: what its texts are to be remembered for, once they are in the batch; or NULL. */
	struct perf_head *head;
	struct text_slice tail;
};

/* What a line is. */
enum text_line {
	TEXT_RECORD, /* a record; its message may go on in the next lines */
	TEXT_OTHER,  /* none: it may go on with the record before */
	TEXT_BAD,    /* a record of another format, or one that cannot be */
};

/* Who interns. */
struct text_names {
	struct tr2_intern *syms;
	struct text_memo *memo;
};

/*
 * Take the fields of `pieces` from the text, whose bytes have SCAN_PAD behind them. A field that
 * is not there is absent; so is a number beyond int64.
 */
void text_take_pieces(const struct text_names *names, const struct tr2_piece *pieces,
		      struct text_slice text, struct text_record *rec);

/* Note a text or list for later. */
void text_note(struct text_record *rec, unsigned field, unsigned how, const char *at, size_t len);
/* The noted one of `field`, or NULL. */
const struct text_late *text_noted(const struct text_record *rec, unsigned field);

/* Put the noted texts and lists into the batch, and the record behind them. */
void text_put(struct text_record *rec, struct batch *batch);

/* ---- numbers; false where it is none of int64 ---- */

bool text_number(const char *p, const char *end, int64_t *out, const char **behind);
/* Seconds with decimals, blanks in front. */
bool text_seconds(const char *p, const char *end, ns_t *out, const char **behind);
/* `HH:MM:SS.uuuuuu`, 15 bytes. */
bool text_time_of_day(const char *p, ns_t *out);

/* ---- words quoted as for a shell ---- */

/*
 * The next word from `*p` on, decoded into `out`, of room for all bytes up to `end`; `*p` moves
 * behind it. False where no word is left. A quote that is not closed ends at `end`.
 */
bool text_word(const char **p, const char *end, char *out, size_t *len);

/* Is a quote open behind these bytes, where `is_open` was before them? */
bool text_quote_state(bool is_open, const char *p, const char *end);

/* How deep JSON is open: in braces and brackets, and within a string. */
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
