/* SPDX-License-Identifier: MIT */
/*
 * Errors reported by processes, newest first: those still in the model. One thread; 0.1 us per
 * process and 0.2 us per error.
 */
#ifndef MONITOR_ERRORS_H
#define MONITOR_ERRORS_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

struct error {
	uint32_t slot, index; /* process slot, and index in the process's list */
	sym_t fmt;            /* grouping key; SYM_NONE: absent */
	ns_t time;            /* wall clock; NS_NONE */
};

struct errors {
	struct error *items; /* ro */
	uint32_t nr, cap;
};

/*
 * Get the errors of the process of `what`, or of all processes within its depth limit that pass its
 * filter. `grouped`: errors of the same format are adjacent, the format with the newest error
 * first.
 */
void errors_make(struct errors *errors, const struct analysis *what, bool grouped);
void errors_release(struct errors *errors);

const struct error_item *error_item_of(const struct model *model, const struct error *error);

/* Append its message, or its format if it has no message. */
void error_format(const struct model *model, const struct error_item *item, struct tr2_buf *out);

/*
 * Number of the event that reported it, in the journal's current order; UINT64_MAX if no longer
 * kept. Reads the batches with events of its process.
 */
uint64_t error_event(const struct analysis *what, const struct error *error);

#endif
