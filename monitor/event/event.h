/* SPDX-License-Identifier: MIT */
/*
 * event: one decoded record, unpacked: a Trace2 event, or one of trace2top's own. Batches store
 * records packed (batch.h).
 *
 * `v[FIELD]` is valid if bit FIELD of `mask` is set. Its meaning depends on the field's type
 * (engine/fields.def, monitor/event/records.def):
 *   SID          index into the batch's table of SIDs
 *   SYM          symbol of the intern table
 *   TEXT, LIST   offset into the batch's text (batch_text(), batch_list())
 *   NUM, BOOL    the number; 0 or 1
 *   TIME, CLOCK  ns_t: a duration; wall time since the epoch
 * The `value` of data_json is JSON in a TEXT.
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

/* Origin of a process's wall times: the two low bits of the field ABOUT. */
enum event_clock {
	CLOCK_OWN, /* the program wrote wall times with their date */
	/* the program wrote durations; wall times are computed from the times of the file or of
	 * arrival */
	CLOCK_REFERENCE,
	CLOCK_TIME_OF_DAY, /* the program wrote times of day; the reader added date and zone */
	NR_EVENT_CLOCKS
};

/* Bits of the field ABOUT: a mask for enum event_clock, then flags. */
#define ABOUT_CLOCK_BITS 3
#define ABOUT_GUESSED    4 /* the reader guessed to which process the records belong */
/* the trace of the process has ended, but the program may still run */
#define ABOUT_ENDED 8
/* the program writes its trace in pieces, each after the time that it describes */
#define ABOUT_IN_PIECES 16

#define FIELD_BIT(field) (1ull << (field))

struct event {
	uint64_t mask;
	uint8_t kind; /* enum tr2_event_kind or enum record_kind */
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

static inline int64_t event_get(const struct event *ev, unsigned field, int64_t absent)
{
	return event_has(ev, field) ? ev->v[field] : absent;
}

static inline sym_t event_sym(const struct event *ev, unsigned field)
{
	return event_has(ev, field) ? (sym_t)ev->v[field] : SYM_NONE;
}

/* Return the duration of the region that the event `leave` ends: its t_rel, else the time since
 * `entered` (wall time or NS_NONE), at least 0; NS_NONE if unknown. */
static inline ns_t event_region_time(const struct event *leave, ns_t entered)
{
	ns_t time = event_get(leave, TR2_F_TIME, NS_NONE);
	ns_t duration = event_get(leave, TR2_F_T_REL, NS_NONE);

	if (duration == NS_NONE && entered != NS_NONE && time != NS_NONE)
		duration = ns_sub(time, entered);
	return duration == NS_NONE || duration > 0 ? duration : 0;
}

/* True for Trace2 events, including unknown ones. */
static inline bool event_is_trace2(const struct event *ev)
{
	return ev->kind <= REC_UNKNOWN;
}

#endif
