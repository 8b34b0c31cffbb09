/* SPDX-License-Identifier: MIT */
/*
 * JSON text (RFC 8259) as records hold it: checking, decoding strings, exact decimal numbers.
 * No tree is built. Bytes >= 0x80 may be anything, valid UTF-8 or not.
 *
 * Every text must stand in a record that ends in an LF (see scan.h): no end is passed. All
 * functions that check return the first byte behind the value, or NULL where it is no JSON, and
 * `why` says so; its offset counts from `why_base`.
 */
#ifndef MONITOR_JSON_H
#define MONITOR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/diag.h"

/* Objects and arrays within each other, the record's own object included. */
#define JSON_MAX_DEPTH 512

struct json_check {
	const char *base; /* where the record begins */
	struct diag *why; /* filled on failure */
};

/* Fill `why` and return NULL. */
const char *json_fail(const struct json_check *check, const char *at, enum diag_code code,
		      const char *message);

/* Behind the value that begins at `p`, which is within `depth` objects and arrays. */
const char *json_skip(const struct json_check *check, const char *p, unsigned depth);

/* Behind the closing quote of the string whose text begins at `p`, behind its opening one. */
const char *json_skip_string(const struct json_check *check, const char *p);

/*
 * Decode the text of a string that was checked, without its quotes, from `p` to `end`. `out`
 * must have room for `end - p` bytes; returns how many were written. A lone surrogate becomes
 * U+FFFD.
 */
size_t json_decode(const char *p, const char *end, char *out);

/*
 * The number that begins at `p` and was checked, times 10^`scale`, as an integer: exact, or
 * rounded to the nearest (halves away from zero). False where it is beyond int64, or where
 * `integral` is asked for and it is not.
 */
bool json_decimal(const char *p, int scale, bool integral, int64_t *out);

#endif
