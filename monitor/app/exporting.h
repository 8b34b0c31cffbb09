/* SPDX-License-Identifier: MIT */
/*
 * What --otlp=URL does: events that are applied, or passed over, become spans (report/otlp.h),
 * which a thread sends to a collector (send/span_sender.h). Nobody waits for it, but for --once,
 * which reads what can wait.
 *
 * Loop thread.
 */
#ifndef MONITOR_EXPORTING_H
#define MONITOR_EXPORTING_H

#include "monitor/model/model.h"
#include "monitor/redact/redact.h"
#include "monitor/send/span_sender.h"
#include "monitor/settings/options.h"

struct exporting;

/* What the options ask for; `model` and `redactor` (NULL: nothing) are borrowed. NULL, with a line
 * of `why`. */
struct exporting *exporting_new(const struct options *options, struct model *model,
				struct redactor *redactor, char *why, size_t why_bytes);
/* Start its thread; no command is to be started any more. */
void exporting_start(struct exporting *exporting);
void exporting_batch(struct exporting *exporting, const struct batch *batch);
/* Once a second: what runs for long is sent as it is. `tells`: why nothing is taken is told on
 * stderr, once for each reason. */
void exporting_tick(struct exporting *exporting, bool tells);
void exporting_stats(struct exporting *exporting, struct span_sender_stats *out);
/* Its address, without secrets. */
const char *exporting_shown(const struct exporting *exporting);
/* The last batch was given: send what there is, for some seconds, tell of what was not sent, a line
 * on stderr, and free it. False where something was not sent, and somebody waits for that (--once).
 * NULL: nothing. */
bool exporting_end(struct exporting *exporting);

#endif
