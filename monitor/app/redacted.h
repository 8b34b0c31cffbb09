/* SPDX-License-Identifier: MIT */
/*
 * A redacted recording has the redacted events, as lines of one stream, instead of the bytes of the
 * sources.
 *
 * Used by the loop thread, which waits for a slow recorder for a moment; then lines are dropped and
 * counted as lost.
 */
#ifndef MONITOR_REDACTED_H
#define MONITOR_REDACTED_H

#include "monitor/base/tap.h"
#include "monitor/report/report.h"

struct redacted;

/* Start to redact a recording, whose recorder has the tap `tap` and was not started yet. `input`
 * must select all processes, have a redactor, and live until redacted_end(). */
struct redacted *redacted_new(struct tap *tap, const struct report_input *input);
void redacted_batch(struct redacted *redacted, const struct batch *batch);
/* Record the rest; call it after the last batch. NULL is allowed. */
void redacted_end(struct redacted *redacted);

#endif
