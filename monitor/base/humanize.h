/* SPDX-License-Identifier: MIT */
/*
 * humanize: format times, counts and sizes for people.
 *
 * No locale, no allocation. Any thread.
 *
 *   times   0ns 812ns 14.5us 82us 76.3ms 5.19s 3m12s 2h05m 4d03h
 *   counts  1203 12.4k 3.51M 12.0G                              exact below 10,000
 *   bytes   900 12.4K 3.50M 1.00G                               1K is 1,024
 *
 * The micro sign of "82µs" is one cell, but two bytes, so do not align it with widths of printf().
 */
#ifndef MONITOR_HUMANIZE_H
#define MONITOR_HUMANIZE_H

#include <stdint.h>

#include "engine/base/clock.h"

/* Size of a buffer for the longest text, with NUL. */
#define HUMAN_BYTES 24

struct human {
	char text[HUMAN_BYTES];
};

enum human_form {
	HUMAN_ASCII,  /* "82us"; the default */
	HUMAN_SCREEN, /* "82µs" */
	/* units in words, such as "82 microseconds" or "1 minute 12 seconds", for durations */
	HUMAN_WORDS,
};

/* Set the form of durations on the calling thread. Returns the previous form. */
enum human_form human_set_form(enum human_form form);

/* Format a duration, below a minute with at most 3 digits. A negative one begins with "-"; NS_NONE
 * gives "-". */
struct human human_duration(ns_t duration_ns);
/* Format a duration for a mark of an axis, such as "5ms": up to four digits below a minute, no
 * zeros at the end of a fraction. */
struct human human_mark(ns_t duration_ns);
/* Return the smallest of 1, 2, 5, 10 ... 10^17 ns that is at least `least_ns`, else 10^17, for axis
 * marks. */
ns_t human_step(ns_t least_ns);
struct human human_count(uint64_t count);
struct human human_bytes(uint64_t bytes);

#endif
