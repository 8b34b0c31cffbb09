/* SPDX-License-Identifier: MIT */
/*
 * Wall times as emitters write them: YYYY-MM-DDTHH:MM:SS[.f...] and then Z, +00:00Z or
 * +HH:MM / -HH:MM. Second 60 is the next minute's first. Digits beyond nanoseconds are dropped.
 */
#ifndef MONITOR_TIMESTAMP_H
#define MONITOR_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/clock.h"

/* False where the `len` bytes are no such time, or one that ns_t cannot hold. */
bool timestamp_parse(const char *text, size_t len, ns_t *wall);

#endif
