/* SPDX-License-Identifier: MIT */
/*
 * The errors that processes have reported, newest first: those that the model keeps, of processes
 * that are kept. One thread; 0.1 us a process and 0.2 us an error.
 */
#ifndef MONITOR_ERRORS_H
#define MONITOR_ERRORS_H

#include "engine/base/buf.h"
#include "monitor/analysis/analysis.h"

struct error {
	uint32_t slot, index; /* of its process, in the list of that */
	sym_t fmt;            /* what it is grouped by; SYM_NONE: absent */
	ns_t time;            /* wall; NS_NONE */
};

struct errors {
	struct error *items; /* ro */
	uint32_t nr, cap;
};

/*
 * Those of `what`: of its process, or of all within its depth limit that its filter chooses.
 * `grouped`: those of one format stand together, the format with the newest error first.
 */
void errors_make(struct errors *errors, const struct analysis *what, bool grouped);
void errors_release(struct errors *errors);

const struct error_item *error_item_of(const struct model *model, const struct error *error);

/* Append its message, else its format. */
void error_say(const struct model *model, const struct error_item *item, struct tr2_buf *out);

/*
 * The number of the event that reported it, in the journal's order of now; UINT64_MAX where that
 * is not kept. Reads the batches that have events of its process.
 */
uint64_t error_event(const struct analysis *what, const struct error *error);

#endif
