/* SPDX-License-Identifier: MIT */
/*
 * Targets: a format and its destination. A record is one event as the API call gave it. A target
 * formats it as a line according to the schema. A new event kind needs a row in the schema and no
 * code here; a new target needs an ops struct and a setting.
 *
 * Any thread, each with its own line buffer. No lock, and no allocation once the buffer has grown.
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
	int64_t num;             /* a TIME in microseconds */
	const char *const *list; /* NULL-terminated */
};

struct tr2_record {
	enum tr2_event_kind kind;
	const char *file; /* NULL or "": none */
	int line;
	bool git_cmd;     /* argv lacks the leading "git" */
	bool json_pretty; /* remove line breaks from the value */
	bool redact;      /* hide passwords: the event kind and the settings require it */
	int64_t abs_us;   /* since the process started */
	int64_t rel_us;   /* since the region, thread or child began */
	ns_t at;          /* monotonic; the same instant as `wall` */
	ns_t wall;
	uint64_t mask;                    /* bit 1 << field for each field that is set */
	union tr2_value v[TR2_NR_FIELDS]; /* only those of `mask` are valid */
};

#define TR2_BIT(FIELD) (UINT64_C(1) << TR2_F_##FIELD)

static inline bool tr2_record_has(const struct tr2_record *rec, unsigned field)
{
	return rec->mask >> field & 1;
}

/* Set a text field; "" if `text` is NULL, because required keys are always written. */
static inline void tr2_record_text(struct tr2_record *rec, enum tr2_field field, const char *text)
{
	rec->v[field].text = text ? text : "";
	rec->mask |= UINT64_C(1) << field;
}

/* Set a text field; omit it if `text` is NULL. */
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

/* In output order. The bit of enum tr2_targets is 4 >> index. */
enum { TR2_NORMAL, TR2_PERF, TR2_EVENT, TR2_NR_TARGETS };

struct tr2_target {
	struct tr2_dst dst;
	bool brief;
	bool rings; /* write records to rings instead of lines to `dst`, which is on */
	char variable[TR2_VARIABLE_BYTES];
};

struct tr2_target_ops {
	const char *name;
	enum tr2_setting setting;
	enum tr2_setting brief;
	/* Append the record's line without a newline. */
	void (*format)(struct tr2_line *out, const struct tr2_record *rec, struct tr2_thread *self,
		       bool brief);
	/* Reported as the file of the target's own events. */
	const char *own_file;
	struct {
		int signal, atexit, timer, counter;
	} own_line;
};

extern const struct tr2_target_ops tr2_normal_ops, tr2_perf_ops, tr2_event_ops;
extern const struct tr2_target_ops *const tr2_target_ops[TR2_NR_TARGETS];

/* A text in up to three parts. The password in the middle is replaced. */
struct tr2_redacted {
	size_t head_len; /* bytes of the text before the password */
	size_t tail_at;  /* offset of the text after the password */
	bool hidden;     /* false: the text has no password */
};

#define TR2_REDACTED "<REDACTED>"

struct tr2_redacted tr2_redact(const char *text);

/*
 * Format the pieces of a text line. With `spaced` a word before a list of arguments is followed by
 * a blank even if the list is empty.
 */
void tr2_pieces_format(struct tr2_line *out, const struct tr2_record *rec,
		       const struct tr2_piece *pieces, bool spaced);

/*
 * Return the wall time at the monotonic instant `now` without reading the wall clock each time. The
 * difference is constant until the clock is set, which is noticed within a millisecond.
 */
ns_t tr2_clock_text_wall(struct tr2_clock_text *clock, ns_t now);

/* Update the cached texts to the second `sec`: in UTC, in local time. */
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
