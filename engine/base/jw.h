/* SPDX-License-Identifier: MIT */
/*
 * A JSON writer into a tr2_buf. It keeps track of commas and of the indentation; it does not
 * check that keys and values alternate (the report's tests do that with other parsers).
 *
 * Strings may be any bytes: each maximal ill-formed part of UTF-8 becomes one U+FFFD, control
 * characters are escaped. Numbers are written without regard to the locale. Failures stay in
 * the buffer's `failed`. Not for the emitting hot path, whose text must equal Git's.
 */
#ifndef TR2_BASE_JW_H
#define TR2_BASE_JW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/clock.h"

struct tr2_jw {
	struct tr2_buf *out;  /* rw: the owner may drain it between values */
	unsigned depth;       /* private */
	unsigned inline_from; /* private: from this depth on, no line breaks */
	bool tight;           /* rw: no blanks between items either, as Git writes it */
	bool need_comma;      /* private */
	bool after_key;       /* private */
};

/* Start writing to `out`; objects and arrays deeper than `inline_from` stand on one line. */
void tr2_jw_init(struct tr2_jw *jw, struct tr2_buf *out, unsigned inline_from);

void tr2_jw_object(struct tr2_jw *jw);
void tr2_jw_end_object(struct tr2_jw *jw);
void tr2_jw_array(struct tr2_jw *jw);
void tr2_jw_end_array(struct tr2_jw *jw);

/* A key of the open object; its value must come next. `key` is a C string. */
void tr2_jw_key(struct tr2_jw *jw, const char *key);
void tr2_jw_key_bytes(struct tr2_jw *jw, const char *key, size_t len);

/* A key that is written again and again, made ready: TR2_JW_KEY("sid"). It is of at most 12 bytes
 * of ASCII in which nothing is to be escaped. */
struct tr2_jw_key {
	char text[16]; /* with quotes and colon */
	uint8_t len;
};
#define TR2_JW_KEY(key)                                                                            \
	{                                                                                          \
		"\"" key "\":", sizeof("\"" key "\":") - 1                                         \
	}
void tr2_jw_key_made(struct tr2_jw *jw, const struct tr2_jw_key *key);

void tr2_jw_string(struct tr2_jw *jw, const char *s, size_t len);
void tr2_jw_cstring(struct tr2_jw *jw, const char *s);
void tr2_jw_int(struct tr2_jw *jw, int64_t v);
void tr2_jw_uint(struct tr2_jw *jw, uint64_t v);
void tr2_jw_bool(struct tr2_jw *jw, bool v);
void tr2_jw_null(struct tr2_jw *jw);

/* Nanoseconds as seconds with 6 decimals (9 where they are no whole microseconds); NS_NONE is
 * null. */
void tr2_jw_seconds(struct tr2_jw *jw, ns_t ns);

/* Append a wall time that is one (not NS_NONE) as YYYY-MM-DDTHH:MM:SS.ffffffZ. */
void tr2_wall_text(struct tr2_buf *out, ns_t wall);
/* The same as a string; NS_NONE is null. */
void tr2_jw_time(struct tr2_jw *jw, ns_t wall);

/* `len` bytes that are JSON text already (well-formed but for UTF-8, which is mended). */
void tr2_jw_raw(struct tr2_jw *jw, const char *json, size_t len);

#endif
