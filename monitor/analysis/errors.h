/* SPDX-License-Identifier: MIT */
/*
 * Errors that processes reported, newest first, as far as the processes are still in the model. One
 * thread; 0.1 us per process and 0.2 us per error.
 */
#ifndef MONITOR_ERRORS_H
#define MONITOR_ERRORS_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

struct error {
	uint32_t slot, index; /* slot of the process, and index in its list of errors */
	sym_t fmt;            /* format string, by which errors are grouped; SYM_NONE: unknown */
	ns_t time;            /* wall clock; NS_NONE: unknown */
};

struct errors {
	struct error *items; /* ro: the errors */
	uint32_t nr, cap;
};

/*
 * Get the errors of the process that `what` names, or of all processes within its depth limit that
 * pass its filter. `grouped`: errors of the same format string are adjacent, and formats with the
 * newest errors come first.
 */
void errors_make(struct errors *errors, const struct analysis *what, bool grouped);
void errors_release(struct errors *errors);

/* True if a kept error of the process has this format; SYM_NONE: an error without a format. */
bool error_is_reported(const struct model *model, const struct process *process, sym_t fmt);

const struct error_item *error_item_of(const struct model *model, const struct error *error);

/* Append the message of an error, or its format string if it has no message. */
void error_format(const struct model *model, const struct error_item *item, struct tr2_buf *out);

/*
 * Return the number of the event that reported an error, in the journal's current order; UINT64_MAX
 * if it is no longer kept. Reads the batches with events of the error's process.
 */
uint64_t error_event(const struct analysis *what, const struct error *error);

#endif
