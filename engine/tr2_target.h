/* SPDX-License-Identifier: MIT */
/*
 * Targets: an output format and its destination. A record is one event with its fields, which a
 * target formats as a line, or writes to a ring, according to the schema.
 *
 * Any thread may write to a target, with its own line buffer.
 */
#ifndef TR2_TARGET_H
#define TR2_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/schema.h"
#include "engine/tr2_dst.h"
#include "engine/tr2_thread.h"

union tr2_value {
	const char *text;
	/* value of a numeric field; microseconds for a field of type TIME */
	int64_t num;
	const char *const *list; /* NULL-terminated */
};

struct tr2_record {
	enum tr2_event_kind kind;
	const char *file; /* source file of the API call; NULL or "": unknown */
	int line;
	bool git_cmd; /* `argv` lacks the leading "git", which must be added */
	/* write the JSON value, which is indented, without line breaks */
	bool json_pretty;
	/* passwords in http and https URLs must be hidden */
	bool redact;
	int64_t abs_us; /* microseconds since the session started */
	int64_t rel_us; /* microseconds since the event's region, thread or child began */
	/* monotonic time of the event; `wall` is the wall time of that instant */
	ns_t at;
	ns_t wall;
	uint64_t mask; /* bit mask of the fields that are set: bit 1 << field */
	/* values by field, valid if the field's bit in `mask` is set */
	union tr2_value v[TR2_NR_FIELDS];
};

#define TR2_BIT(FIELD) (UINT64_C(1) << TR2_F_##FIELD)

static inline bool tr2_record_has(const struct tr2_record *rec, unsigned field)
{
	return rec->mask >> field & 1;
}

/* Set a text field that is always written; NULL counts as "". */
static inline void tr2_record_text(struct tr2_record *rec, enum tr2_field field, const char *text)
{
	rec->v[field].text = text ? text : "";
	rec->mask |= UINT64_C(1) << field;
}

/* Set a text field that is omitted if `text` is NULL. */
static inline void tr2_record_opt(struct tr2_record *rec, enum tr2_field field, const char *text)
{
	if (text)
		tr2_record_text(rec, field, text);
}

static inline void tr2_record_num(struct tr2_record *rec, enum tr2_field field, int64_t num)
{
	rec->v[field].num = num;
	rec->mask |= UINT64_C(1) << field;
}

static inline void tr2_record_list(struct tr2_record *rec, enum tr2_field field,
				   const char *const *list)
{
	static const char *const none[] = { NULL };

	rec->v[field].list = list ? list : none;
	rec->mask |= UINT64_C(1) << field;
}

/* The targets in output order. The enum tr2_targets bit of target `i` is 4 >> i. */
enum { TR2_NORMAL, TR2_PERF, TR2_EVENT, TR2_NR_TARGETS };

struct tr2_target {
	struct tr2_dst dst;
	bool brief;
	bool rings; /* records are written to rings instead of as lines to `dst` */
	char variable[TR2_VARIABLE_BYTES];
};

struct tr2_target_ops {
	const char *name;
	enum tr2_setting setting;
	enum tr2_setting brief;
	/* Format the record as a line. The caller adds a newline if the line does not end in
	 * one. */
	void (*format)(struct tr2_line *out, const struct tr2_record *rec, struct tr2_thread *self,
		       bool brief);
	/* Name of the source file that this target reports with the events of enum tr2_own. */
	const char *own_file;
	struct {
		int signal, atexit, timer, counter;
	} own_line;
};

extern const struct tr2_target_ops tr2_normal_ops, tr2_perf_ops, tr2_event_ops;
extern const struct tr2_target_ops *const tr2_target_ops[TR2_NR_TARGETS];

struct tr2_redacted {
	size_t head_len; /* number of bytes of the text before the password */
	size_t tail_at;  /* offset of the part of the text after the password */
	bool hidden;     /* false: the text contains no password */
};

#define TR2_REDACTED "<REDACTED>"

struct tr2_redacted tr2_redact(const char *text);

/* Format the pieces of a text line (see events.def). If `spaced`, a word before a list of arguments
 * is followed by a blank even if the list is empty. */
void tr2_pieces_format(struct tr2_line *out, const struct tr2_record *rec,
		       const struct tr2_piece *pieces, bool spaced);

/* Return the wall time at the monotonic instant `now`. The difference between the clocks is
 * measured again after a millisecond. */
ns_t tr2_clock_text_wall(struct tr2_clock_text *clock, ns_t now);

/*
 * Update the cached texts of the clock for the second `sec` since the epoch, in UTC and in local
 * time.
 */
void tr2_clock_text_update(struct tr2_clock_text *clock, int64_t sec);
void tr2_clock_local_update(struct tr2_clock_text *clock, int64_t sec);

static inline void tr2_clock_text_at(struct tr2_clock_text *clock, int64_t sec)
{
	if (__builtin_expect(clock->sec != sec, 0))
		tr2_clock_text_update(clock, sec);
}

static inline void tr2_clock_local_at(struct tr2_clock_text *clock, int64_t sec)
{
	if (__builtin_expect(clock->local_sec != sec, 0))
		tr2_clock_local_update(clock, sec);
}

#endif
