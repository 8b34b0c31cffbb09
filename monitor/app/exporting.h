/* SPDX-License-Identifier: MIT */
/*
 * The option --otlp=URL converts events to spans (report/otlp.h), which a thread sends to a
 * collector (send/span_sender.h). With --once, the loop thread may wait for the sending thread
 * after a batch. Used by the loop thread.
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
/* Start the sender's thread. After this no command may be started. */
void exporting_start(struct exporting *exporting);
void exporting_batch(struct exporting *exporting, const struct batch *batch);
/* Export spans of long-running processes (otlp_report_old()); call it once per second. `tells`:
 * print on stderr new reasons why the collector accepts nothing or spans were lost. */
void exporting_tick(struct exporting *exporting, bool tells);
void exporting_stats(struct exporting *exporting, struct span_sender_stats *out);
/* Return the URL of the collector without user, password and query. */
const char *exporting_shown(const struct exporting *exporting);
/*
 * Send the remaining spans, for 5 s at most (20 s with --once), print on stderr what was left out,
 * refused or dropped, and free the exporter. Call it after the last batch. Returns false if spans
 * were refused or dropped and --once is set. NULL is allowed.
 */
bool exporting_end(struct exporting *exporting);

#endif
