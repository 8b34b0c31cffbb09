/* SPDX-License-Identifier: MIT */
/*
 * The Trace2 schema as enumerations and tables, generated from events.def and fields.def. Constant.
 */
#ifndef TR2_SCHEMA_H
#define TR2_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tr2_event_kind {
#define TR2_EVENT(ID, ...) TR2_E_##ID,
#include "engine/events.def"
	TR2_NR_EVENTS
};

enum tr2_field {
#define TR2_FIELD(ID, wire, type, since, share, doc) TR2_F_##ID,
#include "engine/fields.def"
	TR2_NR_FIELDS
};

enum tr2_field_type {
	TR2_TYPE_SID,
	TR2_TYPE_SYM,
	TR2_TYPE_TEXT,
	TR2_TYPE_LIST,
	TR2_TYPE_NUM,
	TR2_TYPE_BOOL,
	TR2_TYPE_TIME,
	TR2_TYPE_CLOCK,
};

/* Bit masks of the targets that print an event: 1 event, 2 perf, 4 normal. */
enum tr2_targets {
	TR2_TARGETS_E = 1,
	TR2_TARGETS_PE = 3,
	TR2_TARGETS_NPE = 7,
};

#define TR2_MAX_EVENT_FIELDS 8
#define TR2_MAX_PIECES       8

enum tr2_times {
	TR2_TIMES_NONE,
	TR2_TIMES_ABS,
	TR2_TIMES_ABS_REL,
};

/* How a piece of a text line formats its field: the letters T, P, U, Q, A and E of events.def; END
 * is after the last piece. */
enum tr2_piece_how {
	TR2_PIECE_END,
	TR2_PIECE_TEXT,
	TR2_PIECE_PLAIN,
	TR2_PIECE_UNSIGNED,
	TR2_PIECE_QUOTED,
	TR2_PIECE_ARROWS,
	TR2_PIECE_ERRNO,
};

struct tr2_piece {
	const char *lead, *tail;
	uint8_t lead_len, tail_len;
	uint8_t field; /* enum tr2_field */
	/* enum tr2_piece_how */
	uint8_t how;
};

struct tr2_field_desc {
	const char *wire; /* the JSON key */
	const char *doc;
	uint8_t type;  /* enum tr2_field_type */
	uint8_t since; /* first evt version whose events have the field */
};

struct tr2_event_desc {
	const char *wire; /* name of the event: value of the JSON key "event" */
	const char *doc;
	uint8_t since;   /* first evt version that has the event */
	uint8_t targets; /* enum tr2_targets */
	uint8_t nr_fields;
	struct tr2_event_field {
		uint8_t id; /* enum tr2_field */
		bool optional;
		/* the fields that are specific to the event kind, in output order */
	} fields[TR2_MAX_EVENT_FIELDS];
	/* hide passwords in http and https URLs in the fields argv and value, unless the setting
	 * REDACT is off */
	bool redact;
	uint8_t times; /* enum tr2_times */
	/* enum tr2_field: the field that the perf target shows in its category column;
	 * TR2_NR_FIELDS: none */
	uint8_t category;
	struct tr2_piece perf[TR2_MAX_PIECES];
	struct tr2_piece normal[TR2_MAX_PIECES];
};

/* Another spelling of an event's name, used by programs other than Git. */
struct tr2_event_alias {
	const char *wire;
	uint8_t kind;
};

/*
 * Another spelling of a JSON key, used by programs other than Git. `unit_ns` is the unit of the
 * numbers under that key, in nanoseconds; 0: the unit of the standard key.
 */
struct tr2_field_alias {
	const char *wire;
	uint8_t field;
	uint32_t unit_ns;
};

extern const struct tr2_event_desc tr2_events[TR2_NR_EVENTS];
extern const struct tr2_field_desc tr2_fields[TR2_NR_FIELDS];
extern const struct tr2_event_alias tr2_event_aliases[];
extern const size_t tr2_nr_event_aliases;
extern const struct tr2_field_alias tr2_field_aliases[];
extern const size_t tr2_nr_field_aliases;

/* Return a hash of the names and order of event kinds and fields, and of the fields' types. */
uint64_t tr2_schema_id(void);

#endif
