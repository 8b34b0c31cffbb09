/* SPDX-License-Identifier: MIT */
/*
 * Durations and points in time as a person writes them: on the command line, in a filter, in
 * the prompt that looks back. One grammar for all of them; local time unless a Z says UTC.
 * Pure, any thread.
 */
#ifndef MONITOR_WHEN_H
#define MONITOR_WHEN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/clock.h"

/*
 * A duration such as "1.5s", "250ms", "2m", "3h", "1d" in nanoseconds; false where it is none.
 */
bool duration_parse(const char *text, ns_t *out);

/*
 * A point in time: "YYYY-MM-DD[T ]HH:MM[:SS[.f]][Z]"; "HH:MM[:SS[.f]][Z]" of the day of `now`;
 * or a duration before `now`, with or without a minus, or behind a plus one after it. False
 * where it is none of them.
 */
bool time_parse(const char *text, ns_t now, ns_t *out);

/* Where a text is no time. */
struct time_error {
	size_t column;        /* in bytes from 0 */
	const char *expected; /* what should stand there; static */
};

/* The same, and says what is wrong where it is. */
bool time_parse_why(const char *text, ns_t now, ns_t *out, struct time_error *error);

#endif
