/* SPDX-License-Identifier: MIT */
/*
 * --otlp=URL: converts events to spans (report/otlp.h), which a thread sends to a collector
 * (send/span_sender.h). Only with --once is the sender waited for, since sources can wait then.
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

/* Create the exporter of spans that the options request. `model` and `redactor` (NULL: no
 * redaction) are borrowed. Returns NULL with one line in `why` on error. */
struct exporting *exporting_new(const struct options *options, struct model *model,
				struct redactor *redactor, char *why, size_t why_bytes);
/* Start the sender's thread. No command may be started afterwards. */
void exporting_start(struct exporting *exporting);
void exporting_batch(struct exporting *exporting, const struct batch *batch);
/* Call once per second: exports long-running processes so far. With `tells`, each new reason why
 * nothing is accepted is printed once on stderr. */
void exporting_tick(struct exporting *exporting, bool tells);
void exporting_stats(struct exporting *exporting, struct span_sender_stats *out);
/* Return the collector's URL without secrets. */
const char *exporting_shown(const struct exporting *exporting);
/* Call after the last batch: sends the remaining spans, for a few seconds at most, prints a line
 * on stderr about spans that were not sent, and frees the exporter. Returns false if spans were
 * not sent and --once is set. NULL is allowed. */
bool exporting_end(struct exporting *exporting);

#endif
