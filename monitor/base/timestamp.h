/* SPDX-License-Identifier: MIT */
/*
 * Parse wall times: YYYY-MM-DDTHH:MM:SS[.f...], then Z, +HH:MM or -HH:MM; a Z may follow a zero
 * offset. Second 60 is the first second of the next minute. Digits of a fraction after the ninth
 * are ignored.
 */
#ifndef MONITOR_TIMESTAMP_H
#define MONITOR_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/clock.h"

/* Parse the `len` bytes of a time into `*wall`. Returns false if they are not a time, or one
 * that ns_t cannot hold. */
bool timestamp_parse(const char *text, size_t len, ns_t *wall);

#endif
