/* SPDX-License-Identifier: MIT */
/*
 * What an agent forwards: of the events that are applied, or passed over, those that are wanted,
 * through a redactor of its own, as lines into the forwarder's tap (send/forward.h).
 *
 *   --sample=N     one of N roots with all below it
 *   --filter=EXPR  a process's lines are held until it matches, and leave then; once it has ended,
 *                  or fell out of the model, they are left out. Of those that there was no room to
 *                  hold it is told, when it matches, that they are lost; else they are left out, too
 *
 * Loop thread. Where the forwarder does not keep up it is waited for, a moment; then lines are lost
 * and counted.
 */
#ifndef MONITOR_FORWARDING_H
#define MONITOR_FORWARDING_H

#include "monitor/filter/filter.h"
#include "monitor/history/journal.h"
#include "monitor/model/model.h"
#include "monitor/send/forward.h"
#include "monitor/settings/options.h"

struct forwarding;

/* What the options ask for; `model`, `journal` and `filter` (NULL: all processes) are borrowed.
 * `changed` is called from any thread when there is another status. NULL, with a line of `why`. */
struct forwarding *forwarding_new(const struct options *options, struct model *model,
				  struct journal *journal, struct filter *filter,
				  void (*changed)(void *data), void *data, char *why,
				  size_t why_bytes);
/* Start its threads; no command is to be started any more. */
void forwarding_start(struct forwarding *forwarding);
/* Must the model have been given a batch before it comes here? */
bool forwarding_needs_model(const struct forwarding *forwarding);
void forwarding_batch(struct forwarding *forwarding, const struct batch *batch);
/* How it stands, in one line: for a service's status. */
void forwarding_say(struct forwarding *forwarding, char *out, size_t bytes);
/* Tell a person, a line on stderr, that nothing is stored now, and why; and once it is again. */
void forwarding_tell(struct forwarding *forwarding);
/* The last batch was given: send what there is, for some seconds, tell of what was lost, a line on
 * stderr, and free it. False where something was lost with --once. NULL: nothing. */
bool forwarding_end(struct forwarding *forwarding);

#endif
