/* SPDX-License-Identifier: MIT */
/* words for the processes of each input format (formats.def); their main threads */
#ifndef MONITOR_FORMATS_H
#define MONITOR_FORMATS_H

#include "monitor/model/model.h"

struct format {
	const char *word, *threads, *lane, *regionless, *children, *childless, *a_child,
		*nr_children, *together, *lanes, *life;
	bool has_tasks;
};

/* Return the row of formats.def for a process; that of EVENT if `process` is NULL or its format has
 * no row. */
const struct format *format_of(const struct model *model, const struct process *process);

/*
 * Return the index of the main thread of a process: the thread that the trace names as such.
 * Without such a name, it is the first thread whose outermost region has the format's `life`
 * category or, if the format has no such category, the first thread. UINT32_MAX: none.
 */
uint32_t process_main_thread(const struct model *model, const struct process *process);

#endif
