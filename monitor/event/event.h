/* SPDX-License-Identifier: MIT */
/*
 * One decoded event, in the open form that the reader fills and the model and the event log
 * read. In a batch it is packed (batch.h); this form lives on a stack.
 *
 * `v[FIELD]` is meaningful only where bit FIELD of `mask` is set; what it holds follows from
 * the field's type (engine/fields.def, monitor/event/records.def):
 *   SID          index into the batch's table of SIDs
 *   SYM          symbol of the intern table
 *   TEXT, LIST   offset into the batch's text (batch_text(), batch_list())
 *   NUM, BOOL    the number; 0 or 1
 *   TIME, CLOCK  ns_t: a duration; wall time since the epoch
 * The `value` of data_json is TEXT that is JSON.
 */
#ifndef MONITOR_EVENT_H
#define MONITOR_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "engine/schema.h"

enum record_kind {
	RECORD_FIRST = TR2_NR_EVENTS - 1,
#define RECORD(ID, doc) REC_##ID,
#include "monitor/event/records.def"
	NR_RECORD_KINDS
};

enum record_field {
	RECORD_FIELD_FIRST = TR2_NR_FIELDS - 1,
#define RECORD_FIELD(ID, type, share, doc) FLD_##ID,
#include "monitor/event/records.def"
	NR_FIELDS
};

#define NUM_NONE INT64_MIN /* an absent number */

/* Where the wall times of a process come from: the two low bits of FLD_ABOUT. */
enum event_clock {
	CLOCK_OWN,         /* the program wrote them */
	CLOCK_REFERENCE,   /* durations are its own, the rest is the file's or the arrival's */
	CLOCK_TIME_OF_DAY, /* it wrote times of day: dates and zone are the reader's */
	NR_EVENT_CLOCKS
};

/* Further bits of it. A mask of fields has no room for a field each. */
#define ABOUT_CLOCK_BITS 3
#define ABOUT_GUESSED    4  /* which records are of the process was guessed */
#define ABOUT_ENDED      8  /* its trace has ended; the program may go on */
#define ABOUT_IN_PIECES  16 /* it is told in pieces, each when the last of it is over */

#define FIELD_BIT(field) (1ull << (field))

struct event {
	uint64_t mask; /* bit FIELD: v[FIELD] is there */
	uint8_t kind;  /* enum tr2_event_kind or enum record_kind */
	int64_t v[NR_FIELDS];
};

static inline bool event_has(const struct event *ev, unsigned field)
{
	return ev->mask >> field & 1;
}

static inline void event_set(struct event *ev, unsigned field, int64_t value)
{
	ev->mask |= FIELD_BIT(field);
	ev->v[field] = value;
}

/* The number or time, or `absent` where there is none. */
static inline int64_t event_get(const struct event *ev, unsigned field, int64_t absent)
{
	return event_has(ev, field) ? ev->v[field] : absent;
}

/* The symbol, or SYM_NONE. */
static inline sym_t event_sym(const struct event *ev, unsigned field)
{
	return event_has(ev, field) ? (sym_t)ev->v[field] : SYM_NONE;
}

/* Is it one of Trace2's events, unknown ones included (not a record of our own)? */
static inline bool event_is_trace2(const struct event *ev)
{
	return ev->kind <= REC_UNKNOWN;
}

#endif
