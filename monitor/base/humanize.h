/* SPDX-License-Identifier: MIT */
/*
 * Times, counts and sizes as a person would say them. The one place for it: panes, pages and
 * the text report agree to the letter. Whoever needs exact figures takes the JSON report. No
 * locale, no allocation; any thread.
 *
 *   times   0ns 812ns 14.5us 76.35ms 5.199s 3m12s 2h05m 4d03h   four digits below a minute
 *   counts  1203 12.4k 3.51M 12.0G                              exact below 10,000
 *   bytes   900 12.4K 3.5M 1.0G                                 1K is 1,024
 *
 * In words, as a voice reads them well, with two digits:
 *
 *   times   812 nanoseconds, 2.3 seconds, 1 minute 12 seconds, 2 hours, 4 days 3 hours
 */
#ifndef MONITOR_HUMANIZE_H
#define MONITOR_HUMANIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

/* Room for any of the texts, its NUL included. */
#define HUMAN_BYTES 24

struct human {
	char text[HUMAN_BYTES];
};

/* From here on the calling thread gets times in words, or again as on a screen; what it was. */
bool human_in_words(bool words);

/* A duration; "-" before a negative one, "-" alone for NS_NONE. */
struct human human_duration(ns_t duration_ns);
/* The same without zeros behind the point, for marks on an axis: "5ms", "1.5s". */
struct human human_mark(ns_t duration_ns);
/* The least of 1, 2, 5, 10, 20 ... that is `least_ns` or more: from mark to mark of an axis. */
ns_t human_step(ns_t least_ns);
/* A number of things. */
struct human human_count(uint64_t count);
/* A size in bytes. */
struct human human_bytes(uint64_t bytes);

#endif
