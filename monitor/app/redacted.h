/* SPDX-License-Identifier: MIT */
/*
 * A redacted recording: the redacted events, written as lines of one stream, instead of the bytes
 * of the sources. The events are redacted when they are applied, and put into the recorder's tap in
 * place of intake's bytes.
 *
 * Loop thread. Waits for a slow recorder for a moment; then lines are lost and counted.
 */
#ifndef MONITOR_REDACTED_H
#define MONITOR_REDACTED_H

#include "monitor/base/tap.h"
#include "monitor/report/report.h"

struct redacted;

/* Create the redaction for a recording with the tap `tap`. `input` must select all processes,
 * have a redactor, and live until redacted_end(). The recorder must not have been started. */
struct redacted *redacted_new(struct tap *tap, const struct report_input *input);
/* Redact a batch that was applied or skipped, and record it. */
void redacted_batch(struct redacted *redacted, const struct batch *batch);
/* Call after the last batch: record the rest. NULL is allowed. */
void redacted_end(struct redacted *redacted);

#endif
