/* SPDX-License-Identifier: MIT */
/*
 * Select and redact the events that an agent forwards, and put them as lines into the forwarder's
 * tap (send/forward.h): with --sample=N, about one of N root processes with their descendants; with
 * --filter=EXPR, processes that match.
 *
 * With --filter, the lines of a process are held until the process matches, then forwarded. If the
 * process or its trace ends before, or the model evicts it, the lines are filtered out. Lines that
 * could not be held are reported as lost if the process matches later.
 *
 * Used by the loop thread, which waits for a slow forwarder for a moment; then lines are dropped
 * and counted as lost.
 */
#ifndef MONITOR_FORWARDING_H
#define MONITOR_FORWARDING_H

#include "monitor/filter/filter.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/send/forward.h"
#include "monitor/settings/options.h"

struct forwarding;

/*
 * Create the forwarding that the options request. `model`, `journal` and `filter` (NULL: all
 * processes) are borrowed. `changed` is called when the status changes, by any thread. Returns NULL
 * with one line in `why` on error.
 */
struct forwarding *forwarding_new(const struct options *options, struct model *model,
				  struct journal *journal, struct filter *filter,
				  void (*changed)(void *data), void *data, char *why,
				  size_t why_bytes);
/* Start the forwarder's threads. After this no command may be started. */
void forwarding_start(struct forwarding *forwarding);
/* True if a batch must be applied to the model before forwarding_batch(). */
bool forwarding_needs_model(const struct forwarding *forwarding);
void forwarding_batch(struct forwarding *forwarding, const struct batch *batch);
/* Write the forwarder's status in one line, for the service manager. */
void forwarding_format(struct forwarding *forwarding, char *out, size_t bytes);
/* Print on stderr, once each, that the servers store no events, and why, or store events again. */
void forwarding_report(struct forwarding *forwarding);
/*
 * Send the remaining events, for a few seconds at most, print a line on stderr if events were lost,
 * and free the forwarder. Call it after the last batch. Returns false if events were lost with
 * --once. NULL is allowed.
 */
bool forwarding_end(struct forwarding *forwarding);

#endif
