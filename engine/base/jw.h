/* SPDX-License-Identifier: MIT */
/*
 * A JSON writer on top of tr2_buf. It places commas and indentation, but does not check that keys
 * and values alternate.
 *
 * Strings may contain any bytes: each maximal ill-formed part of UTF-8 becomes one U+FFFD, and
 * control characters (C0, DEL and C1) are escaped. The locale has no effect. Errors set the
 * buffer's `failed`. Not for the engine's events, whose text must equal Git's.
 */
#ifndef TR2_BASE_JW_H
#define TR2_BASE_JW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

struct tr2_jw {
	/* rw: the JSON text; the owner may clear it between values */
	struct tr2_buf *out;
	unsigned depth; /* private */
	/* private */
	unsigned inline_from;
	bool tight;      /* rw: write no spaces after commas and colons, as Git does */
	bool need_comma; /* private */
	bool after_key;  /* private */
};

/* Start writing JSON to `out`. Objects and arrays inside at least `inline_from` others are written
 * on one line. */
void tr2_jw_init(struct tr2_jw *jw, struct tr2_buf *out, unsigned inline_from);

void tr2_jw_object(struct tr2_jw *jw);
void tr2_jw_end_object(struct tr2_jw *jw);
void tr2_jw_array(struct tr2_jw *jw);
void tr2_jw_end_array(struct tr2_jw *jw);

/* Write a key of the open JSON object. Its value must be written next. */
void tr2_jw_key(struct tr2_jw *jw, const char *key);
void tr2_jw_key_bytes(struct tr2_jw *jw, const char *key, size_t len);

/* A prepared JSON key: TR2_JW_KEY("sid"). At most 12 ASCII bytes, none of which needs escaping. */
struct tr2_jw_key {
	char text[16];
	uint8_t len;
};
#define TR2_JW_KEY(key)                                                                            \
	{                                                                                          \
		"\"" key "\":", sizeof("\"" key "\":") - 1                                         \
	}
void tr2_jw_prepared_key(struct tr2_jw *jw, const struct tr2_jw_key *key);

void tr2_jw_string(struct tr2_jw *jw, const char *s, size_t len);
void tr2_jw_cstring(struct tr2_jw *jw, const char *s);
void tr2_jw_int(struct tr2_jw *jw, int64_t v);
void tr2_jw_uint(struct tr2_jw *jw, uint64_t v);
void tr2_jw_bool(struct tr2_jw *jw, bool v);
void tr2_jw_null(struct tr2_jw *jw);

/*
 * Write a JSON number: nanoseconds as seconds with 6 decimals, or 9 if they are not whole
 * microseconds. NS_NONE is written as null.
 */
void tr2_jw_seconds(struct tr2_jw *jw, ns_t ns);

/* Append `wall` (not NS_NONE) as YYYY-MM-DDTHH:MM:SS.ffffffZ. */
void tr2_buf_add_wall_time(struct tr2_buf *out, ns_t wall);
/* Write `wall` as a JSON string in the form of tr2_buf_add_wall_time(), NS_NONE as null. */
void tr2_jw_time(struct tr2_jw *jw, ns_t wall);

/* Write `len` bytes of well-formed JSON text. Ill-formed UTF-8 in it is replaced, and DEL and C1
 * are escaped. */
void tr2_jw_raw(struct tr2_jw *jw, const char *json, size_t len);

#endif
