/* SPDX-License-Identifier: MIT */
/*
 * Clocks. All times in this program are `ns_t`: nanoseconds, signed, either since the Unix
 * epoch (wall) or since some fixed unknown instant (monotonic); a name says which.
 *
 * Both clocks can be replaced, for tests and for `--clock=EVENTS`. Replacing is not thread-safe:
 * do it before threads exist. Reading is safe from any thread and takes about 30 ns.
 */
#ifndef TR2_BASE_CLOCK_H
#define TR2_BASE_CLOCK_H

#include <stdint.h>

typedef int64_t ns_t;

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_SEC 1000000000LL
/* "No such time": never a real reading. */
#define NS_NONE INT64_MIN

/* Nanoseconds since an unknown instant; never runs backwards. */
ns_t tr2_clock_monotonic(void);

/* Nanoseconds since 1970-01-01T00:00:00Z; may jump either way. */
ns_t tr2_clock_wall(void);

/* Replace both clocks by `monotonic` and `wall`; NULL restores the system's. */
void tr2_clock_replace(ns_t (*monotonic)(void), ns_t (*wall)(void));

#endif
