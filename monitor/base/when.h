/* SPDX-License-Identifier: MIT */
/* Parse durations and points in time that users type. A point in time is local time, unless it ends
 * in Z (UTC). Any thread. */
#ifndef MONITOR_WHEN_H
#define MONITOR_WHEN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/clock.h"

/*
 * Parse a duration such as "1.5s", "250ms", "2m", "3h", "1d" to nanoseconds. Returns false if
 * invalid.
 */
bool duration_parse(const char *text, ns_t *out);

/*
 * Parse a point in time: "YYYY-MM-DD[T ]HH:MM[:SS[.f]][Z]"; "HH:MM[:SS[.f]][Z]" on the local day of
 * `now`; or a duration, which is subtracted from `now` (a leading minus is optional) or added with
 * a leading plus. Returns false if invalid.
 */
bool time_parse(const char *text, ns_t now, ns_t *out);

/* Position and reason of a failure to parse a time. */
struct time_error {
	size_t column;        /* byte offset of the error in the text */
	const char *expected; /* description of the expected text; static */
};

/* Like time_parse(), but fills `error` on failure. */
bool time_parse_why(const char *text, ns_t now, ns_t *out, struct time_error *error);

#endif
