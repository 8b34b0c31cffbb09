/* SPDX-License-Identifier: MIT */
/*
 * json: check JSON text (RFC 8259) in records, decode strings, parse decimal numbers. UTF-8 is not
 * checked.
 *
 * The text to check must be in a record that ends in LF (see scan.h). Functions that skip a value
 * return the position after it; on failure they fill `why` and return NULL.
 */
#ifndef MONITOR_JSON_H
#define MONITOR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/base/diag.h"
#include "monitor/base/scan.h"

/* Maximum nesting of objects and arrays, including the record's own object. */
#define JSON_MAX_DEPTH 512

struct json_check {
	/* start of the record, for error offsets */
	const char *base;
	struct diag *why; /* receives the error on failure */
};

/* Fill `check->why` with the error and return NULL. */
const char *json_fail(const struct json_check *check, const char *at, enum diag_code code,
		      const char *message);

/* Skip the JSON value at `p`, inside `depth` objects and arrays. */
const char *json_skip(const struct json_check *check, const char *p, unsigned depth);

/* Skip a JSON string, from after its opening quote. */
const char *json_skip_string(const struct json_check *check, const char *p);

/*
 * Iterate over the members of an object:
 *
 *   struct json_members m = json_members(&check, object, depth);
 *
 *   while (json_members_next(&m))
 *           ... m.key to m.key_end, m.value to m.value_end ...
 *   if (!m.end)
 *           ... failure; `why` is filled ...
 *
 * `object` is at the brace of an object that is nested in `depth` objects and arrays. Members
 * before an error are returned before the error is detected.
 */
struct json_members {
	const struct json_check *check; /* private */
	/* ro: the key without quotes; escapes are not decoded */
	const char *key, *key_end;
	/* ro: text of the value; a string has its quotes */
	const char *value, *value_end;
	/* ro: position after the object; NULL: end not reached, or failure */
	const char *end;
	unsigned depth; /* private */
};

static inline struct json_members json_members(const struct json_check *check, const char *object,
					       unsigned depth)
{
	return (struct json_members){ .check = check, .value_end = object, .depth = depth };
}

/* Get the next member of the object. Returns false at the end and on failure. */
static inline bool json_members_next(struct json_members *m)
{
	bool is_first = !m->value;
	const char *p = scan_blanks(is_first ? m->value_end + 1 : m->value_end);

	m->end = NULL;
	if (*p == '}') {
		m->end = p + 1;
		return false;
	}
	if (!is_first && *p != ',')
		return json_fail(m->check, p, DIAG_JSON, "a comma or an end is missing");
	p = is_first ? p : scan_blanks(p + 1);
	if (*p != '"')
		return json_fail(m->check, p, DIAG_JSON, "a key is missing");
	m->key = p + 1;
	p = json_skip_string(m->check, m->key);
	if (!p)
		return false;
	m->key_end = p - 1;
	p = scan_blanks(p);
	if (*p != ':')
		return json_fail(m->check, p, DIAG_JSON, "a colon is missing");
	m->value = scan_blanks(p + 1);
	m->value_end = json_skip(m->check, m->value, m->depth + 1);
	return m->value_end;
}

/* Decode a checked JSON string from `p` to `end`, without its quotes. `out` must hold `end - p`
 * bytes. Returns the number of bytes written. A lone surrogate becomes U+FFFD. */
size_t json_decode(const char *p, const char *end, char *out);

/*
 * Multiply the checked JSON number at `p` by 10^`scale` and round it to the nearest integer, halves
 * away from zero. Returns false if the result does not fit in int64, or if `integral` is set and
 * the product is not an integer.
 */
bool json_decimal(const char *p, int scale, bool integral, int64_t *out);

#endif
