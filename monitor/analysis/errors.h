/* SPDX-License-Identifier: MIT */
/*
 * List errors of processes. One thread.
 */
#ifndef MONITOR_ERRORS_H
#define MONITOR_ERRORS_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

struct error {
	/* process that reported the error, and index in its list of errors */
	uint32_t slot, index;
	/* format string, by which errors are grouped; SYM_NONE: unknown */
	sym_t fmt;
	ns_t time; /* wall time of the error; NS_NONE: unknown */
};

struct errors {
	struct error *items; /* ro */
	uint32_t nr, cap;
};

/*
 * Get the errors of the process that `what` names or, if it names none, of the processes that its
 * depth limit and filter select, newest first. If `grouped`, errors of the same format string are
 * adjacent, formats with the newest errors first.
 */
void errors_make(struct errors *errors, const struct analysis *what, bool grouped);
void errors_release(struct errors *errors);

/* True if an error in the process's list has this format (SYM_NONE: no format). */
bool error_is_reported(const struct model *model, const struct process *process, sym_t fmt);

const struct error_item *error_item_of(const struct model *model, const struct error *error);

/* Append the message of an error, or its format string if it has no message. */
void error_format(const struct model *model, const struct error_item *item, struct tr2_buf *out);

/*
 * Return the number of the event that reported an error, in the present order of the journal;
 * UINT64_MAX if the journal does not have the event.
 */
uint64_t error_event(const struct analysis *what, const struct error *error);

#endif
