/* SPDX-License-Identifier: MIT */
/*
 * A redacted recording: not the bytes of the sources, but what their events are once they went
 * through the redactor, written anew, one stream of all. It is made where events are applied, and
 * put into the recorder's tap in place of what the intake would put there.
 *
 * Loop thread. Where the recorder does not keep up it is waited for, a moment; then lines are lost
 * and counted, as ever.
 */
#ifndef MONITOR_REDACTED_H
#define MONITOR_REDACTED_H

#include "monitor/base/tap.h"
#include "monitor/report/report.h"

struct redacted;

/* What is written goes into `tap`; `input` chooses all processes, has the redactor, and lives until
 * redacted_end(). The recorder has not been started. */
struct redacted *redacted_new(struct tap *tap, const struct report_input *input);
/* A batch that was applied, or passed over. */
void redacted_batch(struct redacted *redacted, const struct batch *batch);
/* The last was given; all is in the tap. NULL: nothing. */
void redacted_end(struct redacted *redacted);

#endif
