/* SPDX-License-Identifier: MIT */
/* Parse durations and points in time that users type. A point in time is local time, unless it ends
 * in Z (UTC). Any thread. */
#ifndef MONITOR_WHEN_H
#define MONITOR_WHEN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/clock.h"

/* Parse a duration such as "1.5s" or "250ms". Returns false if invalid. */
bool duration_parse(const char *text, ns_t *out);

/* Parse a point in time, such as "2026-11-21T12:28Z", "12:28:42.5" (on the local day of `now`),
 * "-30s" or "30s" (before `now`), or "+30s". Returns false if invalid. */
bool time_parse(const char *text, ns_t now, ns_t *out);

/* Why a time cannot be parsed. */
struct time_error {
	size_t column;        /* byte offset of the error */
	const char *expected; /* description of the expected text; static */
};

/* Like time_parse(), but fills `error` on failure. */
bool time_parse_why(const char *text, ns_t now, ns_t *out, struct time_error *error);

#endif
