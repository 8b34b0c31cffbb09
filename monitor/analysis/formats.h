/* SPDX-License-Identifier: MIT */
/* names for the threads, regions and children of a process per input format (formats.def) */
#ifndef MONITOR_FORMATS_H
#define MONITOR_FORMATS_H

#include "monitor/model/model.h"

struct format {
	const char *word, *threads, *lane, *regionless, *children, *childless, *a_child,
		*nr_children, *together, *lanes, *life;
	bool has_tasks;
};

/* Return the row of formats.def for a process; that of EVENT for NULL, or if its format has
 * none. */
const struct format *format_of(const struct model *model, const struct process *process);

/*
 * Return the index of the main thread of a process: the one that the trace reports as such; else,
 * if the format has a `life` category, the first whose outermost region is of it; else the first.
 * UINT32_MAX if it was evicted or does not exist. Takes at most some 10 us.
 */
uint32_t process_main_thread(const struct model *model, const struct process *process);

#endif
